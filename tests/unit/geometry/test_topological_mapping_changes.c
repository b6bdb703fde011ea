/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topological mappings and changes of their input: the output has the elements that it would have,
 * had the mapping been made with the mesh that came out, be it in another order. */
#include "tests/support/topology_edits.h"

#include "tests/support/field_versions.h"

#include <math.h>

#include "object/factory.h"
#include "change/topological_mapping.h"
#include "components/builtins.h"

typedef struct Case {
  const char *klass, *what, *before, *after;
  Edit edits[MOST_EDITS];
  bool sides; /* the order of the vertices does not count, also in the largest elements */
} Case;

/* ---- elements by the places of their vertices ---- */

typedef struct Element {
  double x[24];
} Element;

static double width; /* reals of the elements that are sorted */

static int compare(const void *a, const void *b) {
  const double *p = ((const Element *)a)->x, *q = ((const Element *)b)->x;
  for (int k = 0; k < (int)width; k++)
    if (fabs(p[k] - q[k]) > 1e-9) return p[k] < q[k] ? -1 : 1;
  return 0;
}

static void place(SceneRun *run, const SofaTopology *out, uint32_t v, double *x) {
  const SofaTopology *in = (SofaTopology *)scene_run_object(run, "/body/mesh");
  const SofaState *state =
      (SofaState *)sofa_node_find(out->object.node, SOFA_MECHANICAL_STATE, SOFA_SEARCH_LOCAL);
  assert_true(v < out->n_points);
  if (state && state->position.width == 3) {
    assert_int_equal(state->position.n, out->n_points);
    memcpy(x, state->position.data + 3 * v, 3 * sizeof *x);
  } else if (out->mesh.position.n) {
    sofa_topology_point(out, v, x);
  } else {
    sofa_topology_point(in, v, x);
  }
}

static int by_place(const void *a, const void *b) {
  const double *p = a, *q = b;
  for (int k = 0; k < 3; k++)
    if (fabs(p[k] - q[k]) > 1e-9) return p[k] < q[k] ? -1 : 1;
  return 0;
}

/* All elements of a kind in the order of their places. The order of vertices counts in the largest
 * elements only, unless `sides`. */
static Element *elements_of(SceneRun *run, SofaElementKind kind, bool sides, size_t *n) {
  SofaTopology *out = (SofaTopology *)scene_run_object(run, "/body/m/out");
  if (kind == SOFA_ELEMENT_EDGE) sofa_topology_edges(out);
  const SofaElements e = sofa_mesh_elements(&out->mesh, kind);
  const unsigned per = kind == SOFA_ELEMENT_POINT ? 1 : e.width;
  *n = kind == SOFA_ELEMENT_POINT ? out->n_points : e.n;
  Element *list = calloc(*n + 1, sizeof *list);
  assert_non_null(list);
  for (int k = (int)kind + 1; k < SOFA_N_ELEMENT_KINDS; k++)
    sides = sides || sofa_mesh_elements(&out->mesh, (SofaElementKind)k).n;
  for (size_t i = 0; i < *n; i++) {
    for (unsigned k = 0; k < per; k++)
      place(run, out, kind == SOFA_ELEMENT_POINT ? (uint32_t)i : e.v[i * per + k],
            list[i].x + 3 * k);
    if (sides || kind == SOFA_ELEMENT_EDGE) qsort(list[i].x, per, 3 * sizeof(double), by_place);
  }
  width = 3 * per;
  if (*n) qsort(list, *n, sizeof *list, compare);
  return list;
}

static void same_elements(const Case *c, SceneRun *a, SceneRun *b, SofaElementKind kind) {
  size_t n, expected;
  Element *x = elements_of(a, kind, c->sides, &n), *y = elements_of(b, kind, c->sides, &expected);
  const char *name = sofa_element_kind_info(kind)->name;
  if (n != expected)
    fail_msg("%s, %s: %zu of the kind %s, expected %zu", c->klass, c->what, n, name, expected);
  for (size_t i = 0; i < n; i++)
    if (compare(&x[i], &y[i]))
      fail_msg("%s, %s: %s %zu is another one", c->klass, c->what, name, i);
  free(x);
  free(y);
}

static const SofaObject *find_mapping(SceneRun *run) {
  const SofaObjects *objects = &scene_run_object(run, "/body/m/out")->node->objects;
  for (size_t i = 0; i < objects->n; i++)
    if (sofa_class_ops(objects->data[i]->klass, SOFA_TOPOLOGICAL_MAPPING)) return objects->data[i];
  fail_msg("there is no topological mapping");
  return NULL;
}

/* ---- outputs ---- */

