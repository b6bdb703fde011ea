/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglShadowShader: the view's own shading, which has shadows. */
#include "components/visual/shader.h"

SOFA_CLASS(OglShadowShader) = {
    .name = "OglShadowShader",
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "The built-in shading, with shadows as the LightManager asks for; also below another "
            "shader. Files named are not read.",
    .base = &sofa_OglShader_class,
    .size = sizeof(OglShader),
};
