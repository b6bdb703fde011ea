/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every topological mapping of the factory: counts, and which element of the input each element of
 * the output is of, both ways, and what objects that stand before it read of it. A class without a
 * case fails. */
#include <math.h>

#include "components/builtins.h"
#include "tests/support/scene_memory.h"

#include "tests/support/field_versions.h"

#include "components/mapping/mesh_to_points.h"
#include "components/mapping/tesselated_tetra.h"
#include "components/topology/element_mapping.h"
#include "object/factory.h"

typedef struct Case {
  const char *klass, *what;
  const char *scene; /* /in is the input, /m/out the output, /m/map the mapping */
  SofaElementKind from, to;
  size_t n_points, n; /* of the output */
  unsigned per;       /* elements made of each element, in order; 0: another rule, see `rule` */
  uint32_t shrink;    /* vertices of the output / shrink are those of the input; 0: new points */
  void (*rule)(const struct Case *c, SceneRun *run);
} Case;

static SofaTopology *in_of(SceneRun *run) {
  return (SofaTopology *)scene_run_object(run, "/in");
}
static SofaTopology *out_of(SceneRun *run) {
  return (SofaTopology *)scene_run_object(run, "/m/out");
}

static bool contains(const uint32_t *list, size_t n, uint32_t v) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == v) return true;
  return false;
}

static void same_vertices(const SofaElements *a, size_t i, const SofaElements *b, size_t j) {
  assert_int_equal(a->width, b->width);
  for (unsigned k = 0; k < a->width; k++)
    assert_true(contains(b->v + b->width * j, b->width, a->v[a->width * i + k]));
}

/* ---- rules ---- */

/* Borders: the tables are inverse of each other and lead to the same vertices. */
static void border(const Case *c, SceneRun *run) {
  const SofaBorderMapping *m = (const SofaBorderMapping *)scene_run_object(run, "/m/map");
  const SofaElements from = sofa_mesh_elements(&in_of(run)->mesh, c->to);
  const SofaElements to = sofa_mesh_elements(&out_of(run)->mesh, c->to);
  size_t found = 0;
  assert_int_equal(m->global.n, to.n);
  assert_int_equal(m->local.n, from.n);
  for (size_t i = 0; i < to.n; i++) {
    assert_int_equal(m->local.data[m->global.data[i]], i);
    same_vertices(&to, i, &from, m->global.data[i]);
  }
  for (size_t i = 0; i < from.n; i++) found += m->local.data[i] != SOFA_NO_ELEMENT;
  assert_int_equal(found, to.n);
}

/* Points of elements: each is where its element's weights say. */
static void points_of_elements(const Case *c, SceneRun *run) {
  const SofaMeshToPoints *m = (const SofaMeshToPoints *)scene_run_object(run, "/m/map");
  const SofaTopology *in = in_of(run), *out = out_of(run);
  size_t next = 0;
  (void)c;
  for (int k = 0; k < SOFA_MESH_TO_POINTS_KINDS; k++) {
    const SofaElements e = sofa_mesh_to_points_elements(m, k);
    for (size_t i = 0; i < e.n; i++)
      for (size_t j = 0; j < m->coords[k].n; j++, next++) {
        double w[8], p[3], x[3], sum = 0;
        const SofaPointOrigin *o = &m->origin.data[next];
        assert_true(next < m->origin.n && o->kind == (uint32_t)k && o->element == i &&
                    o->place == j);
        const unsigned n = sofa_mesh_to_points_weights(m, k, j, w);
        sofa_topology_point(out, next, p);
        for (unsigned v = 0; v < n; v++) {
          sofa_topology_point(in, e.v ? e.v[n * i + v] : i, x);
          for (int a = 0; a < 3; a++) p[a] -= w[v] * x[a];
          sum += w[v];
        }
        assert_true(sum > 1 - 1e-12 && sum < 1 + 1e-12);
        for (int a = 0; a < 3; a++)
          assert_true(p[a] - (k ? 0 : m->coords[0].data[j].v[a]) < 1e-12 &&
                      p[a] - (k ? 0 : m->coords[0].data[j].v[a]) > -1e-12);
      }
  }
  assert_int_equal(next, out->n_points);
}

