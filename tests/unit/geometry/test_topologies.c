/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topology and loader classes in scenes: counting points, numbering, derived lists, neighbours. */
#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/loader.h"
#include "topology/topology.h"
#include "tests/support/scene_memory.h"

#define SCENE(objects) "<Node name='root'><DefaultAnimationLoop/>" objects "</Node>"

static SofaTopology *topology_at(SceneRun *run, const char *path) {
  return (SofaTopology *)scene_run_object(run, path);
}

static void edges_are(SofaTopology *t, const uint32_t *v, size_t n) {
  const SofaEdges *edges = sofa_topology_edges(t);
  assert_int_equal(edges->n, n);
  for (size_t i = 0; i < 2 * n; i++) assert_int_equal(edges->data[i / 2].v[i % 2], v[i]);
}

/* ---- grids ---- */

static void grid_numbers_points_and_cells_x_fastest(void **state) {
  SceneRun run;
  double p[3];
  (void)state;
  scene_run_open(&run,
                 SCENE("<RegularGridTopology name='g' n='3 4 5' min='0 10 20' "
                       "max='2 13 24'/>"),
                 NULL);
  SofaTopology *g = topology_at(&run, "/g");
  assert_int_equal(g->n_points, 60);
  assert_int_equal(g->mesh.position.n, 60);
  sofa_topology_point(g, 2 + 3 * (3 + 4 * 1), p);
  assert_true(p[0] == 2 && p[1] == 13 && p[2] == 21);
  assert_int_equal(g->mesh.hexahedra.n, 2 * 3 * 4);
  assert_memory_equal(g->mesh.hexahedra.data[7].v, ((uint32_t[]){13, 14, 17, 16, 25, 26, 29, 28}),
                      32);
  assert_int_equal(sofa_topology_quads(g)->n, 2 * 3 * 5 + 2 * 4 * 4 + 3 * 3 * 4);
  assert_int_equal(sofa_topology_triangles(g)->n, 2 * sofa_topology_quads(g)->n);
  // edges come from the triangles: lines and one diagonal per quad
  const size_t lines = 2 * 4 * 5 + 3 * 3 * 5 + 3 * 4 * 4;
  assert_int_equal(sofa_topology_edges(g)->n, lines + sofa_topology_quads(g)->n);
  assert_memory_equal(sofa_topology_edges(g)->data, ((uint32_t[]){1, 4, 4, 0, 0, 1, 4, 3, 3, 0}),
                      40);
  scene_run_close(&run);
}

static void grid_lines_without_triangles(void **state) {
  static const uint32_t plane[] = {0, 1, 2, 3, 0, 2, 1, 3}, line[] = {0, 1, 1, 2};
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<RegularGridTopology name='g' n='2 2 1' computeTriangleList='0'/>"
                       "<RegularGridTopology name='h' n='3 1 1' min='0 2 4' max='2 4 8'/>"),
                 NULL);
  edges_are(topology_at(&run, "/g"), plane, 4);
  edges_are(topology_at(&run, "/h"), line, 2);
  // an axis of one point: in the middle, along z at the lower end
  double p[3];
  sofa_topology_point(topology_at(&run, "/h"), 1, p);
  assert_true(p[0] == 1 && p[1] == 3 && p[2] == 4);
  scene_run_close(&run);
}

/* 3 x 2 x 2 points: each list can be left out alone. The edges are those of the triangles where
 * there are any. */
