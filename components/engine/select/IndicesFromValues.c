/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IndicesFromValues: the indices of values in a list. */
#include "components/engine/engine.h"

enum { QUIRK_OTHER_INDICES = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_OTHER_INDICES, "other-indices",
     "IndicesFromValues lists other indices once per value, or not at all",
     "test_quirks_sets.engines"},
};

typedef struct IndicesFromValues {
  SofaObject object;
  SofaIndices indices, others;
  bool all;
} IndicesFromValues;

typedef IndicesFromValues SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_OUTPUT(indices, "indices", "",
                    "entry of global for each value, in the order of values"),
    SOFA_ROW_OUTPUT(others, "otherIndices", "", "entries of global that are not among the values"),
    SOFA_ROW_INPUT(all, "recursiveSearch", "0", "",
                   "give all entries that equal a value, not only the first"),
};

enum { VALUES, GLOBAL };

static const SofaFieldFamily families[] = {
    [VALUES] = ENGINE_TEMPLATE_INPUT("values", "values to look for", NULL),
    [GLOBAL] = ENGINE_TEMPLATE_INPUT("global", "values to look in", NULL),
};

typedef struct Lists {
  const SofaType *type;
  const void *values, *global;
  size_t n_values, n_global;
} Lists;

static bool equal(const Lists *l, size_t i, size_t j) {
  return engine_compare(l->type, engine_entry(l->type, l->values, i),
                        engine_entry(l->type, l->global, j)) == 0;
}

static SofaErr find(IndicesFromValues *e, const Lists *l, size_t i) {
  bool found = false;
  for (size_t j = 0; j < l->n_global && (e->all || !found); j++) {
    if (!equal(l, i, j)) continue;
    SOFA_TRY(engine_append(e->object.ctx, &e->indices, j));
    found = true;
  }
  if (found || e->all) return SOFA_OK;
  return sofa_field_fail(&e->object, "values", SOFA_ERR_NOT_FOUND, "value %zu is not in global", i);
}

/* As SOFA fills the list: nothing, or the other entries once for every value. */
static SofaErr list_others_as_sofa(IndicesFromValues *e, const Lists *l) {
  for (size_t i = 0; e->all && i < l->n_values; i++)
    for (size_t j = 0; j < l->n_global; j++)
      if (!equal(l, i, j)) SOFA_TRY(engine_append(e->object.ctx, &e->others, j));
  return SOFA_OK;
}

static SofaErr list_others(IndicesFromValues *e, const Lists *l) {
  for (size_t j = 0; j < l->n_global; j++) {
    size_t i = 0;
    while (i < l->n_values && !equal(l, i, j)) i++;
    if (i == l->n_values) SOFA_TRY(engine_append(e->object.ctx, &e->others, j));
  }
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  IndicesFromValues *e = (IndicesFromValues *)object;
  Lists l = {sofa_family_type(object, VALUES), sofa_family_value(object, VALUES, 0),
             sofa_family_value(object, GLOBAL, 0), 0, 0};
  l.n_values = engine_list_n(l.values);
  l.n_global = engine_list_n(l.global);
  e->indices.n = e->others.n = 0;
  for (size_t i = 0; i < l.n_values; i++) {
    const SofaErr err = find(e, &l, i);
    // SOFA leaves the value out
    if (err && (err != SOFA_ERR_NOT_FOUND || !object->ctx->keep_going)) return err;
  }
  return sofa_quirk(object, QUIRK_OTHER_INDICES) ? list_others_as_sofa(e, &l) : list_others(e, &l);
}

static const char *const templates[] = {"I",
                                        "Vec2d",
                                        "Vec3d",
                                        "d",
                                        "fixed_array<I,2>",
                                        "fixed_array<I,3>",
                                        "fixed_array<I,4>",
                                        "fixed_array<I,8>",
                                        "i",
                                        "string",
                                        NULL};

ENGINE_CLASS(IndicesFromValues, "Select", "Finds the indices of values in a list.", ENGINE_FAMILIES,
             SOFA_QUIRKS(quirks), .templates = templates, .init = engine_init, );
