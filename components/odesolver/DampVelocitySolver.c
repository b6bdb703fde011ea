/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DampVelocitySolver: damps velocities; used together with another solver in the same node. */
#include <math.h>

#include "behavior/ode_solver.h"
#include "simulation/vectors.h"

typedef struct DampVelocitySolver {
  SofaOdeSolver solver;
  double rate, threshold;
} DampVelocitySolver;

static const SofaField fields[] = {
    SOFA_FIELD(DampVelocitySolver, rate, "rate", "0.99", "1/s",
               "velocities are multiplied by exp(-rate dt)"),
    SOFA_FIELD(DampVelocitySolver, threshold, "threshold", "0", "m/s",
               "points slower than this are stopped", .range = SOFA_AT_LEAST(0),
               .on_bad = SOFA_BAD_KEEP),
};

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  (void)solver, (void)m;
  return SOFA_OK;
}

static void stop_slow_points(const SofaState *state, double threshold, double *v) {
  const unsigned w = sofa_state_kind_info(state->object.kind)->deriv;
  for (size_t i = 0; i < state->position.n; i++) {
    double square = 0;
    for (unsigned k = 0; k < w; k++) square += v[w * i + k] * v[w * i + k];
    if (square < threshold * threshold) sofa_zero(v + w * i, w * sizeof *v);
  }
}

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  const DampVelocitySolver *s = (const DampVelocitySolver *)solver;
  const double factor = exp(-s->rate * h);
  sofa_vec_scale(sofa_main_v(m), factor, solver->v);
  for (size_t i = 0; s->threshold > 0 && i < m->n_main; i++)
    stop_slow_points(m->states[i], s->threshold, solver->v + m->states[i]->v_offset);
  return SOFA_OK;
}

static unsigned traits(const SofaOdeSolver *solver) {
  (void)solver;
  return SOFA_ODE_ADDS;
}

static const SofaOdeSolverOps ops = {.prepare = prepare, .step = step, .traits = traits};

SOFA_CLASS(DampVelocitySolver) = {
    SOFA_NAMED(DampVelocitySolver),
    .aliases = (const char *const[]){"DampVelocityIntegrationScheme", NULL},
    .module = "Sofa.Component.ODESolver.Forward",
    .category = "OdeSolver",
    .help = "Damps the velocities of its node's states by exp(-rate dt) in each step; positions "
            "are not changed. Stands behind the solver that moves them.",
    .equations = "v' = exp(-r h) v\n"
                 "v_i' = 0 if |v_i'| < s\n"
                 "\"r: rate, s: threshold, h = dt\"",
    .base = &sofa_ode_solver_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
