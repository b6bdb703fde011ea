/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RungeKutta2Solver: the explicit midpoint method. */
#include "components/odesolver/acceleration.h"
#include "components/odesolver/solver_inputs.h"
#include "simulation/vectors.h"

static const SofaQuirk quirks[] = {QUIRK_COMPONENT_RAYLEIGH_ROW, QUIRK_MASS_BELOW_MAPPING_ROW};

typedef struct RungeKutta2Solver {
  SofaOdeSolver solver;
  double *x, *v, *a; /* at the midpoint */
} RungeKutta2Solver;

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  RungeKutta2Solver *s = (RungeKutta2Solver *)solver;
  SOFA_TRY(acceleration_check(&solver->object, m));
  SOFA_TRY(sofa_mechanics_coord(m, &s->x));
  SOFA_TRY(sofa_mechanics_deriv(m, &s->v));
  return sofa_mechanics_deriv(m, &s->a);
}

/* x_m = x + h/2 v, v_m = v + h/2 a(x, v); x += h v_m, v += h a(x_m, v_m). */
static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  RungeKutta2Solver *s = (RungeKutta2Solver *)solver;
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  double *x = solver->x, *v = solver->v;
  sofa_mech_separate_gravity(m, h, v);
  SOFA_TRY(acceleration(m, &p, x, v, s->a));
  sofa_vec_copy(sofa_all_x(m), x, s->x);
  sofa_vec_copy(sofa_all_v(m), v, s->v);
  sofa_mech_integrate_x(m, h / 2, v, s->x);
  sofa_vec_add(sofa_main_v(m), h / 2, s->a, s->v);
  SOFA_TRY(acceleration(m, &p, s->x, s->v, s->a));
  sofa_mech_integrate_x(m, h, s->v, x);
  sofa_vec_add(sofa_main_v(m), h, s->a, v);
  return SOFA_OK;
}

/* A force J^T lambda through the whole step changes the accelerations by c. */
static SofaErr factors(SofaOdeSolver *solver, double h, SofaOdeFactors *out) {
  (void)solver;
  *out = (SofaOdeFactors){h * h / 2, h, NULL};
  return SOFA_OK;
}

static void quirk_factors(double dt, double *position, double *velocity) {
  *position = 0;
  *velocity = dt / 2;
}

static const SofaOdeSolverOps ops = {.prepare = prepare,
                                     .step = step,
                                     .separates_gravity = true,
                                     .factors = factors,
                                     .quirk_factors = quirk_factors,
                                     .traits = acceleration_traits};

SOFA_CLASS(RungeKutta2Solver) = {
    SOFA_NAMED(RungeKutta2Solver),
    .aliases = (const char *const[]){"RungeKutta2IntegrationScheme", NULL},
    .module = "Sofa.Component.ODESolver.Forward",
    .category = "OdeSolver",
    .help = "Explicit midpoint method: second order, two force evaluations a step. Needs diagonal "
            "masses.",
    .equations = "x_m = x + h/2 v, v_m = v + h/2 M^-1 f(x, v)\n"
                 "x' = x + h v_m, v' = v + h M^-1 f(x_m, v_m)",
    .base = &sofa_ode_solver_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_QUIRKS(quirks),
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
