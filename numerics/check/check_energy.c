/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Check of energies: the balance of every step. */
#include <math.h>

#include "math/quaternion.h"
#include "numerics/check/check_impl.h"
#include "simulation/schedule.h"
#include "simulation/vectors.h"

/* Forces at one end of a step, on the independent states. */
typedef struct Ends {
  double *brakes;  /* what velocities change of the forces */
  double *loads;   /* at rest, of force fields without an energy */
  double *elastic; /* at rest, of force fields whose energy is not exact */
  double *all;
} Ends;
enum { N_FORCES = sizeof(Ends) / sizeof(double *) };

/* What is kept of a plan between two steps; vectors are owned. */
typedef struct Kept {
  SofaOdeSolver *solver;
  uint64_t plan; /* its serial; 0: nothing is kept */
  double time, *x, *v, *way, *mass_v;
  Ends begin, end;
  double kinetic, potential, inexact, weight; /* inexact: part of potential; weight: that of masses
                                                 with separateGravity, which potential is without */
  double historic;   /* part of potential: of force fields with a history */
  double dissipated; /* by these since the start */
} Kept;
SOFA_LIST(Kept, KeptList);

struct SofaEnergyCheck {
  SofaSimulation *simulation;
  SofaSchedule *schedule;
  KeptList kept;
  double sum, most, worst; /* of residuals; largest energy; residual of the worst step */
  uint64_t worst_step;
  double lowest, highest; /* potential */
};

/* ---- memory ---- */

static void free_kept(SofaContext *ctx, Kept *k) {
  double **const vectors[] = {&k->x,           &k->v,         &k->way,           &k->mass_v,
                              &k->begin.loads, &k->end.loads, &k->begin.brakes,  &k->end.brakes,
                              &k->begin.all,   &k->end.all,   &k->begin.elastic, &k->end.elastic};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    sofa_free(ctx, *vectors[i]);
    *vectors[i] = NULL;
  }
  k->plan = 0;
}

static SofaErr make_room(const SofaMechanics *m, Kept *k) {
  double **const of_v[] = {&k->v,          &k->way,           &k->mass_v,     &k->begin.loads,
                           &k->end.loads,  &k->begin.all,     &k->end.all,    &k->begin.brakes,
                           &k->end.brakes, &k->begin.elastic, &k->end.elastic};
  free_kept(m->ctx, k);
  if (!(k->x = sofa_alloc(m->ctx, m->n_x + 1, sizeof *k->x))) return SOFA_ERR_MEMORY;
  const size_t n = sofa_all_v(m).n + 1;
  for (size_t i = 0; i < sizeof of_v / sizeof *of_v; i++)
    if (!(*of_v[i] = sofa_alloc(m->ctx, n, sizeof **of_v[i]))) return SOFA_ERR_MEMORY;
  return SOFA_OK;
}

/* ---- energies and forces at a point ---- */

typedef enum Part { EXACT, INEXACT, WITHOUT } Part;
static Part part_of(const SofaForceField *ff) {
  const SofaApproximation *left_out = sofa_force_field_approximation(ff);
  if (ff->mass_ops && !sofa_force_field_ops(ff)->potential_energy) return EXACT;
  if (!sofa_force_field_has_energy(ff)) return WITHOUT;
  return left_out && left_out->of_energy ? INEXACT : EXACT;
}

enum { ALL_ENERGY, INEXACT_ENERGY, HISTORIC_ENERGY, N_ENERGIES };