/* Eight parts of a volume: the tables agree, the parts fill the whole. */
static double volume(const SofaTopology *t, const uint32_t *v) {
  double x[4][3], a[3][3];
  for (int k = 0; k < 4; k++) sofa_topology_point(t, v[k], x[k]);
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++) a[k][c] = x[k + 1][c] - x[0][c];
  return a[0][0] * (a[1][1] * a[2][2] - a[1][2] * a[2][1]) -
         a[0][1] * (a[1][0] * a[2][2] - a[1][2] * a[2][0]) +
         a[0][2] * (a[1][0] * a[2][1] - a[1][1] * a[2][0]);
}

static void eight_tetrahedra(const Case *c, SceneRun *run) {
  const SofaTesselatedTetra *m = (const SofaTesselatedTetra *)scene_run_object(run, "/m/map");
  SofaTopology *in = in_of(run), *out = out_of(run);
  (void)c;
  assert_int_equal(m->made.n, in->mesh.tetrahedra.n);
  assert_int_equal(m->source.n, out->mesh.tetrahedra.n);
  for (size_t t = 0; t < m->made.n; t++) {
    double sum = 0;
    for (int k = 0; k < 8; k++) {
      assert_int_equal(m->source.data[m->made.data[t].v[k]], t);
      const double part = volume(out, out->mesh.tetrahedra.data[m->made.data[t].v[k]].v);
      assert_true(part > 0);
      sum += part;
    }
    const double whole = volume(in, in->mesh.tetrahedra.data[t].v);
    assert_true(sum > whole - 1e-12 && sum < whole + 1e-12);
  }
  for (size_t i = 0; i < m->point_source.n; i++) {
    const int s = m->point_source.data[i];
    assert_int_equal(s > 0 ? m->from_point.data[s - 1] : m->from_edge.data[-s - 1], i);
  }
}

static void eight_hexahedra(const Case *c, SceneRun *run) {
  SofaTopology *in = in_of(run), *out = out_of(run);
  (void)c;
  for (size_t i = 0; i < out->mesh.hexahedra.n; i++) {
    const uint32_t *v = out->mesh.hexahedra.data[i].v, *whole = in->mesh.hexahedra.data[i / 8].v;
    const uint32_t corners[4] = {v[0], v[1], v[3], v[4]};
    const uint32_t all[4] = {whole[0], whole[1], whole[3], whole[4]};
    assert_int_equal(v[i % 8], whole[i % 8]);
    const double difference = 8 * volume(out, corners) - volume(in, all);
    assert_true(difference < 1e-12 && difference > -1e-12);
  }
  // the points of the grid with half the spacing, each once
  bool seen[5 * 7 * 5] = {false};
  for (size_t i = 0; i < out->n_points; i++) {
    double x[3];
    size_t at[3];
    sofa_topology_point(out, (uint32_t)i, x);
    for (int k = 0; k < 3; k++) {
      at[k] = (size_t)(2 * x[k] + 0.5);
      assert_true(2 * x[k] == (double)at[k] && at[k] < (k == 1 ? 7u : 5u));
    }
    assert_false(seen[at[0] + 5 * (at[1] + 7 * at[2])]);
    seen[at[0] + 5 * (at[1] + 7 * at[2])] = true;
  }
}

