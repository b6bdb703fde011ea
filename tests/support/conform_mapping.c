/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance of mappings. Included by the test that has the cases. */
#include "components/builtins.h"
#include "tests/support/conform_mapping.h"

#include "math/quaternion.h"
#include "numerics/check/check.h"
#include "tests/unit/math/random.h"

enum { MOST_INPUTS = 4, N_PLACES = 2 };

/* A mapping with vectors of its inputs and its output. The places are never those of the states. */
typedef struct MappedModel {
  const MappingCase *c;
  SceneRun run;
  SofaMapping *map;
  const SofaMappingOps *ops;
  size_t n_in, nx[MOST_INPUTS], nv[MOST_INPUTS], out_nx, out_nv;
  double *x[N_PLACES][MOST_INPUTS], *v[MOST_INPUTS]; /* of the inputs */
  double *out_f;
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

/* options: of the context, or NULL. */
static void mapped_open_with(MappedModel *m, const MappingCase *c,
                             const SofaContextOptions *options) {
  memset(m, 0, sizeof *m);
  m->c = c;
  m->random.state = 2024;
  scene_run_open(&m->run, c->scene, options);
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
    m->v[k] = new_reals(m->nv[k]);
    random_reals(&m->random, (int)m->nv[k], m->v[k]);
    for (int i = 0; i < N_PLACES; i++) {
      m->x[i][k] = new_reals(m->nx[k]);
      memcpy(m->x[i][k], s->position.data, m->nx[k] * sizeof **m->x[i]);
    }
  }
  const SofaState *out = m->map->out;
  m->out_nx = out->position.n * sofa_state_kind_info(kind_of(out))->coord;
  m->out_nv = out->position.n * sofa_state_kind_info(kind_of(out))->deriv;
  assert_true(m->out_nx > 0);
  m->out_f = new_reals(m->out_nv);
  random_reals(&m->random, (int)m->out_nv, m->out_f);
}

static void mapped_open(MappedModel *m, const MappingCase *c) {
  mapped_open_with(m, c, NULL);
}

static void mapped_close(MappedModel *m) {
  for (size_t k = 0; k < m->n_in; k++) {
    for (int i = 0; i < N_PLACES; i++) free(m->x[i][k]);
    free(m->v[k]);
  }
  free(m->out_f);
  scene_run_close(&m->run);
}

/* A point with a new identity. */
static SofaPoint point_at(MappedModel *m, double *const *x) {
  return (SofaPoint){.x = (const double *const *)x,
                     .v = (const double *const *)m->v,
                     .n = m->n_in,
                     .id = sofa_point_id(m->run.ctx)};
}

static void do_apply(MappedModel *m, const SofaPoint *at, double *out) {
  assert_int_equal(sofa_mapping_apply(m->map, at, out), SOFA_OK);
}
/* apply_j must overwrite */
static void do_apply_j(MappedModel *m, const SofaPoint *at, double *out) {
  for (size_t i = 0; i < m->out_nv; i++) out[i] = NAN;
  assert_int_equal(sofa_mapping_apply_j(m->map, at, (const double *const *)m->v, out), SOFA_OK);
}
/* x + h v, in new vectors. */
static void move(const MappedModel *m, double *const *x, double h, double **moved) {
  for (size_t k = 0; k < m->n_in; k++) {
    const SofaState *s = m->map->inputs[k];
    moved[k] = new_reals(m->nx[k]);
    memcpy(moved[k], x[k], m->nx[k] * sizeof **moved);
    sofa_state_integrate(kind_of(s), s->position.n, h, m->v[k], moved[k]);
  }
}
static void free_all(const MappedModel *m, double **vectors) {
  for (size_t k = 0; k < m->n_in; k++) free(vectors[k]);
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
  const SofaScratchMark mark = sofa_scratch_mark(m->run.ctx);
  double *x = new_reals(m->out_nx), *v = new_reals(m->out_nv);
  SofaPoint at;
  assert_int_equal(sofa_mapping_point(m->map, &at), SOFA_OK);
  do_apply(m, &at, x);
  for (size_t i = 0; i < m->out_nx; i++)
    mapped_expect(m, out->position.data[i], x[i], 1e-12, "position after init");
  assert_int_equal(sofa_mapping_apply_j(m->map, &at, at.v, v), SOFA_OK);
  for (size_t i = 0; i < m->out_nv; i++)
    mapped_expect(m, out->velocity.data[i], v[i], 1e-12, "velocity after init");
  sofa_scratch_release(m->run.ctx, mark);
  free(x), free(v);
}

