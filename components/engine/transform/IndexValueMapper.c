/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IndexValueMapper: a list of values in which chosen entries have one value. */
#include "object/data_graph.h"

typedef struct IndexValueMapper {
  SofaObject object;
  SofaReals input, output;
  SofaIndices indices;
  double value, default_value;
} IndexValueMapper;

static const SofaField fields[] = {
    SOFA_FIELD(IndexValueMapper, input, "inputValues", NULL, "", "values to start from",
               .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(IndexValueMapper, indices, "indices", NULL, "", "entries that get the value",
               .flags = SOFA_FIELD_INPUT, .range = SOFA_WITHIN(0, INT32_MAX - 1)),
    SOFA_FIELD(IndexValueMapper, value, "value", "0", "", "value of these entries",
               .flags = SOFA_FIELD_INPUT),
    SOFA_FIELD(IndexValueMapper, output, "outputValues", NULL, "",
               "the values, as many as inputValues has and the largest index needs",
               .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(IndexValueMapper, default_value, "defaultValue", "1", "",
               "value of entries beyond inputValues", .flags = SOFA_FIELD_INPUT),
};

static SofaErr mapper_update(SofaObject *object) {
  IndexValueMapper *m = (IndexValueMapper *)object;
  size_t n = m->input.n;
  for (size_t i = 0; i < m->indices.n; i++) {
    if (m->indices.data[i] >= n) n = (size_t)m->indices.data[i] + 1;
  }
  SOFA_TRY(SOFA_RESIZE(object->ctx, &m->output, n));
  for (size_t i = 0; i < n; i++)
    m->output.data[i] = i < m->input.n ? m->input.data[i] : m->default_value;
  for (size_t i = 0; i < m->indices.n; i++) m->output.data[m->indices.data[i]] = m->value;
  return SOFA_OK;
}

static SofaErr mapper_init(SofaObject *object) {
  return sofa_data_update(object);
}

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(IndexValueMapper) = {
    SOFA_NAMED(IndexValueMapper), .module = "Sofa.Component.Engine.Transform",
    .category = "Engine",         .help = "Gives chosen entries of a list of values one value.",
    .base = &sofa_object_class,   SOFA_FIELDS(fields),
    .templates = templates,       .init = mapper_init,
    .update = mapper_update,      SOFA_IMPLEMENTS({SOFA_ENGINE, SOFA_NO_OPS}),
};
