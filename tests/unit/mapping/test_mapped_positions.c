/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Positions that mappings give at the start, known in closed form. */
#include "tests/support/scene_run.h"

#include <math.h>

enum { MOST = 60 };

typedef struct PositionCase {
  const char *klass, *what;
  const char *body; /* of the root node; the mapped state is called out */
  size_t n;         /* of expected reals */
  double expected[MOST];
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
#define CIRCLE(x, r) x, r, 0, x, 0, r, x, -(r), 0, x, 0, -(r)

static const PositionCase cases[] = {
    {"IdentityMapping",
     "frames to their origins",
     STATE("Rigid3d", "1 2 3 " QUARTER) OUT("Vec3d", "<IdentityMapping/>"),
     3,
     {1, 2, 3}},
    {"VoidMapping",
     "points stay",
     STATE("Vec3d", "1 2 3") OUT_AT("Vec3d", "4 5 6", "<VoidMapping/>"),
     3,
     {4, 5, 6}},
    {"SubsetMapping",
     "points in the order of the indices",
     STATE("Vec3d", TRIANGLE_345) OUT("Vec3d", "<SubsetMapping indices='2 0'/>"),
     6,
     {3, 4, 0, 0, 0, 0}},
    {"SubsetMultiMapping",
     "pairs of state and point",
     STATE("Vec3d", TRIANGLE_345)
         SECOND("Vec3d", "7 8 9", "",
                OUT("Vec3d", "<SubsetMultiMapping" BOTH "indexPairs='1 0 0 2 0 1'/>")),
     9,
     {7, 8, 9, 3, 4, 0, 3, 0, 0}},
    {"IdentityMultiMapping",
     "one state after the other",
     STATE("Vec3d", "1 2 3")
         SECOND("Vec3d", "7 8 9", "", OUT("Vec3d", "<IdentityMultiMapping" BOTH "/>")),
     6,
     {1, 2, 3, 7, 8, 9}},
    {"DistanceToPlaneMapping",
     "signed, with a normal of any length",
     STATE("Vec3d", "1 2 4 0 0 -1")
         OUT("Vec1d", "<DistanceToPlaneMapping planeNormal='0 0 2' planePoint='5 5 1'/>"),
     2,
     {3, -2}},
    {"DistanceMapping",
     "length minus rest length",
     "<MeshTopology name='mesh' edges='0 2 1 2'/>" STATE("Vec3d", TRIANGLE_345)
         OUT("Vec1d", "<DistanceMapping topology='@../mesh' restLengths='1 1.5'/>"),
     2,
     {4, 2.5}},
    {"DistanceMapping",
     "length",
     "<MeshTopology name='mesh' edges='0 2 1 2'/>" STATE("Vec3d", TRIANGLE_345)
         OUT("Vec1d", "<DistanceMapping topology='@../mesh' computeDistance='1'/>"),
     2,
     {5, 4}},
    {"SquareDistanceMapping",
     "square of the length",
     "<MeshTopology name='mesh' edges='0 2 1 2'/>" STATE("Vec3d", TRIANGLE_345)
         OUT("Vec1d", "<SquareDistanceMapping topology='@../mesh'/>"),
     2,
     {25, 16}},
    {"SquareMapping",
     "squares",
     STATE("Vec1d", "2 -3") OUT("Vec1d", "<SquareMapping/>"),
     2,
     {4, 9}},
    {"DistanceFromTargetMapping",
     "distance to the target minus rest length",
     STATE("Vec3d", TRIANGLE_345)
         OUT("Vec1d", "<DistanceFromTargetMapping indices='2 1' targetPositions='0 0 0 3 0 2' "
                      "restLengths='1 0.5'/>"),
     2,
     {4, 1.5}},
    {"DistanceMultiMapping",
     "lengths between two states",
     STATE("Vec3d", "0 0 0 3 0 0")
         SECOND("Vec3d", "3 4 0", "",
                "<Node name='child'><MechanicalObject name='out' template='Vec1d'/>"
                "<EdgeSetTopologyContainer name='lines' edges='0 2 1 2'/><DistanceMultiMapping "
                "topology='@lines'" BOTH "indexPairs='0 0 0 1 1 0' restLengths='1 1.5'/></Node>"),
     2,
     {4, 2.5}},
    {"AreaMapping",
     "areas",
     "<MeshTopology name='mesh' triangles='0 1 2'/><MechanicalObject position='" TRIANGLE_345
     "' rest_position='0 0 0 1 0 0 0 1 0'/>" OUT("Vec1d", "<AreaMapping topology='@../mesh'/>"),
     1,
     {6}},
    {"VolumeMapping",
     "volumes",
     "<MeshTopology name='mesh' tetrahedra='0 1 2 3'/><MechanicalObject position='" TRIANGLE_345
     " 0 0 2' rest_position='0 0 0 1 0 0 0 1 0 0 0 1'/>" OUT(
         "Vec1d", "<VolumeMapping topology='@../mesh'/>"),
     1,
     {4}},
    {"CenterOfMassMapping",
     "mean by mass",
     STATE("Rigid3d",
           "0 0 0 0 0 0 1 4 0 8 0 0 0 1") "<DiagonalMass vertexMass='1 1 1 0 0 0 1 0 0 0 1 3 1 1 0 "
                                          "0 0 1 0 0 0 1'/>" OUT("Vec3d", "<CenterOfMassMapping/>"),
     3,
     {3, 0, 6}},
    {"CenterOfMassMultiMapping",
     "mean by mass",
     STATE("Vec3d", "0 0 0 2 0 0") "<UniformMass totalMass='3'/>" SECOND(
         "Vec3d", "5 4 0", "<UniformMass totalMass='1'/>",
         OUT("Vec3d", "<CenterOfMassMultiMapping" BOTH "/>")),
     3,
     {2, 1, 0}},
    {"CenterOfMassMulti2Mapping",
     "mean by mass",
     STATE("Vec3d", "0 0 0 2 0 0") "<UniformMass totalMass='3'/>" SECOND(
         "Rigid3d", "5 4 0 0 0 0 1", "<UniformMass totalMass='1'/>",
         OUT("Vec3d", "<CenterOfMassMulti2Mapping input1='@../..' input2='@..' output='@.'/>")),
     3,
     {2, 1, 0}},
    {"DeformableOnRigidFrameMapping",
     "points in the frame",
     STATE("Vec3d", "1 0 0 0 0 2") SECOND(
         "Rigid3d", "5 6 7 " QUARTER, "",
         OUT("Vec3d", "<DeformableOnRigidFrameMapping input1='@../..' input2='@..' output='@.'/>")),
     6,
     {5, 7, 7, 5, 6, 9}},
    {"RigidMapping",
     "points in their frames",
     STATE("Rigid3d", "5 6 7 " QUARTER " 1 1 1 0 0 0 1")
         OUT_AT("Vec3d", "1 0 0 0 0 2", "<RigidMapping rigidIndexPerPoint='0 1'/>"),
     6,
     {5, 7, 7, 1, 1, 3}},
    {"TubularMapping",
     "circles of four points, the first two growing",
     STATE("Rigid3d", FRAMES)
         OUT("Vec3d", "<TubularMapping nbPointsOnEachCircle='4' radius='1' peak='2'/>"),
     48,
     {CIRCLE(0, 0.0), CIRCLE(1, 0.5), CIRCLE(2, 1.0), CIRCLE(3, 1.0)}},
    {"TubularMapping",
     "circles of four points, the last two shrinking",
     STATE("Rigid3d", FRAMES)
         OUT("Vec3d", "<TubularMapping nbPointsOnEachCircle='4' radius='1' peak='-2'/>"),
     48,
     {CIRCLE(0, 1.0), CIRCLE(1, 1.0), CIRCLE(2, 0.5), CIRCLE(3, 0.0)}},
    {"Mesh2PointMechanicalMapping",
     "points and the middles of edges",
     "<MeshTopology name='mesh' edges='0 1 1 2' position='" TRIANGLE_345 "'/>" STATE(
         "Vec3d",
         TRIANGLE_345) "<Node name='child'><PointSetTopologyContainer "
                       "name='made'/><Mesh2PointTopologicalMapping input='@../mesh' output='@made' "
                       "pointBaryCoords='0 0 0' edgeBaryCoords='0.25 0 0'/><MechanicalObject "
                       "name='out'/><Mesh2PointMechanicalMapping/></Node>",
     15,
     {0, 0, 0, 3, 0, 0, 3, 4, 0, 0.75, 0, 0, 3, 1, 0}},
};

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

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(positions)};
  return cmocka_run_group_tests_name("mapped_positions", tests, NULL, NULL);
}