static void lists_of_grids(void **state) {
  static const struct {
    const char *fields;
    size_t hexas, quads, triangles, edges, points;
  } rows[] = {{"", 2, 11, 22, 31, 12},
              {"computeHexaList='0'", 0, 11, 22, 31, 12},
              {"computeQuadList='0'", 2, 0, 22, 31, 12},
              {"computeTriangleList='0'", 2, 11, 0, 20, 12},
              {"computeEdgeList='0'", 2, 11, 22, 0, 12},
              {"computePointList='0'", 2, 11, 22, 31, 0}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    SceneRun run;
    char text[300];
    snprintf(text, sizeof text,
             SCENE("<RegularGridTopology name='g' n='3 2 2' min='0 0 0' max='2 1 1' %s/>"),
             rows[i].fields);
    scene_run_open(&run, text, NULL);
    const SofaTopology *t = topology_at(&run, "/g");
    const size_t n[5] = {t->mesh.hexahedra.n, t->mesh.quads.n, t->mesh.triangles.n, t->mesh.edges.n,
                         t->mesh.position.n};
    if (n[0] != rows[i].hexas || n[1] != rows[i].quads || n[2] != rows[i].triangles ||
        n[3] != rows[i].edges || n[4] != rows[i].points)
      fail_msg("%s: %zu %zu %zu %zu %zu", rows[i].fields, n[0], n[1], n[2], n[3], n[4]);
    assert_int_equal(t->n_points, 12);
    scene_run_close(&run);
  }
}

static void grid_attributes_of_old(void **state) {
  static const char scene[] =
      SCENE("<RegularGridTopology name='g' nx='2' ny='2' nz='2' xmin='0.1' xmax='1' ymin='0' "
            "ymax='1' zmin='0' zmax='1' scale='2' p0='5 5 5'/>"
            "<RegularGridTopology name='h' nx='2' ny='2' nz='2' xmin='0.1' xmax='1' ymin='0' "
            "ymax='1' zmin='0' zmax='1'/>");
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    const SofaContextOptions options = {.quirks = quirks != 0};
    SceneRun run;
    double p[3];
    scene_run_open(&run, scene, &options);
    sofa_topology_point(topology_at(&run, "/h"), 0, p);
    assert_true(p[0] == (quirks ? (double)0.1f : 0.1));
    sofa_topology_point(topology_at(&run, "/g"), 1, p);
    assert_true(p[1] == 5);
    assert_true(fabs(p[0] - 6.8) < 1e-6);
    scene_run_close(&run);
  }
}

static void state_takes_the_points_of_a_grid_behind_it(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run, SCENE("<MechanicalObject name='s'/><RegularGridTopology n='2 2 3'/>"), NULL);
  const SofaState *s = scene_run_state(&run, "/s");
  assert_int_equal(s->position.n, 12);
  assert_true(s->position.data[3 * 11 + 2] == 1);
  scene_run_close(&run);
}

/* ---- MeshTopology ---- */

static void mesh_counts_by_elements_and_derives_on_demand(void **state) {
  static const uint32_t edges[] = {0, 1, 0, 2, 0, 3, 1, 2, 1, 3, 2, 3};
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<MeshTopology name='t' position='0 0 0 1 0 0 0 1 0 0 0 1 9 9 9' "
                       "tetras='0 1 2 3'/>"),
                 NULL);
  SofaTopology *t = topology_at(&run, "/t");
  assert_int_equal(t->n_points, 4);
  assert_int_equal(t->mesh.edges.n, 0);
  edges_are(t, edges, 6);
  assert_int_equal(sofa_topology_triangles(t)->n, 4);
  assert_int_equal(sofa_topology_quads(t)->n, 0);
  scene_run_close(&run);
}

/* After a change of the elements the points are counted again, and who reads them sees it. */
static void changed_elements_are_seen(void **state) {
  SceneRun run;
  const uint32_t *ids = NULL;
  (void)state;
  scene_run_open(
      &run, SCENE("<MeshTopology name='t' position='0 0 0 1 0 0 0 1 0 1 1 0' triangles='0 1 2'/>"),
      NULL);
  SofaTopology *t = topology_at(&run, "/t");
  const SofaAround *around = sofa_topology_around(t, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_POINT);
  assert_int_equal(t->n_points, 3);
  assert_int_equal(sofa_around_row(around, 2, &ids), 1);
  const uint64_t before = (uint64_t)t->revision;
  assert_int_equal(sofa_field_set_text(&t->object, "triangles", "0 1 3", 0), SOFA_OK);
  assert_int_equal(sofa_object_run(&t->object, SOFA_RUN_REINIT), SOFA_OK);
  assert_int_equal(t->n_points, 4);
  assert_true((uint64_t)t->revision > before);
  around = sofa_topology_around(t, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_POINT);
  assert_int_equal(sofa_around_row(around, 2, &ids), 0);
  assert_int_equal(sofa_around_row(around, 3, &ids), 1);
  assert_int_equal(ids[0], 0);
  scene_run_close(&run);
}

