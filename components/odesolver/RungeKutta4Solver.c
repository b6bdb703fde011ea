/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RungeKutta4Solver: the classical explicit method of fourth order. */
#include "components/odesolver/acceleration.h"
#include "components/odesolver/solver_inputs.h"
#include "simulation/gyroscopic.h"
#include "simulation/vectors.h"

enum { QUIRK_RK4_ROTATIONS = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_RK4_ROTATIONS, "rk4-rotations",
     "RungeKutta4Solver turns rigid bodies by one slope after the other",
     "test_rigid_bodies.quirk_of_rk4"},
    QUIRK_COMPONENT_RAYLEIGH_ROW,
    QUIRK_MASS_BELOW_MAPPING_ROW,
};

typedef struct RungeKutta4Solver {
  SofaOdeSolver solver;
  double *x, *v, *k_v[4], *k_a[4]; /* trial state, slopes */
} RungeKutta4Solver;

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  RungeKutta4Solver *s = (RungeKutta4Solver *)solver;
  SOFA_TRY(acceleration_check(&solver->object, m));
  SOFA_TRY(sofa_mechanics_coord(m, &s->x));
  SOFA_TRY(sofa_mechanics_deriv(m, &s->v));
  for (int i = 0; i < 4; i++) {
    SOFA_TRY(sofa_mechanics_deriv(m, &s->k_v[i]));
    SOFA_TRY(sofa_mechanics_deriv(m, &s->k_a[i]));
  }
  return SOFA_OK;
}

/* Rotations do not commute: of fourth order is the method on their rotation vectors, whose stages
 * and result differ from sums of angular velocities by two commutators (Iserles, Munthe-Kaas,
 * Norsett, Zanna, Lie-group methods, Acta Numerica 2000). SOFA adds the slopes one after the
 * other. */
static bool corrects_rotations(const RungeKutta4Solver *s, const SofaMechanics *m) {
  return sofa_mech_has_frames(m) && !sofa_quirk(&s->solver.object, QUIRK_RK4_ROTATIONS);
}

/* The velocity that leads to stage i: h k_v[i - 1], for i = 2 less 1/8 [h k_v[0], h k_v[1]], the
 * stage being h = dt/2 away. */
static const double *leading(RungeKutta4Solver *s, SofaMechanics *m, int i, double h) {
  if (i != 2 || !corrects_rotations(s, m)) return s->k_v[i - 1];
  sofa_vec_copy(sofa_all_v(m), s->k_v[1], s->k_v[2]);
  sofa_mech_add_commutator(m, -h / 2, s->k_v[0], s->k_v[1], s->k_v[2]);
  return s->k_v[2];
}

/* Slope i at (x + h k_v[i - 1], v + h k_a[i - 1]); the trial velocity is the slope of x. */
static SofaErr slope(RungeKutta4Solver *s, SofaMechanics *m, const SofaMechParams *p, int i,
                     double h) {
  sofa_vec_copy(sofa_all_x(m), s->solver.x, s->x);
  sofa_vec_copy(sofa_all_v(m), s->solver.v, s->v);
  if (i > 0) {
    sofa_mech_integrate_x(m, h, leading(s, m, i, h), s->x);
    sofa_vec_add(sofa_main_v(m), h, s->k_a[i - 1], s->v);
  }
  SOFA_TRY(acceleration(m, p, s->x, s->v, s->k_a[i]));
  sofa_vec_copy(sofa_all_v(m), s->v, s->k_v[i]);
  return SOFA_OK;
}

/* x += h (k_v[0] + 2 k_v[1] + 2 k_v[2] + k_v[3]) / 6 - h^2 [k_v[0], k_v[3]] / 12 */
static void integrate_x(RungeKutta4Solver *s, SofaMechanics *m, double h) {
  double *const *k = s->k_v;
  const SofaSpace space = sofa_main_v(m);
  sofa_vec_lincomb(space, SOFA_TERMS({1. / 6, k[0]}, {1. / 3, k[1]}, {1. / 3, k[2]}), s->v);
  sofa_vec_add(space, 1. / 6, k[3], s->v);
  sofa_mech_add_commutator(m, -h / 12, k[0], k[3], s->v);
  sofa_mech_integrate_x(m, h, s->v, s->solver.x);
}

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  RungeKutta4Solver *s = (RungeKutta4Solver *)solver;
  static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1. / 6, 1. / 3, 1. / 3, 1. / 6};
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  double *x = solver->x, *v = solver->v;
  sofa_mech_separate_gravity(m, h, v);

  /* the first evaluation is at the state itself, which constraints may correct */
  SOFA_TRY(sofa_mech_project_position(m, &p, x));
  SOFA_TRY(sofa_mech_project_velocity(m, &p, v));
  for (int i = 0; i < 4; i++) SOFA_TRY(slope(s, m, &p, i, at[i] * h));
  const bool corrected = corrects_rotations(s, m);
  if (corrected) integrate_x(s, m, h);
  for (int i = 0; i < 4; i++) {
    if (!corrected) sofa_mech_integrate_x(m, weight[i] * h, s->k_v[i], x);
    sofa_vec_add(sofa_main_v(m), weight[i] * h, s->k_a[i], v);
  }
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

SOFA_CLASS(RungeKutta4Solver) = {
    SOFA_NAMED(RungeKutta4Solver),
    .aliases = (const char *const[]){"RungeKutta4IntegrationScheme", NULL},
    .module = "Sofa.Component.ODESolver.Forward",
    .category = "OdeSolver",
    .help = "Classical Runge-Kutta method: explicit, fourth order, four force evaluations a step. "
            "Stable for dt below about 2.8 over the highest frequency. Needs diagonal masses.",
    .equations = "F(x, v) = (v, M^-1 f(x, v)), y = (x, v)\n"
                 "k_1 = F(y), k_2 = F(y + h/2 k_1), k_3 = F(y + h/2 k_2), k_4 = F(y + h k_3)\n"
                 "y' = y + h/6 (k_1 + 2 k_2 + 2 k_3 + k_4)",
    .base = &sofa_ode_solver_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_QUIRKS(quirks),
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
