/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DistanceFromTargetMapping: how far points are from fixed places, |x - t| - rest. */
#include <math.h>
#include "numerics/mapping/map_matrix.h"
#include "numerics/mapping/map_rows.h"
#include "object/checkpoint.h"

typedef struct DistanceFromTargetMapping {
  SofaMapping mapping;
  SofaOption geometric;
  SofaIndices indices;
  SofaReals targets; /* coords of the input's kind */
  SofaReals rest_lengths;
  double show_object_scale;
  SofaColor show_color;
  size_t n_in, n, space; /* space: reals of a place */
  const SofaStateKindInfo *in;
  unsigned width;               /* reals of a target */
  SofaMapRows rows;             /* n: points of the input */
  SofaReals rest;               /* n, [m] */
  SofaReals direction, inverse; /* n x space unit vectors; n: 1 / distance, 0 at the target */
  SofaMapMatrix j;
} DistanceFromTargetMapping;

/* An entry per point of the output; nothing is appended for inserted ones. */
#define PER_OUTPUT(...)                                                                            \
  SOFA_PER(SOFA_ELEMENT_POINT, .state = SOFA_STATE_OUTPUT, .inserted = SOFA_INSERTED_NOTHING,      \
           __VA_ARGS__)

static const SofaField target_fields[] = {
    SOFA_FIELD(DistanceFromTargetMapping, geometric, "geometricStiffness", "Stabilized", "",
               "derivative of the turning forces: left out, exact, or of stretched distances only",
               .options = sofa_geometric_items),
    SOFA_FIELD(DistanceFromTargetMapping, indices, "indices", "", "",
               "points whose distances are measured; default: the first ones, one per target"),
    SOFA_FIELD(DistanceFromTargetMapping, targets, "targetPositions", "", "m",
               "places to measure the distances from: one coordinate of the input's kind each",
               PER_OUTPUT(.width_at = offsetof(DistanceFromTargetMapping, width))),
    SOFA_FIELD(DistanceFromTargetMapping, rest_lengths, "restLengths", "", "m",
               "distances at rest; missing ones are 0"),
    SOFA_FIELD(DistanceFromTargetMapping, show_object_scale, "showObjectScale", "0", "",
               "size of drawing", .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(DistanceFromTargetMapping, show_color, "showColor", "1 1 0 1", "",
               "colour of drawing", .flags = SOFA_FIELD_DISPLAY),
};

static const SofaPrivateList target_lists[] = {
    SOFA_PRIVATE(DistanceFromTargetMapping, rest, PER_OUTPUT(.width = 1)),
};

/* ---- setup ---- */

static SofaErr count(DistanceFromTargetMapping *m) {
  const SofaObject *object = &m->mapping.object;
  m->n = m->targets.n / m->in->coord;
  if (m->targets.n % m->in->coord)
    return sofa_field_fail(object, "targetPositions", SOFA_ERR_RANGE,
                           "%zu numbers are not a list of %s coordinates of %u numbers each",
                           m->targets.n, m->in->name, m->in->coord);
  if (m->indices.n && m->indices.n != m->n)
    return sofa_field_fail(object, "indices", SOFA_ERR_RANGE, "%zu points for %zu targets",
                           m->indices.n, m->n);
  return SOFA_OK;
}

static SofaErr target_setup(SofaMapping *mapping) {
  DistanceFromTargetMapping *m = (DistanceFromTargetMapping *)mapping;
  SofaContext *ctx = mapping->object.ctx;
  m->in = sofa_state_kind_info(mapping->inputs[0]->object.kind);
  m->width = m->in->coord;
  m->space = m->in->rigid ? m->in->space : m->in->coord;
  m->n_in = mapping->inputs[0]->position.n;
  SOFA_TRY(count(m));
  m->rows.width = 1;
  m->rows.input.n = m->rows.point.n = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->rest, m->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->inverse, m->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->direction, m->space * m->n));
  for (size_t i = 0; i < m->n; i++) {
    const uint32_t p = m->indices.n ? m->indices.data[i] : (uint32_t)i;
    if (p >= m->n_in)
      return sofa_field_fail(&mapping->object, "indices", SOFA_ERR_RANGE,
                             "target %zu is for point %u: the input has %zu points", i, p, m->n_in);
    SOFA_TRY(sofa_map_rows_append(ctx, &m->rows, 0, p));
    m->rest.data[i] = i < m->rest_lengths.n ? m->rest_lengths.data[i] : 0;
  }
  return mapping->out->position.n == m->n ? SOFA_OK : sofa_state_resize(mapping->out, m->n);
}

