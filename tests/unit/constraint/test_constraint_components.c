/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Constraint solvers as components, each on problems filled by hand: fields, outputs, messages,
 * quirks. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "behavior/lagrangian.h"
#include "numerics/constraint/laws.h"
#include "simulation/convergence.h"

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static const SofaConstraintBlock row = {.law = &sofa_law_bilateral, .n = 1, .relaxation = 1},
                                 joint = {.law = &sofa_law_bilateral, .n = 3, .relaxation = 1},
                                 contact = {.law = &sofa_law_unilateral, .n = 1},
                                 rubbing = {.law = &sofa_law_friction, .n = 3, .friction = 0.5};

/* ---- a solver and its problem ---- */

typedef struct Bench {
  SceneRun run;
  SofaConstraintSolver *solver;
  SofaConstraintProblem problem;
} Bench;

/* `attributes`: of the solver; `words`: quirks, NULL: none. */
static void bench_open(Bench *b, const char *klass, const char *attributes, const char *words) {
  char text[600];
  memset(b, 0, sizeof *b);
  snprintf(text, sizeof text, "<Node><%s name='s' %s/></Node>", klass, attributes);
  b->run.quiet = true;
  scene_run_context(&b->run, &(SofaContextOptions){.quirk_words = words});
  if (sofa_simulation_load_text(b->run.ctx, text, &b->run.simulation) != SOFA_OK ||
      sofa_simulation_init(b->run.simulation) != SOFA_OK)
    fail_msg("%s: %s", klass, b->run.all);
  b->run.n_problems = 0;
  b->solver = (SofaConstraintSolver *)scene_run_object(&b->run, "/s");
  b->problem.ctx = b->run.ctx;
}

static void bench_close(Bench *b) {
  sofa_constraint_problem_free(&b->problem);
  scene_run_close(&b->run);
}

static void bench_blocks(Bench *b, const SofaConstraintBlock *block, size_t n_blocks) {
  SofaConstraintProblem *p = &b->problem;
  uint32_t first;
  p->n = 0;
  p->blocks.n = 0;
  for (size_t i = 0; i < n_blocks; i++) {
    SofaConstraintBlock one = *block;
    one.id = (int64_t)i + 1;
    assert_int_equal(sofa_constraint_block(p, &one, &first), SOFA_OK);
  }
  assert_int_equal(SOFA_RESIZE(p->ctx, &p->violation, p->n), SOFA_OK);
  assert_int_equal(SOFA_RESIZE(p->ctx, &p->lambda, p->n), SOFA_OK);
  assert_int_equal(SOFA_RESIZE(p->ctx, &p->w, (size_t)p->n * p->n), SOFA_OK);
}

static void bench_fill(Bench *b, const double *w, const double *free) {
  memcpy(b->problem.w.data, w, b->problem.w.n * sizeof *w);
  memcpy(b->problem.violation.data, free, b->problem.n * sizeof *free);
  memset(b->problem.lambda.data, 0, b->problem.n * sizeof *free);
}

static SofaErr bench_solve(Bench *b) {
  return b->solver->ops->solve(b->solver, &b->problem);
}

static void bench_assert(const Bench *b, const double *lambda, double tolerance) {
  for (uint32_t i = 0; i < b->problem.n; i++)
    if (!(fabs(b->problem.lambda.data[i] - lambda[i]) <= tolerance))
      fail_msg("lambda[%u] is %.15g, not %.15g", i, b->problem.lambda.data[i], lambda[i]);
}

/* A number of an output's text. */
static double output(const Bench *b, const char *name, int index) {
  SofaObject *object = &b->solver->object;
  const SofaField *field = sofa_class_field(object->klass, name);
  SofaText text = {0};
  double value = NAN;
  if (!field) fail_msg("%s has no field %s", object->klass->name, name);
  assert_int_equal(sofa_field_compute(object, field), SOFA_OK);
  assert_int_equal(sofa_field_print(object, field, &text), SOFA_OK);
  char *at = text.data, *end;
  for (int n = 0; at && n <= index; n++, at = end) {
    value = strtod(at, &end);
    if (end == at) value = NAN;
    if (end == at) break;
  }
  sofa_list_free(object->ctx, &text);
  return value;
}