/* The places to evaluate at; from now on the states of the inputs hold nothing that is of use. */
static void leave_states(MappedModel *m) {
  for (int i = 0; i < N_PLACES; i++) {
    for (size_t k = 0; k < m->n_in; k++) {
      const SofaState *s = m->map->inputs[k];
      random_reals(&m->random, (int)m->nv[k], m->v[k]);
      sofa_state_integrate(kind_of(s), s->position.n, 0.2, m->v[k], m->x[i][k]);
    }
  }
  for (size_t k = 0; k < m->n_in; k++) {
    SofaState *s = m->map->inputs[k];
    for (size_t i = 0; i < m->nx[k]; i++) s->position.data[i] = NAN;
    for (size_t i = 0; i < s->velocity.n * s->velocity.width; i++) s->velocity.data[i] = NAN;
    random_reals(&m->random, (int)m->nv[k], m->v[k]);
  }
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

/* (apply(x + h v) - apply(x - h v)) / 2h = J v; the mapping was last applied elsewhere. */
static void check_differences(MappedModel *m, double *const *x) {
  const double h = 1e-5;
  double *moved[MOST_INPUTS] = {0}, *plus = new_reals(m->out_nx), *minus = new_reals(m->out_nx);
  double *difference = new_reals(m->out_nv), *v = new_reals(m->out_nv);
  for (int sign = 1; sign >= -1; sign -= 2) {
    move(m, x, sign * h, moved);
    const SofaPoint at = point_at(m, moved);
    do_apply(m, &at, sign > 0 ? plus : minus);
    free_all(m, moved);
  }
  out_difference(m, plus, minus, difference);
  const SofaPoint at = point_at(m, x);
  do_apply_j(m, &at, v);
  for (size_t i = 0; i < m->out_nv; i++)
    mapped_expect(m, difference[i] / (2 * h), v[i], 1e-7, "difference of apply and J v");
  free(plus), free(minus), free(difference), free(v);
}

/* f . J v = (J^T f) . v, and J^T adds to what there was. */
static void check_transpose(MappedModel *m, double *const *x) {
  double *f[MOST_INPUTS] = {0}, *v = new_reals(m->out_nv), left = 0, right = 0;
  const SofaPoint at = point_at(m, x);
  for (size_t k = 0; k < m->n_in; k++) {
    f[k] = new_reals(m->nv[k]);
    for (size_t i = 0; i < m->nv[k]; i++) f[k][i] = m->v[k][i] / 3;
  }
  assert_int_equal(sofa_mapping_apply_jt(m->map, &at, m->out_f, f), SOFA_OK);
  do_apply_j(m, &at, v);
  for (size_t i = 0; i < m->out_nv; i++) left += m->out_f[i] * v[i];
  for (size_t k = 0; k < m->n_in; k++)
    for (size_t i = 0; i < m->nv[k]; i++) right += (f[k][i] - m->v[k][i] / 3) * m->v[k][i];
  mapped_expect(m, left, right, 1e-11 * (1 + fabs(left)), "f . J v and J^T f . v");
  free_all(m, f);
  free(v);
}

/* Rows of the matrices: sums over all inputs give J v; each column of a row stands once. */
static void check_jacobian(MappedModel *m, double *const *x) {
  double *sum = new_reals(m->out_nv), *v = new_reals(m->out_nv);
  const SofaPoint at = point_at(m, x);
  for (size_t k = 0; k < m->n_in; k++) {
    SofaJacobian j;
    assert_int_equal(sofa_mapping_jacobian(m->map, &at, k, &j), SOFA_OK);
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
  do_apply_j(m, &at, v);
  for (size_t i = 0; i < m->out_nv; i++)
    mapped_expect(m, sum[i], v[i], 1e-12 * (1 + fabs(sum[i])), "rows of the matrix and J v");
  free(sum), free(v);
}

/* Is the geometric stiffness exact, as the class says? */
static bool exact_geometric(const MappedModel *m) {
  return !m->ops->approximation || !m->ops->approximation(m->map);
}

static uint8_t *block_sizes(const SofaState *s) {
  uint8_t *blocks = calloc(s->position.n + 1, 1);
  memset(blocks, (int)sofa_state_kind_info(kind_of(s))->deriv, s->position.n);
  return blocks;
}

/* out += (block of two inputs in the assembled matrix of the geometric stiffness) v. */
static void assembled_product(MappedModel *m, const SofaPoint *at, size_t row, size_t column,
                              double *out) {
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
  assert_int_equal(sofa_mapping_add_djt(m->map, at, row, column, m->out_f, &tangent), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
  double *y = new_reals(m->nv[row] + 1);
  sofa_block_matrix_multiply(matrix, v, y, 1);
  for (size_t i = 0; i < m->nv[row]; i++) out[i] += y[i];
  sofa_block_matrix_destroy(&matrix);
  free(rows), free(columns), free(v), free(y);
}

/* J^T f at x + h v. */
static void pulled_force(MappedModel *m, double *const *x, double h, double *const *f) {
  double *moved[MOST_INPUTS];
  move(m, x, h, moved);
  const SofaPoint at = point_at(m, moved);
  for (size_t k = 0; k < m->n_in; k++) memset(f[k], 0, m->nv[k] * sizeof **f);
  assert_int_equal(sofa_mapping_apply_jt(m->map, &at, m->out_f, f), SOFA_OK);
  free_all(m, moved);
}

/* The geometric stiffness: differences of J^T f at fixed f, and the matrix of it. */
static void check_geometric(MappedModel *m, double *const *x) {
  if (!m->ops->apply_djt) return;
  const double h = 1e-5;
  const bool matrix = m->ops->add_djt || m->ops->add_djt_pair;
  double *plus[MOST_INPUTS], *minus[MOST_INPUTS], *product[MOST_INPUTS], *assembled[MOST_INPUTS];
  for (size_t k = 0; k < m->n_in; k++) {
    double **const all[] = {plus, minus, product, assembled};
    for (int i = 0; i < 4; i++) all[i][k] = new_reals(m->nv[k] + 1);
  }
  pulled_force(m, x, h, plus);
  pulled_force(m, x, -h, minus);
  SofaPoint at = point_at(m, x);
  assert_int_equal(sofa_mapping_apply_djt(m->map, &at, 1, m->out_f, at.v, product), SOFA_OK);
  pulled_force(m, x, 0.3, minus); // elsewhere
  for (size_t r = 0; matrix && r < m->n_in; r++)
    for (size_t c = 0; c < m->n_in; c++) assembled_product(m, &at, r, c, assembled[r]);
  pulled_force(m, x, -h, minus);
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

/* ---- rigid motions ---- */

/* x -> R x + t of points and frames, in place; false for kinds that do not live in space. */
static bool move_rigidly(SofaStateKind kind, double *x, size_t n) {
  static const double turn[4] = {0.16666666666666666, -0.5, 0.16666666666666666,
                                 0.83333333333333337};
  if (kind != SOFA_VEC3 && kind != SOFA_RIGID3) return false;
  const size_t coord = sofa_state_kind_info(kind)->coord;
  for (size_t i = 0; i < n; i++) {
    double *at = x + coord * i;
    sofa_quat_rotate(turn, at, at);
    at[0] += 3, at[1] -= 2, at[2] += 0.5;
    if (kind == SOFA_RIGID3) sofa_quat_multiply(turn, at + 3, at + 3);
  }
  return true;
}

/* Cases in which a part of the geometry does not move with the inputs. */
static bool stays_in_the_world(const MappingCase *c) {
  static const struct {
    const char *klass, *what; /* what NULL: all of the class */
  } cases[] = {
      {"VoidMapping", NULL},
      {"DistanceToPlaneMapping", NULL},
      {"DistanceFromTargetMapping", NULL},
      {"DeformableOnRigidFrameMapping", NULL},                      /* points of a frame */
      {"Mesh2PointMechanicalMapping", "points of all kinds"},       /* offsets along the axes */
      {"HexahedronCompositeFEMMapping", "frames that do not turn"}, /* linear elements */
      {"SubsetMapping", "places"},                                  /* a point without input */
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    if (strcmp(c->klass, cases[k].klass) == 0 &&
        (!cases[k].what || strcmp(c->what, cases[k].what) == 0))
      return true;
  return false;
}

/* Outputs move with their inputs, and lengths, areas and volumes stay. Frames whose orientation the
 * mapping does not set keep theirs. */
static void check_rigid_motion(MappedModel *m, double *const *x) {
  double *moved[MOST_INPUTS] = {0}, *before = new_reals(m->out_nx), *after = new_reals(m->out_nx);
  const SofaState *out = m->map->out;
  const SofaStateKindInfo *info = sofa_state_kind_info(kind_of(out));
  bool spatial = !stays_in_the_world(m->c);
  move(m, x, 0, moved);
  SofaPoint at = point_at(m, x);
  do_apply(m, &at, before);
  for (size_t k = 0; k < m->n_in; k++) {
    const SofaState *in = m->map->inputs[k];
    spatial = spatial && move_rigidly(kind_of(in), moved[k], in->position.n);
  }
  at = point_at(m, moved);
  do_apply(m, &at, after);
  double *expected = new_reals(m->out_nx);
  memcpy(expected, before, m->out_nx * sizeof *expected);
  move_rigidly(kind_of(out), expected, out->position.n);
  for (size_t i = 0; i < m->out_nx && spatial; i++) {
    const bool kept = i % info->coord > 2 && after[i] == before[i];
    if (!kept) mapped_expect(m, after[i], expected[i], 1e-12, "output after a rigid motion");
  }
  free_all(m, moved);
  free(before), free(after), free(expected);
}

/* ---- points in turn ---- */

/* What all functions give at a point, one after the other. */
typedef struct Answers {
  double *value;
  size_t n;
} Answers;

static void keep(Answers *a, const double *values, size_t n) {
  a->value = realloc(a->value, (a->n + n + 1) * sizeof *a->value);
  assert_non_null(a->value);
  if (n) memcpy(a->value + a->n, values, n * sizeof *values);
  a->n += n;
}

/* Positions, in `derivatives` everything else. The order of the functions is another one in odd
 * turns, so that none of them relies on an earlier one. */
static void ask(MappedModel *m, const SofaPoint *at, int turn, Answers *positions,
                Answers *derivatives) {
  enum { APPLY, J, JT, DJT, JACOBIAN, N };
  Answers part[N] = {{NULL, 0}};
  double *x = new_reals(m->out_nx), *v = new_reals(m->out_nv), *f[MOST_INPUTS];
  for (size_t k = 0; k < m->n_in; k++) f[k] = new_reals(m->nv[k]);
  for (int i = 0; i < N; i++) {
    const int what = turn % 2 ? N - 1 - i : i;
    for (size_t k = 0; k < m->n_in; k++) memset(f[k], 0, m->nv[k] * sizeof **f);
    if (what == APPLY) {
      do_apply(m, at, x);
      keep(&part[what], x, m->out_nx);
    } else if (what == J) {
      do_apply_j(m, at, v);
      keep(&part[what], v, m->out_nv);
    } else if (what == JACOBIAN) {
      for (size_t k = 0; k < m->n_in; k++) {
        SofaJacobian j;
        assert_int_equal(sofa_mapping_jacobian(m->map, at, k, &j), SOFA_OK);
        keep(&part[what], j.value, j.start[j.n_rows]);
      }
    } else if (what == JT || m->ops->apply_djt) {
      const SofaErr err = what == JT ? sofa_mapping_apply_jt(m->map, at, m->out_f, f)
                                     : sofa_mapping_apply_djt(m->map, at, 1, m->out_f, at->v, f);
      assert_int_equal(err, SOFA_OK);
      for (size_t k = 0; k < m->n_in; k++) keep(&part[what], f[k], m->nv[k]);
    }
  }
  keep(positions, part[APPLY].value, part[APPLY].n);
  for (int i = J; i < N; i++) keep(derivatives, part[i].value, part[i].n);
  for (int i = 0; i < N; i++) free(part[i].value);
  free_all(m, f);
  free(x), free(v);
}

static void expect_same(const MappedModel *m, Answers *a, Answers *b, const char *what) {
  if (a->n != b->n || memcmp(a->value, b->value, a->n * sizeof *a->value) != 0)
    fail_msg("%s, %s: %s are others after evaluations at another point", m->c->klass, m->c->what,
             what);
  free(b->value);
  *b = (Answers){0};
}

/* At A, at B, at A with the identity it had, and with a new one: the same bits as alone. */
static void check_points(MappedModel *m) {
  Answers x[N_PLACES] = {{0}}, d[N_PLACES] = {{0}};
  SofaPoint at[N_PLACES];
  for (int i = 0; i < N_PLACES; i++) {
    at[i] = point_at(m, m->x[i]);
    ask(m, &at[i], 0, &x[i], &d[i]);
  }
  for (int turn = 0; turn < 8; turn++) {
    const int i = turn % 4 < 2 ? turn % 2 : 1 - turn % 2;
    Answers x2 = {0}, d2 = {0};
    if (turn >= 4) at[i] = point_at(m, m->x[i]);
    ask(m, &at[i], turn / 2, &x2, &d2);
    expect_same(m, &x[i], &x2, "positions");
    expect_same(m, &d[i], &d2, "derivatives");
  }
  for (int i = 0; i < N_PLACES; i++) free(x[i].value), free(d[i].value);
}

/* The derivative at A after apply at B: only apply and one function each. */
static void check_interleaved(MappedModel *m) {
  double *first = new_reals(m->out_nv), *v = new_reals(m->out_nv), *x = new_reals(m->out_nx);
  const SofaPoint a = point_at(m, m->x[0]), b = point_at(m, m->x[1]);
  do_apply(m, &a, x);
  do_apply_j(m, &a, first);
  do_apply(m, &b, x);
  do_apply_j(m, &a, v);
  assert_memory_equal(first, v, m->out_nv * sizeof *v);
  free(first), free(v), free(x);
}

/* A mapping that says it is linear has the same J everywhere. */
static void check_linear(MappedModel *m) {
  if (!sofa_mapping_is_constant(m->map)) return;
  double *here = new_reals(m->out_nv), *there = new_reals(m->out_nv);
  const SofaPoint a = point_at(m, m->x[0]), b = point_at(m, m->x[1]);
  SofaJacobian j;
  do_apply_j(m, &a, here);
  for (size_t k = 0; k < m->n_in; k++) {
    // the class itself, without what the framework keeps
    assert_int_equal(m->ops->jacobian(m->map, &b, k, &j), SOFA_OK);
    for (size_t r = 0; r < j.n_rows; r++)
      for (uint32_t e = j.start[r]; e < j.start[r + 1]; e++)
        there[r] += j.value[e] * m->v[k][j.column[e]];
  }
  for (size_t i = 0; i < m->out_nv; i++)
    mapped_expect(m, here[i], there[i], 1e-12 * (1 + fabs(here[i])), "J v here and there");
  free(here), free(there);
}

/* No memory is asked for once the operations ran, at points that change. */
static void check_memory(MappedModel *m) {
  double *x = new_reals(m->out_nx), *v = new_reals(m->out_nv), *f[MOST_INPUTS];
  for (size_t k = 0; k < m->n_in; k++) f[k] = new_reals(m->nv[k]);
  const uint64_t before = m->run.ctx->n_allocations;
  for (int turn = 0; turn < 4; turn++) {
    const SofaPoint at = point_at(m, m->x[turn % N_PLACES]);
    SofaJacobian j;
    if (turn % 2) do_apply(m, &at, x);
    do_apply_j(m, &at, v);
    assert_int_equal(sofa_mapping_apply_jt(m->map, &at, m->out_f, f), SOFA_OK);
    for (size_t k = 0; k < m->n_in; k++)
      assert_int_equal(sofa_mapping_jacobian(m->map, &at, k, &j), SOFA_OK);
  }
  assert_int_equal(m->run.ctx->n_allocations, before);
  free_all(m, f);
  free(x), free(v);
}

/* The check of scenes, at the first place. */
static void check_report(MappedModel *m) {
  SofaCheckReport report = {.ctx = m->run.ctx};
  for (size_t k = 0; k < m->n_in; k++)
    memcpy(m->map->inputs[k]->position.data, m->x[0][k], m->nx[k] * sizeof **m->x[0]);
  assert_int_equal(sofa_check_mapping(m->map, &report), SOFA_OK);
  assert_int_equal(report.findings.n, 1);
  const SofaFinding *f = &report.findings.data[0];
  const bool exact = exact_geometric(m) && (m->ops->apply_djt || sofa_mapping_is_constant(m->map));
  if (f->verdict > (exact ? SOFA_CHECK_OK : SOFA_CHECK_APPROXIMATE))
    fail_msg("%s, %s: %s: %s", m->c->klass, m->c->what, sofa_check_verdict_text(f->verdict),
             f->text);
  sofa_check_report_free(&report);
}

void conform_mapping(const MappingCase *c) {
  MappedModel m;
  mapped_open(&m, c);
  check_init(&m);
  leave_states(&m);
  for (int turn = 0; turn < 2 * N_PLACES; turn++) {
    double *const *x = m.x[turn % N_PLACES];
    check_differences(&m, x);
    check_transpose(&m, x);
    check_jacobian(&m, x);
    check_geometric(&m, x);
    check_rigid_motion(&m, x);
  }
  check_points(&m);
  check_interleaved(&m);
  check_linear(&m);
  check_memory(&m);
  check_report(&m);
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
