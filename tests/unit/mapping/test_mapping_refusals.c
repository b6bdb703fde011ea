/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scenes that mappings refuse: each range by the first value outside, each object that is missing,
 * with the message; and warnings about what is not used. */
#include "tests/support/scene_run.h"

typedef struct Refusal {
  const char *klass;
  const char *body; /* of the root node */
  const char *text; /* of the message */
} Refusal;

#define STATE(kind, x) "<MechanicalObject template='" kind "' position='" x "'/>"
#define CHILD(kind, x, mapping)                                                                    \
  "<Node name='child'><MechanicalObject template='" kind "' position='" x "'/>" mapping "</Node>"
#define TO(kind, mapping)                                                                          \
  "<Node name='child'><MechanicalObject template='" kind "'/>" mapping "</Node>"
#define SECOND(kind, x, child) "<Node name='second'>" STATE(kind, x) child "</Node>"
#define BOTH " input='@../.. @..' output='@.' "
#define KINDS " input1='@../..' input2='@..' output='@.' "
#define TWO_POINTS "0 0 0 1 0 0"
#define FRAME "0 0 0 0 0 0 1"
#define TWO_FRAMES FRAME " 1 0 0 0 0 0 1"
#define CORNERS "0 0 0 1 0 0 0 1 0 0 0 1"
#define LINES(edges) "<MeshTopology name='mesh' edges='" edges "'/>"
#define MIDDLES                                                                                    \
  "<PointSetTopologyContainer name='made'/><Mesh2PointTopologicalMapping name='middles' "          \
  "input='@../mesh' output='@made' edgeBaryCoords='0.5 0.5 0'/>"
#define TETRAS(elements)                                                                           \
  "<TetrahedronSetTopologyContainer name='mesh' tetrahedra='" elements "' position='" CORNERS "'/" \
  ">"