/* Two rows with the solution (1/3, 1/3). */
static const double two_w[] = {2, 1, 1, 2}, two_free[] = {-1, -1};

/* ---- a correction that knows W ---- */

typedef struct Dense {
  SofaConstraintCorrection base;
  double forces[16];
} Dense;

static SofaErr dense_start(SofaConstraintCorrection *c, const SofaConstraintProblem *p,
                           double *const *blocks, const double *lambda) {
  memcpy(((Dense *)c)->forces, lambda, p->n * sizeof *lambda);
  for (size_t k = 0; k < p->blocks.n; k++) {
    const SofaConstraintBlock *b = &p->blocks.data[k];
    for (uint32_t i = 0; i < b->n; i++)
      for (uint32_t j = 0; j < b->n; j++)
        blocks[k][i * b->n + j] += p->w.data[(b->first + i) * p->n + b->first + j];
  }
  return SOFA_OK;
}

static bool dense_knows(const SofaConstraintCorrection *c, const SofaConstraintProblem *p,
                        const SofaConstraintBlock *block) {
  (void)c, (void)p, (void)block;
  return true;
}

static void dense_displacement(const SofaConstraintCorrection *c, const SofaConstraintProblem *p,
                               const SofaConstraintBlock *b, double *d) {
  for (uint32_t i = 0; i < b->n; i++)
    for (uint32_t j = 0; j < p->n; j++)
      d[i] += p->w.data[(b->first + i) * p->n + j] * ((const Dense *)c)->forces[j];
}

static void dense_force(SofaConstraintCorrection *c, const SofaConstraintProblem *p,
                        const SofaConstraintBlock *b, const double *change) {
  (void)p;
  for (uint32_t i = 0; i < b->n; i++) ((Dense *)c)->forces[b->first + i] += change[i];
}

static const SofaConstraintCorrectionOps dense_ops = {.start = dense_start,
                                                      .knows = dense_knows,
                                                      .add_displacement = dense_displacement,
                                                      .add_force = dense_force};

static SofaErr solve_unbuilt(Bench *b) {
  Dense dense = {.base = {.ops = &dense_ops}};
  SofaConstraintCorrection *one = &dense.base;
  b->problem.corrections = &one;
  b->problem.n_corrections = 1;
  const SofaErr err = bench_solve(b);
  b->problem.corrections = NULL;
  b->problem.n_corrections = 0;
  return err;
}

/* ---- all solvers ---- */

static const char *const solvers[] = {"BlockGaussSeidelConstraintSolver",
                                      "NNCGConstraintSolver",
                                      "ImprovedJacobiConstraintSolver",
                                      "PreconditionedConjugateResidual",
                                      "NonsmoothNewtonConstraintSolver",
                                      "UnbuiltGaussSeidelConstraintSolver",
                                      "LCPConstraintSolver",
                                      "LCPConstraintSolver build_lcp='0'"};

static void open_any(Bench *b, size_t which, const char *attributes) {
  char klass[64], more[200];
  snprintf(klass, sizeof klass, "%s", solvers[which]);
  char *space = strchr(klass, ' ');
  snprintf(more, sizeof more, "%s %s", space ? space : "", attributes);
  if (space) *space = '\0';
  bench_open(b, klass, more, NULL);
}

/* Every solver finds the forces of two joints. */
static void solutions(void **state) {
  (void)state;
  const double w[36] = {3, 1, 0, 0, 0, 0, 1, 3, 0, 0, 0, 0, 0, 0, 2,   0, 0, 0.5,
                        0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0.5, 0, 0, 4};
  const double free[6] = {-1, 2, 0.5, 1, -3, 0};
  const double wanted[6] = {5 / 8.0, -7 / 8.0, -0.5 * 4 / 7.75, -0.5, 1.5, 0.25 / 7.75};
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    Bench b;
    open_any(&b, i, "tolerance='1e-13' computeConstraintForces='1'");
    bench_blocks(&b, &joint, 2);
    bench_fill(&b, w, free);
    assert_int_equal(solve_unbuilt(&b), SOFA_OK);
    bench_assert(&b, wanted, 1e-11);
    assert_int_equal(b.run.n_problems, 0);
    assert_near(output(&b, "constraintForces", 4), 1.5, 1e-11);
    assert_true(output(&b, "residual", 0) < 1e-12 && output(&b, "residual", 1) < 1e-12);
    bench_close(&b);
  }
}

