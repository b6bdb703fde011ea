/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of an initialised scene: what the steps of its ODE solvers lack. */
#include "scene/ready_impl.h"
#include "simulation/step_limits.h"
#include "simulation/vectors.h"

/* ---- masses ---- */

static bool has_mass(const SofaMechanics *m, const SofaState *state) {
  for (size_t i = 0; i < m->n_masses; i++) {
    const SofaState *of = m->masses[i]->force_field.state[0];
    // the mass of a mapped state may belong to any state above it
    if (of == state || (of && of->mapped)) return true;
  }
  return false;
}

static bool has_force(const SofaMechanics *m, const SofaState *state) {
  for (size_t i = 0; i < m->n_force_fields; i++)
    for (size_t k = 0; k < m->force_fields[i]->n_states; k++)
      if (m->force_fields[i]->state[k] == state) return true;
  return false;
}

/* Without any mass gravity does not act either. */
static void check_masses(const SofaObject *solver, const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *state = m->states[i];
    if (!state->position.n || has_mass(m, state)) continue;
    if (m->n_masses && !has_force(m, state)) continue;
    char *path = sofa_object_path(&state->object);
    sofa_object_message(
        solver, SOFA_WARNING,
        "the state '%s' has no mass: an explicit step divides forces by masses, so "
        "that forces do not act on it; add for instance <UniformMass totalMass=\"1\"/>",
        path ? path : state->object.name);
    sofa_free(m->ctx, path);
  }
}

/* ---- free bodies ---- */

typedef struct Probe {
  SofaMechanics *m;
  SofaMechParams params;
  SofaMechPoint at;
  double *dx, *df; /* scratch memory */
} Probe;

/* The largest entry of P K dx. */
static SofaErr stiffness_along(Probe *probe, double *out) {
  SofaMechanics *m = probe->m;
  const SofaSpace all = sofa_all_v(m);
  SOFA_TRY(sofa_mech_propagate_dx(m, &probe->at, probe->dx));
  sofa_vec_zero(all, probe->df);
  SOFA_TRY(sofa_mech_add_mbk(m, &probe->params, &probe->at, probe->dx, probe->df));
  SOFA_TRY(sofa_mech_project_response(m, &probe->params, probe->df));
  *out = sofa_vec_max_norm(sofa_main_v(m), probe->df);
  return SOFA_OK;
}

/* Fills dx on the main states from `first` to `last`: a translation along an axis, or, with axis
 * -1, a motion that strains every element. */
static void fill(const Probe *probe, size_t first, size_t last, int axis) {
  const SofaMechanics *m = probe->m;
  sofa_vec_zero(sofa_all_v(m), probe->dx);
  for (size_t s = first; s <= last; s++) {
    const SofaState *state = m->states[s];
    const unsigned width = sofa_state_kind_info(state->object.kind)->deriv;
    double *dx = probe->dx + state->v_offset;
    for (size_t i = 0; i < state->position.n; i++) {
      if (axis >= 0) dx[i * width + (size_t)axis] = 1;
      for (size_t k = 0; axis < 0 && k < width; k++)
        dx[i * width + k] = (double)((i * 7 + k * 3) % 5) / 2 - 1;
    }
  }
}

/* Do projective constraints leave the translation as it is? */
static SofaErr is_allowed(Probe *probe, bool *out) {
  SofaMechanics *m = probe->m;
  sofa_vec_copy(sofa_all_v(m), probe->dx, probe->df);
  SOFA_TRY(sofa_mech_project_response(m, &probe->params, probe->df));
  sofa_vec_axpy(sofa_main_v(m), -1, probe->dx, probe->df);
  *out = sofa_vec_max_norm(sofa_main_v(m), probe->df) == 0;
  return SOFA_OK;
}

/* Axes (bits) along which nothing resists a translation of the states. */
static SofaErr free_axes(Probe *probe, size_t first, size_t last, unsigned *out) {
  double scale = 0, force = 0;
  bool allowed = false;
  *out = 0;
  fill(probe, first, last, -1);
  SOFA_TRY(stiffness_along(probe, &scale));
  const unsigned space = sofa_state_kind_info(probe->m->states[first]->object.kind)->space;
  for (unsigned axis = 0; axis < space; axis++) {
    fill(probe, first, last, (int)axis);
    SOFA_TRY(is_allowed(probe, &allowed));
    if (!allowed) continue;
    SOFA_TRY(stiffness_along(probe, &force));
    if (force <= 1e-10 * scale) *out |= 1U << axis;
  }
  return SOFA_OK;
}

