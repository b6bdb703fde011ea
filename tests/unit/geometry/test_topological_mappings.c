/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topological mappings in scenes: borders, diagonals, and topologies that do not fit. */
#include "tests/support/scene_run.h"

#include "topology/topology.h"
#include "tests/support/scene_memory.h"

#define SCENE(objects) "<Node name='root'><DefaultAnimationLoop/>" objects "</Node>"

static SofaTopology *topology_at(SceneRun *run, const char *path) {
  return (SofaTopology *)scene_run_object(run, path);
}

/* The elements of a kind are the rows of v. */
static void elements_are(SofaTopology *t, SofaElementKind kind, const uint32_t *v, size_t n) {
  const SofaElements e = sofa_mesh_elements(&t->mesh, kind);
  assert_int_equal(e.n, n);
  for (size_t i = 0; i < n * e.width; i++) assert_int_equal(e.v[i], v[i]);
}

/* Volume under a closed surface of triangles, 6 times. */
static double volume(const SofaTopology *t, const SofaTopology *points) {
  double sum = 0;
  for (size_t i = 0; i < t->mesh.triangles.n; i++) {
    double x[3][3];
    for (int k = 0; k < 3; k++) sofa_topology_point(points, t->mesh.triangles.data[i].v[k], x[k]);
    sum += x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) -
           x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
           x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
  }
  return sum;
}

static void tetrahedra_have_a_closed_surface(void **state) {
  static const char scene[] = SCENE(
      "<RegularGridTopology name='g' n='3 3 4' max='2 2 3'/>"
      "<Node name='t'><TetrahedronSetTopologyContainer name='c'/>"
      "<Hexa2TetraTopologicalMapping input='@../g' output='@c' swapping='1'/>"
      "<Node name='s'><TriangleSetTopologyContainer name='c'/><TriangleSetTopologyModifier/>"
      "<Tetra2TriangleTopologicalMapping input='@../c' output='@c'/></Node>"
      "<Node name='f'><TriangleSetTopologyContainer name='c'/>"
      "<TriangleSetTopologyModifier name='m'/><Tetra2TriangleTopologicalMapping input='@../c' "
      "output='@c' modifier='@m' flipNormals='1'/></Node>"
      "<Node name='n'><TriangleSetTopologyContainer name='c'/>"
      "<Tetra2TriangleTopologicalMapping noInitialTriangles='1'/></Node></Node>");
  SceneRun run;
  (void)state;
  scene_run_open(&run, scene, NULL);
  const SofaTopology *grid = topology_at(&run, "/g"), *surface = topology_at(&run, "/t/s/c");
  assert_int_equal(surface->mesh.triangles.n, 2 * (2 * 4 + 4 * 6));
  assert_int_equal(surface->n_points, 36);
  assert_true(volume(surface, grid) == 6 * 12);
  assert_true(volume(topology_at(&run, "/t/f/c"), grid) == -6 * 12);
  assert_int_equal(topology_at(&run, "/t/n/c")->mesh.triangles.n, 0);
  assert_int_equal(topology_at(&run, "/t/n/c")->n_points, 36);
  scene_run_close(&run);
}

static void flipping_keeps_the_first_vertex_of_a_triangle(void **state) {
  static const uint32_t plain[] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
  SceneRun run;
  (void)state;
  for (int flip = 0; flip < 2; flip++) {
    char scene[600];
    uint32_t v[12];
    snprintf(scene, sizeof scene,
             SCENE("<MeshTopology name='m' position='0 0 0 1 0 0 0 1 0 0 0 1' tetras='0 1 2 3' "
                   "triangles='0 2 1 0 1 3 0 3 2 1 2 3'/>"
                   "<Node name='s'><MeshTopology name='c'/><Tetra2TriangleTopologicalMapping "
                   "flipNormals='%d'/></Node>"),
             flip);
    scene_run_open(&run, scene, NULL);
    for (int i = 0; i < 12; i++) v[i] = plain[flip ? i / 3 * 3 + (3 - i % 3) % 3 : i];
    elements_are(topology_at(&run, "/s/c"), SOFA_ELEMENT_TRIANGLE, v, 4);
    scene_run_close(&run);
  }
}

