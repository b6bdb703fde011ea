/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Once warm, a step of a scene with constant topology asks for no memory: neither through the
 * context nor, in iterative solving, from the C library at all. */
#include "tests/support/scene_run.h"

#include <dlfcn.h>
#include <stdatomic.h>

#include "numerics/direct/cholmod_solver.h"

/* The C library's allocator with a counter in front, for every library of the process. */
static atomic_ulong n_calls;

#if !defined(__SANITIZE_ADDRESS__)
static void *(*real_malloc)(size_t);
static void *(*real_realloc)(void *, size_t);

void *malloc(size_t size) {
  if (!real_malloc) real_malloc = (void *(*)(size_t))dlsym(RTLD_NEXT, "malloc");
  n_calls++;
  return real_malloc(size);
}
void *realloc(void *block, size_t size) {
  if (!real_realloc) real_realloc = (void *(*)(void *, size_t))dlsym(RTLD_NEXT, "realloc");
  n_calls++;
  return real_realloc(block, size);
}
#endif

static const char beam[] =
    "<Node name='root' dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><Node name='body'>"
    "<EulerImplicitSolver rayleighStiffness='0.1' rayleighMass='0.1'/>%s"
    "<RegularGridTopology name='grid' n='4 4 12' min='0 0 0' max='3 3 11'/>"
    "<MechanicalObject name='state'/><DiagonalMass totalMass='10'/>"
    "<TetrahedronFEMForceField method='%s' youngModulus='4000' poissonRatio='0.3'/>"
    "<BoxROI name='box' box='-1 -1 -0.1 4 4 0.1'/>"
    "<FixedProjectiveConstraint indices='@box.indices'/>"
    "<Node name='skin'><MechanicalObject name='points' position='1 1 1 2 2 2'/>"
    "<BarycentricMapping/></Node>"
    "</Node></Node>";

/* A direct solver's matrix changes in every step, its pattern in none: one analysis for all. */
static void symbolic_work_is_done_once(void **state) {
  (void)state;
  char text[2000];
  SceneRun run;
  snprintf(text, sizeof text, beam, "<SparseLDLSolver name='direct'/>", "large");
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 12);
  const SofaCholmodLinearSolver *direct =
      (const SofaCholmodLinearSolver *)scene_run_object(&run, "/body/direct");
  const SofaCholmodCounts counts = sofa_cholmod_solver_counts(direct->cholmod);
  assert_int_equal(counts.analyses, 1);
  assert_int_equal(counts.factorizations, 12);
  scene_run_close(&run);
}

static void count(const char *solver, const char *method, uint64_t *context, unsigned long *heap) {
  char text[2000];
  SceneRun run;
  snprintf(text, sizeof text, beam, solver, method);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 5);
  const uint64_t before = run.ctx->n_allocations;
  const unsigned long calls = n_calls;
  scene_run_steps(&run, 20);
  *heap = n_calls - calls;
  *context = run.ctx->n_allocations - before;
  scene_run_close(&run);
}

static void conjugate_gradients(void **state) {
  (void)state;
  uint64_t context;
  unsigned long heap;
  count("<CGLinearSolver iterations='100' tolerance='1e-9' threshold='1e-9'/>", "large", &context,
        &heap);
  assert_int_equal(context, 0);
  assert_int_equal(heap, 0);
  count("<CGLinearSolver template='CompressedRowSparseMatrixMat3x3d' iterations='100' "
        "tolerance='1e-9' threshold='1e-9'/>",
        "polar", &context, &heap);
  assert_int_equal(context, 0);
  assert_int_equal(heap, 0);
}

static void other_iterations(void **state) {
  (void)state;
#define PCG "<PCGLinearSolver iterations='100' tolerance='1e-18' preconditioner='@p'/>"
  static const char *const solvers[] = {
      PCG "<JacobiPreconditioner name='p'/>", PCG "<BlockJacobiPreconditioner name='p'/>",
      PCG "<SSORPreconditioner name='p'/>", "<MinResLinearSolver iterations='100'/>"};
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
    uint64_t context;
    unsigned long heap;
    count(solvers[k], "large", &context, &heap);
    assert_int_equal(context, 0);
    assert_int_equal(heap, 0);
  }
}

/* The supernodal factorization of CHOLMOD takes workspace of its own; ours must not. */
static void direct_solver(void **state) {
  (void)state;
  uint64_t context;
  unsigned long heap;
  count("<SparseLDLSolver/>", "large", &context, &heap);
  assert_int_equal(context, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(conjugate_gradients),
      cmocka_unit_test(other_iterations),
      cmocka_unit_test(direct_solver),
      cmocka_unit_test(symbolic_work_is_done_once),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