static const Refusal refused[] = {
    {"BarycentricMapping",
     STATE("Vec3d", CORNERS)
         CHILD("Vec3d", "0 0 0", "<BarycentricMapping input_topology='@../x'/>"),
     "there is no topology at \"@../x\""},
    {"BeamLinearMapping", STATE("Rigid3d", FRAME) CHILD("Vec3d", "0 0 0", "<BeamLinearMapping/>"),
     "has 1 frames: a beam has at least 2"},
    {"BeamLinearMapping",
     STATE("Rigid3d", FRAME " " FRAME) CHILD("Vec3d", "0 0 0", "<BeamLinearMapping/>"),
     "the frames 0 and 1 of the input"},
    {"DeformableOnRigidFrameMapping",
     STATE("Vec3d", TWO_POINTS)
         SECOND("Rigid3d", TWO_FRAMES,
                TO("Vec3d", "<DeformableOnRigidFrameMapping" KINDS "repartition='1 0'/>")),
     "its numbers must have the sum 2, the number of points"},
    {"DeformableOnRigidFrameMapping",
     STATE("Vec3d", TWO_POINTS)
         SECOND("Rigid3d", TWO_FRAMES,
                TO("Vec3d", "<DeformableOnRigidFrameMapping" KINDS "repartition='1 2'/>")),
     "its numbers must have the sum 2, the number of points"},
    {"DeformableOnRigidFrameMapping",
     STATE("Vec3d", TWO_POINTS)
         SECOND("Rigid3d", TWO_FRAMES,
                TO("Vec3d", "<DeformableOnRigidFrameMapping" KINDS "repartition='1 1 0'/>")),
     "3 numbers for 2 frames"},
    {"DeformableOnRigidFrameMapping",
     STATE("Vec3d", TWO_POINTS) SECOND(
         "Rigid3d", TWO_FRAMES, TO("Vec3d", "<DeformableOnRigidFrameMapping" KINDS "index='2'/>")),
     "frame 2: the input has 2 frames"},
    {"DistanceFromTargetMapping",
     STATE("Vec3d", TWO_POINTS)
         TO("Vec1d", "<DistanceFromTargetMapping indices='1 2' targetPositions='0 0 0 1 1 1'/>"),
     "target 1 is for point 2: the input has 2 points"},
    {"DistanceFromTargetMapping",
     STATE("Vec3d", TWO_POINTS)
         TO("Vec1d", "<DistanceFromTargetMapping targetPositions='0 0 0 1'/>"),
     "4 numbers are not a list of Vec3d coordinates of 3 numbers each"},
    {"DistanceFromTargetMapping",
     STATE("Vec3d", TWO_POINTS)
         TO("Vec1d", "<DistanceFromTargetMapping indices='1 0' targetPositions='0 0 0'/>"),
     "2 points for 1 targets"},
    {"DistanceToPlaneMapping",
     STATE("Vec3d", TWO_POINTS) TO("Vec1d", "<DistanceToPlaneMapping planeNormal='0 1'/>"),
     "2 numbers: points of the input have 3"},
    {"DistanceToPlaneMapping",
     STATE("Vec3d", TWO_POINTS)
         TO("Vec1d", "<DistanceToPlaneMapping planeNormal='0 1 0' planePoint='1 2'/>"),
     "2 numbers: points of the input have 3"},
    {"DistanceToPlaneMapping",
     STATE("Vec3d", TWO_POINTS) TO("Vec1d", "<DistanceToPlaneMapping planeNormal='0 0 0'/>"),
     "its length is 0: it must be positive"},
    {"HexahedronCompositeFEMMapping",
     "<SparseGridTopology n='2 2 2' position='0 0 0 1 0 0 0 1 0 1 1 0 0 0 1 1 0 1 0 1 1 1 1 1' "
     "quads='0 2 3 1 4 5 7 6 0 1 5 4 1 3 7 5 3 2 6 7 2 0 4 6'/><MechanicalObject/>" CHILD(
         "Vec3d", "0.5 0.5 0.5", "<HexahedronCompositeFEMMapping/>"),
     "there is no HexahedronCompositeFEMForceFieldAndMass with the input"},
    {"LineSetSkinningMapping",
     LINES("0 1") STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "0.5 0 0", "<LineSetSkinningMapping/>"),
     "point 0 lies on line 0: the line's weight is not finite"},
    {"LineSetSkinningMapping",
     "<MeshTopology name='mesh'/>" STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "0.5 1 0", "<LineSetSkinningMapping/>"),
     "'mesh' has no edges"},
    {"LineSetSkinningMapping",
     LINES("0 2") STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "0.5 1 0", "<LineSetSkinningMapping/>"),
     "has the point 2: the input has 2 frames"},
    {"LineSetSkinningMapping",
     LINES("2 0") STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "0.5 1 0", "<LineSetSkinningMapping/>"),
     "has the point 2: the input has 2 frames"},
    {"LineSetSkinningMapping",
     STATE("Rigid3d", TWO_FRAMES) CHILD("Vec3d", "0.5 1 0", "<LineSetSkinningMapping/>"),
     "has no topology: there is none in its node or above"},
    {"Mesh2PointMechanicalMapping",
     STATE("Vec3d", TWO_POINTS) TO("Vec3d", "<Mesh2PointMechanicalMapping/>"),
     "there is no Mesh2PointTopologicalMapping in the node or above"},
    {"Mesh2PointMechanicalMapping", // a search by class leaves out what has the interface alone
     "<RegularGridTopology name='grid' n='2 2 2' min='0 0 0' max='1 1 1'/>"
     "<TetrahedronSetTopologyContainer name='cut' position='@grid.position'/>"
     "<Hexa2TetraTopologicalMapping input='@grid' output='@cut'/>"
     "<MechanicalObject/>" TO("Vec3d", "<Mesh2PointMechanicalMapping/>"),
     "there is no Mesh2PointTopologicalMapping in the node or above"},
    {"Mesh2PointMechanicalMapping",
     LINES("1 2")
         STATE("Vec3d", TWO_POINTS) "<Node name='child'>" MIDDLES
                                    "<MechanicalObject/><Mesh2PointMechanicalMapping/></Node>",
     "edge 0 of 'mesh' has the point 2: the input has 2 points"},
    {"Mesh2PointMechanicalMapping",
     LINES("0 1") STATE("Vec3d", TWO_POINTS) "<Node name='child'><MechanicalObject/>"
                                             "<Mesh2PointMechanicalMapping/>" MIDDLES "</Node>",
     "'middles' comes after the mapping in the scene: move it before the mapping"},
    {"SimpleTesselatedTetraMechanicalMapping",
     STATE("Vec3d", TWO_POINTS) TO("Vec3d", "<SimpleTesselatedTetraMechanicalMapping/>"),
     "there is no SimpleTesselatedTetraTopologicalMapping in the node or above"},
    {"SimpleTesselatedTetraMechanicalMapping",
     TETRAS("0 1 2 3")
         STATE("Vec3d", CORNERS " 1 1 1") "<Node name='child'><TetrahedronSetTopologyContainer "
                                          "name='made'/><SimpleTesselatedTetraTopologicalMapping "
                                          "input='@../mesh' output='@made'/><MechanicalObject/>"
                                          "<SimpleTesselatedTetraMechanicalMapping/></Node>",
     "was made of 4 points, the input has 5"},
    {"SimpleTesselatedTetraTopologicalMapping",
     "<MeshTopology name='mesh' tetrahedra='0 1 2 3' edges='0 1 0 2 0 3 1 2 1 3' position='" CORNERS
     "'/><Node name='child'><TetrahedronSetTopologyContainer name='made'/>"
     "<SimpleTesselatedTetraTopologicalMapping input='@../mesh' output='@made'/></Node>",
     "edge 5 of tetrahedron 0 is not in the edges of 'mesh'"},
    {"RigidMapping",
     STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", TWO_POINTS, "<RigidMapping rigidIndexPerPoint='0 2'/>"),
     "point 1 belongs to frame 2: the input has the frames 0 to 1"},
    {"RigidMapping",
     STATE("Rigid3d", TWO_FRAMES) CHILD("Vec3d", TWO_POINTS, "<RigidMapping index='2'/>"),
     "belongs to frame 2: the input has the frames 0 to 1"},
    {"RigidMapping",
     STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", TWO_POINTS, "<RigidMapping initialPoints='0 0 0 1'/>"),
     "4 numbers are not a list of"},
    {"SkinningMapping",
     STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "1 2 3", "<SkinningMapping indices='[ 0 ]' weight='1 ]'/>"),
     "row 0 is not as in `indices`"},
    {"SkinningMapping",
     STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "1 2 3", "<SkinningMapping indices='[ 0 , 1 ]' weight='[ 1 1 ]'/>"),
     "row 0 is not as in `indices`"},
    {"SkinningMapping",
     STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "1 2 3", "<SkinningMapping indices='[ -1 ]' weight='[ 1 ]'/>"),
     "point 0 has frame -1: the input has 2 frames"},
    {"SkinningMapping",
     STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "1 2 3", "<SkinningMapping indices='[ 2 ]' weight='[ 1 ]'/>"),
     "point 0 has frame 2: the input has 2 frames"},
    {"SkinningMapping",
     STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "1 2 3", "<SkinningMapping indices='[ 0 ]' weight='[ 1'/>"),
     "row 0 is not as in `indices`"},
    {"SkinningMapping",
     STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "1 2 3", "<SkinningMapping indices='[ 0 ]' weight='[ 1 , 2 ]'/>"),
     "row 0 is not as in `indices`"},
    {"SkinningMapping",
     STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "1 2 3", "<SkinningMapping indices='[ 1 , 1 ]' weight='[ 1 , 2 ]'/>"),
     "row 0 is not as in `indices`"},
    {"SkinningMapping",
     STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "1 2 3", "<SkinningMapping indices='[ 0 ]' weight='[ x ]'/>"),
     "row 0 is not as in `indices`"},
    {"SkinningMapping",
     STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "1 2 3 4 5 6",
               "<SkinningMapping indices='[ 0 , 1 ] [ 1 ]' weight='[ 1 , 2 ] [ 3'/>"),
     "row 1 is not as in `indices`"},
    {"SkinningMapping", STATE("Rigid3d", "") CHILD("Vec3d", "1 2 3", "<SkinningMapping/>"),
     "has no frames"},
    {"SubsetMapping", STATE("Vec3d", TWO_POINTS) TO("Vec3d", "<SubsetMapping indices='0 2 3'/>"),
     "entry 1 is 2: the input has the points 0 to 1"},
    {"SubsetMapping",
     STATE("Vec3d", TWO_POINTS)
         CHILD("Vec3d", "1 0 0 0.5 0 0 9 9 9", "<SubsetMapping radius='0.25'/>"),
     "no input point is within 'radius' (0.25 m) of output point 1"},
    {"SubsetMultiMapping",
     STATE("Vec3d", TWO_POINTS) SECOND(
         "Vec3d", TWO_POINTS, TO("Vec3d", "<SubsetMultiMapping" BOTH "indexPairs='0 0 1'/>")),
     "3 numbers are not a list of pairs"},
    {"SubsetMultiMapping",
     STATE("Vec3d", TWO_POINTS)
         SECOND("Vec3d", "0 0 0", TO("Vec3d", "<SubsetMultiMapping" BOTH "indexPairs='0 1 1 1'/>")),
     "the input has fewer points"},
    {"SubsetMultiMapping",
     STATE("Vec3d", TWO_POINTS) SECOND(
         "Vec3d", TWO_POINTS, TO("Vec3d", "<SubsetMultiMapping" BOTH "indexPairs='0 0 2 0'/>")),
     "there are fewer inputs"},
    {"TubularMapping",
     STATE("Rigid3d", TWO_FRAMES)
         TO("Vec3d", "<TubularMapping nbPointsOnEachCircle='0' radius='1'/>"),
     "0: it must be 1 or larger"},
    {"CenterOfMassMapping", STATE("Rigid3d", TWO_FRAMES) TO("Vec3d", "<CenterOfMassMapping/>"),
     "there is no mass in the node of the input"},
    {"CenterOfMassMultiMapping",
     STATE("Vec3d", "0 0 0") "<UniformMass vertexMass='0'/>" SECOND(
         "Vec3d", "1 0 0",
         "<UniformMass vertexMass='0'/>" TO("Vec3d", "<CenterOfMassMultiMapping" BOTH "/>")),
     "there is no centre of mass"},
    {"CenterOfMassMultiMapping",
     STATE("Vec3d", "0 0 0") "<UniformMass/>" SECOND(
         "Vec3d", "1 0 0",
         "<UniformMass indices='7'/>" TO("Vec3d", "<CenterOfMassMultiMapping" BOTH "/>")),
     "is not valid"},
    {"DistanceMapping", STATE("Vec3d", TWO_POINTS) TO("Vec1d", "<DistanceMapping/>"),
     "there is no topology with edges to measure"},
    {"DistanceMapping",
     LINES("0 1 1 2") STATE("Vec3d", TWO_POINTS) TO("Vec1d", "<DistanceMapping/>"),
     "the input has fewer points"},
    {"DistanceMapping",
     LINES("0 1 2 1") STATE("Vec3d", TWO_POINTS) TO("Vec1d", "<DistanceMapping/>"),
     "the input has fewer points"},
    {"DistanceMultiMapping",
     LINES("0 1") STATE("Vec3d", TWO_POINTS) SECOND(
         "Vec3d", "0 0 1",
         TO("Vec1d", "<DistanceMultiMapping topology='@../../mesh'" BOTH "indexPairs='0 0 1'/>")),
     "3 numbers are not a list of pairs"},
    {"DistanceMultiMapping",
     LINES("0 1") STATE("Vec3d", TWO_POINTS) SECOND(
         "Vec3d", "0 0 1",
         TO("Vec1d", "<DistanceMultiMapping topology='@../../mesh'" BOTH "indexPairs='0 0 1 1'/>")),
     "there is no such pair, or its input or point does not exist"},
    {"DistanceMultiMapping",
     LINES("0 1") STATE("Vec3d", TWO_POINTS) SECOND(
         "Vec3d", "0 0 1",
         TO("Vec1d", "<DistanceMultiMapping topology='@../../mesh'" BOTH "indexPairs='0 0 2 0'/>")),
     "there is no such pair, or its input or point does not exist"},
    {"DistanceMultiMapping",
     LINES("0 2") STATE("Vec3d", TWO_POINTS) SECOND(
         "Vec3d", "0 0 1",
         TO("Vec1d", "<DistanceMultiMapping topology='@../../mesh'" BOTH "indexPairs='0 0 1 0'/>")),
     "there is no such pair, or its input or point does not exist"},
    {"IdentityMultiMapping",
     STATE("Vec3d", TWO_POINTS)
         SECOND("Vec3d", TWO_POINTS,
                TO("Vec3d", "<IdentityMultiMapping input='@../.. @../..' output='@.'/>")),
     "is named twice"},
    {"IdentityMultiMapping",
     STATE("Vec3d", TWO_POINTS)
         SECOND("Vec3d", TWO_POINTS, TO("Vec3d", "<IdentityMultiMapping output='@.'/>")),
     "names no states"},
    {"IdentityMultiMapping",
     STATE("Vec3d", TWO_POINTS)
         SECOND("Vec3d", TWO_POINTS,
                TO("Vec3d", "<IdentityMultiMapping input='@../.. @../x' output='@.'/>")),
     "'input' names no state: \"@../x\""},
    {"AreaMapping", STATE("Vec3d", CORNERS) TO("Vec1d", "<AreaMapping/>"),
     "there is no topology with elements to measure"},
    {"AreaMapping",
     "<MeshTopology triangles='0 1 4'/>" STATE("Vec3d", CORNERS) TO("Vec1d", "<AreaMapping/>"),
     "the input has fewer points"},
    {"VolumeMapping",
     "<MeshTopology tetrahedra='4 1 2 3'/>" STATE("Vec3d", CORNERS) TO("Vec1d", "<VolumeMapping/>"),
     "the input has fewer points"},
    {"VoidMapping", STATE("Vec3d", CORNERS) "<VoidMapping/>", "there is no state above the node"},
    {"VoidMapping", STATE("Vec3d", CORNERS) "<Node name='child'><VoidMapping/></Node>",
     "there is no state in the node before it"},
};

