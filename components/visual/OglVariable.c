/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglVariable: the classes of numbers that are given to a shader as uniforms. */
#include "components/visual/shader.h"

/* X(class, member, default, columns, rows, several): a value has columns * rows numbers; several:
 * an array of them. */
#define VECTORS(EACH_CLASS)                                                                        \
  EACH_CLASS(OglIntVariable, integer, "0", 1, 1, false)                                            \
  EACH_CLASS(OglInt2Variable, ints2, "0 0", 1, 2, false)                                           \
  EACH_CLASS(OglInt3Variable, ints3, "0 0 0", 1, 3, false)                                         \
  EACH_CLASS(OglInt4Variable, ints, "0 0 0 0", 1, 4, false)                                        \
  EACH_CLASS(OglFloatVariable, real, "0", 1, 1, false)                                             \
  EACH_CLASS(OglFloat2Variable, vec2, "0 0", 1, 2, false)                                          \
  EACH_CLASS(OglFloat3Variable, vec3, "0 0 0", 1, 3, false)                                        \
  EACH_CLASS(OglFloat4Variable, vec4s, "0 0 0 0", 1, 4, false)                                     \
  EACH_CLASS(OglIntVectorVariable, ints, NULL, 1, 1, true)                                         \
  EACH_CLASS(OglIntVector2Variable, ints, NULL, 1, 2, true)                                        \
  EACH_CLASS(OglIntVector3Variable, ints, NULL, 1, 3, true)                                        \
  EACH_CLASS(OglIntVector4Variable, ints, NULL, 1, 4, true)                                        \
  EACH_CLASS(OglFloatVectorVariable, reals, NULL, 1, 1, true)                                      \
  EACH_CLASS(OglFloatVector2Variable, vec2s, NULL, 1, 2, true)                                     \
  EACH_CLASS(OglFloatVector3Variable, vec3s, NULL, 1, 3, true)                                     \
  EACH_CLASS(OglFloatVector4Variable, vec4s, NULL, 1, 4, true)
#define MATRICES(EACH_CLASS)                                                                       \
  EACH_CLASS(OglMatrix2Variable, reals, NULL, 2, 2, true)                                          \
  EACH_CLASS(OglMatrix3Variable, reals, NULL, 3, 3, true)                                          \
  EACH_CLASS(OglMatrix4Variable, reals, NULL, 4, 4, true)                                          \
  EACH_CLASS(OglMatrix2x3Variable, reals, NULL, 2, 3, true)                                        \
  EACH_CLASS(OglMatrix3x2Variable, reals, NULL, 3, 2, true)                                        \
  EACH_CLASS(OglMatrix2x4Variable, reals, NULL, 2, 4, true)                                        \
  EACH_CLASS(OglMatrix4x2Variable, reals, NULL, 4, 2, true)                                        \
  EACH_CLASS(OglMatrix3x4Variable, reals, NULL, 3, 4, true)                                        \
  EACH_CLASS(OglMatrix4x3Variable, reals, NULL, 4, 3, true)                                        \
  EACH_CLASS(OglMatrix4VectorVariable, mat4s, NULL, 4, 4, true)

typedef struct Shape {
  const SofaClass *klass;
  unsigned columns, rows;
  bool several;
} Shape;

#define SHAPE(name, member, def, c, r, many) {&sofa_##name##_class, c, r, many},
#define DECLARE(name, member, def, c, r, many) extern const SofaClass sofa_##name##_class;
VECTORS(DECLARE)
MATRICES(DECLARE)
static const Shape shapes[] = {VECTORS(SHAPE) MATRICES(SHAPE)};

static const Shape *shape_of(const SofaObject *object) {
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
    if (shapes[i].klass == object->klass) return &shapes[i];
  return &shapes[0];
}

void sofa_ogl_variable_shape(const OglVariable *v, unsigned *columns, unsigned *rows) {
  const Shape *shape = shape_of(&v->element.visual.object);
  *columns = shape->columns;
  *rows = shape->rows;
}

/* The numbers must make whole values. */
static SofaErr init(SofaObject *object) {
  const Shape *shape = shape_of(object);
  const size_t n = sofa_ogl_numbers(object, "value").n, per = (size_t)shape->columns * shape->rows;
  if (n % per == 0 && (shape->several || n == per)) return SOFA_OK;
  return sofa_field_fail(object, "value", SOFA_ERR_RANGE, "%zu numbers, expected %s%zu", n,
                         shape->several ? "a multiple of " : "", per);
}

const SofaClass sofa_ogl_variable_class = {
    .name = "OglVariable",
    .module = "csofa",
    .category = "VisualModel",
    .help = "Numbers for a uniform of a shader.",
    .base = &sofa_shader_element_class,
    .size = sizeof(OglVariable),
    .init = init,
    .reinit = init,
    .abstract = true,
};

typedef OglVariable SofaSelf; /* of SOFA_ROW */

#define VALUE(member, def)                                                                         \
  SOFA_ROW(member, "value", def, "", "value of the uniform",                                       \
           .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_REINIT)
#define TRANSPOSE                                                                                  \
  SOFA_ROW_DISPLAY(transpose, "transpose", "0", "rows follow each other, not columns")
#define CLASS(name_, help_)                                                                        \
  const SofaClass sofa_##name_##_class = {                                                         \
      .name = #name_,                                                                              \
      .module = "Sofa.GL.Component.Shader",                                                        \
      .category = "VisualModel",                                                                   \
      .help = help_,                                                                               \
      .base = &sofa_ogl_variable_class,                                                            \
      .size = sizeof(OglVariable),                                                                 \
      SOFA_FIELDS(name_##_fields),                                                                 \
  };
#define VECTOR_CLASS(name, member, def, c, r, many)                                                \
  static const SofaField name##_fields[] = {VALUE(member, def)};                                   \
  CLASS(name, "Numbers for a uniform of a shader.")
#define MATRIX_CLASS(name, member, def, c, r, many)                                                \
  static const SofaField name##_fields[] = {VALUE(member, def), TRANSPOSE};                        \
  CLASS(name, "Matrices for a uniform of a shader.")

VECTORS(VECTOR_CLASS)
MATRICES(MATRIX_CLASS)
