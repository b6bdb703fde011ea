/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The equations of a step of a solver, as functions of its start. */
#include "api/api_impl.h"
#include "behavior/ode_solver.h"
#include "object/handle.h"
#include "simulation/mechanics.h"
#include "simulation/vectors.h"

struct CsofaEquations {
  CsofaScene *scene;
  CsofaObject solver; /* a number: the solver may be removed */
  uint64_t serial;    /* of the plan */
  size_t n_x, n_v;
  CsofaObject node;
  int order;
  bool linear;
  double time;       /* of the start, s */
  double *x, *v, *f; /* owned; the start and external forces, independent states */
  bool pushed;       /* there are external forces */
  double *kept[4];   /* owned; x, v, f, external forces of the scene during a call */
};

/* ---- life ---- */

void csofa_free_equations(CsofaEquations *e) {
  if (!e) return;
  SofaContext *ctx = e->scene->owner->ctx;
  sofa_free(ctx, e->x);
  sofa_free(ctx, e->v);
  sofa_free(ctx, e->f);
  for (size_t i = 0; i < 4; i++) sofa_free(ctx, e->kept[i]);
  sofa_free(ctx, e);
}

static SofaErr allocate(CsofaEquations *e, const SofaMechanics *m) {
  SofaContext *ctx = m->ctx;
  e->serial = m->serial;
  e->n_x = m->n_x_main;
  e->n_v = m->n_v_main;
  e->x = sofa_alloc(ctx, m->n_x_main + 1, sizeof *e->x);
  e->v = sofa_alloc(ctx, m->n_v_main + 1, sizeof *e->v);
  e->f = sofa_alloc(ctx, m->n_v_main + 1, sizeof *e->f);
  bool all = e->x && e->v && e->f;
  for (size_t i = 0; i < 4; i++) {
    e->kept[i] = sofa_alloc(ctx, (i ? m->n_v : m->n_x) + 1, sizeof *e->kept[i]);
    all = all && e->kept[i];
  }
  return all ? SOFA_OK : SOFA_ERR_MEMORY;
}

static SofaErr check_solver(const SofaOdeSolver *solver) {
  const SofaStepEquations *equations = sofa_ode_solver_ops(solver)->equations;
  const char *why = equations && equations->refusal ? equations->refusal(solver) : NULL;
  if (equations && !why) return SOFA_OK;
  return sofa_object_fail(&solver->object, SOFA_ERR_UNSUPPORTED,
                          "a step of %s is not available as equations%s%s: EulerImplicitSolver, "
                          "StaticSolver, BDFOdeSolver of order 1 and the solvers of SofaCaribou "
                          "have them",
                          solver->object.klass->name, why ? ", " : "", why ? why : "");
}

/* A history is part of the state, which the equations do not have. */
static SofaErr check_history(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_force_fields; i++) {
    double energy;
    if (m->force_fields[i]->state[0] && sofa_force_field_dissipated(m->force_fields[i], &energy))
      return sofa_object_unsupported(&m->force_fields[i]->object,
                                     "a step with a material that has a history as equations");
  }
  return SOFA_OK;
}

static SofaErr create(CsofaScene *scene, SofaObject *solver, CsofaEquations **out) {
  SofaMechanics *m = NULL;
  SOFA_TRY(check_solver((const SofaOdeSolver *)solver));
  SOFA_TRY(sofa_ode_solver_prepare((SofaOdeSolver *)solver, &m));
  SOFA_TRY(check_history(m));
  CsofaEquations *e = sofa_alloc(scene->owner->ctx, 1, sizeof *e);
  if (!e) return SOFA_ERR_MEMORY;
  e->scene = scene;
  e->solver = sofa_handle_of(solver);
  e->node = sofa_handle_of(&solver->node->object);
  e->order = sofa_ode_solver_ops((const SofaOdeSolver *)solver)->equations->order;
  e->linear = sofa_ode_solver_ops((const SofaOdeSolver *)solver)->equations->linear;
  const SofaErr err = allocate(e, m);
  if (err == SOFA_OK) *out = e;
  else csofa_free_equations(e);
  return err;
}

CsofaErr csofa_equations(CsofaScene *scene, CsofaObject object, CsofaEquations **out) {
  *out = NULL;
  const CsofaErr ready = csofa_init(scene);
  if (ready != CSOFA_OK) return ready;
  csofa_begin(scene->owner);
  const SofaObject *o = csofa_get(scene, object);
  if (!o) return csofa_end(scene->owner, SOFA_ERR_NOT_FOUND);
  SofaObject *solver = sofa_node_find(o->node, SOFA_ODE_SOLVER, SOFA_SEARCH_UP);
  if (!solver)
    return csofa_end(scene->owner, sofa_object_fail(o, SOFA_ERR_NOT_FOUND,
                                                    "no ODE solver moves this: it has no step"));
  return csofa_end(scene->owner, create(scene, solver, out));
}

size_t csofa_equations_n_x(const CsofaEquations *e) {
  return e->n_x;
}

size_t csofa_equations_n_v(const CsofaEquations *e) {
  return e->n_v;
}

int csofa_equations_order(const CsofaEquations *e) {
  return e->order;
}

int csofa_equations_are_linear(const CsofaEquations *e) {
  return e->linear;
}

CsofaObject csofa_equations_node(const CsofaEquations *e) {
  return e->node;
}

/* ---- calls ---- */

/* A call that runs: the solver at the start of the step, in the scene's own vectors. */
typedef struct Call {
  SofaOdeSolver *solver;
  const SofaStepEquations *ops;
  SofaMechanics *m;
  double dt;
  double time; /* of the scene, which comes back */
} Call;

