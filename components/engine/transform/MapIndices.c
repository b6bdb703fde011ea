/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MapIndices: renumbers indices and elements. */
#include "components/engine/engine.h"

typedef struct MapIndices {
  SofaObject object;
  SofaIndices indices;
  char *text;
  bool transpose;
} MapIndices;

typedef MapIndices SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(indices, "indices", NULL, "",
                   "old number of each new one; with transpose new number of each old one"),
    SOFA_ROW_OUTPUT(text, "outStr", "", "the new indices, as text"),
    SOFA_ROW_INPUT(transpose, "transpose", "0", "", "use the mapping the other way"),
};

enum { IN, OUT };

static const SofaFieldFamily families[] = {
    [IN] = ENGINE_TEMPLATE_INPUT("in", "indices or elements to renumber", NULL),
    [OUT] = ENGINE_TEMPLATE_OUTPUT(
        "out", "the same with new numbers; numbers that are not mapped are kept", NULL),
};

/* Of several entries with the same old number the last one counts. */
static uint32_t mapped(const MapIndices *m, uint32_t index) {
  if (m->transpose) return index < m->indices.n ? m->indices.data[index] : index;
  for (size_t i = m->indices.n; i-- > 0;)
    if (m->indices.data[i] == index) return (uint32_t)i;
  return index;
}

static SofaErr update(SofaObject *object) {
  MapIndices *m = (MapIndices *)object;
  const SofaType *type = sofa_family_type(object, IN);
  void *out = sofa_family_value(object, OUT, 0);
  SOFA_TRY(sofa_type_copy(type, object->ctx, sofa_family_value(object, IN, 0), out));
  uint32_t *v = engine_entry(type, out, 0);
  for (size_t i = 0; i < engine_list_n(out) * type->width; i++) v[i] = mapped(m, v[i]);
  return engine_print(object->ctx, type, out, &m->text);
}

static const char *const templates[] = {
    "I", "fixed_array<I,2>", "fixed_array<I,3>", "fixed_array<I,4>", "fixed_array<I,8>", "i", NULL};

ENGINE_CLASS(MapIndices, "Transform", "Renumbers indices and elements.", ENGINE_FAMILIES,
             .templates = templates, .init = engine_init, );
