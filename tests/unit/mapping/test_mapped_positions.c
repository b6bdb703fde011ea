/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Positions that mappings give at the start, and after the first input moved, known in closed form:
 * every mapping of the factory. */
#include "tests/support/scene_run.h"

#include <math.h>
#include "base/text.h"
#include "object/factory.h"

enum { MOST = 60 };

typedef struct PositionCase {
  const char *klass, *what;
  const char *body; /* of the root node; the mapped state is called out */
  size_t n;         /* of expected reals */
  double expected[MOST];
  const char
      *moved; /* positions of the first input when these are expected; NULL: as at the start */
} PositionCase;

#define STATE(kind, x) "<MechanicalObject template='" kind "' position='" x "'/>"
#define OUT(kind, mapping)                                                                         \
  "<Node name='child'><MechanicalObject name='out' template='" kind "'/>" mapping "</Node>"
#define OUT_AT(kind, x, mapping)                                                                   \
  "<Node name='child'><MechanicalObject name='out' template='" kind "' position='" x "'/>" mapping \
  "</Node>"
/* the second input; both are used as @../.. and @.. */
#define SECOND(kind, x, more, child) "<Node name='second'>" STATE(kind, x) more child "</Node>"
#define BOTH " input='@../.. @..' output='@.' "
#define TRIANGLE_345 "0 0 0 3 0 0 3 4 0"
#define FRAMES "0 0 0 0 0 0 1 1 0 0 0 0 0 1 2 0 0 0 0 0 1 3 0 0 0 0 0 1"
/* turned by 90 degrees about z: x to y */
#define QUARTER "0 0 0.70710678118654757 0.70710678118654757"
#define SIX_OF_CUBE "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1"
#define UNIT_CUBE SIX_OF_CUBE " 1 1 1 0 1 1"
#define TETRA_4 "0 0 0 4 0 0 0 4 0 0 0 4"
#define CIRCLE(x, r) x, r, 0, x, 0, r, x, -(r), 0, x, 0, -(r)

