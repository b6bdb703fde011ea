/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A spring without rest length that the mouse puts into a running scene: between a place of a body
 * and a fixed place, or a place of the same or another body. It is a force field in the graph while
 * it is there, with its stiffness known to implicit solvers (of a rigid frame: but for the turning
 * of the arm). It follows topological changes, and does nothing more when its points are removed.
 */
#ifndef VIEWER_MOUSE_SPRING_H
#define VIEWER_MOUSE_SPRING_H

#include "viewer/pick.h"

/* The largest stiffness that a spring between bodies of different solvers may have, N/m: it acts
 * explicitly, once per step, and a stiffer one would blow up. INFINITY: one solver has both. */
SofaErr mouse_spring_limit(const PickAnchor *from, const PickAnchor *to, double *limit);
/* From an anchor to another one, or (NULL) to where the first one is now. It lives in the node of
 * the state that a solver moves, or of two such states in the nearest node above both. Destroyed
 * by sofa_object_destroy, or with its node. SOFA_ERR_ARGUMENT, unreported: an anchor is nowhere. */
SofaErr mouse_spring_create(const char *name, const PickAnchor *from, const PickAnchor *to,
                            double stiffness, SofaObject **out);
/* Moves the fixed place. */
void mouse_spring_hold(SofaObject *spring, const double target[3]);
/* The anchors as they are now; false: its points were removed. to: NULL, or state NULL when it is
 * fixed. */
bool mouse_spring_ends(const SofaObject *spring, PickAnchor *from, PickAnchor *to);
/* Where it begins and ends, m; false: its points were removed. */
bool mouse_spring_places(const SofaObject *spring, double from[3], double to[3]);

#endif
