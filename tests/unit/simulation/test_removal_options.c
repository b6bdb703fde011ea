/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of topological changes: what goes with the elements that are removed, and what follows.
 */
#include "behavior/state.h"
#include "tests/support/scene_run.h"
#include "topology/topology.h"

#define REMOVE(what, ids)                                                                          \
  "<TopologicalChangeProcessor useDataInputs='1' timeToRemove='-1' " what "ToRemove='" ids "'/>"
#define SCENE(body)                                                                                \
  "<Node dt='0.01' gravity='0 0 0'><DefaultAnimationLoop/><Node name='b'>" body "</Node></Node>"
/* Tetrahedra on both sides of face 1 2 3; the first one goes, of which point 0 is alone. */
#define TWO_TETRAS                                                                                 \
  "<TetrahedronSetTopologyContainer name='mesh' position='0 0 -1 0 0 0 1 0 0 0 1 0 0 0 1' "        \
  "tetrahedra='0 1 2 3 1 2 3 4'/>"
#define STATE "<MechanicalObject name='s'/>"
#define BORDER(options)                                                                            \
  "<Node name='border'><TriangleSetTopologyContainer name='mesh'/><TriangleSetTopologyModifier/>"  \
  "<Tetra2TriangleTopologicalMapping input='@../mesh' output='@mesh' " options "/></Node>"

static const struct {
  const char *scene;
  const char *mesh; /* whose elements are counted */
  SofaElementKind kind;
  size_t n_elements, n_points, n_state; /* after the change; points of /b/mesh and of /b/s */
} cases[] = {
    {SCENE(TWO_TETRAS STATE "<TetrahedronSetTopologyModifier/>" REMOVE("tetrahedra", "0")),
     "/b/mesh", SOFA_ELEMENT_TETRA, 1, 4, 4},
    {SCENE(TWO_TETRAS STATE
           "<TetrahedronSetTopologyModifier removeIsolated='0'/>" REMOVE("tetrahedra", "0")),
     "/b/mesh", SOFA_ELEMENT_TETRA, 1, 5, 5},
    {SCENE(TWO_TETRAS STATE
           "<TetrahedronSetTopologyModifier propagateToDOF='0'/>" REMOVE("tetrahedra", "0")),
     "/b/mesh", SOFA_ELEMENT_TETRA, 1, 4, 5},
    {SCENE("<QuadSetTopologyContainer name='mesh' position='0 0 0 1 0 0 1 1 0 0 1 0 2 0 0 2 1 0' "
           "quads='0 1 2 3 1 4 5 2'/>" STATE "<QuadSetTopologyModifier/>" REMOVE("quads", "0")),
     "/b/mesh", SOFA_ELEMENT_QUAD, 1, 4, 4},
    /* six faces of both, four of the one that stays; three when no new one comes */
    {SCENE(TWO_TETRAS STATE "<TetrahedronSetTopologyModifier/>" REMOVE("tetrahedra", "0")
               BORDER("")),
     "/b/border/mesh", SOFA_ELEMENT_TRIANGLE, 4, 4, 4},
    {SCENE(TWO_TETRAS STATE "<TetrahedronSetTopologyModifier/>" REMOVE("tetrahedra", "0")
               BORDER("noNewTriangles='1'")),
     "/b/border/mesh", SOFA_ELEMENT_TRIANGLE, 3, 4, 4},
    {SCENE(TWO_TETRAS STATE "<TetrahedronSetTopologyModifier/>" REMOVE("tetrahedra", "0")
               BORDER("noInitialTriangles='1'")),
     "/b/border/mesh", SOFA_ELEMENT_TRIANGLE, 1, 4, 4},
};

static void what_goes_along(void **state) {
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    SceneRun run;
    scene_run_open(&run, cases[i].scene, NULL);
    scene_run_steps(&run, 2);
    SofaTopology *mesh = (SofaTopology *)scene_run_object(&run, cases[i].mesh);
    const size_t n_points = ((SofaTopology *)scene_run_object(&run, "/b/mesh"))->n_points;
    const size_t n = sofa_mesh_elements(&mesh->mesh, cases[i].kind).n;
    const size_t n_state = scene_run_state(&run, "/b/s")->position.n;
    if (n != cases[i].n_elements || n_points != cases[i].n_points || n_state != cases[i].n_state)
      fail_msg("case %zu: %zu elements, %zu points, %zu of the state", i, n, n_points, n_state);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_goes_along)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
