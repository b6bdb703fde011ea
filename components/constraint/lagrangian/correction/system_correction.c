/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of corrections by the linear system of the ODE solver. */
#include "components/constraint/lagrangian/correction/system_correction.h"

#include <math.h>

#include "simulation/vectors.h"
#include "object/checkpoint.h"

/* of the largest force, that a thousand sweeps leave */
#define FORCE_ROUNDING 1e-13

static const SofaLinkRule linear_solver_rule = {.interface = SOFA_LINEAR_SOLVER,
                                                .search = SOFA_SEARCH_NONE},
                          ode_rule = {.interface = SOFA_ODE_SOLVER, .search = SOFA_SEARCH_NONE};

static const SofaQuirk quirks[] = {QUIRK_IDLE_SOLVER_FACTORS_ROW};

static const SofaField fields[] = {
    SOFA_FIELD(SystemCorrection, linear_solver_link, "linearSolver", NULL, "",
               "linear solver of the ODE solver's system, with an assembled matrix; default: the "
               "first in the node",
               .link = &linear_solver_rule),
    SOFA_FIELD(SystemCorrection, ode_link, "ODESolver", NULL, "",
               "ODE solver that moves the states; default: the nearest in the node or above",
               .link = &ode_rule),
    SOFA_FIELD(SystemCorrection, regularization, "regularizationTerm", "0", "",
               "added to the diagonal of the compliance, for each row of this correction",
               .range = SOFA_FINITE_AT_LEAST(0)),
};

static SofaErr construct(SofaObject *object) {
  ((SystemCorrection *)object)->compliance_factor = 1;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  SystemCorrection *s = (SystemCorrection *)object;
  SofaIndices *indices[] = {&s->start, &s->column, &s->number, &s->cursor};
  SofaReals *reals[] = {&s->value, &s->side, &s->solution};
  for (size_t i = 0; i < SOFA_COUNT(indices); i++) sofa_list_free(object->ctx, indices[i]);
  for (size_t i = 0; i < SOFA_COUNT(reals); i++) sofa_list_free(object->ctx, reals[i]);
  unbuilt_free(object->ctx, &s->unbuilt);
}

/* ---- solvers ---- */

/* The solvers may come after the correction. */
static SofaErr find_solvers(SofaObject *object) {
  SystemCorrection *s = (SystemCorrection *)object;
  s->ode = correction_ode_solver(object, &s->ode_link);
  if (!s->ode) return correction_no_ode_solver(object);
  s->linear_solver = (SofaLinearSolver *)s->linear_solver_link.target;
  if (!s->linear_solver)
    s->linear_solver =
        (SofaLinearSolver *)sofa_node_find(object->node, SOFA_LINEAR_SOLVER, SOFA_SEARCH_LOCAL);
  if (!s->linear_solver)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no linear solver in the node: add one with an assembled "
                            "matrix, such as <SparseLDLSolver/>, or link that of the ODE solver by "
                            "the field linearSolver");
  const SofaLinearSystem *system = s->linear_solver->system;
  if (system && sofa_linear_system_ops(system)->matrix) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                          "the linear solver '%s' (%s) has no assembled matrix: give it the "
                          "attribute template=\"CompressedRowSparseMatrixd\", or take a direct "
                          "solver such as <SparseLDLSolver/>",
                          s->linear_solver->object.name, s->linear_solver->object.klass->name);
}

/* Without a matrix in the step, A is the diagonal mass. */
static SofaErr take_system(SystemCorrection *s, const SofaConstraintProblem *problem) {
  const SofaObject *object = &s->correction.object;
  SOFA_TRY(correction_factors(object, s->ode, problem->dt, &s->m, &s->factors));
  s->factor = s->compliance_factor * correction_factor(problem, &s->factors);
  if (!s->factors.linear_solver || s->linear_solver->system->mechanics == s->m) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                          "the linear solver '%s' has no matrix of '%s' in this step: give the "
                          "field linearSolver the linear solver of the ODE solver, '%s'",
                          s->linear_solver->object.name, s->ode->object.name,
                          s->factors.linear_solver->object.name);
}

/* ---- rows ---- */

static SofaErr make_room(SystemCorrection *s, const SofaConstraintProblem *problem) {
  SofaContext *ctx = problem->ctx;
  const SofaMechanics *m = s->m;
  size_t n = 0;
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaConstrainedState *c = sofa_constrained_state(problem, m->states[i]);
    if (c) n += c->column.n;
  }
  SOFA_TRY(SOFA_RESIZE(ctx, &s->start, (size_t)problem->n + 1));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->number, problem->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->column, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->value, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->cursor, m->n_main));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->side, m->n_v + 1));
  return SOFA_RESIZE(ctx, &s->solution, m->n_v + 1);
}

/* Appends the entries of row r of one state. */
static void take_row(SystemCorrection *s, const SofaConstrainedState *c, uint32_t r, size_t state,
                     size_t *n) {
  const SofaSparseRows *j = &c->j;
  uint32_t *at = &s->cursor.data[state];
  if (*at >= j->n_rows || j->number[*at] != r) return;
  for (uint32_t k = j->start[*at]; k < j->start[*at + 1]; k++) {
    s->column.data[*n] = (uint32_t)c->state->v_offset + j->column[k];
    s->value.data[(*n)++] = j->value[k];
  }
  ++*at;
}

