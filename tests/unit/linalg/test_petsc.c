/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PETScLinearSolver of the plugin SofaPETSc: its solutions against those of SparseLDLSolver and of
 * a dense solver, what it reports, and what it refuses. */
#define BENCH_PLUGIN "SofaPETSc"
#include "solver_bench.h"
#include "simulation/convergence.h"
#include "tests/support/scene_run.h"
#include "tests/unit/base/failing_allocator.h"

#define CLASS "PETScLinearSolver"
#define SCALARS "CompressedRowSparseMatrixd"

/* ---- scenes ---- */

#define BEAM                                                                                       \
  "<RegularGridTopology n='3 3 9' min='0 0 0' max='0.2 0.2 1'/>"                                   \
  "<MechanicalObject name='state'/><UniformMass totalMass='40'/>"                                  \
  "<HexahedronFEMForceField method='large' youngModulus='2e6' poissonRatio='0.3'/>"                \
  "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/>"

/* A rigid frame beside points: blocks of 6 and of 3. */
#define FRAME_AND_POINTS                                                                           \
  "<MechanicalObject name='state' position='0 0 0 1 0 0 2 0 0 3 0 0'/><UniformMass "               \
  "totalMass='1'/>"                                                                                \
  "<StiffSpringForceField spring='0 1 900 2 0.9 1 2 900 2 0.9 2 3 900 2 0.9'/>"                    \
  "<FixedProjectiveConstraint indices='0'/><Node name='frame'><MechanicalObject "                  \
  "template='Rigid3d' "                                                                            \
  "position='0 1 0 0 0 0 1'/><UniformMass totalMass='2'/>"                                         \
  "<RestShapeSpringsForceField stiffness='100' angularStiffness='10'/></Node>"

static void open_scene(SceneRun *run, const char *solver, const char *body) {
  char text[3000];
  snprintf(text, sizeof text,
           "<Node dt='0.01' gravity='0 -9.81 0'><RequiredPlugin name='SofaPETSc'/>"
           "<DefaultAnimationLoop/><EulerImplicitSolver rayleighStiffness='0.01'/><%s "
           "name='linear'/>%s</Node>",
           solver, body);
  *run = (SceneRun){.quiet = true};
  scene_run_context(run, NULL);
  run->quiet = true;
  assert_int_equal(sofa_simulation_load_text(run->ctx, text, &run->simulation), SOFA_OK);
}

static void begin_scene(SceneRun *run, const char *solver, const char *body) {
  open_scene(run, solver, body);
  if (sofa_simulation_init(run->simulation) != SOFA_OK) fail_msg("%s: %s", solver, run->all);
}

static void step_scene(SceneRun *run, const char *what, int n) {
  for (int i = 0; i < n; i++)
    if (sofa_simulation_step(run->simulation, 0) != SOFA_OK) fail_msg("%s: %s", what, run->all);
  if (run->n_problems) fail_msg("%s: %s", what, run->all);
}

static double farthest(SceneRun *a, SceneRun *b) {
  const SofaState *s = scene_run_state(a, "/state"), *t = scene_run_state(b, "/state");
  double most = 0;
  for (size_t i = 0; i < 3 * sofa_state_size(s); i++)
    most = fmax(most, fabs(s->position.data[i] - t->position.data[i]));
  return most;
}

static const char *const methods[] = {
    "ksp='cg' pc='gamg'",
    "ksp='cg' pc='gamg' nearNullSpace='position'",
    "ksp='cg' pc='gamg' nearNullSpace='none'",
    "ksp='cg' pc='hypre'",
    "ksp='cg' pc='jacobi'",
    "ksp='cg' pc='pbjacobi' matrix='baij'",
    "ksp='cg' pc='icc' matrix='sbaij'",
    "ksp='cg' pc='icc' matrix='aij'",
    "ksp='cg' pc='sor' matrix='baij'",
    "ksp='minres' pc='jacobi' tolerance='1e-13'",
    "ksp='gmres' pc='ilu' symmetric='0'",
    "ksp='bcgs' pc='bjacobi' symmetric='0'",
    "ksp='preonly' pc='cholesky'",
    "ksp='preonly' pc='lu' matrix='baij'",
    "ksp='preonly' pc='cholesky' matrix='sbaij' options='-pc_factor_mat_solver_type mumps'",
    "ksp='preonly' pc='lu' options='-pc_factor_mat_solver_type mumps'",
    "ksp='cg' pc='gamg' options='-mg_levels_pc_type sor -pc_gamg_threshold 0.01'",
};

