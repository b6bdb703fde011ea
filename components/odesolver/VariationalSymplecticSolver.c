/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VariationalSymplecticSolver: variational integrator in its implicit midpoint and explicit forms.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "behavior/ode_solver.h"
#include "numerics/io/output_file.h"
#include "components/odesolver/solver_inputs.h"
#include "math/kernels.h"
#include "simulation/mechanics.h"
#include "simulation/newton.h"

enum { QUIRK_VARIATIONAL_DAMPING = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_VARIATIONAL_DAMPING, "variational-damping",
     "VariationalSymplecticSolver damps in the first half of each step alone",
     "test_integrators_linear.quirk_of_the_variational_solver"},
};

typedef struct VariationalSymplecticSolver {
  SofaOdeSolver solver;
  double newton_error, rayleigh_stiffness, rayleigh_mass, hamiltonian;
  uint32_t steps;
  bool save_energy, explicit_form, compute_hamiltonian, incremental, thread_safe_visitor;
  char *file;
  SofaLink linear_solver_link;
  SofaLinearSolver *linear_solver;
  SofaMechPoint at;                 /* of the estimate q, or of the step */
  double *q, *q0, *res, *b, *p, *w; /* positions; derivs: Newton update, rhs, momentum, M^-1 p */
  double potential;                 /* accumulated potential energy */
  bool started;                     /* p and the potential are those of the step before */
  FILE *csv;
  SofaNewtonReport report; /* of the last step */
  /* of the current step */
  SofaMechanics *m;
  double h, norm0, change; /* |q0|; |dq|^2 of the iteration */
  bool moved;              /* res is not 0 any more; explicit form: since the start */
} VariationalSymplecticSolver;

static const SofaField fields[] = {
    SOFA_FIELD(VariationalSymplecticSolver, newton_error, "newtonError", "0.01", "1",
               "Newton stops when the positions change by less than this times their norm, >= 0"),
    SOFA_FIELD(VariationalSymplecticSolver, steps, "steps", "5", "1",
               "largest number of Newton iterations, >= 1"),
    SOFA_FIELD(VariationalSymplecticSolver, rayleigh_stiffness, "rayleighStiffness", "0", "s",
               "Rayleigh damping proportional to stiffness, >= 0"),
    SOFA_FIELD(VariationalSymplecticSolver, rayleigh_mass, "rayleighMass", "0", "1/s",
               "Rayleigh damping proportional to mass, >= 0"),
    SOFA_FIELD(VariationalSymplecticSolver, save_energy, "saveEnergyInFile", "0", "",
               "write the energies of each step to 'file'"),
    SOFA_FIELD(VariationalSymplecticSolver, explicit_form, "explicitIntegration", "0", "",
               "explicit symplectic form instead of the implicit midpoint; without "
               "rayleighStiffness"),
    SOFA_FIELD(VariationalSymplecticSolver, file, "file", NULL, "",
               "CSV file of the energies, relative to the working directory"),
    SOFA_FIELD(VariationalSymplecticSolver, compute_hamiltonian, "computeHamiltonian", "1", "",
               "compute the energy of each step; saveEnergyInFile does, too"),
    SOFA_FIELD(VariationalSymplecticSolver, hamiltonian, "hamiltonianEnergy", "0", "J",
               "kinetic and potential energy at the end of the step; explicit form: at its start",
               .flags = SOFA_FIELD_OUTPUT),
    SOFA_FIELD(VariationalSymplecticSolver, incremental, "useIncrementalPotentialEnergy", "1", "",
               "sum up the work of the forces instead of asking for potential energies"),
    SOFA_FIELD(VariationalSymplecticSolver, thread_safe_visitor, "threadSafeVisitor", "0", "",
               "no effect", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(VariationalSymplecticSolver, linear_solver_link, "linearSolver", NULL, "",
               "linear solver of the Newton steps; default: the first in the node, then below",
               .link = &ode_linear_solver_rule),
};

/* ---- life ---- */

/* The file is only touched when something is to be written. */
static SofaErr open_file(VariationalSymplecticSolver *s) {
  SofaObject *object = &s->solver.object;
  if (s->csv || !s->save_energy) return SOFA_OK;
  if (!s->file || !s->file[0]) {
    sofa_object_message(object, SOFA_WARNING,
                        "saveEnergyInFile without a name in 'file': nothing is written");
    return SOFA_OK;
  }
  SOFA_TRY(output_file_check(object, "file", s->file));
  s->csv = fopen(s->file, "w");
  if (s->csv) return SOFA_OK;
  return sofa_field_fail(object, "file", SOFA_ERR_IO, "cannot write '%s': %s", s->file,
                         strerror(errno));
}

static SofaErr init(SofaObject *object) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)object;
  SOFA_TRY(ode_check_not_negative(object, "newtonError", s->newton_error));
  SOFA_TRY(ode_check_not_negative(object, "rayleighStiffness", s->rayleigh_stiffness));
  SOFA_TRY(ode_check_not_negative(object, "rayleighMass", s->rayleigh_mass));
  if (s->steps < 1 && object->ctx->keep_going) return ode_need_iterations(object, "steps", 0);
  if (!s->explicit_form)
    SOFA_TRY(ode_linear_solver(object, &s->linear_solver_link, &s->linear_solver));
  if (s->explicit_form && s->rayleigh_stiffness != 0)
    sofa_object_message(object, SOFA_WARNING,
                        "rayleighStiffness has no effect with explicitIntegration");
  SOFA_TRY(sofa_field_check_count(object, "steps", s->steps));
  const SofaErr err = open_file(s);
  return object->ctx->keep_going ? SOFA_OK : err;
}

