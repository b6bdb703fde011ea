/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings and topological changes: every class of the factory follows them or is listed with a
 * reason; and after points and elements have gone or come a mapping does what it would do, had the
 * scene been made with the mesh that came out. */
#include "tests/support/topology_edits.h"

#include "tests/support/field_versions.h"

#include <math.h>

#include "object/factory.h"
#include "tests/unit/math/random.h"
#include "change/topological_mapping.h"
#include "components/builtins.h"

/* ---- who follows ---- */

typedef struct Exception {
  const char *klass, *reason;
} Exception;

/* Classes that do not follow, and why. */
static const Exception exceptions[] = {
    {"HexahedronCompositeFEMMapping", "its cells are those of a SparseGridTopology, and no sparse "
                                      "grid changes after its init"},
};

static bool is_exception(const char *name) {
  for (size_t i = 0; i < sizeof exceptions / sizeof *exceptions; i++)
    if (strcmp(exceptions[i].klass, name) == 0) return true;
  return false;
}

static void every_class_follows(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  size_t n = 0, missing = 0;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    if (klass->abstract ||
        (!sofa_class_ops(klass, SOFA_MAPPING) && !sofa_class_ops(klass, SOFA_TOPOLOGICAL_MAPPING)))
      continue;
    n++;
    const bool follows = sofa_class_ops(klass, SOFA_TOPOLOGY_LISTENER) != NULL;
    if (follows == is_exception(klass->name)) {
      missing++;
      print_message("%s %s\n", klass->name,
                    follows ? "follows: take it out of the list" : "does not follow");
    }
  }
  assert_true(n > 30);
  assert_int_equal(missing, 0);
  sofa_context_destroy(&ctx);
}

typedef struct Case {
  const char *klass, *what;
  const char *before, *after; /* scenes; the mapping is the first object of the class */
  Edit edits[MOST_EDITS];
  bool any_order; /* of the output's points */
} Case;

/* ---- comparison ---- */

static SofaMapping *find_mapping(SofaNode *node, const char *klass) {
  for (size_t i = 0; i < node->objects.n; i++)
    if (strcmp(node->objects.data[i]->klass->name, klass) == 0)
      return (SofaMapping *)node->objects.data[i];
  for (size_t i = 0; i < node->children.n; i++) {
    SofaMapping *found = find_mapping(node->children.data[i], klass);
    if (found) return found;
  }
  return NULL;
}

/* What a mapping makes of given positions, velocities and forces. */
typedef struct Answer {
  double *x, *v, *f, *df, *matrix; /* of the output; of input 0, ... one after the other */
  size_t n_x, n_v, n_f, n_matrix;
} Answer;

static double *reals(size_t n) {
  double *r = calloc(n + 1, sizeof *r);
  assert_non_null(r);
  return r;
}

enum { MOST_INPUTS = 3 };

static void ask_matrix(SofaMapping *map, const SofaPoint *point, Answer *a, size_t k,
                       size_t columns, size_t *at) {
  SofaJacobian j;
  const size_t rows = a->n_v;
  a->matrix = realloc(a->matrix, (*at + rows * columns + 1) * sizeof(double));
  assert_non_null(a->matrix);
  memset(a->matrix + *at, 0, rows * columns * sizeof(double));
  assert_int_equal(sofa_mapping_jacobian(map, point, k, &j), SOFA_OK);
  assert_int_equal(j.n_rows, rows);
  assert_int_equal(j.n_columns, columns);
  for (size_t r = 0; r < rows; r++)
    for (uint32_t e = j.start[r]; e < j.start[r + 1]; e++)
      a->matrix[*at + r * columns + j.column[e]] += j.value[e];
  *at += rows * columns;
}

/* Positions are those of the states moved by random numbers, the same for equal numbers of points.
 */
static Answer ask(SofaMapping *map) {
  const SofaStateKindInfo *out = sofa_state_kind_info(map->out->object.kind);
  Random random = {.state = 7};
  double *x[MOST_INPUTS], *v[MOST_INPUTS], *f[MOST_INPUTS], *df[MOST_INPUTS];
  Answer a = {.n_x = map->out->position.n * out->coord, .n_v = map->out->position.n * out->deriv};
  size_t columns[MOST_INPUTS], at = 0;
  assert_in_range(map->n_inputs, 1, MOST_INPUTS);
  for (size_t k = 0; k < map->n_inputs; k++) {
    const SofaState *s = map->inputs[k];
    const SofaStateKindInfo *in = sofa_state_kind_info(s->object.kind);
    const size_t n = s->position.n * in->coord;
    columns[k] = s->position.n * in->deriv;
    x[k] = reals(n);
    v[k] = reals(columns[k]);
    a.n_f += columns[k];
    for (size_t i = 0; i < n; i++) {
      x[k][i] = s->position.data[i];
      // orientations stay
      if (in->coord != 7 || i % 7 < 3) x[k][i] += 0.1 * random_real(&random);
    }
    for (size_t i = 0; i < columns[k]; i++) v[k][i] = random_real(&random);
  }
  a.f = reals(a.n_f);
  a.df = reals(a.n_f);
  f[0] = a.f;
  df[0] = a.df;
  for (size_t k = 1; k < map->n_inputs; k++) {
    f[k] = f[k - 1] + columns[k - 1];
    df[k] = df[k - 1] + columns[k - 1];
  }
  a.x = reals(a.n_x);
  a.v = reals(a.n_v);
  double *force = reals(a.n_v);
  for (size_t i = 0; i < a.n_v; i++) force[i] = random_real(&random);
  const SofaPoint point = {.x = (const double *const *)x,
                           .v = (const double *const *)v,
                           .n = map->n_inputs,
                           .id = sofa_point_id(map->object.ctx)};
  assert_int_equal(sofa_mapping_apply(map, &point, a.x), SOFA_OK);
  assert_int_equal(sofa_mapping_apply_j(map, &point, point.v, a.v), SOFA_OK);
  assert_int_equal(sofa_mapping_apply_jt(map, &point, force, f), SOFA_OK);
  if (sofa_mapping_ops(map)->apply_djt)
    assert_int_equal(sofa_mapping_apply_djt(map, &point, 1, force, point.v, df), SOFA_OK);
  for (size_t k = 0; k < map->n_inputs; k++) ask_matrix(map, &point, &a, k, columns[k], &at);
  a.n_matrix = at;
  free(force);
  for (size_t k = 0; k < map->n_inputs; k++) free(x[k]), free(v[k]);
  return a;
}

