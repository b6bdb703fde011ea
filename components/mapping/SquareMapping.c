/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SquareMapping: x_out = x_in^2 for single numbers. */
#include "change/topology_change.h"
#include "numerics/mapping/map_matrix.h"
#include "object/checkpoint.h"

typedef struct SquareMapping {
  SofaMapping mapping;
  SofaOption geometric;
  size_t n;
  SofaMapMatrix j;
} SquareMapping;

/* Stabilized is not a choice here. */
static const char *const items[] = {"None", "Exact", NULL};

static const SofaField square_fields[] = {
    SOFA_FIELD(SquareMapping, geometric, "geometricStiffness", "Exact", "",
               "derivative of the changing factor 2 x: left out, or exact", .options = items),
};

static SofaErr square_setup(SofaMapping *mapping) {
  SquareMapping *m = (SquareMapping *)mapping;
  m->n = mapping->inputs[0]->position.n;
  return mapping->out->position.n == m->n ? SOFA_OK : sofa_state_resize(mapping->out, m->n);
}

static SofaErr check(const SquareMapping *m) {
  return sofa_mapping_check_sizes(&m->mapping, &m->n, m->n);
}

static SofaErr square_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  const SquareMapping *m = (const SquareMapping *)mapping;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < m->n; i++) x_out[i] = at->x[0][i] * at->x[0][i];
  return SOFA_OK;
}

static SofaErr square_apply_djt(SofaMapping *mapping, const SofaPoint *at, double factor,
                                const double *f_out, const double *const *dx_in,
                                double *const *df_in) {
  const SquareMapping *m = (const SquareMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  if (m->geometric.index == SOFA_GEOMETRIC_NONE) return SOFA_OK;
  for (size_t i = 0; i < m->n; i++) df_in[0][i] += factor * 2 * f_out[i] * dx_in[0][i];
  return SOFA_OK;
}

static SofaErr square_add_djt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                              const SofaTangent *tangent) {
  const SquareMapping *m = (const SquareMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  if (m->geometric.index == SOFA_GEOMETRIC_NONE) return SOFA_OK;
  for (uint32_t i = 0; i < m->n; i++) {
    const double block = 2 * f_out[i];
    sofa_tangent_add(tangent, 0, i, 0, i, &block);
  }
  return SOFA_OK;
}

static SofaErr square_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                               SofaJacobian *out) {
  SquareMapping *m = (SquareMapping *)mapping;
  (void)k;
  SOFA_TRY(check(m));
  SOFA_TRY(sofa_map_matrix_begin(mapping->object.ctx, &m->j, m->n, m->n, m->n));
  for (size_t i = 0; i < m->n; i++) {
    sofa_map_matrix_row(&m->j);
    sofa_map_matrix_entry(&m->j, i, 2 * at->x[0][i]);
  }
  sofa_map_matrix_end(&m->j, out);
  return SOFA_OK;
}

static void square_destroy(SofaObject *object) {
  sofa_map_matrix_free(object->ctx, &((SquareMapping *)object)->j);
}

static const char *square_approximation(const SofaMapping *mapping) {
  return sofa_geometric_approximation(((const SquareMapping *)mapping)->geometric.index);
}

static const SofaMappingOps square_ops = {
    .setup = square_setup,
    .apply = square_apply,
    .apply_djt = square_apply_djt,
    .approximation = square_approximation,
    .add_djt = square_add_djt,
    .jacobian = square_jacobian,
};

static const char *const square_templates[] = {"Vec1d,Vec1d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SquareMapping, j),
};

SOFA_CLASS(SquareMapping) = {
    SOFA_NAMED(SquareMapping),
    .module = "Sofa.Component.Mapping.NonLinear",
    .category = "Mapping",
    .help = "Maps single numbers to their squares.",
    .equations = "y = x^2",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(square_fields),
    .templates = square_templates,
    .destroy = square_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &square_ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_per_point}),
};
