/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The spring between a point and the mouse. */
#include "viewer/pull.h"

#include <math.h>

#include "behavior/force_field.h"
#include "components/setting/setting.h"
#include "math/vec.h"

typedef struct PullSpring {
  SofaForceField force_field;
  double stiffness; /* N/m */
  uint32_t point;
  double target[3]; /* m */
} PullSpring;

/* ---- f = k (target - x), on the part of the state that is a place ---- */

static const SofaStateKindInfo *kind_of(const SofaForceField *ff) {
  return sofa_state_kind_info(ff->state[0]->object.kind);
}

static bool is_there(const SofaForceField *ff) {
  return ((const PullSpring *)ff)->point < ff->state[0]->position.n;
}

static SofaErr add_force(SofaForceField *ff, const SofaMechParams *params,
                         const SofaForceArgs *args) {
  const PullSpring *s = (const PullSpring *)ff;
  const SofaStateKindInfo *kind = kind_of(ff);
  const double *x = args->x[0] + s->point * kind->coord;
  double *f = args->f[0] + s->point * kind->deriv;
  (void)params;
  for (unsigned k = 0; is_there(ff) && k < 3; k++) f[k] += s->stiffness * (s->target[k] - x[k]);
  return SOFA_OK;
}

static SofaErr add_dforce(SofaForceField *ff, const SofaMechParams *params,
                          const SofaDForceArgs *args) {
  const PullSpring *s = (const PullSpring *)ff;
  const size_t at = s->point * kind_of(ff)->deriv;
  const double factor = sofa_kfactor(ff, params) * s->stiffness;
  for (size_t k = 0; is_there(ff) && k < 3; k++)
    args->df[0][at + k] -= factor * args->dx[0][at + k];
  return SOFA_OK;
}

static SofaErr add_k(SofaForceField *ff, const SofaMechParams *params, const SofaTangent *tangent) {
  const PullSpring *s = (const PullSpring *)ff;
  const unsigned deriv = kind_of(ff)->deriv;
  double block[36] = {0};
  (void)params;
  for (unsigned k = 0; k < 3; k++) block[k * deriv + k] = -s->stiffness;
  if (is_there(ff)) sofa_tangent_add(tangent, 0, s->point, 0, s->point, block);
  return SOFA_OK;
}

static SofaErr potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                const SofaForceArgs *args, double *energy) {
  const PullSpring *s = (const PullSpring *)ff;
  const double d =
      is_there(ff) ? sofa_vec3_distance(s->target, args->x[0] + s->point * kind_of(ff)->coord) : 0;
  (void)params;
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

SofaErr pull_begin(Pull *pull, SofaSimulation *simulation, const ScenePick *pick,
                   double stiffness) {
  SofaObject *spring = NULL;
  pull_end(pull);
  if (!pick->state || pick->point >= pick->state->position.n) return SOFA_OK;
  if (!(stiffness > 0)) stiffness = stiffness_of(simulation);
  SOFA_TRY(sofa_object_create(pick->state->object.node, &spring_class, "mouse", NULL, &spring));
  PullSpring *s = (PullSpring *)spring;
  s->force_field.state[0] = pick->state;
  s->stiffness = stiffness > 0 && isfinite(stiffness) ? stiffness : 1000;
  s->point = (uint32_t)pick->point;
  sofa_vec3_copy(pick->position, s->target);
  spring->initialised = true;
  *pull =
      (Pull){.spring = spring, .state = pick->state, .point = pick->point, .depth = pick->depth};
  sofa_vec3_copy(pick->position, pull->target);
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
  if (!pull->spring || pull->point >= pull->state->position.n) return;
  const size_t width = pull->state->position.width;
  const double *p = pull->state->position.data + pull->point * width;
  const SofaDrawLayer kept = list->layer;
  list->layer = SOFA_LAYER_FRONT;
  sofa_draw_line(list, p, pull->target, 3, SOFA_RGB(1, 0.75, 0.1));
  sofa_draw_point(list, p, 10, SOFA_RGB(1, 0.75, 0.1));
  sofa_draw_point(list, pull->target, 7, SOFA_RGB(1, 1, 1));
  list->layer = kept;
}
