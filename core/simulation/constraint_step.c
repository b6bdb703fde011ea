/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The problem of a step's constraints and the end of the step under their forces. */
#include "simulation/divergence_impl.h"
#include "simulation/constraint_step.h"

#include <math.h>

#include "base/profiler.h"
#include "object/event.h"
#include "simulation/constraint_rows.h"
#include "simulation/vectors.h"

/* ---- the problem ---- */

/* By any of its parents. */
static bool is_below(const SofaNode *node, const SofaNode *top) {
  bool below = node == top;
  for (size_t i = 0; i < node->parents.n && !below; i++)
    below = is_below(node->parents.data[i], top);
  return below;
}

static SofaErr show_link(SofaObject *object, const char *field, SofaLinks *links,
                         SofaObject *target) {
  const SofaLink link = {.target = target};
  SOFA_TRY(SOFA_APPEND(object->ctx, links, &link));
  sofa_field_touch_name(object, field);
  return SOFA_OK;
}

/* The outputs that name each other. */
static SofaErr show_links(SofaConstraintSolver *solver) {
  const SofaConstraintProblem *p = &solver->problem;
  solver->corrections.n = 0;
  for (size_t i = 0; i < p->n_corrections; i++) {
    SofaConstraintCorrection *c = p->corrections[i];
    c->solvers.n = 0;
    SOFA_TRY(show_link(&solver->object, "constraintCorrections", &solver->corrections, &c->object));
    SOFA_TRY(show_link(&c->object, "constraintSolvers", &c->solvers, &solver->object));
  }
  return SOFA_OK;
}

/* The corrections in the solver's node and below. */
static SofaErr take_corrections(SofaConstraintSolver *solver, const SofaSchedule *s) {
  SofaConstraintProblem *p = &solver->problem;
  sofa_free(p->ctx, p->corrections);
  p->n_corrections = 0;
  p->corrections = sofa_alloc(p->ctx, s->corrections.n + 1, sizeof *p->corrections);
  if (!p->corrections) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < s->corrections.n; i++)
    if (is_below(s->corrections.data[i]->node, solver->object.node))
      p->corrections[p->n_corrections++] = (SofaConstraintCorrection *)s->corrections.data[i];
  return show_links(solver);
}

static bool is_current(const SofaConstraintProblem *p, const SofaSchedule *s) {
  return p->corrections && p->graph_version == s->graph_version;
}

/* The states of the schedule, without rows. */
static SofaErr begin(SofaConstraintSolver *solver, const SofaSchedule *s) {
  SofaConstraintProblem *p = &solver->problem;
  if (!is_current(p, s)) {
    p->ctx = solver->object.ctx;
    sofa_constraint_problem_clear(p);
    SOFA_TRY(take_corrections(solver, s));
    for (size_t i = 0; i < s->states.n; i++)
      SOFA_TRY(sofa_constraint_problem_add_state(p, (SofaState *)s->states.data[i]));
    p->graph_version = s->graph_version;
  }
  p->n = 0;
  p->blocks.n = 0;
  for (size_t i = 0; i < p->states.n; i++) {
    p->states.data[i].entries.n = 0;
    p->states.data[i].mover = NULL;
  }
  return SOFA_OK;
}

static SofaErr build_rows(SofaConstraintSolver *solver, const SofaSchedule *s) {
  SofaConstraintProblem *p = &solver->problem;
  const bool keeps_held = solver->ops->keeps_held && solver->ops->keeps_held(solver);
  for (size_t i = 0; i < s->lagrangians.n; i++) {
    SofaLagrangian *c = (SofaLagrangian *)s->lagrangians.data[i];
    p->owner = c;
    c->constraint_index = p->n;
    SOFA_TRY(c->ops->build(c, p));
    c->n_rows = p->n - c->constraint_index;
  }
  p->owner = NULL;
  return sofa_constraint_rows_finish(s, p, keeps_held);
}