static void neighbourhoods_invert_the_elements(void **state) {
  SceneRun run;
  const uint32_t *ids = NULL;
  unsigned per;
  (void)state;
  scene_run_open(&run, SCENE("<MeshTopology name='t' triangles='0 1 2 2 1 3 1 2 4'/>"), NULL);
  SofaTopology *t = topology_at(&run, "/t");
  const SofaAround *a = sofa_topology_around(t, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_POINT);
  assert_int_equal(a->n_rows, 5);
  assert_int_equal(sofa_around_row(a, 2, &ids), 3);
  assert_memory_equal(ids, ((uint32_t[]){0, 1, 2}), 12);
  assert_int_equal(sofa_around_row(a, 3, &ids), 1);
  assert_int_equal(ids[0], 1);
  // edge (1,2) runs along triangles 0 and 2, against 1: those along it first, the last one first
  const uint32_t edge = sofa_topology_edge_index(t, 2, 1);
  a = sofa_topology_around(t, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_EDGE);
  assert_int_equal(sofa_around_row(a, edge, &ids), 3);
  assert_memory_equal(ids, ((uint32_t[]){2, 0, 1}), 12);
  // edge j is opposite vertex j
  const uint32_t *sub = sofa_topology_sub(t, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_TRIANGLE, &per);
  assert_int_equal(per, 3);
  assert_int_equal(sub[0], edge);
  assert_int_equal(sub[3 + 2], edge);
  assert_int_equal(sofa_topology_edge_index(t, 0, 4), SOFA_NO_ELEMENT);
  scene_run_close(&run);
}

static void volumes_know_their_neighbours(void **state) {
  SceneRun run;
  const uint32_t *ids = NULL;
  unsigned per;
  (void)state;
  scene_run_open(&run,
                 SCENE("<TetrahedronSetTopologyContainer name='t' tetrahedra='0 1 2 3 1 2 3 4'/>"
                       "<RegularGridTopology name='g' n='3 2 2'/>"),
                 NULL);
  SofaTopology *t = topology_at(&run, "/t");
  assert_int_equal(t->mesh.triangles.n, 7);
  const uint32_t *sub = sofa_topology_sub(t, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_TETRA, &per);
  assert_int_equal(per, 4);
  assert_int_equal(sub[0], sub[4 + 3]); /* opposite 0, opposite 4: the shared face */
  const SofaAround *a = sofa_topology_around(t, SOFA_ELEMENT_TETRA, SOFA_ELEMENT_TRIANGLE);
  assert_int_equal(sofa_around_row(a, sub[0], &ids), 2);
  a = sofa_topology_around(t, SOFA_ELEMENT_TETRA, SOFA_ELEMENT_EDGE);
  assert_int_equal(sofa_around_row(a, sofa_topology_edge_index(t, 2, 3), &ids), 2);
  a = sofa_topology_around(t, SOFA_ELEMENT_TETRA, SOFA_ELEMENT_POINT);
  assert_int_equal(sofa_around_row(a, 4, &ids), 1);
  SofaTopology *g = topology_at(&run, "/g");
  a = sofa_topology_around(g, SOFA_ELEMENT_HEXA, SOFA_ELEMENT_QUAD);
  size_t inner = 0;
  for (size_t q = 0; q < a->n_rows; q++) inner += sofa_around_row(a, q, &ids) == 2;
  assert_int_equal(inner, 1);
  scene_run_close(&run);
}

static bool has_all(const uint32_t *set, size_t n_set, const uint32_t *points, size_t n) {
  size_t found = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < n_set; k++) found += set[k] == points[i];
  return found == n;
}

