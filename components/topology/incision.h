/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Incisions: a triangulated surface is cut open along a path.
 *
 * A path is a list of places on the surface. From one to the next it goes straight: through the
 * plane that contains both and the mean of the surface's normals there. Triangles that it crosses
 * are split at their edges; what it passes closer than a given part of an edge is met exactly, so
 * that no slivers arise: the path bends, the surface is not moved. Then every point of the path is
 * doubled, except ends inside the surface: there the two sides stay joined. Where the path begins
 * or ends on a border (that of a former cut, too) it opens. A path along a single edge inside gets
 * a point in its middle.
 *
 * Area, orientation and mass at rest stay; new points take position, rest position and velocity
 * from the vertices of the triangle they lie in. Nothing is changed when a path is refused. */
#ifndef SOFA_TOPOLOGY_INCISION_H
#define SOFA_TOPOLOGY_INCISION_H

#include "change/topology_change.h"
#include "components/topology/surface_place.h"

SOFA_BEGIN_DECLS

typedef struct SofaIncision {
  SofaTopology *topology; /* of triangles */
  const SofaState *state; /* of its points, Vec3 */
  const SofaSurfacePlace *places;
  size_t n;
  double snap_path;         /* a crossing nearer to a vertex than this part of the edge is there */
  double snap_end;          /* the same for ends and corners of the path, in its triangle */
  const SofaObject *caller; /* speaks when the path is refused */
} SofaIncision;

typedef struct SofaIncisionResult {
  size_t edges;         /* along which the surface is open now */
  size_t doubled;       /* points */
  uint32_t first, last; /* points at the two ends of the path (one side of each, where it opened) */
} SofaIncisionResult;

/* The rest shape of a state Vec3, else its positions: there a place stays the same one while the
 * body moves and is cut. */
const double *sofa_incision_rest(const SofaState *state);
/* Can the topology be cut? If not, it is reported for the caller. */
SofaErr sofa_incision_check(SofaTopologyEdit *edit, const SofaIncision *incision);
/* Cuts. */
SofaErr sofa_incise(SofaTopologyEdit *edit, const SofaIncision *incision,
                    SofaIncisionResult *result);

SOFA_END_DECLS

#endif
