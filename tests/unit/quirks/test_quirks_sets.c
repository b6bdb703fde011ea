/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quirks of engines, loaders and topologies, each alone. */
#include "tests/support/quirk_cases.h"

static void engines(void **state) {
  static const QuirkCase cases[] = {
      /* in the box of the surface is the second point */
      {"mesh-roi-all",
       QUIRK_SCENE("0", "<MechanicalObject name='state' position='5 5 5 0.3 0.3 0'/>"
                        "<MeshROI name='roi' computeMeshROI='0' ROIposition='0 0 0 1 0 0 0 1 0' "
                        "ROItriangles='0 1 2'/>"),
       1, "/roi", "indices", QUIRK_COUNT, 1, 2, 0},
      {"math-op-negation",
       QUIRK_SCENE(
           "0", "<MathOp name='op' template='vector&lt;bool&gt;' op='!|' input1='0' input2='0'/>"),
       1, "/op", "output", 0, 1, 0, 0},
      /* quarter turns about x and z: half of their sum has no y, their product has */
      {"average-orientation",
       QUIRK_SCENE("0", "<MechanicalObject template='Rigid3d' position='0 0 0 0.7071067811865476 0 "
                        "0 0.7071067811865476 0 0 0 0 0 0.7071067811865476 0.7071067811865476'/>"
                        "<AverageCoord name='mean'/>"),
       1, "/mean", "average", 4, 0, -0.5, 1e-12},
      /* 0.4 m and a turn of which the sine of the half is 0.3: a distance of 0.4 m, or of 0.5 */
      {"frame-distance",
       QUIRK_SCENE("0", "<Node name='a'><MechanicalObject name='s' template='Rigid3d' "
                        "position='0 0 0 0 0 0 1'/></Node>"
                        "<Node name='b'><MechanicalObject name='s' template='Rigid3d' "
                        "position='0.4 0 0 0.3 0 0 0.9539392014169457'/></Node>"
                        "<NearestPointROI name='near' template='Rigid3d' object1='@a/s' "
                        "object2='@b/s'/>"),
       1, "/near", "distances", 0, 0.4, 0.5, 1e-12},
      /* the same in the plane, with a turn of 0.3 */
      {"frame-distance",
       QUIRK_SCENE("0", "<Node name='a'><MechanicalObject name='s' template='Rigid2d' "
                        "position='0 0 0'/></Node>"
                        "<Node name='b'><MechanicalObject name='s' template='Rigid2d' "
                        "position='0.4 0 0.3'/></Node>"
                        "<NearestPointROI name='near' template='Rigid2d' object1='@a/s' "
                        "object2='@b/s'/>"),
       1, "/near", "distances", 0, 0.4, 0.5, 1e-12},
      /* 3 and 4 are not among the values */
      {"other-indices",
       QUIRK_SCENE("0",
                   "<IndicesFromValues name='find' template='int' values='1 2' global='1 2 3 4'/>"),
       1, "/find", "otherIndices", QUIRK_COUNT, 2, 0, 0},
      /* the triangle faces +z */
      {"sphere-roi-normal",
       QUIRK_SCENE("0", "<MechanicalObject name='state' position='0 0 0 1 0 0 0 1 0'/>"
                        "<SphereROI name='roi' centers='0 0 0' radii='9' triAngle='10' normal='0 0 "
                        "1' triangles='0 1 2'/>"),
       1, "/roi", "triangleIndices", QUIRK_COUNT, 1, 0, 0},
      /* the third file from 0.06 s on, or one file too early */
      {"off-sequence", "scenes/io/OffSequenceLoader.scn", 5, "/sheet/loader", "position", 8, 0.1,
       0.2, 1e-9},
  };
  (void)state;
  quirk_cases_check(cases, SOFA_COUNT(cases));
}

static void topologies(void **state) {
  static const QuirkCase cases[] = {
      {"hexa-quad-additions", "scenes/topology/Hexa2QuadChanges.scn", 20, "/bar/surface/quads",
       "quads", QUIRK_COUNT, 40, 24, 0},
      {"lost-changes", "scenes/topology/TopologicalChangeProcessor.scn", 50, "/curtain/triangles",
       "triangles", QUIRK_COUNT, 81, 84, 0},
      /* three tetrahedra come around the edge (4, 5), which is inside */
      {"tetra-triangle-edges",
       QUIRK_SCENE(
           "0",
           "<TetrahedronSetTopologyContainer name='t' tetrahedra='0 1 2 3' position='0 0 0 1 0 0 0 "
           "1 0 0 0 -1 0.3 0.3 1 0.3 0.3 2'/>"
           "<TetrahedronSetTopologyModifier/><MechanicalObject "
           "name='s'/><TopologicalChangeProcessor filename='tests/unit/quirks/ring_changes.txt'/>"
           "<Node name='f'><TriangleSetTopologyContainer "
           "name='t'/><TriangleSetTopologyModifier/><Tetra2TriangleTopologicalMapping "
           "input='@../t' output='@t'/></Node>"),
       3, "/f/t", "edges", QUIRK_COUNT, 24, 26, 0},
      /* two hexahedra share the 9 points of a side, or 6 where the second lists it in another order
       */
      {"tessellated-hexa",
       QUIRK_SCENE("0",
                   "<Node name='c'><HexahedronSetTopologyContainer name='h' position='0 0 0 1 0 0 "
                   "1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 2 0 0 2 1 0 2 0 1 2 1 1' hexahedra='0 1 2 "
                   "3 4 5 6 7 9 2 1 8 11 6 5 10'/>"
                   "<MechanicalObject name='s'/><Node name='f'><HexahedronSetTopologyContainer "
                   "name='parts'/><SimpleTesselatedHexaTopologicalMapping input='@../h' "
                   "output='@parts'/><MechanicalObject name='points'/></Node></Node>"),
       1, "/c/f/points", "position", QUIRK_COUNT, 135, 144, 0},
      /* prongs that share cells keep their own points although computeRamifications="0" */
      {"always-ramified",
       QUIRK_SCENE("0", "<SparseGridMultipleTopology name='g' n='5 2 2' nbVirtualFinerLevels='4' "
                        "finestConnectivity='0' computeRamifications='0' fillWeighted='0' "
                        "fileTopologies='tests/unit/quirks/fork.obj' stiffnessCoefs='1' "
                        "massCoefs='1'/><MechanicalObject name='state'/>"),
       1, "/state", "position", QUIRK_COUNT, 60, 96, 0},
      {"ramified-factors", "scenes/topology/SparseGridRamificationTopology.scn", 20,
       "/body/ends/points", "position", 4, 1.92229679687, 2.07568701243, 1e-9},
  };
  (void)state;
  quirk_cases_check(cases, SOFA_COUNT(cases));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(engines), cmocka_unit_test(topologies)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
