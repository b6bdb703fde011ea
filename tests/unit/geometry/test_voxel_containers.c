/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DynamicSparseGridTopologyContainer and MultilevelHexahedronSetTopologyContainer: hexahedra know
 * their voxels while they go and come. */
#include "tests/support/scene_memory.h"

#include <math.h>

/* voxels 0, 1, 2, 3, 5 of eight; number 2 has the value 2, the others 1 */
#define LOADER                                                                                     \
  "<VoxelGridLoader name='loader' filename='scenes/io/voxels.raw' resolution='2 2 2' "             \
  "bgValue='0'/>"
#define HEXAS " position='@loader.position' hexahedra='@loader.hexahedra' "
#define NUMBERS " idxInRegularGrid='@loader.idxInRegularGrid' resolution='2 2 2' "
#define SCENE(loader, container, parts)                                                            \
  "<Node name='root' gravity='0 -10 0' dt='0.01'><DefaultAnimationLoop/>"                          \
  "<DefaultVisualManagerLoop/>" loader container                                                   \
  "<MechanicalObject name='state' position='@loader.position'/>" parts "</Node>"
#define DYNAMIC(how) "<DynamicSparseGridTopologyContainer name='voxels'" HEXAS how "/>"
#define MULTILEVEL(how) "<MultilevelHexahedronSetTopologyContainer name='voxels'" HEXAS how "/>"
#define MODIFIER "<DynamicSparseGridTopologyModifier name='modifier'/>"
#define ALGORITHMS "<DynamicSparseGridGeometryAlgorithms template='Vec3d'/>"

static void field_is(SceneRun *run, const char *field, const char *expected) {
  SofaText text = {0};
  const SofaObject *object = scene_run_object(run, "/voxels");
  assert_int_equal(sofa_field_print(object, sofa_class_field(object->klass, field), &text),
                   SOFA_OK);
  assert_string_equal(text.data, expected);
  sofa_list_free(run->ctx, &text);
}

static void change(SceneRun *run, bool add, uint32_t id) {
  static const uint32_t corners[8] = {0, 1, 2, 3, 4, 5, 6, 7};
  SofaTopology *t = (SofaTopology *)scene_run_object(run, "/voxels");
  SofaTopologyEdit edit;
  assert_int_equal(sofa_topology_edit_begin(run->simulation->root, &edit), SOFA_OK);
  const SofaErr err = add ? sofa_topology_add(&edit, t, SOFA_ELEMENT_HEXA, corners, 1)
                          : sofa_topology_remove(&edit, t, SOFA_ELEMENT_HEXA, &id, 1, 0);
  assert_int_equal(err, SOFA_OK);
  assert_int_equal(sofa_topology_edit_end(&edit, false), SOFA_OK);
}

static void voxels_follow(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run, SCENE(LOADER, DYNAMIC(NUMBERS), MODIFIER ALGORITHMS), NULL);
  field_is(&run, "valuesIndexedInTopology", "1 1 2 1 1");
  field_is(&run, "valuesIndexedInRegularGrid", "255 255 255 255 0 255 0 0");
  field_is(&run, "idInRegularGrid2IndexInTopo", "0 0 1 1 2 2 3 3 5 4");
  // the last one takes the place of number 1
  change(&run, false, 1);
  field_is(&run, "idxInRegularGrid", "0 5 2 3");
  field_is(&run, "valuesIndexedInTopology", "1 1 2 1");
  field_is(&run, "valuesIndexedInRegularGrid", "255 0 255 255 0 255 0 0");
  field_is(&run, "idInRegularGrid2IndexInTopo", "0 0 2 2 3 3 5 1");
  // what comes is no voxel
  change(&run, true, 0);
  field_is(&run, "idxInRegularGrid", "0 5 2 3 4294967295");
  field_is(&run, "idInRegularGrid2IndexInTopo", "0 0 2 2 3 3 5 1");
  scene_run_close(&run);

  scene_run_open(&run, SCENE(LOADER, MULTILEVEL(NUMBERS), "<HexahedronSetTopologyModifier/>"),
                 NULL);
  change(&run, false, 0);
  field_is(&run, "idxInRegularGrid", "5 1 2 3");
  scene_run_close(&run);
}

#define BODY(container, klass)                                                                     \
  SCENE(LOADER, container,                                                                         \
        "<EulerImplicitSolver/><SparseLDLSolver/><" klass " youngModulus='5000' "                  \
        "poissonRatio='0.3'/><FixedProjectiveConstraint indices='0 1 2'/>")

/* Without coarser levels the elements are those of the class below. */
static void one_level_is_uniform(void **state) {
  (void)state;
  SceneRun a, b;
  scene_run_open(&a, BODY(MULTILEVEL(NUMBERS), "NonUniformHexahedralFEMForceFieldAndMass"), NULL);
  scene_run_open(
      &b, BODY("<HexahedronSetTopologyContainer" HEXAS "/>", "HexahedralFEMForceFieldAndMass"),
      NULL);
  scene_run_steps(&a, 3);
  scene_run_steps(&b, 3);
  const SofaState *x = scene_run_state(&a, "/state"), *y = scene_run_state(&b, "/state");
  for (size_t i = 0; i < 3 * x->position.n; i++)
    assert_true(x->position.data[i] == y->position.data[i]);
  scene_run_close(&a);
  scene_run_close(&b);
}

static void refused(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) fail_msg("nothing says '%s'", words);
  if (!strstr(run.all, words)) fail_msg("'%s' does not say '%s'", run.all, words);
  scene_run_close(&run);
}

static void wrong_grids_are_refused(void **state) {
  (void)state;
  refused(SCENE(LOADER, DYNAMIC("idxInRegularGrid='0 1' resolution='2 2 2'"), ""),
          "has 2 numbers for 5 hexahedra");
  refused(SCENE(LOADER, DYNAMIC("idxInRegularGrid='0 1 2 3 8' resolution='2 2 2'"), ""),
          "the grid has the voxels 0 to 7");
  refused(SCENE(LOADER, MULTILEVEL("idxInRegularGrid='0 1 2 3 5' resolution='2 0 2'"), ""),
          "expected at least 1");
  refused(SCENE(LOADER, MULTILEVEL(NUMBERS "level='1'"), ""), "not supported");
  refused(SCENE(LOADER, "", MODIFIER), "no DynamicSparseGridTopologyContainer");
  refused(SCENE(LOADER, "", ALGORITHMS), "no DynamicSparseGridTopologyContainer");
  refused(BODY("<HexahedronSetTopologyContainer" HEXAS "/>",
               "NonUniformHexahedralFEMForceFieldAndMass"),
          "is not a MultilevelHexahedronSetTopologyContainer");
  refused("<Node name='root'><DefaultAnimationLoop/><DynamicSparseGridTopologyContainer "
          "idxInRegularGrid='' resolution='1 1 1'/></Node>",
          "there is no VoxelGridLoader");
}

static void survive_lack_of_memory(void **state) {
  (void)state;
  scene_without_memory(SCENE(LOADER, DYNAMIC(NUMBERS), MODIFIER ALGORITHMS));
  scene_without_memory(BODY(MULTILEVEL(NUMBERS), "NonUniformHexahedralFEMForceFieldAndMass"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(voxels_follow),
      cmocka_unit_test(one_level_is_uniform),
      cmocka_unit_test(wrong_grids_are_refused),
      cmocka_unit_test(survive_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
