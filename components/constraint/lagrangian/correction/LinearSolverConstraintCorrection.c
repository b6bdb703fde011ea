/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LinearSolverConstraintCorrection: one state moves by the linear system of the step. */
#include "behavior/constrained_state.h"
#include "components/constraint/lagrangian/correction/system_correction.h"

typedef struct LinearSolverConstraintCorrection {
  SystemCorrection base;
  SofaLink mstate;
  SofaState *state; /* found at init */
  bool wire_optimization;
} LinearSolverConstraintCorrection;

static const SofaField fields[] = {
    SOFA_FIELD(LinearSolverConstraintCorrection, mstate, "mstate", NULL, "",
               "corrected mechanical state; default: the node's, else the nearest ancestor's",
               .link = &sofa_constrained_state_rule),
    SOFA_FIELD(LinearSolverConstraintCorrection, wire_optimization, "wire_optimization", "0", "",
               "solvers that do not form W visit the constraints of this state last, along its "
               "points"),
};

static SofaErr init(SofaObject *object) {
  LinearSolverConstraintCorrection *l = (LinearSolverConstraintCorrection *)object;
  l->state = l->mstate.target ? (SofaState *)l->mstate.target : sofa_node_state(object->node);
  return sofa_constrained_state_check(object, &l->state);
}

/* The matrix must be that of the state: what other states do in between would be missing in W. */
static SofaErr begin(SofaConstraintCorrection *c, const SofaConstraintProblem *problem) {
  const LinearSolverConstraintCorrection *l = (LinearSolverConstraintCorrection *)c;
  SOFA_TRY(correction_check_state(&c->object, l->state));
  SOFA_TRY(system_begin(c, problem));
  const SofaMechanics *m = l->base.m;
  for (size_t i = 0; i < m->n_main; i++) {
    if (m->states[i] == l->state || !m->states[i]->position.n) continue;
    return sofa_object_fail(&c->object, SOFA_ERR_ARGUMENT,
                            "the linear solver '%s' must have the state '%s' alone, but the ODE "
                            "solver '%s' also moves '%s': use GenericConstraintCorrection in the "
                            "node of the ODE solver, or give each state an ODE solver of its own",
                            l->base.linear_solver->object.name, l->state->object.name,
                            l->base.ode->object.name, m->states[i]->object.name);
  }
  return SOFA_OK;
}

static SofaErr find_motion(SofaConstraintCorrection *c, SofaConstraintProblem *problem) {
  SystemCorrection *s = (SystemCorrection *)c;
  return system_find_motion(s, problem, s->factors.position, s->factors.velocity);
}

/* ---- the order of visits ---- */

/* A block of the state, and the first scalar deriv it acts on. */
typedef struct Visit {
  uint32_t block, column;
} Visit;

static uint32_t first_column(const SystemCorrection *s, const SofaConstraintBlock *block) {
  uint32_t first = UINT32_MAX;
  for (uint32_t i = 0; i < block->n; i++) {
    const uint32_t place = s->unbuilt.place.data[block->first + i];
    if (!place) continue;
    for (uint32_t k = s->j.start[place - 1]; k < s->j.start[place]; k++)
      if (s->j.column[k] < first) first = s->j.column[k];
  }
  return first;
}

/* Stable; visits are nearly in order from step to step. */
static void sort(Visit *visits, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const Visit one = visits[i];
    size_t at = i;
    for (; at > 0 && visits[at - 1].column > one.column; at--) visits[at] = visits[at - 1];
    visits[at] = one;
  }
}

/* Blocks of other states first, as they are; then those of this one, along its points. */
static SofaErr reorder(const SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                       uint32_t *order) {
  const LinearSolverConstraintCorrection *l = (const LinearSolverConstraintCorrection *)c;
  const size_t n = problem->blocks.n;
  size_t n_own = 0, n_others = 0;
  if (!l->wire_optimization) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(problem->ctx);
  Visit *own = SOFA_SCRATCH(problem->ctx, Visit, n + 1);
  if (!own) return SOFA_ERR_MEMORY;
  const unsigned width = sofa_state_kind_info(l->state->object.kind)->deriv;
  for (size_t i = 0; i < n; i++) {
    const SofaConstraintBlock *block = &problem->blocks.data[order[i]];
    if (system_knows(c, problem, block))
      own[n_own++] = (Visit){order[i], first_column(&l->base, block) / width};
    else order[n_others++] = order[i];
  }
  sort(own, n_own);
  for (size_t i = 0; i < n_own; i++) order[n_others + i] = own[i].block;
  sofa_scratch_release(problem->ctx, mark);
  return SOFA_OK;
}

static const SofaConstraintCorrectionOps ops = {
    .begin = begin,
    .add_compliance = system_add_compliance,
    .find_motion = find_motion,
    .factor = system_factor,
    .start = system_start,
    .knows = system_knows,
    .add_displacement = system_add_displacement,
    .add_force = system_add_force,
    .reorder = reorder,
};

static const char *const templates[] = {"Vec3d", "Vec2d", "Vec1d", "Rigid3d", NULL};

SOFA_CLASS(LinearSolverConstraintCorrection) = {
    SOFA_NAMED(LinearSolverConstraintCorrection),
    .module = "Sofa.Component.Constraint.Lagrangian.Correction",
    .category = "ConstraintCorrection",
    .help = "Moves one state under constraint forces by the linear system of the step: the "
            "compliance of the constraints is factor J A^-1 J^T.",
    .equations =
        "c = A^-1 J^T lambda\n"
        "x = x_{free} + p c, v = v_{free} + q c\n"
        "\"A: matrix of the step, J: rows of the constraints, p and q: factors of the ODE solver\"",
    .base = &system_correction_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .can_create = sofa_constraint_can_create,
    .init = init,
    SOFA_IMPLEMENTS({SOFA_CONSTRAINT_CORRECTION, &ops}),
};
