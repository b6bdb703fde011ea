/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PathFollowingSolver: equilibria along a path of growing loads, with increments that adapt. */
#include "behavior/checks.h"
#include "components/odesolver/path_increment.h"
#include "object/checkpoint.h"

typedef struct PathFollowingSolver {
  ImplicitSolver base;
  SofaOption method;        /* PathMethod */
  double first_load;        /* load factor at the start */
  double load_step;         /* its change in the first increment, of load control in each step */
  double first_radius;      /* m; 0: by load_step */
  double load_scale;        /* m */
  double smallest, largest; /* increments, in first ones */
  uint32_t wanted;          /* iterations of an increment that keeps its size */
  uint32_t iterations_most;
  double tolerance;
  SofaLink controlled;
  uint32_t point;
  SofaReals direction;
  SofaLinks dead_loads;
  bool stop;
  /* outputs */
  double load, length;
  uint32_t iterations, increments, repeated;
  /* private */
  bool started;    /* the state of the start is an equilibrium */
  double size;     /* of the next increment, in first ones */
  double radius;   /* of the first increment, signed by the load factor */
  double weight;   /* of the load factor, m^2; spherical */
  double way_load; /* kept for the increments */
  PathIncrement increment;
} PathFollowingSolver;

static const char *const methods[] = {
#define WORD(id, word) word,
    PATH_METHODS(WORD)
#undef WORD
        NULL};

static const SofaLinkRule state_rule = {.interface = SOFA_MECHANICAL_STATE};
static const SofaLinkRule load_rule = {.interface = SOFA_FORCE_FIELD};

typedef PathFollowingSolver SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(method, "method", "load", "",
             "what an increment measures: load: the load factor, displacement: that of a point, "
             "cylindrical: the length of the displacements, spherical: with that of the load "
             "factor, normalPlane: corrections normal to the increment",
             .options = methods),
    SOFA_ROW(first_load, "initialLoadFactor", "0", "1", "load factor at the start"),
    SOFA_ROW(load_step, "loadIncrement", "0.1", "1",
             "change of the load factor in each step of load control, else in the first one"),
    SOFA_ROW(first_radius, "increment", "0", "m",
             "length of the first increment; of a controlled displacement its change, with a sign; "
             "0: by loadIncrement"),
    SOFA_ROW(load_scale, "loadScale", "0", "m",
             "length that a load factor of 1 counts for, spherical and normalPlane; 0: as much as "
             "its displacements in the first increment",
             .range = SOFA_AT_LEAST(0)),
    SOFA_ROW(smallest, "smallestIncrement", "0.001", "1",
             "in first ones, of load control in steps; a smaller one that is needed is a failure",
             .range = SOFA_ABOVE_TO(0, 1)),
    SOFA_ROW(largest, "largestIncrement", "1", "1", "in first ones; load control: 1 at most",
             .range = SOFA_ABOVE(0)),
    SOFA_ROW(wanted, "targetIterations", "5", "1",
             "increments that need fewer iterations grow, others shrink",
             .range = SOFA_AT_LEAST(1)),
    SOFA_ROW(iterations_most, "maxIterations", "15", "1",
             "of Newton; an increment that needs more is repeated with half the size",
             .range = SOFA_AT_LEAST(1)),
    SOFA_ROW(tolerance, "tolerance", "1e-8", "1",
             "of the residual, in the norm of all forces, those of supports included",
             .range = SOFA_ABOVE(0)),
    SOFA_ROW(controlled, "controlledState", NULL, "",
             "state of the controlled point; default: the first one that no mapping moves",
             .link = &state_rule),
    SOFA_ROW(point, "controlledPoint", "0", "1", "index of the controlled point"),
    SOFA_ROW(direction, "controlledDirection", NULL, "1",
             "the displacement in this direction is controlled; as many numbers as a velocity of "
             "the state, fewer: then zeros"),
    SOFA_ROW(dead_loads, "deadLoads", NULL, "",
             "loads that the load factor does not multiply, such as a mass for its weight",
             .link = &load_rule),
    SOFA_ROW(stop, "stopWhenDiverged", "1", "",
             "a step that finds no equilibrium is an error; else a warning, and the state stays"),
    SOFA_ROW_OUTPUT(load, "loadFactor", "1", "factor of the loads"),
    SOFA_ROW_OUTPUT(length, "arcLength", "m", "length of the path of the displacements so far"),
    SOFA_ROW_OUTPUT(iterations, "iterations", "1", "of Newton, in the last step"),
    SOFA_ROW_OUTPUT(increments, "increments", "1", "that converged, since the start"),
    SOFA_ROW_OUTPUT(repeated, "repeatedIncrements", "1", "that did not converge, since the start"),
};

