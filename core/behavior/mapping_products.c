/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations of mappings at evaluation points: data of a point, kept Jacobians, default products.
 */
#include "behavior/mapping.h"

/* The Jacobian of an input at a point. */
struct SofaKeptJacobian {
  uint64_t point; /* 0: none */
  SofaJacobian j;
};

/* The "point" of a Jacobian that is the same everywhere. */
#define EVERYWHERE UINT64_MAX

/* Below this number of rows threads cost more than they bring. */
enum { PARALLEL_FROM = 8192 };

void sofa_mapping_forget(SofaMapping *map) {
  map->kept_point = 0;
  for (size_t k = 0; k < map->n_kept; k++) map->kept[k].point = 0;
}

void sofa_mapping_free(SofaMapping *map) {
  SofaContext *ctx = map->object.ctx;
  sofa_free(ctx, map->kept);
  sofa_free(ctx, map->inputs);
  map->kept = NULL;
  map->inputs = NULL;
  map->n_kept = map->n_inputs = 0;
}

SofaErr sofa_mapping_point(const SofaMapping *map, SofaPoint *out) {
  SofaContext *ctx = map->object.ctx;
  const size_t n = map->n_inputs;
  const double **x = SOFA_SCRATCH(ctx, const double *, 2 * n + 1);
  if (!x) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < n; k++) {
    const SofaState *in = map->inputs[k];
    x[k] = in->position.data;
    x[n + k] = in->velocity.n == in->position.n ? in->velocity.data : NULL;
  }
  *out = (SofaPoint){.x = x, .v = x + n, .n = n, .id = sofa_point_id(ctx)};
  if (map->object.node) out->time = map->object.node->time;
  return SOFA_OK;
}

/* ---- data of a point ---- */

/* Applies a class that keeps data of the point, for the data. */
static SofaErr apply_aside(SofaMapping *map, const SofaPoint *at) {
  SofaContext *ctx = map->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const SofaState *out = map->out;
  double *x =
      SOFA_SCRATCH(ctx, double, out->position.n *sofa_state_kind_info(out->object.kind)->coord + 1);
  const SofaErr err = x ? sofa_mapping_ops(map)->apply(map, at, x) : SOFA_ERR_MEMORY;
  sofa_scratch_release(ctx, mark);
  return err;
}

/* Does the class hold data of this point? If not, it computes them. */
static SofaErr see_point(SofaMapping *map, const SofaPoint *at) {
  if (!sofa_mapping_ops(map)->keeps_point || sofa_mapping_is_constant(map)) return SOFA_OK;
  if (at->id && map->kept_point == at->id) return SOFA_OK;
  map->kept_point = 0;
  SOFA_TRY(apply_aside(map, at));
  map->kept_point = at->id;
  return SOFA_OK;
}

/* ---- positions ---- */

static size_t deriv_of(const SofaState *s) {
  return sofa_state_kind_info(s->object.kind)->deriv;
}

/* Row r of J times the places of an input. */
static double row_of_places(const SofaJacobian *j, size_t r, const SofaStateKindInfo *in,
                            const double *x, double sum) {
  if (in->coord == in->deriv) {
    for (uint32_t e = j->start[r]; e < j->start[r + 1]; e++) sum += j->value[e] * x[j->column[e]];
    return sum;
  }
  for (uint32_t e = j->start[r]; e < j->start[r + 1]; e++)
    sum += j->value[e] * x[in->coord * (j->column[e] / in->deriv) + j->column[e] % in->deriv];
  return sum;
}

/* Adds J_k x_k to the places of the output; those of the first input replace them. */
static SofaErr add_places(SofaMapping *map, const SofaPoint *at, size_t k, double *x_out) {
  const SofaStateKindInfo *in = sofa_state_kind_info(map->inputs[k]->object.kind);
  const SofaStateKindInfo *out = sofa_state_kind_info(map->out->object.kind);
  const size_t space = out->rigid ? out->space : out->coord;
  SofaJacobian j;
  SOFA_TRY(sofa_mapping_jacobian(map, at, k, &j));
  for (size_t i = 0; i < map->out->position.n; i++)
    for (size_t c = 0; c < space; c++) {
      const size_t row = out->deriv * i + c;
      double *to = x_out + out->coord * i + c;
      const double start = k ? *to : map->constant ? map->constant[row] : 0;
      *to = row_of_places(&j, row, in, at->x[k], start);
    }
  return SOFA_OK;
}

static SofaErr apply_by_jacobian(SofaMapping *map, const SofaPoint *at, double *x_out) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(map->out->object.kind);
  const double *own = map->out->position.data;
  for (size_t k = 0; k < map->n_inputs; k++) SOFA_TRY(add_places(map, at, k, x_out));
  if (!kind->rigid || x_out == own) return SOFA_OK;
  // orientations stay
  for (size_t i = 0; i < map->out->position.n; i++)
    for (size_t c = kind->space; c < kind->coord; c++)
      x_out[kind->coord * i + c] = own[kind->coord * i + c];
  return SOFA_OK;
}