static SofaErr add_violations(const SofaConstraintProblem *p, const SofaSchedule *s, double *d) {
  for (size_t i = 0; i < p->n; i++) d[i] = 0;
  for (size_t i = 0; i < s->lagrangians.n; i++) {
    SofaLagrangian *c = (SofaLagrangian *)s->lagrangians.data[i];
    if (c->n_rows) SOFA_TRY(c->ops->violation(c, p, d + c->constraint_index));
  }
  return SOFA_OK;
}

/* The violations of the positions that the states have, whatever the order. */
static SofaErr find_gaps(SofaConstraintProblem *p, const SofaSchedule *s, double *d) {
  const SofaConstraintOrder order = p->order;
  const SofaConstraintPass pass = p->pass;
  const SofaScratchMark mark = sofa_scratch_mark(p->ctx);
  double **free = SOFA_SCRATCH(p->ctx, double *, p->states.n + 1);
  if (!free) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < p->states.n; i++) {
    SofaState *state = p->states.data[i].state;
    free[i] = state->free_position.data;
    state->free_position.data = state->position.data;
  }
  p->order = SOFA_CONSTRAIN_POSITIONS;
  p->pass = SOFA_PASS_POSITIONS;
  const SofaErr err = add_violations(p, s, d);
  p->order = order;
  p->pass = pass;
  for (size_t i = 0; i < p->states.n; i++) p->states.data[i].state->free_position.data = free[i];
  sofa_scratch_release(p->ctx, mark);
  return err;
}

/* The part of the gaps that violates the laws: the natural maps where there are no forces. */
static void find_drift(const SofaConstraintProblem *p, const double *gap, double *zero,
                       double *drift) {
  for (size_t i = 0; i < p->n; i++) zero[i] = drift[i] = 0;
  for (size_t k = 0; k < p->blocks.n; k++) {
    const SofaConstraintBlock *b = &p->blocks.data[k];
    if (b->law->natural)
      b->law->natural(
          b, &(SofaNaturalMap){
                 .rho = 1, .d = gap + b->first, .lambda = zero + b->first, .r = drift + b->first});
  }
}

/* The violations are those of the motion alone. */
static SofaErr leave_drift(SofaConstraintProblem *p, const SofaSchedule *s) {
  const SofaScratchMark mark = sofa_scratch_mark(p->ctx);
  SofaErr err = SOFA_OK;
  const size_t n = p->n;
  double *gap = SOFA_SCRATCH(p->ctx, double, 3 * n + 1);
  SOFA_GO(err, done, gap ? SOFA_OK : SOFA_ERR_MEMORY);
  SOFA_GO(err, done, find_gaps(p, s, gap));
  for (size_t i = 0; i < n && p->order == SOFA_CONSTRAIN_VELOCITIES; i++) gap[i] /= p->dt;
  find_drift(p, gap, gap + n, gap + 2 * n);
  for (size_t i = 0; i < n; i++) p->violation.data[i] -= gap[2 * n + i];
done:
  sofa_scratch_release(p->ctx, mark);
  return err;
}

static SofaErr find_violations(SofaConstraintProblem *p, const SofaSchedule *s) {
  SOFA_TRY(SOFA_RESIZE(p->ctx, &p->violation, p->n));
  SOFA_TRY(add_violations(p, s, p->violation.data));
  return p->stabilised ? leave_drift(p, s) : SOFA_OK;
}

static SofaErr build_w(SofaConstraintSolver *solver) {
  SofaConstraintProblem *p = &solver->problem;
  const bool needed = !solver->ops->needs_w || solver->ops->needs_w(solver);
  const size_t n = needed ? (size_t)p->n * p->n : 0;
  /* the number of contacts changes from step to step */
  if (n > p->w.capacity) SOFA_TRY(SOFA_RESERVE(p->ctx, &p->w, n + n / 2));
  SOFA_TRY(SOFA_RESIZE(p->ctx, &p->w, n));
  return n ? sofa_constraint_compliance(p, p->w.data) : SOFA_OK;
}

