/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglTexturePointer: gives the texture of an OglTexture to another shader. */
#include "components/visual/shader.h"

static const SofaLinkRule rule = {.klass = &sofa_OglTexture_class};

typedef OglTexturePointer SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(unit, "textureUnit", "1", "unit of the texture; the view chooses itself"),
    SOFA_ROW_DISPLAY(enabled, "enabled", "1", "give it to the shader"),
    SOFA_ROW_DISPLAY(texture, "oglTexture", NULL, "the texture", .link = &rule),
};

static SofaErr init(SofaObject *object) {
  if (((const OglTexturePointer *)object)->texture.target) return SOFA_OK;
  return sofa_field_fail(object, "oglTexture", SOFA_ERR_NOT_FOUND,
                         "missing, expected an OglTexture");
}

SOFA_CLASS(OglTexturePointer) = {
    SOFA_NAMED(OglTexturePointer),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "The image of an OglTexture for a sampler of another shader.",
    .base = &sofa_shader_element_class,
    SOFA_FIELDS(fields),
    .init = init,
};