static PathMethod method_of(const PathFollowingSolver *s) {
  return (PathMethod)s->method.index;
}

static SofaErr reset(SofaObject *object) {
  PathFollowingSolver *s = (PathFollowingSolver *)object;
  s->load = s->first_load;
  s->length = 0;
  s->iterations = s->increments = s->repeated = 0;
  s->started = false;
  s->size = 1;
  s->radius = s->weight = 0;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  PathFollowingSolver *s = (PathFollowingSolver *)object;
  const bool arc = method_of(s) != PATH_LOAD;
  if (s->smallest > s->largest)
    return sofa_field_fail(object, "smallestIncrement", SOFA_ERR_RANGE,
                           "%g is above largestIncrement = %g", s->smallest, s->largest);
  if (arc && s->load_step == 0 && s->first_radius == 0)
    return sofa_field_fail(object, "loadIncrement", SOFA_ERR_RANGE,
                           "0 gives no size of the first increment, nor does increment");
  if (method_of(s) == PATH_DISPLACEMENT && s->direction.n == 0)
    return sofa_field_fail(object, "controlledDirection", SOFA_ERR_ARGUMENT,
                           "missing: it says which displacement is controlled");
  for (size_t i = 0; i < s->dead_loads.n; i++) {
    const SofaForceField *ff = (const SofaForceField *)s->dead_loads.data[i].target;
    if (ff && !ff->ops->is_load)
      return sofa_field_fail(object, "deadLoads", SOFA_ERR_TYPE,
                             "'%s' is no load: no load factor multiplies its force",
                             ff->object.name);
  }
  return reset(object);
}

/* The controlled point as an entry of the plan's vectors. */
static SofaErr find_controlled(PathFollowingSolver *s, const SofaMechanics *m) {
  const SofaObject *object = &s->base.solver.object;
  PathIncrement *p = &s->increment;
  const SofaState *state = s->controlled.target ? (const SofaState *)s->controlled.target
                           : m->n_main          ? m->states[0]
                                                : NULL;
  if (!state || state->mechanics != m || state->mapped)
    return sofa_field_fail(object, "controlledState", SOFA_ERR_NOT_FOUND,
                           "must be a state below this solver that no mapping moves");
  const unsigned deriv = sofa_state_kind_info(state->object.kind)->deriv;
  if (s->point >= state->position.n)
    return sofa_field_fail(object, "controlledPoint", SOFA_ERR_RANGE, "%u, '%s' has %zu points",
                           s->point, state->object.name, state->position.n);
  if (s->direction.n > deriv)
    return sofa_field_fail(object, "controlledDirection", SOFA_ERR_ARGUMENT,
                           "has %zu numbers, a velocity of '%s' has %u", s->direction.n,
                           state->object.name, deriv);
  p->dof = state->v_offset + (size_t)s->point * deriv;
  p->n_direction = (unsigned)s->direction.n;
  sofa_copy(p->direction, s->direction.data, s->direction.n * sizeof *p->direction);
  return SOFA_OK;
}

static SofaErr prepare(SofaOdeSolver *solver, SofaMechanics *m) {
  PathFollowingSolver *s = (PathFollowingSolver *)solver;
  if (method_of(s) == PATH_DISPLACEMENT) SOFA_TRY(find_controlled(s, m));
  return path_increment_prepare(&s->increment, &s->base, m);
}

/* ---- a step ---- */

static void mark_dead_loads(const PathFollowingSolver *s, const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_force_fields; i++) m->force_fields[i]->dead_load = false;
  for (size_t i = 0; i < s->dead_loads.n; i++) {
    SofaForceField *ff = (SofaForceField *)s->dead_loads.data[i].target;
    if (ff) ff->dead_load = true;
  }
}

static void begin_step(PathFollowingSolver *s, SofaMechanics *m) {
  PathIncrement *p = &s->increment;
  p->criteria = (SofaNewtonCriteria){
      .iterations = s->iterations_most, .residual_loads = s->tolerance, .rounding = true};
  p->method = method_of(s);
  p->load = s->load;
  p->way_load = s->way_load;
  p->weight = s->weight;
  p->begin = m->node->time;
  p->h = 0;
  p->scale = 0;
  mark_dead_loads(s, m);
}

