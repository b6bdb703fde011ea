/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/response/contact_physics.h"

#include <math.h>

#include "components/collision/response/contact_constraint.h"
#include "math/quaternion.h"
#include "math/vec.h"

/* ---- checks ---- */

/* The first end whose state has frames; -1: none. */
static int end_on_frames(const ContactConstraint *c) {
  for (int end = 0; end < 2; end++)
    if (contact_place_on_frame(contact_constraint_state(c, end))) return end;
  return -1;
}

static SofaErr no_frames(const ContactConstraint *c, const char *field, const char *why) {
  return sofa_field_fail(&c->lagrangian.object, field, SOFA_ERR_ARGUMENT,
                         "%sneeds spheres on frames (Rigid3d); neither '%s' nor '%s' has a state "
                         "of frames",
                         why, c->model[0]->object.name, c->model[1]->object.name);
}

static SofaErr check_axes(const ContactConstraint *c) {
  const SofaObject *object = &c->lagrangian.object;
  const ContactPhysics *p = &c->physics;
  if (p->second < 0) return SOFA_OK;
  if (!(c->friction > 0))
    return sofa_field_fail(object, "muSecond", SOFA_ERR_ARGUMENT,
                           "needs a coefficient mu above 0 in the first direction");
  if (sofa_vec3_norm2(p->direction.v) == 0)
    return sofa_field_fail(object, "muSecond", SOFA_ERR_ARGUMENT,
                           "needs a frictionDirection, in which the coefficient is mu");
  if (p->axes.index == CONTACT_AXES_BODY && end_on_frames(c) < 0)
    return no_frames(c, "frictionAxes", "is body, which ");
  return SOFA_OK;
}

SofaErr contact_physics_check(ContactConstraint *c) {
  if (!c->model[0]) return SOFA_OK;
  SOFA_TRY(check_axes(c));
  if (!contact_physics_turns(&c->physics) || end_on_frames(c) >= 0) return SOFA_OK;
  return no_frames(c, c->physics.rolling > 0 ? "muRolling" : "muSpinning", "");
}

/* ---- directions ---- */

bool contact_physics_directions(const ContactConstraint *c, ContactRows *rows) {
  const ContactPhysics *p = &c->physics;
  const double *n = rows->direction[0];
  double along[3];
  if (p->second < 0) return false;
  sofa_vec3_copy(p->direction.v, along);
  if (p->axes.index == CONTACT_AXES_BODY) {
    const int end = end_on_frames(c);
    const double *x = contact_constraint_state(c, end)->position.data;
    sofa_quat_rotate(SOFA_POSE(x, rows->place[end].index[0]) + 3, p->direction.v, along);
  }
  const double size = sofa_vec3_norm(along);
  sofa_vec3_axpy(-sofa_vec3_dot(along, n), n, along);
  if (!(sofa_vec3_norm(along) > 1e-9 * size)) return false; // along n: any directions
  sofa_vec3_scale(1 / sofa_vec3_norm(along), along, rows->direction[1]);
  sofa_vec3_cross(n, rows->direction[1], rows->direction[2]);
  sofa_vec3_scale(p->second / c->friction, rows->direction[2], rows->direction[2]);
  return true;
}

/* ---- impacts ---- */

/* 0: the contact stays open, rests, or has no restitution; else the speed v at which it closes.
 * *v_free: that at the end of the free motion. */
static double closing_speed(const ContactConstraint *c, const SofaConstraintProblem *problem,
                            const ContactRows *rows, double *v_free) {
  const double *gravity = c->lagrangian.object.node->gravity.v, dt = problem->dt;
  const bool positions = problem->order == SOFA_CONSTRAIN_POSITIONS;
  double free[3];
  if (!(c->physics.restitution > 0) || problem->pass != SOFA_PASS_MOTION) return 0;
  const double v = contact_constraint_closing(c, rows);
  if (!(v > 2 * dt * sofa_vec3_norm(gravity))) return 0;
  contact_constraint_velocity(c, rows, free);
  *v_free = -sofa_vec3_dot(free, rows->direction[0]);
  const double gap = contact_constraint_gap(c, rows, positions);
  return (positions ? gap : gap - dt * *v_free) < 0 ? v : 0;
}

/* It bounces at the gap g of the start of the step. That the energy is that of a bounce at the
 * place of the contact, by e, it parts with u: u^2 = e^2 (v^2 + 2 a g) - 2 a g, a: the
 * acceleration. */