static void take_rows(SystemCorrection *s, const SofaConstraintProblem *problem) {
  size_t n = 0, rows = 0;
  for (size_t i = 0; i < s->m->n_main; i++) s->cursor.data[i] = 0;
  for (uint32_t r = 0; r < problem->n; r++) {
    const size_t first = n;
    for (size_t i = 0; i < s->m->n_main; i++) {
      const SofaConstrainedState *c = sofa_constrained_state(problem, s->m->states[i]);
      if (c) take_row(s, c, r, i, &n);
    }
    if (n == first) continue;
    s->start.data[rows] = (uint32_t)first;
    s->number.data[rows++] = r;
  }
  s->start.data[rows] = (uint32_t)n;
  s->j = (SofaSparseRows){rows, s->start.data, s->column.data, s->value.data, s->number.data};
}

SofaErr system_begin(SofaConstraintCorrection *c, const SofaConstraintProblem *problem) {
  SystemCorrection *s = (SystemCorrection *)c;
  SOFA_TRY(take_system(s, problem));
  SOFA_TRY(make_room(s, problem));
  take_rows(s, problem);
  s->unbuilt.y.n_columns = 0;
  s->unbuilt.factored = false;
  return SOFA_OK;
}

/* ---- A^-1 ---- */

/* solution = A^-1 side; the main parts count */
static SofaErr solve(SystemCorrection *s, double time) {
  SofaMechanics *m = s->m;
  sofa_vec_zero(sofa_all_v(m), s->solution.data);
  if (s->factors.linear_solver)
    return sofa_linear_solver_solve(s->linear_solver, s->side.data, s->solution.data);
  const SofaMechPoint at = sofa_mech_point(m, m->x, m->v, time);
  const SofaMechParams params = sofa_mech_params(m->h, time, 0, 0, 0);
  SOFA_TRY(sofa_mech_project_response(m, &params, s->side.data));
  SOFA_TRY(sofa_mech_acc_from_f(m, &at, s->side.data, s->solution.data));
  return sofa_mech_project_response(m, &params, s->solution.data);
}

static double row_times(const SofaSparseRows *j, size_t i, const double *y) {
  double sum = 0;
  for (uint32_t k = j->start[i]; k < j->start[i + 1]; k++) sum += j->value[k] * y[j->column[k]];
  return sum;
}

/* w += factor J M^-1 J^T, each symmetric pair of entries computed once */
static SofaErr add_by_mass(SystemCorrection *s, const SofaSparseRows *j, double time, size_t ld,
                           double *w) {
  for (size_t k = 0; k < j->n_rows; k++) {
    const size_t column = j->number ? j->number[k] : k;
    sofa_vec_zero(sofa_all_v(s->m), s->side.data);
    for (uint32_t e = j->start[k]; e < j->start[k + 1]; e++)
      s->side.data[j->column[e]] += j->value[e];
    SOFA_TRY(solve(s, time));
    for (size_t i = 0; i <= k; i++) {
      const size_t row = j->number ? j->number[i] : i;
      const double value = s->factor * row_times(j, i, s->solution.data);
      w[ld * column + row] += value;
      if (i < k) w[ld * row + column] += value;
    }
  }
  return SOFA_OK;
}

static SofaErr add_inverse(SystemCorrection *s, const SofaConstraintProblem *problem,
                           const SofaSparseRows *j, size_t ld, double *w) {
  if (s->factors.linear_solver)
    SOFA_TRY(sofa_linear_solver_add_jainvjt(s->linear_solver, j, s->factor, ld, w));
  else SOFA_TRY(add_by_mass(s, j, problem->time, ld, w));
  for (size_t i = 0; i < j->n_rows; i++)
    w[(ld + 1) * (j->number ? j->number[i] : i)] += s->regularization;
  return SOFA_OK;
}

SofaErr system_add_compliance(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                              double *w) {
  SystemCorrection *s = (SystemCorrection *)c;
  return add_inverse(s, problem, &s->j, problem->n, w);
}

/* ---- motion ---- */

static void take_forces(SystemCorrection *s, const SofaConstraintProblem *problem) {
  sofa_vec_zero(sofa_all_v(s->m), s->side.data);
  for (size_t i = 0; i < s->m->n_main; i++) {
    const SofaConstrainedState *c = sofa_constrained_state(problem, s->m->states[i]);
    for (size_t k = 0; c && k < c->force.n; k++)
      s->side.data[s->m->states[i]->v_offset + k] = c->force.data[k];
  }
}

/* Have the corrections' rows got the forces of the problem, but for rounding? A solver may change
 * forces after its sweeps. */
