/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualManagerPass: draws the objects with its tags into a texture. */
#include "components/visual/passes.h"

#define ROW(member, xml, def, help_text)                                                           \
  SOFA_VISUAL_FIELD(VisualManagerPass, member, xml, def, help_text, .aliases = NULL)

static const SofaField fields[] = {
    SOFA_VISUAL_FIELD(VisualManagerPass, factor, "factor", "1",
                      "size of the texture, as a part of that of the picture",
                      .range = SOFA_ABOVE_TO(0, 16)),
    ROW(to_screen, "renderToScreen", "0", "draw into the picture: the last pass"),
    ROW(output, "outputName", NULL, "name of the texture in shaders; empty: the object's name"),
};

SOFA_CLASS(VisualManagerPass) = {
    SOFA_NAMED(VisualManagerPass),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "Draws the objects with one of its tags (without tags: all) into a texture for a "
            "VisualManagerSecondaryPass. Needs a CompositingVisualLoop.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
};