/* The lists of `kind` around each `of` are all elements that have all its points; each once. */
static void check_around(SofaTopology *t, SofaElementKind kind, SofaElementKind of) {
  const SofaAround *around = sofa_topology_around(t, kind, of);
  const SofaElements all = sofa_mesh_elements(&t->mesh, kind);
  const SofaElements rows = sofa_mesh_elements(&t->mesh, of);
  const size_t n = of == SOFA_ELEMENT_POINT ? t->n_points : rows.n;
  assert_int_equal(around->n_rows, n);
  for (uint32_t r = 0; r < n; r++) {
    const uint32_t *ids = NULL, *points = of == SOFA_ELEMENT_POINT ? &r : rows.v + r * rows.width;
    const size_t width = of == SOFA_ELEMENT_POINT ? 1 : rows.width;
    const size_t n_ids = sofa_around_row(around, r, &ids);
    size_t expected = 0;
    for (size_t e = 0; e < all.n; e++)
      expected += has_all(all.v + e * all.width, all.width, points, width);
    if (n_ids != expected)
      fail_msg("%s: kind %d around %d %u: %zu, expected %zu", t->object.name, (int)kind, (int)of, r,
               n_ids, expected);
    for (size_t i = 0; i < n_ids; i++) {
      assert_true(has_all(all.v + ids[i] * all.width, all.width, points, width));
      for (size_t k = 0; k < i; k++) assert_int_not_equal(ids[i], ids[k]);
    }
  }
}

/* Sub-elements have points of their element only, and are different from each other. */
static void check_sub(SofaTopology *t, SofaElementKind sub, SofaElementKind kind, unsigned number) {
  unsigned per = 0;
  const uint32_t *ids = sofa_topology_sub(t, sub, kind, &per);
  const SofaElements of = sofa_mesh_elements(&t->mesh, kind);
  const SofaElements parts = sofa_mesh_elements(&t->mesh, sub);
  assert_int_equal(per, number);
  for (size_t e = 0; e < of.n; e++) {
    for (unsigned k = 0; k < per; k++) {
      const uint32_t id = ids[e * per + k];
      assert_true(id < parts.n);
      assert_true(has_all(of.v + e * of.width, of.width, parts.v + id * parts.width, parts.width));
      for (unsigned other = 0; other < k; other++) assert_int_not_equal(id, ids[e * per + other]);
    }
  }
}

static void neighbourhoods_of_all_kinds(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<RegularGridTopology name='g' n='4 3 3'/>"
                       "<HexahedronSetTopologyContainer name='h' "
                       "hexahedra='0 1 4 3 6 7 10 9 1 2 5 4 7 8 11 10'/>"
                       "<QuadSetTopologyContainer name='q' quads='0 1 4 3 1 2 5 4 3 4 7 6'/>"
                       "<Node name='c'><TetrahedronSetTopologyContainer name='t'/>"
                       "<Hexa2TetraTopologicalMapping input='@../g' output='@t'/></Node>"),
                 NULL);
  static const SofaElementKind order[] = {SOFA_ELEMENT_POINT, SOFA_ELEMENT_EDGE,
                                          SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_QUAD};
  SofaTopology *hexas = topology_at(&run, "/h"), *quads = topology_at(&run, "/q");
  SofaTopology *tetras = topology_at(&run, "/c/t");
  for (int of = 0; of < 2; of++) {
    check_around(quads, SOFA_ELEMENT_QUAD, order[of]);
    check_around(hexas, SOFA_ELEMENT_QUAD, order[of]);
    check_around(hexas, SOFA_ELEMENT_HEXA, order[of]);
    check_around(tetras, SOFA_ELEMENT_TRIANGLE, order[of]);
    check_around(tetras, SOFA_ELEMENT_TETRA, order[of]);
  }
  check_around(quads, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_POINT);
  check_around(tetras, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_POINT);
  check_around(hexas, SOFA_ELEMENT_HEXA, SOFA_ELEMENT_QUAD);
  check_around(tetras, SOFA_ELEMENT_TETRA, SOFA_ELEMENT_TRIANGLE);
  check_sub(quads, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_QUAD, 4);
  check_sub(hexas, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_HEXA, 12);
  check_sub(hexas, SOFA_ELEMENT_QUAD, SOFA_ELEMENT_HEXA, 6);
  check_sub(tetras, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_TRIANGLE, 3);
  check_sub(tetras, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_TETRA, 6);
  check_sub(tetras, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_TETRA, 4);
  scene_run_close(&run);
}

