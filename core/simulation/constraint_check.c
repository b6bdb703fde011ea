/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rows whose forces move nothing. */
#include "simulation/constraint_rows.h"

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

/* A state that an ODE solver moves, and no correction. */
static void check_corrected(SofaConstraintSolver *solver) {
  SofaConstraintProblem *p = &solver->problem;
  for (size_t i = 0; i < p->states.n && !p->told_uncorrected; i++) {
    const SofaConstrainedState *s = &p->states.data[i];
    if (!has_rows(s) || s->mover || !s->state->mechanics) continue;
    p->told_uncorrected = true;
    sofa_object_message(&s->state->object, SOFA_WARNING,
                        "it has no constraint correction: the forces of '%s' do not move it; add "
                        "one to its node, such as <UncoupledConstraintCorrection/> for bodies or "
                        "<LinearSolverConstraintCorrection/> for deformable ones",
                        owner_of(p, s->j.number[0]));
  }
}

/* Rows of the problem that a state which can move has. */
static void mark(const SofaConstraintProblem *p, bool moving, uint8_t *marks) {
  for (size_t i = 0; i < p->states.n; i++) {
    const SofaConstrainedState *s = &p->states.data[i];
    if (!has_rows(s) || moving != (s->mover || s->state->mechanics)) continue;
    for (size_t r = 0; r < s->j.n_rows; r++) marks[s->j.number[r]] |= moving ? 1 : 2;
  }
}

/* A block of static states alone. Blocks without entries are held by projective constraints. */
static void check_static(SofaConstraintSolver *solver) {
  SofaConstraintProblem *p = &solver->problem;
  const SofaScratchMark scratch = sofa_scratch_mark(p->ctx);
  uint8_t *marks = p->told_static ? NULL : SOFA_SCRATCH(p->ctx, uint8_t, p->n + 1);
  for (size_t i = 0; i < p->n && marks; i++) marks[i] = 0;
  if (marks) mark(p, true, marks);
  if (marks) mark(p, false, marks);
  for (size_t k = 0; k < p->blocks.n && marks && !p->told_static; k++) {
    const SofaConstraintBlock *b = &p->blocks.data[k];
    uint8_t any = 0;
    for (uint32_t i = b->first; i < b->first + b->n; i++) any |= marks[i];
    if (any != 2 || !b->owner) continue;
    p->told_static = true;
    sofa_object_message(&b->owner->object, SOFA_WARNING,
                        "it has no effect: no ODE solver moves the bodies between which it acts; "
                        "give one of them an ODE solver and a constraint correction");
  }
  sofa_scratch_release(p->ctx, scratch);
}

void sofa_constraint_check_movers(SofaConstraintSolver *solver) {
  if (!solver->problem.n) return;
  check_corrected(solver);
  check_static(solver);
}