static SofaErr reset(SofaObject *object) {
  ((VariationalSymplecticSolver *)object)->started = false;
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)object;
  if (s->csv) fclose(s->csv);
  s->csv = NULL;
  sofa_newton_report_free(object->ctx, &s->report);
}

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)solver;
  s->started = false;
  SOFA_TRY(sofa_mechanics_coord(m, &s->q));
  SOFA_TRY(sofa_mechanics_coord(m, &s->q0));
  SOFA_TRY(sofa_mechanics_deriv(m, &s->res));
  SOFA_TRY(sofa_mechanics_deriv(m, &s->b));
  SOFA_TRY(sofa_mechanics_deriv(m, &s->p));
  return sofa_mechanics_deriv(m, &s->w);
}

/* ---- energies ---- */

static double dot(const SofaMechanics *m, const double *a, const double *b) {
  return m->ctx->kernels->dot(m->ctx->threads, m->n_v_main, a, b);
}

static SofaErr potential_energy(SofaMechanics *m, double h, double *potential) {
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  double kinetic = 0;
  const SofaMechPoint at = sofa_mech_point(m, m->x, m->v, m->node->time);
  return sofa_mech_energies(m, &p, &at, &kinetic, potential);
}

static bool wants_energy(const VariationalSymplecticSolver *s) {
  return s->compute_hamiltonian || (s->save_energy && s->csv);
}

/* Like C++ streams: six significant digits, whatever the locale. */
static SofaErr write_row(VariationalSymplecticSolver *s, double time, double t, double u) {
  const double row[4] = {time, t, u, t + u};
  char text[32];
  for (int i = 0; i < 4; i++) {
    sofa_print_real(text, row[i], 6);
    fprintf(s->csv, "%s%s", i ? "," : "", text);
  }
  fputc('\n', s->csv);
  if (fflush(s->csv) == 0 && !ferror(s->csv)) return SOFA_OK;
  return sofa_field_fail(&s->solver.object, "file", SOFA_ERR_IO, "writing '%s' failed", s->file);
}

/* H = T + U with the kinetic energy t. */
static SofaErr hamiltonian(VariationalSymplecticSolver *s, SofaMechanics *m, double h, double t) {
  double u = s->potential;
  if (!s->incremental) SOFA_TRY(potential_energy(m, h, &u));
  s->hamiltonian = t + u;
  return s->save_energy && s->csv ? write_row(s, m->node->time, t, u) : SOFA_OK;
}

