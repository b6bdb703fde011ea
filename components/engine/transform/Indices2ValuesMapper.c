/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Indices2ValuesMapper: replaces numbers of a list by the values they stand for. */
#include "components/engine/engine.h"

typedef struct Indices2ValuesMapper {
  SofaObject object;
  SofaReals input, indices, values, output;
  double default_value;
} Indices2ValuesMapper;

typedef Indices2ValuesMapper SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(input, "inputValues", NULL, "", "numbers to replace"),
    SOFA_ROW_INPUT(indices, "indices", NULL, "", "numbers that have a value"),
    SOFA_ROW_INPUT(values, "values", NULL, "", "the value of each of these; as many as indices"),
    SOFA_ROW_OUTPUT(output, "outputValues", "", "value of each number"),
    SOFA_ROW_INPUT(default_value, "defaultValue", "1", "", "value of the other numbers"),
};

static double value_of(const Indices2ValuesMapper *e, double number) {
  for (size_t j = 0; j < e->indices.n; j++)
    if (!(number < e->indices.data[j]) && !(number > e->indices.data[j])) return e->values.data[j];
  return e->default_value;
}

static SofaErr update(SofaObject *object) {
  Indices2ValuesMapper *e = (Indices2ValuesMapper *)object;
  SOFA_TRY(engine_check_same(object, "values", e->values.n, e->indices.n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &e->output, e->input.n));
  for (size_t i = 0; i < e->input.n; i++) e->output.data[i] = value_of(e, e->input.data[i]);
  return SOFA_OK;
}

ENGINE_CLASS(Indices2ValuesMapper, "Transform", "Replaces numbers by the values they refer to.",
             .templates = engine_vec3_templates, .init = engine_init, );