static void compare(const char *fields, const char *body) {
  char solver[300];
  SceneRun run, direct;
  snprintf(solver, sizeof solver, CLASS " tolerance='1e-12' %s", fields);
  if (strstr(fields, "tolerance")) snprintf(solver, sizeof solver, CLASS " %s", fields);
  begin_scene(&run, solver, body);
  begin_scene(&direct, "SparseLDLSolver", body);
  step_scene(&run, fields, 5);
  step_scene(&direct, fields, 5);
  const double apart = farthest(&run, &direct);
  if (!(apart < 1e-11)) fail_msg("%s: %g m from the solution of SparseLDLSolver", fields, apart);
  scene_run_close(&run);
  scene_run_close(&direct);
}

static void solutions(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(methods); i++) compare(methods[i], BEAM);
}

/* Blocks of several sizes are scalar rows; two systems of different sizes in one plan. */
static void blocks_of_several_sizes(void **state) {
  (void)state;
  compare("ksp='cg' pc='jacobi'", FRAME_AND_POINTS);
  compare("ksp='cg' pc='gamg'", FRAME_AND_POINTS);
  compare("ksp='preonly' pc='lu'", FRAME_AND_POINTS);
  SceneRun run;
  begin_scene(&run, CLASS " pc='jacobi' matrix='baij'", FRAME_AND_POINTS);
  assert_int_equal(sofa_simulation_step(run.simulation, 0), SOFA_ERR_UNSUPPORTED);
  assert_non_null(strstr(run.all, "'baij' needs blocks of one size"));
  scene_run_close(&run);
}

static uint32_t count_of(SceneRun *run, const char *name) {
  const SofaObject *linear = scene_run_object(run, "/linear");
  return *(const uint32_t *)sofa_field_value(linear, sofa_class_field(linear->klass, name));
}

/* One pattern, a preconditioner for each step; the analysis is made again when it is asked for. */
static void counts(void **state) {
  (void)state;
  SceneRun run;
  begin_scene(&run, CLASS, BEAM);
  step_scene(&run, "counts", 3);
  assert_int_equal(count_of(&run, "analyses"), 1);
  assert_int_equal(count_of(&run, "setups"), 3);
  SofaLinearSolver *linear = (SofaLinearSolver *)scene_run_object(&run, "/linear");
  assert_int_equal(count_of(&run, "iterationsDone"), linear->result.iterations);
  sofa_linear_solver_forget_pattern(linear);
  step_scene(&run, "counts", 1);
  assert_int_equal(count_of(&run, "analyses"), 2);
  /* an edit is a new method */
  assert_int_equal(sofa_field_set_text(&linear->object, "pc", "jacobi", 0), SOFA_OK);
  assert_int_equal(sofa_object_run(&linear->object, SOFA_RUN_REINIT), SOFA_OK);
  const uint32_t before = count_of(&run, "iterationsDone");
  step_scene(&run, "counts", 1);
  assert_int_equal(count_of(&run, "analyses"), 3);
  assert_true(count_of(&run, "iterationsDone") > before);
  scene_run_close(&run);
}

/* A second run in the same process has the same bits. */
static void same_bits(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(methods); i++) {
    SceneRun one, two;
    char solver[300];
    snprintf(solver, sizeof solver, CLASS " %s", methods[i]);
    begin_scene(&one, solver, BEAM);
    step_scene(&one, solver, 3);
    begin_scene(&two, solver, BEAM);
    step_scene(&two, solver, 3);
    if (farthest(&one, &two) != 0) fail_msg("%s: not the same bits", solver);
    scene_run_close(&one);
    scene_run_close(&two);
  }
}

