/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What mechanical loads share: values of a kind, indices, ranges. */
#include "components/mechanicalload/load.h"

SofaErr load_take_value(const SofaObject *object, const char *field, SofaReals *value, size_t n) {
  if (value->n != n && sofa_field_is_set(object, field)) {
    const SofaErr err = sofa_field_fail(object, field, SOFA_ERR_ARGUMENT,
                                        "has %zu numbers, expected %zu", value->n, n);
    if (!object->ctx->keep_going) return err;
  }
  return SOFA_RESIZE(object->ctx, value, n);
}

SofaErr load_check_indices(const SofaForceField *ff, const char *field,
                           const SofaIndices *indices) {
  const size_t n = load_n_points(ff);
  for (size_t k = 0; k < indices->n; k++)
    if (indices->data[k] >= n)
      return sofa_field_fail(&ff->object, field, SOFA_ERR_RANGE,
                             "index %u is not a point of the state, which has %zu points",
                             indices->data[k], n);
  return SOFA_OK;
}

void load_range(const SofaInts *range, size_t n, size_t *first, size_t *end) {
  *first = 0;
  *end = n;
  if (range->n > 0 && range->data[0] >= 0) *first = (size_t)range->data[0];
  if (range->n > 1 && range->data[1] >= 0 && (size_t)range->data[1] + 1 < n)
    *end = (size_t)range->data[1] + 1;
  if (*first > *end) *first = *end;
}
