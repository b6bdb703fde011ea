/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks that components make at init and that rows of fields cannot say. */
#include "behavior/checks.h"

SofaErr sofa_check_element(const SofaObject *object, const char *what, size_t id, const uint32_t *v,
                           unsigned n_vertices, size_t n_points) {
  for (unsigned k = 0; k < n_vertices; k++)
    if (v[k] >= n_points)
      return sofa_object_fail(object, SOFA_ERR_RANGE,
                              "%s %zu of the topology has vertex %u, but the state has %zu points",
                              what, id, v[k], n_points);
  return SOFA_OK;
}

SofaErr sofa_check_elements(const SofaObject *object, SofaElementKind kind, SofaElements elements,
                            size_t n_points) {
  const char *what = sofa_element_kind_info(kind)->name;
  for (size_t e = 0; e < elements.n; e++)
    SOFA_TRY(sofa_check_element(object, what, e, elements.v + e * elements.width, elements.width,
                                n_points));
  return SOFA_OK;
}

SofaErr sofa_keep_going(const SofaObject *object, SofaErr err) {
  return object->ctx->keep_going && err != SOFA_ERR_MEMORY ? SOFA_OK : err;
}

SofaErr sofa_take_reals(const SofaObject *object, const char *field, SofaReals *value, size_t n) {
  if (value->n != n && sofa_field_is_set(object, field))
    SOFA_TRY(
        sofa_keep_going(object, sofa_field_fail(object, field, SOFA_ERR_ARGUMENT,
                                                "has %zu numbers, expected %zu", value->n, n)));
  return SOFA_RESIZE(object->ctx, value, n);
}
