/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglRenderingSRGB: colours are linear light, which the picture stores as sRGB. */
#include "components/visual/OrderIndependentTransparencyManager.h"

SOFA_CLASS(OglRenderingSRGB) = {
    .name = "OglRenderingSRGB",
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "Takes all colours as linear light and writes the picture in sRGB. Give textures "
            "srgbTexturing, too.",
    .base = &sofa_visual_class,
    .size = sizeof(SofaVisual),
};