/* Subsets: fields lead there and back. */
static void subset(const Case *c, SceneRun *run) {
  SofaObject *map = scene_run_object(run, "/m/map");
  const SofaElementKind kinds[] = {SOFA_ELEMENT_POINT, c->to};
  for (int k = 0; k < 2; k++) {
    char s2d[40], d2s[40];
    const char *name = sofa_element_kind_info(kinds[k])->name;
    snprintf(s2d, sizeof s2d, "%sS2D", name);
    snprintf(d2s, sizeof d2s, "%sD2S", name);
    const SofaIndices *there = sofa_field_value(map, sofa_class_field(map->klass, s2d));
    const SofaIndices *back = sofa_field_value(map, sofa_class_field(map->klass, d2s));
    const SofaElements from = sofa_mesh_elements(&in_of(run)->mesh, kinds[k]);
    const SofaElements to = sofa_mesh_elements(&out_of(run)->mesh, kinds[k]);
    assert_int_equal(there->n, k ? from.n : in_of(run)->n_points);
    assert_int_equal(back->n, k ? to.n : out_of(run)->n_points);
    for (size_t i = 0; i < back->n; i++) assert_int_equal(there->data[back->data[i]], i);
  }
}

/* ---- cases ---- */

#define SCENE(in, out)                                                                             \
  "<Node name='root'><DefaultAnimationLoop/>" in "<Node name='m'>" out "</Node></Node>"
#define GRID "<RegularGridTopology name='in' n='3 4 3' max='2 3 2'/>"
#define FLAT "<RegularGridTopology name='in' n='3 4 1' max='2 3 0'/>"
#define TETRAS                                                                                     \
  "<RegularGridTopology name='g' n='3 4 3' max='2 3 2'/><Node name='t'>"                           \
  "</Node><TetrahedronSetTopologyContainer name='in' position='@g.position'/>"                     \
  "<Hexa2TetraTopologicalMapping input='@g' output='@in'/>"
#define SET(Kind) "<" #Kind "SetTopologyContainer name='out'/><" #Kind "SetTopologyModifier/>"
#define MAP(Name, how)                                                                             \
  "<" #Name "TopologicalMapping name='map' input='@../in' output='@out' " how "/>"

enum { CELLS = 12, POINTS = 36 };
#define P SOFA_ELEMENT_POINT
#define E SOFA_ELEMENT_EDGE
#define T SOFA_ELEMENT_TRIANGLE
#define Q SOFA_ELEMENT_QUAD
#define TT SOFA_ELEMENT_TETRA
#define H SOFA_ELEMENT_HEXA

