/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* VariationalSymplecticSolver: variational integrator in its implicit midpoint and explicit forms.
 */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "object/checkpoint.h"
#include "object/outside_plans.h"
#include "components/odesolver/acceleration.h"
#include "components/odesolver/implicit_solver.h"
#include "components/odesolver/limited_step.h"
#include "numerics/io/output_file.h"
#include "simulation/gyroscopic.h"
#include "simulation/mapped_inertia.h"
#include "simulation/newton.h"

enum { QUIRK_VARIATIONAL_DAMPING = 1, QUIRK_VARIATIONAL_VELOCITY = 2, QUIRK_VARIATIONAL_WORK = 4 };
static const SofaQuirk quirks[] = {
    {QUIRK_VARIATIONAL_WORK, "variational-work",
     "VariationalSymplecticSolver's potential energy is the work of the forces, step by step",
     "test_energies.hamiltonian_of_the_true_potential"},
    {QUIRK_VARIATIONAL_DAMPING, "variational-damping",
     "VariationalSymplecticSolver damps in the first half of each step alone",
     "test_integrators_linear.quirk_of_the_variational_solver"},
    {QUIRK_VARIATIONAL_VELOCITY, "variational-velocity",
     "VariationalSymplecticSolver's first half step has the forces of the step before's velocity",
     "test_integrators_linear.quirk_of_the_variational_solver"},
    QUIRK_COMPONENT_RAYLEIGH_ROW,
    QUIRK_MASS_BELOW_MAPPING_ROW,
};

typedef struct VariationalSymplecticSolver {
  ImplicitSolver base;
  double newton_error, hamiltonian;
  uint32_t steps;
  bool save_energy, compute_hamiltonian, incremental, thread_safe_visitor;
  char *file;
  SofaMechPoint at;                 /* of the estimate q, or of the step */
  double *q, *q0, *res, *b, *p, *w; /* positions; derivs: Newton update, rhs, momentum, M^-1 p */
  double potential;                 /* accumulated potential energy */
  bool sums;                        /* it is the one in use */
  /* hamiltonianEnergy that nobody has read yet: its kinetic part, where and when it is */
  bool pending;
  double kinetic, *x_pending, time_pending;
  bool mass_built; /* the linear solver has the mass, for the energy */
  bool started;    /* p and the potential are those of the step before */
  SofaOutputFile *csv;
  SofaText line;           /* of it */
  SofaNewtonReport report; /* of the last step */
  /* of the current step */
  SofaMechanics *m;
  double h, norm0, change; /* |q0|; |dq|^2 of the iteration */
  bool moved;              /* res is not 0 any more; explicit form: since the start */
  LimitedStep limited;     /* with step limiters: see limited_step */
} VariationalSymplecticSolver;

enum { HAMILTONIAN = 6 }; /* its row */
static const SofaField fields[] = {
    SOFA_FIELD(VariationalSymplecticSolver, newton_error, "newtonError", "0.01", "1",
               "Newton stops when the positions change by less than this times their norm",
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_FIELD(VariationalSymplecticSolver, steps, "steps", "5", "1",
               "largest number of Newton iterations", .range = SOFA_AT_LEAST(1)),
    SOFA_FIELD(VariationalSymplecticSolver, save_energy, "saveEnergyInFile", "0", "",
               "write the energies of each step to 'file'"),
    SOFA_FIELD(VariationalSymplecticSolver, base.explicit_form, "explicitIntegration", "0", "",
               "explicit symplectic form instead of the implicit midpoint; without "
               "rayleighStiffness"),
    SOFA_FIELD(VariationalSymplecticSolver, file, "file", NULL, "",
               "CSV file of the energies, relative to the working directory"),
    SOFA_FIELD(VariationalSymplecticSolver, compute_hamiltonian, "computeHamiltonian", "1", "",
               "compute the energy of each step; saveEnergyInFile does, too"),
    [HAMILTONIAN] = SOFA_FIELD(
        VariationalSymplecticSolver, hamiltonian, "hamiltonianEnergy", "0", "J",
        "kinetic and potential energy at the end of the step; explicit form: at its start",
        .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY),
    SOFA_FIELD(VariationalSymplecticSolver, incremental, "useIncrementalPotentialEnergy", "1", "",
               "sum up the work of the forces instead of asking for potential energies; without a "
               "value in the scene only where a force field has none"),
    SOFA_FIELD(VariationalSymplecticSolver, thread_safe_visitor, "threadSafeVisitor", "0", "",
               "no effect", .flags = SOFA_FIELD_NO_EFFECT),
};

/* ---- life ---- */

/* The file is only touched when something is to be written. */
static SofaErr open_file(VariationalSymplecticSolver *s) {
  SofaObject *object = &s->base.solver.object;
  if (!s->save_energy) return SOFA_OK;
  if (!s->file || !s->file[0]) {
    sofa_object_message(object, SOFA_WARNING,
                        "saveEnergyInFile without a name in 'file': nothing is written");
    return SOFA_OK;
  }
  return sofa_output_file_open(object, "file", s->file, &s->csv);
}

static SofaErr init(SofaObject *object) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)object;
  if (s->base.explicit_form && s->base.rayleigh_stiffness != 0)
    sofa_object_message(object, SOFA_WARNING,
                        "rayleighStiffness has no effect with explicitIntegration");
  const SofaErr err = open_file(s);
  return object->ctx->keep_going ? SOFA_OK : err;
}

