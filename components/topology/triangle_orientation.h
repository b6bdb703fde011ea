/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turning triangles so that they agree. */
#ifndef SOFA_TOPOLOGY_TRIANGLE_ORIENTATION_H
#define SOFA_TOPOLOGY_TRIANGLE_ORIENTATION_H

#include "behavior/state.h"
#include "topology/topology.h"

/* Triangles that share an edge run through it in opposite directions: in each connected part as its
 * first triangle does, or with `flip` the other way round. Parts in which that cannot be
 * (Moebius strips, edges with three triangles) are reported as a warning of `object`. */
SofaErr sofa_orient_triangles(const SofaObject *object, SofaTopology *topology, bool flip);
/* SOFA's rule: triangles that are connected with the first one, by points, whose normals at the
 * positions of the state make an angle of more than acos(0.15) with its (flipped) normal turn. */
SofaErr sofa_orient_triangles_by_normals(const SofaObject *object, SofaTopology *topology,
                                         const SofaState *state, bool flip);

#endif
