/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The spring between a place of a body and the mouse. */
#include "viewer/pull.h"

#include <math.h>

#include "behavior/force_field.h"
#include "components/setting/setting.h"
#include "math/quaternion.h"

typedef struct PullSpring {
  SofaForceField force_field;
  double stiffness; /* N/m */
  PickAnchor anchor;
  double target[3]; /* m */
} PullSpring;

/* ---- f = k (target - x), on the part of the state that is a place ---- */

static const SofaStateKindInfo *kind_of(const SofaForceField *ff) {
  return sofa_state_kind_info(ff->state[0]->object.kind);
}

static bool is_there(const SofaForceField *ff) {
  const PickAnchor *a = &((const PullSpring *)ff)->anchor;
  for (unsigned i = 0; i < a->n; i++)
    if (a->points[i] >= ff->state[0]->position.n) return false;
  return true;
}

/* From the frame to the place, in world axes; 0 where there is no frame. */
static void arm_of(const SofaForceField *ff, const double *x, double arm[3]) {
  const PickAnchor *a = &((const PullSpring *)ff)->anchor;
  double rotation[9];
  sofa_vec3_set(arm, 0, 0, 0);
  if (!kind_of(ff)->rigid) return;
  sofa_quat_to_matrix(x + a->points[0] * kind_of(ff)->coord + 3, rotation);
  sofa_mat3_apply(rotation, a->arm, arm);
}

/* Where the place is with positions x, and the arm. */
static void place_of(const SofaForceField *ff, const double *x, double place[3], double arm[3]) {
  const PickAnchor *a = &((const PullSpring *)ff)->anchor;
  arm_of(ff, x, arm);
  sofa_vec3_copy(arm, place);
  for (unsigned i = 0; i < a->n; i++)
    sofa_vec3_axpy(a->weights[i], x + a->points[i] * kind_of(ff)->coord, place);
}

/* f += J^T force */
static void spread(const SofaForceField *ff, const double force[3], const double arm[3],
                   double *f) {
  const PickAnchor *a = &((const PullSpring *)ff)->anchor;
  const unsigned deriv = kind_of(ff)->deriv;
  double torque[3];
  for (unsigned i = 0; i < a->n; i++)
    sofa_vec3_axpy(a->weights[i], force, f + a->points[i] * deriv);
  if (!kind_of(ff)->rigid) return;
  sofa_vec3_cross(arm, force, torque);
  sofa_vec3_axpy(1, torque, f + a->points[0] * deriv + 3);
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *params,
                         const SofaForceArgs *args) {
  const PullSpring *s = (const PullSpring *)ff;
  double place[3], arm[3], force[3];
  (void)params;
  if (!is_there(ff)) return SOFA_OK;
  place_of(ff, args->x[0], place, arm);
  for (int k = 0; k < 3; k++) force[k] = s->stiffness * (s->target[k] - place[k]);
  spread(ff, force, arm, args->f[0]);
  return SOFA_OK;
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *params,
                          const SofaDForceArgs *args) {
  const PullSpring *s = (const PullSpring *)ff;
  const PickAnchor *a = &s->anchor;
  const unsigned deriv = kind_of(ff)->deriv;
  double arm[3], d[3] = {0, 0, 0}, turn[3];
  if (!is_there(ff)) return SOFA_OK;
  arm_of(ff, ff->state[0]->position.data, arm);
  for (unsigned i = 0; i < a->n; i++)
    sofa_vec3_axpy(a->weights[i], args->dx[0] + a->points[i] * deriv, d);
  if (kind_of(ff)->rigid) {
    sofa_vec3_cross(args->dx[0] + a->points[0] * deriv + 3, arm, turn);
    sofa_vec3_add(d, turn, d);
  }
  sofa_vec3_scale(-sofa_kfactor(ff, params) * s->stiffness, d, d);
  spread(ff, d, arm, args->df[0]);
  return SOFA_OK;
}