static void report_free(const SofaObject *solver, const char *what, unsigned axes) {
  static const char *const names[8] = {"",  "x",       "y",       "x and y",
                                       "z", "x and z", "y and z", "x, y and z"};
  if (axes)
    sofa_object_message(solver, SOFA_WARNING,
                        "nothing holds %s along %s: a static solution does not exist; add for "
                        "instance <FixedProjectiveConstraint/>",
                        what, names[axes]);
}

/* Each independent state, and all of them together. */
static SofaErr check_bodies(const SofaObject *solver, Probe *probe) {
  const SofaMechanics *m = probe->m;
  unsigned axes, held = 0;
  for (size_t i = 0; i < m->n_main; i++) {
    if (!m->states[i]->position.n) continue;
    SOFA_TRY(free_axes(probe, i, i, &axes));
    held += axes == 0;
    if (!axes) continue;
    char *path = sofa_object_path(&m->states[i]->object);
    report_free(solver, path ? path : m->states[i]->object.name, axes);
    sofa_free(m->ctx, path);
  }
  if (held < 2) return SOFA_OK;
  SOFA_TRY(free_axes(probe, 0, m->n_main - 1, &axes));
  report_free(solver, "the bodies together", axes);
  return SOFA_OK;
}

static SofaErr check_static(const SofaObject *solver, SofaMechanics *m) {
  SofaContext *ctx = m->ctx;
  SofaErr err = SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Probe probe = {.m = m,
                 .params = sofa_mech_params(m->node->dt, m->node->time, 0, 0, 1),
                 .at = sofa_mech_point(m, m->x, m->v, m->node->time),
                 .dx = SOFA_SCRATCH(ctx, double, m->n_v),
                 .df = SOFA_SCRATCH(ctx, double, m->n_v)};
  if (!probe.dx || !probe.df) err = SOFA_ERR_MEMORY;
  if (err == SOFA_OK) err = check_bodies(solver, &probe);
  sofa_scratch_release(ctx, mark);
  return err;
}

/* ---- all ---- */

/* Is it an ODE solver that makes steps? */
static bool is_run(const SofaObject *object) {
  return sofa_implements(object, SOFA_ODE_SOLVER) && !sofa_ready_solver_above(object);
}

static bool has_limiters(const SofaReady *ready) {
  for (size_t i = 0; i < ready->objects.n; i++)
    if (sofa_implements(ready->objects.data[i], SOFA_STEP_LIMITER)) return true;
  return false;
}

/* K of a contact changes within a step, and so do the forces of its damping. */
static void check_damping(const SofaObject *solver, const SofaMechanics *m) {
  const SofaField *field = sofa_class_field(solver->klass, "rayleighStiffness");
  if (!sofa_mech_is_limited(m) || !field || field->type != &sofa_type_real) return;
  const double factor = *(const double *)sofa_field_value(solver, field);
  if (factor == 0) return;
  sofa_object_message(solver, SOFA_WARNING,
                      "rayleighStiffness = %g s also damps the %s '%s', whose stiffness changes "
                      "within a step: the iterations may not end; give the rayleighStiffness to "
                      "the force fields that it is meant for",
                      factor, m->limiters[0]->klass->name, m->limiters[0]->name);
}

static SofaErr check_limiters(const SofaReady *ready) {
  if (!has_limiters(ready)) return SOFA_OK;
  for (size_t i = 0; i < ready->objects.n; i++) {
    const SofaObject *object = ready->objects.data[i];
    SofaMechanics *m = NULL;
    if (!is_run(object)) continue;
    SOFA_TRY(sofa_node_mechanics(object->node, &m));
    SOFA_TRY(sofa_ode_solver_check_limiters((const SofaOdeSolver *)object, m));
    check_damping(object, m);
  }
  return SOFA_OK;
}

SofaErr sofa_ready_check_solvers(SofaReady *ready) {
  SOFA_TRY(check_limiters(ready));
  for (size_t i = 0; i < ready->objects.n; i++) {
    const SofaObject *object = ready->objects.data[i];
    SofaMechanics *m = NULL;
    if (!is_run(object)) continue;
    const unsigned traits = sofa_ode_solver_traits((const SofaOdeSolver *)object);
    if (!(traits & (SOFA_ODE_DIVIDES_BY_MASS | SOFA_ODE_IS_STATIC))) continue;
    SOFA_TRY(sofa_node_mechanics(object->node, &m));
    if (traits & SOFA_ODE_DIVIDES_BY_MASS) check_masses(object, m);
    // what a limiter holds apart may hold bodies, too
    if ((traits & SOFA_ODE_IS_STATIC) && m->n_main && !sofa_mech_is_limited(m))
      SOFA_TRY(check_static(object, m));
  }
  return SOFA_OK;
}
