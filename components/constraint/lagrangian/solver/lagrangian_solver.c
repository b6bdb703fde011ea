/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of all constraint solvers: what a solve reports. */
#include "components/constraint/lagrangian/solver/lagrangian_solver.h"
#include "object/checkpoint.h"

#include <math.h>

#include "base/profiler.h"
#include "object/node.h"
#include "simulation/convergence.h"

typedef LagrangianSolver SofaSelf; /* of SOFA_ROW */

enum { FORCES = 1 }; /* its row */
static const SofaField fields[] = {
    SOFA_ROW(compute_forces, "computeConstraintForces", "0", "", "fill constraintForces"),
    [FORCES] = SOFA_ROW(
        forces, "constraintForces", NULL, "",
        "multipliers of all rows in the last step: impulses, N s, with an implicit ODE solver",
        .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(residual, "residual", "0 0", "",
             "how far the forces of the last step are from satisfying the constraints: the largest "
             "|lambda - P(lambda - rho d)| of a block, P: the projection on its admissible forces, "
             "d: its violation, rho = n / trace(W) of its n rows; as a force (the unit of "
             "constraintForces), and divided by rho as a violation (m, or m/s when velocities "
             "are constrained)",
             .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr reset(SofaObject *object) {
  LagrangianSolver *s = (LagrangianSolver *)object;
  s->solves = (SofaSolveCount){0};
  s->forces.n = 0;
  s->residual = (SofaVec2){{0, 0}};
  return SOFA_OK;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  sofa_solve_count_event(&((const LagrangianSolver *)object)->solves, object, event,
                         "the residual of the violations");
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_constraint_solve_free(object->ctx, &((LagrangianSolver *)object)->solve);
}

SofaErr lagrangian_solver_begin(LagrangianSolver *s, SofaConstraintProblem *problem) {
  if (sofa_convergence_observed(problem->ctx)) s->begun = sofa_now();
  s->solve.method = s->method;
  return sofa_constraint_solve_begin(&s->solve, problem);
}

/* ---- the report ---- */

static void record(const LagrangianSolver *s) {
  const SofaConstraintReport *r = &s->solve.report;
  if (!sofa_convergence_observed(s->solver.object.ctx)) return;
  SofaConvergenceRow row = {.kind = SOFA_CONVERGENCE_CONSTRAINT,
                            .solver = &s->solver.object,
                            .residual = r->residual[1],
                            .relative_residual = NAN,
                            .correction = r->error,
                            .relative_correction = NAN,
                            .linear_iterations = r->iterations,
                            .ns = (uint64_t)((sofa_now() - s->begun) * 1e9),
                            .reason =
                                sofa_err_text(r->converged ? SOFA_OK : SOFA_ERR_NOT_CONVERGED)};
  sofa_convergence_record(&row);
}

/* The first time in a run; with strict it is an error. */
static SofaErr tell_unconverged(const LagrangianSolver *s) {
  const SofaObject *object = &s->solver.object;
  const SofaConstraintReport *r = &s->solve.report;
  static const char said[] =
      "the constraints did not converge in step %llu (t = %g s): the error is %g after %u "
      "iterations, the tolerance %g; the largest violation that is left is %g %s";
  const unsigned long long step = (unsigned long long)object->ctx->step;
  const char *unit = s->solve.problem->order == SOFA_CONSTRAIN_POSITIONS ? "m" : "m/s";
  if (s->solves.n_unconverged > 1 && !object->ctx->strict) return SOFA_OK;
  if (object->ctx->strict)
    return sofa_object_fail(object, SOFA_ERR_NOT_CONVERGED, said, step, object->node->time,
                            r->error, r->iterations, s->solve.limit, r->residual[1], unit);
  sofa_object_message(object, SOFA_WARNING, said, step, object->node->time, r->error, r->iterations,
                      s->solve.limit, r->residual[1], unit);
  return SOFA_OK;
}

static SofaErr keep_forces(LagrangianSolver *s) {
  const SofaConstraintProblem *p = s->solve.problem;
  if (!s->compute_forces) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(p->ctx, &s->forces, p->n));
  sofa_copy(s->forces.data, p->lambda.data, p->n * sizeof *s->forces.data);
  sofa_field_touch(&s->solver.object, &fields[FORCES]);
  return SOFA_OK;
}

SofaErr lagrangian_solver_end(LagrangianSolver *s) {
  SOFA_TRY(sofa_constraint_solve_end(&s->solve));
  const SofaConstraintReport *r = &s->solve.report;
  s->residual = (SofaVec2){{r->residual[0], r->residual[1]}};
  record(s);
  SOFA_TRY(keep_forces(s));
  sofa_solve_count_add(&s->solves, &s->solver.object, r->converged, r->residual[1]);
  return r->converged ? SOFA_OK : tell_unconverged(s);
}

SofaErr lagrangian_solver_idle(LagrangianSolver *s) {
  s->residual = (SofaVec2){{0, 0}};
  s->forces.n = 0;
  return SOFA_OK;
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP(LagrangianSolver, solves),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(LagrangianSolver, method),
    SOFA_REMADE(LagrangianSolver, solve),
};

const SofaClass lagrangian_solver_class = {
    .name = "LagrangianSolver",
    LAGRANGIAN_SOLVER_MODULE,
    .help = "Finds the forces of Lagrangian constraints.",
    .base = &sofa_constraint_solver_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    .size = sizeof(LagrangianSolver),
    SOFA_FIELDS(fields),
    .reset = reset,
    .handle_event = handle_event,
    .destroy = destroy,
    .abstract = true,
};