static void forget(Answer *a) {
  free(a->x), free(a->v), free(a->f), free(a->df), free(a->matrix);
}

static void same(const Case *c, const char *what, const double *a, size_t n_a, const double *b,
                 size_t n_b) {
  if (n_a != n_b)
    fail_msg("%s, %s: %s: %zu numbers, expected %zu", c->klass, c->what, what, n_a, n_b);
  for (size_t i = 0; i < n_a; i++)
    if (!(fabs(a[i] - b[i]) < 1e-12))
      fail_msg("%s, %s: %s, number %zu is %.15g, expected %.15g", c->klass, c->what, what, i, a[i],
               b[i]);
}

/* Every output point is one of the other scene: its place and its rows of the matrices. */
static void same_rows(const Case *c, const SofaMapping *map, const Answer *a, const Answer *b) {
  const SofaStateKindInfo *out = sofa_state_kind_info(map->out->object.kind);
  const size_t n = map->out->position.n;
  bool *used = calloc(n + 1, sizeof *used);
  assert_non_null(used);
  assert_int_equal(a->n_x, b->n_x);
  assert_int_equal(a->n_matrix, b->n_matrix);
  for (size_t i = 0; i < n; i++) {
    size_t found = n;
    for (size_t k = 0; k < n && found == n; k++) {
      bool equal = !used[k];
      for (size_t d = 0; d < out->coord; d++)
        equal = equal && fabs(a->x[out->coord * i + d] - b->x[out->coord * k + d]) < 1e-12;
      const double *ma = a->matrix, *mb = b->matrix;
      for (size_t input = 0; input < map->n_inputs; input++) {
        const size_t columns = map->inputs[input]->position.n *
                               sofa_state_kind_info(map->inputs[input]->object.kind)->deriv;
        for (size_t d = 0; d < out->deriv * columns; d++)
          equal = equal &&
                  fabs(ma[out->deriv * columns * i + d] - mb[out->deriv * columns * k + d]) < 1e-12;
        ma += n * out->deriv * columns;
        mb += n * out->deriv * columns;
      }
      if (equal) found = k;
    }
    if (found == n) fail_msg("%s, %s: nothing is like output point %zu", c->klass, c->what, i);
    used[found] = true;
  }
  free(used);
}

static void compare(const Case *c, SofaMapping *a, SofaMapping *b) {
  Answer x = ask(a), y = ask(b);
  if (c->any_order) {
    same_rows(c, a, &x, &y);
  } else {
    same(c, "positions", x.x, x.n_x, y.x, y.n_x);
    same(c, "J v", x.v, x.n_v, y.v, y.n_v);
    same(c, "J^T f", x.f, x.n_f, y.f, y.n_f);
    same(c, "dJ^T", x.df, x.n_f, y.df, y.n_f);
    same(c, "J", x.matrix, x.n_matrix, y.matrix, y.n_matrix);
  }
  forget(&x);
  forget(&y);
}

/* The fields of the changed mapping say what those of the made one say. Rest lengths have values
 * for what the scene leaves out. */
static void same_fields(const Case *c, const SofaMapping *a, const SofaMapping *b) {
  for (const SofaClass *klass = a->object.klass; klass; klass = klass->base)
    for (size_t i = 0; i < klass->n_fields; i++) {
      SofaText x = {0}, y = {0};
      const SofaField *field = &klass->fields[i];
      if (strcmp(field->name, "restLengths") == 0) continue;
      assert_int_equal(sofa_field_print(&a->object, field, &x), SOFA_OK);
      assert_int_equal(sofa_field_print(&b->object, field, &y), SOFA_OK);
      if (x.n != y.n || (x.n && strcmp(x.data, y.data) != 0))
        fail_msg("%s, %s: %s is %s, expected %s", c->klass, c->what, field->name, x.data, y.data);
      sofa_list_free(a->object.ctx, &x);
      sofa_list_free(b->object.ctx, &y);
    }
}

