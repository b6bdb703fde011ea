/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance of mappings. Included by the test that has the cases. */
#include "tests/support/conform_mapping.h"

#include "math/quaternion.h"
#include "tests/unit/math/random.h"

enum { MOST_INPUTS = 4 };

/* A mapping with vectors of its inputs and its output. */
typedef struct MappedModel {
  const MappingCase *c;
  SceneRun run;
  SofaMapping *map;
  const SofaMappingOps *ops;
  size_t n_in, nx[MOST_INPUTS], nv[MOST_INPUTS], out_nx, out_nv;
  double *x[MOST_INPUTS], *v[MOST_INPUTS], *f[MOST_INPUTS]; /* of the inputs */
  double *out_x, *out_v, *out_f;
  Random random;
} MappedModel;

static double *new_reals(size_t n) {
  double *r = calloc(n ? n : 1, sizeof *r);
  assert_non_null(r);
  return r;
}

static SofaMapping *find_mapping(SofaNode *node, const char *klass) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (strcmp(node->objects.data[i]->klass->name, klass) == 0)
      return (SofaMapping *)node->objects.data[i];
  for (size_t i = 0; i < node->children.n; i++) {
    SofaMapping *found = find_mapping(node->children.data[i], klass);
    if (found) return found;
  }
  return NULL;
}

static SofaStateKind kind_of(const SofaState *s) {
  return s->object.kind;
}

static void mapped_open(MappedModel *m, const MappingCase *c) {
  memset(m, 0, sizeof *m);
  m->c = c;
  m->random.state = 2024;
  scene_run_open(&m->run, c->scene, NULL);
  m->map = find_mapping(m->run.simulation->root, c->klass);
  if (!m->map) fail_msg("%s %s: no such object in its scene", c->klass, c->what);
  m->ops = sofa_mapping_ops(m->map);
  m->n_in = m->map->n_inputs;
  assert_in_range(m->n_in, 1, MOST_INPUTS);
  assert_true(m->map->mechanical);
  for (size_t k = 0; k < m->n_in; k++) {
    const SofaState *s = m->map->inputs[k];
    const SofaStateKindInfo *info = sofa_state_kind_info(kind_of(s));
    m->nx[k] = s->position.n * info->coord;
    m->nv[k] = s->position.n * info->deriv;
    m->x[k] = new_reals(m->nx[k]);
    m->v[k] = new_reals(m->nv[k]);
    m->f[k] = new_reals(m->nv[k]);
    memcpy(m->x[k], s->position.data, m->nx[k] * sizeof *m->x[k]);
    random_reals(&m->random, (int)m->nv[k], m->v[k]);
    random_reals(&m->random, (int)m->nv[k], m->f[k]);
  }
  const SofaState *out = m->map->out;
  m->out_nx = out->position.n * sofa_state_kind_info(kind_of(out))->coord;
  m->out_nv = out->position.n * sofa_state_kind_info(kind_of(out))->deriv;
  assert_true(m->out_nx > 0);
  m->out_x = new_reals(m->out_nx);
  m->out_v = new_reals(m->out_nv);
  m->out_f = new_reals(m->out_nv);
  random_reals(&m->random, (int)m->out_nv, m->out_f);
}

static void mapped_close(MappedModel *m) {
  for (size_t k = 0; k < m->n_in; k++) free(m->x[k]), free(m->v[k]), free(m->f[k]);
  free(m->out_x), free(m->out_v), free(m->out_f);
  scene_run_close(&m->run);
}

static void do_apply(MappedModel *m, double *const *x, double *out) {
  assert_int_equal(m->ops->apply(m->map, (const double *const *)x, out), SOFA_OK);
}
static void do_apply_j(MappedModel *m, double *const *v, double *out) {
  assert_int_equal(m->ops->apply_j(m->map, (const double *const *)v, out), SOFA_OK);
}

static void mapped_expect(const MappedModel *m, double a, double b, double tolerance,
                          const char *what) {
  if (!(fabs(a - b) <= tolerance))
    fail_msg("%s, %s: %s: %.17g and %.17g differ by %.3g", m->c->klass, m->c->what, what, a, b,
             fabs(a - b));
}

/* ---- checks ---- */