static SofaErr begin_corrections(SofaConstraintProblem *p) {
  for (size_t i = 0; i < p->n_corrections; i++) {
    SofaConstraintCorrection *c = p->corrections[i];
    if (c->ops->begin) SOFA_TRY(c->ops->begin(c, p));
  }
  return SOFA_OK;
}

static SofaErr check_multipliers(const SofaConstraintSolver *solver) {
  const SofaConstraintProblem *p = &solver->problem;
  for (size_t i = 0; i < p->blocks.n; i++) {
    const SofaConstraintBlock *b = &p->blocks.data[i];
    for (uint32_t k = b->first; k < b->first + b->n; k++)
      if (!isfinite(p->lambda.data[k]))
        return sofa_object_fail(&solver->object, SOFA_ERR_NOT_FINITE,
                                "t = %g s: the multiplier of row %u, of '%s', is not finite",
                                p->time, k, b->owner ? b->owner->object.name : "?");
  }
  return SOFA_OK;
}

static SofaErr find_multipliers(SofaConstraintSolver *solver) {
  SofaConstraintProblem *p = &solver->problem;
  SOFA_TRY(SOFA_RESIZE(p->ctx, &p->lambda, p->n));
  for (size_t i = 0; i < p->n; i++) p->lambda.data[i] = 0;
  if (p->n) SOFA_TRY(solver->ops->solve(solver, p));
  return check_multipliers(solver);
}

/* The second phase of impacts by Poisson's law: each contact gives back its part of the force that
 * it had in the first. */
static SofaErr expand(SofaConstraintSolver *solver) {
  SofaConstraintProblem *p = &solver->problem;
  bool any = false;
  for (size_t k = 0; k < p->blocks.n; k++) {
    SofaConstraintBlock *b = &p->blocks.data[k];
    if (!(b->expansion > 0 && p->lambda.data[b->first] > 0)) continue;
    b->least = (1 + b->expansion) * p->lambda.data[b->first];
    any = true;
  }
  if (!any) return SOFA_OK;
  p->pass = SOFA_PASS_EXPANSION;
  const SofaErr err = solver->ops->solve(solver, p);
  p->pass = SOFA_PASS_MOTION;
  return err == SOFA_OK ? check_multipliers(solver) : err;
}

static SofaErr solve(SofaConstraintSolver *solver, const SofaSchedule *s) {
  SofaConstraintProblem *p = &solver->problem;
  SOFA_TRY(find_multipliers(solver));
  SOFA_TRY(expand(solver));
  for (size_t i = 0; i < s->lagrangians.n; i++) {
    SofaLagrangian *c = (SofaLagrangian *)s->lagrangians.data[i];
    if (c->ops->solved) SOFA_TRY(c->ops->solved(c, p, p->lambda.data + c->constraint_index));
  }
  return SOFA_OK;
}

/* ---- the motion under the forces ---- */

static size_t n_derivs(const SofaState *s) {
  return sofa_state_size(s) * sofa_state_kind_info(s->object.kind)->deriv;
}

/* J^T lambda of every state, mapped ones included. */
static SofaErr find_forces(SofaConstraintProblem *p) {
  for (size_t i = 0; i < p->states.n; i++) {
    SofaConstrainedState *s = &p->states.data[i];
    SOFA_TRY(SOFA_RESIZE(p->ctx, &s->force, n_derivs(s->state)));
    sofa_vec_zero(sofa_space(p->ctx, s->force.n), s->force.data);
    for (size_t r = 0; r < s->j.n_rows; r++)
      for (uint32_t k = s->j.start[r]; k < s->j.start[r + 1]; k++)
        s->force.data[s->j.column[k]] += s->j.value[k] * p->lambda.data[s->j.number[r]];
  }
  return SOFA_OK;
}