/* The changed scene goes on, so that what acts on the states fits, too. */
static void changed_is_as_made(void **state) {
  const Case *c = *state;
  SceneRun changed, made;
  open_changing(&changed, c->before);
  open_changing(&made, c->after);
  SofaMapping *a = find_mapping(changed.simulation->root, c->klass);
  SofaMapping *b = find_mapping(made.simulation->root, c->klass);
  FieldVersions fields;
  assert_non_null(a);
  assert_non_null(b);
  note_fields(&fields, &a->object);
  carry_out(&changed, c->what, c->edits);
  changed_fields(&fields);
  for (size_t k = 0; k < b->n_inputs; k++)
    same(c, "input", a->inputs[k]->position.data,
         a->inputs[k]->position.n * a->inputs[k]->position.width, b->inputs[k]->position.data,
         b->inputs[k]->position.n * b->inputs[k]->position.width);
  if (!c->any_order)
    same(c, "output", a->out->position.data, a->out->position.n * a->out->position.width,
         b->out->position.data, b->out->position.n * b->out->position.width);
  compare(c, a, b);
  same_fields(c, a, b);
  scene_run_steps(&changed, 2);
  scene_run_close(&changed);
  scene_run_close(&made);
}

/* Cases in which a change of a deformed body measures again, as documented: by setup, a new edge at
 * its length, a point that lost its element at its place. */
static bool measures_again(const Case *c) {
  return strcmp(c->klass, "LineSetSkinningMapping") == 0 ||
         (strcmp(c->klass, "DistanceMapping") == 0 && strcmp(c->what, "an edge comes") == 0) ||
         strstr(c->what, "finds another");
}

/* Of a case in which the first frame alone finds another element: the others. */
static bool keeps_others(const Case *c) {
  return strcmp(c->what, "a tetrahedron goes whose frame finds another") == 0;
}

static void compare_others(const Case *c, SofaMapping *a, SofaMapping *b) {
  Answer x = ask(a), y = ask(b);
  same(c, "other positions", x.x + 7, x.n_x - 7, y.x + 7, y.n_x - 7);
  same(c, "other J v", x.v + 6, x.n_v - 6, y.v + 6, y.n_v - 6);
  forget(&x);
  forget(&y);
}

/* What keeps its elements and frames keeps its weights: a change of a deformed body does not
 * measure them again. */
static void deformed_keeps_weights(void **state) {
  const Case *c = *state;
  if (measures_again(c) && !keeps_others(c)) return;
  SceneRun changed, made;
  Random random = {.state = 11};
  open_changing(&changed, c->before);
  open_changing(&made, c->after);
  SofaMapping *a = find_mapping(changed.simulation->root, c->klass);
  SofaMapping *b = find_mapping(made.simulation->root, c->klass);
  for (size_t k = 0; k < a->n_inputs; k++) {
    SofaCoords *x = &a->inputs[k]->position;
    for (size_t i = 0; i < x->n * x->width; i++)
      if (x->width != 7 || i % 7 < 3) x->data[i] = 2 * x->data[i] + 0.3 * random_real(&random);
  }
  assert_int_equal(sofa_mapping_update(a), SOFA_OK);
  carry_out(&changed, c->what, c->edits);
  for (size_t k = 0; k < b->n_inputs; k++) {
    assert_int_equal(a->inputs[k]->position.n, b->inputs[k]->position.n);
    memcpy(a->inputs[k]->position.data, b->inputs[k]->position.data,
           b->inputs[k]->position.n * b->inputs[k]->position.width * sizeof(double));
  }
  (keeps_others(c) ? compare_others : compare)(c, a, b);
  scene_run_close(&changed);
  scene_run_close(&made);
}

/* ---- cases ---- */

#define ON_LINE(klass, parts)                                                                      \
  {klass, "an edge goes", GOES(LINE, parts), {EDGE_GOES}, false}, {                                \
    klass, "an edge comes", COMES(LINE, parts), {EDGE_COMES}, false                                \
  }
#define ON_SHEET(klass, parts)                                                                     \
  {klass, "a triangle goes", GOES(SHEET, parts), {TRIANGLE_GOES}, false}, {                        \
    klass, "a triangle comes", COMES(SHEET, parts), {TRIANGLE_COMES}, false                        \
  }
#define ON_TETRAS(klass, parts, order)                                                             \
  {klass, "a tetrahedron goes", GOES(TETRAS, parts), {TETRA_GOES}, order}, {                       \
    klass, "a tetrahedron comes", COMES(TETRAS, parts), {TETRA_COMES}, order                       \
  }

/* another body, which does not change */
#define OTHER                                                                                      \
  "<Node name='other'><MechanicalObject name='points' position='0 0 2 1 1 2 2 0 2'/>"              \
  "<UniformMass vertexMass='0.25'/></Node>"
#define BOTH(klass, more) CHILD(OUT "<" klass " input='@/other/points @/body/points' " more "/>")
#define MULTI_SUBSET(mesh, pairs)                                                                  \
  OTHER BODY(mesh, POINTS) BOTH("SubsetMultiMapping", "indexPairs='" pairs "'")
#define MULTI_CENTER(mesh) OTHER BODY(mesh, POINTS) BOTH("CenterOfMassMultiMapping", "")
#define MULTI_IDENTITY(mesh)                                                                       \
  BODY(mesh, POINTS)                                                                               \
  OTHER CHILD(OUT "<IdentityMultiMapping input='@/body/points "                                    \
                  "@/other/points'/>")