SofaErr sofa_mapping_apply(SofaMapping *map, const SofaPoint *at, double *x_out) {
  const SofaMappingOps *ops = sofa_mapping_ops(map);
  if (!ops->apply) return apply_by_jacobian(map, at, x_out);
  map->kept_point = 0;
  SOFA_TRY(ops->apply(map, at, x_out));
  map->kept_point = at->id;
  return SOFA_OK;
}

/* ---- Jacobian ---- */

static SofaErr make_kept(SofaMapping *map) {
  if (map->n_kept == map->n_inputs) return SOFA_OK;
  SofaContext *ctx = map->object.ctx;
  sofa_free(ctx, map->kept);
  map->n_kept = 0;
  map->kept = sofa_alloc(ctx, map->n_inputs, sizeof *map->kept);
  if (!map->kept) return SOFA_ERR_MEMORY;
  map->n_kept = map->n_inputs;
  return SOFA_OK;
}

SofaErr sofa_mapping_jacobian(SofaMapping *map, const SofaPoint *at, size_t k, SofaJacobian *out) {
  const uint64_t wanted = sofa_mapping_is_constant(map) ? EVERYWHERE : at->id;
  SOFA_TRY(make_kept(map));
  struct SofaKeptJacobian *kept = &map->kept[k];
  // states with other numbers of points than at setup: the class reports it
  const bool fits = kept->j.n_rows == map->out->position.n * deriv_of(map->out) &&
                    kept->j.n_columns == map->inputs[k]->position.n * deriv_of(map->inputs[k]);
  if (!wanted || kept->point != wanted || !fits) {
    kept->point = 0;
    SOFA_TRY(see_point(map, at));
    SOFA_TRY(sofa_mapping_ops(map)->jacobian(map, at, k, &kept->j));
    kept->point = wanted;
  }
  *out = kept->j;
  return SOFA_OK;
}

/* ---- products ---- */

static void multiply(const SofaJacobian *j, int threads, bool first, const double *v, double *out) {
  const bool parallel = threads > 1 && j->n_rows >= PARALLEL_FROM;
#pragma omp parallel for schedule(static) num_threads(threads) if (parallel)
  for (size_t r = 0; r < j->n_rows; r++) {
    double sum = first ? 0 : out[r];
    for (uint32_t e = j->start[r]; e < j->start[r + 1]; e++) sum += j->value[e] * v[j->column[e]];
    out[r] = sum;
  }
}

static void add_transposed(const SofaJacobian *j, const double *f, double *out) {
  for (size_t r = 0; r < j->n_rows; r++)
    for (uint32_t e = j->start[r]; e < j->start[r + 1]; e++)
      out[j->column[e]] += j->value[e] * f[r];
}

SofaErr sofa_mapping_apply_j(SofaMapping *map, const SofaPoint *at, const double *const *v_in,
                             double *v_out) {
  const SofaMappingOps *ops = sofa_mapping_ops(map);
  if (ops->apply_j) {
    SOFA_TRY(see_point(map, at));
    return ops->apply_j(map, at, v_in, v_out);
  }
  for (size_t k = 0; k < map->n_inputs; k++) {
    SofaJacobian j;
    SOFA_TRY(sofa_mapping_jacobian(map, at, k, &j));
    multiply(&j, map->object.ctx->threads, k == 0, v_in[k], v_out);
  }
  return SOFA_OK;
}

SofaErr sofa_mapping_apply_jt(SofaMapping *map, const SofaPoint *at, const double *f_out,
                              double *const *f_in) {
  const SofaMappingOps *ops = sofa_mapping_ops(map);
  if (ops->apply_jt) {
    SOFA_TRY(see_point(map, at));
    return ops->apply_jt(map, at, f_out, f_in);
  }
  for (size_t k = 0; k < map->n_inputs; k++) {
    SofaJacobian j;
    SOFA_TRY(sofa_mapping_jacobian(map, at, k, &j));
    add_transposed(&j, f_out, f_in[k]);
  }
  return SOFA_OK;
}

/* ---- geometric stiffness ---- */

SofaErr sofa_mapping_apply_djt(SofaMapping *map, const SofaPoint *at, double factor,
                               const double *f_out, const double *const *dx_in,
                               double *const *df_in) {
  SOFA_TRY(see_point(map, at));
  return sofa_mapping_ops(map)->apply_djt(map, at, factor, f_out, dx_in, df_in);
}

SofaErr sofa_mapping_add_djt(SofaMapping *map, const SofaPoint *at, size_t row, size_t column,
                             const double *f_out, const SofaTangent *tangent) {
  const SofaMappingOps *ops = sofa_mapping_ops(map);
  SOFA_TRY(see_point(map, at));
  if (ops->add_djt_pair) return ops->add_djt_pair(map, at, row, column, f_out, tangent);
  return ops->add_djt(map, at, f_out, tangent);
}
