/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear solvers: several right-hand sides, the inverse between sparse rows, true residuals. */
#include "behavior/linear_solver.h"
#include "simulation/vectors.h"

/* ---- several right-hand sides ---- */

/* Work space for `columns` vectors of the plan's size, with the real behind that kernels read. It
 * stays where it is while enough of it is there. */
static SofaErr make_room(SofaLinearSolver *solver, size_t columns) {
  const size_t n = columns * (solver->system->mechanics->n_v + 1);
  return solver->columns.n >= n ? SOFA_OK : SOFA_RESIZE(solver->object.ctx, &solver->columns, n);
}

static double *room(const SofaLinearSolver *solver, size_t column) {
  return solver->columns.data + column * (solver->system->mechanics->n_v + 1);
}

static void add_result(SofaSolveResult *worst, const SofaSolveResult *next) {
  worst->converged = worst->converged && next->converged;
  if (next->iterations > worst->iterations) worst->iterations = next->iterations;
  worst->residual = fmax(worst->residual, next->residual);
  if (next->remedy) worst->remedy = next->remedy;
}

static SofaErr solve_in_turn(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  const SofaSpace space = sofa_main_v(solver->system->mechanics);
  SofaSolveResult worst = {.converged = true, .residual = -1};
  SOFA_TRY(make_room(solver, 2));
  for (size_t k = 0; k < n; k++) {
    double *side = room(solver, 0), *solution = room(solver, 1);
    sofa_vec_copy(space, b + k * space.n, side);
    sofa_vec_copy(space, x + k * space.n, solution);
    SOFA_TRY(sofa_linear_solver_solve(solver, side, solution));
    sofa_vec_copy(space, solution, x + k * space.n);
    add_result(&worst, &solver->result);
  }
  solver->result = worst;
  return SOFA_OK;
}

SofaErr sofa_linear_solver_solve_many(SofaLinearSolver *solver, size_t n, const double *b,
                                      double *x) {
  if (n == 0) return SOFA_OK;
  const bool together = sofa_linear_solver_ops(solver)->solve_many != NULL;
  return together ? sofa_linear_solver_solve_block(solver, n, b, x)
                  : solve_in_turn(solver, n, b, x);
}

/* ---- sparse rows ---- */

/* Columns of J^T that are solved together. */
enum { BLOCK = 16 };

static size_t number_of(const SofaSparseRows *j, size_t row) {
  return j->number ? j->number[row] : row;
}

/* The next rows that have entries, at most BLOCK, from *row on, as columns of b. */
static size_t take_rows(const SofaSparseRows *j, SofaSpace space, size_t *row, size_t *taken,
                        double *b) {
  size_t n = 0;
  for (; *row < j->n_rows && n < BLOCK; ++*row) {
    if (j->start[*row] == j->start[*row + 1]) continue;
    double *column = b + n * space.n;
    sofa_vec_zero(space, column);
    for (uint32_t k = j->start[*row]; k < j->start[*row + 1]; k++)
      column[j->column[k]] += j->value[k];
    taken[n++] = *row;
  }
  return n;
}

/* Column `row` of w += factor J y, with y = A^-1 of the transposed row. */
static void add_column(const SofaSparseRows *j, double factor, const double *y, double *column) {
  for (size_t i = 0; i < j->n_rows; i++) {
    double sum = 0;
    for (uint32_t k = j->start[i]; k < j->start[i + 1]; k++) sum += j->value[k] * y[j->column[k]];
    if (j->start[i] < j->start[i + 1]) column[number_of(j, i)] += factor * sum;
  }
}

static SofaErr check_rows(const SofaLinearSolver *solver, const SofaSparseRows *j, size_t ld) {
  const SofaSpace space = sofa_main_v(solver->system->mechanics);
  const SofaObject *object = &solver->object;
  for (size_t i = 0; i < j->n_rows; i++)
    if (number_of(j, i) >= ld)
      return sofa_object_fail(object, SOFA_ERR_RANGE, "row %zu of the constraints, there are %zu",
                              number_of(j, i), ld);
  for (uint32_t k = j->n_rows ? j->start[0] : 0; j->n_rows && k < j->start[j->n_rows]; k++)
    if (j->column[k] >= space.n)
      return sofa_object_fail(object, SOFA_ERR_RANGE,
                              "a constraint acts on dof %u, the system has %zu", j->column[k],
                              space.n);
  return SOFA_OK;
}