/* Runs an increment and counts. */
static SofaErr run(PathFollowingSolver *s, double size, bool *converged) {
  PathIncrement *p = &s->increment;
  const SofaErr err = path_increment_run(p, size, converged);
  s->iterations += (uint32_t)(p->report.rows.n ? p->report.rows.n - 1 : 0);
  if (err == SOFA_ERR_SINGULAR || err == SOFA_ERR_NOT_CONVERGED)
    return sofa_object_fail(&s->base.solver.object, err,
                            "near load factor %g: beyond a limit point matrices are not positive "
                            "definite; EigenSparseLU and SparseLDLSolver solve with such ones",
                            p->load);
  SOFA_TRY(err);
  s->load = p->load;
  s->way_load = p->way_load;
  if (!*converged) {
    s->repeated++;
    return SOFA_OK;
  }
  s->increments++;
  s->length += sofa_vec_norm(sofa_main_v(p->m), p->way);
  return SOFA_OK;
}

/* What a scene can change. */
static const char *remedy(const PathFollowingSolver *s) {
  if (!s->base.linear_solver->result.converged)
    return "; the linear solver did not converge: EigenSparseLU and SparseLDLSolver solve with "
           "matrices that are not positive definite";
  return method_of(s) == PATH_LOAD
             ? "; where loads have a limit, method=\"cylindrical\" follows the path beyond it"
             : "";
}

/* No increment converges. */
static SofaErr fail(const PathFollowingSolver *s) {
  const SofaObject *object = &s->base.solver.object;
  const SofaNewtonReport *r = &s->increment.report;
  static const char what[] =
      "no equilibrium was found after load factor %g in step %llu (t = %g s): the smallest "
      "increment (smallestIncrement) ended with %s, |R| = %g after %zu iterations%s";
  const unsigned long long step = (unsigned long long)object->ctx->step;
  const size_t n = r->rows.n ? r->rows.n - 1 : 0;
  const double time = object->node->time, last = r->rows.n ? r->rows.data[n].residual : 0;
  const char *status =
      s->increment.lost ? "a point without solution" : sofa_newton_status_text(r->status);
  if (s->stop || object->ctx->strict)
    return sofa_object_fail(object, SOFA_ERR_NOT_CONVERGED, what, s->load, step, time, status, last,
                            n, remedy(s));
  sofa_object_message(object, SOFA_WARNING, what, s->load, step, time, status, last, n, remedy(s));
  return SOFA_OK;
}

/* The size of the next increment, by the iterations of the last one (Ramm, 1981). */
static void adapt(PathFollowingSolver *s, bool grows) {
  const size_t n = s->increment.report.rows.n;
  const double ratio = sqrt((double)s->wanted / (double)(n > 1 ? n - 1 : 1));
  const double most = method_of(s) == PATH_LOAD ? fmin(s->largest, 1) : s->largest;
  if (ratio < 1 || grows) s->size *= fmin(fmax(ratio, 0.5), 2);
  s->size = fmin(fmax(s->size, s->smallest), most);
}

/* Halves the next increment; false: it may not be smaller. */
static bool cut(PathFollowingSolver *s, double size) {
  if (size <= s->smallest) return false;
  s->size = fmax(size / 2, s->smallest);
  return true;
}

/* Loads and motions go with time to the end of the step, in increments that converge. */
static SofaErr step_by_load(PathFollowingSolver *s, SofaMechanics *m, double h) {
  PathIncrement *p = &s->increment;
  const double load = s->load, margin = 1e-9;
  bool grows = true;
  for (double done = 0; done < 1;) {
    const double share = s->size > (1 - done) * (1 - margin) ? 1 - done : s->size;
    const bool last = share == 1 - done;
    const double end = last ? 1 : done + share, to = load + end * s->load_step;
    bool converged;
    p->begin = m->node->time + done * h;
    p->h = m->node->time + end * h - p->begin;
    SOFA_TRY(run(s, to - s->load, &converged));
    if (!converged && !cut(s, share)) return fail(s);
    if (converged) {
      done = end;
      if (!last || share == s->size) adapt(s, grows);
    }
    grows = converged;
  }
  return SOFA_OK;
}