static const PositionCase cases[] = {
    {"IdentityMapping",
     "frames to their origins",
     STATE("Rigid3d", "1 2 3 " QUARTER) OUT("Vec3d", "<IdentityMapping/>"),
     3,
     {1, 2, 3},
     NULL},
    {"VoidMapping",
     "points stay",
     STATE("Vec3d", "1 2 3") OUT_AT("Vec3d", "4 5 6", "<VoidMapping/>"),
     3,
     {4, 5, 6},
     NULL},
    {"SubsetMapping",
     "points in the order of the indices",
     STATE("Vec3d", TRIANGLE_345) OUT("Vec3d", "<SubsetMapping indices='2 0'/>"),
     6,
     {3, 4, 0, 0, 0, 0},
     NULL},
    {"SubsetMultiMapping",
     "pairs of state and point",
     STATE("Vec3d", TRIANGLE_345)
         SECOND("Vec3d", "7 8 9", "",
                OUT("Vec3d", "<SubsetMultiMapping" BOTH "indexPairs='1 0 0 2 0 1'/>")),
     9,
     {7, 8, 9, 3, 4, 0, 3, 0, 0},
     NULL},
    {"IdentityMultiMapping",
     "one state after the other",
     STATE("Vec3d", "1 2 3")
         SECOND("Vec3d", "7 8 9", "", OUT("Vec3d", "<IdentityMultiMapping" BOTH "/>")),
     6,
     {1, 2, 3, 7, 8, 9},
     NULL},
    {"DistanceToPlaneMapping",
     "signed, with a normal of any length",
     STATE("Vec3d", "1 2 4 0 0 -1")
         OUT("Vec1d", "<DistanceToPlaneMapping planeNormal='2 1 2' planePoint='5 4 3'/>"),
     2,
     {-8 / 3., -22 / 3.},
     NULL},
    {"DistanceMapping",
     "length minus rest length",
     "<MeshTopology name='mesh' edges='0 2 1 2'/>" STATE("Vec3d", TRIANGLE_345)
         OUT("Vec1d", "<DistanceMapping topology='@../mesh' restLengths='1 1.5'/>"),
     2,
     {4, 2.5},
     NULL},
    {"DistanceMapping",
     "length",
     "<MeshTopology name='mesh' edges='0 2 1 2'/>" STATE("Vec3d", TRIANGLE_345)
         OUT("Vec1d", "<DistanceMapping topology='@../mesh' computeDistance='1'/>"),
     2,
     {5, 4},
     NULL},
    {"SquareDistanceMapping",
     "square of the length",
     "<MeshTopology name='mesh' edges='0 2 1 2'/>" STATE("Vec3d", TRIANGLE_345)
         OUT("Vec1d", "<SquareDistanceMapping topology='@../mesh'/>"),
     2,
     {25, 16},
     NULL},
    {"SquareMapping",
     "squares",
     STATE("Vec1d", "2 -3") OUT("Vec1d", "<SquareMapping/>"),
     2,
     {4, 9},
     NULL},
    {"DistanceFromTargetMapping",
     "distance to the target minus rest length",
     STATE("Vec3d", TRIANGLE_345)
         OUT("Vec1d", "<DistanceFromTargetMapping indices='2 1' targetPositions='0 0 0 3 0 2' "
                      "restLengths='1 0.5'/>"),
     2,
     {4, 1.5},
     NULL},
    {"DistanceMultiMapping",
     "lengths between two states",
     STATE("Vec3d", "0 0 0 3 0 0")
         SECOND("Vec3d", "3 4 0", "",
                "<Node name='child'><MechanicalObject name='out' template='Vec1d'/>"
                "<EdgeSetTopologyContainer name='lines' edges='0 2 1 2'/><DistanceMultiMapping "
                "topology='@lines'" BOTH "indexPairs='0 0 0 1 1 0' restLengths='1 1.5'/></Node>"),
     2,
     {4, 2.5},
     NULL},
    {"AreaMapping",
     "areas",
     "<MeshTopology name='mesh' triangles='0 1 2'/><MechanicalObject position='" TRIANGLE_345
     "' rest_position='0 0 0 1 0 0 0 1 0'/>" OUT("Vec1d", "<AreaMapping topology='@../mesh'/>"),
     1,
     {6},
     NULL},
    {"VolumeMapping",
     "volumes",
     "<MeshTopology name='mesh' tetrahedra='0 1 2 3'/><MechanicalObject position='" TRIANGLE_345
     " 0 0 2' rest_position='0 0 0 1 0 0 0 1 0 0 0 1'/>" OUT(
         "Vec1d", "<VolumeMapping topology='@../mesh'/>"),
     1,
     {4},
     NULL},
    {"CenterOfMassMapping",
     "mean by mass",
     STATE("Rigid3d",
           "0 0 0 0 0 0 1 4 0 8 0 0 0 1") "<DiagonalMass vertexMass='1 1 1 0 0 0 1 0 0 0 1 3 1 1 0 "
                                          "0 0 1 0 0 0 1'/>" OUT("Vec3d", "<CenterOfMassMapping/>"),
     3,
     {3, 0, 6},
     NULL},
    {"CenterOfMassMultiMapping",
     "mean by mass",
     STATE("Vec3d", "0 0 0 2 0 0") "<UniformMass totalMass='3'/>" SECOND(
         "Vec3d", "5 4 0", "<UniformMass totalMass='1'/>",
         OUT("Vec3d", "<CenterOfMassMultiMapping" BOTH "/>")),
     3,
     {2, 1, 0},
     NULL},
    {"CenterOfMassMulti2Mapping",
     "mean by mass",
     STATE("Vec3d", "0 0 0 2 0 0") "<UniformMass totalMass='3'/>" SECOND(
         "Rigid3d", "5 4 0 0 0 0 1", "<UniformMass totalMass='1'/>",
         OUT("Vec3d", "<CenterOfMassMulti2Mapping input1='@../..' input2='@..' output='@.'/>")),
     3,
     {2, 1, 0},
     NULL},
    {"DeformableOnRigidFrameMapping",
     "points in the frame",
     STATE("Vec3d", "1 0 0 0 0 2") SECOND(
         "Rigid3d", "5 6 7 " QUARTER, "",
         OUT("Vec3d", "<DeformableOnRigidFrameMapping input1='@../..' input2='@..' output='@.'/>")),
     6,
     {5, 7, 7, 5, 6, 9},
     NULL},
    {"RigidMapping",
     "points in their frames",
     STATE("Rigid3d", "5 6 7 " QUARTER " 1 1 1 0 0 0 1")
         OUT_AT("Vec3d", "1 0 0 0 0 2", "<RigidMapping rigidIndexPerPoint='0 1'/>"),
     6,
     {5, 7, 7, 1, 1, 3},
     NULL},
    {"TubularMapping",
     "circles of four points, the first two growing",
     STATE("Rigid3d", FRAMES)
         OUT("Vec3d", "<TubularMapping nbPointsOnEachCircle='4' radius='1' peak='2'/>"),
     48,
     {CIRCLE(0, 0.0), CIRCLE(1, 0.5), CIRCLE(2, 1.0), CIRCLE(3, 1.0)},
     NULL},
    {"TubularMapping",
     "circles of four points, the last two shrinking",
     STATE("Rigid3d", FRAMES)
         OUT("Vec3d", "<TubularMapping nbPointsOnEachCircle='4' radius='1' peak='-2'/>"),
     48,
     {CIRCLE(0, 1.0), CIRCLE(1, 1.0), CIRCLE(2, 0.5), CIRCLE(3, 0.0)},
     NULL},
    {"Mesh2PointMechanicalMapping",
     "points and the middles of edges",
     "<MeshTopology name='mesh' edges='0 1 1 2' position='" TRIANGLE_345 "'/>" STATE(
         "Vec3d",
         TRIANGLE_345) "<Node name='child'><PointSetTopologyContainer "
                       "name='made'/><Mesh2PointTopologicalMapping input='@../mesh' output='@made' "
                       "pointBaryCoords='0 0 0' edgeBaryCoords='0.25 0 0'/><MechanicalObject "
                       "name='out'/><Mesh2PointMechanicalMapping/></Node>",
     15,
     {0, 0, 0, 3, 0, 0, 3, 4, 0, 0.75, 0, 0, 3, 1, 0},
     NULL},
    {"Mesh2PointMechanicalMapping",
     "offsets from points move with them, those in edges have none",
     "<MeshTopology name='mesh' edges='0 1 1 2' position='" TRIANGLE_345 "'/>" STATE(
         "Vec3d",
         TRIANGLE_345) "<Node name='child'><PointSetTopologyContainer "
                       "name='made'/><Mesh2PointTopologicalMapping input='@../mesh' output='@made' "
                       "pointBaryCoords='0 0 0.25 1 2 0' edgeBaryCoords='0.25 0 0'/>"
                       "<MechanicalObject name='out'/><Mesh2PointMechanicalMapping/></Node>",
     24,
     {0, 7, 0.25, 1, 9, 0, 3, 0, 0.25, 4, 2, 0, 3, 4, 0.25, 4, 6, 0, 0.75, 5.25, 0, 3, 1, 0},
     "0 7 0 3 0 0 3 4 0"},

    /* ---- moved inputs ---- */

    {"BeamLinearMapping",
     "a quarter of the way: 3 u^2 - 2 u^3 of the second frame's motion",
     STATE("Rigid3d", "0 0 0 0 0 0 1 2 0 0 0 0 0 1")
         OUT_AT("Vec3d", "0.25 0.5 0 1.25 0 0", "<BeamLinearMapping/>"),
     6,
     {0.5, 1, 0.15625 * 4, 2.5, 0, 4 * 0.78125},
     "0 0 0 0 0 0 1 2 0 4 0 0 0 1"},
    {"BeamLinearMapping",
     "places in the world of beams of different lengths",
     STATE("Rigid3d", "1 0 0 0 0 0 1 2 0 0 0 0 0 1 4 0 0 0 0 0 1")
         OUT_AT("Vec3d", "1.5 3 0 2 0 1 3 0 0", "<BeamLinearMapping localCoord='0'/>"),
     9,
     {1.5, 3, 0, 2, 0, 1, 3, 0, 4},
     "1 0 0 0 0 0 1 2 0 0 0 0 0 1 4 0 8 0 0 0 1"},
    {"BeamLinearMapping",
     "the turn between the frames makes the beam longer",
     STATE("Rigid3d", "0 0 0 0 0 0 1 1 0 0 0.70710678118654757 0 0 0.70710678118654757")
         OUT_AT("Vec3d", "0.25 0 0", "<BeamLinearMapping/>"),
     3,
     {0.15625 + 0.09375 * 1.2247448713915890, 0, 0},
     NULL},
    {"BeamLinearMapping_mt",
     "a quarter of the way",
     STATE("Rigid3d", "0 0 0 0 0 0 1 2 0 0 0 0 0 1")
         OUT_AT("Vec3d", "0.25 0.5 0", "<BeamLinearMapping_mt/>"),
     3,
     {0.5, 1, 0.15625 * 4},
     "0 0 0 0 0 0 1 2 0 4 0 0 0 1"},
    {"SkinningMapping",
     "inverse squares of the distances 1, 2 and 2",
     STATE("Rigid3d", "0 0 0 0 0 0 1 3 0 0 0 0 0 1 1 0 2 0 0 0 1")
         OUT_AT("Vec3d", "1 0 0", "<SkinningMapping/>"),
     3,
     {1, 2, 1},
     "0 3 0 0 0 0 1 3 0 6 0 0 0 1 1 0 2 0 0 0 1"},
    {"SkinningMapping",
     "the nearest of two frames alone, and both",
     STATE("Rigid3d", "0 0 0 0 0 0 1 3 0 0 0 0 0 1")
         OUT_AT("Vec3d", "1 0 0 1 0 0", "<SkinningMapping nbRef='1 2'/>"),
     6,
     {1, 3, 0, 1, 2.4, 1.2},
     "0 3 0 0 0 0 1 3 0 6 0 0 0 1"},
    {"LineSetSkinningMapping",
     "half of each of two lines at the same distance",
     "<MeshTopology edges='0 1 1 2'/>" STATE("Rigid3d", "0 0 0 0 0 0 1 1 0 0 0 0 0 1 2 0 0 0 0 0 1")
         OUT_AT("Vec3d", "1 0.5 0", "<LineSetSkinningMapping/>"),
     3,
     {1, 0.5, 3},
     "0 0 2 0 0 0 1 1 0 4 0 0 0 1 2 0 9 0 0 0 1"},
    {"LineSetSkinningMapping",
     "the nearer line alone",
     "<MeshTopology edges='0 1 2 3'/>" STATE("Rigid3d", "0 0 0 0 0 0 1 1 0 0 0 0 0 1 0 5 0 0 0 0 1 "
                                                        "1 5 0 0 0 0 1")
         OUT_AT("Vec3d", "0.5 2 0 0.5 3 0",
                "<LineSetSkinningMapping numberInfluencedLines='1' neighborhoodLevel='1'/>"),
     6,
     {0.5, 2, 2, 0.5, 3, 4},
     "0 0 2 0 0 0 1 1 0 0 0 0 0 1 0 5 4 0 0 0 1 1 5 0 0 0 0 1"},
    {"BarycentricMapping",
     "trilinear weights of a hexahedron",
     "<MeshTopology hexahedra='0 1 2 3 4 5 6 7'/>" STATE("Vec3d", UNIT_CUBE)
         OUT_AT("Vec3d", "0.25 0.5 0.75", "<BarycentricMapping/>"),
     3,
     {0.25, 0.5, 0.75 + 3.2 * 0.09375},
     SIX_OF_CUBE " 1 1 4.2 0 1 1"},
    {"BarycentricMapping",
     "coordinates in a tetrahedron",
     "<MeshTopology tetrahedra='0 1 2 3'/>" STATE("Vec3d", "0 0 0 1 0 0 0 1 0 0 0 1")
         OUT_AT("Vec3d", "0.125 0.25 0.5", "<BarycentricMapping/>"),
     3,
     {4.125, 2.25, 1.5},
     "0 0 8 1 16 0 4 1 0 6 0 1"},
    {"BarycentricMapping",
     "coordinates in a triangle",
     "<MeshTopology triangles='0 1 2'/>" STATE("Vec3d", "0 0 0 1 0 0 0 1 0")
         OUT_AT("Vec3d", "0.25 0.5 0", "<BarycentricMapping/>"),
     3,
     {0.25, 0.5, 11},
     "0 0 4 1 0 8 0 1 16"},
    {"BarycentricMapping",
     "bilinear weights of a quad",
     "<MeshTopology quads='0 1 2 3'/>" STATE("Vec3d", "0 0 0 1 0 0 1 1 0 0 1 0")
         OUT_AT("Vec3d", "0.25 0.5 0", "<BarycentricMapping/>"),
     3,
     {0.25, 0.5, 20},
     "0 0 8 1 0 16 1 1 24 0 1 32"},
    {"BarycentricMapping",
     "the foot on the first edge that has one",
     "<MeshTopology edges='0 1 1 2'/>" STATE("Vec3d", "0 0 0 4 0 0 4 2 0")
         OUT_AT("Vec3d", "1 2 0 5 1.5 0", "<BarycentricMapping/>"),
     6,
     {1, 0, 5, 4, 1.5, 14},
     "0 0 4 4 0 8 4 2 16"},
    {"BarycentricMapping",
     "the cells of a grid, the nearest one for points outside",
     "<RegularGridTopology n='3 2 2' min='0 0 0' max='2 1 1'/><MechanicalObject/>" OUT_AT(
         "Vec3d", "0.25 0 0 1.25 0 0 1.25 1 0.5 3 0 0", "<BarycentricMapping/>"),
     12,
     {0.25, 0, 2, 1.25, 0, 6, 1.25, 1, 2.5, 3, 0, -8},
     "0 0 0 1 0 8 2 0 0 0 1 0 1 1 0 2 1 0 0 0 1 1 0 1 2 0 1 0 1 1 1 1 1 2 1 17"},
    {"HexahedronCompositeFEMMapping",
     "points stay",
     "<SparseGridTopology n='2 2 2' nbVirtualFinerLevels='2' position='" UNIT_CUBE
     "' quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/><MechanicalObject/>"
     "<HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='1' youngModulus='5000' "
     "poissonRatio='0.3'/>" OUT_AT("Vec3d", "0.3 0.2 0.1 0.5 0.75 0.125",
                                   "<HexahedronCompositeFEMMapping/>"),
     6,
     {0.3, 0.2, 0.1, 0.5, 0.75, 0.125},
     NULL},
    {"SimpleTesselatedTetraMechanicalMapping",
     "points and the middles of edges",
     "<TetrahedronSetTopologyContainer name='mesh' tetrahedra='0 1 2 3' position='" TETRA_4
     "'/>" STATE("Vec3d", TETRA_4) "<Node name='child'><TetrahedronSetTopologyContainer "
                                   "name='made'/><SimpleTesselatedTetraTopologicalMapping "
                                   "input='@../mesh' output='@made'/><MechanicalObject "
                                   "name='out'/><SimpleTesselatedTetraMechanicalMapping/></Node>",
     30,
     {0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 4, 2, 0, 0, 0, 2, 0, 0, 0, 2, 2, 2, 0, 2, 0, 2, 0, 2, 2},
     NULL},
    {"DeformableOnRigidFrameMapping",
     "numbers of points for each frame",
     STATE("Vec3d", "1 0 0 0 0 2 0 1 0") SECOND(
         "Rigid3d", "5 6 7 0 0 0 1 1 1 1 " QUARTER, "",
         OUT("Vec3d", "<DeformableOnRigidFrameMapping input1='@../..' input2='@..' output='@.' "
                      "repartition='1 2'/>")),
     9,
     {6, 6, 7, 1, 1, 3, 0, 1, 1},
     NULL},
    {"DeformableOnRigidFrameMapping",
     "a frame counted from the last one",
     STATE("Vec3d", "1 0 0") SECOND(
         "Rigid3d", "5 6 7 0 0 0 1 1 1 1 0 0 0 1 2 2 2 0 0 0 1", "",
         OUT("Vec3d", "<DeformableOnRigidFrameMapping input1='@../..' input2='@..' output='@.' "
                      "index='2' indexFromEnd='1'/>")),
     3,
     {6, 6, 7},
     NULL},
};

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