/* ---- reports ---- */

typedef struct Rows {
  int n;
  double last, linear; /* residuals of the last iteration and of the solve */
  uint32_t iteration, iterations;
} Rows;

static void see(void *user, const SofaConvergenceRow *row) {
  Rows *rows = user;
  if (row->kind == SOFA_CONVERGENCE_ITERATION) {
    if (rows->n && row->iteration != rows->iteration + 1) fail_msg("iteration %u", row->iteration);
    rows->n++;
    rows->iteration = row->iteration;
    rows->last = row->relative_residual;
  } else if (row->kind == SOFA_CONVERGENCE_LINEAR) {
    rows->linear = row->relative_residual;
    rows->iterations = row->linear_iterations;
  }
}

/* The residual that is reported is |b - A x| / |b|, also where the method stops by another. */
static void reports(void **state) {
  (void)state;
  static const char *const words[][8] = {{"ksp", "cg", "pc", "jacobi", NULL},
                                         {"ksp", "gmres", "pc", "jacobi", NULL},
                                         {"ksp", "minres", "pc", "jacobi", "tolerance", "1e-10"}};
  for (size_t i = 0; i < SOFA_COUNT(words); i++) {
    SolverBench b;
    Rows rows = {0};
    double residual = 0;
    bench_open_shaped(&b, CLASS, SCALARS, NULL, words[i], 40, (Shape){.reach = 2, .diagonal = 12});
    const SofaConvergence observer = {see, &rows};
    sofa_convergence_observe(b.ctx, &observer);
    assert_int_equal(bench_solve(&b), SOFA_OK);
    sofa_convergence_observe(b.ctx, NULL);
    const SofaSolveResult *result = &b.solver->result;
    assert_int_equal(sofa_linear_solver_residual(b.solver, b.b, b.x, &residual), SOFA_OK);
    assert_true(result->iterations > 2 && result->residual > 0);
    if (!(fabs(residual - result->residual) < 1e-14)) fail_msg("%g %g", residual, result->residual);
    if (result->converged) assert_true(residual < 2e-9);
    assert_int_equal(rows.n, result->iterations + 1);
    assert_int_equal(rows.iterations, result->iterations);
    assert_true(rows.last == result->residual && rows.linear == result->residual);
    bench_expect(&b, 1e-8);
    bench_close(&b);
  }
}

static void too_few_iterations(void **state) {
  (void)state;
  static const char *const fields[] = {"pc", "jacobi", "iterations", "2", NULL};
  SolverBench b;
  bench_open_shaped(&b, CLASS, SCALARS, NULL, fields, 40, (Shape){.reach = 2, .diagonal = 12});
  assert_int_equal(bench_solve(&b), SOFA_OK);
  assert_false(b.solver->result.converged);
  assert_int_equal(b.solver->result.iterations, 2);
  assert_non_null(strstr(b.said, "not converged"));
  assert_non_null(strstr(b.said, "increase 'iterations'"));
  bench_close(&b);
}

/* ---- matrices that cannot be solved ---- */

typedef struct Bad {
  const char *fields[9], *words;
  Shape shape;
  double value; /* of entry (7, 7), unless 1 */
  bool side;    /* b has a NaN */
} Bad;

static bool fill_bad(uint32_t i, uint32_t j, double *block, void *user) {
  const Bad *bad = user;
  if (!shaped(i, j, block, (void *)(uintptr_t)&bad->shape)) return false;
  if (i == 2 && j == 2 && bad->value != 1) block[4] = bad->value;
  if (bad->value == 0)
    for (int k = 0; k < 3; k++) {
      if (i == 2) block[3 + k] = 0;
      if (j == 2) block[3 * k + 1] = 0;
    }
  return true;
}

