/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LegacyStaticODESolver: static equilibrium by Newton-Raphson with any linear solver. */
#include <math.h>

#include "ode/newton_solver.h"
#include "object/checkpoint.h"

enum { QUIRK_CARIBOU_LEGACY_REST = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_CARIBOU_LEGACY_REST, "caribou-legacy-rest",
     "LegacyStaticODESolver compares the square of the first residual with the threshold",
     "test_caribou_newton.small_loads"},
    QUIRK_CARIBOU_NEWTON_ROW,
    QUIRK_CARIBOU_STATIC_LATE_ROW,
};

typedef struct LegacyStaticODESolver {
  CaribouNewton newton;
  bool refuse_growth, warm_start;
} LegacyStaticODESolver;

static const SofaField fields[] = {
    SOFA_FIELD(LegacyStaticODESolver, newton.iterations, "newton_iterations", "1", "1",
               "most Newton iterations of a step", .range = SOFA_AT_LEAST(1)),
    SOFA_FIELD(LegacyStaticODESolver, newton.correction_tolerance, "correction_tolerance_threshold",
               "1e-5", "1", "stop when |du_k| < this times |du_0| + ... + |du_k|; negative: off"),
    SOFA_FIELD(LegacyStaticODESolver, newton.residual_tolerance, "residual_tolerance_threshold",
               "1e-5", "1",
               "stop when |R_k| < this times |R_0|, the residual before the first iteration; "
               "negative: off"),
    SOFA_FIELD(LegacyStaticODESolver, refuse_growth, "shoud_diverge_when_residual_is_growing", "0",
               "", "a residual that grows after the first iteration is an error"),
    SOFA_FIELD(LegacyStaticODESolver, warm_start, "warm_start", "0", "",
               "iterative linear solvers begin with the increment of the iteration before"),
    SOFA_FIELD(LegacyStaticODESolver, newton.linear_link, "linear_solver", NULL, "",
               "linear solver; default: the first in the node, then below",
               .link = &caribou_linear_solver_rule),
    CARIBOU_NEWTON_OUTPUTS(LegacyStaticODESolver, newton.),
};

static SofaErr init(SofaObject *object) {
  LegacyStaticODESolver *s = (LegacyStaticODESolver *)object;
  s->newton.keep_guess = s->warm_start;
  s->newton.strategy.index = CARIBOU_NEVER;
  s->newton.linear = s->newton.linear_link.target ? (SofaLinearSolver *)s->newton.linear_link.target
                                                  : sofa_node_linear_solver(object->node);
  if (!s->newton.linear)
    sofa_object_message(object, SOFA_WARNING,
                        "no linear solver in the node or below it: add for instance <LDLTSolver/>");
  return SOFA_OK;
}

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  LegacyStaticODESolver *s = (LegacyStaticODESolver *)solver;
  const double tolerance = s->newton.residual_tolerance;
  SofaNewtonCriteria criteria;
  caribou_newton_criteria(&s->newton, &criteria);
  criteria.late_residual = false;
  criteria.refuse_growth = s->refuse_growth;
  criteria.equilibrium = 1e-150; /* no load at all */
  if (tolerance > 0 && sofa_quirk(&s->newton.solver.object, QUIRK_CARIBOU_LEGACY_REST))
    criteria.equilibrium = sqrt(tolerance);
  return caribou_static_run(&s->newton, m, h, &criteria);
}

static const SofaOdeSolverOps ops = {.prepare = caribou_newton_prepare,
                                     .step = step,
                                     .assemble = caribou_static_assemble,
                                     .factors = caribou_static_factors,
                                     .equations = &caribou_static_step,
                                     .traits = caribou_static_traits};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(LegacyStaticODESolver, newton.analysed),
    SOFA_REMADE(LegacyStaticODESolver, newton.report),
    SOFA_REMADE(LegacyStaticODESolver, newton.equations),
    SOFA_REMADE(LegacyStaticODESolver, newton.m),
    SOFA_REMADE(LegacyStaticODESolver, newton.h),
    SOFA_REMADE(LegacyStaticODESolver, newton.time),
    SOFA_REMADE(LegacyStaticODESolver, newton.at),
};

SOFA_CLASS(LegacyStaticODESolver) = {
    .name = "LegacyStaticODESolver",
    .module = "SofaCaribou",
    .category = "OdeSolver",
    .help = "Static equilibrium R(x) = P by Newton-Raphson, also with the linear solvers of SOFA; "
            "StaticODESolver has more criteria.",
    .equations = "R(x) = P\n"
                 "K du = P - R(x)",
    .base = &sofa_ode_solver_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    .size = sizeof(LegacyStaticODESolver),
    SOFA_FIELDS(fields),
    .init = init,
    .destroy = caribou_newton_destroy,
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