/* The first radius, and what the load factor counts for. */
static SofaErr measure(PathFollowingSolver *s) {
  PathIncrement *p = &s->increment;
  const PathMethod method = method_of(s);
  double rate = 0;
  SOFA_TRY(path_increment_rate(p, &rate));
  if (!(fabs(rate) > 0))
    return sofa_object_fail(&s->base.solver.object, SOFA_ERR_ARGUMENT,
                            "the loads of the scene move no %s: there is nothing to follow (loads "
                            "are masses in gravity, forces and pressures, without deadLoads)",
                            method == PATH_DISPLACEMENT ? "controlled displacement" : "point");
  const bool weighs = method == PATH_SPHERICAL || method == PATH_NORMAL_PLANE;
  const double scale = s->load_scale > 0 ? s->load_scale : fabs(rate);
  s->weight = p->weight = weighs ? scale * scale : 0;
  s->radius = s->first_radius;
  if (method == PATH_DISPLACEMENT) {
    if (s->radius == 0) s->radius = s->load_step * rate;
  } else if (s->radius == 0) {
    s->radius = s->load_step * sqrt(rate * rate + s->weight);
  } else {
    s->radius = copysign(s->radius, s->load_step);
  }
  return SOFA_OK;
}

/* One increment along the path. */
static SofaErr step_by_length(PathFollowingSolver *s, SofaMechanics *m, double h) {
  PathIncrement *p = &s->increment;
  bool converged = false;
  p->begin = m->node->time + h;
  if (s->radius == 0) SOFA_TRY(measure(s));
  const double first = s->size;
  while (!converged) {
    const double size = s->size;
    SOFA_TRY(run(s, size * s->radius, &converged));
    if (!converged && !cut(s, size)) return fail(s);
  }
  adapt(s, first == s->size);
  return SOFA_OK;
}

/* The loads at the start, dead ones and those of initialLoadFactor, have an equilibrium first. */
static SofaErr start(PathFollowingSolver *s) {
  PathIncrement *p = &s->increment;
  const PathMethod method = p->method;
  bool converged;
  p->method = PATH_LOAD;
  SOFA_TRY(run(s, 0, &converged));
  p->method = method;
  s->way_load = p->way_load = 0;
  s->started = converged;
  if (converged) {
    s->increments = 0;
    s->length = 0;
    return SOFA_OK;
  }
  return fail(s);
}

static SofaErr step(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  PathFollowingSolver *s = (PathFollowingSolver *)solver;
  SOFA_TRY(ode_need_linear_solver(&solver->object, s->base.linear_solver));
  begin_step(s, m);
  s->iterations = 0;
  const bool by_load = method_of(s) == PATH_LOAD;
  if (!s->started && !by_load) SOFA_TRY(start(s));
  return (by_load ? step_by_load : step_by_length)(s, m, h);
}

static SofaErr assemble(SofaOdeSolver *solver, SofaMechanics *m, double h) {
  PathFollowingSolver *s = (PathFollowingSolver *)solver;
  (void)h;
  if (!ode_has_linear_solver(s->base.linear_solver)) return SOFA_OK;
  begin_step(s, m);
  return path_increment_assemble(&s->increment);
}

static unsigned traits(const SofaOdeSolver *solver) {
  (void)solver;
  return SOFA_ODE_IS_STATIC | SOFA_ODE_LEAVES_OUT_DAMPING;
}

static void destroy(SofaObject *object) {
  sofa_newton_report_free(object->ctx, &((PathFollowingSolver *)object)->increment.report);
}

static const SofaOdeSolverOps ops = {
    .prepare = prepare, .step = step, .assemble = assemble, .traits = traits};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(PathFollowingSolver, started),  SOFA_KEEP(PathFollowingSolver, size),
    SOFA_KEEP(PathFollowingSolver, radius),   SOFA_KEEP(PathFollowingSolver, weight),
    SOFA_KEEP(PathFollowingSolver, way_load),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(PathFollowingSolver, increment),
};

SOFA_CLASS(PathFollowingSolver) = {
    SOFA_NAMED(PathFollowingSolver),
    .module = "csofa",
    .category = "OdeSolver",
    .help = "Static equilibria along a path of loads: load control, displacement control and arc "
            "length methods, with increments that shrink and grow.",
    .equations = "P (f(x) + l F(x)) = 0, and a condition for l\n"
                 "-K dx = P (f + l F) + dl P F\n"
                 "cylindrical, spherical: |x - x_n|^2 + b (l - l_n)^2 = r^2\n"
                 "F: the loads, l: loadFactor, K = d(f + l F)/dx",
    .base = &implicit_solver_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    SOFA_FIELDS(fields),
    .init = init,
    .reset = reset,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_ODE_SOLVER, &ops}),
};
