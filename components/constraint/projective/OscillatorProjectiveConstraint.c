/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OscillatorProjectiveConstraint: points that swing around a mean place. */
#include <math.h>
#include <string.h>

#include "behavior/draw_state.h"
#include "behavior/list_division.h"
#include "behavior/state_division.h"
#include "components/constraint/projective/indexed.h"
#include "change/topology_change.h"

static const SofaQuirk quirks[] = {
    QUIRK_UNPROJECTED_MATRIX_ROW,
    QUIRK_LATE_MOVEMENT_ROW,
};

typedef struct OscillatorProjectiveConstraint {
  SofaProjective constraint;
  SofaReals oscillators; /* per oscillator: index, mean coord, amplitude deriv, pulsation, phase */
} OscillatorProjectiveConstraint;

static const SofaField fields[] = {
    SOFA_FIELD(OscillatorProjectiveConstraint, oscillators, "oscillators", NULL, "",
               "for each oscillator: index of its point, mean position (m), amplitude (m), "
               "pulsation w (rad/s), phase p (rad): x = mean + amplitude sin(w t + p)",
               .flags = SOFA_FIELD_REINIT),
};

static size_t stride(const SofaProjective *c) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(c->state->object.kind);
  return 1 + kind->coord + kind->deriv + 2;
}

/* Of a mesh that is divided: the oscillators of the points that are here, once. */
static void divide(OscillatorProjectiveConstraint *o, size_t size) {
  const SofaObject *object = &o->constraint.object;
  const SofaDivision *division = sofa_state_division(o->constraint.state);
  SofaFieldState *state = sofa_field_state(object, sofa_class_field(object->klass, "oscillators"));
  if (!division || state->divided) return;
  size_t kept = 0;
  for (size_t k = 0; k + size <= o->oscillators.n; k += size) {
    const double *oscillator = o->oscillators.data + k;
    const uint32_t local = sofa_division_local(division, (uint32_t)oscillator[0]);
    if (local == SOFA_NO_ELEMENT) continue;
    if (kept != k) sofa_copy(o->oscillators.data + kept, oscillator, size * sizeof *oscillator);
    o->oscillators.data[kept] = local;
    kept += size;
  }
  o->oscillators.n = kept;
  state->divided = true;
}

static SofaErr oscillator_init(SofaObject *object) {
  OscillatorProjectiveConstraint *o = (OscillatorProjectiveConstraint *)object;
  const bool local = sofa_list_was_divided(object, "oscillators");
  const size_t size = stride(&o->constraint);
  const size_t n =
      local ? sofa_state_size(o->constraint.state) : sofa_state_n_whole(o->constraint.state);
  SofaErr err = SOFA_OK;
  if (o->oscillators.n % size)
    err = sofa_field_fail(object, "oscillators", SOFA_ERR_PARSE,
                          "%zu numbers are not whole oscillators of %zu", o->oscillators.n, size);
  for (size_t k = 0; k + size <= o->oscillators.n && err == SOFA_OK; k += size) {
    const double index = o->oscillators.data[k];
    if (!(index >= 0 && index < (double)n && index == floor(index)))
      err = sofa_field_fail(object, "oscillators", SOFA_ERR_RANGE,
                            "oscillator %zu: %g is not a point of the state, which has %zu points",
                            k / size, index, n);
  }
  if (err != SOFA_OK) o->oscillators.n = 0;
  else divide(o, size);
  return err;
}

/* One oscillator at time t: x (coord) or v (deriv), the other NULL. */
static void swing(const SofaProjective *c, const double *oscillator, double t, double *x,
                  double *v) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(c->state->object.kind);
  const double *mean = oscillator + 1, *amplitude = mean + kind->coord;
  const double w = amplitude[kind->deriv], p = amplitude[kind->deriv + 1];
  const size_t i = (size_t)oscillator[0];
  if (x) {
    sofa_copy(x + i * kind->coord, mean, kind->coord * sizeof *x);
    sofa_state_integrate(c->state->object.kind, 1, sin(w * t + p), amplitude, x + i * kind->coord);
  }
  for (unsigned a = 0; v && a < kind->deriv; a++)
    v[i * kind->deriv + a] = amplitude[a] * w * cos(w * t + p);
}

static void swing_all(const SofaProjective *c, double t, double *x, double *v) {
  const OscillatorProjectiveConstraint *o = (const OscillatorProjectiveConstraint *)c;
  const size_t size = stride(c);
  for (size_t k = 0; k + size <= o->oscillators.n; k += size)
    swing(c, o->oscillators.data + k, t, x, v);
}