/* After init the output is where the input says, and moves as it says. */
static void check_init(MappedModel *m) {
  const SofaState *out = m->map->out;
  double *v[MOST_INPUTS];
  do_apply(m, m->x, m->out_x);
  for (size_t i = 0; i < m->out_nx; i++)
    mapped_expect(m, out->position.data[i], m->out_x[i], 1e-12, "position after init");
  for (size_t k = 0; k < m->n_in; k++) v[k] = m->map->inputs[k]->velocity.data;
  do_apply_j(m, v, m->out_v);
  for (size_t i = 0; i < m->out_nv; i++)
    mapped_expect(m, out->velocity.data[i], m->out_v[i], 1e-12, "velocity after init");
}

/* Change of the output between two coordinates of its kind. */
static void out_difference(const MappedModel *m, const double *a, const double *b, double *d) {
  const SofaState *out = m->map->out;
  const SofaStateKindInfo *info = sofa_state_kind_info(kind_of(out));
  for (size_t i = 0; i < out->position.n; i++) {
    if (kind_of(out) == SOFA_RIGID3) {
      sofa_rigid3_difference(a + 7 * i, b + 7 * i, d + 6 * i);
      continue;
    }
    for (size_t c = 0; c < info->deriv; c++)
      d[info->deriv * i + c] = a[info->coord * i + c] - b[info->coord * i + c];
  }
}

/* (apply(x + h v) - apply(x - h v)) / 2h = J v, at the initial and at displaced positions. */
static void check_differences(MappedModel *m) {
  const double h = 1e-5;
  double *moved[MOST_INPUTS] = {0}, *plus = new_reals(m->out_nx), *minus = new_reals(m->out_nx);
  double *difference = new_reals(m->out_nv);
  for (size_t k = 0; k < m->n_in; k++) moved[k] = new_reals(m->nx[k]);
  for (int place = 0; place < 3; place++) {
    for (int sign = 1; sign >= -1; sign -= 2) {
      for (size_t k = 0; k < m->n_in; k++) {
        const SofaState *s = m->map->inputs[k];
        memcpy(moved[k], m->x[k], m->nx[k] * sizeof *moved[k]);
        sofa_state_integrate(kind_of(s), s->position.n, sign * h, m->v[k], moved[k]);
      }
      do_apply(m, moved, sign > 0 ? plus : minus);
    }
    out_difference(m, plus, minus, difference);
    do_apply(m, m->x, m->out_x);
    // apply_j must overwrite
    for (size_t i = 0; i < m->out_nv; i++) m->out_v[i] = NAN;
    do_apply_j(m, m->v, m->out_v);
    for (size_t i = 0; i < m->out_nv; i++)
      mapped_expect(m, difference[i] / (2 * h), m->out_v[i], 1e-7, "difference of apply and J v");
    // the next place
    for (size_t k = 0; k < m->n_in; k++) {
      const SofaState *s = m->map->inputs[k];
      sofa_state_integrate(kind_of(s), s->position.n, 0.2, m->v[k], m->x[k]);
      random_reals(&m->random, (int)m->nv[k], m->v[k]);
    }
  }
  for (size_t k = 0; k < m->n_in; k++) free(moved[k]);
  free(plus), free(minus), free(difference);
}

/* f . J v = (J^T f) . v, and J^T adds to what there was. */
static void check_transpose(MappedModel *m) {
  double *f[MOST_INPUTS] = {0}, left = 0, right = 0;
  do_apply(m, m->x, m->out_x);
  do_apply_j(m, m->v, m->out_v);
  for (size_t i = 0; i < m->out_nv; i++) left += m->out_f[i] * m->out_v[i];
  for (size_t k = 0; k < m->n_in; k++) {
    f[k] = new_reals(m->nv[k]);
    memcpy(f[k], m->f[k], m->nv[k] * sizeof *f[k]);
  }
  assert_int_equal(m->ops->apply_jt(m->map, m->out_f, f), SOFA_OK);
  for (size_t k = 0; k < m->n_in; k++)
    for (size_t i = 0; i < m->nv[k]; i++) right += (f[k][i] - m->f[k][i]) * m->v[k][i];
  mapped_expect(m, left, right, 1e-11 * (1 + fabs(left)), "f . J v and J^T f . v");
  for (size_t k = 0; k < m->n_in; k++) free(f[k]);
}

