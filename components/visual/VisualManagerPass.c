/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualManagerPass: draws the objects with its tags into a texture. */
#include "components/visual/passes.h"

#define ROW(member, xml, def, help_text)                                                           \
  SOFA_VISUAL_FIELD(VisualManagerPass, member, xml, def, help_text, .aliases = NULL)

static const SofaField fields[] = {
    ROW(factor, "factor", "1", "size of the texture, as a part of that of the picture"),
    ROW(to_screen, "renderToScreen", "0", "draw into the picture: the last pass"),
    ROW(output, "outputName", NULL, "name of the texture in shaders; empty: the object's name"),
};

static SofaErr init(SofaObject *object) {
  const double factor = ((const VisualManagerPass *)object)->factor;
  if (factor > 0 && factor <= 16) return SOFA_OK;
  return sofa_field_fail(object, "factor", SOFA_ERR_RANGE, "%g, expected > 0 and <= 16", factor);
}

SOFA_CLASS(VisualManagerPass) = {
    SOFA_NAMED(VisualManagerPass),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "Draws what has one of its tags (all without tags) into a texture for a "
            "VisualManagerSecondaryPass. Needs a CompositingVisualLoop.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    .init = init,
};