/* Potential energy at x as if it were `time`, and parts of it. */
static SofaErr potential_at(SofaMechanics *m, const double *x, const double *v, double time,
                            double energy[N_ENERGIES]) {
  const SofaMechPoint at = sofa_mech_point(m, x, v, time);
  const SofaMechParams p = sofa_mech_params(0, time, 0, 0, 0);
  for (int k = 0; k < N_ENERGIES; k++) energy[k] = 0;
  for (size_t i = 0; i < m->n_force_fields; i++) {
    SofaForceField *ff = m->force_fields[i];
    double e = 0;
    if (!ff->state[0]) continue;
    const SofaPoint point = sofa_mech_field_point(m, ff, &at);
    if (ff->mass_ops && !((SofaMass *)ff)->gravity_apart)
      energy[0] +=
          ff->mass_ops->potential_energy((SofaMass *)ff, point.x[0], ff->object.node->gravity.v);
    if (part_of(ff) == WITHOUT) continue;
    SOFA_TRY(sofa_force_field_potential_energy(ff, &p, &point, &e));
    energy[0] += e;
    if (part_of(ff) == INEXACT) energy[INEXACT_ENERGY] += e;
    double dissipated;
    if (sofa_force_field_dissipated(ff, &dissipated)) energy[HISTORIC_ENERGY] += e;
  }
  return SOFA_OK;
}

/* What the force fields have dissipated since the start. */
static double dissipated_by(const SofaMechanics *m) {
  double sum = 0;
  for (size_t i = 0; i < m->n_force_fields; i++) {
    double part;
    if (m->force_fields[i]->state[0] && sofa_force_field_dissipated(m->force_fields[i], &part))
      sum += part;
  }
  return sum;
}

/* Kinetic energy, and the weight of masses whose gravity is added to velocities. */
static void kinetic_at(SofaMechanics *m, const SofaMechPoint *at, double *kinetic, double *weight) {
  *kinetic = *weight = 0;
  for (size_t i = 0; i < m->n_masses; i++) {
    SofaMass *mass = m->masses[i];
    const SofaPoint point = sofa_mech_field_point(m, &mass->force_field, at);
    if (point.n == 0) continue;
    const SofaMassOps *ops = sofa_mass_ops(mass);
    *kinetic += ops->kinetic_energy(mass, point.x[0], point.v[0]);
    if (mass->gravity_apart)
      *weight += ops->potential_energy(mass, point.x[0], mass->force_field.object.node->gravity.v);
  }
}

/* f (a plan's vector) += force of one force field. */
static SofaErr add_force(SofaMechanics *m, SofaForceField *ff, const SofaMechPoint *at, double *f) {
  const SofaMechParams p = sofa_mech_params(0, at->time, 0, 0, 0);
  const SofaPoint point = sofa_mech_field_point(m, ff, at);
  double **to = SOFA_SCRATCH(m->ctx, double *, point.n + 1);
  if (!to) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < point.n; k++)
    to[k] = ff->state[k]->mechanics == m ? f + ff->state[k]->v_offset : m->outside;
  return sofa_force_field_add_force(ff, &p, &point, to);
}

/* The forces of all force fields by parts; `still` is the point without velocities. */
static SofaErr forces_at(SofaMechanics *m, SofaMechPoint *at, const SofaMechPoint *still,
                         Ends *out) {
  double **const vectors[] = {&out->brakes, &out->loads, &out->elastic, &out->all};
  for (int i = 0; i < N_FORCES; i++) sofa_vec_zero(sofa_all_v(m), *vectors[i]);
  for (size_t i = 0; i < m->n_force_fields; i++) {
    SofaForceField *ff = m->force_fields[i];
    const Part part = part_of(ff);
    if (!ff->state[0]) continue;
    SOFA_TRY(add_force(m, ff, at, out->all));
    SOFA_TRY(add_force(m, ff, still, out->brakes)); // turned round below
    if (part != EXACT)
      SOFA_TRY(add_force(m, ff, still, part == WITHOUT ? out->loads : out->elastic));
  }
  sofa_vec_xpay(sofa_all_v(m), out->all, -1, out->brakes);
  for (int i = 0; i < N_FORCES; i++) SOFA_TRY(sofa_mech_pull_back(m, at, *vectors[i]));
  return SOFA_OK;
}

