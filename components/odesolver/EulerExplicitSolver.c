/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* EulerExplicitSolver: explicit Euler, by default in its symplectic form. */
#include "components/odesolver/acceleration.h"
#include "components/odesolver/solver_inputs.h"
#include "simulation/gyroscopic.h"
#include "simulation/vectors.h"

static const SofaQuirk quirks[] = {QUIRK_COMPONENT_RAYLEIGH_ROW};

typedef struct EulerExplicitSolver {
  SofaOdeSolver solver;
  bool symplectic, thread_safe_visitor;
  SofaLink linear_solver_link;
  SofaLinearSolver *linear_solver; /* NULL: only diagonal masses */
  double *a;                       /* kept: start of the next iterative solve */
} EulerExplicitSolver;

static const SofaLinkRule linear_solver_rule = {.interface = SOFA_LINEAR_SOLVER};

static const SofaField fields[] = {
    SOFA_FIELD(EulerExplicitSolver, symplectic, "symplectic", "1", "",
               "x += h v_new (semi-implicit) instead of x += h v_old"),
    SOFA_FIELD(EulerExplicitSolver, thread_safe_visitor, "threadSafeVisitor", "0", "", "no effect",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(EulerExplicitSolver, linear_solver_link, "linearSolver", NULL, "",
               "solver for masses that are not diagonal; default: the first one in the node, then "
               "upwards",
               .link = &linear_solver_rule),
};

static SofaErr init(SofaObject *object) {
  EulerExplicitSolver *e = (EulerExplicitSolver *)object;
  e->linear_solver =
      e->linear_solver_link.target
          ? (SofaLinearSolver *)e->linear_solver_link.target
          : (SofaLinearSolver *)sofa_node_find(object->node, SOFA_LINEAR_SOLVER, SOFA_SEARCH_UP);
  return SOFA_OK;
}

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  EulerExplicitSolver *e = (EulerExplicitSolver *)solver;
  if (!e->linear_solver && !sofa_mech_masses_diagonal(m))
    return sofa_object_fail(&solver->object, SOFA_ERR_NOT_FOUND,
                            "the mass is not diagonal or is below a mapping: a linear solver is "
                            "needed, for instance <SparseLDLSolver/>");
  return sofa_mechanics_deriv(m, &e->a);
}

/* M a = f: by division, or through the linear solver when M couples points. */
static SofaErr solve_acceleration(EulerExplicitSolver *e, SofaMechanics *m, const SofaMechPoint *at,
                                  double h) {
  SofaMechParams p = sofa_mech_params(h, m->node->time, 1, 0, 0);
  if (sofa_mech_masses_diagonal(m)) {
    SOFA_TRY(sofa_mech_acc_from_f(m, at, m->f, e->a));
    return sofa_mech_project_response(m, &p, e->a);
  }
  SOFA_TRY(sofa_mech_project_response(m, &p, m->f));
  SOFA_TRY(sofa_linear_solver_build(e->linear_solver, m, &p, at));
  return sofa_linear_solver_solve(e->linear_solver, m->f, e->a);
}

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  EulerExplicitSolver *e = (EulerExplicitSolver *)solver;
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  double *x = solver->x, *v = solver->v;
  sofa_mech_separate_gravity(m, h, v);
  SofaMechPoint at = sofa_mech_point(m, x, solver->v_forces, m->node->time);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &at, m->f));
  /* in the middle of the step, so that the energy of a free body neither grows nor decays */
  SOFA_TRY(sofa_mech_add_gyroscopic_at(m, &at, v, h / 2, m->f));
  SOFA_TRY(solve_acceleration(e, m, &at, h));
  if (!e->symplectic) sofa_mech_integrate_x(m, h, v, x);
  sofa_vec_add(sofa_main_v(m), h, e->a, v);
  if (e->symplectic) sofa_mech_integrate_x(m, h, v, x);
  return SOFA_OK;
}

static SofaErr assemble(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  EulerExplicitSolver *e = (EulerExplicitSolver *)solver;
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 1, 0, 0);
  if (sofa_mech_masses_diagonal(m) || !e->linear_solver) return SOFA_OK;
  const SofaMechPoint at = sofa_mech_point(m, solver->x, solver->v, m->node->time);
  return sofa_linear_solver_build(e->linear_solver, m, &p, &at);
}

/* A force J^T lambda changes the acceleration by c. */
static SofaErr factors(SofaOdeSolver *solver, double h, SofaOdeFactors *out) {
  const EulerExplicitSolver *e = (const EulerExplicitSolver *)solver;
  const bool diagonal = !solver->mechanics || sofa_mech_masses_diagonal(solver->mechanics);
  *out = (SofaOdeFactors){e->symplectic ? h * h : 0, h, diagonal ? NULL : e->linear_solver};
  return SOFA_OK;
}

static const SofaOdeSolverOps ops = {
    .prepare = prepare,
    .step = step,
    .separates_gravity = true,
    .forces_before = true,
    .assemble = assemble,
    .factors = factors,
    .traits = acceleration_traits,
};

SOFA_CLASS(EulerExplicitSolver) = {
    SOFA_NAMED(EulerExplicitSolver),
    .aliases = (const char *const[]){"EulerExplicitIntegrationScheme", NULL},
    .module = "Sofa.Component.ODESolver.Forward",
    .category = "OdeSolver",
    .help =
        "Explicit Euler. The symplectic form (new velocity in x) keeps the energy bounded for dt "
        "below 2 over the highest circular frequency.",
    .equations = "v' = v + h M^-1 f(x, v)\n"
                 "x' = x + h v' if symplectic, else x' = x + h v",
    .base = &sofa_ode_solver_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .init = init,
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