/* The output's positions become those of the moved input. */
static void move(SceneRun *run, const PositionCase *c) {
  SofaMapping *map = find_mapping(run->simulation->root, c->klass);
  const SofaState *in = map->inputs[0];
  const size_t n = in->position.n * sofa_state_kind_info(in->object.kind)->coord;
  const double *x[4] = {NULL}, *v[4] = {NULL};
  double *moved = calloc(n, sizeof *moved);
  const char *text = c->moved;
  for (size_t i = 0; i < n; i++) assert_true(sofa_read_real(&text, &moved[i]));
  assert_true(sofa_at_end(&text));
  assert_in_range(map->n_inputs, 1, 4);
  for (size_t k = 0; k < map->n_inputs; k++) {
    x[k] = k ? map->inputs[k]->position.data : moved;
    v[k] = map->inputs[k]->velocity.data;
  }
  const SofaPoint at = {.x = x, .v = v, .n = map->n_inputs, .id = sofa_point_id(run->ctx)};
  assert_int_equal(sofa_mapping_apply(map, &at, map->out->position.data), SOFA_OK);
  free(moved);
}

static size_t n_reals(const SofaState *out) {
  return out->position.n * sofa_state_kind_info(out->object.kind)->coord;
}

static double error(const SofaState *out, const double *expected) {
  double worst = 0;
  for (size_t i = 0; i < n_reals(out); i++)
    worst = fmax(worst, fabs(out->position.data[i] - expected[i]));
  return worst;
}