static SofaErr reset(SofaObject *object) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)object;
  s->started = s->pending = false;
  s->hamiltonian = 0;
  sofa_field_touch(object, &fields[HAMILTONIAN]);
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)object;
  sofa_output_file_close(&s->csv);
  sofa_list_free(object->ctx, &s->line);
  sofa_newton_report_free(object->ctx, &s->report);
}

/* The force of a limiter is that at the end of the step, handed on at the midpoint. */
static SofaErr prepare_limited(VariationalSymplecticSolver *s, SofaMechanics *m) {
  if (sofa_mech_limit_bends(m))
    return sofa_object_fail(&s->base.solver.object, SOFA_ERR_UNSUPPORTED,
                            "the %s '%s' limits the steps: VariationalSymplecticSolver cannot "
                            "limit those of rotations and of mappings that are not linear, "
                            "BDFOdeSolver and StaticSolver can",
                            m->limiters[0]->klass->name, m->limiters[0]->name);
  for (size_t i = 0; i < m->n_limiters; i++) {
    const SofaStepLimiterOps *ops = sofa_ops(m->limiters[i], SOFA_STEP_LIMITER);
    if (!ops->look_ahead)
      return sofa_object_fail(&s->base.solver.object, SOFA_ERR_UNSUPPORTED,
                              "the %s '%s' limits the steps, and knows no forces elsewhere than at "
                              "their end: take another solver, for instance BDFOdeSolver",
                              m->limiters[i]->klass->name, m->limiters[i]->name);
  }
  return limited_step_prepare(&s->limited, &s->base, m);
}

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)solver;
  s->started = s->pending = false;
  if (s->base.explicit_form) SOFA_TRY(acceleration_check(&solver->object, m));
  SOFA_TRY(sofa_mechanics_coord(m, &s->q));
  SOFA_TRY(sofa_mechanics_coord(m, &s->q0));
  SOFA_TRY(sofa_mechanics_coord(m, &s->x_pending));
  SOFA_TRY(sofa_mechanics_deriv(m, &s->res));
  SOFA_TRY(sofa_mechanics_deriv(m, &s->b));
  SOFA_TRY(sofa_mechanics_deriv(m, &s->p));
  if (sofa_mech_is_limited(m)) SOFA_TRY(prepare_limited(s, m));
  return sofa_mechanics_deriv(m, &s->w);
}

/* ---- energies ---- */

static double dot(const SofaMechanics *m, const double *a, const double *b) {
  return sofa_vec_dot(sofa_main_v(m), a, b);
}

static SofaErr potential_energy(VariationalSymplecticSolver *s, SofaMechanics *m, double h,
                                double *potential) {
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  double kinetic = 0;
  const SofaMechPoint at = sofa_mech_point(m, s->base.solver.x, s->base.solver.v, m->node->time);
  return sofa_mech_energies(m, &p, &at, &kinetic, potential);
}

static bool writes_rows(const VariationalSymplecticSolver *s) {
  return s->save_energy && s->csv;
}

/* Can the potential energy wait until it is read? It does not where it needs what moves on: states
 * outside the plan, and other processes. */
static bool can_wait(const VariationalSymplecticSolver *s, const SofaMechanics *m) {
  return !s->sums && !writes_rows(s) && m->outside_size == 0 && !m->divided;
}

static void wait_for_reader(VariationalSymplecticSolver *s, const SofaMechanics *m, double t) {
  s->kinetic = t;
  s->time_pending = m->node->time;
  sofa_vec_copy(sofa_all_x(m), s->base.solver.x, s->x_pending);
  s->pending = true;
}