static SofaErr open_call(CsofaEquations *e, Call *c) {
  csofa_begin(e->scene->owner);
  SofaObject *object = csofa_get(e->scene, e->solver);
  if (!object) return SOFA_ERR_NOT_FOUND;
  *c = (Call){.solver = (SofaOdeSolver *)object};
  c->ops = sofa_ode_solver_ops(c->solver)->equations;
  c->dt = sofa_node_root(object->node)->dt;
  SOFA_TRY(sofa_ode_solver_prepare(c->solver, &c->m));
  if (c->m->serial == e->serial) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_ARGUMENT,
                          "the graph has changed since the equations were asked for");
}

static void swap_in(CsofaEquations *e, Call *c) {
  SofaMechanics *m = c->m;
  c->time = m->node->time;
  sofa_vec_copy(sofa_all_x(m), m->x, e->kept[0]);
  sofa_vec_copy(sofa_all_v(m), m->v, e->kept[1]);
  sofa_vec_copy(sofa_all_v(m), m->f, e->kept[2]);
  sofa_vec_copy(sofa_main_x(m), e->x, m->x);
  sofa_vec_copy(sofa_main_v(m), e->v, m->v);
  m->node->time = e->time;
}

static void swap_out(const CsofaEquations *e, const Call *c) {
  SofaMechanics *m = c->m;
  sofa_vec_copy(sofa_all_x(m), e->kept[0], m->x);
  sofa_vec_copy(sofa_all_v(m), e->kept[1], m->v);
  sofa_vec_copy(sofa_all_v(m), e->kept[2], m->f);
  m->node->time = c->time;
}

static SofaErr propagate(const Call *c) {
  SofaMechanics *m = c->m;
  const SofaMechPoint at = sofa_mech_point(m, m->x, m->v, m->node->time);
  SOFA_TRY(sofa_mech_propagate_x(m, &at, m->x));
  return sofa_mech_propagate_dx(m, &at, m->v);
}

static void copy(size_t n, const double *from, double *to) {
  for (size_t i = 0; i < n; i++) to[i] = from[i];
}

CsofaErr csofa_equations_state(CsofaEquations *e, double *x, double *v, double *s) {
  Call c;
  const SofaErr err = open_call(e, &c);
  if (err != SOFA_OK) return csofa_end(e->scene->owner, err);
  copy(e->n_x, c.m->x, x);
  copy(e->n_v, c.m->v, v);
  const double *solution = c.ops->solution ? c.ops->solution(c.solver) : NULL;
  for (size_t i = 0; s && i < e->n_v; i++) s[i] = solution ? solution[i] : 0;
  return csofa_end(e->scene->owner, SOFA_OK);
}

CsofaErr csofa_equations_begin(CsofaEquations *e, double time, const double *x, const double *v) {
  e->time = time;
  copy(e->n_x, x, e->x);
  copy(e->n_v, v, e->v);
  return CSOFA_OK;
}

void csofa_equations_forces(CsofaEquations *e, const double *f) {
  e->pushed = f != NULL;
  if (f) copy(e->n_v, f, e->f);
}

/* Adds the external forces; the scene's are kept. */
static SofaErr push(const CsofaEquations *e, SofaState *s) {
  const size_t first = s->v_offset, size = s->position.n * s->external_force.width;
  const bool none = s->external_force.n != s->position.n;
  if (none) SOFA_TRY(sofa_coords_resize(s->object.ctx, &s->external_force, s->position.n));
  double *to = s->external_force.data;
  for (size_t i = 0; i < size; i++) {
    e->kept[3][first + i] = none ? 0 : to[i];
    to[i] = e->kept[3][first + i] + e->f[first + i];
  }
  return SOFA_OK;
}

static SofaErr find_residual(const CsofaEquations *e, const Call *c, const double *s, double *r) {
  size_t pushed = 0;
  SofaErr err = propagate(c);
  for (; e->pushed && err == SOFA_OK && pushed < c->m->n_main; pushed++)
    err = push(e, c->m->states[pushed]);
  if (err == SOFA_OK) err = c->ops->residual(c->solver, c->m, c->dt, s, r);
  while (pushed-- > 0) {
    SofaState *state = c->m->states[pushed];
    copy(state->external_force.n * state->external_force.width, e->kept[3] + state->v_offset,
         state->external_force.data);
  }
  return err;
}

CsofaErr csofa_equations_residual(CsofaEquations *e, const double *s, double *r) {
  Call c;
  SofaErr err = open_call(e, &c);
  if (err != SOFA_OK) return csofa_end(e->scene->owner, err);
  swap_in(e, &c);
  err = find_residual(e, &c, s, r);
  swap_out(e, &c);
  return csofa_end(e->scene->owner, err);
}

static SofaErr find_end(const Call *c, const double *s) {
  SofaMechanics *m = c->m;
  const SofaMechParams p = sofa_mech_params(c->dt, m->node->time, 0, 0, 0);
  SOFA_TRY(propagate(c));
  c->ops->end(c->solver, m, c->dt, s);
  SOFA_TRY(sofa_mech_project_position(m, &p, m->x));
  return sofa_mech_project_velocity(m, &p, m->v);
}

CsofaErr csofa_equations_end(CsofaEquations *e, const double *s, double *x, double *v) {
  Call c;
  SofaErr err = open_call(e, &c);
  if (err != SOFA_OK) return csofa_end(e->scene->owner, err);
  swap_in(e, &c);
  err = find_end(&c, s);
  copy(e->n_x, c.m->x, x);
  copy(e->n_v, c.m->v, v);
  swap_out(e, &c);
  return csofa_end(e->scene->owner, err);
}