static const Case cases[] = {
    {"Hexa2TetraTopologicalMapping", "plain", SCENE(GRID, SET(Tetrahedron) MAP(Hexa2Tetra, "")), H,
     TT, POINTS, 6 * CELLS, 6, 1, NULL},
    {"Hexa2TetraTopologicalMapping", "alternating",
     SCENE(GRID, SET(Tetrahedron) MAP(Hexa2Tetra, "swapping='1'")), H, TT, POINTS, 6 * CELLS, 6, 1,
     NULL},
    {"Hexa2PrismTopologicalMapping", "plain",
     SCENE(GRID, "<MeshTopology name='out'/>" MAP(Hexa2Prism, "")), H, SOFA_ELEMENT_PRISM, POINTS,
     2 * CELLS, 2, 1, NULL},
    {"Quad2TriangleTopologicalMapping", "plain",
     SCENE("<RegularGridTopology name='g' n='3 4 1'/><QuadSetTopologyContainer name='in' "
           "position='@g.position' quads='@g.quads'/>",
           SET(Triangle) MAP(Quad2Triangle, "")),
     Q, T, 12, 2 * 6, 2, 1, NULL},
    {"Hexa2QuadTopologicalMapping", "plain", SCENE(GRID, SET(Quad) MAP(Hexa2Quad, "")), H, Q,
     POINTS, 2 * (6 + 6 + 4), 0, 1, border},
    {"Tetra2TriangleTopologicalMapping", "plain",
     SCENE(TETRAS, SET(Triangle) MAP(Tetra2Triangle, "")), TT, T, POINTS, 4 * (6 + 6 + 4), 0, 1,
     border},
    {"Triangle2EdgeTopologicalMapping", "plain", SCENE(FLAT, SET(Edge) MAP(Triangle2Edge, "")), T,
     E, 12, 2 * (2 + 3), 0, 1, border},
    {"Edge2QuadTopologicalMapping", "circles",
     SCENE("<EdgeSetTopologyContainer name='in' edges='0 1 1 2'/><MechanicalObject "
           "template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 2 0 0 0 0.6 0 0.8'/>",
           "<MechanicalObject/>" SET(Quad) MAP(Edge2Quad, "nbPointsOnEachCircle='5' radius='2'")),
     E, Q, 15, 10, 5, 5, NULL},
    {"Edge2QuadTopologicalMapping", "ellipses, turned",
     SCENE("<EdgeSetTopologyContainer name='in' edges='0 1 1 2'/><MechanicalObject "
           "template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 2 0 0 0 0.6 0 0.8'/>",
           "<MechanicalObject/>" SET(Quad) MAP(Edge2Quad, "nbPointsOnEachCircle='4' radius='2' "
                                                          "radiusFocal='1' flipNormals='1'")),
     E, Q, 12, 8, 4, 4, NULL},
    {"CenterPointTopologicalMapping", "plain",
     SCENE(GRID, "<MechanicalObject/>" SET(Point) MAP(CenterPoint, "")), H, P, CELLS, 0, 0, 0,
     NULL},
    {"Mesh2PointTopologicalMapping", "all kinds",
     SCENE(GRID,
           SET(Point) MAP(Mesh2Point, "pointBaryCoords='0 0 0 0.1 0 0' edgeBaryCoords='0.5 0 0' "
                                      "triangleBaryCoords='0.3 0.2 0' quadBaryCoords='0.1 0.9 0' "
                                      "hexaBaryCoords='0.5 0.5 0.5 0.1 0.2 0.3'")),
     H, P, 2 * POINTS + (75 + 52) + 2 * 52 + 52 + 2 * CELLS, 0, 0, 0, points_of_elements},
    {"Mesh2PointTopologicalMapping", "tetrahedra, copied",
     SCENE(TETRAS, SET(Tetrahedron) MAP(Mesh2Point, "pointBaryCoords='0 0 0' tetraBaryCoords='0.25 "
                                                    "0.25 0.25' copyTetrahedra='1'")),
     TT, TT, POINTS + 6 * CELLS, 6 * CELLS, 1, 1, points_of_elements},
    {"SimpleTesselatedTetraTopologicalMapping", "plain",
     SCENE(TETRAS, SET(Tetrahedron) MAP(SimpleTesselatedTetra, "")), TT, TT,
     POINTS + (2 * 12 + 3 * 9 + 2 * 12) + (52 - 0) + CELLS, 8 * 6 * CELLS, 0, 0, eight_tetrahedra},
    {"SimpleTesselatedHexaTopologicalMapping", "plain",
     SCENE(GRID, SET(Hexahedron) MAP(SimpleTesselatedHexa, "")), H, H, 5 * 7 * 5, 8 * CELLS, 0, 0,
     eight_hexahedra},
    {"IdentityTopologicalMapping", "plain",
     SCENE(GRID, "<HexahedronSetTopologyContainer name='out' position='@../in.position' "
                 "hexahedra='@../in.hexahedra'/>" MAP(Identity, "")),
     H, H, POINTS, CELLS, 1, 1, NULL},
    {"SubsetTopologicalMapping", "part of the places",
     SCENE(GRID, "<RegularGridTopology name='out' n='2 3 2' max='1 2 1'/>" MAP(
                     Subset, "handleHexahedra='1' handleQuads='1' handleEdges='1' "
                             "handleTriangles='1'")),
     H, H, 12, 2, 0, 0, subset},
    {"SubsetTopologicalMapping", "tetrahedra at the same points",
     SCENE(TETRAS, "<MeshTopology name='out' tetrahedra='1 6 2 7 0 5 1 6 35 23 22 19'/>" MAP(
                       Subset, "samePoints='1'")),
     TT, TT, 36, 3, 0, 0, NULL},
};