static bool has_forces(const UnbuiltRows *u, const SofaConstraintProblem *problem) {
  double largest = 0, apart = 0;
  for (uint32_t r = 0; r < problem->n; r++) {
    const uint32_t place = u->place.data[r];
    if (!place) continue;
    largest = fmax(largest, fabs(problem->lambda.data[r]));
    apart = fmax(apart, fabs(problem->lambda.data[r] - u->lambda.data[place - 1]));
  }
  return apart <= FORCE_ROUNDING * largest;
}

/* Sweeps by the rows of a factor leave the first half of the solution. */
static SofaErr solve_motion(SystemCorrection *s, const SofaConstraintProblem *problem) {
  const UnbuiltRows *u = &s->unbuilt;
  const bool half = s->factors.linear_solver && u->factored && has_forces(u, problem);
  if (half) s->linear_solver->half = u->sum.data;
  const SofaErr err = solve(s, problem->time);
  if (half) s->linear_solver->half = NULL;
  return err;
}

SofaErr system_find_motion(SystemCorrection *s, SofaConstraintProblem *problem, double position,
                           double velocity) {
  const CorrectionMove move = {&s->correction.object, position, velocity};
  take_forces(s, problem);
  const bool pushed = sofa_vec_max_norm(sofa_main_v(s->m), s->side.data) > 0;
  if (pushed) SOFA_TRY(solve_motion(s, problem));
  for (size_t i = 0; i < s->m->n_main; i++) {
    SofaConstrainedState *c = NULL;
    SOFA_TRY(correction_move(problem, s->m->states[i], &move, &c));
    for (size_t k = 0; c && pushed && k < c->motion.n; k++)
      c->motion.data[k] = s->solution.data[s->m->states[i]->v_offset + k];
  }
  return SOFA_OK;
}

/* ---- without W ---- */

/* With at most that many entries; 0: any number. */
static SofaErr find_factor(SystemCorrection *s, size_t most) {
  s->unbuilt.y.n_columns = 0;
  s->unbuilt.y.most = most;
  return s->factors.linear_solver
             ? sofa_linear_solver_factor_rows(s->linear_solver, &s->j, &s->unbuilt.y)
             : SOFA_OK;
}

SofaErr system_factor(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                      size_t *most, bool *found) {
  SystemCorrection *s = (SystemCorrection *)c;
  (void)problem;
  *found = s->j.n_rows == 0;
  if (*found || !*most) return SOFA_OK;
  SOFA_TRY(find_factor(s, *most));
  *found = s->unbuilt.y.n_columns > 0;
  if (*found) *most -= s->unbuilt.y.value.n;
  return SOFA_OK;
}

SofaErr system_start(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                     double *const *blocks, const double *lambda) {
  SystemCorrection *s = (SystemCorrection *)c;
  UnbuiltRows *u = &s->unbuilt;
  SofaSparseRows own = s->j;
  if (!u->y.n_columns) SOFA_TRY(find_factor(s, 0));
  if (u->y.n_columns) {
    u->factor = s->factor;
    u->regularization = s->regularization;
    SOFA_TRY(unbuilt_open_factored(u, problem, &s->j));
    unbuilt_close_factored(u, problem, blocks, lambda);
    return SOFA_OK;
  }
  own.number = NULL;
  SOFA_TRY(unbuilt_open(u, problem, &s->j));
  SOFA_TRY(add_inverse(s, problem, &own, own.n_rows, u->w.data));
  unbuilt_close(u, problem, blocks, lambda);
  return SOFA_OK;
}

bool system_knows(const SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                  const SofaConstraintBlock *block) {
  (void)problem;
  return unbuilt_knows(&((const SystemCorrection *)c)->unbuilt, block);
}

void system_add_displacement(const SofaConstraintCorrection *c,
                             const SofaConstraintProblem *problem, const SofaConstraintBlock *block,
                             double *d) {
  (void)problem;
  unbuilt_add_displacement(&((const SystemCorrection *)c)->unbuilt, block, d);
}

void system_add_force(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                      const SofaConstraintBlock *block, const double *change) {
  (void)problem;
  unbuilt_add_force(&((SystemCorrection *)c)->unbuilt, block, change);
}

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SystemCorrection, column),   SOFA_REMADE(SystemCorrection, cursor),
    SOFA_REMADE(SystemCorrection, factor),   SOFA_REMADE(SystemCorrection, factors),
    SOFA_REMADE(SystemCorrection, j),        SOFA_REMADE(SystemCorrection, m),
    SOFA_REMADE(SystemCorrection, number),   SOFA_REMADE(SystemCorrection, side),
    SOFA_REMADE(SystemCorrection, solution), SOFA_REMADE(SystemCorrection, start),
    SOFA_REMADE(SystemCorrection, unbuilt),  SOFA_REMADE(SystemCorrection, value),
};

const SofaClass system_correction_class = {
    .name = "SystemConstraintCorrection",
    .module = "csofa",
    .category = "ConstraintCorrection",
    .help = "The motion of states under constraint forces by the linear system of a step.",
    .base = &sofa_constraint_correction_class,
    SOFA_SPARES(spared),
    .size = sizeof(SystemCorrection),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .construct = construct,
    .bwd_init = find_solvers,
    .destroy = destroy,
    .abstract = true,
};