#define GOOD .shape = {.reach = 1, .diagonal = 12}, .value = 1
#define MINUS .shape = {.reach = 1, .diagonal = 12, .alternate = true}, .value = 1
#define SKEW .shape = {.reach = 1, .diagonal = 12, .skew = 0.5}, .value = 1
#define WITH(v) .shape = {.reach = 1, .diagonal = 12}, .value = v

static const Bad bad_matrices[] = {
    {{"pc", "jacobi"}, "is not symmetric", SKEW},
    {{"ksp", "preonly", "pc", "lu", "symmetric", "0"}, NULL, SKEW},
    {{"ksp", "gmres", "pc", "ilu", "symmetric", "0"}, NULL, SKEW},
    {{"ksp", "preonly", "pc", "lu"}, "cannot be made", WITH(0)},
    {{"ksp", "preonly", "pc", "cholesky"}, "cannot be made", WITH(0)},
    {{"pc", "jacobi"}, "not positive definite", MINUS},
    {{"ksp", "minres", "pc", "none", "tolerance", "1e-12"}, NULL, MINUS},
    {{"ksp", "preonly", "pc", "lu"}, NULL, MINUS},
    {{"pc", "jacobi"}, "not finite", WITH(NAN)},
    {{"ksp", "preonly", "pc", "lu"}, "not finite", WITH(NAN)},
    {{"pc", "jacobi"}, "the right-hand side is not finite", GOOD, .side = true},
    {{"ksp", "preonly", "pc", "lu"}, "the right-hand side is not finite", GOOD, .side = true},
};

static void matrices(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(bad_matrices); i++) {
    Bad bad = bad_matrices[i];
    SolverBench b;
    bench_open_with(&b, CLASS, SCALARS, NULL, bad.fields);
    b.root->time = 0.25;
    bench_matrix(&b, 12, fill_bad, &bad);
    bench_random_b(&b, 5);
    if (bad.side) b.b[3] = NAN;
    if (!bad.words) bench_expect(&b, 1e-8);
    else if (bench_solve(&b) == SOFA_OK) fail_msg("%zu: no error", i);
    if (bad.words && (!strstr(b.said, bad.words) || !strstr(b.said, "time 0.25")))
      fail_msg("%zu: '%s'", i, b.said);
    assert_int_equal(b.n_errors, bad.words ? 1 : 0);

    /* it recovers */
    Shape good = {.reach = 1, .diagonal = 12};
    bench_matrix(&b, 12, shaped, &good);
    bench_random_b(&b, 6);
    memset(b.x, 0, b.n * sizeof *b.x);
    bench_expect(&b, 1e-8);
    bench_close(&b);
  }
}

/* ---- what is refused before the first step ---- */

static void refused_fields(void **state) {
  static const char *const rows[][2] = {
      {"ksp='nonsense'", "PETSc: Unable to find requested KSP type nonsense"},
      {"pc='nonsense'", "PETSc: Unable to find requested PC type nonsense"},
      {"ksp=''", "field 'ksp'"},
      {"pc='lu lu'", "is not one word"},
      {"options='-ksp_type nonsense'", "PETSc: Unable to find requested KSP type nonsense"},
      {"options='-ksp_rtol abc'", "PETSc: Input string abc has no numeric value"},
      {"options='abc'", "'abc' is not the name of an option"},
      {"options='-ksp_rtol 1e-3 4'", "'4' belongs to no option"},
      {"options='-ksp_view'", "'-ksp_view' is refused because of 'view'"},
      {"options='-ksp_monitor'", "--trust-scene"},
      {"options='-options_file x'", "--trust-scene"},
      {"options='-mat_mumps_ooc_tmpdir x'", "--trust-scene"},
      {"options='-ksp_type python'", "--trust-scene"},
      {"pc='python'", "--trust-scene"},
      {"options='-pc_hypre_type ../x'", "--trust-scene"},
      {"tolerance='-1'", "tolerance"},
      {"iterations='0'", "iterations"},
      {"matrix='dense'", "matrix"},
  };
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    SceneRun run = {.quiet = true};
    char text[400];
    snprintf(text, sizeof text,
             "<Node><RequiredPlugin name='SofaPETSc'/><DefaultAnimationLoop/><EulerImplicitSolver/>"
             "<" CLASS " %s/><MechanicalObject/><UniformMass/></Node>",
             rows[i][0]);
    scene_run_context(&run, NULL);
    run.quiet = true;
    SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
    if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
    if (err == SOFA_OK) fail_msg("%s: no error", rows[i][0]);
    if (!strstr(run.all, rows[i][1])) fail_msg("%s: '%s'", rows[i][0], run.all);
    scene_run_close(&run);
  }
}

