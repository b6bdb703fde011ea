/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The cause of a failed step, found when it has failed: a good step pays nothing for it. */
#include <math.h>

#include "simulation/divergence_impl.h"
#include "simulation/vectors.h"
#include "topology/element_shape_impl.h"
#include "topology/topology.h"

/* What is seen of a failed step. */
typedef struct Seen {
  SofaOdeSolver *solver;
  SofaMechanics *m;
  double dt;
  SofaErr failure;
  bool end_known; /* the positions at the end are finite */
  /* the point that is not finite first, or moves most */
  const SofaState *state; /* NULL: none */
  size_t point;
  double moved; /* m; INFINITY: not finite */
  /* the force field that is not finite first, or largest there */
  SofaForceField *field; /* NULL: none */
  size_t field_point;
  double force;
  bool at_begin; /* it is not finite already at the beginning of the step */
  /* the element around the point */
  bool has_element;
  SofaElementKind kind;
  size_t element;
  double before, after; /* its shape at the beginning and at the end; NAN: not known */
} Seen;

static void say(const SofaObject *object, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void say(const SofaObject *object, const char *format, ...) {
  SofaText emitter = {0};
  char *path = sofa_object_path(object);
  va_list args;
  va_start(args, format);
  const SofaErr err =
      sofa_text_printf(object->ctx, &emitter, "%s(%s)", object->klass->name, object->name);
  const SofaOrigin origin = {.file = object->file,
                             .line = object->line,
                             .path = path,
                             .emitter = err == SOFA_OK ? emitter.data : NULL};
  sofa_message_va(object->ctx, SOFA_INFO, &origin, format, args);
  va_end(args);
  sofa_free(object->ctx, path);
  sofa_list_free(object->ctx, &emitter);
}

/* ---- the point ---- */

static double moved_by(const Seen *s, const SofaState *state, size_t i) {
  const SofaStateKindInfo *info = sofa_state_kind_info(state->object.kind);
  const double *a = s->m->x + state->x_offset + i * info->coord;
  const double *b = s->m->x_good + state->x_offset + i * info->coord;
  const double *v = s->m->v + state->v_offset + i * info->deriv;
  double square = 0;
  for (size_t c = 0; c < info->coord; c++)
    if (!isfinite(a[c])) return INFINITY;
  for (size_t c = 0; c < info->deriv; c++)
    if (!isfinite(v[c])) return INFINITY;
  for (size_t c = 0; c < info->space; c++) square += (a[c] - b[c]) * (a[c] - b[c]);
  return sqrt(square);
}

static void find_point(Seen *s) {
  for (size_t i = 0; i < s->m->n_main; i++) {
    const SofaState *state = s->m->states[i];
    for (size_t k = 0; k < state->position.n; k++) {
      const double moved = moved_by(s, state, k);
      if (s->state && !(moved > s->moved)) continue;
      s->state = state, s->point = k, s->moved = moved;
    }
  }
  s->end_known = isfinite(s->moved);
}

/* ---- the force field ---- */

/* Largest entry of the force of one field at x, v, and its point in the field's first state. */
static SofaErr force_of(Seen *s, SofaForceField *ff, const SofaMechPoint *at, double *force,
                        size_t *point) {
  SofaMechanics *m = s->m;
  const SofaMechParams p = sofa_mech_params(s->dt, m->node->time, 0, 0, 0);
  const SofaPoint place = sofa_mech_field_point(m, ff, at);
  double *f = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  double **to = SOFA_SCRATCH(m->ctx, double *, place.n + 1);
  if (!f || !to) return SOFA_ERR_MEMORY;
  sofa_vec_zero(sofa_all_v(m), f);
  for (size_t k = 0; k < place.n; k++)
    to[k] = ff->state[k]->mechanics == m ? f + ff->state[k]->v_offset : m->outside;
  SOFA_TRY(sofa_force_field_add_force(ff, &p, &place, to));
  *force = 0;
  for (size_t k = 0; k < place.n; k++) {
    const SofaState *state = ff->state[k];
    const unsigned deriv = sofa_state_kind_info(state->object.kind)->deriv;
    for (size_t i = 0; state->mechanics == m && i < state->position.n * deriv; i++) {
      const double size = isfinite(to[k][i]) ? fabs(to[k][i]) : INFINITY;
      if (size > *force) *force = size, *point = i / deriv;
    }
  }
  return SOFA_OK;
}

/* The first field that is not finite, else the one with the largest force. */
static void find_field_at(Seen *s, const SofaMechPoint *at) {
  s->field = NULL;
  for (size_t i = 0; i < s->m->n_force_fields; i++) {
    SofaForceField *ff = s->m->force_fields[i];
    const SofaScratchMark mark = sofa_scratch_mark(s->m->ctx);
    double force = 0;
    size_t point = 0;
    const SofaErr err = ff->state[0] ? force_of(s, ff, at, &force, &point) : SOFA_ERR_ARGUMENT;
    sofa_force_field_forget_point(ff);
    sofa_scratch_release(s->m->ctx, mark);
    if (err != SOFA_OK || (s->field && !(force > s->force))) continue;
    s->field = ff, s->force = force, s->field_point = point;
  }
}

static void find_field(Seen *s) {
  SofaMechanics *m = s->m;
  SofaMechPoint at = sofa_mech_point(m, m->x_good, m->v_good, m->node->time);
  find_field_at(s, &at);
  s->at_begin = s->field && isinf(s->force);
  if (s->at_begin || !s->end_known) return;
  at = sofa_mech_point(m, m->x, m->v, m->node->time);
  // mapped positions of the end; of a failed mapping those of the beginning stay
  if (sofa_mech_propagate_x(m, &at, m->x) == SOFA_OK &&
      sofa_mech_propagate_dx(m, &at, m->v) == SOFA_OK)
    find_field_at(s, &at);
}

/* ---- the element ---- */

static double shape_at(const Seen *s, const uint32_t *v, const double *x) {
  const SofaStateKindInfo *info = sofa_state_kind_info(s->state->object.kind);
  double p[8][3];
  for (unsigned k = 0; k < sofa_element_kind_info(s->kind)->width; k++)
    for (unsigned c = 0; c < 3; c++)
      p[k][c] = c < info->space ? x[s->state->x_offset + v[k] * info->coord + c] : 0;
  return sofa_element_quality(s->kind, (const double(*)[3])p, info->space == 2);
}

/* Of the elements around the point, the one whose shape is the worst at the end. */
static void look_at_element(Seen *s, SofaElementKind kind, size_t element, const uint32_t *v) {
  const unsigned width = sofa_element_kind_info(kind)->width;
  Seen t = *s;
  bool around = false;
  for (unsigned k = 0; k < width; k++) {
    if (v[k] >= s->state->position.n) return;
    around |= v[k] == s->point;
  }
  if (!around) return;
  t.kind = kind, t.element = element, t.has_element = true;
  t.before = shape_at(&t, v, s->m->x_good);
  t.after = s->end_known ? shape_at(&t, v, s->m->x) : NAN;
  if (!s->has_element || t.after < s->after || t.before < s->before) *s = t;
}

static void find_element(Seen *s) {
  const SofaTopology *topology = s->state ? sofa_node_topology(s->state->object.node) : NULL;
  if (!topology || sofa_state_kind_info(s->state->object.kind)->space < 2) return;
  for (int kind = SOFA_N_ELEMENT_KINDS - 1; kind >= SOFA_ELEMENT_TRIANGLE && !s->has_element;
       kind--) {
    const SofaElements list = sofa_mesh_elements(&topology->mesh, (SofaElementKind)kind);
    for (size_t e = 0; e < list.n; e++)
      look_at_element(s, (SofaElementKind)kind, e, list.v + e * list.width);
  }
}

/* ---- the frequency ---- */

/* The largest frequency (1/s) of the stiffness at the beginning, for masses that are diagonal: a
 * few steps of the power method from a vector without a pattern. 0: not found. */
static double frequency(const Seen *s) {
  SofaMechanics *m = s->m;
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  const SofaMechParams k = sofa_mech_params(s->dt, m->node->time, 0, 0, 1);
  const SofaMechPoint at = sofa_mech_point(m, m->x_good, m->v_good, m->node->time);
  double *d = SOFA_SCRATCH(m->ctx, double, m->n_v + 1), square = 0;
  double *f = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  bool good = d && f && sofa_mech_masses_diagonal(m);
  for (size_t i = 0; good && i < sofa_main_v(m).n; i++) d[i] = (double)(i * 7 % 5) - 1.9;
  for (int i = 0; good && i < 30; i++) {
    const double size = sofa_vec_norm(sofa_main_v(m), d);
    good = isfinite(size) && size > 0;
    if (!good) break;
    sofa_vec_scale(sofa_main_v(m), 1 / size, d);
    sofa_vec_zero(sofa_all_v(m), f);
    good = sofa_mech_propagate_dx(m, &at, d) == SOFA_OK &&
           sofa_mech_add_mbk(m, &k, &at, d, f) == SOFA_OK &&
           sofa_mech_project_response(m, &k, f) == SOFA_OK &&
           sofa_mech_acc_from_f(m, &at, f, d) == SOFA_OK;
    if (good) square = sofa_vec_norm(sofa_main_v(m), d);
  }
  sofa_scratch_release(m->ctx, mark);
  return good && isfinite(square) ? sqrt(square) : 0;
}

/* ---- words ---- */

static void tell_what(const Seen *s) {
  const char *names[] = {"beginning", "end"};
  if (s->field && isinf(s->force))
    say(&s->field->object,
        "its force on point %zu is the first that is not finite, at the %s of the "
        "step",
        s->field_point, names[!s->at_begin]);
  else if (s->field && s->force > 0)
    say(&s->field->object, "has the largest force, %.3g on point %zu, at the %s of the step",
        s->force, s->field_point, names[s->end_known]);
  if (!s->state || s->moved == 0) return;
  if (isfinite(s->moved))
    say(&s->state->object, "point %zu moves most in the step: %.3g m", s->point, s->moved);
  if (!s->has_element) return;
  const char *name = sofa_element_kind_info(s->kind)->name;
  if (s->before <= 0)
    say(&s->state->object, "%s %zu around point %zu is %s before the step", name, s->element,
        s->point, s->before < 0 ? "inverted" : "flat");
  else if (s->after <= 0)
    say(&s->state->object, "%s %zu around point %zu is inverted by the step", name, s->element,
        s->point);
}

static bool has_consistent(const SofaForceField *ff) {
  const SofaField *field = sofa_class_field(ff->object.klass, "consistent");
  return field && !*(const bool *)sofa_field_value(&ff->object, field);
}

static double rayleigh(const SofaObject *solver) {
  const SofaField *field = sofa_class_field(solver->klass, "rayleighStiffness");
  if (!field) field = sofa_class_field(solver->klass, "rayleigh_stiffness");
  const bool known = field && field->type == &sofa_type_real;
  return known ? *(const double *)sofa_field_value(solver, field) : NAN;
}

/* What to try, by what was seen. */
static void advise(const Seen *s) {
  const SofaObject *solver = &s->solver->object;
  const unsigned traits = sofa_ode_solver_traits(s->solver);
  const double speed = sofa_vec_max_norm(sofa_main_v(s->m), s->m->v_good);
  if (s->at_begin) {
    say(solver, "try other parameters of '%s': its force fails before the step",
        s->field->object.name);
    return;
  }
  if (traits & SOFA_ODE_DIVIDES_BY_MASS) {
    const double w = frequency(s);
    if (w > 0 && s->dt * w > 2)
      say(solver,
          "try dt below %.2g s, where explicit steps of this stiffness and mass are stable "
          "(dt is %g s), or an implicit solver",
          2 / w, s->dt);
    else if (w > 0)
      say(solver, "dt = %g s is below the limit of explicit steps here, %.2g s: try less load",
          s->dt, 2 / w);
    return;
  }
  if (s->failure == SOFA_ERR_NOT_CONVERGED)
    say(solver, "try more iterations, or a smaller dt (it is %g s)", s->dt);
  if (s->failure == SOFA_ERR_SINGULAR)
    say(solver, "a matrix that cannot be factorised: try to hold the body (a constraint on a few "
                "points), or a mass for every point");
  if (s->has_element && s->before > 0 && s->after <= 0)
    say(solver, "try a smaller dt (it is %g s): an element is turned over within a step", s->dt);
  if (s->field && has_consistent(s->field) && sofa_force_field_approximation(s->field))
    say(solver, "try consistent=\"1\" of '%s': %s", s->field->object.name,
        sofa_force_field_approximation(s->field)->why);
  if (rayleigh(solver) == 0 && s->end_known && speed * s->dt > 0.1 * s->moved && s->moved > 0)
    say(solver,
        "the motion was fast before this step (%.3g m/s): try damping "
        "(rayleighStiffness), and --check-energy to see when it began to grow",
        speed);
}

void sofa_explain_divergence(SofaOdeSolver *solver, SofaMechanics *m, double dt, SofaErr failure) {
  Seen s = {.solver = solver, .m = m, .dt = dt, .failure = failure};
  if (m->divided) return; /* other processes may not know of the failure */
  if (failure != SOFA_ERR_RANGE && failure != SOFA_ERR_NOT_FINITE &&
      failure != SOFA_ERR_NOT_CONVERGED && failure != SOFA_ERR_SINGULAR &&
      failure != SOFA_ERR_GEOMETRY)
    return;
  find_point(&s);
  find_field(&s);
  find_element(&s);
  tell_what(&s);
  advise(&s);
}