/* Contacts with friction, by all but conjugate residuals. */
static void contacts(void **state) {
  (void)state;
  const double w[] = {2, 0.5, 0, 0.5, 1, 0, 0, 0, 3}, free[] = {-1, 0.9, 0.2};
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    Bench b;
    if (i == 3) continue;
    open_any(&b, i, "tolerance='1e-13'");
    bench_blocks(&b, &rubbing, 1);
    bench_fill(&b, w, free);
    assert_int_equal(solve_unbuilt(&b), SOFA_OK);
    assert_int_equal(b.run.n_problems, 0);
    const double *f = b.problem.lambda.data;
    assert_near(hypot(f[1], f[2]), 0.5 * f[0], 1e-11);
    assert_true(output(&b, "residual", 0) < 1e-11);
    bench_close(&b);
  }
}

/* The first solve that ends by its limit is a warning; with strict the step fails. */
static void unconverged(void **state) {
  (void)state;
  const double w[] = {2, 1.9, 1.9, 2}, free[] = {-1, 1};
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    Bench b;
    if (i == 3 || i == 4) continue; // they solve two rows by two iterations
    open_any(&b, i, i < 6 ? "maxIterations='2' tolerance='1e-9'" : "maxIt='2' tolerance='1e-9'");
    bench_blocks(&b, &row, 2);
    for (int n = 0; n < 3; n++) {
      bench_fill(&b, w, free);
      assert_int_equal(solve_unbuilt(&b), SOFA_OK);
    }
    assert_int_equal(b.run.n_problems, 1);
    assert_non_null(strstr(b.run.last, "did not converge in step"));
    assert_non_null(strstr(b.run.last, "after 2 iterations"));
    assert_true(b.solver->object.listening);
    b.run.ctx->strict = true;
    bench_fill(&b, w, free);
    assert_int_equal(solve_unbuilt(&b), SOFA_ERR_NOT_CONVERGED);
    bench_close(&b);
  }
}

static void take_row(void *user, const SofaConvergenceRow *r) {
  *(SofaConvergenceRow *)user = *r;
}

static void convergence_rows(void **state) {
  (void)state;
  Bench b;
  SofaConvergenceRow last = {0};
  bench_open(&b, "BlockGaussSeidelConstraintSolver", "maxIterations='1'", NULL);
  sofa_convergence_observe(b.run.ctx, &(SofaConvergence){.row = take_row, .user = &last});
  bench_blocks(&b, &row, 2);
  bench_fill(&b, two_w, two_free);
  assert_int_equal(bench_solve(&b), SOFA_OK);
  assert_int_equal(last.kind, SOFA_CONVERGENCE_CONSTRAINT);
  assert_ptr_equal(last.solver, &b.solver->object);
  assert_near(last.residual, 0.25, 1e-15);
  assert_near(last.correction, 1.5, 1e-15);
  assert_int_equal(last.linear_iterations, 1);
  assert_string_equal(last.reason, "not converged");
  sofa_convergence_observe(b.run.ctx, NULL);
  bench_close(&b);
}

/* ---- outputs ---- */