/* ---- operations ---- */

static SofaErr check(const DistanceFromTargetMapping *m) {
  return sofa_mapping_check_sizes(&m->mapping, &m->n_in, m->n);
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t c = 0; c < n; c++) sum += a[c] * b[c];
  return sum;
}

static SofaErr target_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out) {
  DistanceFromTargetMapping *m = (DistanceFromTargetMapping *)mapping;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < m->n; i++) {
    const double *x = at->x[0] + m->in->coord * m->rows.point.data[i];
    const double *t = m->targets.data + m->in->coord * i;
    double *u = m->direction.data + m->space * i;
    for (size_t c = 0; c < m->space; c++) u[c] = x[c] - t[c];
    const double length = sqrt(dot(u, u, m->space));
    const bool there = !(length > 1e-10);
    m->inverse.data[i] = there ? 0 : 1 / length;
    // at the target there is no direction: any will do
    for (size_t c = 0; c < m->space; c++) u[c] = there ? c == 0 : u[c] * m->inverse.data[i];
    x_out[i] = length - m->rest.data[i];
  }
  return SOFA_OK;
}

/* (I - u u^T) f / length, 0 for what would make the system indefinite. */
static double curvature(const DistanceFromTargetMapping *m, size_t i, double f) {
  const bool counts = m->geometric.index == SOFA_GEOMETRIC_EXACT ||
                      (m->geometric.index == SOFA_GEOMETRIC_STABILIZED && f < 0);
  return counts ? f * m->inverse.data[i] : 0;
}

static SofaErr target_apply_djt(SofaMapping *mapping, const SofaPoint *at, double factor,
                                const double *f_out, const double *const *dx_in,
                                double *const *df_in) {
  const DistanceFromTargetMapping *m = (const DistanceFromTargetMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  for (size_t i = 0; i < m->n; i++) {
    const double *u = m->direction.data + m->space * i, b = factor * curvature(m, i, f_out[i]);
    const size_t first = m->in->deriv * m->rows.point.data[i];
    const double along = dot(u, dx_in[0] + first, m->space);
    for (size_t c = 0; c < m->space; c++)
      df_in[0][first + c] += b * (dx_in[0][first + c] - along * u[c]);
  }
  return SOFA_OK;
}

static SofaErr target_add_djt(SofaMapping *mapping, const SofaPoint *at, const double *f_out,
                              const SofaTangent *tangent) {
  const DistanceFromTargetMapping *m = (const DistanceFromTargetMapping *)mapping;
  (void)at;
  SOFA_TRY(check(m));
  if (m->geometric.index == SOFA_GEOMETRIC_NONE) return SOFA_OK;
  for (size_t i = 0; i < m->n; i++) {
    const double *u = m->direction.data + m->space * i, b = curvature(m, i, f_out[i]);
    double block[36] = {0};
    // zeros are added too: the pattern stays
    for (size_t r = 0; r < m->space; r++)
      for (size_t c = 0; c < m->space; c++)
        block[m->in->deriv * r + c] = b * ((r == c) - u[r] * u[c]);
    sofa_tangent_add(tangent, 0, m->rows.point.data[i], 0, m->rows.point.data[i], block);
  }
  return SOFA_OK;
}

static SofaErr target_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                               SofaJacobian *out) {
  DistanceFromTargetMapping *m = (DistanceFromTargetMapping *)mapping;
  (void)at, (void)k;
  SOFA_TRY(check(m));
  SOFA_TRY(sofa_map_matrix_begin(mapping->object.ctx, &m->j, m->n, m->n_in * m->in->deriv,
                                 m->n * m->space));
  for (size_t i = 0; i < m->n; i++) {
    sofa_map_matrix_row(&m->j);
    for (size_t c = 0; c < m->space; c++)
      sofa_map_matrix_entry(&m->j, m->in->deriv * m->rows.point.data[i] + c,
                            m->direction.data[m->space * i + c]);
  }
  sofa_map_matrix_end(&m->j, out);
  return SOFA_OK;
}

