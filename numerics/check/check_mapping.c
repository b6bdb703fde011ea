/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check of a mapping: differences of the positions against J v, J^T against J, the matrix of J
 * against its product, and the geometric stiffness against differences of J^T f. */
#include <float.h>
#include <math.h>

#include "math/quaternion.h"
#include "numerics/check/check_impl.h"

enum { N_DIRECTIONS = 3 };

/* A mapping with copies of its inputs, one after the other in each vector. All memory is scratch.
 */
typedef struct Map {
  SofaContext *ctx;
  SofaMapping *map;
  size_t n, nx, nv, *x_at, *v_at; /* inputs; sizes; where input k begins */
  size_t out_x, out_v;
  double *x, *moved, *direction; /* of the inputs */
  double *force, *place;         /* on the output; of it, as its state has it */
  const double **at_x, **at_v;
  double **at_f;
  double time, noise;
} Map;

static const SofaStateKindInfo *info_of(const SofaState *s) {
  return sofa_state_kind_info(s->object.kind);
}

static SofaErr reals(Map *m, size_t n, double **out) {
  *out = SOFA_SCRATCH(m->ctx, double, n + 1);
  if (!*out) return SOFA_ERR_MEMORY;
  sofa_zero(*out, (n + 1) * sizeof **out);
  return SOFA_OK;
}

static SofaErr open_map(Map *m) {
  const SofaMapping *map = m->map;
  m->n = map->n_inputs;
  m->x_at = SOFA_SCRATCH(m->ctx, size_t, m->n + 1);
  m->v_at = SOFA_SCRATCH(m->ctx, size_t, m->n + 1);
  m->at_x = SOFA_SCRATCH(m->ctx, const double *, m->n + 1);
  m->at_v = SOFA_SCRATCH(m->ctx, const double *, m->n + 1);
  m->at_f = SOFA_SCRATCH(m->ctx, double *, m->n + 1);
  if (!m->x_at || !m->v_at || !m->at_x || !m->at_v || !m->at_f) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < m->n; k++) {
    m->x_at[k] = m->nx, m->v_at[k] = m->nv;
    m->nx += sofa_state_size(map->inputs[k]) * info_of(map->inputs[k])->coord;
    m->nv += sofa_state_size(map->inputs[k]) * info_of(map->inputs[k])->deriv;
  }
  m->out_x = sofa_state_size(map->out) * info_of(map->out)->coord;
  m->out_v = sofa_state_size(map->out) * info_of(map->out)->deriv;
  SOFA_TRY(reals(m, m->nx, &m->x));
  SOFA_TRY(reals(m, m->nx, &m->moved));
  SOFA_TRY(reals(m, m->nv, &m->direction));
  SOFA_TRY(reals(m, m->out_v, &m->force));
  SOFA_TRY(reals(m, m->out_x, &m->place));
  for (size_t k = 0; k < m->n; k++)
    sofa_copy(m->x + m->x_at[k], map->inputs[k]->position.data,
              sofa_state_size(map->inputs[k]) * info_of(map->inputs[k])->coord * sizeof *m->x);
  sofa_copy(m->place, map->out->position.data, m->out_x * sizeof *m->place);
  return SOFA_OK;
}

static SofaPoint point_at(Map *m, const double *x, const double *v) {
  for (size_t k = 0; k < m->n; k++) m->at_x[k] = x + m->x_at[k], m->at_v[k] = v + m->v_at[k];
  return (SofaPoint){
      .x = m->at_x, .v = m->at_v, .n = m->n, .time = m->time, .id = sofa_point_id(m->ctx)};
}

static void choose_direction(Map *m, uint32_t *random) {
  const double most = sofa_check_norm(m->nx, m->x), size = most > 0 ? most : 1;
  for (size_t k = 0; k < m->n; k++) {
    const SofaStateKindInfo *info = info_of(m->map->inputs[k]);
    const size_t n = sofa_state_size(m->map->inputs[k]) * info->deriv;
    for (size_t i = 0; i < n; i++) {
      const bool shift = !info->rigid || i % info->deriv < info->space;
      m->direction[m->v_at[k] + i] = sofa_check_random(random) * (shift ? size : 1);
    }
  }
  m->noise = 4 * DBL_EPSILON;
}

static void move(Map *m, double h) {
  sofa_copy(m->moved, m->x, m->nx * sizeof *m->x);
  for (size_t k = 0; k < m->n; k++) {
    const SofaState *s = m->map->inputs[k];
    sofa_state_integrate(s->object.kind, sofa_state_size(s), h, m->direction + m->v_at[k],
                         m->moved + m->x_at[k]);
  }
}

