/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A place held at a target: three rows J = w I of its points, or (I, -[arm]) of its frame. */
#include "viewer/mouse_joint.h"

#include "behavior/animation_loop.h"
#include "behavior/lagrangian.h"
#include "change/topology_change.h"
#include "math/quaternion.h"
#include "math/vec.h"
#include "numerics/constraint/laws.h"

typedef struct MouseJoint {
  SofaLagrangian lagrangian;
  PickAnchor anchor;
  double target[3], memory[3]; /* m; multipliers of the last solve */
  bool gone;
} MouseJoint;

static const SofaStateKindInfo *kind_of(const MouseJoint *j) {
  return sofa_state_kind_info(j->anchor.state->object.kind);
}

static bool is_there(const MouseJoint *j) {
  for (unsigned i = 0; i < j->anchor.n; i++)
    if (j->anchor.points[i] >= j->anchor.state->position.n) return false;
  return !j->gone;
}

/* The place with positions x, and the arm from its frame, in world axes. */
static void place_at(const MouseJoint *j, const double *x, double place[3], double arm[3]) {
  const PickAnchor *a = &j->anchor;
  double rotation[9];
  sofa_vec3_set(arm, 0, 0, 0);
  if (kind_of(j)->rigid) {
    sofa_quat_to_matrix(x + a->points[0] * kind_of(j)->coord + 3, rotation);
    sofa_mat3_apply(rotation, a->arm, arm);
  }
  sofa_vec3_copy(arm, place);
  for (unsigned i = 0; i < a->n; i++)
    sofa_vec3_axpy(a->weights[i], x + a->points[i] * kind_of(j)->coord, place);
}

static SofaErr build(SofaLagrangian *c, SofaConstraintProblem *problem) {
  MouseJoint *j = (MouseJoint *)c;
  const PickAnchor *a = &j->anchor;
  const SofaConstraintBlock block = {
      .law = &sofa_law_bilateral, .n = 3, .relaxation = 1, .memory = j->memory};
  double place[3], arm[3];
  uint32_t first;
  if (!is_there(j)) return SOFA_OK;
  place_at(j, a->state->position.data, place, arm);
  SOFA_TRY(sofa_constraint_block(problem, &block, &first));
  for (unsigned k = 0; k < 3; k++)
    for (unsigned i = 0; i < a->n; i++) {
      double value[6] = {0}, axis[3] = {0};
      axis[k] = 1;
      value[k] = a->weights[i];
      if (kind_of(j)->rigid) sofa_vec3_cross(arm, axis, value + 3);
      SOFA_TRY(sofa_constraint_entry(problem, a->state, first + k, a->points[i], value));
    }
  return SOFA_OK;
}

/* Of positions: the place of the free motion minus the target. Of velocities: such that the place
 * is there at the end of the step. */
static SofaErr violation(SofaLagrangian *c, const SofaConstraintProblem *problem, double *d) {
  const MouseJoint *j = (const MouseJoint *)c;
  const PickAnchor *a = &j->anchor;
  const bool positions = problem->order == SOFA_CONSTRAIN_POSITIONS;
  const SofaState *s = a->state;
  double place[3], arm[3], turn[3];
  place_at(j, positions ? s->free_position.data : s->position.data, place, arm);
  sofa_vec3_sub(place, j->target, d);
  if (positions) return SOFA_OK;
  sofa_vec3_scale(1 / problem->dt, d, d);
  for (unsigned i = 0; i < a->n; i++) {
    const double *v = s->free_velocity.data + a->points[i] * kind_of(j)->deriv;
    sofa_vec3_axpy(a->weights[i], v, d);
    if (!kind_of(j)->rigid) continue;
    sofa_vec3_cross(v + 3, arm, turn);
    sofa_vec3_axpy(1, turn, d);
  }
  return SOFA_OK;
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  MouseJoint *j = (MouseJoint *)object;
  PickAnchor *a = &j->anchor;
  if (change->kind != SOFA_CHANGE_REMOVE || !sofa_change_moves(change, a->state)) return SOFA_OK;
  for (unsigned i = 0; i < a->n; i++) {
    const bool was = a->points[i] < change->n_before;
    a->points[i] = was ? sofa_change_renamed(change, a->points[i]) : SOFA_NO_ELEMENT;
    j->gone = j->gone || a->points[i] == SOFA_NO_ELEMENT;
  }
  return SOFA_OK;
}

static const SofaLagrangianOps ops = {
    .build = build, .violation = violation, .solved = sofa_lagrangian_solved};
static const SofaTopologyListenerOps listener = {.listen = listen};

static const SofaClass joint_class = {
    .name = "MouseJoint",
    .module = "csofa",
    .category = "ConstraintSet",
    .help = "A joint of the mouse.",
    .base = &sofa_lagrangian_class,
    .size = sizeof(MouseJoint),
    SOFA_IMPLEMENTS({SOFA_LAGRANGIAN, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};

/* ---- from outside ---- */

bool mouse_joint_possible(const SofaNode *root) {
  const SofaObject *loop = sofa_node_slot(root, SOFA_ANIMATION_LOOP);
  const SofaAnimationLoopOps *loop_ops = loop ? sofa_ops(loop, SOFA_ANIMATION_LOOP) : NULL;
  return loop_ops && loop_ops->constrains;
}

SofaErr mouse_joint_create(const PickAnchor *anchor, SofaObject **out) {
  double place[3];
  *out = NULL;
  if (!pick_anchor_place(anchor, place)) return SOFA_ERR_ARGUMENT;
  SOFA_TRY(sofa_object_create(anchor->state->object.node, &joint_class, "mouse", NULL, out));
  MouseJoint *j = (MouseJoint *)*out;
  j->anchor = *anchor;
  sofa_vec3_copy(place, j->target);
  (*out)->initialised = true;
  return SOFA_OK;
}

void mouse_joint_hold(SofaObject *joint, const double target[3]) {
  sofa_vec3_copy(target, ((MouseJoint *)joint)->target);
}

bool mouse_joint_place(const SofaObject *joint, double place[3]) {
  const MouseJoint *j = (const MouseJoint *)joint;
  return is_there(j) && pick_anchor_place(&j->anchor, place);
}