/* Options that no method looks at are found when the first solve has looked at all. */
static void unused_options(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"options='-ksp_tipe cg'", "PETSc has no option '-ksp_tipe'"},
      {"pc='jacobi' options='-mg_levels_pc_type sor'", "'-mg_levels_pc_type'"},
      {"options='-mg_levels_pc_type nonsense'", "PETSc: Unable to find requested PC type nonsense"},
      {"matrix='baij'", "PETSc: No method creategraph for Mat of type seqbaij"},
  };
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    SceneRun run;
    char solver[200];
    snprintf(solver, sizeof solver, CLASS " %s", rows[i][0]);
    begin_scene(&run, solver, BEAM);
    if (sofa_simulation_step(run.simulation, 0) == SOFA_OK) fail_msg("%s: no error", rows[i][0]);
    if (!strstr(run.all, rows[i][1])) fail_msg("%s: '%s'", rows[i][0], run.all);
    scene_run_close(&run);
  }
}

/* ---- the environment, memory ---- */

/* The options of the environment, which main sets, would end all solves after an iteration. */
static void environment(void **state) {
  (void)state;
  SolverBench b;
  static const char *const fields[] = {"pc", "jacobi", NULL};
  bench_open_shaped(&b, CLASS, SCALARS, NULL, fields, 40, (Shape){.reach = 2, .diagonal = 12});
  assert_int_equal(bench_solve(&b), SOFA_OK);
  assert_true(b.solver->result.converged && b.solver->result.iterations > 2);
  assert_string_equal(getenv("PETSC_OPTIONS"), "-ksp_max_it 1");
  bench_close(&b);
}

static void lack_of_memory(void **state) {
  (void)state;
  static const char *const all[][5] = {{"pc", "jacobi", "matrix", "aij"}, {"pc", "jacobi"}};
  for (size_t k = 0; k < SOFA_COUNT(all); k++) {
    FailingAllocator allocator = {0};
    const SofaContextOptions options = {.allocate = failing_allocate, .allocate_user = &allocator};
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
      SolverBench b;
      bench_open_shaped(&b, CLASS, SCALARS, &options, all[k], 20,
                        (Shape){.reach = 2, .diagonal = 12});
      allocator.fail_at = allocator.calls + n;
      const SofaErr err = bench_solve(&b);
      done = allocator.calls < allocator.fail_at;
      if (done) assert_int_equal(err, SOFA_OK);
      else assert_int_equal(err, SOFA_ERR_MEMORY);
      allocator.fail_at = 0;
      bench_expect(&b, 1e-8);
      bench_close(&b);
      assert_int_equal(allocator.live, 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(environment),    cmocka_unit_test(solutions),
      cmocka_unit_test(counts),         cmocka_unit_test(blocks_of_several_sizes),
      cmocka_unit_test(same_bits),      cmocka_unit_test(reports),
      cmocka_unit_test(matrices),       cmocka_unit_test(too_few_iterations),
      cmocka_unit_test(refused_fields), cmocka_unit_test(unused_options),
      cmocka_unit_test(lack_of_memory),
  };
  setenv("PETSC_OPTIONS", "-ksp_max_it 1", 1);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
