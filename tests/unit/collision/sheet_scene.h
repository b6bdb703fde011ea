/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A scene for tests of detection: a sheet of springs falls on a fixed one, with models of all
 * kinds.
 */
#ifndef TESTS_UNIT_COLLISION_SHEET_SCENE_H
#define TESTS_UNIT_COLLISION_SHEET_SCENE_H

#include "tests/support/scene_run.h"

#define SHEET_IMPLICIT                                                                             \
  "<EulerImplicitSolver/><CGLinearSolver iterations='25' tolerance='1e-9' threshold='1e-9'/>"

/* A sheet of 9 x 9 points with models of all kinds; without a solver it is fixed. */
static inline void sheet_scene_add(char *text, size_t size, const char *name, const char *solver) {
  size_t n = strlen(text);
  n +=
      (size_t)snprintf(text + n, size - n, "<Node name='%s'>%s<MeshTopology name='mesh' position='",
                       name, solver ? solver : "");
  for (int i = 0; i < 81; i++)
    n += (size_t)snprintf(text + n, size - n, "%g %g %g ", 0.1 * (i % 9),
                          solver ? 0.08 + 0.002 * (i % 9) * (i % 9) : 0, 0.1 * (double)(i / 9));
  n += (size_t)snprintf(text + n, size - n, "' triangles='");
  for (int i = 0; i < 72; i++)
    if (i % 9 < 8)
      n += (size_t)snprintf(text + n, size - n, "%d %d %d %d %d %d ", i, i + 1, i + 9, i + 1,
                            i + 10, i + 9);
  const char *flags =
      solver ? "selfCollision='1' contactStiffness='2'" : "simulated='0' moving='0'";
  snprintf(text + n, size - n,
           "'/><MechanicalObject name='state'/>%s"
           "<TriangleCollisionModel %s/><LineCollisionModel %s/><PointCollisionModel %s/>"
           "<SphereCollisionModel radius='0.02' %s/></Node>",
           solver ? "<UniformMass totalMass='1'/><MeshSpringForceField stiffness='200' "
                    "damping='0.1'/>"
                  : "",
           flags, flags, flags, flags);
}

static inline void sheet_scene(char *text, size_t size, const char *phase, const char *method,
                               const char *solver) {
  const bool distances = strncmp(method, "Discrete", 8) != 0;
  snprintf(text, size,
           "<Node dt='0.01' gravity='0 -9.81 0'><DefaultAnimationLoop/><CollisionPipeline/>"
           "<BruteForceBroadPhase/>%s<%s %s/>"
           "<CollisionResponse response='PenalityContactForceField'/>",
           phase, method, distances ? "alarmDistance='0.06' contactDistance='0.03'" : "");
  sheet_scene_add(text, size, "low", NULL);
  sheet_scene_add(text, size, "high", solver);
  strncat(text, "</Node>", size - strlen(text) - 1);
}

#endif
