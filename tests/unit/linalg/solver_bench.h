/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A node with a linear solver whose system is a block matrix given by the test. */
#ifndef TESTS_SOLVER_BENCH_H
#define TESTS_SOLVER_BENCH_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <cmocka.h>

#include "behavior/linear_solver.h"
#include "components/builtins.h"
#include "dense.h"
#include "object/factory.h"
#include "simulation/mechanics.h"

typedef struct GivenSystem {
  SofaLinearSystem system;
  SofaBlockMatrix *matrix; /* borrowed */
  uint64_t products;
} GivenSystem;

typedef struct SolverBench {
  SofaContext *ctx;
  SofaNode *root;
  uint64_t graph_version;
  SofaLinearSolver *solver;
  GivenSystem *system;
  SofaBlockMatrix *matrix; /* owned */
  SofaMechanics mechanics; /* only sizes */
  size_t n;
  double *b, *x, *expected;
  char said[1000]; /* last warning or error */
  int n_warnings, n_errors;
} SolverBench;

static SofaErr given_build(SofaLinearSystem *system, SofaMechanics *m, const SofaMechParams *params,
                           const SofaMechPoint *at) {
  (void)system, (void)m, (void)params, (void)at;
  return SOFA_OK;
}
static SofaErr given_apply(SofaLinearSystem *system, double *p, double *q) {
  GivenSystem *s = (GivenSystem *)system;
  s->products++;
  sofa_block_matrix_multiply(s->matrix, p, q, system->object.ctx->threads);
  return SOFA_OK;
}
static SofaBlockMatrix *given_matrix(SofaLinearSystem *system) {
  return ((GivenSystem *)system)->matrix;
}
static const SofaLinearSystemOps given_ops = {
    .build = given_build, .apply = given_apply, .matrix = given_matrix};
static const SofaClass given_class = {.name = "GivenSystem",
                                      .help = "A system of a test.",
                                      .base = &sofa_linear_system_class,
                                      .size = sizeof(GivenSystem),
                                      SOFA_IMPLEMENTS({SOFA_LINEAR_SYSTEM, &given_ops})};

static void bench_sink(void *user, const SofaMessage *m) {
  SolverBench *b = user;
  if (m->severity == SOFA_WARNING) b->n_warnings++;
  if (m->severity >= SOFA_ERROR) b->n_errors++;
  if (m->severity >= SOFA_WARNING) snprintf(b->said, sizeof b->said, "%s", m->text);
}

/* Registers the classes of csofa and of the plugin SofaCaribou. */
static inline void bench_register(SofaContext *ctx) {
  const SofaOrigin origin = {.emitter = "test"};
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  assert_int_equal(sofa_plugin_load(ctx, "SofaCaribou", NULL, &origin), SOFA_OK);
#ifdef BENCH_PLUGIN /* one more */
  assert_int_equal(sofa_plugin_load(ctx, BENCH_PLUGIN, NULL, &origin), SOFA_OK);
#endif
}

/* fields: "name", "value", ..., NULL. Returns what the solver's init does. */
static inline SofaErr bench_try_open(SolverBench *b, const char *class_name,
                                     const char *template_name, const SofaContextOptions *options,
                                     const char *const *fields) {
  SofaContextOptions o = options ? *options : (SofaContextOptions){0};
  SofaObject *object = NULL;
  memset(b, 0, sizeof *b);
  o.sink = bench_sink;
  o.sink_user = b;
  assert_int_equal(sofa_context_create(&o, &b->ctx), SOFA_OK);
  bench_register(b->ctx);
  assert_int_equal(sofa_node_create(b->ctx, NULL, "root", &b->root), SOFA_OK);
  b->root->graph_version = &b->graph_version;
  const SofaClass *klass = sofa_factory_find(b->ctx, class_name, NULL);
  assert_non_null(klass);
  const SofaLinearSolverOps *ops = sofa_class_ops(klass, SOFA_LINEAR_SOLVER);
  assert_int_equal(sofa_object_create(b->root, klass, "solver", template_name, &object), SOFA_OK);
  b->solver = (SofaLinearSolver *)object;
  for (size_t i = 0; fields && fields[i]; i += 2)
    assert_int_equal(sofa_field_set_text(object, fields[i], fields[i + 1], 0), SOFA_OK);
  const SofaErr parsed = sofa_object_run(object, SOFA_RUN_PARSED);
  const char *of_system = ops->system_template ? ops->system_template : object->template_name;
  assert_int_equal(sofa_object_create(b->root, &given_class, "system", of_system, &object),
                   SOFA_OK);
  b->system = (GivenSystem *)object;
  return parsed != SOFA_OK ? parsed : sofa_object_run(&b->solver->object, SOFA_RUN_INIT);
}
static inline void bench_open_with(SolverBench *b, const char *class_name,
                                   const char *template_name, const SofaContextOptions *options,
                                   const char *const *fields) {
  assert_int_equal(bench_try_open(b, class_name, template_name, options, fields), SOFA_OK);
  assert_ptr_equal(b->solver->system, b->system);
}

