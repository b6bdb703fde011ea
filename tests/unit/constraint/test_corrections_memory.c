/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Constraint corrections without memory: every failing allocation ends in a clean error. */
#include "components/builtins.h"
#include "tests/support/scene_run.h"

#include "tests/unit/base/failing_allocator.h"

#define SCENE(solver, body)                                                                        \
  "<Node name='root' dt='0.02'><FreeMotionAnimationLoop/><DefaultVisualManagerLoop/>" solver       \
  "<Node name='body'><EulerImplicitSolver/><SparseLDLSolver/>" body "</Node></Node>"
#define BUILT "<BlockGaussSeidelConstraintSolver/>"
#define UNBUILT "<UnbuiltGaussSeidelConstraintSolver/>"
#define POINTS                                                                                     \
  "<MechanicalObject position='0 0 0 1 0 0'/><UniformMass totalMass='1'/>"                         \
  "<FixedLagrangianConstraint indices='0'/>"
#define FRAMES                                                                                     \
  "<MechanicalObject template='Rigid3d'/><UniformMass totalMass='1'/>"                             \
  "<FixedLagrangianConstraint indices='0'/>"
#define TETRA                                                                                      \
  "<MeshTopology position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/><MechanicalObject/>"     \
  "<UniformMass totalMass='1'/><FixedLagrangianConstraint indices='0'/>"                           \
  "<TetrahedronFEMForceField youngModulus='100' poissonRatio='0.3'/>"

static const char *const scenes[] = {
    SCENE(BUILT, POINTS "<UncoupledConstraintCorrection compliance='1 2'/>"),
    SCENE(UNBUILT, FRAMES "<UncoupledConstraintCorrection/>"),
    SCENE(BUILT, TETRA "<GenericConstraintCorrection/>"),
    SCENE(UNBUILT, TETRA "<LinearSolverConstraintCorrection wire_optimization='1'/>"),
    SCENE(BUILT, TETRA "<PrecomputedConstraintCorrection recompute='1' rotations='1'/>"),
    SCENE(UNBUILT, POINTS "<PrecomputedConstraintCorrection/>"),
};

/* Loads, initialises, steps twice; the allocation fail_at after the classes are there fails, and
 * all after it. */
static SofaErr run(const char *scene, uint64_t fail_at, int64_t *live) {
  FailingAllocator allocator = {0};
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaErr err = sofa_context_create(&options, &ctx);
  if (err == SOFA_OK) err = sofa_register_builtins(ctx);
  allocator.fail_at = allocator.calls + fail_at;
  if (err == SOFA_OK) err = sofa_simulation_load_text(ctx, scene, &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  for (int i = 0; i < 2 && err == SOFA_OK; i++) err = sofa_simulation_step(simulation, 0);
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  *live = allocator.live;
  return err;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
    SofaErr err = SOFA_ERR_MEMORY;
    for (uint64_t n = 1; err != SOFA_OK; n++) {
      int64_t live;
      err = run(scenes[s], n, &live);
      if (live) fail_msg("scene %zu, allocation %d: %d blocks leak", s, (int)n, (int)live);
      if (n >= 20000) fail_msg("scene %zu does not run", s);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