/* Element i of the output is made of element i / per of the input, and of its vertices. */
static void ranks_lead_back(const Case *c, SceneRun *run) {
  const SofaElements from = sofa_mesh_elements(&in_of(run)->mesh, c->from);
  const SofaElements to = sofa_mesh_elements(&out_of(run)->mesh, c->to);
  assert_int_equal(to.n, c->per * from.n);
  for (size_t i = 0; i < to.n; i++)
    for (unsigned k = 0; k < to.width; k++)
      assert_true(contains(from.v + from.width * (i / c->per), from.width,
                           to.v[to.width * i + k] / c->shrink));
}

static void run_case(void **state) {
  const Case *c = *state;
  SceneRun run = {0};
  FieldVersions fields;
  scene_run_context(&run, NULL);
  assert_int_equal(sofa_simulation_load_text(run.ctx, c->scene, &run.simulation), SOFA_OK);
  note_fields(&fields, scene_run_object(&run, "/m/map"));
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  assert_int_equal(run.n_problems, 0);
  changed_fields(&fields);
  SofaTopology *in = in_of(&run), *out = out_of(&run);
  assert_string_equal(scene_run_object(&run, "/m/map")->klass->name, c->klass);
  if (c->to == SOFA_ELEMENT_EDGE) sofa_topology_edges(in);
  assert_int_equal(out->n_points, c->n_points);
  assert_int_equal(sofa_mesh_elements(&out->mesh, c->to).n, c->n);
  assert_true(sofa_mesh_vertex_count(&out->mesh) <= out->n_points);
  if (c->per) ranks_lead_back(c, &run);
  if (c->rule) c->rule(c, &run);
  scene_run_close(&run);
}

static void cases_survive_lack_of_memory(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) scene_without_memory(cases[i].scene);
}

static void every_class_has_a_case(void **state) {
  SofaContext *ctx;
  int missing = 0;
  (void)state;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    if (klass->abstract || !sofa_class_ops(klass, SOFA_TOPOLOGICAL_MAPPING)) continue;
    bool found = false;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
      found |= strcmp(cases[k].klass, klass->name) == 0;
    if (!found) print_error("no case for topological mapping %s\n", klass->name);
    missing += !found;
  }
  sofa_context_destroy(&ctx);
  assert_int_equal(missing, 0);
}

/* Circles lie around the frames, in their planes. */
static void tubes_are_round(void **state) {
  SceneRun run;
  (void)state;
  scene_run_open(&run,
                 SCENE("<EdgeSetTopologyContainer name='in' edges='0 1'/><MechanicalObject "
                       "template='Rigid3d' position='1 2 3 0 0 0 1 5 2 3 0 0 0.6 0.8'/>",
                       "<MechanicalObject name='s'/>" SET(Quad)
                           MAP(Edge2Quad, "nbPointsOnEachCircle='8' radius='2'")),
                 NULL);
  const SofaState *s = scene_run_state(&run, "/m/s");
  assert_int_equal(s->position.n, 16);
  for (size_t i = 0; i < 16; i++) {
    const double *p = s->position.data + 3 * i;
    const double d[3] = {p[0] - (i < 8 ? 1 : 5), p[1] - 2, p[2] - 3};
    const double r2 = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
    assert_true(r2 > 4 - 1e-12 && r2 < 4 + 1e-12);
    if (i < 8) assert_true(d[0] == 0);
  }
  scene_run_close(&run);
}