/* The plan of the step, while the graph is as it was. */
static SofaMechanics *plan_of_step(const VariationalSymplecticSolver *s) {
  const SofaOdeSolver *solver = &s->base.solver;
  const SofaNode *node = solver->object.node;
  SofaMechanics *m = node->mechanics;
  const bool same = m && m == solver->mechanics && m->serial == solver->plan_version &&
                    sofa_graph_same_plans(m->graph_version, *node->graph_version);
  return same ? m : NULL;
}

/* After a change of the graph, such as of a topology, the energy is that of what is there now. */
static SofaErr compute_output(SofaObject *object, const SofaField *field) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)object;
  SofaMechanics *m = plan_of_step(s);
  double kinetic = s->kinetic, potential = 0, now = 0;
  if (field != &fields[HAMILTONIAN] || !s->pending) return SOFA_OK;
  const bool same = m != NULL;
  if (!same) SOFA_TRY(sofa_node_mechanics(object->node, &m));
  const double time = same ? s->time_pending : m->node->time;
  const SofaMechParams p = sofa_mech_params(m->h, time, 0, 0, 0);
  const SofaMechPoint at = sofa_mech_point(m, same ? s->x_pending : m->x, m->v, time);
  SOFA_TRY(sofa_mech_energies(m, &p, &at, same ? &now : &kinetic, &potential));
  s->hamiltonian = kinetic + potential;
  s->pending = false;
  sofa_field_touch(object, field);
  return SOFA_OK;
}

static bool wants_energy(const VariationalSymplecticSolver *s) {
  return s->compute_hamiltonian || writes_rows(s);
}

/* Like C++ streams: six significant digits, whatever the locale. */
static SofaErr write_row(VariationalSymplecticSolver *s, double time, double t, double u) {
  SofaContext *ctx = s->base.solver.object.ctx;
  const double row[4] = {time, t, u, t + u};
  s->line.n = 0;
  for (int i = 0; i < 4; i++) {
    SOFA_TRY(sofa_text_append(ctx, &s->line, ",", i > 0));
    SOFA_TRY(sofa_text_real(ctx, &s->line, row[i], 6));
  }
  SOFA_TRY(sofa_text_append(ctx, &s->line, "\n", 1));
  return sofa_output_file_write(s->csv, s->line.data, s->line.n);
}

/* H = T + U with the kinetic energy t. */
static SofaErr hamiltonian(VariationalSymplecticSolver *s, SofaMechanics *m, double h, double t) {
  double u = s->potential;
  s->pending = false;
  if (can_wait(s, m)) {
    wait_for_reader(s, m, t);
    return SOFA_OK;
  }
  if (!s->sums) SOFA_TRY(potential_energy(s, m, h, &u));
  s->hamiltonian = t + u;
  sofa_field_touch(&s->base.solver.object, &fields[HAMILTONIAN]);
  return writes_rows(s) ? write_row(s, m->node->time, t, u) : SOFA_OK;
}

/* T = p.M^-1 p / 2 with the assembled mass. */
static SofaErr implicit_hamiltonian(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  const SofaMechParams mass = sofa_mech_params(h, m->node->time, 1, 0, 0);
  const SofaMechPoint at = sofa_mech_point(m, s->base.solver.x, s->base.solver.v, m->node->time);
  s->mass_built = true;
  SOFA_TRY(sofa_linear_solver_build(s->base.linear_solver, m, &mass, &at));
  sofa_vec_zero(sofa_all_v(m), s->w);
  SOFA_TRY(sofa_linear_solver_solve(s->base.linear_solver, s->p, s->w));
  return hamiltonian(s, m, h, 0.5 * dot(m, s->p, s->w));
}

/* ---- one step ---- */

/* The force fields without a potential energy, as a list for a message. */
static SofaErr list_without_energy(const SofaMechanics *m, SofaText *out) {
  for (size_t i = 0; i < m->n_force_fields; i++) {
    const SofaForceField *ff = m->force_fields[i];
    if (ff->mass_ops || sofa_force_field_has_energy(ff)) continue;
    char *path = sofa_object_path(&ff->object);
    const SofaErr err = sofa_text_printf(m->ctx, out, "%s%s", out->n ? ", " : "", path ? path : "");
    sofa_free(m->ctx, path);
    if (err != SOFA_OK) return err;
  }
  return SOFA_OK;
}

/* The sum of the work cannot show a drift: it is used where the scene says so, or there is no other
 * way. */
