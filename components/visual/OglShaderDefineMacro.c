/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglShaderDefineMacro: a word that a shader is compiled with. */
#include <string.h>

#include "components/visual/shader.h"

typedef OglShaderDefineMacro SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(value, "value", NULL, "replacement of the word"),
};

/* A line of GLSL is made of it: #define id value. */
static SofaErr init(SofaObject *object) {
  const OglShaderDefineMacro *m = (const OglShaderDefineMacro *)object;
  const char *id = sofa_ogl_element_id(&m->element);
  const char *good = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
  if (id[strspn(id, good)] || (id[0] >= '0' && id[0] <= '9') || !id[0])
    return sofa_field_fail(object, "id", SOFA_ERR_RANGE,
                           "'%s', expected a word of letters, digits and '_'", id);
  if (m->value && strpbrk(m->value, "\r\n"))
    return sofa_field_fail(object, "value", SOFA_ERR_RANGE, "has several lines, expected one");
  return SOFA_OK;
}

SOFA_CLASS(OglShaderDefineMacro) = {
    SOFA_NAMED(OglShaderDefineMacro),
    .module = "Sofa.GL.Component.Shader",
    .category = "_Miscellaneous",
    .help = "Defines a macro in front of the texts of a shader.",
    .base = &sofa_shader_element_class,
    SOFA_FIELDS(fields),
    .init = init,
};