/* Change of the positions of the output since the present state. */
static SofaErr moved_output(void *user, double h, double *change) {
  Map *m = user;
  const SofaState *out = m->map->out;
  const SofaStateKindInfo *info = info_of(out);
  double *x = NULL;
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  SofaErr err = reals(m, m->out_x, &x);
  if (err == SOFA_OK) {
    sofa_copy(x, m->place, m->out_x * sizeof *x);
    move(m, h);
    const SofaPoint at = point_at(m, m->moved, m->direction);
    err = sofa_mapping_apply(m->map, &at, x);
  }
  for (size_t i = 0; err == SOFA_OK && i < sofa_state_size(out); i++) {
    const double *a = x + i * info->coord, *b = m->place + i * info->coord;
    if (out->object.kind == SOFA_RIGID3) sofa_rigid3_difference(a, b, change + i * info->deriv);
    else
      for (size_t c = 0; c < info->deriv; c++) change[i * info->deriv + c] = a[c] - b[c];
  }
  sofa_scratch_release(m->ctx, mark);
  return err;
}

static SofaErr pull_back(Map *m, const double *x, const double *f_out, double *f) {
  const SofaPoint at = point_at(m, x, m->direction);
  sofa_zero(f, m->nv * sizeof *f);
  for (size_t k = 0; k < m->n; k++) m->at_f[k] = f + m->v_at[k];
  return sofa_mapping_apply_jt(m->map, &at, f_out, m->at_f);
}

static SofaErr moved_force(void *user, double h, double *f) {
  Map *m = user;
  move(m, h);
  return pull_back(m, m->moved, m->force, f);
}

/* ---- comparisons ---- */

static void keep_worst(SofaDifference *worst, const SofaDifference *d) {
  worst->smooth &= d->smooth;
  if (!(d->error <= worst->error)) worst->error = d->error;
}

static SofaCheckVerdict judge(const SofaDifference *d, bool approximate) {
  if (d->error <= SOFA_CHECK_DIFFERENCES) return SOFA_CHECK_OK;
  if (!d->smooth) return SOFA_CHECK_KINK;
  return approximate && isfinite(d->error) ? SOFA_CHECK_APPROXIMATE : SOFA_CHECK_WRONG;
}

static SofaErr compare_positions(Map *m, SofaComparisons *c) {
  double *v = NULL;
  uint32_t random = 2024;
  SofaDifference worst = {0, true}, d;
  SOFA_TRY(reals(m, m->out_v, &v));
  for (int i = 0; i < N_DIRECTIONS; i++) {
    choose_direction(m, &random);
    const SofaPoint at = point_at(m, m->x, m->direction);
    SOFA_TRY(sofa_mapping_apply_j(m->map, &at, at.v, v));
    const SofaDifferenceSpec spec = {moved_output,
                                     m,
                                     m->out_v,
                                     v,
                                     0,
                                     m->noise + DBL_EPSILON * sofa_check_norm(m->out_x, m->place) /
                                                    (sofa_check_norm(m->out_v, v) + DBL_MIN)};
    SOFA_TRY(sofa_check_differences(m->ctx, &spec, &d));
    keep_worst(&worst, &d);
  }
  return sofa_compare_add(c, "J", judge(&worst, false), worst.error);
}

/* f . J v = J^T f . v */
static SofaErr compare_transpose(Map *m, SofaComparisons *c) {
  double *v = NULL, *f = NULL, left = 0, right = 0, size = 0;
  uint32_t random = 77;
  SOFA_TRY(reals(m, m->out_v, &v));
  SOFA_TRY(reals(m, m->nv, &f));
  choose_direction(m, &random);
  for (size_t i = 0; i < m->out_v; i++) m->force[i] = sofa_check_random(&random);
  const SofaPoint at = point_at(m, m->x, m->direction);
  SOFA_TRY(sofa_mapping_apply_j(m->map, &at, at.v, v));
  SOFA_TRY(pull_back(m, m->x, m->force, f));
  for (size_t i = 0; i < m->out_v; i++) {
    left += m->force[i] * v[i];
    size += fabs(m->force[i] * v[i]);
  }
  for (size_t i = 0; i < m->nv; i++) {
    right += f[i] * m->direction[i];
    size = fmax(size, fabs(f[i] * m->direction[i]));
  }
  const double error = size > 0 ? fabs(left - right) / size : 0;
  return sofa_compare_add(c, "transpose",
                          error <= SOFA_CHECK_ROUNDING ? SOFA_CHECK_OK : SOFA_CHECK_WRONG, error);
}

