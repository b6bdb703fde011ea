/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IdentityMapping: the output has the points of the input. The template of a mapping. */
#include "behavior/mapping.h"
#include "behavior/state_division.h"
#include "change/topology_change.h"
#include "object/checkpoint.h"

typedef struct IdentityMapping {
  SofaMapping mapping;
  size_t n; /* points */
  /* reals per point of input and output (the first of the input's): positions, velocities */
  size_t in_coord, out_coord, in_deriv, out_deriv;
  /* the Jacobian, made when first asked for */
  SofaIndices j_start, j_column;
  SofaReals j_value;
} IdentityMapping;

static SofaErr identity_setup(SofaMapping *mapping) {
  IdentityMapping *m = (IdentityMapping *)mapping;
  const SofaStateKindInfo *in = sofa_state_kind_info(mapping->inputs[0]->object.kind);
  const SofaStateKindInfo *out = sofa_state_kind_info(mapping->out->object.kind);
  m->n = mapping->inputs[0]->position.n;
  m->j_start.n = 0; // the Jacobian is made again
  m->in_coord = in->coord;
  m->in_deriv = in->deriv;
  m->out_coord = out->coord;
  m->out_deriv = out->deriv;
  if (mapping->out->position.n != m->n) SOFA_TRY(sofa_state_resize(mapping->out, m->n));
  mapping->out->division = sofa_state_division(mapping->inputs[0]);
  return SOFA_OK;
}

/* Copies the first n of the reals of every point. */
static void copy(size_t n_points, const double *from, size_t from_stride, double *to, size_t n) {
  if (from_stride == n) {
    sofa_copy(to, from, n_points * n * sizeof *to);
    return;
  }
  for (size_t i = 0; i < n_points; i++)
    for (size_t c = 0; c < n; c++) to[n * i + c] = from[from_stride * i + c];
}

static SofaErr identity_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  const IdentityMapping *m = (const IdentityMapping *)mapping;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n, m->n));
  copy(m->n, at->x[0], m->in_coord, x_out, m->out_coord);
  return SOFA_OK;
}

static SofaErr identity_apply_j(SofaMapping *mapping, const SofaPoint *at,
                                const double *const *v_in, double *v_out) {
  const IdentityMapping *m = (const IdentityMapping *)mapping;
  (void)at;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n, m->n));
  copy(m->n, v_in[0], m->in_deriv, v_out, m->out_deriv);
  return SOFA_OK;
}

static SofaErr identity_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                                 double *const *f_in) {
  const IdentityMapping *m = (const IdentityMapping *)mapping;
  (void)at;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n, m->n));
  double *to = f_in[0];
  for (size_t i = 0; i < m->n; i++)
    for (size_t c = 0; c < m->out_deriv; c++)
      to[m->in_deriv * i + c] += f_out[m->out_deriv * i + c];
  return SOFA_OK;
}

static SofaErr make_jacobian(IdentityMapping *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  const size_t rows = m->n * m->out_deriv;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->j_column, rows));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->j_value, rows));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->j_start, rows + 1));
  for (size_t row = 0; row <= rows; row++) m->j_start.data[row] = (uint32_t)row;
  for (size_t row = 0; row < rows; row++) {
    m->j_column.data[row] = (uint32_t)(m->in_deriv * (row / m->out_deriv) + row % m->out_deriv);
    m->j_value.data[row] = 1;
  }
  return SOFA_OK;
}

static SofaErr identity_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                 SofaJacobian *out) {
  IdentityMapping *m = (IdentityMapping *)mapping;
  (void)at, (void)k;
  SOFA_TRY(sofa_mapping_check_sizes(mapping, &m->n, m->n));
  if (m->j_start.n != m->n * m->out_deriv + 1) SOFA_TRY(make_jacobian(m));
  *out = (SofaJacobian){.n_rows = m->n * m->out_deriv,
                        .n_columns = m->n * m->in_deriv,
                        .start = m->j_start.data,
                        .column = m->j_column.data,
                        .value = m->j_value.data};
  return SOFA_OK;
}

static void identity_destroy(SofaObject *object) {
  IdentityMapping *m = (IdentityMapping *)object;
  sofa_list_free(object->ctx, &m->j_start);
  sofa_list_free(object->ctx, &m->j_column);
  sofa_list_free(object->ctx, &m->j_value);
}

static const SofaMappingOps identity_ops = {
    .setup = identity_setup,
    .apply = identity_apply,
    .apply_j = identity_apply_j,
    .apply_jt = identity_apply_jt,
    .jacobian = identity_jacobian,
    .linear = true,
};

static const char *const identity_templates[] = {
    "Vec3d,Vec3d", "Rigid2d,Rigid2d", "Rigid2d,Vec2d", "Rigid3d,Rigid3d", "Rigid3d,Vec3d",
    "Vec1d,Vec1d", "Vec2d,Vec2d",     "Vec6d,Vec3d",   "Vec6d,Vec6d",     NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(IdentityMapping, j_column),
    SOFA_REMADE(IdentityMapping, j_start),
    SOFA_REMADE(IdentityMapping, j_value),
};

SOFA_CLASS(IdentityMapping) = {
    SOFA_NAMED(IdentityMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "The output has the points of the input: as many, at the same places. From frames to "
            "points it takes the origins, from 6 numbers the first 3.",
    .equations = "y_i = x_i",
    .base = &sofa_mapping_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_SPARES(spared),
    .templates = identity_templates,
    .destroy = identity_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &identity_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_per_point}),
};
