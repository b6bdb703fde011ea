/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pulling at a body: a spring between a picked point and the mouse. It is a force field that lives
 * in the node of the point's state while it is pulled, with its stiffness known to implicit
 * solvers; before and afterwards the simulation is untouched. */
#ifndef VIEWER_PULL_H
#define VIEWER_PULL_H

#include "viewer/scene_view.h"

typedef struct Pull {
  SofaObject *spring; /* NULL: nothing is pulled. Owned by its node */
  SofaState *state;
  size_t point;
  double target[3]; /* where the mouse holds it, m; may be set directly */
  double depth;     /* of the plane the mouse moves in, along the view direction, m */
} Pull;

/* Begins: stiffness 0 takes that of the scene's AttachBodyButtonSetting (1000 N/m without). An
 * all-zero *pull pulls nothing; one that pulls already is ended first. */
SofaErr pull_begin(Pull *pull, SofaSimulation *simulation, const ScenePick *pick, double stiffness);
/* The mouse went to (x, y) of a picture width x height. */
void pull_move(Pull *pull, const SofaCamera *camera, int width, int height, double x, double y);
/* Ends. Also before the simulation or the state is destroyed. NULL-safe. */
void pull_end(Pull *pull);
/* A line from the point to the target, for scene_view_extra. */
void pull_draw(const Pull *pull, SofaDrawList *list);

#endif