static void outputs(void **state) {
  (void)state;
  const struct {
    size_t solver;
    const char *attributes;
    int iterations, quirk;
  } rows[] = {{0, "tolerance='0.1'", 3, 4}, {0, "maxIt='2' tolerance='0'", 2, 3},
              {1, "tolerance='0.1'", 3, 3}, {2, "tolerance='0.2'", 4, 5},
              {5, "tolerance='0.1'", 3, 3}, {5, "maxIterations='2' tolerance='0'", 2, 3},
              {3, "tolerance='1e-9'", 2, 3}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int quirk = 0; quirk < 2; quirk++) {
      Bench b;
      bench_open(&b, solvers[rows[i].solver], rows[i].attributes,
                 quirk ? "constraint-iterations" : NULL);
      bench_blocks(&b, &row, 2);
      bench_fill(&b, two_w, two_free);
      assert_int_equal(solve_unbuilt(&b), SOFA_OK);
      assert_near(output(&b, "currentNumConstraints", 0), 2, 0);
      assert_near(output(&b, "currentNumConstraintGroups", 0), 2, 0);
      const double made = output(&b, "currentIterations", 0);
      if (made != (quirk ? rows[i].quirk : rows[i].iterations))
        fail_msg("row %zu, quirk %d: %g iterations", i, quirk, made);
      bench_blocks(&b, &row, 0);
      assert_int_equal(solve_unbuilt(&b), SOFA_OK);
      assert_near(output(&b, "currentNumConstraints", 0), 0, 0);
      assert_near(output(&b, "currentIterations", 0), 0, 0);
      assert_near(output(&b, "currentError", 0), 0, 0);
      bench_close(&b);
    }
}

static void graphs(void **state) {
  (void)state;
  Bench b;
  bench_open(&b, "BlockGaussSeidelConstraintSolver", "computeGraphs='1' tolerance='0.1'", NULL);
  bench_blocks(&b, &row, 2);
  bench_fill(&b, two_w, two_free);
  assert_int_equal(bench_solve(&b), SOFA_OK);
  assert_near(output(&b, "graphErrors", 2), 0.09375, 1e-12);
  assert_true(isnan(output(&b, "graphErrors", 3)));
  assert_near(output(&b, "graphForces", 5), 0.328125, 1e-12);
  assert_near(output(&b, "graphViolations", 1), -0.5, 1e-12);
  assert_near(output(&b, "graphConstraints", 0), 1, 1e-12);
  assert_near(output(&b, "currentError", 0), 0.09375, 1e-12);
  bench_close(&b);
}

/* ---- quirks ---- */

/* The number `lambda[index]` of a problem without a quirk and with it. */
typedef struct Case {
  const char *word, *klass, *attributes;
  const SofaConstraintBlock *block;
  size_t n_blocks;
  const double *w, *free;
  int solves, index; /* of the last solve */
  double without, with, tolerance;
} Case;

static double run_case(const Case *c, const char *words) {
  Bench b;
  double memory[16] = {0};
  bench_open(&b, c->klass, c->attributes, words);
  bench_blocks(&b, c->block, c->n_blocks);
  for (size_t k = 0; k < c->n_blocks && c->block->law == &sofa_law_bilateral; k++)
    b.problem.blocks.data[k].memory = memory + b.problem.blocks.data[k].first;
  for (int i = 0; i < c->solves; i++) {
    bench_fill(&b, c->w, c->free);
    assert_int_equal(solve_unbuilt(&b), SOFA_OK);
  }
  const double value = b.problem.lambda.data[c->index];
  bench_close(&b);
  return value;
}

static void check_case(const Case *c) {
  const double without = run_case(c, NULL), with = run_case(c, c->word);
  if (!(fabs(without - c->without) <= c->tolerance))
    fail_msg("%s: %.12g without, not %.12g", c->word, without, c->without);
  if (!(fabs(with - c->with) <= c->tolerance))
    fail_msg("%s: %.12g with, not %.12g", c->word, with, c->with);
}

static void nncg_extrapolated(void **state) {
  (void)state;
  check_case(&(Case){.word = "nncg-extrapolated",
                     .klass = "NNCGConstraintSolver",
                     .attributes = "maxIterations='3' tolerance='0'",
                     .block = &row,
                     .n_blocks = 2,
                     .w = two_w,
                     .free = two_free,
                     .solves = 1,
                     .index = 1,
                     .without = 0.33203125,
                     .with = 0.351867675781,
                     .tolerance = 1e-11});
}