static SofaErr choose_potential(VariationalSymplecticSolver *s, const SofaMechanics *m) {
  const SofaObject *object = &s->base.solver.object;
  const bool given = sofa_field_is_set(object, "useIncrementalPotentialEnergy");
  const bool asked = given || s->save_energy || sofa_field_is_set(object, "computeHamiltonian");
  SofaText text = {0};
  s->sums = s->incremental;
  if ((given && s->incremental) || sofa_quirk(object, QUIRK_VARIATIONAL_WORK)) return SOFA_OK;
  const SofaErr err = list_without_energy(m, &text);
  s->sums = s->incremental && text.n > 0;
  if (err == SOFA_OK && text.n > 0)
    sofa_object_message(object, asked ? SOFA_WARNING : SOFA_INFO,
                        "hamiltonianEnergy %s: these have no potential energy: %s",
                        s->sums ? "has the work of the forces" : "lacks a part", text.data);
  sofa_list_free(m->ctx, &text);
  return err;
}

/* p = M v; the potential energy to count from. */
static SofaErr start(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  static const char head[] = "time,kinetic energy,potential energy, hamiltonian energy\n";
  const SofaMechPoint at = sofa_mech_point(m, s->base.solver.x, s->base.solver.v, m->node->time);
  sofa_vec_zero(sofa_all_v(m), s->p);
  SOFA_TRY(sofa_mech_add_mdx(m, &at, s->base.solver.v, 1, s->p));
  if (wants_energy(s)) SOFA_TRY(choose_potential(s, m));
  if (wants_energy(s) && s->sums) SOFA_TRY(potential_energy(s, m, h, &s->potential));
  if (writes_rows(s)) SOFA_TRY(sofa_output_file_write(s->csv, head, sizeof head - 1));
  s->started = true;
  s->moved = false;
  return SOFA_OK;
}

/* ---- Newton on the midpoint ----
 *
 * With q = q0 + res and u = 2/h res, its velocity, the equation is f(q, u) + 2/h p - A res = 0,
 * A = (4/h^2 + 2 rM/h) M - 2 rK/h K
 * (SOFA: 4 instead of 2, and no damping in the second half of the step; u of the step before);
 * an iteration solves (A - K - 2/h B) res_new = f(q, u) + 2/h p - (K + 2/h B) res for the whole new
 * res. The components' own Rayleigh damping is a part of f and B. The mapped parts of q, u and res
 * are propagated for the forces and products. */

static bool damps_once(const VariationalSymplecticSolver *s) {
  return is_damped(&s->base) && sofa_quirk(&s->base.solver.object, QUIRK_VARIATIONAL_DAMPING);
}

static bool takes_old_velocity(const VariationalSymplecticSolver *s) {
  return sofa_quirk(&s->base.solver.object, QUIRK_VARIATIONAL_VELOCITY);
}

/* du/dres */
static double velocity_factor(const VariationalSymplecticSolver *s) {
  return takes_old_velocity(s) ? 0 : 2 / s->h;
}

static double mass_factor(const VariationalSymplecticSolver *s) {
  return 4 / (s->h * s->h) + (damps_once(s) ? 4 : 2) * s->base.rayleigh_mass / s->h;
}

static double stiffness_factor(const VariationalSymplecticSolver *s) {
  return -1 - (damps_once(s) ? 4 : 2) * s->base.rayleigh_stiffness / s->h;
}

/* The estimate changed: its point. u is written to the state's velocity. */
static SofaErr begin_point(VariationalSymplecticSolver *s) {
  SofaMechanics *m = s->m;
  double *u = s->base.solver.v;
  if (!takes_old_velocity(s)) sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({2 / s->h, s->res}), u);
  s->at = sofa_mech_point(m, s->q, u, m->node->time);
  SOFA_TRY(sofa_mech_propagate_x(m, &s->at, s->q));
  return takes_old_velocity(s) ? SOFA_OK : sofa_mech_propagate_dx(m, &s->at, u);
}

/* m->f: the rate of the momenta at the point. */
static SofaErr midpoint_force(VariationalSymplecticSolver *s, SofaMechanics *m,
                              const SofaMechParams *p) {
  SOFA_TRY(sofa_mech_compute_force(m, p, &s->at, m->f));
  return sofa_mech_add_transport(m, &s->at, s->at.v, SOFA_TRANSPORT_OF_MOMENTUM, m->f);
}

