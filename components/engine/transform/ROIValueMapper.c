/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ROIValueMapper: a list in which the entries of each region have its value. */
#include "components/engine/engine.h"

typedef struct ROIValueMapper {
  SofaObject object;
  uint32_t n_rois;
  SofaReals output;
  double default_value;
} ROIValueMapper;

typedef ROIValueMapper SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(n_rois, "nbROIs", "0", "", "number of regions"),
    SOFA_ROW_OUTPUT(output, "outputValues", "",
                    "value of each entry, up to the largest index; the last region counts"),
    SOFA_ROW_INPUT(default_value, "defaultValue", "0", "", "value of entries in no region"),
};

enum { INDICES, VALUE };

static const SofaFieldFamily families[] = {
    [INDICES] = ENGINE_INPUTS(indices, "indices", "nbROIs", "", "entries of a region"),
    [VALUE] = ENGINE_INPUTS(real, "value", "nbROIs", "", "value of a region"),
};

static SofaErr update(SofaObject *object) {
  ROIValueMapper *m = (ROIValueMapper *)object;
  m->output.n = 0;
  for (size_t j = 0; j < sofa_family_n(object, INDICES); j++) {
    const SofaIndices *list = sofa_family_value(object, INDICES, j);
    const double value = *(const double *)sofa_family_value(object, VALUE, j);
    const SofaElements indices = {list->data, list->n, 1};
    SOFA_TRY(engine_check(object, "indices", indices, INT32_MAX, "entries at most"));
    for (size_t i = 0; i < list->n; i++) {
      while (m->output.n <= list->data[i])
        SOFA_TRY(SOFA_APPEND(object->ctx, &m->output, &m->default_value));
      m->output.data[list->data[i]] = value;
    }
  }
  return SOFA_OK;
}

ENGINE_CLASS(ROIValueMapper, "Transform", "Makes a list of values from regions with a value each.",
             ENGINE_FAMILIES, .init = engine_init, );
