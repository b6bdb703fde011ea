/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglTexturePointer: gives the texture of an OglTexture to another shader. */
#include "components/visual/shader.h"

static const SofaLinkRule rule = {.interface = -1, .klass = &sofa_OglTexture_class};

static const SofaField fields[] = {
    SOFA_VISUAL_FIELD(OglTexturePointer, unit, "textureUnit", "1",
                      "unit of the texture; the view chooses itself", .aliases = NULL),
    SOFA_VISUAL_FIELD(OglTexturePointer, enabled, "enabled", "1", "give it to the shader",
                      .aliases = NULL),
    SOFA_FIELD(OglTexturePointer, texture, "oglTexture", NULL, "", "the texture",
               .flags = SOFA_FIELD_DISPLAY, .link = &rule),
};

static SofaErr init(SofaObject *object) {
  if (((const OglTexturePointer *)object)->texture.target) return SOFA_OK;
  return sofa_field_fail(object, "oglTexture", SOFA_ERR_NOT_FOUND,
                         "missing, expected an OglTexture");
}

const SofaClass sofa_OglTexturePointer_class = {
    .name = "OglTexturePointer",
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "The image of an OglTexture for a sampler of another shader.",
    .base = &sofa_shader_element_class,
    .size = sizeof(OglTexturePointer),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .init = init,
};