/* b = P (f + 2/h p - (K + 2/h B) res), the right-hand side; R = b - P ((A - K - 2/h B) res). */
static SofaErr residual(void *user, double *square) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)user;
  SofaMechanics *m = s->m;
  SofaMechParams p = sofa_mech_params(s->h, m->node->time, 0, 0, 0);
  SOFA_TRY(begin_point(s));
  SOFA_TRY(midpoint_force(s, m, &p));
  sofa_vec_copy(sofa_all_v(m), m->f, s->b);
  sofa_vec_add(sofa_main_v(m), 2 / s->h, s->p, s->b);
  SofaMechParams minus_k = sofa_mech_params(s->h, m->node->time, 0, -velocity_factor(s), -1);
  minus_k.iterates = true;
  SOFA_TRY(sofa_mech_propagate_dx(m, &s->at, s->res));
  SOFA_TRY(sofa_mech_add_mbk(m, &minus_k, &s->at, s->res, s->b));
  SOFA_TRY(sofa_mech_project_response(m, &minus_k, s->b));

  /* the residual is only looked at */
  sofa_vec_zero(sofa_all_v(m), s->w);
  p = sofa_mech_params(s->h, m->node->time, -mass_factor(s), velocity_factor(s),
                       -stiffness_factor(s));
  p.iterates = true;
  if (s->moved) SOFA_TRY(sofa_mech_add_mbk(m, &p, &s->at, s->res, s->w));
  SOFA_TRY(sofa_mech_project_response(m, &p, s->w));
  sofa_vec_add(sofa_main_v(m), 1, s->b, s->w);
  *square = dot(m, s->w, s->w);
  return SOFA_OK;
}

static SofaErr build(VariationalSymplecticSolver *s) {
  SofaMechParams a = sofa_mech_params(s->h, s->m->node->time, mass_factor(s), -velocity_factor(s),
                                      stiffness_factor(s));
  a.iterates = true;
  return sofa_linear_solver_build(s->base.linear_solver, s->m, &a, &s->at);
}

static SofaErr solve(void *user) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)user;
  SOFA_TRY(build(s));
  s->moved = true;
  return sofa_linear_solver_solve(s->base.linear_solver, s->b, s->res);
}

/* q = q0 + res; the change is kept. */
static SofaErr advance(void *user, double alpha) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)user;
  SofaMechanics *m = s->m;
  const SofaSpace space = sofa_main_x(m);
  double *x = s->base.solver.x;
  (void)alpha;                    /* always 1: res is the whole new one */
  sofa_vec_copy(space, s->q0, x); /* room for the new estimate */
  sofa_mech_integrate_x(m, 1, s->res, x);
  sofa_vec_lincomb(space, SOFA_TERMS({1, x}, {-1, s->q}), s->q);
  s->change = sofa_vec_dot(space, s->q, s->q);
  sofa_vec_copy(space, x, s->q);
  sofa_vec_copy(space, s->q0, x);
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

static SofaErr rounding(void *user, double *square) {
  const VariationalSymplecticSolver *s = (const VariationalSymplecticSolver *)user;
  const SofaMechParams p = sofa_mech_params(s->h, s->m->node->time, 0, 0, 0);
  return sofa_mech_rounding(s->m, &p, &s->at, square);
}

static SofaErr run_newton(VariationalSymplecticSolver *s) {
  const SofaNewtonCriteria criteria = {
      .iterations = s->steps, .rounding = true, .late_residual = true};
  const SofaNewtonProblem problem = {.residual = residual,
                                     .solve = solve,
                                     .advance = advance,
                                     .correction = correction,
                                     .converged = converged,
                                     .rounding = rounding,
                                     .user = s,
                                     .owner = &s->base.solver.object,
                                     .linear = s->base.linear_solver};
  SOFA_TRY(sofa_newton_solve(s->base.solver.object.ctx, &criteria, &problem, &s->report));
  bool met = false;
  return sofa_newton_tell(&s->base.solver.object, &s->report, &s->base.solver.solves, &met);
}

/* m->f += rK K v - rM M v. */
static SofaErr add_damping(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  if (!is_damped(&s->base) || damps_once(s)) return SOFA_OK;
  const SofaMechParams p =
      sofa_mech_params(h, m->node->time, -s->base.rayleigh_mass, 0, s->base.rayleigh_stiffness);
  double *v = s->base.solver.v;
  SOFA_TRY(sofa_mech_propagate_dx(m, &s->at, v));
  sofa_vec_copy(sofa_main_v(m), m->f, s->w);
  SOFA_TRY(sofa_mech_add_mbk(m, &p, &s->at, v, s->w));
  sofa_vec_copy(sofa_main_v(m), s->w, m->f);
  return SOFA_OK;
}

