/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PostProcessManager: draws the picture through a shader. */
#include "components/visual/passes.h"

#define ROW(member, xml, def, help_text)                                                           \
  SOFA_VISUAL_FIELD(PostProcessManager, member, xml, def, help_text, .aliases = NULL)

static const SofaField fields[] = {
    ROW(z_near, "zNear", "1", "not used: depths are those of the camera"),
    ROW(z_far, "zFar", "100", "not used: depths are those of the camera"),
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
