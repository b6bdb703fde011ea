/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PreconditionedConjugateResidual: conjugate residuals for bilateral constraints. */
#include "components/constraint/lagrangian/solver/lagrangian_solver.h"
#include "numerics/constraint/laws.h"

typedef struct PreconditionedConjugateResidual {
  BuiltSolver base;
  bool warned;
} PreconditionedConjugateResidual;

enum { QUIRK_RESIDUAL_BY_NUMBER = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_RESIDUAL_BY_NUMBER, "residual-by-number",
     "PreconditionedConjugateResidual takes for its error the residual of the row whose number is "
     "that of the iteration",
     "test_constraint_components.residual_by_number"},
};

static SofaErr construct(SofaObject *object) {
  ((LagrangianSolver *)object)->method.error_of_number =
      sofa_quirk(object, QUIRK_RESIDUAL_BY_NUMBER);
  ((LagrangianSolver *)object)->method.cold = true;
  return SOFA_OK;
}

/* Blocks of other laws are solved as if they pulled and pushed. */
static void warn_of_laws(PreconditionedConjugateResidual *s, const SofaConstraintProblem *problem) {
  for (size_t k = 0; k < problem->blocks.n && !s->warned; k++) {
    const SofaConstraintLaw *law = problem->blocks.data[k].law;
    if (law == &sofa_law_bilateral || law == &sofa_law_bilateral_guarded) continue;
    s->warned = true;
    sofa_object_message((SofaObject *)s, SOFA_WARNING,
                        "this solver is for bilateral constraints: %s constraints are solved as "
                        "such; take another solver",
                        law->name);
  }
}

static SofaErr solve(SofaConstraintSolver *solver, SofaConstraintProblem *problem) {
  warn_of_laws((PreconditionedConjugateResidual *)solver, problem);
  return generic_solver_run(solver, problem, sofa_constraint_conjugate_residual);
}

static const SofaConstraintSolverOps ops = {.solve = solve};

SOFA_CLASS(PreconditionedConjugateResidual) = {
    SOFA_NAMED(PreconditionedConjugateResidual),
    LAGRANGIAN_SOLVER_MODULE,
    .help = "Finds the forces of bilateral constraints by conjugate residuals of their compliance, "
            "scaled to a diagonal of ones. It does not know other laws; `sor` has no effect.",
    .equations = "W lambda = -delta_0",
    .base = &built_solver_class,
    SOFA_QUIRKS(quirks),
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_CONSTRAINT_SOLVER, &ops}),
};