static SofaState *find_out(SceneRun *run) {
  static const char *const paths[] = {"/child/out", "/second/child/out"};
  for (size_t k = 0; k < 2; k++) {
    SofaObject *o =
        sofa_resolve_path(run->simulation->root, paths[k], &(SofaPathRule){.strict = true});
    if (o) return (SofaState *)o;
  }
  fail_msg("there is no state 'out'");
  return NULL;
}

static bool check(const PositionCase *c) {
  SceneRun run;
  char scene[4000];
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s</Node>",
           c->body);
  scene_run_open(&run, scene, NULL);
  const SofaState *out = find_out(&run);
  if (c->moved) move(&run, c);
  const bool good = n_reals(out) == c->n && error(out, c->expected) < 1e-14;
  if (!good) {
    fprintf(stderr, "%s, %s:", c->klass, c->what);
    for (size_t i = 0; i < n_reals(out); i++) fprintf(stderr, " %.15g", out->position.data[i]);
    fprintf(stderr, "\n");
  }
  scene_run_close(&run);
  return good;
}

static void positions(void **state) {
  (void)state;
  size_t n_bad = 0;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) n_bad += !check(&cases[k]);
  assert_int_equal(n_bad, 0);
}

static void every_class_has_a_case(void **state) {
  SofaContext *ctx;
  int missing = 0;
  (void)state;
  assert_int_equal(sofa_context_create(NULL, &ctx), SOFA_OK);
  assert_int_equal(sofa_register_builtins(ctx), SOFA_OK);
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaClass *klass = sofa_factory_class_at(ctx, i);
    if (klass->abstract || !sofa_class_ops(klass, SOFA_MAPPING)) continue;
    bool found = false;
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
      found |= strcmp(cases[k].klass, klass->name) == 0;
    if (!found) print_error("no positions for mapping %s\n", klass->name);
    missing += !found;
  }
  sofa_context_destroy(&ctx);
  assert_int_equal(missing, 0);
}

