/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CentralDifferenceSolver: central differences with velocities at half steps. */
#include "components/odesolver/acceleration.h"
#include "components/odesolver/solver_inputs.h"
#include "simulation/gyroscopic.h"
#include "simulation/vectors.h"

static const SofaQuirk quirks[] = {QUIRK_COMPONENT_RAYLEIGH_ROW, QUIRK_MASS_BELOW_MAPPING_ROW};

typedef struct CentralDifferenceSolver {
  SofaOdeSolver solver;
  double rayleigh_mass;
  bool thread_safe_visitor;
  double *a;
} CentralDifferenceSolver;

static const SofaField fields[] = {
    SOFA_FIELD(CentralDifferenceSolver, rayleigh_mass, "rayleighMass", "0", "1/s",
               "Rayleigh damping proportional to mass", .range = SOFA_AT_LEAST(0),
               .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(CentralDifferenceSolver, thread_safe_visitor, "threadSafeVisitor", "0", "",
               "no effect", .flags = SOFA_FIELD_NO_EFFECT),
};

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  SOFA_TRY(acceleration_check(&solver->object, m));
  return sofa_mechanics_deriv(m, &((CentralDifferenceSolver *)solver)->a);
}

/* (1/h + r/2) v_new = (1/h - r/2) v + a, x += h v_new. */
static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  const CentralDifferenceSolver *s = (const CentralDifferenceSolver *)solver;
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  const double r = s->rayleigh_mass, new = 1 / (1 / h + r / 2), old = (1 / h - r / 2) * new;
  const SofaSpace space = sofa_main_v(m);
  double *x = solver->x, *v = solver->v;
  sofa_mech_separate_gravity(m, h, v);
  SofaMechPoint at = sofa_mech_point(m, x, solver->v_forces, m->node->time);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &at, m->f));
  /* x is in the middle between the times of the old and the new velocity */
  SOFA_TRY(sofa_mech_add_gyroscopic_at(m, &at, v, h / 2, m->f));
  SOFA_TRY(sofa_mech_acc_from_f(m, &at, m->f, s->a));
  SOFA_TRY(sofa_mech_project_response(m, &p, s->a));
  if (r == 0) sofa_vec_add(space, h, s->a, v);
  else sofa_vec_lincomb(space, SOFA_TERMS({old, v}, {new, s->a}), v);
  sofa_mech_integrate_x(m, h, v, x);
  return SOFA_OK;
}

static SofaErr factors(SofaOdeSolver *solver, double h, SofaOdeFactors *out) {
  const double r = ((const CentralDifferenceSolver *)solver)->rayleigh_mass;
  const double velocity = 1 / (1 / h + r / 2);
  *out = (SofaOdeFactors){h * velocity, velocity, NULL};
  return SOFA_OK;
}

static const SofaOdeSolverOps ops = {.prepare = prepare,
                                     .step = step,
                                     .separates_gravity = true,
                                     .forces_before = true,
                                     .factors = factors,
                                     .traits = acceleration_traits};

SOFA_CLASS(CentralDifferenceSolver) = {
    SOFA_NAMED(CentralDifferenceSolver),
    .aliases = (const char *const[]){"CentralDifferenceIntegrationScheme", NULL},
    .module = "Sofa.Component.ODESolver.Forward",
    .category = "OdeSolver",
    .help = "Central differences: explicit, second order with velocities read at half steps, one "
            "force evaluation a step. Needs diagonal masses.",
    .equations = "(1/h + r_M/2) v' = (1/h - r_M/2) v + M^-1 f\n"
                 "x' = x + h v'",
    .base = &sofa_ode_solver_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