/* ---- containers ---- */

static void containers_count_points(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<EdgeSetTopologyContainer name='a' edges='0 1 1 7'/>"
                       "<EdgeSetTopologyContainer name='b' edges='0 1' position='0 0 0 1 1 1 2 2 "
                       "2'/><PointSetTopologyContainer name='c' nbPoints='6'/>"
                       "<TriangleSetTopologyContainer name='d' triangles='0 1 2 2 1 3'/>"
                       "<HexahedronSetTopologyContainer name='e' hexas='0 1 2 3 4 5 6 7'/>"
                       "<QuadSetTopologyContainer name='f' quads='3 2 1 0'/>"),
                 NULL);
  assert_int_equal(topology_at(&run, "/a")->n_points, 8);
  assert_int_equal(topology_at(&run, "/b")->n_points, 3);
  assert_int_equal(topology_at(&run, "/c")->n_points, 6);
  edges_are(topology_at(&run, "/d"), (uint32_t[]){1, 2, 2, 0, 0, 1, 1, 3, 3, 2}, 5);
  assert_int_equal(topology_at(&run, "/e")->mesh.quads.n, 6);
  edges_are(topology_at(&run, "/f"), (uint32_t[]){1, 2, 0, 1, 0, 3, 2, 3}, 4);
  scene_run_close(&run);
}

static void scene_is_refused(const char *text, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.last, words)) fail_msg("'%s' is not in '%s'", words, run.last);
  scene_run_close(&run);
}

static void wrong_scenes_are_refused(void **state) {
  (void)state;
  scene_is_refused(SCENE("<TriangleSetTopologyContainer triangles='0 1 2' edges='0 1'/>"),
                   "not in the given edges");
  scene_is_refused(SCENE("<MeshTopology edges='0 4294967290'/>"), "a mesh cannot have so many");
  scene_is_refused(SCENE("<RegularGridTopology n='100000 100000 100000'/>"), "too large");
  scene_is_refused(SCENE("<RegularGridTopology n='2 2 2' cellWidth='-0.1'/>"), "cellWidth");
  scene_is_refused(SCENE("<MeshGmshLoader filename='no/such.msh'/>"), "not found");
  scene_is_refused(SCENE("<MeshTopology filename='no/such.obj'/>"), "not found");
  scene_is_refused(SCENE("<Hexa2TetraTopologicalMapping/>"), "no topology");
}

/* ---- Hexa2Tetra ---- */

static double tetra_volume(const SofaTopology *points, const uint32_t *v) {
  double x[4][3], d[3][3];
  for (int k = 0; k < 4; k++) sofa_topology_point(points, v[k], x[k]);
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++) d[k][c] = x[k + 1][c] - x[0][c];
  return (d[0][0] * (d[1][1] * d[2][2] - d[1][2] * d[2][1]) -
          d[0][1] * (d[1][0] * d[2][2] - d[1][2] * d[2][0]) +
          d[0][2] * (d[1][0] * d[2][1] - d[1][1] * d[2][0])) /
         6;
}

static void hexa2tetra_fills_the_grid_conformingly(void **state) {
  (void)state;
  for (int swapping = 0; swapping < 2; swapping++) {
    char text[1000];
    SceneRun run;
    snprintf(text, sizeof text,
             SCENE("<RegularGridTopology name='g' n='4 3 5' min='0 0 0' max='3 2 4'/>"
                   "<Node name='t'><TetrahedronSetTopologyContainer name='c'/>"
                   "<Hexa2TetraTopologicalMapping input='@../g' output='@c' swapping='%d'/>"
                   "</Node>"),
             swapping);
    scene_run_open(&run, text, NULL);
    SofaTopology *g = topology_at(&run, "/g"), *c = topology_at(&run, "/t/c");
    assert_int_equal(c->n_points, 60);
    assert_int_equal(c->mesh.tetrahedra.n, 6 * 24);
    double volume = 0;
    for (size_t i = 0; i < c->mesh.tetrahedra.n; i++) {
      const double part = tetra_volume(g, c->mesh.tetrahedra.data[i].v);
      assert_true(part > 0);
      volume += part;
    }
    assert_true(fabs(volume - 24) < 1e-12);
    // neighbours share whole faces: only the grid's surface has triangles with one tetrahedron
    const SofaAround *a = sofa_topology_around(c, SOFA_ELEMENT_TETRA, SOFA_ELEMENT_TRIANGLE);
    size_t border = 0;
    const uint32_t *ids = NULL;
    for (size_t i = 0; i < a->n_rows; i++) border += sofa_around_row(a, i, &ids) == 1;
    assert_int_equal(border, 2 * 2 * (3 * 2 + 3 * 4 + 2 * 4));
    scene_run_close(&run);
  }
}