/* -k J^T J with J = (w I), of a frame (I, -[arm]) */
static SofaErr add_k(SofaForceField *ff, const SofaMechParams *params, const SofaTangent *tangent) {
  const PullSpring *s = (const PullSpring *)ff;
  const PickAnchor *a = &s->anchor;
  const unsigned deriv = kind_of(ff)->deriv;
  double arm[3], j[3][6] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, block[36];
  (void)params;
  if (!is_there(ff)) return SOFA_OK;
  arm_of(ff, ff->state[0]->position.data, arm);
  for (unsigned k = 0; kind_of(ff)->rigid && k < 3; k++) {
    j[k][3 + (k + 1) % 3] = arm[(k + 2) % 3];
    j[k][3 + (k + 2) % 3] = -arm[(k + 1) % 3];
  }
  for (unsigned row = 0; row < a->n; row++)
    for (unsigned column = 0; column < a->n; column++) {
      const double factor = -s->stiffness * a->weights[row] * a->weights[column];
      for (unsigned r = 0; r < deriv; r++)
        for (unsigned c = 0; c < deriv; c++)
          block[r * deriv + c] =
              factor * (j[0][r] * j[0][c] + j[1][r] * j[1][c] + j[2][r] * j[2][c]);
      sofa_tangent_add(tangent, 0, a->points[row], 0, a->points[column], block);
    }
  return SOFA_OK;
}

static SofaErr potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                const SofaForceArgs *args, double *energy) {
  const PullSpring *s = (const PullSpring *)ff;
  double place[3], arm[3];
  (void)params;
  *energy = 0;
  if (!is_there(ff)) return SOFA_OK;
  place_of(ff, args->x[0], place, arm);
  const double d = sofa_vec3_distance(s->target, place);
  *energy = 0.5 * s->stiffness * d * d;
  return SOFA_OK;
}

static const SofaForceFieldOps ops = {.add_force = add_force,
                                      .add_dforce = add_dforce,
                                      .add_k = add_k,
                                      .potential_energy = potential_energy,
                                      .tangent_is_dforce = true};

static const SofaClass spring_class = {
    .name = "MousePull",
    .module = "csofa",
    .category = "ForceField",
    .help = "The spring between a point and the mouse.",
    .base = &sofa_force_field_class,
    .size = sizeof(PullSpring),
    .ops = {[SOFA_FORCE_FIELD] = &ops},
};

/* ---- from outside ---- */

static double stiffness_of(const SofaSimulation *simulation) {
  const SofaObject *setting =
      sofa_node_find_class(simulation->root, &sofa_AttachBodyButtonSetting_class, SOFA_SEARCH_DOWN);
  return setting ? ((const MouseButtonSetting *)setting)->stiffness : 1000;
}

SofaErr pull_begin(Pull *pull, SofaSimulation *simulation, const PickAnchor *anchor, double depth,
                   double stiffness) {
  SofaObject *spring = NULL;
  double place[3];
  pull_end(pull);
  if (!pick_anchor_place(anchor, place)) return SOFA_OK;
  if (!(stiffness > 0)) stiffness = stiffness_of(simulation);
  SOFA_TRY(sofa_object_create(anchor->state->object.node, &spring_class, "mouse", NULL, &spring));
  PullSpring *s = (PullSpring *)spring;
  s->force_field.state[0] = anchor->state;
  s->stiffness = stiffness > 0 && isfinite(stiffness) ? stiffness : 1000;
  s->anchor = *anchor;
  sofa_vec3_copy(place, s->target);
  spring->initialised = true;
  *pull = (Pull){.spring = spring, .anchor = *anchor, .depth = depth};
  sofa_vec3_copy(place, pull->target);
  return SOFA_OK;
}

void pull_move(Pull *pull, const SofaCamera *camera, int width, int height, double x, double y) {
  double origin[3], direction[3], forward[3];
  if (!pull->spring) return;
  sofa_camera_ray(camera, width, height, x, y, origin, direction);
  sofa_vec3_sub(camera->look_at, camera->position, forward);
  sofa_vec3_normalize(forward);
  const double along = sofa_vec3_dot(direction, forward);
  if (!(along > 1e-6)) return;
  sofa_vec3_axpy(pull->depth / along, direction, origin);
  sofa_vec3_copy(origin, pull->target);
  sofa_vec3_copy(origin, ((PullSpring *)pull->spring)->target);
}

void pull_end(Pull *pull) {
  if (pull && pull->spring) sofa_object_destroy(&pull->spring);
  if (pull) *pull = (Pull){.spring = NULL};
}

void pull_draw(const Pull *pull, SofaDrawList *list) {
  double place[3];
  if (!pull->spring || !pick_anchor_place(&pull->anchor, place)) return;
  const SofaDrawLayer kept = list->layer;
  list->layer = SOFA_LAYER_FRONT;
  sofa_draw_line(list, place, pull->target, 3, SOFA_RGB(1, 0.75, 0.1));
  sofa_draw_point(list, place, 10, SOFA_RGB(1, 0.75, 0.1));
  sofa_draw_point(list, pull->target, 7, SOFA_RGB(1, 1, 1));
  list->layer = kept;
}
