/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that say which elements are inserted and removed when:
 *   T= 0.2
 *     ADD= Triangles 2
 *   0 1 4 1 2 4
 *     REMOVE= 3
 *   7 8 9
 *     INCISE= 2
 *   0.5 0.2 0 0.5 0.9 0
 * The path of an incision: three coordinates per point, or a triangle and three coordinates. */
#ifndef SOFA_TOPOLOGY_CHANGE_SCRIPT_H
#define SOFA_TOPOLOGY_CHANGE_SCRIPT_H

#include "topology/topology.h"

typedef enum ScriptVerb { SCRIPT_REMOVE, SCRIPT_ADD, SCRIPT_INCISE } ScriptVerb;

typedef struct ScriptAction {
  double time; /* s */
  ScriptVerb verb;
  SofaElementKind kind; /* of ADD; POINT: points in triangles */
  size_t n;
  SofaIndices ids;   /* of REMOVE: elements; of ADD: vertices, or triangles of the points; of
                        INCISE: triangles of the points, or none */
  SofaReals weights; /* of points in triangles: of the first two vertices, 2 per point */
  SofaReals path;    /* of INCISE: 3 coordinates per point, m */
  SofaReals rest;    /* the same points in the rest shape, where they were found in advance */
  int line;          /* of the action in the file */
} ScriptAction;
SOFA_LIST(ScriptAction, ScriptActions);

void script_free(SofaContext *ctx, ScriptActions *actions);
/* Reads a file's text. Problems are reported with file and line; with keep_going what SOFA makes of
 * them is taken: a missing number is 0. *end: the last time of the file. */
SofaErr script_read(const SofaObject *object, const char *path, const char *text,
                    ScriptActions *actions, double *end);

#endif