/* Keeps the present state; `end` of the step before was measured, or is measured now. */
static SofaErr keep(Kept *k, SofaMechanics *m, double time) {
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  SofaErr err = SOFA_ERR_MEMORY;
  double energy[N_ENERGIES], *zero = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  if (!zero) goto done;
  if (k->plan != m->serial) SOFA_GO(err, done, make_room(m, k));
  sofa_vec_zero(sofa_all_v(m), zero);
  SofaMechPoint at = sofa_mech_point(m, m->x, m->v, time);
  const SofaMechPoint still = sofa_mech_point(m, m->x, zero, time);
  SOFA_GO(err, done, forces_at(m, &at, &still, &k->begin));
  SOFA_GO(err, done, potential_at(m, m->x, m->v, time, energy));
  kinetic_at(m, &at, &k->kinetic, &k->weight);
  k->potential = energy[0];
  k->inexact = energy[INEXACT_ENERGY];
  k->historic = energy[HISTORIC_ENERGY];
  k->dissipated = dissipated_by(m);
  sofa_vec_copy(sofa_all_x(m), m->x, k->x);
  sofa_vec_copy(sofa_all_v(m), m->v, k->v);
  k->plan = m->serial;
  k->time = time;
done:
  sofa_scratch_release(m->ctx, mark);
  return err;
}

/* ---- works ---- */

/* The way of the independent states in the step, turns as vectors. */
static void find_way(const SofaMechanics *m, Kept *k) {
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const SofaStateKindInfo *info = sofa_state_kind_info(s->object.kind);
    for (size_t p = 0; p < s->position.n; p++) {
      const double *a = m->x + s->x_offset + p * info->coord;
      const double *b = k->x + s->x_offset + p * info->coord;
      double *to = k->way + s->v_offset + p * info->deriv;
      if (s->object.kind == SOFA_RIGID3) sofa_rigid3_difference(a, b, to);
      else
        for (size_t c = 0; c < info->deriv; c++) to[c] = a[c] - b[c];
    }
  }
}

static double work(const SofaMechanics *m, const Kept *k, const double *f, const double *g) {
  return (sofa_vec_dot(sofa_main_v(m), k->way, f) + sofa_vec_dot(sofa_main_v(m), k->way, g)) / 2;
}

/* A factor of the solver by one of its names; 0 without such a field. */
static double factor_of(const SofaObject *solver, const char *name, const char *other) {
  const SofaField *field = sofa_class_field(solver->klass, name);
  if (!field) field = sofa_class_field(solver->klass, other);
  return field ? *(const double *)sofa_field_value(solver, field) : 0;
}

/* mass_v = damping force of the factors of solver and components along the way; its work. */
static SofaErr damp(SofaMechanics *m, Kept *k, double dt, double *taken) {
  const SofaObject *solver = &k->solver->object;
  const double stiffness = factor_of(solver, "rayleighStiffness", "rayleigh_stiffness");
  const double mass = factor_of(solver, "rayleighMass", "rayleigh_mass");
  SofaMechParams p = sofa_mech_params(dt, k->time, -mass, 0, stiffness);
  p.r = sofa_ode_solver_traits(k->solver) & SOFA_ODE_LEAVES_OUT_DAMPING ? 0 : 1;
  const SofaMechPoint at = sofa_mech_point(m, m->x, m->v, m->node->time);
  sofa_vec_zero(sofa_all_v(m), k->mass_v);
  SOFA_TRY(sofa_mech_propagate_dx(m, &at, k->way));
  SOFA_TRY(sofa_mech_add_mbk(m, &p, &at, k->way, k->mass_v));
  sofa_vec_scale(sofa_all_v(m), 1 / dt, k->mass_v);
  *taken -= sofa_vec_dot(sofa_main_v(m), k->way, k->mass_v);
  return SOFA_OK;
}

/* Work of the reactions of moved points: r - P r with r = M a - f, along the way. mass_v has the
 * damping forces. */
