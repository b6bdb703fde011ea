/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VisualManagerPass: draws the objects with its tags into a texture. */
#include "components/visual/passes.h"

typedef VisualManagerPass SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(factor, "factor", "1", "size of the texture, as a part of that of the picture",
                     .range = SOFA_ABOVE_TO(0, 16)),
    SOFA_ROW_DISPLAY(to_screen, "renderToScreen", "0", "draw into the picture: the last pass"),
    SOFA_ROW_DISPLAY(output, "outputName", NULL,
                     "name of the texture in shaders; empty: the object's name"),
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