/* How often a state is one of a constraint's. */
static unsigned n_constraints_of(const SofaSchedule *s, const SofaState *state) {
  unsigned n = 0;
  for (size_t i = 0; i < s->lagrangians.n; i++) {
    const SofaLagrangian *c = (const SofaLagrangian *)s->lagrangians.data[i];
    for (int end = 0; end < 2 && c->n_rows; end++) n += c->state[end] == state;
  }
  return n;
}

/* The states show them, and they bend with mappings in the next step. */
static SofaErr keep_forces(const SofaConstraintProblem *p, const SofaSchedule *s,
                           const SofaConstrainedStep *step) {
  for (size_t i = 0; i < p->states.n; i++) {
    const SofaConstrainedState *from = &p->states.data[i];
    SofaState *state = from->state;
    SofaCoords *to = &state->constraint_force;
    if (!from->j.n_rows && !to->n) continue;
    const double by = step->counts_again ? n_constraints_of(s, state) / p->dt : 1 / p->dt;
    to->width = state->force.width;
    SOFA_TRY(sofa_coords_resize(p->ctx, to, sofa_state_size(state)));
    for (size_t k = 0; k < from->force.n; k++) to->data[k] = from->force.data[k] * by;
    sofa_state_touch_constraint_force(state);
  }
  return SOFA_OK;
}