static void hexahedra_have_quads_outside(void **state) {
  static const char scene[] =
      SCENE("<RegularGridTopology name='g' n='3 2 2' max='2 1 1'/>"
            "<Node name='q'><QuadSetTopologyContainer name='c'/><QuadSetTopologyModifier/>"
            "<Hexa2QuadTopologicalMapping input='@../g' output='@c'/></Node>"
            "<Node name='f'><QuadSetTopologyContainer name='c'/><QuadSetTopologyModifier/>"
            "<Hexa2QuadTopologicalMapping input='@../g' output='@c' flipNormals='1'/></Node>");
  // the grid's quads but the one between the cells, (1, 4, 10, 7)
  static const uint32_t quads[] = {0,  1,  4,  3,  1, 2, 5, 4, 6, 7, 10, 9, 7,  8,
                                   11, 10, 0,  1,  7, 6, 1, 2, 8, 7, 3,  4, 10, 9,
                                   4,  5,  11, 10, 0, 3, 9, 6, 2, 5, 11, 8};
  uint32_t flipped[40];
  SceneRun run;
  (void)state;
  scene_run_open(&run, scene, NULL);
  elements_are(topology_at(&run, "/q/c"), SOFA_ELEMENT_QUAD, quads, 10);
  for (int i = 0; i < 40; i++) flipped[i] = quads[i / 4 * 4 + 3 - i % 4];
  elements_are(topology_at(&run, "/f/c"), SOFA_ELEMENT_QUAD, flipped, 10);
  scene_run_close(&run);
}

static void quads_are_cut_along_alternating_diagonals(void **state) {
  static const uint32_t alternating[] = {1, 4, 0, 3, 0, 4, 1, 2, 4, 5, 4, 2,
                                         3, 4, 6, 7, 6, 4, 5, 8, 4, 7, 4, 8};
  static const uint32_t same[] = {1, 4, 0, 3, 0, 4, 2, 5, 1, 4, 1, 5,
                                  4, 7, 3, 6, 3, 7, 5, 8, 4, 7, 4, 8};
  SceneRun run;
  (void)state;
  for (int swapping = 0; swapping < 2; swapping++) {
    char scene[600];
    snprintf(scene, sizeof scene,
             SCENE("<RegularGridTopology name='g' n='3 3 1'/>"
                   "<Node name='q'><QuadSetTopologyContainer name='c' quads='@../g.quads'/>"
                   "<Node name='t'><TriangleSetTopologyContainer name='c'/>"
                   "<TriangleSetTopologyModifier/><Quad2TriangleTopologicalMapping "
                   "input='@../c' output='@c' swapping='%d'/></Node></Node>"),
             swapping);
    scene_run_open(&run, scene, NULL);
    elements_are(topology_at(&run, "/q/t/c"), SOFA_ELEMENT_TRIANGLE, swapping ? alternating : same,
                 8);
    scene_run_close(&run);
  }
}

static void triangles_have_a_border(void **state) {
  // two triangles share (1, 2); the border keeps the directions of the edges as listed
  static const uint32_t border[] = {2, 0, 0, 1, 1, 3, 3, 2};
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<TriangleSetTopologyContainer name='m' triangles='0 1 2 2 1 3'/>"
                       "<Node name='e'><EdgeSetTopologyContainer name='c'/>"
                       "<EdgeSetTopologyModifier/><Triangle2EdgeTopologicalMapping/></Node>"),
                 NULL);
  elements_are(topology_at(&run, "/e/c"), SOFA_ELEMENT_EDGE, border, 4);
  scene_run_close(&run);
}

/* ---- wrong scenes ---- */

static void scene_is_refused(const char *text, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.last, words)) fail_msg("'%s' does not say '%s'", run.last, words);
  scene_run_close(&run);
}

