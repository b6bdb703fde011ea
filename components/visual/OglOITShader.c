/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglOITShader: the view's own shading of translucent surfaces. */
#include "components/visual/shader.h"

SOFA_CLASS(OglOITShader) = {
    .name = "OglOITShader",
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "The built-in shading, with which an OrderIndependentTransparencyManager draws; also "
            "below another shader. Files named are not read.",
    .base = &sofa_OglShader_class,
    .size = sizeof(OglShader),
};