/* Rows of the matrices: sums over all inputs give J v; each column of a row stands once. */
static void check_jacobian(MappedModel *m) {
  double *sum = new_reals(m->out_nv);
  do_apply(m, m->x, m->out_x);
  do_apply_j(m, m->v, m->out_v);
  for (size_t k = 0; k < m->n_in; k++) {
    SofaJacobian j;
    assert_int_equal(m->ops->jacobian(m->map, k, &j), SOFA_OK);
    assert_int_equal(j.n_rows, m->out_nv);
    assert_int_equal(j.n_columns, m->nv[k]);
    size_t *seen = calloc(j.n_columns + 1, sizeof *seen);
    for (size_t r = 0; r < j.n_rows; r++) {
      assert_true(j.start[r] <= j.start[r + 1]);
      for (uint32_t e = j.start[r]; e < j.start[r + 1]; e++) {
        assert_true(j.column[e] < j.n_columns);
        assert_true(seen[j.column[e]] != r + 1);
        seen[j.column[e]] = r + 1;
        sum[r] += j.value[e] * m->v[k][j.column[e]];
      }
    }
    free(seen);
  }
  for (size_t i = 0; i < m->out_nv; i++)
    mapped_expect(m, sum[i], m->out_v[i], 1e-12 * (1 + fabs(sum[i])), "rows of the matrix and J v");
  free(sum);
}

/* Item of the field `geometricStiffness`; exact when there is none. */
static bool exact_geometric(const MappedModel *m) {
  const SofaClass *klass = m->map->object.klass;
  for (size_t i = 0; i < klass->n_fields; i++)
    if (strcmp(klass->fields[i].name, "geometricStiffness") == 0)
      return ((const SofaOption *)sofa_field_value(&m->map->object, &klass->fields[i]))->index == 1;
  return true;
}

static uint8_t *block_sizes(const SofaState *s) {
  uint8_t *blocks = calloc(s->position.n + 1, 1);
  memset(blocks, (int)sofa_state_kind_info(kind_of(s))->deriv, s->position.n);
  return blocks;
}