static SofaErr impose(SofaMechanics *m, Kept *k, double dt, double *imposed) {
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  const SofaMechParams p = sofa_mech_params(dt, k->time, 0, 0, 0);
  const SofaMechPoint at = sofa_mech_point(m, m->x, m->v, k->time + dt);
  const SofaSpace space = sofa_main_v(m);
  SofaErr err = SOFA_ERR_MEMORY;
  double *r = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  double *change = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  if (!r || !change) goto done;
  sofa_vec_zero(sofa_all_v(m), r);
  sofa_vec_waxpy(sofa_all_v(m), m->v, -1, k->v, change);
  SOFA_GO(err, done, sofa_mech_add_mdx(m, &at, change, 1 / dt, r));
  sofa_vec_axpy(space, -0.5, k->begin.all, r);
  sofa_vec_axpy(space, -0.5, k->end.all, r);
  sofa_vec_axpy(space, -1, k->mass_v, r);
  sofa_vec_copy(sofa_all_v(m), r, change);
  SOFA_GO(err, done, sofa_mech_project_response(m, &p, change));
  *imposed += sofa_vec_dot(space, k->way, r) - sofa_vec_dot(space, k->way, change);
done:
  sofa_scratch_release(m->ctx, mark);
  return err;
}

static void constrain(const SofaMechanics *m, const Kept *k, double *sum) {
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const size_t n = s->constraint_force.n * s->constraint_force.width;
    if (s->constraint_force.n != s->position.n) continue;
    *sum += sofa_check_dot(n, s->constraint_force.data, k->way + s->v_offset);
  }
}

/* ---- a step ---- */

/* The part of the change of the potential that no motion makes: loads of time, and new parameters
 * since the beginning of the step. What a new history changes is dissipated. */
static SofaErr changed_laws(SofaMechanics *m, const Kept *k, double time, double *work_done) {
  double now[N_ENERGIES], then[N_ENERGIES], here[N_ENERGIES], before[N_ENERGIES];
  SOFA_TRY(potential_at(m, k->x, k->v, time, now));
  SOFA_TRY(potential_at(m, k->x, k->v, k->time, then));
  SOFA_TRY(potential_at(m, m->x, m->v, time, here));
  SOFA_TRY(potential_at(m, m->x, m->v, k->time, before));
  *work_done += (now[0] - then[0] + here[0] - before[0]) / 2 + then[0] - k->potential;
  *work_done -= then[HISTORIC_ENERGY] - k->historic;
  return SOFA_OK;
}

static SofaErr add_plan(Kept *k, SofaMechanics *m, double time, SofaEnergyRow *row) {
  const double dt = time - k->time, kinetic = k->kinetic, potential = k->potential,
               inexact = k->inexact, weight = k->weight, dissipated = k->dissipated;
  SofaEnergyRow own = {0};
  if (k->plan != m->serial) return keep(k, m, time); // changed in the step: it is left out
  find_way(m, k);
  SOFA_TRY(changed_laws(m, k, time, &own.loads));
  SOFA_TRY(damp(m, k, dt, &own.damping));
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  const Ends begin = k->begin;
  k->begin = k->end;
  k->end = begin; // the vectors of the beginning, for the moment
  double *x = SOFA_SCRATCH(m->ctx, double, m->n_x + 1),
         *v = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  SofaErr err = x && v ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err == SOFA_OK) sofa_vec_copy(sofa_all_v(m), k->v, v);
  if (err == SOFA_OK) err = keep(k, m, time);
  if (err == SOFA_OK && m->n_constraints) {
    Kept before = *k;
    before.v = v;
    before.time = time - dt;
    err = impose(m, &before, dt, &own.imposed);
  }
  if (err == SOFA_OK) {
    own.loads += work(m, k, k->begin.loads, k->end.loads) + weight - k->weight;
    own.damping -= work(m, k, k->begin.brakes, k->end.brakes);
    own.unstored = work(m, k, k->begin.elastic, k->end.elastic) + k->inexact - inexact;
    own.dissipated = k->dissipated - dissipated;
    constrain(m, k, &own.constraints);
    row->kinetic += k->kinetic;
    row->potential += k->potential;
    row->residual += k->kinetic - kinetic + k->potential - potential - own.loads - own.imposed -
                     own.constraints + own.damping + own.dissipated - own.unstored;
    row->loads += own.loads, row->imposed += own.imposed, row->damping += own.damping;
    row->dissipated += own.dissipated;
    row->constraints += own.constraints, row->unstored += own.unstored;
  }
  sofa_scratch_release(m->ctx, mark);
  return err;
}

