/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PostProcessManager: draws the picture through a shader. */
#include "components/visual/passes.h"

typedef PostProcessManager SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(z_near, "zNear", "1", "not used: depths are those of the camera"),
    SOFA_ROW_DISPLAY(z_far, "zFar", "100", "not used: depths are those of the camera"),
};

SOFA_CLASS(PostProcessManager) = {
    SOFA_NAMED(PostProcessManager),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "Draws the whole picture through the nearest shader above, which gets colorTexture, "
            "depthTexture and pixelSize. Make the shader passive.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
};