/* The rows of J of all inputs, which systems are assembled with, against the product. */
static SofaErr compare_matrix(Map *m, SofaComparisons *c) {
  double *v = NULL, *sum = NULL;
  uint32_t random = 31;
  SOFA_TRY(reals(m, m->out_v, &v));
  SOFA_TRY(reals(m, m->out_v, &sum));
  choose_direction(m, &random);
  for (size_t k = 0; k < m->n; k++) {
    const SofaPoint at = point_at(m, m->x, m->direction);
    SofaJacobian j;
    SOFA_TRY(sofa_mapping_jacobian(m->map, &at, k, &j));
    for (size_t r = 0; r < j.n_rows && r < m->out_v; r++)
      for (uint32_t e = j.start[r]; e < j.start[r + 1]; e++)
        sum[r] += j.value[e] * at.v[k][j.column[e]];
  }
  const SofaPoint at = point_at(m, m->x, m->direction);
  SOFA_TRY(sofa_mapping_apply_j(m->map, &at, at.v, v));
  const double size = fmax(sofa_check_norm(m->out_v, v), sofa_check_norm(m->out_v, sum));
  const double error = size > 0 ? sofa_check_distance(m->out_v, v, sum) / size : 0;
  return sofa_compare_add(c, "matrix",
                          error <= SOFA_CHECK_ROUNDING ? SOFA_CHECK_OK : SOFA_CHECK_WRONG, error);
}

/* The derivative of J^T f at a fixed f. */
static SofaErr compare_geometric(Map *m, SofaComparisons *c) {
  const SofaMappingOps *ops = sofa_mapping_ops(m->map);
  const char *left_out = ops->approximation ? ops->approximation(m->map) : NULL;
  double *df = NULL, *f = NULL;
  uint32_t random = 5;
  SofaDifference worst = {0, true}, d;
  SOFA_TRY(reals(m, m->nv, &df));
  SOFA_TRY(reals(m, m->nv, &f));
  if (!ops->apply_djt) left_out = "it has no geometric stiffness";
  for (int i = 0; i < N_DIRECTIONS; i++) {
    choose_direction(m, &random);
    for (size_t k = 0; k < m->out_v; k++) m->force[k] = sofa_check_random(&random);
    sofa_zero(df, m->nv * sizeof *df);
    SOFA_TRY(pull_back(m, m->x, m->force, f));
    const SofaPoint at = point_at(m, m->x, m->direction);
    for (size_t k = 0; k < m->n; k++) m->at_f[k] = df + m->v_at[k];
    if (ops->apply_djt) SOFA_TRY(sofa_mapping_apply_djt(m->map, &at, 1, m->force, at.v, m->at_f));
    const SofaDifferenceSpec spec = {moved_force, m, m->nv, df, sofa_check_norm(m->nv, f),
                                     m->noise};
    SOFA_TRY(sofa_check_differences(m->ctx, &spec, &d));
    keep_worst(&worst, &d);
  }
  const SofaCheckVerdict verdict = judge(&worst, left_out != NULL);
  SOFA_TRY(sofa_compare_add(c, "geometric stiffness", verdict, worst.error));
  return left_out && verdict != SOFA_CHECK_OK ? sofa_compare_say(c, left_out) : SOFA_OK;
}

static SofaErr compare_all(Map *m, SofaComparisons *c) {
  // the present output, also where it is not up to date
  const SofaPoint at = point_at(m, m->x, m->direction);
  SOFA_TRY(sofa_mapping_apply(m->map, &at, m->place));
  SOFA_TRY(compare_positions(m, c));
  SOFA_TRY(compare_transpose(m, c));
  SOFA_TRY(compare_matrix(m, c));
  return compare_geometric(m, c);
}

SofaErr sofa_check_mapping(SofaMapping *map, SofaCheckReport *report) {
  SofaContext *ctx = map->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Map m = {.ctx = ctx, .map = map, .time = map->object.node->time};
  SofaComparisons c = {.ctx = ctx};
  SofaErr err = open_map(&m);
  report->check = "tangent";
  if (err == SOFA_OK && m.out_v == 0) {
    c.verdict = SOFA_CHECK_SKIPPED;
    c.error = NAN;
    err = sofa_compare_say(&c, "its output has no points");
  } else if (err == SOFA_OK && !isfinite(sofa_check_norm(m.nx, m.x))) {
    c.verdict = SOFA_CHECK_WRONG;
    c.error = NAN;
    err = sofa_compare_say(&c, "a position of its inputs is not finite");
  } else if (err == SOFA_OK) {
    err = compare_all(&m, &c);
    if (err != SOFA_OK && err != SOFA_ERR_MEMORY) {
      c.verdict = SOFA_CHECK_WRONG;
      err = sofa_compare_say(&c, "it cannot be evaluated near this state");
    }
  }
  sofa_mapping_forget(map);
  sofa_scratch_release(ctx, mark);
  if (err == SOFA_OK) return sofa_compare_end(&c, &map->object, report);
  sofa_list_free(ctx, &c.text);
  return err;
}