/* ---- loaders in a scene ---- */

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  assert_int_equal(fclose(file), 0);
}

static void loaders_feed_topologies_and_states(void **state) {
  static const char msh[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n"
                            "3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n1 4 0 1 2 3 4\n"
                            "$EndElements\n";
  char folder[] = "/tmp/csofa_loader_XXXXXX", file[100], text[1500];
  SceneRun run;
  (void)state;
  assert_non_null(mkdtemp(folder));
  snprintf(file, sizeof file, "%s/one.msh", folder);
  write_text(file, msh);
  snprintf(text, sizeof text,
           SCENE("<MeshGmshLoader name='l' filename='%s' translation='1 0 0' scale='2'/>"
                 "<MeshGmshLoader name='m' filename='%s' createSubelements='0'/>"
                 "<TetrahedronSetTopologyContainer name='t' src='@l'/>"
                 "<MeshTopology name='u' src='@m'/><MechanicalObject name='s' src='@l'/>"),
           file, file);
  scene_run_open(&run, text, NULL);
  remove(file), remove(folder);
  SofaTopology *t = topology_at(&run, "/t"), *u = topology_at(&run, "/u");
  assert_int_equal(t->n_points, 4);
  assert_true(t->mesh.position.data[1].v[0] == 3);
  // the loader's own faces, not those the container would make
  assert_memory_equal(t->mesh.triangles.data[0].v, ((uint32_t[]){0, 2, 1}), 12);
  assert_int_equal(t->mesh.edges.n, 6);
  assert_int_equal(u->mesh.triangles.n, 0);
  assert_memory_equal(sofa_topology_triangles(u)->data[0].v, ((uint32_t[]){1, 2, 3}), 12);
  const SofaState *s = scene_run_state(&run, "/s");
  assert_int_equal(s->position.n, 4);
  assert_true(s->position.data[3] == 3);
  scene_run_close(&run);
}

/* Allocation n fails, for many n: an error and no leak each time. */
static void survives_lack_of_memory(void **state) {
  static const char scene[] =
      SCENE("<RegularGridTopology name='g' n='2 2 3'/>"
            "<MeshTopology name='m' tetras='0 1 2 3' computeAllBuffers='1'/>"
            "<Node name='t'><TetrahedronSetTopologyContainer name='c'/>"
            "<Hexa2TetraTopologicalMapping input='@../g' output='@c' swapping='1'/></Node>"
            "<TriangleSetTopologyContainer name='d' src='@m'/>");
  (void)state;
  scene_survives_lack_of_memory(scene, true);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grid_numbers_points_and_cells_x_fastest),
      cmocka_unit_test(grid_lines_without_triangles),
      cmocka_unit_test(lists_of_grids),
      cmocka_unit_test(grid_attributes_of_old),
      cmocka_unit_test(state_takes_the_points_of_a_grid_behind_it),
      cmocka_unit_test(mesh_counts_by_elements_and_derives_on_demand),
      cmocka_unit_test(changed_elements_are_seen),
      cmocka_unit_test(neighbourhoods_invert_the_elements),
      cmocka_unit_test(volumes_know_their_neighbours),
      cmocka_unit_test(neighbourhoods_of_all_kinds),
      cmocka_unit_test(containers_count_points),
      cmocka_unit_test(wrong_scenes_are_refused),
      cmocka_unit_test(hexa2tetra_fills_the_grid_conformingly),
      cmocka_unit_test(loaders_feed_topologies_and_states),
      cmocka_unit_test(survives_lack_of_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