/* Solvers of equilibria have no balance of a step. */
static SofaErr add_solver(SofaEnergyCheck *c, SofaOdeSolver *solver) {
  const Kept kept = {.solver = solver};
  if (sofa_ode_solver_traits(solver) & (SOFA_ODE_IS_STATIC | SOFA_ODE_ADDS)) return SOFA_OK;
  return SOFA_APPEND(c->simulation->ctx, &c->kept, &kept);
}

static void drop_kept(SofaEnergyCheck *c) {
  SofaContext *ctx = c->simulation->ctx;
  for (size_t i = 0; i < c->kept.n; i++) free_kept(ctx, &c->kept.data[i]);
  c->kept.n = 0;
}

/* Finds the solvers again when the graph changed, and keeps the present state. */
static SofaErr renew(SofaEnergyCheck *c) {
  SOFA_TRY(sofa_schedule_renew(&c->schedule, c->simulation->root));
  drop_kept(c);
  for (size_t i = 0; i < c->schedule->solve.n; i++) {
    SofaObject *object = c->schedule->solve.data[i];
    if (sofa_implements(object, SOFA_ODE_SOLVER)) SOFA_TRY(add_solver(c, (SofaOdeSolver *)object));
  }
  double potential = 0;
  for (size_t i = 0; i < c->kept.n; i++) {
    SofaMechanics *m = NULL;
    SOFA_TRY(sofa_node_mechanics(c->kept.data[i].solver->object.node, &m));
    SOFA_TRY(keep(&c->kept.data[i], m, c->simulation->root->time));
    c->most = fmax(c->most, c->kept.data[i].kinetic);
    potential += c->kept.data[i].potential;
  }
  c->lowest = fmin(c->lowest, potential);
  c->highest = fmax(c->highest, potential);
  return SOFA_OK;
}

SofaErr sofa_check_energy_open(SofaSimulation *simulation, SofaEnergyCheck **out) {
  SofaContext *ctx = simulation->ctx;
  *out = sofa_alloc(ctx, 1, sizeof **out);
  if (!*out) return SOFA_ERR_MEMORY;
  **out = (SofaEnergyCheck){.simulation = simulation, .lowest = INFINITY, .highest = -INFINITY};
  const SofaErr err = renew(*out);
  if (err != SOFA_OK) (void)sofa_check_energy_close(out, NULL);
  return err;
}

static void note(SofaEnergyCheck *c, const SofaEnergyRow *row) {
  c->sum += row->residual;
  c->lowest = fmin(c->lowest, row->potential);
  c->highest = fmax(c->highest, row->potential);
  c->most = fmax(c->most, row->kinetic + fabs(row->loads) + fabs(row->imposed));
  if (fabs(row->residual) <= fabs(c->worst)) return;
  c->worst = row->residual;
  c->worst_step = row->step;
}

