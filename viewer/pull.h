/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pulling at a body: a spring (mouse_spring.h) between a picked place and the mouse, that is in the
 * scene while it is pulled; before and afterwards the simulation is untouched. A scene with a
 * ConstraintAttachButtonSetting and a loop that solves constraints gets a joint (mouse_joint.h)
 * instead. */
#ifndef VIEWER_PULL_H
#define VIEWER_PULL_H

#include "viewer/pick.h"
#include "viewer/scene_view.h"

typedef struct Pull {
  SofaObject *grip; /* the spring or joint; NULL: nothing is pulled. Owned by its node */
  bool joint;
  double target[3]; /* where the mouse holds it, m */
  double depth;     /* of the plane the mouse moves in, along the view direction, m */
} Pull;

/* Begins at an anchor (none: nothing begins), in a plane at `depth` before the eye. stiffness 0
 * takes that of the scene's AttachBodyButtonSetting (1000 N/m without). An all-zero *pull pulls
 * nothing; one that pulls already is ended first. */
SofaErr pull_begin(Pull *pull, SofaSimulation *simulation, const PickAnchor *anchor, double depth,
                   double stiffness);
/* The mouse went to (x, y) of the picture. */
void pull_move(Pull *pull, const SofaCamera *camera, SofaViewport viewport, double x, double y);
/* Ends. Also before the simulation or the state is destroyed. NULL-safe. */
void pull_end(Pull *pull);
/* A line from the place to the target, for scene_view_extra. */
void pull_draw(const Pull *pull, SofaDrawList *list);

#endif
