/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract linear solver: finding or making its linear system, and reports of failures. */
#include "behavior/linear_solver.h"
#include "object/checkpoint.h"

#include <math.h>
#include <string.h>

#include "base/profiler.h"
#include "object/event.h"
#include "object/factory.h"
#include "simulation/convergence.h"
#include "simulation/vectors.h"

const SofaInterface sofa_linear_solver_interface = {
    .name = "linear solver",
    SOFA_REQUIRES(offsetof(SofaLinearSolverOps, solve)),
    .ops_member = offsetof(SofaLinearSolver, ops)};

static const SofaLinkRule system_rule = {.interface = SOFA_LINEAR_SYSTEM,
                                         .search = SOFA_SEARCH_NONE};

static const SofaField fields[] = {
    SOFA_FIELD(SofaLinearSolver, linear_system, "linearSystem", NULL, "",
               "linear system that is solved; default: a free one of the solver's template in the "
               "node or above, else one is made",
               .link = &system_rule),
    SOFA_FIELD(SofaLinearSolver, n_threads, "nbThreads", "0", "",
               "no effect: the number of threads is the program's", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaLinearSolver, scheduler, "taskSchedulerType", "_default", "", "no effect",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaLinearSolver, parallel_inverse_product, "parallelInverseProduct", "0", "",
               "no effect", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaLinearSolver, factorization_invalidation, "factorizationInvalidation", "0", "",
               "no effect: factors are made again when the values of the matrix changed",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaLinearSolver, result.converged, "converged", "1", "",
               "did the last solve meet its stopping rule? Direct solvers always do (addition of "
               "csofa)",
               .flags = SOFA_FIELD_OUTPUT),
};

/* ---- the linear system ---- */

/* Template of the systems that the solver takes. */
static const char *system_template(const SofaLinearSolver *s) {
  const char *given = sofa_linear_solver_ops(s)->system_template;
  if (given) return given;
  return s->object.template_name ? s->object.template_name : "";
}

static bool fits(const SofaLinearSolver *s, const SofaObject *system) {
  return strcmp(system_template(s), system->template_name ? system->template_name : "") == 0;
}

/* A system of the solver's template that no other solver took, in this node. */
static SofaLinearSystem *find_in_node(const SofaLinearSolver *s, const SofaNode *node) {
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *object = node->objects.data[i];
    if (!sofa_implements(object, SOFA_LINEAR_SYSTEM) || !sofa_valid(object)) continue;
    SofaLinearSystem *system = (SofaLinearSystem *)object;
    if (fits(s, object) && (!system->solver || system->solver == &s->object)) return system;
  }
  return NULL;
}

static SofaLinearSystem *find_system(const SofaLinearSolver *s) {
  for (const SofaNode *node = s->object.node; node; node = sofa_node_parent(node)) {
    SofaLinearSystem *system = find_in_node(s, node);
    if (system) return system;
  }
  return NULL;
}

static SofaErr make_system(SofaLinearSolver *s, SofaLinearSystem **out) {
  SofaContext *ctx = s->object.ctx;
  const char *name = system_template(s);
  const char *class_name = sofa_linear_solver_ops(s)->system_class;
  const SofaClass *klass = NULL;
  *out = NULL;
  if (class_name) klass = sofa_factory_find(ctx, class_name, NULL);
  else SOFA_TRY(sofa_factory_default(ctx, SOFA_LINEAR_SYSTEM, name, &klass));
  if (!klass)
    return sofa_object_fail(&s->object, SOFA_ERR_NOT_FOUND, "class %s is not available",
                            class_name ? class_name : "of a linear system");
  SofaObject *object = NULL;
  SOFA_TRY(sofa_object_create_for(&s->object, klass, klass->name, name, &object));
  *out = (SofaLinearSystem *)object;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  SofaLinearSolver *s = (SofaLinearSolver *)object;
  SofaLinearSystem *system = (SofaLinearSystem *)s->linear_system.target;
  if (system && !fits(s, &system->object)) {
    sofa_object_message(object, SOFA_WARNING,
                        "linearSystem '%s' is of template %s, the solver of %s: it is not used",
                        system->object.name, system->object.template_name, system_template(s));
    system = NULL;
  }
  if (!system) system = find_system(s);
  if (!system) SOFA_TRY(make_system(s, &system));
  if (!system->solver) system->solver = object;
  s->linear_system.target = &system->object;
  s->system = system;
  return SOFA_OK;
}