static void target_destroy(SofaObject *object) {
  DistanceFromTargetMapping *m = (DistanceFromTargetMapping *)object;
  sofa_map_rows_free(object->ctx, &m->rows);
  sofa_list_free(object->ctx, &m->direction);
  sofa_list_free(object->ctx, &m->inverse);
  sofa_map_matrix_free(object->ctx, &m->j);
}

/* Distances are removed with their points, each with its target. */
static SofaErr target_listen(SofaObject *object, const SofaTopologyChange *change) {
  DistanceFromTargetMapping *m = (DistanceFromTargetMapping *)object;
  return sofa_map_rows_listen(&m->rows, &m->mapping, change);
}

static SofaErr target_done(SofaObject *object) {
  DistanceFromTargetMapping *m = (DistanceFromTargetMapping *)object;
  SofaContext *ctx = object->ctx;
  m->n = sofa_map_rows_n(&m->rows);
  m->n_in = m->mapping.inputs[0]->position.n;
  if (m->targets.n != m->in->coord * m->n)
    return sofa_object_unsupported(object, "an inserted distance without a target");
  // the fields have the current indices
  SOFA_TRY(sofa_change_write_field(object, "indices", &m->indices, &m->rows.point));
  SOFA_TRY(sofa_list_copy(ctx, &m->rest_lengths, &m->rest, sizeof *m->rest.data));
  sofa_field_touch_name(object, "restLengths");
  sofa_field_touch_name(object, "targetPositions");
  sofa_map_matrix_free(ctx, &m->j);
  return sofa_mapping_put(&m->mapping);
}

static const SofaTopologyListenerOps listener = {
    .listen = target_listen, .done = target_done, .moves_output = true};

static const char *target_approximation(const SofaMapping *mapping) {
  return sofa_geometric_approximation(
      ((const DistanceFromTargetMapping *)mapping)->geometric.index);
}

static const SofaMappingOps target_ops = {
    .setup = target_setup,
    .apply = target_apply,
    .apply_djt = target_apply_djt,
    .approximation = target_approximation,
    .add_djt = target_add_djt,
    .jacobian = target_jacobian,
    .keeps_point = true,
};

static const char *const target_templates[] = {"Vec3d,Vec1d", "Vec1d,Vec1d", "Rigid3d,Vec1d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(DistanceFromTargetMapping, direction),
    SOFA_REMADE(DistanceFromTargetMapping, inverse),
    SOFA_REMADE(DistanceFromTargetMapping, j),
};

SOFA_CLASS(DistanceFromTargetMapping) = {
    SOFA_NAMED(DistanceFromTargetMapping),
    .module = "Sofa.Component.Mapping.NonLinear",
    .category = "Mapping",
    .help = "Maps points (or origins of frames) to their distances from fixed places.",
    .equations = "y = |x - t| - l_0\n"
                 "\"t: target, l_0: rest length\"",
    .base = &sofa_mapping_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(target_fields),
    SOFA_PRIVATE_LISTS(target_lists),
    .templates = target_templates,
    .destroy = target_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &target_ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
