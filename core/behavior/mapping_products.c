/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Operations of mappings at evaluation points: data of a point, kept Jacobians, default products.
 */
#include "base/team.h"
#include "behavior/mapping.h"

/* The Jacobian of an input at a point. */
typedef struct KeptJacobian {
  uint64_t point; /* 0: none */
  SofaJacobian j;
} KeptJacobian;

typedef struct SofaMappingMemory {
  uint64_t last, alias; /* the last point, and another identity of it */
  SofaReals x;          /* positions of all inputs there */
  uint64_t data;        /* the point whose data the class holds */
  KeptJacobian *kept;   /* one per input */
  size_t n_kept;
} SofaMappingMemory;

/* The "point" of a Jacobian that is the same everywhere. */
#define EVERYWHERE UINT64_MAX

/* Below this number of rows threads cost more than they bring. */
enum { ROWS_GRAIN = 2048 };

void sofa_mapping_forget(SofaMapping *map) {
  SofaMappingMemory *m = map->memory;
  if (!m) return;
  m->last = m->alias = m->data = 0;
  for (size_t k = 0; k < m->n_kept; k++) m->kept[k].point = 0;
}

static void free_memory(SofaMapping *map) {
  SofaContext *ctx = map->object.ctx;
  if (!map->memory) return;
  sofa_list_free(ctx, &map->memory->x);
  sofa_free(ctx, map->memory->kept);
  sofa_free(ctx, map->memory);
  map->memory = NULL;
}

void sofa_mapping_free(SofaMapping *map) {
  free_memory(map);
  sofa_free(map->object.ctx, map->inputs);
  map->inputs = NULL;
  map->n_inputs = 0;
}

static SofaErr make_memory(SofaMapping *map) {
  SofaContext *ctx = map->object.ctx;
  SofaMappingMemory *m = map->memory;
  if (m && m->n_kept == map->n_inputs) return SOFA_OK;
  free_memory(map);
  m = sofa_alloc(ctx, 1, sizeof *m);
  if (!m) return SOFA_ERR_MEMORY;
  map->memory = m;
  m->kept = sofa_alloc(ctx, map->n_inputs, sizeof *m->kept);
  if (!m->kept) return SOFA_ERR_MEMORY;
  m->n_kept = map->n_inputs;
  return SOFA_OK;
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

/* ---- identities ---- */

static size_t coords_of(const SofaState *s) {
  return s->position.n * sofa_state_kind_info(s->object.kind)->coord;
}

/* Reals in the positions of all inputs. */
static size_t size_of_point(const SofaMapping *map) {
  size_t size = 0;
  for (size_t k = 0; k < map->n_inputs; k++) size += coords_of(map->inputs[k]);
  return size;
}

/* Are the positions at the point those of the last one? */
static bool is_last(const SofaMapping *map, const SofaPoint *at) {
  const double *x = map->memory->x.data;
  if (!map->memory->last || map->memory->x.n != size_of_point(map)) return false;
  for (size_t k = 0; k < map->n_inputs; k++) {
    const size_t n = coords_of(map->inputs[k]);
    if (n && sofa_compare(x, at->x[k], n * sizeof *x) != 0) return false;
    x += n;
  }
  return true;
}

static SofaErr take_point(SofaMapping *map, const SofaPoint *at) {
  SofaContext *ctx = map->object.ctx;
  SofaMappingMemory *m = map->memory;
  m->last = 0;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->x, size_of_point(map)));
  double *x = m->x.data;
  for (size_t k = 0; k < map->n_inputs; k++) {
    const size_t n = coords_of(map->inputs[k]);
    if (n) sofa_copy(x, at->x[k], n * sizeof *x);
    x += n;
  }
  m->last = m->alias = at->id ? at->id : sofa_point_id(ctx);
  return SOFA_OK;
}

/* The identity under which things are kept: the same for equal positions that follow each other. */
static SofaErr identify(SofaMapping *map, const SofaPoint *at, uint64_t *id) {
  SOFA_TRY(make_memory(map));
  SofaMappingMemory *m = map->memory;
  *id = EVERYWHERE;
  if (sofa_mapping_is_constant(map)) return SOFA_OK;
  if (!at->id || (at->id != m->last && at->id != m->alias)) {
    if (is_last(map, at)) m->alias = at->id;
    else SOFA_TRY(take_point(map, at));
  }
  *id = m->last;
  return SOFA_OK;
}

/* ---- data of a point ---- */

/* Applies a class that keeps data of the point, for the data. */
static SofaErr apply_aside(SofaMapping *map, const SofaPoint *at) {
  SofaContext *ctx = map->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *x = SOFA_SCRATCH(ctx, double, coords_of(map->out) + 1);
  const SofaErr err = x ? sofa_mapping_ops(map)->apply(map, at, x) : SOFA_ERR_MEMORY;
  sofa_scratch_release(ctx, mark);
  return err;
}

/* Sees to it that a class that keeps data holds those of the point. */
static SofaErr see_point(SofaMapping *map, const SofaPoint *at) {
  uint64_t id;
  if (!sofa_mapping_ops(map)->keeps_point || sofa_mapping_is_constant(map)) return SOFA_OK;
  SOFA_TRY(identify(map, at, &id));
  if (map->memory->data == id) return SOFA_OK;
  map->memory->data = 0;
  SOFA_TRY(apply_aside(map, at));
  map->memory->data = id;
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
  uint64_t id;
  if (!ops->apply) return apply_by_jacobian(map, at, x_out);
  if (!ops->keeps_point || sofa_mapping_is_constant(map)) return ops->apply(map, at, x_out);
  SOFA_TRY(identify(map, at, &id));
  map->memory->data = 0;
  SOFA_TRY(ops->apply(map, at, x_out));
  map->memory->data = id;
  return SOFA_OK;
}

/* ---- Jacobian ---- */

/* States with other numbers of points than at setup do not fit: the class reports it. */
static bool fits(const SofaMapping *map, size_t k, const SofaJacobian *j) {
  return j->n_rows == map->out->position.n * deriv_of(map->out) &&
         j->n_columns == map->inputs[k]->position.n * deriv_of(map->inputs[k]);
}

SofaErr sofa_mapping_jacobian(SofaMapping *map, const SofaPoint *at, size_t k, SofaJacobian *out) {
  uint64_t id;
  SOFA_TRY(identify(map, at, &id));
  KeptJacobian *kept = &map->memory->kept[k];
  if (kept->point != id || !fits(map, k, &kept->j)) {
    kept->point = 0;
    SOFA_TRY(see_point(map, at));
    SOFA_TRY(sofa_mapping_ops(map)->jacobian(map, at, k, &kept->j));
    kept->point = id;
  }
  *out = kept->j;
  return SOFA_OK;
}

/* ---- products ---- */

typedef struct Product {
  const SofaJacobian *j;
  bool first;
  const double *v;
  double *out;
} Product;

static void multiply_rows(void *user, size_t begin, size_t end) {
  const Product *p = user;
  const SofaJacobian *j = p->j;
  for (size_t r = begin; r < end; r++) {
    double sum = p->first ? 0 : p->out[r];
    for (uint32_t e = j->start[r]; e < j->start[r + 1]; e++)
      sum += j->value[e] * p->v[j->column[e]];
    p->out[r] = sum;
  }
}

static void multiply(const SofaContext *ctx, const SofaJacobian *j, bool first, const double *v,
                     double *out) {
  Product product = {j, first, v, out};
  sofa_team_for(ctx, j->n_rows, ROWS_GRAIN, multiply_rows, &product);
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
    multiply(map->object.ctx, &j, k == 0, v_in[k], v_out);
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