static int by_value(const void *a, const void *b) {
  const double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

/* The numbers of all outputs, ascending; n: how many there are in each. */
static double *numbers_of(const SofaObject *object, size_t *n, size_t *total) {
  double *list = NULL;
  *total = 0;
  for (size_t i = 0; i < sofa_class_n_fields(object->klass); i++) {
    SofaText text = {0};
    const SofaField *field = object->field_states[i].field;
    const size_t before = *total;
    if (field->flags & SOFA_FIELD_OUTPUT)
      assert_int_equal(sofa_field_print(object, field, &text), SOFA_OK);
    list = realloc(list, (before + text.n + 1) * sizeof *list);
    assert_non_null(list);
    for (char *at = text.data, *end; at && *at; at = end > at ? end : at + 1) {
      list[*total] = strtod(at, &end);
      *total += end > at;
    }
    n[i] = *total - before;
    sofa_list_free(object->ctx, &text);
  }
  qsort(list, *total, sizeof *list, by_value);
  return list;
}

/* Outputs are those of the mesh that came out, with its points and elements in another order. */
static void same_outputs(const Case *c, const SofaObject *a, const SofaObject *b) {
  size_t n[MOST_FIELDS], expected[MOST_FIELDS], total, expected_total;
  double *x = numbers_of(a, n, &total), *y = numbers_of(b, expected, &expected_total);
  for (size_t i = 0; i < sofa_class_n_fields(a->klass); i++)
    if (n[i] != expected[i])
      fail_msg("%s, %s: %zu numbers in '%s', expected %zu", c->klass, c->what, n[i],
               a->field_states[i].field->name, expected[i]);
  for (size_t i = 0; i < total; i++)
    if (by_value(&x[i], &y[i]))
      fail_msg("%s, %s: outputs have %g, expected %g", c->klass, c->what, x[i], y[i]);
  free(x);
  free(y);
}

static void changed_is_as_made(void **state) {
  const Case *c = *state;
  SceneRun changed, made;
  open_changing(&changed, c->before);
  open_changing(&made, c->after);
  FieldVersions fields;
  note_fields(&fields, find_mapping(&changed));
  carry_out(&changed, c->what, c->edits);
  changed_fields(&fields);
  same_outputs(c, find_mapping(&changed), find_mapping(&made));
  for (int kind = 0; kind < SOFA_N_ELEMENT_KINDS; kind++)
    same_elements(c, &changed, &made, (SofaElementKind)kind);
  scene_run_steps(&changed, 2);
  scene_run_close(&changed);
  scene_run_close(&made);
}

static void every_class_has_a_case(void **state);

/* ---- the tables of a subset ---- */

static const SofaIndices *table(const SofaObject *map, const char *field) {
  return sofa_field_value(map, sofa_class_field(map->klass, field));
}

static void subset_tables_fit(void **state) {
  (void)state;
  SceneRun run;
  open_changing(
      &run,
      BODY(SHEET, "<MechanicalObject name='points'/>"
                  "<Node name='m'><TriangleSetTopologyContainer name='out' position='1 0 0 2 0 0 1 "
                  "1 0 2 1 0.2' triangles='0 1 3 0 3 2'/><TriangleSetTopologyModifier/>"
                  "<SubsetTopologicalMapping name='map' input='@../mesh' output='@out' "
                  "handleEdges='1' handleTriangles='1'/></Node>"));
  const Edit edits[MOST_EDITS] = {
      {"/body/mesh",
       SOFA_ELEMENT_TRIANGLE,
       false,
       2,
       {0, 2},
       SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS},
      {"/body/mesh", SOFA_ELEMENT_POINT, true, 1, {2, 4}, 0},
      {"/body/mesh", SOFA_ELEMENT_TRIANGLE, true, 2, {1, 2, 4, 2, 4, 3}, 0}};
  carry_out(&run, "subset", edits);
  const SofaObject *map = scene_run_object(&run, "/body/m/map");
  SofaTopology *in = (SofaTopology *)scene_run_object(&run, "/body/mesh");
  SofaTopology *out = (SofaTopology *)scene_run_object(&run, "/body/m/out");
  static const char *const names[][2] = {
      {"pointS2D", "pointD2S"}, {"edgeS2D", "edgeD2S"}, {"triangleS2D", "triangleD2S"}};
  for (int k = 0; k < 3; k++) {
    const SofaIndices *s2d = table(map, names[k][0]), *d2s = table(map, names[k][1]);
    const SofaElements from = sofa_mesh_elements(&in->mesh, (SofaElementKind)k);
    const SofaElements to = sofa_mesh_elements(&out->mesh, (SofaElementKind)k);
    assert_int_equal(s2d->n, k ? from.n : in->n_points);
    assert_int_equal(d2s->n, k ? to.n : out->n_points);
    for (uint32_t i = 0; i < d2s->n; i++) {
      assert_true(d2s->data[i] < s2d->n);
      assert_int_equal(s2d->data[d2s->data[i]], i);
      for (unsigned c = 0; k && c < to.width; c++) {
        bool found = false;
        for (unsigned d = 0; d < to.width; d++)
          found = found || table(map, "pointD2S")->data[to.v[to.width * i + c]] ==
                               from.v[from.width * d2s->data[i] + d];
        assert_true(found);
      }
    }
  }
  assert_true(out->mesh.triangles.n > 1);
  scene_run_close(&run);
}

/* ---- cases ---- */

#define OUT_SET(kind) "<" kind "SetTopologyContainer name='out'/><" kind "SetTopologyModifier/>"
#define MAPPED(kind, klass, more)                                                                  \
  "<MechanicalObject name='points'/>" CHILD(                                                       \
      OUT_SET(kind) "<" klass " name='map' input='@../mesh' output='@out' " more "/>")
#define PAIR(klass, mesh, goes, comes, parts, sides)                                               \
  {klass, "elements go", BODY(mesh, parts), BODY(mesh##_LESS, parts), {goes}, sides}, {            \
    klass, "elements come", BODY(mesh, parts), BODY(mesh##_MORE, parts), {comes}, sides            \
  }

#define TUBE(more, mapping)                                                                        \
  "<MechanicalObject name='points' template='Rigid3d'/>" CHILD(                                    \
      OUT_SET("Quad") "<MechanicalObject name='tube'/><Edge2QuadTopologicalMapping "               \
                      "name='map' input='@../mesh' output='@out' nbPointsOnEachCircle='4' "        \
                      "radius='0.1' " more "/>" mapping)
#define CIRCLES "<TubularMapping nbPointsOnEachCircle='4' radius='0.1'/>"

#define COPY(kind, klass, more)                                                                    \
  "<MechanicalObject name='points'/>" CHILD(                                                       \
      "<" kind "SetTopologyContainer name='out' src='@../mesh'/><" kind                            \
      "SetTopologyModifier/><" klass " name='map' input='@../mesh' output='@out' " more "/>")

static Case cases[] = {
    PAIR("Edge2QuadTopologicalMapping", LINE, EDGE_GOES, EDGE_COMES, TUBE("", ""), false),
    PAIR("Edge2QuadTopologicalMapping", LINE, EDGE_GOES, EDGE_COMES, TUBE("", CIRCLES), false),
    {"Edge2QuadTopologicalMapping",
     "listed edges go",
     BODY(LINE, TUBE("edgeList='3 0 1'", "")),
     BODY(LINE_LESS, TUBE("edgeList='0 1'", "")),
     {EDGE_GOES},
     false},
    PAIR("Hexa2QuadTopologicalMapping", CUBES, CUBE_GOES, CUBE_COMES,
         MAPPED("Quad", "Hexa2QuadTopologicalMapping", ""), true),
    PAIR("Hexa2TetraTopologicalMapping", CUBES, CUBE_GOES, CUBE_COMES,
         MAPPED("Tetrahedron", "Hexa2TetraTopologicalMapping", ""), false),
    PAIR("Tetra2TriangleTopologicalMapping", TETRAS, TETRA_GOES, TETRA_COMES,
         MAPPED("Triangle", "Tetra2TriangleTopologicalMapping", ""), true),
    PAIR("Triangle2EdgeTopologicalMapping", SHEET, TRIANGLE_GOES, TRIANGLE_COMES,
         MAPPED("Edge", "Triangle2EdgeTopologicalMapping", ""), true),
    {"Quad2TriangleTopologicalMapping",
     "a quad goes",
     GOES(SQUARES, MAPPED("Triangle", "Quad2TriangleTopologicalMapping", "swapping='0'")),
     {SQUARE_GOES},
     false},
    PAIR("Hexa2PrismTopologicalMapping", CUBES, CUBE_GOES, CUBE_COMES,
         "<MechanicalObject name='points'/>" CHILD(
             "<MeshTopology name='out'/><Hexa2PrismTopologicalMapping name='map' "
             "input='@../mesh' output='@out'/>"),
         false),
    PAIR("IdentityTopologicalMapping", TETRAS, TETRA_GOES, TETRA_COMES,
         COPY("Tetrahedron", "IdentityTopologicalMapping", ""), false),
    PAIR("IdentityTopologicalMapping", LINE, EDGE_GOES, EDGE_COMES,
         COPY("Edge", "IdentityTopologicalMapping", ""), false),
    PAIR("SubsetTopologicalMapping", SHEET, TRIANGLE_GOES, TRIANGLE_COMES,
         COPY("Triangle", "SubsetTopologicalMapping", "handleEdges='1' handleTriangles='1'"),
         false),
    PAIR("SubsetTopologicalMapping", TETRAS, TETRA_GOES, TETRA_COMES,
         COPY("Tetrahedron", "SubsetTopologicalMapping",
              "samePoints='1' handleEdges='1' handleTriangles='1' handleTetrahedra='1'"),
         false),
    {"CenterPointTopologicalMapping",
     "a hexahedron goes",
     BODY(CUBES, "<MechanicalObject name='points'/>" CHILD(
                     OUT_SET("Point") "<MechanicalObject name='centres' position='1 2 3 4 5 6'/>"
                                      "<CenterPointTopologicalMapping input='@../mesh' "
                                      "output='@out'/>")),
     BODY(CUBES_LESS, "<MechanicalObject name='points'/>" CHILD(
                          OUT_SET("Point") "<MechanicalObject name='centres' position='4 5 6'/>"
                                           "<CenterPointTopologicalMapping input='@../mesh' "
                                           "output='@out'/>")),
     {CUBE_GOES},
     false},
    PAIR("Mesh2PointTopologicalMapping", TETRAS, TETRA_GOES, TETRA_COMES,
         MAPPED("Tetrahedron", "Mesh2PointTopologicalMapping",
                "pointBaryCoords='0 0 0.1' edgeBaryCoords='0.5 0 0' "
                "triangleBaryCoords='0.3333333333333333 0.3333333333333333 0' "
                "tetraBaryCoords='0.25 0.25 0.25 0.1 0.2 0.3' copyEdges='1' copyTriangles='1' "
                "copyTetrahedra='1'"),
         false),
    PAIR("SimpleTesselatedTetraTopologicalMapping", TETRAS, TETRA_GOES, TETRA_COMES,
         MAPPED("Tetrahedron", "SimpleTesselatedTetraTopologicalMapping", ""), false),
    {"SimpleTesselatedHexaTopologicalMapping",
     "a hexahedron goes, its points stay",
     BODY(CUBES, MAPPED("Hexahedron", "SimpleTesselatedHexaTopologicalMapping", "")),
     BODY(HEXA_SET("0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0 0 2 1 0 2 1 1 2 0 1 2",
                   "4 5 6 7 8 9 10 11"),
          MAPPED("Hexahedron", "SimpleTesselatedHexaTopologicalMapping", "")),
     {{"/body/mesh", SOFA_ELEMENT_HEXA, false, 1, {0}, 0}},
     false},
    {"SimpleTesselatedTetraTopologicalMapping",
     "a tetrahedron goes, its points stay",
     BODY(TETRAS, MAPPED("Tetrahedron", "SimpleTesselatedTetraTopologicalMapping", "")),
     BODY(TETRA_SET("0 0 -1 0 0 0 1 0 0 0 1 0 0 0 1 1 1 1", "1 2 3 4 2 3 4 5"),
          MAPPED("Tetrahedron", "SimpleTesselatedTetraTopologicalMapping", "")),
     {{"/body/mesh", SOFA_ELEMENT_TETRA, false, 1, {0}, SOFA_REMOVE_SUBS}},
     false},
    PAIR("SimpleTesselatedHexaTopologicalMapping", CUBES, CUBE_GOES, CUBE_COMES,
         MAPPED("Hexahedron", "SimpleTesselatedHexaTopologicalMapping", ""), false),
};
enum { N_CASES = sizeof cases / sizeof *cases };

static void every_class_has_a_case(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    bool found = klass->abstract || !sofa_class_ops(klass, SOFA_TOPOLOGICAL_MAPPING);
    for (size_t k = 0; k < N_CASES; k++) found = found || !strcmp(cases[k].klass, klass->name);
    if (!found) fail_msg("%s has no case", klass->name);
  }
  sofa_context_destroy(&ctx);
}

static void memory_may_run_out(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    edits_without_memory(cases[i].klass, cases[i].before, cases[i].edits);
}

int main(void) {
  static char names[N_CASES][200];
  struct CMUnitTest tests[N_CASES + 3] = {cmocka_unit_test(every_class_has_a_case),
                                          cmocka_unit_test(subset_tables_fit),
                                          cmocka_unit_test(memory_may_run_out)};
  for (size_t i = 0; i < N_CASES; i++) {
    snprintf(names[i], sizeof names[i], "%s, %s", cases[i].klass, cases[i].what);
    tests[i + 3] = (struct CMUnitTest){names[i], changed_is_as_made, NULL, NULL, &cases[i]};
  }
  return cmocka_run_group_tests(tests, NULL, NULL);
}
