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
    {"PolynomialSpringsForceField",
     "more points than before",
     ROOT(POINTS("a", FIVE, "") POINTS(
         "b", OTHERS, "") "<PolynomialSpringsForceField" OF_A_AND_B "polynomialDegree='1' "
                          "polynomialStiffness='10' compressible='1'/>"),
     ROOT(POINTS("a", FIVE " " FIRST_THREE " 3 0.3 0", "")
              POINTS("b", OTHERS " 0 1 0 1 1.1 0 2 1 0.2 3 1.3 0",
                     "") "<PolynomialSpringsForceField" OF_A_AND_B "polynomialDegree='1' "
                         "polynomialStiffness='10' compressible='1'/>"),
     {COPY_POINTS("a", 4, 0, 1, 2, 3), COPY_POINTS("b", 4, 0, 1, 2, 3)},
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
    {"PlaneForceField",
     "a range of points that stand apart, around one that the plane does not reach",
     ROOT(POINTS("a", FIVE,
                 "<PlaneForceField normal='0 0 1' d='0.15' stiffness='10' damping='1' "
                 "localRange='3 4'/>")),
     ROOT(POINTS("a", FOUR,
                 "<PlaneForceField normal='0 0 1' d='0.15' stiffness='10' damping='1' "
                 "localRange='1 3'/>")),
     {REMOVE_POINTS("a", 1, 1)},
     1e-3},
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
#include "tests/support/listener_rows_elements.h"
};

#endif