/* Forces of mapped states are added to those of their inputs once more. */
static SofaErr hand_forces_up(const SofaMapping *map) {
  SofaContext *ctx = map->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaErr err = SOFA_OK;
  SofaPoint at;
  if (!map->out->constraint_force.n) return SOFA_OK;
  double **f = SOFA_SCRATCH(ctx, double *, map->n_inputs + 1);
  SOFA_GO(err, done, f ? SOFA_OK : SOFA_ERR_MEMORY);
  for (size_t k = 0; k < map->n_inputs; k++) {
    f[k] = map->inputs[k]->constraint_force.data;
    if (!f[k]) goto done;
  }
  SOFA_GO(err, done, sofa_mapping_point(map, &at));
  err =
      sofa_mapping_apply_jt((SofaMapping *)(uintptr_t)map, &at, map->out->constraint_force.data, f);
done:
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr keep_all_forces(const SofaConstraintProblem *p, const SofaSchedule *s,
                               const SofaConstrainedStep *step) {
  SOFA_TRY(keep_forces(p, s, step));
  for (size_t i = s->mappings.n; step->counts_again && i-- > 0;)
    SOFA_TRY(hand_forces_up((const SofaMapping *)s->mappings.data[i]));
  return SOFA_OK;
}

static SofaErr find_motions(SofaConstraintProblem *p) {
  for (size_t i = 0; i < p->n_corrections; i++) {
    SofaConstraintCorrection *c = p->corrections[i];
    SOFA_TRY(c->ops->find_motion(c, p));
  }
  return SOFA_OK;
}

static void move(const SofaConstraintProblem *p, const SofaConstrainedStep *step,
                 SofaConstrainedState *s) {
  SofaState *state = s->state;
  const SofaSpace derivs = sofa_space(p->ctx, n_derivs(state));
  const SofaSpace coords = sofa_space(p->ctx, state->position.n * state->position.width);
  if (state->mapped || (!state->mechanics && !s->mover)) return;
  sofa_state_touch(state);
  const bool moves = s->mover || !step->corrected_only;
  if (moves) sofa_vec_copy(derivs, state->free_velocity.data, state->velocity.data);
  if (s->mover) sofa_vec_add(derivs, s->velocity, s->motion.data, state->velocity.data);
  if (p->order == SOFA_CONSTRAIN_VELOCITIES) {
    sofa_state_integrate(state->object.kind, state->position.n, p->dt, state->velocity.data,
                         state->position.data);
    return;
  }
  if (moves) sofa_vec_copy(coords, state->free_position.data, state->position.data);
  if (s->mover)
    sofa_state_integrate(state->object.kind, state->position.n, s->position, s->motion.data,
                         state->position.data);
}

/* What a solver remembers of the step follows the correction. */
static SofaErr tell_solver(const SofaConstraintProblem *p, SofaOdeSolver *solver) {
  SofaMechanics *m = solver->mechanics;
  SofaOdeFactors factors;
  if (!m || !solver->ops->corrected) return SOFA_OK;
  SOFA_TRY(sofa_ode_solver_factors(solver, p->dt, &factors));
  const SofaScratchMark mark = sofa_scratch_mark(p->ctx);
  double *c = SOFA_SCRATCH(p->ctx, double, m->n_v + 1);
  SofaErr err = c ? SOFA_OK : SOFA_ERR_MEMORY;
  if (c) sofa_vec_zero(sofa_all_v(m), c);
  for (size_t i = 0; i < p->states.n && c; i++) {
    const SofaConstrainedState *s = &p->states.data[i];
    const double by = factors.velocity != 0 ? s->velocity / factors.velocity : 1;
    if (!s->mover || s->state->mechanics != m || s->state->mapped) continue;
    sofa_vec_add(sofa_space(p->ctx, s->motion.n), by, s->motion.data, c + s->state->v_offset);
  }
  if (err == SOFA_OK) err = solver->ops->corrected(solver, m, p->dt, c);
  sofa_scratch_release(p->ctx, mark);
  return err;
}

static SofaErr end_solvers(const SofaConstraintProblem *p, const SofaSchedule *s,
                           const SofaConstrainedStep *step) {
  for (size_t i = 0; i < s->solve.n; i++) {
    SofaOdeSolver *solver = (SofaOdeSolver *)s->solve.data[i];
    if (!sofa_implements(&solver->object, SOFA_ODE_SOLVER)) continue;
    if (!step->forgets) SOFA_TRY(tell_solver(p, solver));
    if (!solver->mechanics) continue;
    const SofaErr err = sofa_ode_solver_check(solver, solver->mechanics, p->dt);
    if (err == SOFA_OK) continue;
    SofaMechanics *m = solver->mechanics;
    sofa_explain_divergence(solver, m, p->dt, err);
    sofa_vec_copy(sofa_all_x(m), m->x_good, m->x);
    sofa_vec_copy(sofa_all_v(m), m->v_good, m->v);
    return err;
  }
  return SOFA_OK;
}

/* The whole scene hears of it: listeners look at the solver's problem. */
static SofaErr tell(const SofaConstraintSolver *solver, SofaEventType type) {
  const SofaEvent event = {.type = type, .dt = solver->problem.dt};
  return sofa_send_event(sofa_node_root(solver->object.node), &event);
}

/* W, then the forces of the motion. */
static SofaErr find_constraint_forces(SofaConstraintSolver *solver, const SofaSchedule *s) {
  SofaContext *ctx = s->ctx;
  sofa_timer_begin(ctx, "compliance");
  SofaErr err = begin_corrections(&solver->problem);
  if (err == SOFA_OK) err = build_w(solver);
  sofa_timer_end(ctx);
  if (err != SOFA_OK) return err;
  SOFA_TRY(tell(solver, SOFA_EVENT_CONSTRAINTS_BUILT));
  sofa_timer_begin(ctx, "multipliers");
  err = solve(solver, s);
  sofa_timer_end(ctx);
  return err == SOFA_OK ? tell(solver, SOFA_EVENT_CONSTRAINTS_SOLVED) : err;
}

static SofaErr correct(SofaConstraintProblem *p, const SofaSchedule *s,
                       const SofaConstrainedStep *step) {
  SofaErr err = SOFA_OK;
  sofa_timer_begin(s->ctx, "correction");
  SOFA_GO(err, done, find_forces(p));
  SOFA_GO(err, done, keep_all_forces(p, s, step));
  SOFA_GO(err, done, find_motions(p));
  for (size_t i = 0; i < p->states.n; i++) move(p, step, &p->states.data[i]);
done:
  sofa_timer_end(s->ctx);
  return err;
}

SofaErr sofa_schedule_constrain(SofaSchedule *s, SofaConstraintSolver *solver,
                                const SofaConstrainedStep *step) {
  SofaConstraintProblem *p = &solver->problem;
  const bool positions = solver->ops->positions_only && solver->ops->positions_only(solver);
  SofaErr err = SOFA_OK;
  sofa_timer_begin(s->ctx, solver->object.klass->name);
  SOFA_GO(err, done, begin(solver, s));
  p->order = positions ? SOFA_CONSTRAIN_POSITIONS : step->order;
  p->pass = SOFA_PASS_MOTION;
  p->stabilised = step->stabilise > 0;
  p->dt = step->dt;
  p->time = solver->object.node->time;
  SOFA_GO(err, done, build_rows(solver, s));
  SOFA_GO(err, done, find_violations(p, s));
  SOFA_GO(err, done, find_constraint_forces(solver, s));
  SOFA_GO(err, done, correct(p, s, step));
  sofa_constraint_check_movers(solver);
  err = end_solvers(p, s, step);
done:
  sofa_timer_end(s->ctx);
  return err;
}

/* ---- positions ---- */

/* Contacts push; they do not rub, bounce or remember. */
static void leave_physics(SofaConstraintProblem *p) {
  for (size_t k = 0; k < p->blocks.n; k++) {
    SofaConstraintBlock *b = &p->blocks.data[k];
    b->friction = b->rolling = b->spinning = b->expansion = b->least = 0;
    b->memory = NULL;
  }
}

static void move_positions(const SofaConstraintProblem *p) {
  for (size_t i = 0; i < p->states.n; i++) {
    const SofaConstrainedState *s = &p->states.data[i];
    SofaState *state = s->state;
    if (s->mover && !state->mapped)
      sofa_state_integrate(state->object.kind, state->position.n, s->position, s->motion.data,
                           state->position.data);
  }
}

static SofaErr correct_positions(SofaSchedule *s, SofaConstraintSolver *solver) {
  SofaConstraintProblem *p = &solver->problem;
  SOFA_TRY(begin(solver, s));
  p->order = SOFA_CONSTRAIN_POSITIONS;
  p->pass = SOFA_PASS_POSITIONS;
  SOFA_TRY(build_rows(solver, s));
  if (!p->n) return SOFA_OK;
  leave_physics(p);
  SOFA_TRY(SOFA_RESIZE(p->ctx, &p->violation, p->n));
  SOFA_TRY(find_gaps(p, s, p->violation.data));
  SOFA_TRY(begin_corrections(p));
  SOFA_TRY(build_w(solver));
  SOFA_TRY(find_multipliers(solver));
  SOFA_TRY(find_forces(p));
  SOFA_TRY(find_motions(p));
  move_positions(p);
  return SOFA_OK;
}

SofaErr sofa_schedule_stabilise(SofaSchedule *s, SofaConstraintSolver *solver,
                                const SofaConstrainedStep *step) {
  SofaErr err = SOFA_OK;
  if (step->stabilise < 1) return SOFA_OK;
  sofa_timer_begin(s->ctx, "stabilisation");
  for (int i = 0; i < step->stabilise && err == SOFA_OK; i++) {
    SOFA_GO(err, done, sofa_schedule_project(s, step->dt));
    err = correct_positions(s, solver);
  }
done:
  solver->problem.pass = SOFA_PASS_MOTION;
  sofa_timer_end(s->ctx);
  return err;
}

/* ---- the end ---- */

SofaErr sofa_schedule_end_constrained(SofaSchedule *s, const SofaConstrainedStep *step) {
  if (step->start_clock) SOFA_TRY(sofa_schedule_project_start(s, step->dt));
  else SOFA_TRY(sofa_schedule_project(s, step->dt));
  SOFA_TRY(sofa_schedule_accept(s, step->dt));
  sofa_schedule_clear_external_forces(s);
  return SOFA_OK;
}