/* T = p.M^-1 p / 2 with the assembled mass. */
static SofaErr implicit_hamiltonian(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  const SofaMechParams mass = sofa_mech_params(h, m->node->time, 1, 0, 0);
  const SofaMechPoint at = sofa_mech_point(m, m->x, m->v, m->node->time);
  SOFA_TRY(sofa_linear_solver_build(s->linear_solver, m, &mass, &at));
  memset(s->w, 0, m->n_v * sizeof *s->w);
  SOFA_TRY(sofa_linear_solver_solve(s->linear_solver, s->p, s->w));
  return hamiltonian(s, m, h, 0.5 * dot(m, s->p, s->w));
}

/* ---- one step ---- */

/* p = M v; the potential energy to count from. */
static SofaErr start(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  memset(s->p, 0, m->n_v * sizeof *s->p);
  SOFA_TRY(sofa_mech_add_mdx(m, m->v, 1, s->p));
  if (wants_energy(s) && s->incremental) SOFA_TRY(potential_energy(m, h, &s->potential));
  if (!s->started && s->save_energy && s->csv)
    fputs("time,kinetic energy,potential energy, hamiltonian energy\n", s->csv);
  s->started = true;
  s->moved = false;
  return SOFA_OK;
}

/* ---- Newton on the midpoint ----
 *
 * With q = q0 + res the equation is f(q) + 2/h p - A res = 0, A = (4/h^2 + 2 rM/h) M - 2 rK/h K
 * (SOFA: 4 instead of 2, and no damping in the second half of the step);
 * an iteration solves (A - K) res_new = f(q) + 2/h p - K res for the whole new res. The mapped
 * parts of q and res are propagated for the forces and products. */

static bool damps_once(const VariationalSymplecticSolver *s) {
  const bool damped = s->rayleigh_mass > 0 || s->rayleigh_stiffness > 0;
  return damped && sofa_quirk(&s->solver.object, QUIRK_VARIATIONAL_DAMPING);
}

static double mass_factor(const VariationalSymplecticSolver *s) {
  return 4 / (s->h * s->h) + (damps_once(s) ? 4 : 2) * s->rayleigh_mass / s->h;
}

static double stiffness_factor(const VariationalSymplecticSolver *s) {
  return -1 - (damps_once(s) ? 4 : 2) * s->rayleigh_stiffness / s->h;
}

/* b = P (f(q) + 2/h p - K res), the right-hand side; R = b - P ((A - K) res). */
static SofaErr residual(void *user, double *square) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)user;
  SofaMechanics *m = s->m;
  SofaMechParams p = sofa_mech_params(s->h, m->node->time, 0, 0, 0);
  s->at = sofa_mech_point(m, s->q, m->v, m->node->time);
  SOFA_TRY(sofa_mech_propagate_x(m, &s->at, s->q));
  SOFA_TRY(sofa_mech_compute_force(m, &p, &s->at, m->f));
  memcpy(s->b, m->f, m->n_v * sizeof *s->b);
  for (size_t k = 0; k < m->n_v_main; k++) s->b[k] += 2 / s->h * s->p[k];
  const SofaMechParams minus_k = sofa_mech_params(s->h, m->node->time, 0, 0, -1);
  SOFA_TRY(sofa_mech_propagate_dx(m, &s->at, s->res));
  SOFA_TRY(sofa_mech_add_mbk(m, &minus_k, &s->at, s->res, s->b));
  SOFA_TRY(sofa_mech_project_response(m, &minus_k, s->b));

  /* the residual is only looked at */
  memset(s->w, 0, m->n_v * sizeof *s->w);
  p = sofa_mech_params(s->h, m->node->time, -mass_factor(s), 0, -stiffness_factor(s));
  if (s->moved) SOFA_TRY(sofa_mech_add_mbk(m, &p, &s->at, s->res, s->w));
  SOFA_TRY(sofa_mech_project_response(m, &p, s->w));
  for (size_t k = 0; k < m->n_v_main; k++) s->w[k] += s->b[k];
  *square = dot(m, s->w, s->w);
  return SOFA_OK;
}