/* Row 0 is solved at once, the others are not: SOFA's error ends the solve after two iterations. */
static void residual_by_number(void **state) {
  (void)state;
  const double w[] = {2, 1, 0, 1, 3, 1, 0, 1, 4}, free[] = {-1, -2, -0.5};
  check_case(&(Case){.word = "residual-by-number",
                     .klass = "PreconditionedConjugateResidual",
                     .attributes = "tolerance='0.05'",
                     .block = &row,
                     .n_blocks = 3,
                     .w = w,
                     .free = free,
                     .solves = 1,
                     .index = 0,
                     .without = 7 / 36.0,
                     .with = 0.23857842,
                     .tolerance = 1e-8});
}

/* One sweep in each of two steps: the second goes on, or begins again. */
static void unbuilt_cold_start(void **state) {
  (void)state;
  check_case(&(Case){.word = "unbuilt-cold-start",
                     .klass = "UnbuiltGaussSeidelConstraintSolver",
                     .attributes = "maxIterations='1' tolerance='0'",
                     .block = &row,
                     .n_blocks = 2,
                     .w = two_w,
                     .free = two_free,
                     .solves = 2,
                     .index = 1,
                     .without = 0.3125,
                     .with = 0.25,
                     .tolerance = 1e-12});
}

/* sor = 1.5: with what the corrections are told the iterates are those of BlockGaussSeidel. */
static void unbuilt_mixing(void **state) {
  (void)state;
  check_case(&(Case){.word = "unbuilt-mixing",
                     .klass = "UnbuiltGaussSeidelConstraintSolver",
                     .attributes = "maxIterations='2' tolerance='0' sor='1.5'",
                     .block = &row,
                     .n_blocks = 2,
                     .w = two_w,
                     .free = two_free,
                     .solves = 1,
                     .index = 0,
                     .without = 0.09375,
                     .with = 0.5625,
                     .tolerance = 1e-12});
}

/* The contact slides: lambda_t = mu lambda_n with the contact's mu 0.5, or the solver's 0.6; a
 * value in the scene counts in both. */
static void lcp_friction(void **state) {
  (void)state;
  const double w[] = {2, 0, 0, 0, 1, 0, 0, 0, 1}, free[] = {-1, 9, 0};
  Case c = {.word = "lcp-friction",
            .klass = "LCPConstraintSolver",
            .attributes = "",
            .block = &rubbing,
            .n_blocks = 1,
            .w = w,
            .free = free,
            .solves = 1,
            .index = 1,
            .without = -0.25,
            .with = -0.3,
            .tolerance = 1e-12};
  check_case(&c);
  c.attributes = "mu='0.2'";
  c.without = c.with = -0.1;
  check_case(&c);
  // a joint is one, or is taken for a contact that cannot pull
  c = (Case){.word = "lcp-friction",
             .klass = "LCPConstraintSolver",
             .attributes = "",
             .block = &joint,
             .n_blocks = 1,
             .w = w,
             .free = (double[]){1, 0, 0},
             .solves = 1,
             .index = 0,
             .without = -0.5,
             .with = 0,
             .tolerance = 1e-12};
  check_case(&c);
}

static void lcp_rows_that_do_not_fit(void **state) {
  (void)state;
  Bench b;
  bench_open(&b, "LCPConstraintSolver", "", "lcp-friction");
  bench_blocks(&b, &contact, 2);
  bench_fill(&b, two_w, two_free);
  assert_int_equal(bench_solve(&b), SOFA_OK);
  bench_assert(&b, (double[]){0, 0}, 0);
  assert_non_null(strstr(b.run.last, "not those of contacts with friction"));
  bench_close(&b);
  bench_open(&b, "LCPConstraintSolver", "tolerance='1e-12'", NULL);
  bench_blocks(&b, &contact, 2);
  bench_fill(&b, two_w, two_free);
  assert_int_equal(bench_solve(&b), SOFA_OK);
  bench_assert(&b, (double[]){1 / 3.0, 1 / 3.0}, 1e-11);
  assert_int_equal(b.run.n_problems, 0);
  bench_close(&b);
}

static void lcp_held_points(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    Bench b;
    bench_open(&b, "LCPConstraintSolver", "", quirk ? "lcp-held-points" : NULL);
    assert_int_equal(b.solver->ops->keeps_held(b.solver), quirk);
    assert_true(b.solver->ops->positions_only(b.solver));
    bench_close(&b);
  }
}