/* out += (block of two inputs in the assembled matrix of the geometric stiffness) v. */
static void assembled_product(MappedModel *m, size_t row, size_t column, double *out) {
  SofaBlockMatrix *matrix = NULL;
  const SofaState *r = m->map->inputs[row], *c = m->map->inputs[column];
  uint8_t *rows = block_sizes(r), *columns = block_sizes(c);
  double *v = new_reals(m->nv[column] + 1);
  memcpy(v, m->v[column], m->nv[column] * sizeof *v);
  assert_int_equal(
      sofa_block_matrix_create(m->run.ctx, r->position.n, rows, c->position.n, columns, &matrix),
      SOFA_OK);
  const SofaTangentPair pair = {.matrix = matrix};
  const SofaTangent tangent = {.pairs = &pair, .n = 1, .factor = 1};
  sofa_block_matrix_begin(matrix);
  const SofaErr err = m->ops->add_djt_pair
                          ? m->ops->add_djt_pair(m->map, row, column, m->out_f, &tangent)
                          : m->ops->add_djt(m->map, m->out_f, &tangent);
  assert_int_equal(err, SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
  double *y = new_reals(m->nv[row] + 1);
  sofa_block_matrix_multiply(matrix, v, y, 1);
  for (size_t i = 0; i < m->nv[row]; i++) out[i] += y[i];
  sofa_block_matrix_destroy(&matrix);
  free(rows), free(columns), free(v), free(y);
}

/* J^T f at x + h v. */
static void pulled_force(MappedModel *m, double h, double *const *f) {
  double *moved[MOST_INPUTS];
  for (size_t k = 0; k < m->n_in; k++) {
    const SofaState *s = m->map->inputs[k];
    moved[k] = new_reals(m->nx[k]);
    memcpy(moved[k], m->x[k], m->nx[k] * sizeof **moved);
    sofa_state_integrate(kind_of(s), s->position.n, h, m->v[k], moved[k]);
    memset(f[k], 0, m->nv[k] * sizeof **f);
  }
  do_apply(m, moved, m->out_x);
  assert_int_equal(m->ops->apply_jt(m->map, m->out_f, f), SOFA_OK);
  for (size_t k = 0; k < m->n_in; k++) free(moved[k]);
}

/* The geometric stiffness: differences of J^T f at fixed f, and the matrix of it. */
static void check_geometric(MappedModel *m) {
  if (!m->ops->apply_djt) return;
  const double h = 1e-5;
  const bool matrix = m->ops->add_djt || m->ops->add_djt_pair;
  double *plus[MOST_INPUTS], *minus[MOST_INPUTS], *product[MOST_INPUTS], *assembled[MOST_INPUTS];
  for (size_t k = 0; k < m->n_in; k++) {
    double **const all[] = {plus, minus, product, assembled};
    for (int i = 0; i < 4; i++) all[i][k] = new_reals(m->nv[k] + 1);
  }
  pulled_force(m, h, plus);
  pulled_force(m, -h, minus);
  do_apply(m, m->x, m->out_x);
  assert_int_equal(m->ops->apply_djt(m->map, 1, m->out_f, (const double *const *)m->v, product),
                   SOFA_OK);
  for (size_t r = 0; matrix && r < m->n_in; r++)
    for (size_t c = 0; c < m->n_in; c++) assembled_product(m, r, c, assembled[r]);
  for (size_t k = 0; k < m->n_in; k++) {
    for (size_t i = 0; i < m->nv[k]; i++) {
      const double p = product[k][i];
      if (exact_geometric(m))
        mapped_expect(m, (plus[k][i] - minus[k][i]) / (2 * h), p, 1e-7 * (1 + fabs(p)),
                      "difference of J^T f and its derivative");
      if (matrix)
        mapped_expect(m, assembled[k][i], p, 1e-12 * (1 + fabs(p)),
                      "assembled and matrix-free derivative of J^T f");
    }
    free(plus[k]), free(minus[k]), free(product[k]), free(assembled[k]);
  }
}

/* A mapping that says it is linear has the same J everywhere. */
static void check_linear(MappedModel *m) {
  if (!m->ops->linear || m->map->varies) return;
  double *before = new_reals(m->out_nv);
  do_apply_j(m, m->v, before);
  for (size_t k = 0; k < m->n_in; k++) {
    const SofaState *s = m->map->inputs[k];
    sofa_state_integrate(kind_of(s), s->position.n, 0.7, m->v[k], m->x[k]);
  }
  do_apply(m, m->x, m->out_x);
  do_apply_j(m, m->v, m->out_v);
  assert_memory_equal(before, m->out_v, m->out_nv * sizeof *before);
  free(before);
}

/* Same arguments, same bits; no memory is asked for once the operations ran. */
static void check_repetition(MappedModel *m) {
  double *again = new_reals(m->out_nx);
  SofaJacobian j;
  const uint64_t before = m->run.ctx->n_allocations;
  do_apply(m, m->x, m->out_x);
  memcpy(again, m->out_x, m->out_nx * sizeof *again);
  do_apply(m, m->x, again);
  assert_memory_equal(again, m->out_x, m->out_nx * sizeof *again);
  do_apply_j(m, m->v, m->out_v);
  assert_int_equal(m->ops->apply_jt(m->map, m->out_f, m->f), SOFA_OK);
  for (size_t k = 0; k < m->n_in; k++) assert_int_equal(m->ops->jacobian(m->map, k, &j), SOFA_OK);
  assert_int_equal(m->run.ctx->n_allocations, before);
  free(again);
}

void conform_mapping(const MappingCase *c) {
  MappedModel m;
  mapped_open(&m, c);
  check_init(&m);
  check_differences(&m);
  check_transpose(&m);
  check_jacobian(&m);
  check_geometric(&m);
  check_linear(&m);
  check_repetition(&m);
  mapped_close(&m);
}

void conform_mappings_complete(const MappingCase *const *lists, const size_t *sizes, size_t n) {
  SofaContext *ctx;
  int missing = 0;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    if (klass->abstract || !sofa_class_ops(klass, SOFA_MAPPING)) continue;
    bool found = false;
    for (size_t l = 0; l < n; l++)
      for (size_t k = 0; k < sizes[l]; k++) found |= strcmp(lists[l][k].klass, klass->name) == 0;
    if (!found) print_error("no conformance case for mapping %s\n", klass->name);
    missing += !found;
  }
  sofa_context_destroy(&ctx);
  assert_int_equal(missing, 0);
}
