/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CompositingVisualLoop: pictures in several passes, where advanced rendering is shown. */
#include "components/visual/passes.h"

static const SofaField fields[] = {
    SOFA_FIELD(CompositingVisualLoop, vertex, "vertFilename", "shaders/compositing.vert", "",
               "not used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(CompositingVisualLoop, fragment, "fragFilename", "shaders/compositing.frag", "",
               "not used", .flags = SOFA_FIELD_NO_EFFECT),
};

SOFA_CLASS(CompositingVisualLoop) = {
    SOFA_NAMED(CompositingVisualLoop),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help =
        "Draws a picture in the passes of the scene (VisualManagerPass, "
        "VisualManagerSecondaryPass) where the root's flags have showAdvancedRendering, else as "
        "usual.",
    .base = &sofa_DefaultVisualManagerLoop_class,
    SOFA_FIELDS(fields),
};