#define CENTER_2(mesh)                                                                             \
  BODY(mesh, POINTS)                                                                               \
  "<Node name='frames'><MechanicalObject name='points' template='Rigid3d' position='0 0 2 0 0 0 "  \
  "1'/><UniformMass template='Rigid3d' vertexMass='2 1 [1 0 0 0 1 0 0 0 1]'/></Node>" CHILD(       \
      OUT "<CenterOfMassMulti2Mapping input1='@/body/points' input2='@/frames/points'/>")
#define CARRIED(mesh, numbers)                                                                     \
  BODY(mesh, POINTS)                                                                               \
  "<Node name='frames'><MechanicalObject name='points' template='Rigid3d' position='0 0 2 0 0 0 "  \
  "1  1 0 0 0 0 0.6 0.8'/><UniformMass template='Rigid3d' vertexMass='2 1 [1 0 0 0 1 0 0 0 1]'/>"  \
  "</Node>" CHILD(OUT "<DeformableOnRigidFrameMapping input1='@/body/points' "                     \
                      "input2='@/frames/points' " numbers "/>")
/* points on frames of a topology of their own */
#define CARRIED_BY(places, poses, numbers)                                                         \
  BODY(LINE, POINTS)                                                                               \
  "<Node name='frames'><PointSetTopologyContainer name='set' position='" places                    \
  "'/><PointSetTopologyModifier/><MechanicalObject name='points' template='Rigid3d' "              \
  "position='" poses                                                                               \
  "'/><UniformMass template='Rigid3d' vertexMass='2 1 [1 0 0 0 1 0 0 0 1]'/></Node>" CHILD(        \
      OUT "<DeformableOnRigidFrameMapping input1='@/body/points' input2='@/frames/points' "        \
          "repartition='" numbers "'/>")
/* edges between points of the line and of the other body */
#define MULTI_DISTANCE(mesh, edges, pairs)                                                         \
  OTHER BODY(mesh, POINTS)                                                                         \
      CHILD("<MeshTopology name='edges' edges='" edges "'/>" NUMBERS                               \
            "<DistanceMultiMapping topology='@edges' input='@/other/points @/body/points' "        \
            "indexPairs='" pairs "' computeDistance='1' geometricStiffness='Exact'/>")
/* the same with a topology of its own, a point of which has a pair each */
#define OWN_PAIRS(edges, pairs)                                                                    \
  OTHER BODY(LINE, POINTS                                                                          \
             "<Node name='lines'><EdgeSetTopologyContainer name='set' edges='" edges               \
             "'/><EdgeSetTopologyModifier/></Node>" CHILD(                                         \
                 NUMBERS "<DistanceMultiMapping topology='@../lines/set' input='@/other/points "   \
                         "@/body/points' indexPairs='" pairs "' computeDistance='1'/>"))
#define PAIR_EDGE_GOES                                                                             \
  { "/body/lines/set", SOFA_ELEMENT_EDGE, false, 1, {0}, SOFA_REMOVE_POINTS }
#define PAIR_EDGE_COMES                                                                            \
  {"/body/lines/set", SOFA_ELEMENT_POINT, true, 2, {2, 1, 1, 0}, 0}, {                             \
    "/body/lines/set", SOFA_ELEMENT_EDGE, true, 2, {0, 4, 3, 5}, 0                                 \
  }
#define TARGETS(mesh, numbers, places)                                                             \
  BODY(mesh, POINTS CHILD(NUMBERS "<DistanceFromTargetMapping indices='" numbers                   \
                                  "' targetPositions='" places "'/>"))
#define CHOSEN(mesh, numbers) BODY(mesh, POINTS CHILD(OUT "<SubsetMapping indices='" numbers "'/>"))
#define HELD(mesh, places, frames)                                                                 \
  BODY(mesh, FRAMES CHILD("<MechanicalObject name='out' position='" places                         \
                          "'/><RigidMapping rigidIndexPerPoint='" frames "'/>"))

#define OWN(places)                                                                                \
  "<PointSetTopologyContainer name='own' position='" places "'/><PointSetTopologyModifier/>"       \
  "<MechanicalObject name='out'/>"
#define STRAIGHT EDGE_SET("0 0 0 1 0 0 2 0 0 3 0 0 4 0 0", "0 1 1 2 2 3 3 4")
#define STILL                                                                                      \
  "<MeshTopology name='mesh' position='0 0 0 1 0 0 2 0 0 3 0 0 4 0 0' edges='0 1 1 2 2 3 3 4'/>"
#define THREE_PLACES "1 0.5 0 2.25 0.5 0 3.5 0.5 0"
#define TWO_PLACES "3.5 0.5 0 2.25 0.5 0"
#define OWN_FRAMES(places, frames)                                                                 \
  "<PointSetTopologyContainer name='own' position='" places "'/><PointSetTopologyModifier/>"       \
  "<MechanicalObject name='out' template='Rigid3d' position='" frames "'/>"
/* the last point takes the place of the first one */
#define POINT_LEAVES                                                                               \
  { "/body/m/own", SOFA_ELEMENT_POINT, false, 1, {0}, 0 }

