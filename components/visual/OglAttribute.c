/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglAttribute: the classes of numbers per vertex that are given to a shader. */
#include "components/visual/shader.h"

/* X(class, member, numbers per vertex) */
#define ATTRIBUTES(EACH_CLASS)                                                                     \
  EACH_CLASS(OglFloatAttribute, reals, 1)                                                          \
  EACH_CLASS(OglFloat2Attribute, vec2s, 2)                                                         \
  EACH_CLASS(OglFloat3Attribute, vec3s, 3)                                                         \
  EACH_CLASS(OglFloat4Attribute, vec4s, 4)                                                         \
  EACH_CLASS(OglIntAttribute, ints, 1)                                                             \
  EACH_CLASS(OglInt2Attribute, ints, 2)                                                            \
  EACH_CLASS(OglInt3Attribute, ints, 3)                                                            \
  EACH_CLASS(OglInt4Attribute, ints, 4)                                                            \
  EACH_CLASS(OglUIntAttribute, indices, 1)                                                         \
  EACH_CLASS(OglUInt2Attribute, indices, 2)                                                        \
  EACH_CLASS(OglUInt3Attribute, indices, 3)                                                        \
  EACH_CLASS(OglUInt4Attribute, indices, 4)

#define DECLARE(name, member, width) extern const SofaClass sofa_##name##_class;
ATTRIBUTES(DECLARE)

unsigned sofa_ogl_attribute_width(const OglAttribute *attribute) {
#define WIDTH(name, member, width) {&sofa_##name##_class, width},
  static const struct {
    const SofaClass *klass;
    unsigned width;
  } widths[] = {ATTRIBUTES(WIDTH)};
  for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
    if (widths[i].klass == attribute->element.visual.object.klass) return widths[i].width;
  return 1;
}

static SofaErr init(SofaObject *object) {
  const unsigned width = sofa_ogl_attribute_width((const OglAttribute *)object);
  const size_t n = sofa_ogl_numbers(object, "value").n;
  if (n % width == 0) return SOFA_OK;
  return sofa_field_fail(object, "value", SOFA_ERR_RANGE, "%zu numbers, expected a multiple of %u",
                         n, width);
}

typedef OglAttribute SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(
        dynamic, "handleDynamicTopology", "1",
        "follow topological changes; link the value to a field that follows them instead"),
};

const SofaClass sofa_ogl_attribute_class = {
    .name = "OglAttribute",
    .module = "csofa",
    .category = "VisualModel",
    .help = "Numbers per vertex for an attribute of a shader.",
    .base = &sofa_shader_element_class,
    .size = sizeof(OglAttribute),
    SOFA_FIELDS(fields),
    .init = init,
    .reinit = init,
    .abstract = true,
};

#define CLASS(name_, member_, width_)                                                              \
  static const SofaField name_##_fields[] = {                                                      \
      SOFA_ROW(member_, "value", NULL, "", "values of the attribute, " #width_ " per vertex",      \
               .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_REINIT)};                                  \
  const SofaClass sofa_##name_##_class = {                                                         \
      .name = #name_,                                                                              \
      .module = "Sofa.GL.Component.Shader",                                                        \
      .category = "VisualModel",                                                                   \
      .help = "Numbers per vertex for an attribute of a shader.",                                  \
      .base = &sofa_ogl_attribute_class,                                                           \
      .size = sizeof(OglAttribute),                                                                \
      SOFA_FIELDS(name_##_fields),                                                                 \
  };

ATTRIBUTES(CLASS)
