/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A joint that the mouse puts into a running scene with Lagrangian constraints: a place of a body
 * is held at a target, without a spring. It is a constraint in the graph while it is there, and
 * does nothing more when its points are removed. */
#ifndef VIEWER_MOUSE_JOINT_H
#define VIEWER_MOUSE_JOINT_H

#include "viewer/pick.h"

/* Does the scene's animation loop solve such constraints? */
bool mouse_joint_possible(const SofaNode *root);
/* Holds the anchor where it is, in the node of its state. SOFA_ERR_ARGUMENT, unreported: it is
 * nowhere. Destroyed by sofa_object_destroy, or with its node. */
SofaErr mouse_joint_create(const PickAnchor *anchor, SofaObject **out);
/* Moves the target. */
void mouse_joint_hold(SofaObject *joint, const double target[3]);
/* Where the anchor is, m; false: its points were removed. */
bool mouse_joint_place(const SofaObject *joint, double place[3]);

#endif