static void find_impact(const ContactConstraint *c, const SofaConstraintProblem *problem,
                        ContactRows *rows) {
  const double e = c->physics.restitution;
  double v_free = 0;
  rows->part = rows->expansion = 0;
  const double v = closing_speed(c, problem, rows, &v_free);
  if (!(v > 0)) return;
  const double fall = fmax(0, (v_free - v) / problem->dt);
  const double height = 2 * fall * fmax(0, contact_constraint_gap(c, rows, false));
  rows->part = sqrt(fmax(0, e * e * v * v - (1 - e * e) * height));
  if (c->physics.law.index == CONTACT_POISSON) rows->expansion = rows->part / fmax(v, v_free);
}

double contact_physics_target(const SofaConstraintProblem *problem, const ContactRows *rows,
                              double gap) {
  if (!(rows->part > 0) || problem->pass == SOFA_PASS_POSITIONS) return 0;
  const double back = rows->expansion > 0 ? 0 : rows->part * problem->dt;
  return problem->stabilised ? fmax(0, gap) + back : fmax(0, gap + back);
}

/* ---- turns ---- */

/* The radius of the spheres on frames. */
static double radius_of(const ContactConstraint *c, const ContactRows *rows) {
  double r = 0;
  for (int end = 0; end < 2; end++)
    if (contact_place_on_frame(contact_constraint_state(c, end)))
      r = fmax(r, rows->place[end].radius);
  return r > 0 ? r : 1;
}

/* The unit axis of row k: t, s, n. */
static void axis_of(const ContactRows *rows, unsigned k, double axis[3]) {
  const double *n = rows->direction[0], *t = rows->direction[1];
  if (k == 1) sofa_vec3_cross(n, t, axis);
  else sofa_vec3_copy(k == 0 ? t : n, axis);
}

void contact_physics_block(const ContactConstraint *c, const SofaConstraintProblem *problem,
                           ContactRows *rows, SofaConstraintBlock *block) {
  const ContactPhysics *p = &c->physics;
  const double r = contact_physics_turns(p) ? radius_of(c, rows) : 1;
  find_impact(c, problem, rows);
  block->rolling = p->rolling / r;
  block->spinning = p->spinning / r;
  block->expansion = rows->expansion;
}

SofaErr contact_physics_rows(const ContactConstraint *c, SofaConstraintProblem *problem,
                             const ContactRows *rows, uint32_t first) {
  const double r = radius_of(c, rows);
  for (uint32_t k = 0; k < 3; k++) {
    double axis[3];
    axis_of(rows, k, axis);
    for (int end = 0; end < 2; end++) {
      const SofaState *state = contact_constraint_state(c, end);
      double entry[6] = {0};
      if (!contact_place_on_frame(state)) continue;
      sofa_vec3_scale(end ? r : -r, axis, entry + 3);
      SOFA_TRY(sofa_constraint_entry(problem, state, first + k, rows->place[end].index[0], entry));
    }
  }
  return SOFA_OK;
}

void contact_physics_turn_of(const SofaState *state, uint32_t frame, bool velocity, double out[3]) {
  double twist[6];
  if (velocity) {
    sofa_vec3_copy(SOFA_TWIST(sofa_free_velocity(state), frame) + 3, out);
    return;
  }
  sofa_rigid3_difference(SOFA_POSE(sofa_free_position(state), frame),
                         SOFA_POSE(state->position.data, frame), twist);
  sofa_vec3_copy(twist + 3, out);
}

void contact_physics_turn(const ContactConstraint *c, const SofaConstraintProblem *problem,
                          const ContactRows *rows, double share, double *d) {
  const bool velocity = problem->order == SOFA_CONSTRAIN_VELOCITIES;
  double turn[2][3] = {{0}, {0}}, change[3], axis[3];
  for (int end = 0; end < 2; end++) {
    const SofaState *state = contact_constraint_state(c, end);
    if (contact_place_on_frame(state))
      contact_physics_turn_of(state, rows->place[end].index[0], velocity, turn[end]);
  }
  sofa_vec3_sub(turn[1], turn[0], change);
  for (unsigned k = 0; k < 3; k++) {
    axis_of(rows, k, axis);
    d[k] = share * radius_of(c, rows) * sofa_vec3_dot(change, axis);
  }
}