static Case cases[] = {
    {"BarycentricMapping",
     "a point of the output goes",
     BODY(SHEET, POINTS CHILD(OWN("0.3 0.6 0 0.6 0.3 0 1.3 0.6 0") "<BarycentricMapping/>")),
     BODY(SHEET, POINTS CHILD(OWN("1.3 0.6 0 0.6 0.3 0") "<BarycentricMapping/>")),
     {POINT_LEAVES},
     false},
    {"BarycentricMapping",
     "a triangle goes whose point finds another and takes the place of one that goes",
     BODY(SHEET, POINTS CHILD(OWN("0.3 0.6 0 0.6 0.3 0 1.7 0.2 0.04") "<BarycentricMapping/>")),
     BODY(SHEET_LESS, POINTS CHILD(OWN("1.7 0.2 0.04 0.6 0.3 0") "<BarycentricMapping/>")),
     {TRIANGLE_GOES, POINT_LEAVES},
     false},
    {"BarycentricMapping",
     "a frame of the output goes",
     BODY(TETRAS, POINTS CHILD(OWN_FRAMES("0 0 0 1 0 0 2 0 0",
                                          "0.2 0.2 -0.2 0 0 0 1  0.2 0.2 0.2 0 0 0.6 0.8  "
                                          "0.4 0.5 0.4 0 0.8 0 0.6") "<BarycentricMapping/>")),
     BODY(TETRAS, POINTS CHILD(OWN_FRAMES(
                      "2 0 0 1 0 0",
                      "0.4 0.5 0.4 0 0.8 0 0.6  0.2 0.2 0.2 0 0 0.6 0.8") "<BarycentricMapping/>")),
     {POINT_LEAVES},
     false},
    {"RigidMapping",
     "a point of the output goes",
     BODY(LINE, FRAMES CHILD(OWN(THREE_PLACES) "<RigidMapping rigidIndexPerPoint='3 2 1' "
                                               "globalToLocalCoords='1'/>")),
     BODY(LINE, FRAMES CHILD(OWN(TWO_PLACES) "<RigidMapping rigidIndexPerPoint='1 2' "
                                             "globalToLocalCoords='1'/>")),
     {POINT_LEAVES},
     false},
    {"SkinningMapping",
     "a point of the output goes",
     BODY(LINE, FRAMES CHILD(OWN(THREE_PLACES) "<SkinningMapping nbRef='2'/>")),
     BODY(LINE, FRAMES CHILD(OWN(TWO_PLACES) "<SkinningMapping nbRef='2'/>")),
     {POINT_LEAVES},
     false},
    {"BeamLinearMapping",
     "a point of the output goes",
     BODY(STRAIGHT, FRAMES CHILD(OWN(THREE_PLACES) "<BeamLinearMapping localCoord='0'/>")),
     BODY(STRAIGHT, FRAMES CHILD(OWN(TWO_PLACES) "<BeamLinearMapping localCoord='0'/>")),
     {POINT_LEAVES},
     false},
    ON_SHEET("AreaMapping",
             POINTS CHILD(NUMBERS "<AreaMapping topology='@../mesh' geometricStiffness='Exact'/>")),
    ON_TETRAS(
        "VolumeMapping",
        POINTS CHILD(NUMBERS "<VolumeMapping topology='@../mesh' geometricStiffness='Exact'/>"),
        false),
    ON_LINE("DistanceMapping", POINTS CHILD(NUMBERS "<DistanceMapping topology='@../mesh' "
                                                    "geometricStiffness='Exact'/>")),
    ON_LINE("SquareDistanceMapping",
            POINTS CHILD(NUMBERS "<SquareDistanceMapping topology='@../mesh' "
                                 "geometricStiffness='Exact'/>")),
    ON_LINE("SquareMapping",
            POINTS CHILD(NUMBERS "<DistanceMapping topology='@../mesh' computeDistance='1'/>" CHILD(
                NUMBERS "<SquareMapping/>"))),
    ON_SHEET("DistanceToPlaneMapping",
             POINTS CHILD(NUMBERS "<DistanceToPlaneMapping planeNormal='1 1 0'/>")),
    ON_SHEET("VoidMapping",
             POINTS CHILD("<MechanicalObject name='out' position='1 2 3'/><VoidMapping/>")),
    ON_SHEET("IdentityMapping", POINTS CHILD(OUT "<IdentityMapping/>")),
    ON_LINE("CenterOfMassMapping", FRAMES CHILD(OUT "<CenterOfMassMapping/>")),
    ON_LINE("TubularMapping",
            FRAMES CHILD(OUT "<TubularMapping nbPointsOnEachCircle='3' radius='0.1'/>")),
    ON_LINE("LineSetSkinningMapping",
            FRAMES CHILD("<MechanicalObject name='out' position='1.5 0.5 0 2.5 0.2 0.7'/>"
                         "<LineSetSkinningMapping numberInfluencedLines='2'/>")),
    {"BeamLinearMapping",
     "the last frame goes",
     BODY(LINE, FRAMES CHILD("<MechanicalObject name='out' position='0.2 0.1 0 1.5 0 0.2 2.2 0 0'/>"
                             "<BeamLinearMapping/>")),
     BODY(LINE_SHORT,
          FRAMES CHILD("<MechanicalObject name='out' position='0.2 0.1 0 1.5 0 0.2 2.2 0 0'/>"
                       "<BeamLinearMapping/>")),
     {LAST_GOES},
     false},
    {"BeamLinearMapping",
     "a frame comes",
     COMES(LINE, FRAMES CHILD("<MechanicalObject name='out' position='0.2 0.1 0 1.5 0 0.2 2.2 0 "
                              "0'/><BeamLinearMapping/>")),
     {EDGE_COMES},
     false},
    {"SkinningMapping",
     "a frame goes that moves nothing",
     GOES(LINE, FRAMES CHILD("<MechanicalObject name='out' position='2.5 0.1 0 3.5 0 0.2'/>"
                             "<SkinningMapping nbRef='2'/>")),
     {EDGE_GOES},
     false},
    {"RigidMapping",
     "a frame goes with its point",
     HELD(LINE, "0 0 1 0 1 0 1 0 0 0 0 2", "4 0 2 3"),
     HELD(LINE_LESS, "0 0 1 0 0 2 1 0 0", "0 3 2"),
     {EDGE_GOES},
     false},
    {"SubsetMapping",
     "a point goes",
     CHOSEN(LINE, "2 0 4 4"),
     CHOSEN(LINE_LESS, "2 0 0"),
     {EDGE_GOES},
     false},
    {"BarycentricMapping",
     "a triangle goes",
     BODY(SHEET, POINTS CHILD("<MechanicalObject name='out' position='0.3 0.6 0 0.6 0.3 0 1.3 0.6 "
                              "0'/><BarycentricMapping/>")),
     BODY(SHEET_LESS, POINTS CHILD("<MechanicalObject name='out' position='0.3 0.6 0 0.6 0.3 0 1.3 "
                                   "0.6 0'/><BarycentricMapping/>")),
     {TRIANGLE_GOES},
     false},
    {"BarycentricMapping",
     "a tetrahedron goes whose frame finds another",
     GOES(TETRAS, POINTS CHILD("<MechanicalObject name='out' template='Rigid3d' position='0.2 0.2 "
                               "-0.2 0 0 0 1  0.2 0.2 0.2 0 0 0.6 0.8  0.4 0.5 0.4 0 0 0 1'/>"
                               "<BarycentricMapping/>")),
     {TETRA_GOES},
     false},
    {"BarycentricMapping",
     "a tetrahedron goes whose frame at a corner finds another",
     GOES(TETRAS,
          POINTS CHILD("<MechanicalObject name='out' template='Rigid3d' position='0 0 0 0 0 "
                       "0 1  1 0 0 0 0 0.6 0.8  0.4 0.5 0.4 0 0 0 1'/>"
                       "<BarycentricMapping/>")),
     {TETRA_GOES},
     false},
    {"BarycentricMapping",
     "a tetrahedron goes, frames keep theirs",
     GOES(TETRAS, POINTS CHILD("<MechanicalObject name='out' template='Rigid3d' position='0.2 0.2 "
                               "0.2 0 0 0.6 0.8  0.4 0.5 0.4 0 0 0 1'/><BarycentricMapping/>")),
     {TETRA_GOES},
     false},
    {"BarycentricMapping",
     "a tetrahedron comes beside frames",
     COMES(TETRAS, POINTS CHILD("<MechanicalObject name='out' template='Rigid3d' position='0.2 0.2 "
                                "-0.2 0 0 0 1  0.2 0.2 0.2 0 0 0.6 0.8'/><BarycentricMapping/>")),
     {TETRA_COMES},
     false},
    {"SubsetMultiMapping",
     "a point goes",
     MULTI_SUBSET(LINE, "0 1 1 0 1 4 0 2 1 2"),
     MULTI_SUBSET(LINE_LESS, "0 1 1 2 1 0 0 2"),
     {EDGE_GOES},
     false},
    {"SubsetMultiMapping",
     "a point comes",
     MULTI_SUBSET(LINE, "0 1 1 0 1 4"),
     MULTI_SUBSET(LINE_MORE, "0 1 1 0 1 4"),
     {EDGE_COMES},
     false},
    {"IdentityMultiMapping",
     "a point goes",
     MULTI_IDENTITY(LINE),
     MULTI_IDENTITY(LINE_LESS),
     {EDGE_GOES},
     true},
    {"IdentityMultiMapping",
     "a point comes",
     MULTI_IDENTITY(LINE),
     MULTI_IDENTITY(LINE_MORE),
     {EDGE_COMES},
     true},
    {"CenterOfMassMultiMapping",
     "a point goes",
     MULTI_CENTER(LINE),
     MULTI_CENTER(LINE_LESS),
     {EDGE_GOES},
     false},
    {"CenterOfMassMultiMapping",
     "a point comes",
     MULTI_CENTER(LINE),
     MULTI_CENTER(LINE_MORE),
     {EDGE_COMES},
     false},
    {"CenterOfMassMulti2Mapping",
     "a point goes",
     CENTER_2(LINE),
     CENTER_2(LINE_LESS),
     {EDGE_GOES},
     false},
    {"CenterOfMassMulti2Mapping",
     "a point comes",
     CENTER_2(LINE),
     CENTER_2(LINE_MORE),
     {EDGE_COMES},
     false},
    {"DeformableOnRigidFrameMapping",
     "a point goes",
     CARRIED(LINE, "index='1'"),
     CARRIED(LINE_LESS, "index='1'"),
     {EDGE_GOES},
     false},
    {"DeformableOnRigidFrameMapping",
     "a point comes",
     CARRIED(LINE, "repartition='3 2'"),
     CARRIED(LINE_MORE, "repartition='3 3'"),
     {EDGE_COMES},
     false},
    {"DeformableOnRigidFrameMapping",
     "a frame goes that carries nothing",
     CARRIED_BY("0 0 2 1 0 0", "0 0 2 0 0 0 1  1 0 0 0 0 0.6 0.8", "0 5"),
     CARRIED_BY("1 0 0", "1 0 0 0 0 0.6 0.8", "5"),
     {{"/frames/set", SOFA_ELEMENT_POINT, false, 1, {0}, 0}},
     false},
    {"DistanceMultiMapping",
     "a point goes with its edges",
     MULTI_DISTANCE(LINE, "0 1 1 2 0 2", "0 1 1 4 1 0"),
     MULTI_DISTANCE(LINE_LESS, "0 1", "0 1 1 0 1 4294967295"),
     {EDGE_GOES},
     false},
    {"DistanceMultiMapping",
     "a point comes",
     MULTI_DISTANCE(LINE, "0 1 1 2 0 2", "0 1 1 4 1 0"),
     MULTI_DISTANCE(LINE_MORE, "0 1 1 2 0 2", "0 1 1 4 1 0"),
     {EDGE_COMES},
     false},
    {"DistanceMultiMapping",
     "an edge goes with its pair",
     OWN_PAIRS("0 1 1 2 2 3 1 3", "0 1 1 4 1 0 0 2"),
     OWN_PAIRS("1 0 1 2 2 0", "0 2 1 4 1 0"),
     {PAIR_EDGE_GOES},
     false},
    {"DistanceMultiMapping",
     "edges come with their pairs",
     OWN_PAIRS("0 1 1 2 2 3", "0 1 1 4 1 0 0 2"),
     OWN_PAIRS("0 1 1 2 2 3 0 4 3 5", "0 1 1 4 1 0 0 2 1 0 1 4"),
     {PAIR_EDGE_COMES},
     false},
    {"DistanceFromTargetMapping",
     "a point goes with its target",
     TARGETS(LINE, "3 0 4", "0 0 1 0 0 2 0 0 3"),
     TARGETS(LINE_LESS, "3 0", "0 0 1 0 0 3"),
     {EDGE_GOES},
     false},
    {"DistanceFromTargetMapping",
     "a point comes",
     TARGETS(LINE, "3 0 4", "0 0 1 0 0 2 0 0 3"),
     TARGETS(LINE_MORE, "3 0 4", "0 0 1 0 0 2 0 0 3"),
     {EDGE_COMES},
     false},
    ON_TETRAS("Mesh2PointMechanicalMapping",
              POINTS CHILD("<PointSetTopologyContainer name='made'/><PointSetTopologyModifier/>"
                           "<Mesh2PointTopologicalMapping name='map' input='@../mesh' "
                           "output='@made' pointBaryCoords='0 0 0.1' edgeBaryCoords='0.5 0 0' "
                           "tetraBaryCoords='0.25 0.25 0.25 0.1 0.2 0.3'/>" OUT
                           "<Mesh2PointMechanicalMapping topologicalMapping='@map'/>"),
              true),
    ON_TETRAS("SimpleTesselatedTetraMechanicalMapping",
              POINTS CHILD("<TetrahedronSetTopologyContainer name='made'/>"
                           "<TetrahedronSetTopologyModifier/>"
                           "<SimpleTesselatedTetraTopologicalMapping input='@../mesh' "
                           "output='@made'/>" OUT "<SimpleTesselatedTetraMechanicalMapping/>"),
              true),
};