static SofaErr oscillator_position(SofaProjective *c, const SofaMechParams *params, double *x) {
  swing_all(c, imposed_time(c, params), x, NULL);
  return SOFA_OK;
}

static SofaErr oscillator_velocity(SofaProjective *c, const SofaMechParams *params, double *v) {
  swing_all(c, imposed_time(c, params), NULL, v);
  return SOFA_OK;
}

static SofaErr oscillator_response(SofaProjective *c, const SofaMechParams *params, double *dx) {
  (void)params;
  const OscillatorProjectiveConstraint *o = (OscillatorProjectiveConstraint *)c;
  const size_t size = stride(c), deriv = sofa_state_kind_info(c->state->object.kind)->deriv;
  for (size_t k = 0; k + size <= o->oscillators.n; k += size)
    sofa_zero(dx + (size_t)o->oscillators.data[k] * deriv, deriv * sizeof *dx);
  return SOFA_OK;
}

static SofaErr oscillator_discard(SofaProjective *c, const SofaMechParams *params,
                                  SofaDiscard *discard) {
  (void)params;
  const OscillatorProjectiveConstraint *o = (OscillatorProjectiveConstraint *)c;
  const size_t size = stride(c), deriv = sofa_state_kind_info(c->state->object.kind)->deriv;
  if (sofa_quirk(&c->object, QUIRK_UNPROJECTED_MATRIX)) return SOFA_OK;
  for (size_t k = 0; k + size <= o->oscillators.n; k += size) {
    const size_t at = (size_t)o->oscillators.data[k] * deriv;
    if (at + deriv <= discard->n) sofa_fill(discard->mask + at, 1, deriv);
  }
  return SOFA_OK;
}

/* Oscillators of removed points are removed; the last ones take their place. */
static SofaErr oscillator_listen(SofaObject *object, const SofaTopologyChange *change) {
  OscillatorProjectiveConstraint *o = (OscillatorProjectiveConstraint *)object;
  if (!sofa_change_moves(change, o->constraint.state) || change->kind != SOFA_CHANGE_REMOVE)
    return SOFA_OK;
  const size_t size = stride(&o->constraint);
  sofa_field_touch_name(object, "oscillators");
  for (size_t k = 0; k + size <= o->oscillators.n;) {
    double *oscillator = o->oscillators.data + k;
    const uint32_t now = sofa_change_renamed(change, (uint32_t)oscillator[0]);
    oscillator[0] = now;
    if (now != SOFA_NO_ELEMENT) {
      k += size;
      continue;
    }
    o->oscillators.n -= size;
    if (o->oscillators.n != k)
      sofa_copy(oscillator, o->oscillators.data + o->oscillators.n, size * sizeof *oscillator);
  }
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = oscillator_listen};
static const SofaProjectiveOps ops = {.response = oscillator_response,
                                      .velocity = oscillator_velocity,
                                      .position = oscillator_position,
                                      .discard = oscillator_discard};

/* The points that swing. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const OscillatorProjectiveConstraint *o = (const OscillatorProjectiveConstraint *)object;
  const SofaState *state = o->constraint.state;
  if (!sofa_display_shows(args->flags, SOFA_DISPLAY_BEHAVIOR_MODELS) || !state) return;
  const size_t size = stride(&o->constraint);
  for (size_t k = 0; k + size <= o->oscillators.n; k += size) {
    double p[3];
    const size_t i = (size_t)o->oscillators.data[k];
    if (i >= state->position.n) continue;
    sofa_state_point(state, i, p);
    sofa_draw_point(args->list, p, 10, SOFA_RGB(1, 0.5, 0.5));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

SOFA_CLASS(OscillatorProjectiveConstraint) = {
    SOFA_NAMED(OscillatorProjectiveConstraint),
    .module = "Sofa.Component.Constraint.Projective",
    .category = "ProjectiveConstraintSet",
    .help = "Moves points in oscillation: x = mean + amplitude sin(w t + p), with the velocity "
            "that belongs to it.",
    .equations = "x = m + a sin(omega t + phi), v = a omega cos(omega t + phi)",
    .base = &sofa_projective_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = oscillator_init,
    .reinit = oscillator_init,
    SOFA_IMPLEMENTS({SOFA_PROJECTIVE, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