/* One sweep a step, two contacts: each solve goes on from the last. Contacts are found by their ids
 * when their order changes; a new one starts from 0. */
static void lcp_memory(void **state) {
  (void)state;
  static const double sweeps[][2] = {{0.5, 0.25}, {0.375, 0.3125}, {0.34375, 0.328125}};
  Bench b;
  SofaLagrangian owner = {0};
  bench_open(&b, "LCPConstraintSolver", "maxIt='1' tolerance='0'", NULL);
  bench_blocks(&b, &contact, 2);
  for (size_t k = 0; k < 2; k++) b.problem.blocks.data[k].owner = &owner;
  for (int i = 0; i < 3; i++) {
    bench_fill(&b, two_w, two_free);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    bench_assert(&b, sweeps[i], 1e-15);
  }
  b.problem.blocks.data[0].id = 7;
  b.problem.blocks.data[1].id = 1; // 0.34375 until now
  bench_fill(&b, two_w, two_free);
  assert_int_equal(bench_solve(&b), SOFA_OK);
  const double first = (1 - 0.34375) / 2;
  bench_assert(&b, (double[]){first, (1 - first) / 2}, 1e-15);
  bench_close(&b);

  bench_open(&b, "LCPConstraintSolver", "maxIt='1' tolerance='0' initial_guess='0'", NULL);
  bench_blocks(&b, &contact, 2);
  for (size_t k = 0; k < 2; k++) b.problem.blocks.data[k].owner = &owner;
  for (int i = 0; i < 2; i++) {
    bench_fill(&b, two_w, two_free);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    bench_assert(&b, sweeps[0], 1e-15);
  }
  bench_close(&b);
}

/* ---- other options of LCPConstraintSolver ---- */

static void lcp_options(void **state) {
  (void)state;
  Bench b;
  bench_open(&b, "LCPConstraintSolver", "minW='1' tolerance='1e-12'", NULL);
  bench_blocks(&b, &contact, 2);
  bench_fill(&b, (double[]){0.9, 0, 0, 2}, two_free);
  assert_int_equal(bench_solve(&b), SOFA_OK);
  bench_assert(&b, (double[]){0, 0.5}, 1e-15);
  bench_close(&b);
  bench_open(&b, "LCPConstraintSolver", "maxF='1' tolerance='1e-12' displayDebug='1'", NULL);
  bench_blocks(&b, &contact, 2);
  bench_fill(&b, (double[]){0.9, 0, 0, 2}, two_free);
  assert_int_equal(bench_solve(&b), SOFA_OK);
  bench_assert(&b, (double[]){0, 0.5}, 1e-15);
  assert_near(output(&b, "graph", 0), 2, 1e-12);
  bench_close(&b);
}

static void conjugate_residuals_warn_of_contacts(void **state) {
  (void)state;
  Bench b;
  bench_open(&b, "PreconditionedConjugateResidual", "", NULL);
  bench_blocks(&b, &contact, 2);
  for (int i = 0; i < 2; i++) {
    bench_fill(&b, two_w, two_free);
    assert_int_equal(bench_solve(&b), SOFA_OK);
  }
  assert_int_equal(b.run.n_problems, 1);
  assert_non_null(strstr(b.run.last, "unilateral constraints are solved as such"));
  bench_close(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(solutions),
      cmocka_unit_test(contacts),
      cmocka_unit_test(unconverged),
      cmocka_unit_test(convergence_rows),
      cmocka_unit_test(outputs),
      cmocka_unit_test(graphs),
      cmocka_unit_test(nncg_extrapolated),
      cmocka_unit_test(residual_by_number),
      cmocka_unit_test(unbuilt_cold_start),
      cmocka_unit_test(unbuilt_mixing),
      cmocka_unit_test(lcp_friction),
      cmocka_unit_test(lcp_rows_that_do_not_fit),
      cmocka_unit_test(lcp_held_points),
      cmocka_unit_test(lcp_memory),
      cmocka_unit_test(lcp_options),
      cmocka_unit_test(conjugate_residuals_warn_of_contacts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
