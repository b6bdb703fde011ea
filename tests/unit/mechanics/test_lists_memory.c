/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masses, loads and force fields on lists that a topology makes when they are asked for, without
 * memory for these; memory of objects that begin again. */
#include "components/builtins.h"
#include "tests/support/force_field_cases.h"
#include "tests/support/scene_run.h"

#include "tests/unit/base/failing_allocator.h"

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

/* ---- again ---- */

static void again_in(SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (sofa_ops(node->objects.data[i], SOFA_FORCE_FIELD))
      (void)sofa_object_run(node->objects.data[i], SOFA_RUN_REINIT);
  for (size_t i = 0; i < node->children.n; i++) again_in(node->children.data[i]);
}

/* Every force field and mass is initialised again, twice: nothing of the first time is lost. */
static void begin_again(const char *what, const char *scene) {
  FailingAllocator allocator = {0};
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
  SceneRun run;
  scene_run_open(&run, scene, &options);
  for (int k = 0; k < 2; k++) {
    sofa_simulation_reset(run.simulation);
    again_in(run.simulation->root);
  }
  scene_run_close(&run);
  if (allocator.live) fail_msg("%s: %d blocks are lost", what, (int)allocator.live);
}

static void nothing_is_lost(void **state) {
  (void)state;
  for (size_t list = 0; list < COUNT(force_field_lists); list++)
    for (size_t k = 0; k < force_field_list_sizes[list]; k++)
      begin_again(force_field_lists[list][k].klass, force_field_lists[list][k].scene);
}

/* ---- outputs of what could not begin again ---- */

static SofaObject *object_in(SofaNode *node, const char *klass) {
  SofaObject *found = NULL;
  for (size_t i = 0; i < node->objects.n && !found; i++)
    if (strcmp(node->objects.data[i]->klass->name, klass) == 0) found = node->objects.data[i];
  for (size_t i = 0; i < node->children.n && !found; i++)
    found = object_in(node->children.data[i], klass);
  return found;
}

static void read_fields(SofaObject *object) {
  for (size_t i = 0; i < sofa_class_n_fields(object->klass); i++) {
    const SofaField *field = sofa_class_field_at(object->klass, i);
    SofaText text = {0};
    (void)sofa_field_compute(object, field);
    (void)sofa_field_print(object, field, &text);
    sofa_list_free(object->ctx, &text);
  }
}

/* Of a class whose objects scenes have: all fields are read after one allocation of the second
 * beginning failed. false: there are fewer allocations. */
static bool readable_after(const ForceFieldCase *c, uint64_t fail_at) {
  FailingAllocator allocator = {.once = true};
  const SofaContextOptions options = {
      .allocate = failing_allocate, .allocate_user = &allocator, .sink = quiet_sink};
  SceneRun run;
  scene_run_open(&run, c->scene, &options);
  SofaObject *object = object_in(run.simulation->root, c->klass);
  if (!object) fail_msg("%s is not in its scene", c->klass);
  allocator.fail_at = allocator.calls + fail_at;
  (void)sofa_object_run(object, SOFA_RUN_REINIT);
  const bool reached = allocator.calls >= allocator.fail_at;
  allocator.fail_at = 0;
  const SofaState *state = ((SofaForceField *)object)->state[0];
  if (state) sofa_state_touch((SofaState *)(uintptr_t)state);
  read_fields(object);
  scene_run_close(&run);
  if (allocator.live) fail_msg("%s: %d blocks are lost", c->klass, (int)allocator.live);
  return reached;
}

static void outputs_without_elements(void **state) {
  (void)state;
  for (size_t list = 0; list < COUNT(force_field_lists); list++) {
    const char *done = "";
    for (size_t k = 0; k < force_field_list_sizes[list]; k++) {
      const ForceFieldCase *c = &force_field_lists[list][k];
      if (strcmp(c->klass, done) == 0 || force_field_lists[list] == contact_cases) continue;
      done = c->klass;
      for (uint64_t n = 1; readable_after(c, n); n++) {
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost),
                                     cmocka_unit_test(lists_that_are_made),
                                     cmocka_unit_test(outputs_without_elements)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