static SofaErr build(VariationalSymplecticSolver *s) {
  const SofaMechParams a =
      sofa_mech_params(s->h, s->m->node->time, mass_factor(s), 0, stiffness_factor(s));
  return sofa_linear_solver_build(s->linear_solver, s->m, &a, &s->at);
}

static SofaErr solve(void *user) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)user;
  SOFA_TRY(build(s));
  s->moved = true;
  return sofa_linear_solver_solve(s->linear_solver, s->b, s->res);
}

/* q = q0 + res; the change is kept. */
static SofaErr advance(void *user, double alpha) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)user;
  SofaMechanics *m = s->m;
  (void)alpha; /* always 1: res is the whole new one */
  s->change = 0;
  memcpy(m->x, s->q0, m->n_x_main * sizeof *m->x); /* room for the new estimate */
  sofa_mech_integrate_x(m, 1, s->res, m->x);
  for (size_t k = 0; k < m->n_x_main; k++) {
    const double d = m->x[k] - s->q[k];
    s->change += d * d;
  }
  memcpy(s->q, m->x, m->n_x_main * sizeof *s->q);
  memcpy(m->x, s->q0, m->n_x_main * sizeof *m->x);
  return SOFA_OK;
}

static double correction(void *user) {
  return ((const VariationalSymplecticSolver *)user)->change;
}

/* |q_new - q| <= newtonError |q0| */
static bool converged(void *user) {
  const VariationalSymplecticSolver *s = (const VariationalSymplecticSolver *)user;
  const double error = s->norm0 > 0 ? sqrt(s->change) / s->norm0 : sqrt(s->change);
  return !(error > s->newton_error);
}

static SofaErr run_newton(VariationalSymplecticSolver *s) {
  const SofaNewtonCriteria criteria = {.iterations = s->steps, .late_residual = true};
  const SofaNewtonProblem problem = {.residual = residual,
                                     .solve = solve,
                                     .advance = advance,
                                     .correction = correction,
                                     .converged = converged,
                                     .user = s,
                                     .owner = &s->solver.object,
                                     .linear = s->linear_solver};
  return sofa_newton_solve(s->solver.object.ctx, &criteria, &problem, &s->report);
}

/* m->f += rK K v - rM M v. */
static SofaErr add_damping(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  if (!(s->rayleigh_mass > 0 || s->rayleigh_stiffness > 0) || damps_once(s)) return SOFA_OK;
  const SofaMechParams p =
      sofa_mech_params(h, m->node->time, -s->rayleigh_mass, 0, s->rayleigh_stiffness);
  SOFA_TRY(sofa_mech_propagate_dx(m, &s->at, m->v));
  memcpy(s->w, m->f, m->n_v_main * sizeof *s->w);
  SOFA_TRY(sofa_mech_add_mbk(m, &p, &s->at, m->v, s->w));
  memcpy(m->f, s->w, m->n_v_main * sizeof *m->f);
  return SOFA_OK;
}

/* v = 2/h res; p = h/2 P (f(midpoint) + damping) + M v; x = q0 + h v. */
static SofaErr finish(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  if (wants_energy(s) && s->incremental) s->potential -= 2 * dot(m, m->f, s->res);
  for (size_t k = 0; k < m->n_v_main; k++) m->v[k] = 2 / h * s->res[k];
  sofa_mech_integrate_x(m, h / 2, m->v, m->x);
  s->at = sofa_mech_point(m, m->x, m->v, p.time);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &s->at, m->f));
  SOFA_TRY(add_damping(s, m, h));
  SOFA_TRY(sofa_mech_project_response(m, &p, m->f));
  memset(s->p, 0, m->n_v * sizeof *s->p);
  SOFA_TRY(sofa_mech_add_mdx(m, m->v, 1, s->p));
  for (size_t k = 0; k < m->n_v_main; k++) s->p[k] += h / 2 * m->f[k];
  sofa_mech_integrate_x(m, h / 2, m->v, m->x);
  return wants_energy(s) ? implicit_hamiltonian(s, m, h) : SOFA_OK;
}

