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

/* ---- lists that a topology makes when they are asked for ---- */

#define TETRAS                                                                                     \
  "<TetrahedronSetTopologyContainer position='0 0 0 1 0 0 0 1 0 0 0 1 1 1 1' tetrahedra='0 1 2 3 " \
  "1 2 3 4'/>"
#define CELLS "<RegularGridTopology n='2 2 3' min='0 0 0' max='1 1 2'/>"
#define SHEET "<RegularGridTopology n='2 3 1' min='0 0 0' max='1 2 0'/>"
#define CABLE "<RegularGridTopology n='3 1 1' min='0 0 0' max='2 0 0'/>"
#define WEB "<MeshTopology position='0 0 0 1 0 0 1 1 0' triangles='0 1 2'/>"
#define POINTS "<MechanicalObject/>"

static const char *const made_lists[] = {
    TETRAS POINTS "<TriangleFEMForceField youngModulus='100'/>",
    TETRAS POINTS "<TriangularFEMForceField youngModulus='100'/>",
    TETRAS POINTS "<TriangularFEMForceFieldOptim youngModulus='100'/>",
    TETRAS POINTS "<TriangularTensorMassForceField youngModulus='100'/>",
    TETRAS POINTS "<TriangleBendingSprings/>",
    TETRAS POINTS "<TriangularBendingSprings/>",
    TETRAS POINTS "<FastTriangularBendingSprings/>",
    TETRAS POINTS "<TriangularQuadraticSpringsForceField/>",
    TETRAS POINTS "<SurfacePressureForceField pressure='1'/>",
    TETRAS POINTS "<MeshSpringForceField/>",
    TETRAS POINTS "<MeshMatrixMass/>",
    TETRAS POINTS "<DiagonalMass/>",
    CELLS POINTS "<MeshMatrixMass/>",
    CELLS POINTS "<MeshMatrixMass lumping='1'/>",
    SHEET POINTS "<MeshMatrixMass/>",
    SHEET POINTS "<DiagonalMass/>",
    CABLE POINTS "<MeshMatrixMass/>",
    CABLE POINTS "<DiagonalMass/>",
    CELLS POINTS "<QuadBendingFEMForceField/>",
    CELLS POINTS "<QuadBendingSprings/>",
    CELLS POINTS "<QuadularBendingSprings/>",
    CELLS POINTS "<TriangleBendingSprings/>",
    CELLS POINTS "<SurfacePressureForceField pressure='1'/>",
    CELLS POINTS "<VectorSpringForceField/>",
    WEB "<MechanicalObject template='Rigid3d'/><BeamFEMForceField/>",
};

/* Initialises; one allocation of that fails. false: there are fewer. */
static bool init_fails_well(const char *parts, uint64_t fail_at) {
  FailingAllocator allocator = {.once = true};
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  char text[1000];
  snprintf(text, sizeof text,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s</Node>", parts);
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  assert_int_equal(sofa_simulation_load_text(ctx, text, &simulation), SOFA_OK);
  allocator.fail_at = allocator.calls + fail_at;
  const SofaErr err = sofa_simulation_init(simulation);
  const bool reached = allocator.calls >= allocator.fail_at;
  if (reached != (err != SOFA_OK))
    fail_msg("%s: allocation %u of init: error %d", parts, (unsigned)fail_at, err);
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  assert_int_equal(allocator.live, 0);
  return reached;
}

/* A list that could not be made is not an empty one. */
static void lists_that_are_made(void **state) {
  (void)state;
  for (size_t k = 0; k < COUNT(made_lists); k++)
    for (uint64_t n = 1; init_fails_well(made_lists[k], n); n++) {
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lists_that_are_made),
                                     cmocka_unit_test(every_allocation_may_fail),
                                     cmocka_unit_test(every_class_may_run_out_of_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
