/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Cases of components on meshes that change: a scene, what happens to it, and the scene that should
 * come out. */
#ifndef TESTS_SUPPORT_LISTENER_CASES_H
#define TESTS_SUPPORT_LISTENER_CASES_H

#include "sofa.h"

enum { MAX_EDITS = 4 };

typedef struct Edit {
  const char *topology;
  bool add; /* points: copies of `ids`; elements: the one with the vertices `ids` */
  SofaElementKind kind;
  size_t n; /* 0: no change */
  uint32_t ids[8];
} Edit;

typedef struct ListenerCase {
  const char *klass, *what, *before, *after;
  Edit edits[MAX_EDITS];
  double shake; /* as in ForceFieldCase; < 0: no force is expected */
} ListenerCase;

#define MESH(name) "/" name "/mesh"
#define REMOVE_POINTS(name, count, ...)                                                            \
  {                                                                                                \
    MESH(name), false, SOFA_ELEMENT_POINT, count, {                                                \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }
#define COPY_POINTS(name, count, ...)                                                              \
  {                                                                                                \
    MESH(name), true, SOFA_ELEMENT_POINT, count, {                                                 \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }
#define REMOVE_ELEMENTS(kind, count, ...)                                                          \
  {                                                                                                \
    MESH("a"), false, kind, count, {                                                               \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }
#define ADD_ELEMENT(kind, ...)                                                                     \
  {                                                                                                \
    MESH("a"), true, kind, sizeof((uint32_t[]){__VA_ARGS__}) / 4, {                                \
      __VA_ARGS__                                                                                  \
    }                                                                                              \
  }

#define ROOT(...)                                                                                  \
  "<Node name='root' gravity='0 0 "                                                                \
  "0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>" __VA_ARGS__ "</Node>"
/* A node with a container of elements, a state and what acts on it. */
#define BODY(name, kind, mesh, positions, elements, parts)                                         \
  "<Node name='" name "'><" mesh "SetTopologyContainer name='mesh' position='" positions           \
  "' " elements "/><" mesh "SetTopologyModifier name='modifier'/><MechanicalObject "               \
  "name='state' tags='meca' template='" kind "'/>" parts "</Node>"
#define POINTS(name, positions, parts) BODY(name, "Vec3d", "Point", positions, "", parts)
#define FRAMES(name, places, positions, parts)                                                     \
  "<Node name='" name "'><PointSetTopologyContainer name='mesh' position='" places "'/>"           \
  "<PointSetTopologyModifier name='modifier'/><MechanicalObject name='state' "                     \
  "template='Rigid3d' position='" positions "'/>" parts "</Node>"
#define PLACES_3 "0 0 0 1 0 0 2 0 0"
#define PLACES_4 PLACES_3 " 3 0 0"
#define PLACES_5 PLACES_4 " 4 0 0"

/* five points; without the second one; with a copy of the first one behind these */
#define FIVE "0 0 0 1 0.1 0 2 0 0.2 3 0.3 0 4 0 0.1"
#define FIRST_THREE "0 0 0 1 0.1 0 2 0 0.2"
#define FOUR "0 0 0 4 0 0.1 2 0 0.2 3 0.3 0"
#define FOUR_AND_ONE FOUR " 0 0 0"
#define OTHERS "0 1 0 1 1.1 0 2 1 0.2 3 1.3 0 4 1 0.1"
#define OTHER_FOUR "0 1 0 4 1 0.1 2 1 0.2 3 1.3 0"
#define OF_A_AND_B " object1='@a/state' object2='@b/state' "
#define OF_A " object1='@a/state' object2='@a/state' "

/* frames; the last of four takes the place of the second one */
#define FRAME_0 " 0 0 0 0 0 0 1 "
#define FRAME_1 " 1 0.1 0 0.1 0 0 1 "
#define FRAME_2 " 2 0 0.2 0 0.2 0.1 1 "
#define FRAME_3 " 3 0.3 0 0.1 0.1 0.3 1 "
#define FRAME_4 " 4 0 0.1 0 0 0.3 1 "
#define CHAIN(middle, last) FRAME_0 middle last
#define FRAME_PAIR(klass, springs)                                                                 \
  ROOT(FRAMES("a", PLACES_4, CHAIN(FRAME_1 FRAME_2, FRAME_3), "") FRAMES(                          \
      "b", PLACES_4, CHAIN(FRAME_2 FRAME_1, FRAME_3), "") "<" klass OF_A_AND_B springs),           \
      ROOT(FRAMES("a", PLACES_3, CHAIN(FRAME_3, FRAME_2), "") FRAMES(                              \
          "b", PLACES_3, CHAIN(FRAME_3, FRAME_1), "") "<" klass OF_A_AND_B springs##_AFTER)
#define ITEM(ends, values) " BEGIN_SPRING " ends " " values " END_SPRING"
#define SPRING_FRAMES                                                                              \
  "spring='" ITEM("0 0", "KS_T 10 KS_R 5 KD 1") ITEM("1 2", "KS_T 20 KS_R 6")                      \
      ITEM("3 2", "KS_T 30 KS_R 7 VEC1 0.1 0.2 0 VEC2 0 0 0.3") ITEM("2 1", "KS_T 40") "'/>"
#define SPRING_FRAMES_AFTER                                                                        \
  "spring='" ITEM("0 0", "KS_T 10 KS_R 5 KD 1")                                                    \
      ITEM("1 2", "KS_T 30 KS_R 7 VEC1 0.1 0.2 0 VEC2 0 0 0.3") "'/>"
#define SPRING_JOINTS                                                                              \
  "spring='" ITEM("0 0", "KS_T 1 10 KS_R 5 20 KD 1") ITEM("1 2", "KS_T 20 1 KS_R 6 2")             \
      ITEM("3 2", "FREE_AXIS 0 0 0 1 0 0 KS_T 30 2 KS_R 7 70") ITEM("2 1", "KS_T 40 3") "'/>"
#define SPRING_JOINTS_AFTER                                                                        \
  "spring='" ITEM("0 0", "KS_T 1 10 KS_R 5 20 KD 1")                                               \
      ITEM("1 2", "FREE_AXIS 0 0 0 1 0 0 KS_T 30 2 KS_R 7 70") "'/>"
#define SPRING_GEARS                                                                               \
  "spring='" ITEM("0 0 2 0", "AXIS 0 1 KS_T 10 KS_R 5 8 KD 1 RATIO 2")                             \
      ITEM("1 0 2 0", "KS_T 20 KS_R 6 6 KD 0") ITEM("0 3 3 2", "KS_T 30 KS_R 7 7 KD 2 RATIO -1")   \
          ITEM("2 2 0 1", "KS_T 40") "'/>"
#define SPRING_GEARS_AFTER                                                                         \
  "spring='" ITEM("0 0 2 0", "AXIS 0 1 KS_T 10 KS_R 5 8 KD 1 RATIO 2")                             \
      ITEM("0 1 1 2", "KS_T 30 KS_R 7 7 KD 2 RATIO -1") "'/>"

/* 3 x 3 points; triangle 2 takes point 2 along, whose place point 8 takes */
#define SHEET "0 0 0 1 0 0.1 2 0 0 0 1 0 1 1 0 2 1 0.2 0 2 0 1 2 0.1 2 2 0"
#define SHEET_TRIANGLES "0 1 4 0 4 3 1 2 5 1 5 4 3 4 7 3 7 6 4 5 8 4 8 7"
#define SHEET_AFTER "0 0 0 1 0 0.1 2 2 0 0 1 0 1 1 0 2 1 0.2 0 2 0 1 2 0.1"
#define SHEET_TRIANGLES_AFTER "triangles='0 1 4 0 4 3 4 2 7 1 5 4 3 4 7 3 7 6 4 5 2 2 5 8'"

/* 5 x 2 points; quad 0 takes points 5 and 0 along: 9 comes to 5, then 8 to 0 */
#define STRIP "0 0 0 1 0 0.1 2 0 0 3 0 0 4 0 0.1 0 1 0 1 1 0 2 1 0.2 3 1 0 4 1 0"
#define STRIP_AFTER "3 1 0 1 0 0.1 2 0 0 3 0 0 4 0 0.1 4 1 0 1 1 0 2 1 0.2"

#define TWO_JOINTS                                                                                 \
  "[Parent -1 Channels 2 0 0 0 0 0 0 1 1 0 0 0 0 0.6 0.8 Times 2 0 1 LocalRigid 0 0 0 0 0 0 1, "   \
  "Parent 0 Channels 2 1 0 0 0 0 0 1 1 2 0 0 0.6 0 0.8 Times 2 0 1 LocalRigid 0 0 0 0 0 0 1]"

#define SHEET_PAIR(before, after)                                                                  \
  ROOT(BODY("a", "Vec3d", "Triangle", SHEET, "triangles='" SHEET_TRIANGLES "'", before)),          \
      ROOT(BODY("a", "Vec3d", "Triangle", SHEET_AFTER " 0 0 0", SHEET_TRIANGLES_AFTER, after))
#define SHEET_EDITS                                                                                \
  {                                                                                                \
    REMOVE_ELEMENTS(SOFA_ELEMENT_TRIANGLE, 1, 2), COPY_POINTS("a", 1, 0),                          \
        ADD_ELEMENT(SOFA_ELEMENT_TRIANGLE, 2, 5, 8)                                                \
  }
#define TETRA_POINTS "0 0 -1 0 0 0 1 0 0 0 1 0 0 0 1 1 1 1"
#define TETRA_POINTS_AFTER "1 1 1 0 0 0 1 0 0 0 1 0 0 0 1"
/* the first tetrahedron goes with point 0, whose place point 5 takes */
#define TETRA_PAIR(before, after)                                                                  \
  ROOT(BODY("a", "Vec3d", "Tetrahedron", TETRA_POINTS, "tetrahedra='0 1 2 3 1 2 3 4 2 3 4 5'",     \
            before)),                                                                              \
      ROOT(BODY("a", "Vec3d", "Tetrahedron", TETRA_POINTS_AFTER, "tetrahedra='2 3 4 0 1 2 3 4'",   \
                after))

#define QUAD_PAIR(before, after)                                                                   \
  ROOT(BODY("a", "Vec3d", "Quad", STRIP, "quads='0 1 6 5 1 2 7 6 2 3 8 7 3 4 9 8'", before)),      \
      ROOT(BODY("a", "Vec3d", "Quad", STRIP_AFTER, "quads='3 4 5 0 1 2 7 6 2 3 0 7'", after))
/* points 3 2 1 0 go with the first hexahedron: 11 10 9 8 come to their places */
#define HEXA_PAIR(before, after)                                                                   \
  ROOT(BODY("a", "Vec3d", "Hexahedron",                                                            \
            "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 0 0 2 1 0 2 1 1 2 0 1 2",             \
            "hexahedra='0 1 2 3 4 5 6 7 4 5 6 7 8 9 10 11'", before)),                             \
      ROOT(BODY("a", "Vec3d", "Hexahedron", "0 0 2 1 0 2 1 1 2 0 1 2 0 0 1 1 0 1 1 1 1 0 1 1",     \
                "hexahedra='4 5 6 7 0 1 2 3'", after))

#define CARIBOU "<RequiredPlugin name='SofaCaribou'/>"

#define DIFFUSION_ON(positions, tetrahedra)                                                        \
  ROOT("<Node name='a'><TetrahedronSetTopologyContainer name='mesh' position='" positions          \
       "' tetrahedra='" tetrahedra "'/><TetrahedronSetTopologyModifier/><MechanicalObject "        \
       "name='state' tags='meca'/><TetrahedronDiffusionFEMForceField template='Vec3d'/></Node>")

static const ListenerCase listener_cases[] = {
    {"SpringForceField",
     "two bodies",
     ROOT(POINTS("a", FIVE, "") POINTS(
         "b", OTHERS, "") "<SpringForceField" OF_A_AND_B
                          "spring='0 1 10 1 0.5 1 2 20 2 1 4 4 30 3 0.1 2 1 40 1 0.7'/>"),
     ROOT(POINTS("a", FOUR, "") POINTS("b", OTHER_FOUR, "") "<SpringForceField" OF_A_AND_B
                                                            "spring='1 1 30 3 0.1'/>"),
     {REMOVE_POINTS("a", 1, 1), REMOVE_POINTS("b", 1, 1)},
     0},
    {"ParallelSpringForceField",
     "two bodies",
     ROOT(POINTS("a", FIVE, "") POINTS(
         "b", OTHERS, "") "<ParallelSpringForceField" OF_A_AND_B
                          "spring='0 1 10 1 0.5 1 2 20 2 1 4 4 30 3 0.1 2 1 40 1 0.7'/>"),
     ROOT(POINTS("a", FOUR, "") POINTS("b", OTHER_FOUR, "") "<ParallelSpringForceField" OF_A_AND_B
                                                            "spring='1 1 30 3 0.1'/>"),
     {REMOVE_POINTS("a", 1, 1), REMOVE_POINTS("b", 1, 1)},
     0},
    {"PolynomialRestShapeSpringsForceField",
     "all points, values of each",
     ROOT(POINTS("a", FIVE,
                 "<PolynomialRestShapeSpringsForceField polynomialDegree='1 2 1 2 1' "
                 "polynomialStiffness='10 20 21 30 40 41 50' initialLength='1 1.1 1.2 1.3 1.4'/>")),
     ROOT(POINTS("a", FOUR_AND_ONE,
                 "<PolynomialRestShapeSpringsForceField polynomialDegree='1 1 1 2 1' "
                 "polynomialStiffness='10 50 30 40 41 10' initialLength='1 1.4 1.2 1.3 1'/>")),
     {REMOVE_POINTS("a", 1, 1), COPY_POINTS("a", 1, 0)},
     0},
    {"PolynomialRestShapeSpringsForceField",
     "two polynomials for three springs",
     ROOT(POINTS("a", FIVE,
                 "<PolynomialRestShapeSpringsForceField points='1 2 4' polynomialDegree='1 2' "
                 "polynomialStiffness='10 20 21' initialLength='1 1.1'/>")),
     ROOT(POINTS("a", FOUR,
                 "<PolynomialRestShapeSpringsForceField points='1 2' polynomialDegree='1' "
                 "polynomialStiffness='10' initialLength='1 1.1'/>")),
     {REMOVE_POINTS("a", 1, 1)},
     0},
    {"PolynomialRestShapeSpringsForceField",
     "points of another body",
     ROOT(POINTS("a", FIVE,
                 "<PolynomialRestShapeSpringsForceField points='0 1 4 3' external_points='2 3 0 1' "
                 "external_rest_shape='@../b/state'/>") POINTS("b", OTHERS, "")),
     ROOT(POINTS("a", FOUR,
                 "<PolynomialRestShapeSpringsForceField points='0 1' external_points='2 0' "
                 "external_rest_shape='@../b/state'/>") POINTS("b", OTHER_FOUR, "")),
     {REMOVE_POINTS("a", 1, 1), REMOVE_POINTS("b", 1, 1)},
     0},
    {"RestShapeSpringsForceField",
     "targets that go",
     ROOT(POINTS("b", OTHERS, "")
              POINTS("a", FIVE,
                     "<RestShapeSpringsForceField points='0 1 4' external_points='1 4 2' "
                     "stiffness='10 20 30' external_rest_shape='@../b/state'/>")),
     ROOT(POINTS("b", OTHER_FOUR, "")
              POINTS("a", FIVE,
                     "<RestShapeSpringsForceField points='4 1' external_points='2 1' "
                     "stiffness='30 20' external_rest_shape='@../b/state'/>")),
     {REMOVE_POINTS("b", 1, 1)},
     0},
    {"RestShapeSpringsForceField",
     "all points of another body",
     ROOT(POINTS("b", OTHERS, "") POINTS("a", FIVE,
                                         "<RestShapeSpringsForceField stiffness='10 20 30 40 50' "
                                         "external_rest_shape='@../b/state'/>")),
     ROOT(POINTS("b", OTHER_FOUR " 0 1 0", "")
              POINTS("a", FIVE " 0 0 0",
                     "<RestShapeSpringsForceField points='0 4 2 3' external_points='0 1 2 3' "
                     "stiffness='10 50 30 40' external_rest_shape='@../b/state'/>")),
     {REMOVE_POINTS("b", 1, 1), COPY_POINTS("b", 1, 0), COPY_POINTS("a", 1, 0)},
     0},
    {"RestShapeSpringsForceField",
     "each point at its own target again",
     ROOT(POINTS("b", OTHERS, "") POINTS("a", FIVE,
                                         "<RestShapeSpringsForceField stiffness='10 20 30 40 50' "
                                         "external_rest_shape='@../b/state'/>")),
     ROOT(POINTS("b", "0 1 0 1 1.1 0 2 1 0.2 4 1 0.1", "")
              POINTS("a", FIRST_THREE " 4 0 0.1",
                     "<RestShapeSpringsForceField stiffness='10 20 30 50' "
                     "external_rest_shape='@../b/state'/>")),
     {REMOVE_POINTS("b", 1, 3), REMOVE_POINTS("a", 1, 3)},
     0},
    {"RestShapeSpringsForceField",
     "fewer points than targets",
     ROOT(POINTS("b", OTHERS, "") POINTS("a", FIVE,
                                         "<RestShapeSpringsForceField stiffness='10 20 30 40 50' "
                                         "external_rest_shape='@../b/state'/>")),
     ROOT(POINTS("b", OTHERS, "")
              POINTS("a", FIRST_THREE,
                     "<RestShapeSpringsForceField stiffness='10 20 30' points='0 1 2' "
                     "external_points='0 1 2' external_rest_shape='@../b/state'/>")),
     {REMOVE_POINTS("a", 1, 3), REMOVE_POINTS("a", 1, 3)},
     0},
    {"PolynomialSpringsForceField",
     "listed points",
     ROOT(POINTS("a", FIVE, "") POINTS(
         "b", OTHERS,
         "") "<PolynomialSpringsForceField" OF_A_AND_B
             "firstObjectPoints='0 1 4 2' secondObjectPoints='4 3 2 2' polynomialDegree='1 2 1 2' "
             "polynomialStiffness='10 20 21 30 40 41' computeZeroLength='0' "
             "zeroLength='0.5 0.6 0.7 0.8' compressible='1'/>"),
     ROOT(POINTS("a", FOUR, "") POINTS(
         "b", OTHER_FOUR,
         "") "<PolynomialSpringsForceField" OF_A_AND_B
             "firstObjectPoints='0 2 1' secondObjectPoints='1 2 2' polynomialDegree='1 2 1' "
             "polynomialStiffness='10 40 41 30' computeZeroLength='0' zeroLength='0.5 0.8 0.7' "
             "compressible='1'/>"),
     {REMOVE_POINTS("a", 1, 1), REMOVE_POINTS("b", 1, 1)},
     0},
    {"PolynomialSpringsForceField",
     "all points",
     ROOT(POINTS("a", FIVE, "") POINTS(
         "b", OTHERS, "") "<PolynomialSpringsForceField" OF_A_AND_B
                          "polynomialDegree='1 2 1 2 1' polynomialStiffness='10 20 21 30 40 41 50' "
                          "compressible='1'/>"),
     ROOT(POINTS("a", FOUR_AND_ONE, "")
              POINTS("b", OTHER_FOUR " 0 1 0",
                     "") "<PolynomialSpringsForceField" OF_A_AND_B "polynomialDegree='1 1 1 2 1' "
                         "polynomialStiffness='10 50 30 40 41 10' compressible='1'/>"),
     {REMOVE_POINTS("a", 1, 1), REMOVE_POINTS("b", 1, 1), COPY_POINTS("a", 1, 0),
      COPY_POINTS("b", 1, 0)},
     0},
    {"VectorSpringForceField",
     "pairs",
     ROOT(POINTS("a", FIVE, "") POINTS(
         "b", OTHERS, "") "<VectorSpringForceField" OF_A_AND_B
                          "springs='1 0 0 0 0 2 0 0.1 0 0 3 0 0 0.2 0 4 0 0 0 0.3 5 0 0 0.4 0'/>"),
     ROOT(POINTS("a", FOUR_AND_ONE, "")
              POINTS("b", OTHER_FOUR " 0 1 0",
                     "") "<VectorSpringForceField" OF_A_AND_B
                         "springs='1 0 0 0 0 5 0 0 0.4 0 3 0 0 0.2 0 4 0 0 0 0.3 1 1 0 0 0'/>"),
     {REMOVE_POINTS("a", 1, 1), REMOVE_POINTS("b", 1, 1), COPY_POINTS("a", 1, 0),
      COPY_POINTS("b", 1, 0)},
     0},
    {"VectorSpringForceField",
     "edges",
     ROOT(BODY(
         "a", "Vec3d", "Edge", FIVE, "edges='0 1 1 2 2 3 3 4 4 0'",
         "") "<VectorSpringForceField" OF_A "topology='@a/mesh' useTopology='1' stiffness='7' "
             "viscosity='3' springs='1 0 0 0 0 2 0 0.1 0 0 3 0 0 0.2 0 4 0 0 0 0.3 5 0 0 0.4 0'/>"),
     ROOT(BODY("a", "Vec3d", "Edge", FOUR_AND_ONE, "edges='1 0 3 1 2 3 2 4'",
               "") "<VectorSpringForceField" OF_A "topology='@a/mesh' useTopology='1' "
                   "springs='5 0 0 0.4 0 4 0 0 0 0.3 3 0 0 0.2 0 7 3 -2 0 -0.2'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_EDGE, 2, 0, 1), COPY_POINTS("a", 1, 0),
      ADD_ELEMENT(SOFA_ELEMENT_EDGE, 2, 4)},
     0},
    {"AngularSpringForceField",
     "a chain",
     ROOT(FRAMES("a", PLACES_5, CHAIN(FRAME_1 FRAME_2, FRAME_3 FRAME_4),
                 "<AngularSpringForceField indices='0 1 2 4' angularStiffness='10 20 30 40'/>")),
     ROOT(FRAMES("a", PLACES_4, CHAIN(FRAME_1 FRAME_2, FRAME_4),
                 "<AngularSpringForceField indices='0 1 2' angularStiffness='10 20 30'/>")),
     {REMOVE_POINTS("a", 1, 3)},
     0},
    {"FrameSpringForceField",
     "two bodies",
     FRAME_PAIR("FrameSpringForceField", SPRING_FRAMES),
     {REMOVE_POINTS("a", 1, 1), REMOVE_POINTS("b", 1, 1)},
     0},
    {"JointSpringForceField",
     "two bodies",
     FRAME_PAIR("JointSpringForceField", SPRING_JOINTS),
     {REMOVE_POINTS("a", 1, 1), REMOVE_POINTS("b", 1, 1)},
     0},
    {"GearSpringForceField",
     "two bodies",
     FRAME_PAIR("GearSpringForceField", SPRING_GEARS),
     {REMOVE_POINTS("a", 1, 1), REMOVE_POINTS("b", 1, 1)},
     0},
    {"TriangleBendingSprings",
     "a triangle goes, one comes",
     ROOT(BODY("a", "Vec3d", "Triangle", SHEET, "triangles='" SHEET_TRIANGLES "'",
               "<TriangleBendingSprings stiffness='100' damping='2'/>")),
     ROOT(BODY("a", "Vec3d", "Triangle", SHEET_AFTER " 0 0 0", SHEET_TRIANGLES_AFTER,
               "<TriangleBendingSprings stiffness='100' damping='2'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TRIANGLE, 1, 2), COPY_POINTS("a", 1, 0),
      ADD_ELEMENT(SOFA_ELEMENT_TRIANGLE, 2, 5, 8)},
     0},
    {"TriangleBendingSprings",
     "three triangles at an edge, at rest where they were",
     ROOT(BODY("a", "Vec3d", "Triangle", FIVE, "triangles='0 1 2 0 1 3 0 1 4'",
               "<TriangleBendingSprings stiffness='100' damping='2'/>")),
     ROOT(BODY("a", "Vec3d", "Triangle", "0 0 0 1 0.1 0 4 0 0.1 3 0.3 0", "triangles='0 1 2 0 1 3'",
               "<TriangleBendingSprings stiffness='100' damping='2'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TRIANGLE, 1, 0)},
     0},
    {"QuadBendingSprings",
     "a quad goes",
     ROOT(BODY("a", "Vec3d", "Quad", STRIP, "quads='0 1 6 5 1 2 7 6 2 3 8 7 3 4 9 8'",
               "<QuadBendingSprings stiffness='100'/>")),
     ROOT(BODY("a", "Vec3d", "Quad", STRIP_AFTER, "quads='3 4 5 0 1 2 7 6 2 3 0 7'",
               "<QuadBendingSprings stiffness='100'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_QUAD, 1, 0)},
     0},
    {"QuadBendingSprings",
     "a range that means the points of the beginning",
     ROOT(BODY("a", "Vec3d", "Quad", STRIP, "quads='0 1 6 5 1 2 7 6 2 3 8 7 3 4 9 8'",
               "<QuadBendingSprings stiffness='100' localRange='6 -1'/>")),
     ROOT(BODY("a", "Vec3d", "Quad", STRIP_AFTER, "quads='3 4 5 0 1 2 7 6 2 3 0 7'",
               "<QuadBendingSprings stiffness='100' localRange='5 -1'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_QUAD, 1, 0)},
     0},
    {"MeshSpringForceField",
     "a range that means the points of the beginning",
     ROOT(BODY("a", "Vec3d", "Edge", FIVE, "edges='0 1 1 2 3 4'",
               "<MeshSpringForceField linesStiffness='10' linesDamping='1' localRange='-1 2'/>")),
     ROOT(BODY("a", "Vec3d", "Edge", "4 0 0.1 1 0.1 0 2 0 0.2 3 0.3 0", "edges='3 0 1 2'",
               "<MeshSpringForceField linesStiffness='10' linesDamping='1' localRange='1 -1'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_EDGE, 1, 0)},
     0},
    {"ParallelMeshSpringForceField",
     "a range that means the points of the beginning",
     ROOT(BODY(
         "a", "Vec3d", "Edge", FIVE, "edges='0 1 1 2 3 4'",
         "<ParallelMeshSpringForceField linesStiffness='10' linesDamping='1' localRange='-1 2'/>")),
     ROOT(BODY(
         "a", "Vec3d", "Edge", "4 0 0.1 1 0.1 0 2 0 0.2 3 0.3 0", "edges='3 0 1 2'",
         "<ParallelMeshSpringForceField linesStiffness='10' linesDamping='1' localRange='1 -1'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_EDGE, 1, 0)},
     0},
    {"PlaneForceField",
     "a range that means the points of the beginning",
     ROOT(POINTS("a", FIVE,
                 "<PlaneForceField normal='0 0 1' d='2' stiffness='10' damping='1' "
                 "localRange='2 3'/>")),
     ROOT(POINTS("a", FOUR,
                 "<PlaneForceField normal='0 0 1' d='2' stiffness='10' damping='1' "
                 "localRange='2 3'/>")),
     {REMOVE_POINTS("a", 1, 1)},
     0},
    {"PlaneForceField",
     "the last one of a range",
     ROOT(POINTS("a", FIVE,
                 "<PlaneForceField normal='0 0 1' d='2' stiffness='10' damping='1' "
                 "localRange='4 4'/>")),
     ROOT(POINTS("a", FOUR,
                 "<PlaneForceField normal='0 0 1' d='2' stiffness='10' damping='1' "
                 "localRange='1 1'/>")),
     {REMOVE_POINTS("a", 1, 1)},
     0},
    {"InteractionEllipsoidForceField",
     "points and the frame's number",
     ROOT(POINTS("a", FIVE, "") FRAMES(
         "b", PLACES_4, CHAIN(FRAME_1 FRAME_2, FRAME_3),
         "") "<InteractionEllipsoidForceField" OF_A_AND_B
             "object2_dof_index='3' center='0 0 0 1 0 0' vradius='3 2 1 2 2 2' stiffness='10'/>"),
     ROOT(POINTS("a", FOUR_AND_ONE, "") FRAMES(
         "b", PLACES_3, CHAIN(FRAME_3, FRAME_2),
         "") "<InteractionEllipsoidForceField" OF_A_AND_B
             "object2_dof_index='1' center='0 0 0 1 0 0' vradius='3 2 1 2 2 2' stiffness='10'/>"),
     {REMOVE_POINTS("a", 1, 1), REMOVE_POINTS("b", 1, 1), COPY_POINTS("a", 1, 0)},
     0},
    {"InteractionEllipsoidForceField",
     "a point with the frame's number goes",
     ROOT(POINTS("a", FIVE, "")
              FRAMES("b", PLACES_4, CHAIN(FRAME_1 FRAME_2, FRAME_3),
                     "") "<InteractionEllipsoidForceField" OF_A_AND_B
                         "object2_dof_index='1' center='0 0 0' vradius='3 2 1' stiffness='10'/>"),
     ROOT(POINTS("a", FOUR, "")
              FRAMES("b", PLACES_4, CHAIN(FRAME_1 FRAME_2, FRAME_3),
                     "") "<InteractionEllipsoidForceField" OF_A_AND_B
                         "object2_dof_index='1' center='0 0 0' vradius='3 2 1' stiffness='10'/>"),
     {REMOVE_POINTS("a", 1, 1)},
     0},
    {"InteractionEllipsoidForceField",
     "the frame goes",
     ROOT(POINTS("a", FIVE, "")
              FRAMES("b", PLACES_4, CHAIN(FRAME_1 FRAME_2, FRAME_3),
                     "") "<InteractionEllipsoidForceField" OF_A_AND_B
                         "object2_dof_index='1' center='0 0 0' vradius='3 2 1' stiffness='10'/>"),
     ROOT(POINTS("a", FIVE, "")
              FRAMES("b", PLACES_3, CHAIN(FRAME_3, FRAME_2),
                     "") "<InteractionEllipsoidForceField" OF_A_AND_B
                         "object2_dof_index='1' center='90 0 0' vradius='3 2 1' stiffness='10'/>"),
     {REMOVE_POINTS("b", 1, 1)},
     -1},
    {"AttachProjectiveConstraint",
     "pairs lose a point",
     ROOT(POINTS("a", FIVE, "")
              POINTS("b", OTHERS, "") "<AttachProjectiveConstraint" OF_A_AND_B
                                      "indices1='0 1 4 2' indices2='0 2 3 4' constraintFactor='0.1 "
                                      "0.2 0.3 0.4' twoWay='1'/>"),
     ROOT(POINTS("a", FOUR, "") POINTS(
         "b", OTHER_FOUR,
         "") "<AttachProjectiveConstraint" OF_A_AND_B
             "indices1='0 1 2' indices2='0 3 1' constraintFactor='0.1 0.3 0.4' twoWay='1'/>"),
     {REMOVE_POINTS("a", 1, 1), REMOVE_POINTS("b", 1, 1)},
     0},
    {"AttachProjectiveConstraint",
     "frames and their order before a plane",
     ROOT(FRAMES("a", PLACES_4, CHAIN(FRAME_1 FRAME_2, FRAME_3), "") FRAMES(
         "b", PLACES_4, CHAIN(FRAME_2 FRAME_1, FRAME_3),
         "") "<AttachProjectiveConstraint" OF_A_AND_B "indices1='3 1 0 2' indices2='2 1 3 0' "
             "lastFreeRotation='1' lastDir='1 0 0' lastPos='0.5 0 0'/>"),
     ROOT(FRAMES("a", PLACES_3, CHAIN(FRAME_3, FRAME_2), "") FRAMES(
         "b", PLACES_4, CHAIN(FRAME_2 FRAME_1, FRAME_3),
         "") "<AttachProjectiveConstraint" OF_A_AND_B "indices1='1 0 2' indices2='2 3 0' "
             "lastFreeRotation='1' lastDir='1 0 0' lastPos='0.5 0 0'/>"),
     {REMOVE_POINTS("a", 1, 1)},
     0},
    {"SkeletalMotionProjectiveConstraint",
     "points keep their bones",
     ROOT(FRAMES("a", PLACES_4, CHAIN(FRAME_1 FRAME_2, FRAME_3),
                 "<SkeletalMotionProjectiveConstraint joints='" TWO_JOINTS
                 "' bones='[0, 0, 1, 1]'/>")),
     ROOT(FRAMES("a", PLACES_3, CHAIN(FRAME_3, FRAME_0),
                 "<SkeletalMotionProjectiveConstraint joints='" TWO_JOINTS "' bones='[0, 1]'/>")),
     {REMOVE_POINTS("a", 1, 1), REMOVE_POINTS("a", 1, 2), COPY_POINTS("a", 1, 0)},
     0},
    {"SkeletalMotionProjectiveConstraint",
     "points without a bone move up",
     ROOT(FRAMES("a", PLACES_4, CHAIN(FRAME_1 FRAME_2, FRAME_3),
                 "<SkeletalMotionProjectiveConstraint joints='" TWO_JOINTS "' bones='[1, 0]'/>")),
     ROOT(FRAMES("a", PLACES_3, CHAIN(FRAME_3, FRAME_2),
                 "<SkeletalMotionProjectiveConstraint joints='" TWO_JOINTS "' bones='[1]'/>")),
     {REMOVE_POINTS("a", 1, 1)},
     0},
    {"TriangularFEMForceField", "values of each triangle",
     SHEET_PAIR("<TriangularFEMForceField youngModulus='10 20 30 40 50 60 70 80' "
                "poissonRatio='0.1 0.2 0.3'/>",
                "<TriangularFEMForceField youngModulus='10 20 80 40 50 60 70 10' "
                "poissonRatio='0.1 0.2 0.1 0.1 0.1 0.1 0.1 0.1'/>"),
     SHEET_EDITS, 0},
    {"TriangularAnisotropicFEMForceField", "values of each triangle",
     SHEET_PAIR("<TriangularAnisotropicFEMForceField youngModulus='10 20 30 40 50 60 70 80' "
                "transverseYoungModulus='11 21 31 41 51 61 71 81' poissonRatio='0.3'/>",
                "<TriangularAnisotropicFEMForceField youngModulus='10 20 80 40 50 60 70 10' "
                "transverseYoungModulus='11 21 81 41 51 61 71 11' poissonRatio='0.3'/>"),
     SHEET_EDITS, 0},
    {"TriangularFEMForceFieldOptim", "one value",
     SHEET_PAIR("<TriangularFEMForceFieldOptim youngModulus='10' poissonRatio='0.3'/>",
                "<TriangularFEMForceFieldOptim youngModulus='10' poissonRatio='0.3'/>"),
     SHEET_EDITS, 0},
    {"TriangularFEMForceField",
     "turned shapes at rest",
     ROOT(BODY("a", "Vec3d", "Triangle", FIVE, "triangles='0 1 2 0 2 3'",
               "<TriangularFEMForceField youngModulus='10' poissonRatio='0.3' "
               "rotatedInitialElements='0 0 0 1 0 0 1 1 0 0 0 0 2 0 0 1 1 0' "
               "initialTransformation='1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1'/>")),
     ROOT(BODY("a", "Vec3d", "Triangle", "0 0 0 4 0 0.1 2 0 0.2 3 0.3 0", "triangles='0 2 3 0 2 1'",
               "<TriangularFEMForceField youngModulus='10' poissonRatio='0.3' "
               "rotatedInitialElements='0 0 0 2 0 0 1 1 0 0 0 0 2 0 0.2 4 0 0.1' "
               "initialTransformation='1 0 0 0 1 0 0 0 1 1 0 0 0 1 0 0 0 1'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TRIANGLE, 1, 0), ADD_ELEMENT(SOFA_ELEMENT_TRIANGLE, 0, 2, 1)},
     0},
    {"TriangleFEMForceField",
     "values of the halves of quads",
     ROOT(BODY("a", "Vec3d", "Quad", STRIP, "quads='0 1 6 5 1 2 7 6 2 3 8 7 3 4 9 8'",
               "<TriangleFEMForceField youngModulus='1 2 3 4 5 6 7 8' poissonRatio='0.3'/>")),
     ROOT(BODY("a", "Vec3d", "Quad", STRIP_AFTER, "quads='3 4 5 0 1 2 7 6 2 3 0 7'",
               "<TriangleFEMForceField youngModulus='7 8 3 4 5 6' poissonRatio='0.3'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_QUAD, 1, 0)},
     0},
    {"QuadBendingFEMForceField",
     "values of each quad",
     ROOT(
         BODY("a", "Vec3d", "Quad", STRIP, "quads='0 1 6 5 1 2 7 6 2 3 8 7 3 4 9 8'",
              "<QuadBendingFEMForceField youngModulus='1 2 3 4' poissonRatio='0.1 0.2 0.3 0.4'/>")),
     ROOT(BODY("a", "Vec3d", "Quad", STRIP_AFTER, "quads='3 4 5 0 1 2 7 6 2 3 0 7'",
               "<QuadBendingFEMForceField youngModulus='4 2 3' poissonRatio='0.4 0.2 0.3'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_QUAD, 1, 0)},
     0},
    {"ShellQuadFEMForceField",
     "values of each quad",
     ROOT("<Node name='a'><QuadSetTopologyContainer name='mesh' position='0 0 0 1 0 0.1 2 0 0 3 0 "
          "0 4 0 0.1 0 1 0 1 1 0 2 1 0.2 3 1 0 4 1 0' quads='0 1 6 5 1 2 7 6 2 3 8 7 3 4 9 "
          "8'/><QuadSetTopologyModifier name='modifier'/><MechanicalObject name='state' "
          "template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0.1 0 0 0 1 2 0 0 0 0 0 1 3 0 0 0 0 0 1 "
          "4 0 0.1 0 0 0 1 0 1 0 0 0 0 1 1 1 0 0 0 0 1 2 1 0.2 0 0 0 1 3 1 0 0 0 0 1 4 1 0 0 0 0 "
          "1'/><ShellQuadFEMForceField thickness='0.1' youngModulus='1 2 3 4' poissonRatio='0.1 "
          "0.2 0.3 0.4'/></Node>"),
     ROOT("<Node name='a'><QuadSetTopologyContainer name='mesh' position='3 1 0 1 0 0.1 2 0 0 3 0 "
          "0 4 0 0.1 4 1 0 1 1 0 2 1 0.2' quads='3 4 5 0 1 2 7 6 2 3 0 "
          "7'/><QuadSetTopologyModifier name='modifier'/><MechanicalObject name='state' "
          "template='Rigid3d' position='3 1 0 0 0 0 1 1 0 0.1 0 0 0 1 2 0 0 0 0 0 1 3 0 0 0 0 0 1 "
          "4 0 0.1 0 0 0 1 4 1 0 0 0 0 1 1 1 0 0 0 0 1 2 1 0.2 0 0 0 1'/><ShellQuadFEMForceField "
          "thickness='0.1' youngModulus='4 2 3' poissonRatio='0.4 0.2 0.3'/></Node>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_QUAD, 1, 0)},
     0},
    {"ShellTriangleFEMForceField",
     "values of each triangle",
     ROOT("<Node name='a'><TriangleSetTopologyContainer name='mesh' position='0 0 0 1 0 0 0 1 0 1 "
          "1 0.2' triangles='0 1 2 1 3 2'/><TriangleSetTopologyModifier "
          "name='modifier'/><MechanicalObject name='state' template='Rigid3d' position='0 0 0 0 0 "
          "0 1 1 0 0 0 0 0 1 0 1 0 0 0 0 1 1 1 0.2 0 0 0 1'/><ShellTriangleFEMForceField "
          "thickness='0.1' youngModulus='1 2' poissonRatio='0.1 0.2' normals='0 0 1 0 0.1 1 0 0.2 "
          "1 0.3 0 1'/></Node>"),
     ROOT("<Node name='a'><TriangleSetTopologyContainer name='mesh' position='1 1 0.2 1 0 0 0 1 0' "
          "triangles='1 0 2'/><TriangleSetTopologyModifier name='modifier'/><MechanicalObject "
          "name='state' template='Rigid3d' position='1 1 0.2 0 0 0 1 1 0 0 0 0 0 1 0 1 0 0 0 0 "
          "1'/><ShellTriangleFEMForceField thickness='0.1' youngModulus='2' poissonRatio='0.2' "
          "normals='0.3 0 1 0 0.1 1 0 0.2 1'/></Node>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TRIANGLE, 1, 0)},
     0},
    {"TetrahedronFEMForceField",
     "values of each tetrahedron, and what flowed",
     TETRA_PAIR("<TetrahedronFEMForceField youngModulus='10 20 30' poissonRatio='0.1 0.2 0.3' "
                "localStiffnessFactor='1 2 3' plasticMaxThreshold='10' plasticCreep='0.5' "
                "plasticYieldThreshold='0.01'/>",
                "<TetrahedronFEMForceField youngModulus='30 20' poissonRatio='0.3 0.2' "
                "localStiffnessFactor='3 2' plasticMaxThreshold='10' plasticCreep='0.5' "
                "plasticYieldThreshold='0.01'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     0},
    {"ParallelTetrahedronFEMForceField",
     "values of each tetrahedron, and what flowed",
     TETRA_PAIR(
         "<ParallelTetrahedronFEMForceField youngModulus='10 20 30' poissonRatio='0.1 0.2 0.3' "
         "localStiffnessFactor='1 2 3' plasticMaxThreshold='10' plasticCreep='0.5' "
         "plasticYieldThreshold='0.01'/>",
         "<ParallelTetrahedronFEMForceField youngModulus='30 20' poissonRatio='0.3 0.2' "
         "localStiffnessFactor='3 2' plasticMaxThreshold='10' plasticCreep='0.5' "
         "plasticYieldThreshold='0.01'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     0},
    {"TetrahedralCorotationalFEMForceField",
     "values of each tetrahedron",
     TETRA_PAIR("<TetrahedralCorotationalFEMForceField youngModulus='10 20 30' "
                "poissonRatio='0.1 0.2 0.3' localStiffnessFactor='1 2 3'/>",
                "<TetrahedralCorotationalFEMForceField youngModulus='30 20' "
                "poissonRatio='0.3 0.2' localStiffnessFactor='3 2'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     0},
    {"LinearSmallStrainFEMForceField",
     "values of each tetrahedron",
     TETRA_PAIR("<LinearSmallStrainFEMForceField template='Vec3d,Tetrahedron' "
                "youngModulus='10 20 30' poissonRatio='0.1 0.2 0.3'/>",
                "<LinearSmallStrainFEMForceField template='Vec3d,Tetrahedron' "
                "youngModulus='30 20' poissonRatio='0.3 0.2'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     0},
    {"CorotationalFEMForceField", "values of each triangle",
     SHEET_PAIR("<CorotationalFEMForceField template='Vec3d,Triangle' "
                "youngModulus='10 20 30 40 50 60 70 80' poissonRatio='0.3'/>",
                "<CorotationalFEMForceField template='Vec3d,Triangle' "
                "youngModulus='10 20 80 40 50 60 70 10' poissonRatio='0.3'/>"),
     SHEET_EDITS, 0},
    {"BeamFEMForceField",
     "values of each edge",
     ROOT("<Node name='a'><EdgeSetTopologyContainer name='mesh' position='" PLACES_4
          "' edges='0 1 1 2 2 3'/><EdgeSetTopologyModifier name='modifier'/><MechanicalObject "
          "name='state' template='Rigid3d' position='" CHAIN(
              FRAME_1 FRAME_2,
              FRAME_3) "'/><BeamFEMForceField youngModulus='10 20 30' poissonRatio='0.1 0.2 0.3' "
                       "radius='0.1'/></Node>"),
     ROOT("<Node name='a'><EdgeSetTopologyContainer name='mesh' position='" PLACES_3
          "' edges='2 0 1 2'/><EdgeSetTopologyModifier name='modifier'/><MechanicalObject "
          "name='state' template='Rigid3d' position='" FRAME_3 FRAME_1 FRAME_2
          "'/><BeamFEMForceField youngModulus='30 20' poissonRatio='0.3 0.2' "
          "radius='0.1'/></Node>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_EDGE, 1, 0)},
     0},
    {"GeometricallyExactBeamForceField",
     "values of each edge",
     ROOT("<Node name='a'><EdgeSetTopologyContainer name='mesh' position='" PLACES_4
          "' edges='0 1 1 2 2 3'/><EdgeSetTopologyModifier name='modifier'/><MechanicalObject "
          "name='state' template='Rigid3d' position='" CHAIN(
              FRAME_1 FRAME_2, FRAME_3) "'/><GeometricallyExactBeamForceField youngModulus='10 20 "
                                        "30' poissonRatio='0.1 0.2 0.3' "
                                        "radius='0.1'/></Node>"),
     ROOT("<Node name='a'><EdgeSetTopologyContainer name='mesh' position='" PLACES_3
          "' edges='2 0 1 2'/><EdgeSetTopologyModifier name='modifier'/><MechanicalObject "
          "name='state' template='Rigid3d' position='" FRAME_3 FRAME_1 FRAME_2
          "'/><GeometricallyExactBeamForceField youngModulus='30 20' poissonRatio='0.3 0.2' "
          "radius='0.1'/></Node>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_EDGE, 1, 0)},
     0},
    {"ConstantForceField",
     "ranks from the end",
     ROOT(POINTS(
         "a", FIVE,
         "<ConstantForceField indexFromEnd='1' indices='0 4 3' forces='1 0 0 0 2 0 0 0 3'/>")),
     ROOT(POINTS("a", FOUR, "<ConstantForceField indices='1 0' forces='1 0 0 0 2 0'/>")),
     {REMOVE_POINTS("a", 1, 1)},
     0},
    {"ConstantForceField",
     "listed points and one that comes",
     ROOT(POINTS("a", FIVE, "<ConstantForceField indices='0 4 3' forces='1 0 0 0 2 0 0 0 3'/>")),
     ROOT(POINTS("a", FIVE " 0 0 0",
                 "<ConstantForceField indices='0 4 3' forces='1 0 0 0 2 0 0 0 3'/>")),
     {COPY_POINTS("a", 1, 0)},
     0},
    {"ConstantForceField",
     "one force for listed points",
     ROOT(POINTS("a", FIVE, "<ConstantForceField indices='1 4 3' forces='1 0 2'/>")),
     ROOT(POINTS("a", FOUR_AND_ONE, "<ConstantForceField indices='1 3' forces='1 0 2'/>")),
     {REMOVE_POINTS("a", 1, 1), COPY_POINTS("a", 1, 0)},
     0},
    {"ConstantForceField",
     "all points from the end",
     ROOT(POINTS("a", FIVE,
                 "<ConstantForceField indexFromEnd='1' "
                 "forces='1 0 0 2 0 0 3 0 0 4 0 0 5 0 0'/>")),
     ROOT(
         POINTS("a", FOUR_AND_ONE, "<ConstantForceField forces='5 0 0 1 0 0 3 0 0 2 0 0 0 0 0'/>")),
     {REMOVE_POINTS("a", 1, 1), COPY_POINTS("a", 1, 0)},
     0},
    {"SurfacePressureForceField", "listed triangles",
     SHEET_PAIR("<SurfacePressureForceField pressure='2' triangleIndices='2 7 0'/>",
                "<SurfacePressureForceField pressure='2' triangleIndices='2 0'/>"),
     SHEET_EDITS, 0},
    {"SurfacePressureForceField", "triangles in a box",
     SHEET_PAIR("<SurfacePressureForceField pressure='2' min='0.5 -1 -1' max='9 9 9'/>",
                "<SurfacePressureForceField pressure='2' triangleIndices='2 3 6'/>"),
     SHEET_EDITS, 0},
    {"MeshMatrixMass", "densities of each triangle",
     SHEET_PAIR("<MeshMatrixMass massDensity='1 2 3 4 5 6 7 8'/>",
                "<MeshMatrixMass massDensity='1 2 8 4 5 6 7 1'/>"),
     SHEET_EDITS, -1},
    {"MeshMatrixMass",
     "entries of the matrix",
     ROOT(BODY("a", "Vec3d", "Triangle", FIVE, "triangles='0 1 2 0 2 3 0 3 4'",
               "<MeshMatrixMass lumping='1' vertexMass='1 2 3 4 5'/>")),
     ROOT(BODY("a", "Vec3d", "Triangle", FOUR_AND_ONE, "triangles='0 3 1 0 2 3'",
               "<MeshMatrixMass lumping='1' vertexMass='1 5 3 4 0'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TRIANGLE, 1, 0), COPY_POINTS("a", 1, 0)},
     -1},
    {"FEMMass",
     "densities of each point",
     TETRA_PAIR("<NodalMassDensity property='1 2 3 4'/><FEMMass template='Vec3d,Tetrahedron'/>",
                "<NodalMassDensity property='4 2 3 4 4'/><FEMMass template='Vec3d,Tetrahedron'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     -1},
    {"DiagonalMass",
     "frames",
     ROOT(FRAMES("a", PLACES_4, CHAIN(FRAME_1 FRAME_2, FRAME_3),
                 "<DiagonalMass vertexMass='1 1 [1 0 0 0 1 0 0 0 1] 2 1 [1 0 0 0 2 0 0 0 1] "
                 "3 1 [1 0 0 0 1 0 0 0 3] 4 1 [4 0 0 0 1 0 0 0 1]'/>")),
     ROOT(FRAMES("a", PLACES_3, CHAIN(FRAME_3, FRAME_2),
                 "<DiagonalMass vertexMass='1 1 [1 0 0 0 1 0 0 0 1] 4 1 [4 0 0 0 1 0 0 0 1] "
                 "3 1 [1 0 0 0 1 0 0 0 3]'/>")),
     {REMOVE_POINTS("a", 1, 1)},
     -1},
    {"TriangularQuadraticSpringsForceField", "a triangle goes, one comes",
     SHEET_PAIR("<TriangularQuadraticSpringsForceField/>",
                "<TriangularQuadraticSpringsForceField/>"),
     SHEET_EDITS, 0},
    {"TriangularBiquadraticSpringsForceField", "a triangle goes, one comes",
     SHEET_PAIR("<TriangularBiquadraticSpringsForceField dampingRatio='0.1'/>",
                "<TriangularBiquadraticSpringsForceField dampingRatio='0.1'/>"),
     SHEET_EDITS, 0.3},
    {"FastTetrahedralCorotationalForceField",
     "elements go and come",
     TETRA_PAIR("<FastTetrahedralCorotationalForceField youngModulus='10' poissonRatio='0.3'/>",
                "<FastTetrahedralCorotationalForceField youngModulus='10' poissonRatio='0.3'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     0},
    {"StandardTetrahedralFEMForceField",
     "elements go and come",
     TETRA_PAIR("<StandardTetrahedralFEMForceField materialName='StVenantKirchhoff' "
                "ParameterSet='100 200'/>",
                "<StandardTetrahedralFEMForceField materialName='StVenantKirchhoff' "
                "ParameterSet='100 200'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     0},
    {"TetrahedronHyperelasticityFEMForceField",
     "elements go and come",
     TETRA_PAIR("<TetrahedronHyperelasticityFEMForceField materialName='NeoHookean' "
                "ParameterSet='100 200'/>",
                "<TetrahedronHyperelasticityFEMForceField materialName='NeoHookean' "
                "ParameterSet='100 200'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     0},
    {"TetrahedralTensorMassForceField",
     "elements go and come",
     TETRA_PAIR("<TetrahedralTensorMassForceField youngModulus='10' poissonRatio='0.3'/>",
                "<TetrahedralTensorMassForceField youngModulus='10' poissonRatio='0.3'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     0},
    {"TriangularTensorMassForceField", "elements go and come",
     SHEET_PAIR("<TriangularTensorMassForceField youngModulus='10' poissonRatio='0.3'/>",
                "<TriangularTensorMassForceField youngModulus='10' poissonRatio='0.3'/>"),
     SHEET_EDITS, 0},
    {"TriangularBendingSprings", "elements go and come",
     SHEET_PAIR("<TriangularBendingSprings stiffness='10'/>",
                "<TriangularBendingSprings stiffness='10'/>"),
     SHEET_EDITS, 0},
    {"FastTriangularBendingSprings", "elements go and come",
     SHEET_PAIR("<FastTriangularBendingSprings bendingStiffness='10'/>",
                "<FastTriangularBendingSprings bendingStiffness='10'/>"),
     SHEET_EDITS, 0},
    {"TaitSurfacePressureForceField", "elements go and come",
     SHEET_PAIR("<TaitSurfacePressureForceField p0='1'/>",
                "<TaitSurfacePressureForceField p0='1'/>"),
     SHEET_EDITS, 0},
    {"QuadularBendingSprings",
     "elements go and come",
     QUAD_PAIR("<QuadularBendingSprings stiffness='10'/>",
               "<QuadularBendingSprings stiffness='10'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_QUAD, 1, 0)},
     0},
    {"TetrahedronDiffusionFEMForceField",
     "elements go, and a point with them",
     DIFFUSION_ON("0 0 0 1 0 0 0 1 0 0 0 1 1 1 1", "0 1 2 3 1 2 3 4"),
     DIFFUSION_ON("1 1 1 1 0 0 0 1 0 0 0 1", "1 2 3 0"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     0},
    {"HexahedronFEMForceField",
     "elements go and come",
     HEXA_PAIR("<HexahedronFEMForceField method='large' youngModulus='10' poissonRatio='0.3'/>",
               "<HexahedronFEMForceField method='large' youngModulus='10' poissonRatio='0.3'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_HEXA, 1, 0)},
     0},
    {"ParallelHexahedronFEMForceField",
     "elements go and come",
     HEXA_PAIR(
         "<ParallelHexahedronFEMForceField method='large' youngModulus='10' poissonRatio='0.3'/>",
         "<ParallelHexahedronFEMForceField method='large' youngModulus='10' poissonRatio='0.3'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_HEXA, 1, 0)},
     0},
    {"HexahedralFEMForceField",
     "elements go and come",
     HEXA_PAIR("<HexahedralFEMForceField youngModulus='10' poissonRatio='0.3'/>",
               "<HexahedralFEMForceField youngModulus='10' poissonRatio='0.3'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_HEXA, 1, 0)},
     0},
    {"HexahedronFEMForceFieldAndMass",
     "elements go and come",
     HEXA_PAIR(
         "<HexahedronFEMForceFieldAndMass youngModulus='10' poissonRatio='0.3' density='2'/>",
         "<HexahedronFEMForceFieldAndMass youngModulus='10' poissonRatio='0.3' density='2'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_HEXA, 1, 0)},
     0},
    {"HexahedralFEMForceFieldAndMass",
     "elements go and come",
     HEXA_PAIR(
         "<HexahedralFEMForceFieldAndMass youngModulus='10' poissonRatio='0.3' density='2'/>",
         "<HexahedralFEMForceFieldAndMass youngModulus='10' poissonRatio='0.3' density='2'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_HEXA, 1, 0)},
     0},
    {"HexahedronFEMForceField",
     "values of each hexahedron",
     HEXA_PAIR("<HexahedronFEMForceField youngModulus='10 20' poissonRatio='0.3 0.2'/>",
               "<HexahedronFEMForceField youngModulus='20' poissonRatio='0.2'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_HEXA, 1, 0)},
     0},
    {"TrianglePressureForceField", "listed triangles",
     SHEET_PAIR("<TrianglePressureForceField pressure='1 2 3' triangleList='2 7 0'/>",
                "<TrianglePressureForceField pressure='1 2 3' triangleList='2 0'/>"),
     SHEET_EDITS, 0},
    {"OscillatingTorsionPressureForceField", "listed triangles",
     SHEET_PAIR("<OscillatingTorsionPressureForceField moment='2' triangleList='2 7 0' axis='1 1 "
                "0.5'/>",
                "<OscillatingTorsionPressureForceField moment='2' triangleList='0 2' axis='1 1 "
                "0.5'/>"),
     SHEET_EDITS, 0},
    {"QuadPressureForceField",
     "listed quads",
     QUAD_PAIR("<QuadPressureForceField pressure='1 2 3' quadList='0 3 1'/>",
               "<QuadPressureForceField pressure='1 2 3' quadList='0 1'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_QUAD, 1, 0)},
     0},
    {"EdgePressureForceField",
     "listed edges",
     ROOT(BODY("a", "Vec3d", "Edge", FIVE, "edges='0 1 1 2 2 3 3 4'",
               "<EdgePressureForceField pressure='1 2 3' edgeIndices='0 3 1'/>")),
     ROOT(BODY("a", "Vec3d", "Edge", "4 0 0.1 1 0.1 0 2 0 0.2 3 0.3 0", "edges='3 0 1 2 2 3'",
               "<EdgePressureForceField pressure='1 2 3' edgeIndices='0 1'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_EDGE, 1, 0)},
     0},
    {"EdgePressureForceField",
     "an intensity of each listed edge",
     ROOT(BODY("a", "Vec3d", "Edge", FIVE, "edges='0 1 1 2 2 3 3 4'",
               "<EdgePressureForceField p_intensity='2 3 4' edgeIndices='0 3 1' "
               "binormal='1 0 1'/>")),
     ROOT(BODY("a", "Vec3d", "Edge", "4 0 0.1 1 0.1 0 2 0 0.2 3 0.3 0", "edges='3 0 1 2 2 3'",
               "<EdgePressureForceField p_intensity='4 3' edgeIndices='1 0' "
               "binormal='1 0 1'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_EDGE, 1, 0)},
     0},
    {"EdgePressureForceField",
     "edges between planes",
     ROOT(BODY("a", "Vec3d", "Edge", FIVE, "edges='0 1 1 2 2 3 3 4'",
               "<EdgePressureForceField pressure='1 2 3' normal='1 0 0' dmin='-1' dmax='2.5'/>")),
     ROOT(BODY("a", "Vec3d", "Edge", FIVE " 0 0 0", "edges='0 1 1 2 2 3 3 4 5 1'",
               "<EdgePressureForceField pressure='1 2 3' edgeIndices='0 1'/>")),
     {COPY_POINTS("a", 1, 0), ADD_ELEMENT(SOFA_ELEMENT_EDGE, 5, 1)},
     0},
    {"EdgePressureForceField", "towards the triangle, which is another one",
     SHEET_PAIR("<EdgePressureForceField p_intensity='2 3' edges='1 5 3 4'/>",
                "<EdgePressureForceField p_intensity='2 3' edges='1 5 3 4'/>"),
     SHEET_EDITS, 0},
    {"EdgePressureForceField", "across the edge and a direction",
     SHEET_PAIR("<EdgePressureForceField p_intensity='2 3' edges='1 5 3 4' binormal='1 0 1'/>",
                "<EdgePressureForceField p_intensity='2 3' edges='1 5 3 4' binormal='1 0 1'/>"),
     SHEET_EDITS, 0},
    {"HyperelasticForcefield",
     "elements of SofaCaribou",
     TETRA_PAIR(CARIBOU "<NeoHookeanMaterial young_modulus='900' poisson_ratio='0.4'/>"
                        "<HyperelasticForcefield topology='@mesh'/>",
                CARIBOU "<NeoHookeanMaterial young_modulus='900' poisson_ratio='0.4'/>"
                        "<HyperelasticForcefield topology='@mesh'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     0.02},
    {"CaribouMass",
     "elements of SofaCaribou",
     TETRA_PAIR(CARIBOU "<CaribouMass topology='@mesh' density='3'/>",
                CARIBOU "<CaribouMass topology='@mesh' density='3'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     -1},
    {"TractionForcefield", "faces of SofaCaribou",
     SHEET_PAIR(CARIBOU "<TractionForcefield topology='@mesh' traction='3 -2 1'/>",
                CARIBOU "<TractionForcefield topology='@mesh' traction='3 -2 1'/>"),
     SHEET_EDITS, 0},
    {"TetrahedronDiffusionFEMForceField",
     "values of each tetrahedron",
     ROOT(BODY("a", "Vec3d", "Tetrahedron", TETRA_POINTS, "tetrahedra='0 1 2 3 1 2 3 4 2 3 4 5'",
               "<TetrahedronDiffusionFEMForceField constantDiffusionCoefficient='7' "
               "tetraDiffusionCoefficient='1 2 3' anisotropyRatio='2' "
               "transverseAnisotropyArray='1 0 0 0 1 0 0 0 1'/>")),
     ROOT(BODY("a", "Vec3d", "Tetrahedron", TETRA_POINTS_AFTER,
               "tetrahedra='2 3 4 0 1 2 3 4 0 1 2 3'",
               "<TetrahedronDiffusionFEMForceField tetraDiffusionCoefficient='3 2 7' "
               "anisotropyRatio='2' transverseAnisotropyArray='0 0 1 0 1 0 0 0 1'/>")),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0), ADD_ELEMENT(SOFA_ELEMENT_TETRA, 0, 1, 2, 3)},
     0},
    {"TetrahedronFEMForceField",
     "in hexahedra",
     HEXA_PAIR("<TetrahedronFEMForceField method='large' youngModulus='10' poissonRatio='0.3'/>",
               "<TetrahedronFEMForceField method='large' youngModulus='10' poissonRatio='0.3'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_HEXA, 1, 0)},
     0},
    {"ParallelTetrahedronFEMForceField",
     "values of each tetrahedron",
     TETRA_PAIR("<ParallelTetrahedronFEMForceField youngModulus='10 20 30' poissonRatio='0.3'/>",
                "<ParallelTetrahedronFEMForceField youngModulus='30 20' poissonRatio='0.3'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_TETRA, 1, 0)},
     0},
    {"ParallelHexahedronFEMForceField",
     "values of each hexahedron",
     HEXA_PAIR("<ParallelHexahedronFEMForceField youngModulus='10 20' poissonRatio='0.3'/>",
               "<ParallelHexahedronFEMForceField youngModulus='20' poissonRatio='0.3'/>"),
     {REMOVE_ELEMENTS(SOFA_ELEMENT_HEXA, 1, 0)},
     0},
    {"ParallelMeshSpringForceField", "elements go and come",
     SHEET_PAIR("<ParallelMeshSpringForceField linesStiffness='10'/>",
                "<ParallelMeshSpringForceField linesStiffness='10'/>"),
     SHEET_EDITS, 0},
    {"ParallelSpringForceField",
     "listed springs",
     ROOT(POINTS("a", FIVE, "<ParallelSpringForceField spring='0 1 10 1 0.5 2 4 20 2 1'/>")),
     ROOT(POINTS("a", FOUR, "<ParallelSpringForceField spring='2 1 20 2 1'/>")),
     {REMOVE_POINTS("a", 1, 1)},
     0},
};

#endif
