/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points as weighted sums of points: the operations. */
#include "numerics/mapping/weighted_points.h"

static SofaErr check(const SofaWeightedPoints *m) {
  return sofa_mapping_check_sizes(&m->mapping, &m->weights.n_in, m->weights.n_out);
}

void sofa_weighted_points_destroy(SofaObject *object) {
  SofaWeightedPoints *m = (SofaWeightedPoints *)object;
  sofa_point_weights_free(object->ctx, &m->weights);
  sofa_list_free(object->ctx, &m->offset);
}

SofaErr sofa_weighted_points_finish(SofaWeightedPoints *m) {
  SofaState *out = m->mapping.out;
  SOFA_TRY(sofa_point_weights_finish(m->mapping.object.ctx, &m->weights, true));
  return out->position.n == m->weights.n_out ? SOFA_OK : sofa_state_resize(out, m->weights.n_out);
}

SofaErr sofa_weighted_points_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  const SofaWeightedPoints *m = (const SofaWeightedPoints *)mapping;
  SOFA_TRY(check(m));
  sofa_point_weights_apply(&m->weights, mapping->object.ctx, at->x[0], x_out, 3);
  for (size_t i = 0; i < m->offset.n; i++)
    for (size_t c = 0; c < 3; c++) x_out[3 * i + c] += m->offset.data[i].v[c];
  return SOFA_OK;
}

SofaErr sofa_weighted_points_apply_j(SofaMapping *mapping, const SofaPoint *at,
                                     const double *const *v, double *out) {
  const SofaWeightedPoints *m = (const SofaWeightedPoints *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  sofa_point_weights_apply(&m->weights, mapping->object.ctx, v[0], out, 3);
  return SOFA_OK;
}

SofaErr sofa_weighted_points_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f,
                                      double *const *in) {
  const SofaWeightedPoints *m = (const SofaWeightedPoints *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  sofa_point_weights_add_transposed(&m->weights, mapping->object.ctx, f, 3, in[0]);
  return SOFA_OK;
}

SofaErr sofa_weighted_points_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                      SofaJacobian *out) {
  SofaWeightedPoints *m = (SofaWeightedPoints *)mapping;
  (void)at, (void)k;
  SOFA_TRY(check(m));
  return sofa_point_weights_matrix(mapping->object.ctx, &m->weights, 3, out);
}

static SofaErr done(SofaObject *object) {
  SofaMapping *mapping = (SofaMapping *)object;
  SofaWeightedPoints *m = (SofaWeightedPoints *)mapping;
  const size_t n = mapping->out->position.n;
  SOFA_TRY(sofa_mapping_ops(mapping)->setup(mapping));
  if (m->weights.n_out != n)
    return sofa_object_unsupported(object,
                                   "an output ('%s') outside the node of the topological mapping's "
                                   "output, while elements change",
                                   mapping->out->object.name);
  return sofa_mapping_put(mapping);
}

const SofaTopologyListenerOps sofa_weighted_points_listener = {.done = done};