SofaErr sofa_linear_solver_add_by_solving(SofaLinearSolver *solver, const SofaSparseRows *j,
                                          double factor, size_t ld, double *w) {
  const SofaSpace space = sofa_main_v(solver->system->mechanics);
  SofaSolveResult worst = {.converged = true, .residual = -1};
  size_t taken[BLOCK];
  /* the first two columns are those of solve_in_turn */
  SOFA_TRY(make_room(solver, 2 + 2 * BLOCK));
  for (size_t row = 0; row < j->n_rows;) {
    double *b = room(solver, 2), *x = room(solver, 2 + BLOCK);
    const size_t n = take_rows(j, space, &row, taken, b);
    sofa_vec_zero(sofa_space(space.ctx, n * space.n), x);
    SOFA_TRY(sofa_linear_solver_solve_many(solver, n, b, x));
    if (n > 0) add_result(&worst, &solver->result);
    for (size_t c = 0; c < n; c++)
      add_column(j, factor, x + c * space.n, w + ld * number_of(j, taken[c]));
  }
  solver->result = worst;
  return SOFA_OK;
}

SofaErr sofa_linear_solver_add_jainvjt(SofaLinearSolver *solver, const SofaSparseRows *j,
                                       double factor, size_t ld, double *w) {
  const SofaLinearSolverOps *ops = sofa_linear_solver_ops(solver);
  SOFA_TRY(check_rows(solver, j, ld));
  if (!ops->add_jainvjt) return sofa_linear_solver_add_by_solving(solver, j, factor, ld, w);
  solver->result = (SofaSolveResult){.converged = true, .residual = -1};
  return ops->add_jainvjt(solver, j, factor, ld, w);
}

/* ---- the factor of the inverse between sparse rows ---- */

SofaErr sofa_linear_solver_factor_rows(SofaLinearSolver *solver, const SofaSparseRows *j,
                                       SofaFactoredRows *out) {
  const SofaLinearSolverOps *ops = sofa_linear_solver_ops(solver);
  out->n_columns = 0;
  SOFA_TRY(check_rows(solver, j, SIZE_MAX));
  if (!ops->factor_rows) return SOFA_OK;
  solver->result = (SofaSolveResult){.converged = true, .residual = -1};
  return ops->factor_rows(solver, j, out);
}

void sofa_factored_rows_free(SofaContext *ctx, SofaFactoredRows *rows) {
  sofa_list_free(ctx, &rows->run);
  sofa_list_free(ctx, &rows->first_run);
  sofa_list_free(ctx, &rows->n_runs);
  sofa_list_free(ctx, &rows->place);
  sofa_list_free(ctx, &rows->value);
  rows->n_columns = 0;
}

SofaErr sofa_linear_solver_residual(SofaLinearSolver *solver, const double *b, const double *x,
                                    double *residual) {
  SofaLinearSystem *system = solver->system;
  const SofaSpace space = sofa_main_v(system->mechanics);
  SofaContext *ctx = solver->object.ctx;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  SofaErr err = SOFA_ERR_MEMORY;
  *residual = NAN;
  double *p = SOFA_SCRATCH(ctx, double, system->mechanics->n_v + 1);
  double *q = SOFA_SCRATCH(ctx, double, system->mechanics->n_v + 1);
  if (!p || !q) goto done;
  sofa_vec_copy(space, x, p);
  SOFA_GO(err, done, sofa_linear_system_ops(system)->apply(system, p, q));
  sofa_vec_waxpy(space, b, -1, q, q);
  const double norm = sofa_vec_norm(space, b);
  *residual = sofa_vec_norm(space, q) / (norm > 0 ? norm : 1);
done:
  sofa_scratch_release(ctx, mark);
  return err;
}