static void topologies_that_do_not_fit_are_refused(void **state) {
  (void)state;
  scene_is_refused(SCENE("<RegularGridTopology name='g' n='2 2 1'/>"
                         "<Node><QuadSetTopologyContainer/><QuadSetTopologyModifier/>"
                         "<Hexa2QuadTopologicalMapping/></Node>"),
                   "its largest elements are quads");
  scene_is_refused(SCENE("<RegularGridTopology name='g'/><Node><MeshTopology/>"
                         "<QuadSetTopologyModifier/><Hexa2QuadTopologicalMapping/></Node>"),
                   "must be a set container of quads");
  scene_is_refused(SCENE("<RegularGridTopology name='g'/><Node><QuadSetTopologyContainer/>"
                         "<Hexa2QuadTopologicalMapping/></Node>"),
                   "has no QuadSetTopologyModifier");
  scene_is_refused(SCENE("<RegularGridTopology name='g'/><Node><TriangleSetTopologyContainer/>"
                         "<TriangleSetTopologyModifier/><Quad2TriangleTopologicalMapping/></Node>"),
                   "must be a topology of quads");
  scene_is_refused(SCENE("<MeshTopology triangles='0 1 2'/><Node><EdgeSetTopologyContainer/>"
                         "<Triangle2EdgeTopologicalMapping/></Node>"),
                   "has no EdgeSetTopologyModifier");
}

/* Refused when errors do not end the run: the output stays as it was. */
static void refused_mapping_leaves_its_output(void **state) {
  const SofaContextOptions options = {.keep_going = true};
  SceneRun run = {.quiet = true};
  (void)state;
  scene_run_context(&run, &options);
  run.quiet = true;
  assert_int_equal(
      sofa_simulation_load_text(run.ctx,
                                SCENE("<RegularGridTopology/><Node name='q'>"
                                      "<QuadSetTopologyContainer name='c' quads='0 1 2 3'/>"
                                      "<Hexa2QuadTopologicalMapping/></Node>"),
                                &run.simulation),
      SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_true(run.n_problems > 0);
  assert_int_equal(topology_at(&run, "/q/c")->mesh.quads.n, 1);
  scene_run_close(&run);
}

static void survives_lack_of_memory(void **state) {
  static const char scene[] =
      SCENE("<RegularGridTopology name='g'/>"
            "<Node name='q'><QuadSetTopologyContainer name='c'/><QuadSetTopologyModifier/>"
            "<Hexa2QuadTopologicalMapping input='@../g' output='@c'/><Node name='t'>"
            "<TriangleSetTopologyContainer name='c'/><TriangleSetTopologyModifier/>"
            "<Quad2TriangleTopologicalMapping input='@../c' output='@c'/></Node></Node>");
  (void)state;
  scene_survives_lack_of_memory(scene, true);
}

/* One point per point and one per edge, whatever holds them. */
static void cut_tetrahedra_have_points(void **state) {
  static const char *const classes[] = {"TetrahedronSetTopologyContainer", "MeshTopology"};
  (void)state;
  for (int k = 0; k < 2; k++) {
    char scene[600];
    SceneRun run;
    snprintf(scene, sizeof scene,
             SCENE("<TetrahedronSetTopologyContainer name='a' position='0 0 0 2 0 0 0 2 0 0 0 2' "
                   "tetrahedra='0 1 2 3'/><Node name='b'><%s name='t'/>"
                   "<SimpleTesselatedTetraTopologicalMapping input='@../a' output='@t'/>"
                   "<MechanicalObject name='state'/></Node>"),
             classes[k]);
    scene_run_open(&run, scene, NULL);
    const SofaTopology *t = topology_at(&run, "/b/t");
    assert_int_equal(t->n_points, 10);
    assert_int_equal(t->mesh.position.n, 10);
    assert_int_equal(t->mesh.tetrahedra.n, 8);
    assert_int_equal(scene_run_state(&run, "/b/state")->position.n, 10);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cut_tetrahedra_have_points),
      cmocka_unit_test(tetrahedra_have_a_closed_surface),
      cmocka_unit_test(flipping_keeps_the_first_vertex_of_a_triangle),
      cmocka_unit_test(hexahedra_have_quads_outside),
      cmocka_unit_test(quads_are_cut_along_alternating_diagonals),
      cmocka_unit_test(triangles_have_a_border),
      cmocka_unit_test(topologies_that_do_not_fit_are_refused),
      cmocka_unit_test(refused_mapping_leaves_its_output),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