/* ---- points inserted into outputs ---- */

typedef struct Insertion {
  const char *klass, *scene;
  const char *refusal; /* NULL: the point comes */
  unsigned frames;     /* that move the second one, a bit each */
  unsigned first;      /* likewise, of the first one */
  bool shorter;        /* the last edge goes before */
} Insertion;

#define ORIGINS "0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
static const Insertion insertions[] = {
    {"RigidMapping",
     BODY(LINE, FRAMES CHILD(OWN(THREE_PLACES) "<RigidMapping rigidIndexPerPoint='3 2 1' "
                                               "globalToLocalCoords='1'/>")),
     NULL, 1u << 2, 1u << 1, false},
    {"SkinningMapping", BODY(LINE, FRAMES CHILD(OWN(THREE_PLACES) "<SkinningMapping nbRef='2'/>")),
     NULL, 1u << 3 | 1u << 4, 1u << 3 | 1u << 4, false},
    {"BeamLinearMapping",
     BODY(STRAIGHT, FRAMES CHILD(OWN(THREE_PLACES) "<BeamLinearMapping localCoord='0'/>")), NULL,
     1u << 3 | 1u << 4, 1u << 3 | 1u << 4, false},
    {"BeamLinearMapping",
     BODY(STRAIGHT, FRAMES CHILD(OWN(THREE_PLACES) "<BeamLinearMapping localCoord='0'/>")), NULL,
     1u << 2, 1u << 2 | 1u << 3, true}, // phi(1.5) = 0
    {"BarycentricMapping", BODY(STILL, POINTS CHILD(OWN(THREE_PLACES) "<BarycentricMapping/>")),
     NULL, 1u << 3 | 1u << 4, 1u << 3 | 1u << 4, false},
    {"TubularMapping",
     BODY(LINE,
          FRAMES CHILD(OWN(
              ORIGINS ORIGINS ORIGINS) "<TubularMapping nbPointsOnEachCircle='3' radius='0.1'/>")),
     "points inserted into circles", 0, 0, false},
    {"DistanceFromTargetMapping",
     BODY(LINE,
          POINTS CHILD("<PointSetTopologyContainer name='own' "
                       "position='0 0 0 0 0 0'/><PointSetTopologyModifier/>" NUMBERS
                       "<DistanceFromTargetMapping indices='0 2' targetPositions='1 0 0 0 1 0'/>")),
     "an inserted distance without a target", 0, 0, false},
};

