/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The compliance that PrecomputedConstraintCorrection keeps. */
#include "components/constraint/lagrangian/correction/precomputed_compliance.h"

#include "base/files.h"
#include "simulation/vectors.h"

PrecomputedCompliance *precomputed_compliance_create(SofaContext *ctx, size_t n) {
  if (n > 100000) return NULL; // 80 GB
  const size_t bytes = sizeof(PrecomputedCompliance) + n * n * sizeof(double);
  PrecomputedCompliance *p = sofa_alloc(ctx, 1, bytes);
  if (p) *p = (PrecomputedCompliance){.n_users = 1, .n = n};
  return p;
}

void precomputed_compliance_drop(SofaContext *ctx, PrecomputedCompliance *p) {
  if (p && --p->n_users == 0) sofa_free(ctx, p);
}

SofaErr precomputed_compliance_read(const SofaObject *object, const char *path,
                                    PrecomputedCompliance *p) {
  char *bytes = NULL;
  size_t size = 0;
  SOFA_TRY(sofa_read_file(object->ctx, path, 0, &bytes, &size));
  SofaErr err = SOFA_OK;
  if (size != p->n * p->n * sizeof(double))
    err = sofa_object_fail(object, SOFA_ERR_PARSE,
                           "'%s' has %zu bytes, the compliance of %zu scalar dofs has %zu: remove "
                           "the file, or take that of this state",
                           path, size, p->n, p->n * p->n * sizeof(double));
  else sofa_copy(p->value, bytes, size);
  sofa_free(object->ctx, bytes);
  return err;
}

/* ---- by the linear system ---- */

/* Columns that are solved together. */
enum { BLOCK = 16 };

typedef struct Columns {
  const StateCorrection *c;
  SofaMechanics *m;
  SofaMechParams params;
  SofaMechPoint at;
  double *unit;  /* a vector of the plan */
  double *b, *x; /* BLOCK vectors, one behind the other */
} Columns;

/* `unit` becomes the force of 1 on a scalar dof, projected. */
static SofaErr push(const Columns *w, size_t dof) {
  sofa_vec_zero(sofa_all_v(w->m), w->unit);
  w->unit[w->c->state->v_offset + dof] = 1;
  return sofa_mech_project_response(w->m, &w->params, w->unit);
}

static SofaErr solve_block(const Columns *w, size_t first, size_t n) {
  const SofaSpace space = sofa_main_v(w->m);
  for (size_t k = 0; k < n; k++) {
    SOFA_TRY(push(w, first + k));
    sofa_vec_copy(space, w->unit, w->b + k * space.n);
    sofa_vec_zero(space, w->x + k * space.n);
  }
  return sofa_linear_solver_solve_many(w->c->factors.linear_solver, n, w->b, w->x);
}

/* A is the diagonal mass */
static SofaErr divide_by_mass(const Columns *w, size_t dof) {
  SOFA_TRY(push(w, dof));
  SOFA_TRY(sofa_mech_acc_from_f(w->m, &w->at, w->unit, w->x));
  return sofa_mech_project_response(w->m, &w->params, w->x);
}

static SofaErr fill(const Columns *w, double dt, PrecomputedCompliance *p) {
  const SofaSpace space = sofa_main_v(w->m);
  const bool by_mass = !w->c->factors.linear_solver;
  const size_t most = by_mass ? 1 : BLOCK;
  for (size_t first = 0; first < p->n; first += most) {
    const size_t n = p->n - first < most ? p->n - first : most;
    SOFA_TRY(by_mass ? divide_by_mass(w, first) : solve_block(w, first, n));
    for (size_t k = 0; k < n; k++)
      for (size_t i = 0; i < p->n; i++)
        p->value[p->n * i + first + k] = dt * w->x[k * space.n + w->c->state->v_offset + i];
  }
  return SOFA_OK;
}

/* ---- what iterative solvers stop at ---- */

typedef struct Stop {
  uint32_t *iterations;
  double *tolerance, *threshold;
  uint32_t old_iterations;
  double old_tolerance, old_threshold;
} Stop;

/* The value of the solver's field of that name and type; NULL: it has none. */
static void *value_of(SofaLinearSolver *solver, const char *name, const SofaType *type) {
  const SofaField *field = sofa_class_field(solver->object.klass, name);
  return field && field->type == type ? sofa_field_value(&solver->object, field) : NULL;
}

static void tighten(SofaLinearSolver *solver, Stop *stop) {
  *stop = (Stop){.iterations = value_of(solver, "iterations", &sofa_type_uint),
                 .tolerance = value_of(solver, "tolerance", &sofa_type_real),
                 .threshold = value_of(solver, "threshold", &sofa_type_real)};
  if (stop->iterations) stop->old_iterations = *stop->iterations, *stop->iterations = 5000;
  if (stop->tolerance) stop->old_tolerance = *stop->tolerance, *stop->tolerance = 1e-20;
  if (stop->threshold) stop->old_threshold = *stop->threshold, *stop->threshold = 1e-35;
}

static void give_back(const Stop *stop) {
  if (stop->iterations) *stop->iterations = stop->old_iterations;
  if (stop->tolerance) *stop->tolerance = stop->old_tolerance;
  if (stop->threshold) *stop->threshold = stop->old_threshold;
}

/* What iterative solvers stop at is for the forces of a step, not for columns of an inverse. */
static SofaErr fill_exactly(const Columns *w, double dt, PrecomputedCompliance *p) {
  SofaLinearSolver *solver = w->c->factors.linear_solver;
  if (!solver) return fill(w, dt, p);
  Stop stop;
  tighten(solver, &stop);
  const SofaErr err = fill(w, dt, p);
  give_back(&stop);
  return err;
}

SofaErr precomputed_compliance_compute(const StateCorrection *c, double dt,
                                       PrecomputedCompliance *p) {
  SofaMechanics *m = c->state->mechanics;
  const double time = m->node->time;
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  const size_t size = m->n_v + 1;
  SofaErr err = SOFA_ERR_MEMORY;
  Columns w = {.c = c,
               .m = m,
               .params = sofa_mech_params(dt, time, 0, 0, 0),
               .at = sofa_mech_point(m, m->x, m->v, time),
               .unit = SOFA_SCRATCH(m->ctx, double, size),
               .b = SOFA_SCRATCH(m->ctx, double, BLOCK *size),
               .x = SOFA_SCRATCH(m->ctx, double, BLOCK *size)};
  if (w.unit && w.b && w.x) err = fill_exactly(&w, dt, p);
  sofa_scratch_release(m->ctx, mark);
  return err;
}