/* Mapped with a warning. */
static const Refusal warned[] = {
    {"DeformableOnRigidFrameMapping",
     STATE("Vec3d", CORNERS)
         TO("Vec3d", "<DeformableOnRigidFrameMapping input1='@..' output='@.'/>"),
     "'input2' names no frames: the points are mapped to themselves"},
    {"SkinningMapping",
     STATE("Rigid3d", TWO_FRAMES) CHILD("Vec3d", "1 2 3", "<SkinningMapping weight='[ 1 ]'/>"),
     "`indices` and `weight` only count together"},
    {"SkinningMapping",
     STATE("Rigid3d", TWO_FRAMES) CHILD("Vec3d", "1 2 3", "<SkinningMapping indices='[ 1 ]'/>"),
     "`indices` and `weight` only count together"},
    {"SkinningMapping",
     STATE("Rigid3d", TWO_FRAMES)
         CHILD("Vec3d", "1 2 3 4 5 6 7 8 9", "<SkinningMapping nbRef='2 1'/>"),
     "'nbRef' has 2 entries for 3 points: the first counts for all"},
    {"DistanceMapping",
     LINES("0 1") STATE("Vec3d", TWO_POINTS) TO("Vec1d", "<DistanceMapping restLengths='1 2'/>"),
     "'restLengths' has 2 entries for 1 edges: they are not used"},
    {"DistanceMapping",
     "<MeshTopology name='mesh'/>" STATE("Vec3d", TWO_POINTS)
         TO("Vec1d", "<DistanceMapping topology='@../mesh'/>"),
     "'mesh' has no edges: nothing is mapped"},
    {"AreaMapping",
     "<MeshTopology name='mesh'/>" STATE("Vec3d", TWO_POINTS)
         TO("Vec1d", "<AreaMapping topology='@../mesh'/>"),
     "'mesh' has no triangles: nothing is mapped"},
};