/* The spins of bodies that turn are those of their momenta, where the bodies are now; with masses
 * below mappings they stay those of the midpoint, as all velocities. */
static SofaErr show_spins(VariationalSymplecticSolver *s, SofaMechanics *m) {
  if (!sofa_mech_turns(m) || m->mapped_masses) return SOFA_OK;
  const SofaMechPoint at = sofa_mech_point(m, s->base.solver.x, s->base.solver.v, m->node->time);
  return sofa_mech_spin_of_momentum(m, &at, s->p, 0, s->base.solver.v);
}

/* v = 2/h res; p = h/2 P (f(midpoint) + damping) + M v; x = q0 + h v. The angular momenta of bodies
 * that turn are balanced as such, p += h P f, which is the same at the root: they are then kept
 * whatever Newton leaves.
 * The work of the forces along 2 res: with step limiters Newton's force contains theirs, which is
 * that at the end of the step, twice, and the force of the momenta does not contain it. */
static SofaErr finish(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  const bool sums = wants_energy(s) && s->sums, limited = sofa_mech_is_limited(m);
  if (sums) s->potential -= (limited ? 1 : 2) * dot(m, m->f, s->res);
  double *x = s->base.solver.x, *v = s->base.solver.v;
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({2 / h, s->res}), v);
  sofa_mech_integrate_x(m, h / 2, v, x);
  s->at = sofa_mech_point(m, x, v, p.time);
  if (!takes_old_velocity(s)) SOFA_TRY(sofa_mech_propagate_dx(m, &s->at, v));
  sofa_mech_limit_ahead(m, 0);
  const SofaErr err = midpoint_force(s, m, &p);
  sofa_mech_limit_ahead(m, 1);
  SOFA_TRY(err);
  if (sums && limited) s->potential -= dot(m, m->f, s->res);
  SOFA_TRY(add_damping(s, m, h));
  SOFA_TRY(sofa_mech_project_response(m, &p, m->f));
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({1, s->p}, {h, m->f}), s->w);
  sofa_vec_zero(sofa_all_v(m), s->p);
  SOFA_TRY(sofa_mech_add_mdx(m, &s->at, v, 1, s->p));
  sofa_vec_add(sofa_main_v(m), h / 2, m->f, s->p);
  sofa_mech_copy_spins(m, s->w, s->p);
  sofa_mech_integrate_x(m, h / 2, v, x);
  SOFA_TRY(show_spins(s, m));
  return wants_energy(s) ? implicit_hamiltonian(s, m, h) : SOFA_OK;
}

static void begin_implicit(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  const double *x = s->base.solver.x;
  sofa_vec_copy(sofa_all_x(m), x, s->q0);
  sofa_vec_copy(sofa_all_x(m), x, s->q);
  sofa_vec_zero(sofa_all_v(m), s->res);
  s->norm0 = sofa_vec_norm(sofa_main_x(m), x);
  s->moved = false;
  s->m = m;
  s->h = h;
}

/* Newton begins at the spins that bodies have without torques: M depends on the midpoint, and the
 * matrix does not have its derivative. */
static SofaErr guess_spins(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  if (!sofa_mech_turns(m) || m->mapped_masses) return SOFA_OK;
  const SofaMechPoint at = sofa_mech_point(m, s->q0, s->base.solver.v, m->node->time);
  SOFA_TRY(sofa_mech_spin_of_momentum(m, &at, s->p, h / 2, s->res));
  sofa_vec_scale(sofa_main_v(m), h / 2, s->res);
  sofa_mech_integrate_x(m, 1, s->res, s->q);
  return SOFA_OK;
}

/* With step limiters: their potential C is taken at the end x1 of the step, implicitly, as an
 * impulse h C'(x1) before the step, the other forces at the midpoint. The step is then the minimum
 * of 2/h^2 d M d - 2/h p d + V(x0 + d) + C(x0 + 2 d) by the midpoint's change d. */
static SofaErr limited_step(VariationalSymplecticSolver *s) {
  LimitedStep *l = &s->limited;
  SofaMechanics *m = s->m;
  const double h = s->h;
  SOFA_TRY(limited_step_begin(l, h));
  l->ahead = 2;
  l->inertia = 4 / (h * h);
  l->rate = 2 / h;
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({2 / h, s->p}), l->load);
  sofa_vec_zero(sofa_main_v(m), l->v_start);
  sofa_vec_lincomb(sofa_main_v(m), SOFA_TERMS({h / 2, s->base.solver.v}), l->d);
  SOFA_TRY(limited_step_solve(l)); // where it is restored, what follows is not read
  sofa_vec_copy(sofa_main_v(m), l->d, s->res);
  sofa_vec_copy(sofa_all_x(m), l->x, s->q);
  s->moved = true;
  return SOFA_OK;
}