static void begin_implicit(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  double square = 0;
  memcpy(s->q0, m->x, m->n_x * sizeof *s->q0);
  memcpy(s->q, m->x, m->n_x * sizeof *s->q);
  memset(s->res, 0, m->n_v * sizeof *s->res);
  for (size_t k = 0; k < m->n_x_main; k++) square += m->x[k] * m->x[k];
  s->norm0 = sqrt(square);
  s->moved = false;
  s->m = m;
  s->h = h;
}

static SofaErr implicit_step(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  begin_implicit(s, m, h);
  SOFA_TRY(run_newton(s));
  /* mapped positions stay those of the last estimate for the closing force evaluation */
  const SofaMechPoint at = sofa_mech_point(m, s->q, m->v, m->node->time);
  SOFA_TRY(sofa_mech_propagate_x(m, &at, s->q));
  memcpy(m->x + m->n_x_main, s->q + m->n_x_main, (m->n_x - m->n_x_main) * sizeof *m->x);
  return finish(s, m, h);
}

/* The energy at the start of the step, with f there: potential energy by the trapezoidal rule. */
static SofaErr explicit_hamiltonian(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  if (s->moved && s->incremental) s->potential -= h / 2 * (dot(m, s->b, m->v) + dot(m, m->f, m->v));
  memcpy(s->b, m->f, m->n_v * sizeof *s->b);
  return hamiltonian(s, m, h, 0.5 * dot(m, s->p, m->v));
}

/* a = P (M^-1 (f + p/h) - rM v); v = h a, x += h v, p = M v. */
static SofaErr explicit_step(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  s->at = sofa_mech_point(m, m->x, m->v, p.time);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &s->at, m->f));
  if (wants_energy(s)) SOFA_TRY(explicit_hamiltonian(s, m, h));
  for (size_t k = 0; k < m->n_v_main; k++) m->f[k] += s->p[k] / h;
  memset(s->w, 0, m->n_v * sizeof *s->w);
  SOFA_TRY(sofa_mech_acc_from_f(m, m->f, s->w));
  if (s->rayleigh_mass > 0)
    for (size_t k = 0; k < m->n_v_main; k++) s->w[k] -= s->rayleigh_mass * m->v[k];
  SOFA_TRY(sofa_mech_project_response(m, &p, s->w));
  for (size_t k = 0; k < m->n_v_main; k++) m->v[k] = h * s->w[k];
  sofa_mech_integrate_x(m, h, m->v, m->x);
  memset(s->p, 0, m->n_v * sizeof *s->p);
  s->moved = true;
  return sofa_mech_add_mdx(m, m->v, 1, s->p);
}

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)solver;
  if (!s->explicit_form) {
    SOFA_TRY(ode_need_iterations(&solver->object, "steps", s->steps));
    SOFA_TRY(ode_need_linear_solver(&solver->object, s->linear_solver));
  }
  if (!s->started || m->node->time == 0) SOFA_TRY(start(s, m, h));
  return s->explicit_form ? explicit_step(s, m, h) : implicit_step(s, m, h);
}

static SofaErr assemble(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)solver;
  double square = 0;
  if (s->explicit_form || !ode_has_linear_solver(s->linear_solver)) return SOFA_OK;
  begin_implicit(s, m, h);
  SOFA_TRY(residual(s, &square));
  return build(s);
}

static const SofaOdeSolverOps ops = {.prepare = prepare, .step = step, .assemble = assemble};

SOFA_CLASS(VariationalSymplecticSolver) = {
    SOFA_NAMED(VariationalSymplecticSolver),
    .module = "Sofa.Component.ODESolver.Backward",
    .category = "OdeSolver",
    .help = "Variational integrator (Kharevych et al., 2006): implicit midpoint with Newton "
            "iterations, or the explicit symplectic form. Conserves momentum; the energy stays "
            "bounded over long times; second order.",
    .base = &sofa_ode_solver_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .init = init,
    .reset = reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