/* Loads and initialises; true when the text is part of a message and the result is as expected. */
static bool check(const Refusal *r, bool keep_going, bool refuses) {
  SceneRun run = {.quiet = true};
  const SofaContextOptions options = {.keep_going = keep_going};
  char scene[4000];
  scene_run_context(&run, &options);
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>%s</Node>",
           r->body);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  // a refusal is the last that is said
  const bool good = strstr(run.all, r->text) && (err == SOFA_OK) == (keep_going || !refuses) &&
                    (keep_going || !refuses || strstr(run.last, r->text));
  if (!good)
    fprintf(stderr, "%s: expected '%s'; error %d and:\n%s", r->klass, r->text, (int)err, run.all);
  scene_run_close(&run);
  return good;
}

static void refusals(void **state) {
  size_t n_bad = 0;
  (void)state;
  for (size_t k = 0; k < sizeof refused / sizeof *refused; k++) {
    n_bad += !check(&refused[k], false, true);
    n_bad += !check(&refused[k], true, true);
  }
  assert_int_equal(n_bad, 0);
}

static void warnings(void **state) {
  size_t n_bad = 0;
  (void)state;
  for (size_t k = 0; k < sizeof warned / sizeof *warned; k++)
    n_bad += !check(&warned[k], false, false);
  assert_int_equal(n_bad, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(refusals), cmocka_unit_test(warnings)};
  return cmocka_run_group_tests_name("mapping_refusals", tests, NULL, NULL);
}