static SofaErr implicit_step(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  begin_implicit(s, m, h);
  SOFA_TRY(guess_spins(s, m, h));
  SOFA_TRY((sofa_mech_is_limited(m) ? limited_step : run_newton)(s));
  if (sofa_mech_is_limited(m) && s->limited.restored) return SOFA_OK;
  /* mapped positions stay those of the last estimate for the closing force evaluation */
  const SofaMechPoint at = sofa_mech_point(m, s->q, s->base.solver.v, m->node->time);
  SOFA_TRY(sofa_mech_propagate_x(m, &at, s->q));
  sofa_vec_copy(sofa_mapped_x(m), s->q, s->base.solver.x);
  return finish(s, m, h);
}

/* The energy at the start of the step, with f there: potential energy by the trapezoidal rule. */
static SofaErr explicit_hamiltonian(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  const double *v = s->base.solver.v;
  if (s->moved && s->sums) s->potential -= h / 2 * (dot(m, s->b, v) + dot(m, m->f, v));
  sofa_vec_copy(sofa_all_v(m), m->f, s->b);
  return hamiltonian(s, m, h, 0.5 * dot(m, s->p, v));
}

/* a = P (M^-1 (f + p/h) - rM v); v = h a, x += h v, p = M v. */
static SofaErr explicit_step(VariationalSymplecticSolver *s, SofaMechanics *m, double h) {
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 0, 0, 0);
  const SofaSpace space = sofa_main_v(m);
  double *x = s->base.solver.x, *v = s->base.solver.v;
  s->at = sofa_mech_point(m, x, v, p.time);
  if (sofa_mech_turns(m)) sofa_vec_copy(sofa_main_x(m), x, s->q);
  SOFA_TRY(sofa_mech_compute_force(m, &p, &s->at, m->f));
  if (wants_energy(s)) SOFA_TRY(explicit_hamiltonian(s, m, h));
  sofa_vec_add_quotient(space, s->p, h, m->f);
  SOFA_TRY(sofa_mech_acc_from_f(m, &s->at, m->f, s->w));
  if (s->base.rayleigh_mass > 0) sofa_vec_add(space, -s->base.rayleigh_mass, v, s->w);
  SOFA_TRY(sofa_mech_project_response(m, &p, s->w));
  sofa_vec_lincomb(space, SOFA_TERMS({h, s->w}), v);
  sofa_vec_zero(sofa_all_v(m), s->p);
  SOFA_TRY(sofa_mech_add_mdx(m, &s->at, v, 1, s->p));
  sofa_mech_integrate_x(m, h, v, x);
  s->moved = true;
  return show_spins(s, m);
}

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)solver;
  if (!s->base.explicit_form) {
    SOFA_TRY(ode_need_linear_solver(&solver->object, s->base.linear_solver));
  }
  if (!s->started) SOFA_TRY(start(s, m, h));
  return s->base.explicit_form ? explicit_step(s, m, h) : implicit_step(s, m, h);
}

static SofaErr assemble(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)solver;
  double square = 0;
  if (s->base.explicit_form || !ode_has_linear_solver(s->base.linear_solver)) return SOFA_OK;
  begin_implicit(s, m, h);
  SOFA_TRY(residual(s, &square));
  return build(s);
}

/* The system at the midpoint of the step. */
static SofaErr build_again(VariationalSymplecticSolver *s) {
  s->mass_built = false;
  SOFA_TRY(begin_point(s));
  return build(s);
}

/* A force J^T lambda at the midpoint moves the midpoint by c: the velocity, the mean of the step,
 * by 2/h c, the end by 2 c. Explicit form: a force at the start changes the acceleration by c. */
static SofaErr factors(SofaOdeSolver *solver, double h, SofaOdeFactors *out) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)solver;
  if (!s->base.explicit_form && s->mass_built) SOFA_TRY(build_again(s));
  *out = s->base.explicit_form ? (SofaOdeFactors){h * h, h, NULL}
                               : (SofaOdeFactors){2, 2 / h, s->base.linear_solver};
  return SOFA_OK;
}