SofaErr sofa_check_energy_step(SofaEnergyCheck *c, SofaCheckReport *report) {
  const SofaSimulation *s = c->simulation;
  SofaEnergyRow row = {.step = s->steps, .time = s->root->time};
  if (sofa_schedule_is_stale(c->schedule)) return renew(c); // this step is left out
  for (size_t i = 0; i < c->kept.n; i++) {
    SofaMechanics *m = NULL;
    SOFA_TRY(sofa_node_mechanics(c->kept.data[i].solver->object.node, &m));
    SOFA_TRY(add_plan(&c->kept.data[i], m, row.time, &row));
  }
  note(c, &row);
  return SOFA_APPEND(report->ctx, &report->energy, &row);
}

/* ---- findings ---- */

/* Which parts are not in the balance as energies. */
static SofaErr tell_parts(const SofaEnergyCheck *c, SofaCheckReport *report) {
  for (size_t i = 0; i < c->schedule->objects.n; i++) {
    const SofaObject *object = c->schedule->objects.data[i];
    if (!sofa_valid(object)) continue;
    if (sofa_implements(object, SOFA_ODE_SOLVER) &&
        (sofa_ode_solver_traits((const SofaOdeSolver *)object) & SOFA_ODE_IS_STATIC))
      SOFA_TRY(sofa_check_add(report, object, SOFA_CHECK_SKIPPED, NAN,
                              "steps to an equilibrium have no balance"));
    if (!sofa_implements(object, SOFA_FORCE_FIELD) || !((const SofaForceField *)object)->state[0])
      continue;
    const Part part = part_of((const SofaForceField *)object);
    if (part == WITHOUT)
      SOFA_TRY(sofa_check_add(report, object, SOFA_CHECK_SKIPPED, NAN,
                              "has no potential energy: its work counts among loads"));
    else if (part == INEXACT)
      SOFA_TRY(sofa_check_add(report, object, SOFA_CHECK_SKIPPED, NAN,
                              "its force is not the derivative of its energy: what its work lacks "
                              "is unstored"));
  }
  for (size_t i = 0; i < c->schedule->solve.n; i++)
    if (!sofa_implements(c->schedule->solve.data[i], SOFA_ODE_SOLVER))
      SOFA_TRY(sofa_check_add(report, c->schedule->solve.data[i], SOFA_CHECK_WARNING, NAN,
                              "acts above the solvers: its work is not in the balance"));
  return SOFA_OK;
}

static SofaErr tell_balance(const SofaEnergyCheck *c, SofaCheckReport *report) {
  const double range = c->highest > c->lowest ? c->highest - c->lowest : 0;
  const double scale = fmax(c->most, range), part = scale > 0 ? c->sum / scale : 0;
  const bool grows = part > 0.1 || !isfinite(part);
  if (report->energy.n == 0)
    return sofa_check_add(report, NULL, SOFA_CHECK_WARNING, NAN, "no step has a balance");
  return sofa_check_add(
      report, NULL,
      grows         ? SOFA_CHECK_WRONG
      : part > 0.01 ? SOFA_CHECK_WARNING
                    : SOFA_CHECK_OK,
      fabs(part), "%s %.4g J, %.2g of the largest energy; the worst step is %llu, %.4g J",
      c->sum > 0 ? grows ? "the energy grew without a load by" : "the balance is up by"
                 : "numerical dissipation of the integrator:",
      fabs(c->sum), fabs(part), (unsigned long long)c->worst_step, c->worst);
}

SofaErr sofa_check_energy_close(SofaEnergyCheck **check, SofaCheckReport *report) {
  SofaEnergyCheck *c = *check;
  SofaErr err = SOFA_OK;
  if (!c) return SOFA_OK;
  if (report) {
    report->check = "energy";
    err = sofa_schedule_renew(&c->schedule, c->simulation->root);
    if (err == SOFA_OK) err = tell_parts(c, report);
    if (err == SOFA_OK) err = tell_balance(c, report);
  }
  SofaContext *ctx = c->simulation->ctx;
  drop_kept(c);
  sofa_list_free(ctx, &c->kept);
  sofa_schedule_destroy(&c->schedule);
  sofa_free(ctx, c);
  *check = NULL;
  return err;
}