/* Input points or frames that move a point of the output, counted from the last one. */
static unsigned movers(SofaMapping *map, size_t behind) {
  const size_t in = sofa_state_kind_info(map->inputs[0]->object.kind)->deriv;
  const size_t out = sofa_state_kind_info(map->out->object.kind)->deriv;
  unsigned all = 0;
  SofaPoint at;
  SofaJacobian j;
  const SofaScratchMark mark = sofa_scratch_mark(map->object.ctx);
  assert_int_equal(sofa_mapping_point(map, &at), SOFA_OK);
  assert_int_equal(sofa_mapping_jacobian(map, &at, 0, &j), SOFA_OK);
  const size_t end = j.n_rows - behind * out;
  for (uint32_t e = j.start[end - out]; e < j.start[end]; e++)
    if (j.value[e] != 0) all |= 1u << j.column[e] / in;
  sofa_scratch_release(map->object.ctx, mark);
  return all;
}

/* Two points stay where they were inserted, and are moved by the frames next to them. */
static void inserted_points(void **state) {
  static const Edit both[MOST_EDITS] = {
      {"/body/m/own", SOFA_ELEMENT_POINT, true, 2, {2, 1, 1, 0}, 0}};
  static const Edit one[MOST_EDITS] = {{"/body/m/own", SOFA_ELEMENT_POINT, true, 1, {1, 0}, 0}};
  static const Edit last[MOST_EDITS] = {LAST_GOES};
  (void)state;
  for (size_t k = 0; k < sizeof insertions / sizeof *insertions; k++) {
    const Insertion *c = &insertions[k];
    SceneRun run;
    open_changing(&run, c->scene);
    if (c->shorter) carry_out(&run, c->klass, last);
    SofaMapping *map = find_mapping(run.simulation->root, c->klass);
    const SofaCoords *x = &map->out->position;
    double place[6] = {0};
    const size_t before = x->n;
    for (size_t d = 0; d < x->width && !c->refusal; d++) {
      place[d] = 2 * x->data[2 * x->width + d] - x->data[x->width + d];
      place[3 + d] = 2 * x->data[x->width + d] - x->data[d];
    }
    run.quiet = true;
    const SofaErr err = try_edits(run.simulation, c->refusal ? one : both);
    if ((err == SOFA_OK) != !c->refusal || (c->refusal && !strstr(run.all, c->refusal)))
      fail_msg("%s: error %d: %s", c->klass, (int)err, run.all);
    if (!c->refusal) {
      assert_int_equal(x->n, before + 2);
      for (size_t d = 0; d < 2 * x->width; d++) {
        const double at = x->data[x->width * before + d], wanted = place[d];
        if (!(fabs(at - wanted) < 1e-12))
          fail_msg("%s: coordinate %zu is %g, expected %g", c->klass, d, at, wanted);
      }
      if (movers(map, 0) != c->frames || movers(map, 1) != c->first)
        fail_msg("%s: moved by %#x and %#x, expected %#x and %#x", c->klass, movers(map, 1),
                 movers(map, 0), c->first, c->frames);
      scene_run_steps(&run, 2);
    }
    scene_run_close(&run);
  }
}

