/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The spring or joint that follows the mouse. */
#include "viewer/pull.h"

#include <math.h>

#include "components/setting/setting.h"
#include "math/vec.h"
#include "viewer/mouse_joint.h"
#include "viewer/mouse_spring.h"

static double stiffness_of(const SofaSimulation *simulation) {
  const SofaObject *setting =
      sofa_node_find_class(simulation->root, &sofa_AttachBodyButtonSetting_class, SOFA_SEARCH_DOWN);
  return setting ? ((const MouseButtonSetting *)setting)->stiffness : 1000;
}

static bool wants_joint(const SofaSimulation *simulation) {
  return mouse_joint_possible(simulation->root) &&
         sofa_node_find_class(simulation->root, &sofa_ConstraintAttachButtonSetting_class,
                              SOFA_SEARCH_DOWN);
}

SofaErr pull_begin(Pull *pull, SofaSimulation *simulation, const PickAnchor *anchor, double depth,
                   double stiffness) {
  SofaObject *grip = NULL;
  double place[3];
  pull_end(pull);
  if (!pick_anchor_place(anchor, place)) return SOFA_OK;
  if (!(stiffness > 0)) stiffness = stiffness_of(simulation);
  if (!(stiffness > 0 && isfinite(stiffness))) stiffness = 1000;
  const bool joint = wants_joint(simulation);
  if (joint) SOFA_TRY(mouse_joint_create(anchor, &grip));
  else SOFA_TRY(mouse_spring_create("mouse", anchor, NULL, stiffness, &grip));
  *pull = (Pull){.grip = grip, .joint = joint, .depth = depth};
  sofa_vec3_copy(place, pull->target);
  return SOFA_OK;
}

void pull_move(Pull *pull, const SofaCamera *camera, SofaViewport viewport, double x, double y) {
  double origin[3], direction[3], forward[3];
  if (!pull->grip) return;
  sofa_camera_ray(camera, viewport, x, y, origin, direction);
  sofa_vec3_sub(camera->look_at, camera->position, forward);
  sofa_vec3_normalize(forward);
  const double along = sofa_vec3_dot(direction, forward);
  if (!(along > 1e-6)) return;
  sofa_vec3_axpy(pull->depth / along, direction, origin);
  sofa_vec3_copy(origin, pull->target);
  if (pull->joint) mouse_joint_hold(pull->grip, origin);
  else mouse_spring_hold(pull->grip, origin);
}

void pull_end(Pull *pull) {
  if (pull && pull->grip) sofa_object_destroy(&pull->grip);
  if (pull) *pull = (Pull){.grip = NULL};
}

void pull_draw(const Pull *pull, SofaDrawList *list) {
  double place[3], target[3];
  if (!pull->grip) return;
  if (pull->joint ? !mouse_joint_place(pull->grip, place)
                  : !mouse_spring_places(pull->grip, place, target))
    return;
  const SofaDrawLayer kept = list->layer;
  list->layer = SOFA_LAYER_FRONT;
  sofa_draw_line(list, place, pull->target, 3, SOFA_RGB(1, 0.75, 0.1));
  sofa_draw_point(list, place, 10, SOFA_RGB(1, 0.75, 0.1));
  sofa_draw_point(list, pull->target, 7, SOFA_RGB(1, 1, 1));
  list->layer = kept;
}
