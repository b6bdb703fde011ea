/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A case of the suite of all engines, and meshes for its input. */
#ifndef TESTS_SUPPORT_ENGINE_CASE_H
#define TESTS_SUPPORT_ENGINE_CASE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct EngineCase {
  const char *name;       /* class */
  const char *before;     /* elements before the engine in its node */
  const char *attributes; /* of the engine */
  const char *output, *expected;
  const char *change, *to, *then;   /* a field, its new text, and the output then */
  const char *empty_before, *empty; /* elements and attributes that give an empty output */
  const char *nothing;              /* what an empty output looks like; NULL: "" */
  const char *bad, *message;        /* attributes that are refused, and words of the message */
  bool cannot_fail;                 /* all inputs are good ones */
  bool rounded;                     /* numbers of the output may be off by 1e-15 */
} EngineCase;

/* four points and what lies between them */
#define CORNERS "0 0 0 1 0 0 0 1 0 0 0 1"
#define FACES "0 2 1 0 1 3 0 3 2 1 2 3"
#define STATE "<MechanicalObject name='state' position='" CORNERS "'/>"
#define MESH                                                                                       \
  "<MeshTopology name='mesh' position='" CORNERS "' edges='0 1 0 2 1 2' triangles='" FACES         \
  "' tetrahedra='0 1 2 3'/>"
/* a unit square of two triangles, and the unit cube, as quads, triangles and hexahedron */
#define SQUARE "0 0 0 1 0 0 1 1 0 0 1 0"
#define CUBE "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1"
#define CUBE_QUADS "0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7"
#define CUBE_TRIANGLES "0 3 2 0 2 1 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7"
#define FRAME "0 0 0 0 0 0 1"
#define CROSS "1 0 0 -1 0 0 0 1 0 0 -1 0 0 0 1 0 0 -1"
#define PLATES "0 0 0 0 1 0 1 0 0 -1 -1 0.25 3 -1 0.25 -1 3 0.25 -2 -2 0.5 6 -2 0.5 -2 6 0.5"

#endif