static SofaErr reset(SofaObject *object) {
  SofaLinearSolver *s = (SofaLinearSolver *)object;
  s->solves = (SofaSolveCount){0};
  return SOFA_OK;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  const SofaLinearSolver *s = (const SofaLinearSolver *)object;
  sofa_solve_count_event(&s->solves, object, event, "|r|/|b|");
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((SofaLinearSolver *)object)->columns);
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP(SofaLinearSolver, result.converged),
    SOFA_KEEP(SofaLinearSolver, result.iterations),
    SOFA_KEEP(SofaLinearSolver, result.residual),
    SOFA_KEEP(SofaLinearSolver, solves),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaLinearSolver, columns),
    SOFA_REMADE(SofaLinearSolver, result.remedy),
};

const SofaClass sofa_linear_solver_class = {
    .name = "LinearSolver",
    .module = "csofa",
    .category = "LinearSolver",
    .help = "Solves A x = b with the matrix or operator A of a linear system.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    .size = sizeof(SofaLinearSolver),
    SOFA_FIELDS(fields),
    .init = init,
    .reset = reset,
    .handle_event = handle_event,
    .destroy = destroy,
    .abstract = true,
};

/* ---- what ODE solvers call ---- */

SofaErr sofa_linear_solver_build(SofaLinearSolver *solver, SofaMechanics *m,
                                 const SofaMechParams *params, const SofaMechPoint *at) {
  solver->system = (SofaLinearSystem *)solver->linear_system.target;
  if (!solver->system || !sofa_valid(&solver->object))
    return sofa_object_fail(&solver->object, SOFA_ERR_NOT_FOUND, "has no linear system");
  const SofaLinearSolverOps *ops = sofa_linear_solver_ops(solver);
  if (ops->keeps && ops->keeps(solver, m)) return SOFA_OK;
  return sofa_linear_system_build(solver->system, m, params, at);
}

static void hand_over(SofaLinearSolver *solver, SofaConvergenceRow *row, double begin) {
  row->solver = &solver->object;
  row->correction = row->relative_correction = NAN;
  solver->row_time = sofa_now();
  row->ns = (uint64_t)((solver->row_time - begin) * 1e9);
  sofa_convergence_record(row);
}

/* The context's observer is away while a solver solves: preconditioners are linear solvers, too. */
void sofa_linear_solver_iteration(SofaLinearSolver *solver, uint32_t iteration, double residual,
                                  double norm) {
  SofaContext *ctx = solver->object.ctx;
  SofaConvergenceRow row = {.kind = SOFA_CONVERGENCE_ITERATION,
                            .iteration = iteration,
                            .residual = residual,
                            .relative_residual = norm > 0 ? residual / norm : NAN,
                            .reason = ""};
  if (!solver->observer) return;
  ctx->convergence = solver->observer;
  hand_over(solver, &row, solver->row_time);
  ctx->convergence = NULL;
}

static SofaErr solve(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  const SofaLinearSolverOps *ops = sofa_linear_solver_ops(solver);
  return n == 1 ? ops->solve(solver, b, x) : ops->solve_many(solver, n, b, x);
}

static SofaErr solve_recorded(SofaLinearSolver *solver, size_t n, const double *b, double *x) {
  SofaContext *ctx = solver->object.ctx;
  const SofaConvergence *observer = ctx->convergence;
  const double begin = sofa_now();
  solver->observer = observer;
  solver->row_time = begin;
  ctx->convergence = NULL;
  const SofaErr err = solve(solver, n, b, x);
  ctx->convergence = observer;
  solver->observer = NULL;

  const bool known = err == SOFA_OK && solver->result.residual >= 0;
  SofaConvergenceRow row = {.kind = SOFA_CONVERGENCE_LINEAR,
                            .linear_iterations = (uint32_t)solver->result.iterations,
                            .relative_residual = known ? solver->result.residual : NAN,
                            .reason = sofa_err_text(err == SOFA_OK && !solver->result.converged
                                                        ? SOFA_ERR_NOT_CONVERGED
                                                        : err)};
  row.residual = row.relative_residual * sofa_vec_norm(sofa_main_v(solver->system->mechanics), b);
  hand_over(solver, &row, begin);
  return err;
}

/* The largest |b - A x| / |b| of n right-hand sides. */
static SofaErr true_residual(SofaLinearSolver *solver, size_t n, const double *b, const double *x,
                             double *residual) {
  const size_t size = sofa_main_v(solver->system->mechanics).n;
  *residual = 0;
  for (size_t k = 0; k < n; k++) {
    double one = 0;
    SOFA_TRY(sofa_linear_solver_residual(solver, b + k * size, x + k * size, &one));
    *residual = fmax(*residual, one);
  }
  return SOFA_OK;
}

/* The first time in a run, or with strict, the message has the true residual, which costs a
 * product. */