/* 2 along y0 = focalAxis x (1 0 0), 1 along the focal axis. */
static void focal_axes_of_ellipses(void **state) {
  static const struct {
    const char *field;
    double y[3], z[3];
  } rows[] = {{"", {0, 1, 0}, {0, 0, 1}},
              {"focalAxis='0 3 0'", {0, 0, -1}, {0, 1, 0}},
              {"focalAxis='0 0 -2'", {0, -1, 0}, {0, 0, -1}}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rows); i++) {
    SceneRun run;
    char text[1500];
    snprintf(text, sizeof text,
             SCENE("<EdgeSetTopologyContainer name='in' edges='0 1'/><MechanicalObject "
                   "template='Rigid3d' position='1 2 3 0 0 0 1 5 2 3 0 0 0 1'/>",
                   "<MechanicalObject name='s'/>" SET(Quad)
                       MAP(Edge2Quad, "nbPointsOnEachCircle='4' radius='2' radiusFocal='1' %s")),
             rows[i].field);
    scene_run_open(&run, text, NULL);
    const SofaState *s = scene_run_state(&run, "/m/s");
    assert_int_equal(s->position.n, 8);
    for (size_t j = 0; j < 8; j++)
      for (int k = 0; k < 3; k++) {
        const double along = j % 2 ? 1 * rows[i].z[k] : 2 * rows[i].y[k];
        const double place = (k ? k + 1 : j < 4 ? 1 : 5) + (j % 4 < 2 ? along : -along);
        assert_true(fabs(s->position.data[3 * j + (size_t)k] - place) < 1e-14);
      }
    scene_run_close(&run);
  }
}

static void refused(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) fail_msg("nothing says '%s'", words);
  if (!strstr(run.last, words)) fail_msg("'%s' does not say '%s'", run.last, words);
  scene_run_close(&run);
}

static void wrong_scenes_are_refused(void **state) {
#define LINE                                                                                       \
  "<EdgeSetTopologyContainer name='in' edges='0 1'/><MechanicalObject template='Rigid3d' "         \
  "position='0 0 0 0 0 0 1 1 0 0 0 0 0 1'/>"
  (void)state;
  refused(SCENE(LINE, SET(Quad) MAP(Edge2Quad, "nbPointsOnEachCircle='4'")), "must be given");
  refused(SCENE(LINE, SET(Quad) MAP(Edge2Quad, "nbPointsOnEachCircle='0' radius='1'")),
          "expected 1 or more");
  refused(SCENE(LINE, SET(Quad) MAP(Edge2Quad, "nbPointsOnEachCircle='4' radius='-1'")),
          "expected > 0");
  refused(SCENE(LINE, SET(Quad) MAP(Edge2Quad, "nbPointsOnEachCircle='4' radius='1' edgeList='3'")),
          "the input has 1 edges");
  refused(SCENE(GRID, SET(Point) MAP(CenterPoint, "")), "no mechanical state");
  refused(SCENE(GRID, SET(Edge) MAP(Mesh2Point, "copyEdges='1'")), "at least one entry");
  refused(SCENE(GRID, SET(Tetrahedron) MAP(SimpleTesselatedTetra, "")), "has no tetrahedra");
  refused(SCENE(GRID, "<RegularGridTopology name='out' n='2 2 2' max='0.5 1 1'/>" MAP(Subset, "")),
          "not a subset");
}

int main(void) {
  enum { N = sizeof cases / sizeof *cases };
  static char names[N][120];
  struct CMUnitTest tests[N + 4] = {
      cmocka_unit_test(focal_axes_of_ellipses), cmocka_unit_test(every_class_has_a_case),
      cmocka_unit_test(cases_survive_lack_of_memory), cmocka_unit_test(tubes_are_round),
      cmocka_unit_test(wrong_scenes_are_refused)};
  for (size_t i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "%s, %s", cases[i].klass, cases[i].what);
    tests[i + 4] =
        (struct CMUnitTest){names[i], run_case, NULL, NULL, (void *)(uintptr_t)&cases[i]};
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