#define BONES(points)                                                                              \
  "<Node><DefaultAnimationLoop/><DefaultVisualManagerLoop/><MeshTopology edges='0 1 1 2 2 3 3 4 "  \
  "4 5'/>" STATE("Rigid3d", "0 0 0 0 0 0 1 1 0 0 0 0 0 1 2 0 0 0 0 0 1 3 0 0 0 0 0 1 "             \
                            "4 0 0 0 0 0 1 5 0 0 0 0 0 1")                                         \
      OUT_AT(                                                                                      \
          "Vec3d", points,                                                                         \
          "<LineSetSkinningMapping numberInfluencedLines='5' neighborhoodLevel='1'/>") "</Node>"
/* The lines that move a point do not depend on the points before it. */
static void points_of_a_line_set(void **state) {
  double place[2][3];
  (void)state;
  for (int alone = 0; alone < 2; alone++) {
    SceneRun run;
    scene_run_open(&run, alone ? BONES("4.5 1 0") : BONES("0.5 1 0 4.5 1 0"), NULL);
    SofaMapping *map = find_mapping(run.simulation->root, "LineSetSkinningMapping");
    for (size_t i = 0; i < 6; i++) map->inputs[0]->position.data[7 * i + 2] = (double)(i * i);
    assert_int_equal(sofa_mapping_update(map), SOFA_OK);
    memcpy(place[alone], map->out->position.data + (alone ? 0 : 3), sizeof place[0]);
    scene_run_close(&run);
  }
  assert_true(place[0][2] > 9 && place[0][2] < 25);
  assert_memory_equal(place[0], place[1], sizeof place[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(positions),
                                     cmocka_unit_test(points_of_a_line_set),
                                     cmocka_unit_test(every_class_has_a_case)};
  return cmocka_run_group_tests_name("mapped_positions", tests, NULL, NULL);
}
