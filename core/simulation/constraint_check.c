/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows whose forces move nothing. */
#include "simulation/constraint_rows.h"

#include "behavior/collision_model.h"

static const char *owner_of(const SofaConstraintProblem *p, uint32_t row) {
  for (size_t k = 0; k < p->blocks.n; k++) {
    const SofaConstraintBlock *b = &p->blocks.data[k];
    if (row >= b->first && row < b->first + b->n) return b->owner ? b->owner->object.name : "?";
  }
  return "?";
}

static bool has_rows(const SofaConstrainedState *s) {
  return s->j.n_rows > 0 && !s->state->mapped;
}

/* A body whose collision models say `simulated="0"` stays, also in the node of a solver. */
static bool is_held(const SofaState *state) {
  const SofaObjects *objects = &state->object.node->objects;
  bool held = false;
  for (size_t i = 0; i < objects->n; i++) {
    if (!sofa_implements(objects->data[i], SOFA_COLLISION_MODEL)) continue;
    if (((const SofaCollisionModel *)objects->data[i])->simulated) return false;
    held = true;
  }
  return held;
}

/* A state that an ODE solver moves, and no correction. */
static void check_corrected(SofaConstraintSolver *solver) {
  SofaConstraintProblem *p = &solver->problem;
  for (size_t i = 0; i < p->states.n && !p->told_uncorrected; i++) {
    const SofaConstrainedState *s = &p->states.data[i];
    if (!has_rows(s) || s->mover || !s->state->mechanics || is_held(s->state)) continue;
    p->told_uncorrected = true;
    sofa_object_message(&s->state->object, SOFA_WARNING,
                        "it has no constraint correction: the forces of '%s' do not move it; add "
                        "one to its node, such as <UncoupledConstraintCorrection/> for bodies or "
                        "<LinearSolverConstraintCorrection/> for deformable ones",
                        owner_of(p, s->j.number[0]));
  }
}

/* Points that projective constraints hold belong to a state that moves. */
static bool moves(const SofaConstraintProblem *p, const SofaState *state) {
  const SofaConstrainedState *s = state ? sofa_constrained_state(p, state) : NULL;
  return state && (state->mechanics || state->mapped || (s && s->mover));
}

/* A constraint between states that nothing moves. */
static void check_static(SofaConstraintSolver *solver) {
  SofaConstraintProblem *p = &solver->problem;
  for (size_t k = 0; k < p->blocks.n && !p->told_static; k++) {
    const SofaLagrangian *c = p->blocks.data[k].owner;
    if (!c || !c->state[0] || moves(p, c->state[0]) || moves(p, c->state[1])) continue;
    p->told_static = true;
    sofa_object_message(&c->object, SOFA_WARNING,
                        "it has no effect: no ODE solver moves the bodies between which it acts; "
                        "give one of them an ODE solver and a constraint correction");
  }
}

void sofa_constraint_check_movers(SofaConstraintSolver *solver) {
  if (!solver->problem.n) return;
  check_corrected(solver);
  check_static(solver);
}
