/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Conformance cases of responses to contacts: the suite makes two models touch with all elements.
 * Between all kinds of contact points, and in one state. */
#ifndef TESTS_SUPPORT_FORCE_FIELD_CASES_CONTACT_H
#define TESTS_SUPPORT_FORCE_FIELD_CASES_CONTACT_H

#include "tests/support/conform_forcefield.h"

enum {
  /* between points */
  CASE_CONTACT = CONFORM_FD | CONFORM_K | CONFORM_SYMMETRIC | CONFORM_ENERGY | CONFORM_BALANCED,
  /* with a frame, whose lever arm turns: the derivative by world axes is not symmetric */
  CASE_FRAME_CONTACT = CONFORM_FD | CONFORM_K | CONFORM_ENERGY
};

#define CONTACT_SCENE(response, first, second)                                                     \
  "<Node name='root' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"           \
  "<CollisionResponse response='" response "'/><Node name='a'>" first                              \
  "</Node><Node name='b'>" second "</Node></Node>"

#define UPPER_POINTS "'0.1 0.2 1 0.9 0.1 1.1 0.3 0.8 1.2 1.4 0.9 0.8'"
#define LOWER_POINTS "'0 0 0 1 0 0.1 0.2 1 0 1.1 0.9 -0.2'"
#define MESH(points, elements)                                                                     \
  "<MeshTopology position=" points " " elements "/><MechanicalObject name='state'/>"
#define LOOSE(points) "<MechanicalObject name='state' position=" points "/>"
#define FRAMES_AT_PLACES(points)                                                                   \
  "<MechanicalObject name='state' template='Rigid3d' position='" points "'/>"

#define POINTS_AT(points) LOOSE(points) "<PointCollisionModel contactFriction='3'/>"
#define LINES_AT(points)                                                                           \
  MESH(points, "edges='0 1 1 2 2 3'") "<LineCollisionModel contactStiffness='7'/>"
#define TRIANGLES_AT(points)                                                                       \
  MESH(points, "triangles='0 1 2 1 3 2'") "<TriangleCollisionModel contactFriction='2'/>"
#define TETRA_AT(points) MESH(points, "tetrahedra='0 1 2 3'") "<TetrahedronCollisionModel/>"
#define QUADS_AT(points) MESH(points, "quads='0 1 3 2'") "<TriangleCollisionModel/>"
#define SPHERES_AT(points) LOOSE(points) "<SphereCollisionModel listRadius='0.2 0.3 0.1 0.2'/>"
#define FRAME_SPHERES_AT(points)                                                                   \
  FRAMES_AT_PLACES(points) "<SphereCollisionModel listRadius='0.3 0.2' contactFriction='1'/>"
#define UPPER_FRAMES "0.1 0.2 1 0 0 0 1  0.9 0.7 1.2 0.5 0.5 0.5 0.5"
#define LOWER_FRAMES "0.2 0 0 0 0 0 1  1 0.8 0.1 0.5 -0.5 0.5 0.5"

#define CONTACT_CASE(response, what, first, second, checks)                                        \
  { response, what, CONTACT_SCENE(response, first, second), checks, 0.05 }

#define CONTACT_CASES(response)                                                                    \
  CONTACT_CASE(response, "points", POINTS_AT(LOWER_POINTS), POINTS_AT(UPPER_POINTS),               \
               CASE_CONTACT),                                                                      \
      CONTACT_CASE(response, "lines", LINES_AT(LOWER_POINTS), LINES_AT(UPPER_POINTS),              \
                   CASE_CONTACT),                                                                  \
      CONTACT_CASE(response, "a line and points", LINES_AT(LOWER_POINTS), POINTS_AT(UPPER_POINTS), \
                   CASE_CONTACT),                                                                  \
      CONTACT_CASE(response, "triangles", TRIANGLES_AT(LOWER_POINTS), TRIANGLES_AT(UPPER_POINTS),  \
                   CASE_CONTACT),                                                                  \
      CONTACT_CASE(response, "triangles and lines", TRIANGLES_AT(LOWER_POINTS),                    \
                   LINES_AT(UPPER_POINTS), CASE_CONTACT),                                          \
      CONTACT_CASE(response, "triangles and points", TRIANGLES_AT(LOWER_POINTS),                   \
                   POINTS_AT(UPPER_POINTS), CASE_CONTACT),                                         \
      CONTACT_CASE(response, "a quad and spheres", QUADS_AT(LOWER_POINTS),                         \
                   SPHERES_AT(UPPER_POINTS), CASE_CONTACT),                                        \
      CONTACT_CASE(response, "a tetrahedron and points", TETRA_AT(LOWER_POINTS),                   \
                   POINTS_AT(UPPER_POINTS), CASE_CONTACT),                                         \
      CONTACT_CASE(response, "lines and spheres", LINES_AT(LOWER_POINTS),                          \
                   SPHERES_AT(UPPER_POINTS), CASE_CONTACT),                                        \
      CONTACT_CASE(response, "spheres", SPHERES_AT(LOWER_POINTS), SPHERES_AT(UPPER_POINTS),        \
                   CASE_CONTACT),                                                                  \
      CONTACT_CASE(response, "frames", FRAME_SPHERES_AT(LOWER_FRAMES),                             \
                   FRAME_SPHERES_AT(UPPER_FRAMES), CASE_FRAME_CONTACT),                            \
      CONTACT_CASE(response, "triangles and frames", TRIANGLES_AT(LOWER_POINTS),                   \
                   FRAME_SPHERES_AT(UPPER_FRAMES), CASE_FRAME_CONTACT),                            \
      CONTACT_CASE(response, "frames and points", FRAME_SPHERES_AT(LOWER_FRAMES),                  \
                   POINTS_AT(UPPER_POINTS), CASE_FRAME_CONTACT),                                   \
      CONTACT_CASE(response, "spheres of one state", "", SPHERES_AT(UPPER_POINTS), CASE_CONTACT),  \
      CONTACT_CASE(response, "triangles of one state", "", TRIANGLES_AT(UPPER_POINTS),             \
                   CASE_CONTACT),                                                                  \
      CONTACT_CASE(response, "frames of one state", "", FRAME_SPHERES_AT(UPPER_FRAMES),            \
                   CASE_FRAME_CONTACT)

static const ForceFieldCase contact_cases[] = {CONTACT_CASES("PenalityContactForceField"),
                                               CONTACT_CASES("StickContactForceField")};

#endif