/* The momentum. Explicit: p = M v. Implicit: the force J^T lambda = A c acts in the second half of
 * the step, too, with what it changes of f and the damping: p changes by 2/h M c for the mean
 * velocity and by h/2 (A c + K c + 2/h B c + 2/h (rK K - rM M) c), which is 2/h M c again (SOFA:
 * see damps_once). */
static SofaErr corrected(SofaOdeSolver *solver, SofaMechanics *m, double h, const double *c) {
  VariationalSymplecticSolver *s = (VariationalSymplecticSolver *)solver;
  /* M where the step took it */
  const SofaMechPoint at = sofa_mech_point(m, s->q, s->base.solver.v, m->node->time);
  SOFA_TRY(sofa_mech_add_mdx(m, &at, c, s->base.explicit_form ? h : 4 / h, s->p));
  if (s->base.explicit_form || !damps_once(s)) return show_spins(s, m);
  const SofaMechParams p = sofa_mech_params(h, m->node->time, 2 * s->base.rayleigh_mass, 0,
                                            -2 * s->base.rayleigh_stiffness);
  sofa_vec_copy(sofa_main_v(m), c, s->w);
  s->at = sofa_mech_point(m, s->q, s->base.solver.v, m->node->time);
  SOFA_TRY(sofa_mech_propagate_x(m, &s->at, s->q));
  SOFA_TRY(sofa_mech_propagate_dx(m, &s->at, s->w));
  return sofa_mech_add_mbk(m, &p, &s->at, s->w, s->p);
}

static unsigned traits(const SofaOdeSolver *solver) {
  const VariationalSymplecticSolver *s = (const VariationalSymplecticSolver *)solver;
  return ode_damping_traits(solver) |
         (s->base.explicit_form ? SOFA_ODE_DIVIDES_BY_MASS : SOFA_ODE_LIMITS_STEPS);
}

static void quirk_factors(double dt, double *position, double *velocity) {
  (void)dt;
  *position = 0;
  *velocity = 0;
}

static const SofaOdeSolverOps ops = {.prepare = prepare,
                                     .step = step,
                                     .assemble = assemble,
                                     .factors = factors,
                                     .quirk_factors = quirk_factors,
                                     .corrected = corrected,
                                     .traits = traits};

/* ---- checkpoints: the file goes on ---- */

static SofaErr save_file(const SofaObject *object, SofaCheckpointWriter *to) {
  sofa_output_file_save(((const VariationalSymplecticSolver *)object)->csv, to);
  return SOFA_OK;
}

static SofaErr restore_file(SofaObject *object, SofaCheckpointReader *from) {
  return sofa_output_file_restore(((VariationalSymplecticSolver *)object)->csv, from);
}

static const SofaCheckpointOps checkpoint = {.save = save_file, .restore = restore_file};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(VariationalSymplecticSolver, potential),
    SOFA_KEEP(VariationalSymplecticSolver, pending),
    SOFA_KEEP(VariationalSymplecticSolver, kinetic),
    SOFA_KEEP(VariationalSymplecticSolver, time_pending),
    SOFA_KEEP(VariationalSymplecticSolver, sums),
    SOFA_KEEP(VariationalSymplecticSolver, started),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(VariationalSymplecticSolver, at),
    SOFA_REMADE(VariationalSymplecticSolver, h),
    SOFA_REMADE(VariationalSymplecticSolver, m),
    SOFA_REMADE(VariationalSymplecticSolver, mass_built),
    SOFA_REMADE(VariationalSymplecticSolver, moved),
    SOFA_REMADE(VariationalSymplecticSolver, norm0),
    SOFA_REMADE(VariationalSymplecticSolver, report),
};

SOFA_CLASS(VariationalSymplecticSolver) = {
    SOFA_NAMED(VariationalSymplecticSolver),
    .module = "Sofa.Component.ODESolver.Backward",
    .category = "OdeSolver",
    .help = "Variational integrator (Kharevych et al., 2006): implicit midpoint with Newton "
            "iterations, or the explicit symplectic form. Conserves momentum; the energy stays "
            "bounded over long times; second order.",
    .equations = "p = M u - h/2 f(x + h/2 u, u)\n"
                 "x' = x + h u\n"
                 "p' = M u + h/2 f(x + h/2 u, u)\n"
                 "\"p: momenta, kept by the solver; u: mean velocity of the step; without its "
                 "Rayleigh damping\"",
    .base = &damped_solver_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_SPARES(spared),
    .checkpoint = &checkpoint,
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .init = init,
    .reset = reset,
    .compute_output = compute_output,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
