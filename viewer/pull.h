/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pulling at a body: a spring between a picked point and the mouse, acting as an external force.
 * While nothing is pulled the simulation is untouched. */
#ifndef VIEWER_PULL_H
#define VIEWER_PULL_H

#include "viewer/scene_view.h"

typedef struct Pull {
  SofaState *state; /* NULL: nothing is pulled */
  size_t point;
  double target[3]; /* where the mouse holds it, m */
  double depth;     /* of the plane the mouse moves in, along the view direction, m */
  double stiffness; /* N/m */
  double limit;     /* largest force, N; 0: none */
  bool fixed;       /* hold the point where it was picked, whatever the mouse does */
} Pull;

/* Begins: stiffness 0 takes that of the scene's AttachBodyButtonSetting (default 1000). */
SofaErr pull_begin(Pull *pull, SofaSimulation *simulation, const ScenePick *pick, double stiffness);
/* The mouse went to (x, y) of a picture width x height. */
void pull_move(Pull *pull, const SofaCamera *camera, int width, int height, double x, double y);
/* Before each step: writes the force (target - point) * stiffness as external force of the state,
 * which solvers add to every evaluation of the step. Forces the scene itself gives are kept. The
 * force is explicit: above a stiffness of about (mass of the point) / dt^2 it is reduced. */
SofaErr pull_apply(Pull *pull, SofaSimulation *simulation);
/* Ends and leaves no force. Also before the simulation is reset or destroyed. NULL-safe. */
void pull_end(Pull *pull);
/* A line from the point to the target, for scene_view_extra. */
void pull_draw(const Pull *pull, SofaDrawList *list);

#endif