static SofaErr tell_unconverged(SofaLinearSolver *solver, size_t n, const double *b,
                                const double *x) {
  SofaObject *object = &solver->object;
  const SofaSolveResult *result = &solver->result;
  const unsigned long long step = (unsigned long long)object->ctx->step;
  double residual = 0;
  static const char said[] = "not converged in step %llu (t = %g s): |b - A x|/|b| is %g after %d "
                             "iterations%s%s";
  const char *colon = result->remedy ? "; " : "", *remedy = result->remedy ? result->remedy : "";
  if (solver->solves.n_unconverged > 1 && !object->ctx->strict) return SOFA_OK;
  SOFA_TRY(true_residual(solver, n, b, x, &residual));
  if (object->ctx->strict)
    return sofa_object_fail(object, SOFA_ERR_NOT_CONVERGED, said, step, object->node->time,
                            residual, result->iterations, colon, remedy);
  sofa_object_message(object, SOFA_WARNING, said, step, object->node->time, residual,
                      result->iterations, colon, remedy);
  return SOFA_OK;
}

/* A preconditioner may be as rough as it likes. */
SofaErr sofa_linear_solver_solve_block(SofaLinearSolver *solver, size_t n, const double *b,
                                       double *x) {
  SofaContext *ctx = solver->object.ctx;
  SofaErr err = SOFA_OK;
  solver->result = (SofaSolveResult){.converged = true, .residual = -1};
  ctx->n_solving++;
  if (sofa_convergence_observed(ctx)) err = solve_recorded(solver, n, b, x);
  else err = solve(solver, n, b, x);
  ctx->n_solving--;
  if (err == SOFA_OK && solver->system && solver->result.residual >= 0)
    sofa_linear_system_solved(solver->system, solver->result.iterations);
  if (err != SOFA_OK || ctx->n_solving > 0) return err;
  sofa_solve_count_add(&solver->solves, &solver->object, solver->result.converged,
                       solver->result.residual);
  return solver->result.converged ? SOFA_OK : tell_unconverged(solver, n, b, x);
}

SofaErr sofa_linear_solver_solve(SofaLinearSolver *solver, const double *b, double *x) {
  return sofa_linear_solver_solve_block(solver, 1, b, x);
}

SofaErr sofa_linear_solver_solve_one(SofaLinearSolver *solver, const double *b, double *x) {
  return sofa_linear_solver_ops(solver)->solve_many(solver, 1, b, x);
}

void sofa_linear_solver_forget_pattern(SofaLinearSolver *solver) {
  const SofaLinearSolverOps *ops = sofa_linear_solver_ops(solver);
  if (ops->forget_pattern) ops->forget_pattern(solver);
}

SofaLinearSolver *sofa_node_linear_solver(const SofaNode *node) {
  return (SofaLinearSolver *)sofa_node_find(node, SOFA_LINEAR_SOLVER, SOFA_SEARCH_DOWN);
}

/* ---- failures ---- */

SofaErr sofa_linear_solver_fail_at(const SofaLinearSolver *solver, SofaErr err, size_t dof,
                                   const char *what) {
  const SofaMechanics *m = solver->system ? solver->system->mechanics : NULL;
  const double time = solver->object.node->time;
  for (size_t i = 0; m && i < m->n_main; i++) {
    const SofaState *state = m->states[i];
    const size_t deriv = sofa_state_kind_info(state->object.kind)->deriv;
    if (dof < state->v_offset || dof >= state->v_offset + deriv * sofa_state_size(state)) continue;
    char *path = sofa_object_path(&state->object);
    const size_t local = dof - state->v_offset;
    sofa_object_fail(&solver->object, err, "%s at dof %zu (%s, point %zu, component %zu), time %g",
                     what, dof, path ? path : state->object.name, local / deriv, local % deriv,
                     time);
    sofa_free(solver->object.ctx, path);
    return err;
  }
  return sofa_object_fail(&solver->object, err, "%s at dof %zu, time %g", what, dof, time);
}

SofaErr sofa_linear_solver_check_finite(const SofaLinearSolver *solver, const double *b,
                                        const double *x) {
  const SofaSpace space = sofa_main_v(solver->system->mechanics);
  const size_t bad = sofa_vec_first_bad(space, x);
  if (bad == space.n) return SOFA_OK;
  const size_t side = sofa_vec_first_bad(space, b);
  if (side < space.n)
    return sofa_linear_solver_fail_at(solver, SOFA_ERR_NOT_FINITE, side,
                                      "the right-hand side is not finite");
  return sofa_linear_solver_fail_at(solver, SOFA_ERR_SINGULAR, bad,
                                    "the solution is not finite, the matrix singular?");
}