/* Values of a point that comes to the output are sums of those of its ancestors there, which are
 * points of one of several inputs. */
static void inserted_values(void **state) {
  static const Edit edits[MOST_EDITS] = {{"/body/mesh", SOFA_ELEMENT_POINT, true, 1, {1, 0}, 0}};
  (void)state;
  SceneRun run;
  open_changing(&run, BODY(LINE, POINTS) OTHER CHILD(
                          "<MechanicalObject name='out' "
                          "position='0 0 0 1 1 0 4 2 0 9 3 0 16 4 0 25 5 0 36 6 0 49 7 0' "
                          "rest_position='0 0 0 1 1 0 4 2 0 9 3 0 16 4 0 25 5 0 36 6 0 49 7 0'/>"
                          "<IdentityMultiMapping input='@/body/points @/other/points'/>"));
  carry_out(&run, "inserted values", edits);
  const SofaCoords *rest = &scene_run_state(&run, "/m/out")->rest_position;
  assert_int_equal(rest->n, 9);
  assert_true(rest->data[24] == 2 && rest->data[25] == 2 && rest->data[26] == 0);
  scene_run_close(&run);
}

static void memory_may_run_out(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    edits_without_memory(cases[i].klass, cases[i].before, cases[i].edits);
}

int main(void) {
  enum { N = sizeof cases / sizeof *cases };
  static char names[N][200];
  struct CMUnitTest tests[2 * N + 4] = {
      cmocka_unit_test(every_class_follows), cmocka_unit_test(inserted_points),
      cmocka_unit_test(inserted_values), cmocka_unit_test(memory_may_run_out)};
  for (size_t i = 0; i < N; i++) {
    snprintf(names[i], sizeof names[i], "%s, %s", cases[i].klass, cases[i].what);
    tests[i + 4] = (struct CMUnitTest){names[i], changed_is_as_made, NULL, NULL, &cases[i]};
  }
  for (size_t i = 0; i < N; i++)
    tests[N + i + 4] = (struct CMUnitTest){names[i], deformed_keeps_weights, NULL, NULL, &cases[i]};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
