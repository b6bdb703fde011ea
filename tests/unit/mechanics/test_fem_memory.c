/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements and springs without memory: every failing allocation ends in a clean error. */
#include "components/builtins.h"
#include "tests/support/force_field_cases.h"
#include "tests/support/scene_run.h"

#include "tests/unit/base/failing_allocator.h"

#define SCENE(force_field)                                                                         \
  "<Node name='root' dt='0.1'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"                  \
  "<EulerImplicitSolver/><CGLinearSolver iterations='10' tolerance='1e-9' threshold='1e-9'/>"      \
  "<RegularGridTopology n='3 3 2' min='0 0 0' max='1 1 1'/><MechanicalObject/>"                    \
  "<UniformMass totalMass='1'/>" force_field "</Node>"

static const char *const scenes[] = {
    SCENE("<TetrahedronFEMForceField youngModulus='100' poissonRatio='0.3' "
          "plasticMaxThreshold='0.1' computeVonMisesStress='1'/>"),
    SCENE("<HexahedronFEMForceField youngModulus='100' poissonRatio='0.3'/>"),
    SCENE("<HexahedralFEMForceFieldAndMass youngModulus='100' poissonRatio='0.3'/>"),
    SCENE("<CorotationalFEMForceField template='Vec3,Quad' youngModulus='100' poissonRatio='0.3'/>"
          "<NodalMassDensity/><FEMMass template='Vec3,Hexahedron'/>"),
    SCENE("<Node name='tetras'><TetrahedronSetTopologyContainer name='tetras'/>"
          "<TetrahedronSetTopologyModifier/><Hexa2TetraTopologicalMapping input='@../' "
          "output='@tetras'/><StandardTetrahedralFEMForceField materialName='Costa' "
          "ParameterSet='2 90 3 2 1 1.5 0.5 2.5'/></Node>"),
    "<Node name='root' dt='0.1'><RequiredPlugin name='SofaCaribou'/><DefaultAnimationLoop/>"
    "<DefaultVisualManagerLoop/><BackwardEulerODESolver newton_iterations='2'/><LDLTSolver/>"
    "<RegularGridTopology name='grid' n='3 3 2' min='0 0 0' max='1 1 1'/><MechanicalObject/>"
    "<CaribouTopology name='solid' template='Hexahedron' indices='@grid.hexahedra'/>"
    "<CaribouTopology name='end' template='Quad' indices='0 1 4 3'/><NeoHookeanMaterial/>"
    "<HyperelasticForcefield topology='@solid'/><CaribouMass/>"
    "<TractionForcefield topology='@end' traction='0 1 0' slope='0.5'/></Node>",
    SCENE("<MeshSpringForceField stiffness='100'/>"),
    SCENE("<SpringForceField indices1='0 1' indices2='1 2'/>")};

/* Loads, initialises, steps twice; the allocation fail_at after the classes are there fails, and
 * all after it unless `once`. */
static SofaErr run(const char *scene, uint64_t fail_at, int threads, bool once, int64_t *live) {
  FailingAllocator allocator = {.once = once};
  const SofaContextOptions options = {.allocate = failing_allocate,
                                      .allocate_user = &allocator,
                                      .sink = quiet_sink,
                                      .threads = threads};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  SofaErr err = sofa_context_create(&options, &ctx);
  if (err == SOFA_OK) err = sofa_register_builtins(ctx);
  allocator.fail_at = allocator.calls + fail_at;
  if (err == SOFA_OK) err = sofa_simulation_load_text(ctx, scene, &simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(simulation);
  for (int i = 0; i < 2 && err == SOFA_OK; i++) err = sofa_simulation_step(simulation, 0);
  const uint64_t used = allocator.calls;
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  *live = allocator.live;
  if (err == SOFA_OK && used >= allocator.fail_at)
    fail_msg("allocation %d failed without an error", (int)fail_at);
  return err;
}

static void every_allocation_may_fail(void **state) {
  (void)state;
  for (size_t s = 0; s < sizeof scenes / sizeof *scenes; s++) {
    for (int threads = 1; threads < 3; threads++) {
      SofaErr err = SOFA_ERR_MEMORY;
      for (uint64_t n = 1; err != SOFA_OK; n++) {
        int64_t live;
        err = run(scenes[s], n, threads, false, &live);
        if (live) fail_msg("scene %zu, allocation %d: %d blocks leak", s, (int)n, (int)live);
        assert_true(n < 20000);
      }
    }
  }
}

/* One scene of every class of force field, without solvers. Classes share most of their allocations
 * with others: each has every fourth of its own fail, beginning elsewhere; the allocations
 * after it succeed, so that an error which is not handed on has no second chance. */
static void every_class_may_run_out_of_memory(void **state) {
  (void)state;
  for (size_t list = 0; list < COUNT(force_field_lists); list++) {
    const char *done = "";
    for (size_t k = 0; k < force_field_list_sizes[list]; k++) {
      const ForceFieldCase *c = &force_field_lists[list][k];
      SofaErr err = SOFA_ERR_MEMORY;
      if (strcmp(c->klass, done) == 0) continue;
      done = c->klass;
      for (uint64_t n = 1 + k % 4; err != SOFA_OK; n += 4) {
        int64_t live;
        err = run(c->scene, n, 1, true, &live);
        if (live) fail_msg("%s, allocation %d: %d blocks leak", c->klass, (int)n, (int)live);
        assert_true(n < 20000);
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_may_fail),
                                     cmocka_unit_test(every_class_may_run_out_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