static void bench_close(SolverBench *b) {
  sofa_node_destroy(&b->root);
  sofa_block_matrix_destroy(&b->matrix);
  sofa_context_destroy(&b->ctx);
  free(b->b), free(b->x), free(b->expected);
}

/* A matrix over blocks of three: fill(i, j, block, user) tells which blocks it has. */
typedef bool (*FillBlock)(uint32_t i, uint32_t j, double *block, void *user);
static void bench_matrix(SolverBench *b, uint32_t n_blocks, FillBlock fill, void *user) {
  double block[9];
  if (!b->matrix) {
    uint8_t *sizes = malloc(n_blocks);
    memset(sizes, 3, n_blocks);
    assert_int_equal(sofa_block_matrix_create(b->ctx, n_blocks, sizes, n_blocks, sizes, &b->matrix),
                     SOFA_OK);
    free(sizes);
    b->n = 3 * (size_t)n_blocks;
    b->b = calloc(b->n + 1, sizeof(double));
    b->x = calloc(b->n + 1, sizeof(double));
    b->expected = calloc(b->n + 1, sizeof(double));
    b->mechanics = (SofaMechanics){.ctx = b->ctx, .n_v = b->n, .n_v_main = b->n};
    b->system->matrix = b->matrix;
    b->system->system.mechanics = &b->mechanics;
  }
  sofa_block_matrix_begin(b->matrix);
  for (uint32_t i = 0; i < n_blocks; i++)
    for (uint32_t j = 0; j < n_blocks; j++)
      if (fill(i, j, block, user)) sofa_block_matrix_add(b->matrix, i, j, block, 1);
  assert_int_equal(sofa_block_matrix_end(b->matrix), SOFA_OK);
}

static inline void bench_random_b(SolverBench *b, uint64_t seed) {
  for (size_t i = 0; i < b->n; i++) b->b[i] = random_real(&seed);
}

static inline double bench_error(const SolverBench *b) {
  double worst = 0, size = 0;
  for (size_t i = 0; i < b->n; i++) {
    worst = fmax(worst, fabs(b->x[i] - b->expected[i]));
    size = fmax(size, fabs(b->expected[i]));
  }
  return worst / size;
}

/* ---- matrices ---- */

typedef struct Shape {
  uint32_t reach; /* blocks |i - j| <= reach, and those `far` apart */
  uint32_t far;
  double diagonal; /* added to the diagonal */
  double skew;     /* added to entries below the diagonal */
  bool alternate;  /* every other diagonal is negative */
  double scale;
} Shape;

/* the same number for (r, c) and (c, r) */
static inline double pair_number(size_t r, size_t c) {
  uint64_t seed = 77 + 1000003u * (uint64_t)(r < c ? r : c) + 7919u * (uint64_t)(r < c ? c : r);
  for (int i = 0; i < 4; i++) random_real(&seed);
  return random_real(&seed);
}

static bool shaped(uint32_t i, uint32_t j, double *block, void *user) {
  const Shape *s = user;
  const uint32_t apart = i > j ? i - j : j - i;
  if (apart > s->reach && (!s->far || apart != s->far)) return false;
  for (size_t r = 0; r < 3; r++) {
    for (size_t c = 0; c < 3; c++) {
      const size_t row = 3 * (size_t)i + r, column = 3 * (size_t)j + c;
      double v = pair_number(row, column);
      if (row == column) v += s->alternate && row % 2 ? -s->diagonal : s->diagonal;
      if (row > column) v += s->skew;
      block[3 * r + c] = v * (s->scale != 0 ? s->scale : 1);
    }
  }
  return true;
}

/* A solver of the class on n blocks of the shape, with a random right-hand side. */
static inline void bench_open_shaped(SolverBench *b, const char *klass, const char *template_name,
                                     const SofaContextOptions *options, const char *const *fields,
                                     uint32_t n, Shape shape) {
  bench_open_with(b, klass, template_name, options, fields);
  bench_matrix(b, n, shaped, &shape);
  bench_random_b(b, 4 + n);
}

static inline SofaErr bench_solve(SolverBench *b) {
  return sofa_linear_solver_solve(b->solver, b->b, b->x);
}

/* x solves the system, scaled: d is solved densely, then x compared. */
static inline void bench_expect_of(SolverBench *b, const Dense *d, double scale, double tolerance) {
  assert_true(dense_solve(d, b->b, b->expected));
  assert_int_equal(bench_solve(b), SOFA_OK);
  for (size_t i = 0; i < b->n; i++) b->x[i] *= scale;
  assert_true(bench_error(b) < tolerance);
}

/* The same with the matrix as it is. */
static inline void bench_expect(SolverBench *b, double tolerance) {
  Dense d = dense_of(b->matrix);
  bench_expect_of(b, &d, 1, tolerance);
  free(d.a);
}

#endif
