/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gyroscopic torques of rigid bodies. */
#include "simulation/gyroscopic.h"

#include <math.h>

#include "math/quaternion.h"
#include "simulation/mapped_inertia.h"
#include "simulation/vectors.h"

/* ---- which states ---- */

static bool is_body(const SofaState *s) {
  return s->object.kind == SOFA_RIGID3;
}

static bool acts_on(const SofaMechanics *m, const SofaMass *mass, const SofaState *s) {
  return mass->force_field.state[0] == s && s->mechanics == m;
}

static bool state_turns(const SofaMechanics *m, const SofaState *s) {
  if (!is_body(s)) return false;
  for (size_t i = 0; i < m->n_masses; i++)
    if (m->masses[i]->turns && acts_on(m, m->masses[i], s)) return true;
  return false;
}

bool sofa_mech_turns(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_main; i++)
    if (state_turns(m, m->states[i])) return true;
  return false;
}

bool sofa_mech_has_frames(const SofaMechanics *m) {
  for (size_t i = 0; i < m->n_main; i++)
    if (is_body(m->states[i])) return true;
  return false;
}

/* The inertia of the bodies of a state by all its masses, 9 reals each, in scratch memory. */
static double *inertia_of(SofaMechanics *m, const SofaState *s, const SofaMechPoint *at) {
  const size_t n = s->position.n;
  double *inertia = SOFA_SCRATCH(m->ctx, double, 9 * n + 1);
  if (!inertia) return NULL;
  sofa_zero(inertia, 9 * n * sizeof *inertia);
  for (size_t i = 0; i < m->n_masses; i++) {
    SofaMass *mass = m->masses[i];
    const SofaMassOps *ops = sofa_mass_ops(mass);
    if (acts_on(m, mass, s) && ops->add_inertia)
      ops->add_inertia(mass, sofa_mech_mass_x(m, mass, at), inertia);
  }
  return inertia;
}

/* A body that a constraint ties to another one has no axes of its own: it counts as free. */
static void keep_projector(double *p) {
  double square[9], difference = 0;
  sofa_mat3_mul(p, p, square);
  for (int k = 0; k < 9; k++) difference += fabs(square[k] - p[k]);
  if (!(difference < 1e-9)) sofa_mat3_identity(p);
}

/* What constraints leave free of the spin of each body of a state, a projector: 9 reals each, in
 * scratch memory; NULL: all, or there is no memory. */
static double *free_axes(SofaMechanics *m, const SofaState *s, const SofaMechParams *p) {
  const size_t n = s->position.n;
  if (m->n_constraints == 0) return NULL;
  double *axes = SOFA_SCRATCH(m->ctx, double, 9 * n + 1);
  double *unit = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  for (size_t c = 0; axes && unit && c < 3; c++) {
    sofa_vec_zero(sofa_all_v(m), unit);
    for (size_t i = 0; i < n; i++) SOFA_TWIST_ANGULAR(unit + s->v_offset, i)[c] = 1;
    if (sofa_mech_project_response(m, p, unit) != SOFA_OK) return NULL;
    for (size_t i = 0; i < n; i++)
      for (size_t r = 0; r < 3; r++)
        axes[9 * i + 3 * r + c] = SOFA_TWIST_ANGULAR(unit + s->v_offset, i)[r];
  }
  for (size_t i = 0; axes && unit && i < n; i++) keep_projector(axes + 9 * i);
  return unit ? axes : NULL;
}

/* Bodies of a state with what is needed of each; read by the functions below. */
typedef struct Bodies {
  const double *inertia, *free; /* 9 reals each; free NULL: all axes are */
} Bodies;

static SofaErr open_bodies(SofaMechanics *m, const SofaState *s, const SofaMechParams *p,
                           const SofaMechPoint *at, Bodies *out) {
  out->inertia = inertia_of(m, s, at);
  out->free = free_axes(m, s, p);
  return out->inertia ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* ---- one body ---- */

/* r = A^-1 f on the free axes, 0 on the others. */
static bool solve_free(const double *free, const double *a, const double *f, double *r) {
  double j[9], product[9];
  sofa_mat3_copy(a, j);
  sofa_vec3_copy(f, r);
  if (free) {
    sofa_mat3_mul(free, a, product);
    sofa_mat3_mul(product, free, j);
    for (int k = 0; k < 9; k++) j[k] += (k % 4 == 0) - free[k];
    sofa_mat3_apply(free, f, r);
  }
  if (!sofa_mat3_inverse(j, j, NULL)) return false;
  sofa_mat3_apply(j, r, r);
  return true;
}

void sofa_gyroscopic_torque(const double *inertia, const double *u, double *r) {
  double momentum[3];
  sofa_mat3_apply(inertia, u, momentum);
  sofa_vec3_cross(momentum, u, r);
}

/* F(u) = I (u - w) - c (drive + g(u) - g(w)), g(u) = -u x I u. */
typedef struct BodyStep {
  const double *inertia, *free, *w;
  double c, drive[3], start[3]; /* start: g(w) */
} BodyStep;

static double equation(const BodyStep *s, const double *u, double *f) {
  double g[3], change[3];
  sofa_gyroscopic_torque(s->inertia, u, g);
  sofa_vec3_sub(u, s->w, change);
  sofa_mat3_apply(s->inertia, change, f);
  for (int k = 0; k < 3; k++) f[k] -= s->c * (s->drive[k] + g[k] - s->start[k]);
  if (s->free) sofa_mat3_apply(s->free, f, f);
  return sofa_vec3_norm(f);
}

/* d = -(dF/du)^-1 f with dF/du = I + c ([u] I - [I u]). */
static bool direction(const BodyStep *s, const double *u, const double *f, double *d) {
  double momentum[3], cross[9], product[9], j[9];
  sofa_mat3_apply(s->inertia, u, momentum);
  sofa_mat3_cross(u, cross);
  sofa_mat3_mul(cross, s->inertia, product);
  sofa_mat3_cross(momentum, cross);
  sofa_mat3_copy(s->inertia, j);
  sofa_mat3_axpy(s->c, product, j);
  sofa_mat3_axpy(-s->c, cross, j);
  const bool solved = solve_free(s->free, j, f, d);
  sofa_vec3_scale(-1, d, d);
  return solved;
}

/* Newton with halved steps, until rounding. u: the guess, then the root. */
static bool solve_body(const BodyStep *s, double *u) {
  double f[3], d[3], trial[3], next[3];
  double size = equation(s, u, f);
  for (int k = 0; k < 30 && size > 0; k++) {
    if (!direction(s, u, f, d)) return false;
    double step = 1, smaller = INFINITY;
    for (int half = 0; half < 12 && !(smaller < size); half++, step *= 0.5) {
      for (int c = 0; c < 3; c++) trial[c] = u[c] + step * d[c];
      smaller = equation(s, trial, next);
    }
    if (!(smaller < size)) break;
    sofa_vec3_copy(trial, u);
    sofa_vec3_copy(next, f);
    size = smaller;
  }
  sofa_mat3_apply(s->inertia, u, d);
  return size <= 1e-12 * sofa_vec3_norm(d);
}

/* For a spin of several turns a step, where Newton may fail: the torque I (u - w) / c that takes
 * the spin to u in the middle of the step, with u scaled such that the energy of a free body is at
 * the end, with the spin 2 u - w, what it was: u . I (u - w) = 0. */
static void bounded_torque(const BodyStep *s, double *u, double *r) {
  double momentum[3];
  sofa_mat3_apply(s->inertia, u, momentum);
  const double size = sofa_vec3_dot(momentum, u), goal = sofa_vec3_dot(momentum, s->w);
  const double scale = size > 0 && isfinite(goal / size) ? goal / size : 0;
  for (int k = 0; k < 3; k++) u[k] = (scale > 0 ? scale * u[k] - s->w[k] : 0) / s->c;
  sofa_mat3_apply(s->inertia, u, r);
}

/* How much of the prediction is believed: 1 unless torques take the spin beyond its own size and
 * what it does without them. In small steps they never do. */
static double trust(const BodyStep *s, const double *spin, const double *before,
                    const double *net) {
  double a[3], free[3];
  if (!solve_free(s->free, s->inertia, net, a) || !solve_free(s->free, s->inertia, s->start, free))
    return 0;
  const double change = sofa_vec3_norm(before) + s->c * sofa_vec3_norm(a);
  const double limit = sofa_vec3_norm(spin) + s->c * sofa_vec3_norm(free);
  return change > limit ? limit / change : 1;
}

/* t += g(w + before + c a). Stiff torques, whose motion the step does not resolve, make the
 * prediction useless; then they hold the body against gyroscopic torques, too, which fade. */
static void add_to_body(BodyStep *s, const double *before, double *t) {
  double net[3], u[3], g[3], base[3];
  const double *spin = s->w;
  bool solved = true;
  sofa_gyroscopic_torque(s->inertia, spin, s->start);
  sofa_vec3_add(t, s->start, net);
  const double part = s->c > 0 ? trust(s, spin, before, net) : 1;
  for (int k = 0; k < 3; k++) base[k] = spin[k] + part * before[k];
  sofa_vec3_copy(base, u);
  s->w = base;
  sofa_gyroscopic_torque(s->inertia, base, s->start);
  sofa_vec3_add(t, s->start, net);
  sofa_vec3_scale(part, net, s->drive);
  if (s->c > 0 && part > 0) solved = solve_body(s, u);
  if (solved) sofa_gyroscopic_torque(s->inertia, u, g);
  else bounded_torque(s, u, g);
  sofa_vec3_axpy(part * part, g, t);
}

SofaErr sofa_mech_add_gyroscopic(SofaMechanics *m, const SofaMechPoint *at,
                                 const SofaSpinTime *when, double *f) {
  const SofaMechParams p = sofa_mech_params(m->node->dt, at->time, 0, 0, 0);
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  SofaErr err = sofa_mech_add_transport(m, at, when->v, SOFA_TRANSPORT_OF_VELOCITY, f);
  for (size_t k = 0; k < m->n_main && err == SOFA_OK; k++) {
    const SofaState *s = m->states[k];
    if (!state_turns(m, s)) continue;
    Bodies b;
    err = open_bodies(m, s, &p, at, &b);
    for (size_t i = 0; err == SOFA_OK && i < s->position.n; i++) {
      double before[3] = {0};
      if (when->a)
        sofa_vec3_scale(when->before, SOFA_TWIST_ANGULAR(when->a + s->v_offset, i), before);
      BodyStep step = {.inertia = b.inertia + 9 * i,
                       .free = b.free ? b.free + 9 * i : NULL,
                       .w = SOFA_TWIST_ANGULAR(when->v + s->v_offset, i),
                       .c = when->after};
      add_to_body(&step, before, SOFA_TWIST_ANGULAR(f + s->v_offset, i));
    }
  }
  sofa_scratch_release(m->ctx, mark);
  return err;
}

SofaErr sofa_mech_held_spins(SofaMechanics *m, const SofaMechPoint *at, const double *f,
                             double *a) {
  return sofa_mech_spin_of_momentum(m, at, f, 0, a);
}

/* ---- rotations ---- */

void sofa_mech_add_commutator(const SofaMechanics *m, double factor, const double *a,
                              const double *b, double *r) {
  for (size_t k = 0; k < m->n_main; k++) {
    const SofaState *s = m->states[k];
    for (size_t i = 0; is_body(s) && i < s->position.n; i++) {
      double c[3];
      sofa_vec3_cross(SOFA_TWIST_ANGULAR(a + s->v_offset, i),
                      SOFA_TWIST_ANGULAR(b + s->v_offset, i), c);
      sofa_vec3_axpy(factor, c, SOFA_TWIST_ANGULAR(r + s->v_offset, i));
    }
  }
}

/* w with I(exp(c w) q) w = p, I(q) given. The turned inertia is E I E^T with E = exp(c w), and
 * E^T w = w: hence I w = E^T p, by Newton with the derivative of E^T p to first order. A body that
 * is held about some axes: c = 0. */
static void spin_of(const double *inertia, const double *free, const double *p, double c,
                    double *w) {
  double turn[4], turned[3], f[3], last = INFINITY;
  if (!solve_free(free, inertia, p, w)) return;
  for (int k = 0; k < 50 && c != 0 && !free; k++) {
    double j[9], back[3];
    sofa_vec3_scale(-c, w, back);
    sofa_quat_identity(turn);
    sofa_quat_integrate(turn, back);
    sofa_quat_rotate(turn, p, turned);
    sofa_mat3_apply(inertia, w, f);
    sofa_vec3_sub(f, turned, f);
    const double size = sofa_vec3_norm(f);
    if (!(size < last)) break;
    last = size;
    sofa_mat3_cross(turned, j);
    sofa_mat3_scale(-c, j, j);
    sofa_mat3_axpy(1, inertia, j);
    if (!solve_free(NULL, j, f, back)) break;
    sofa_vec3_sub(w, back, w);
  }
}

SofaErr sofa_mech_spin_of_momentum(SofaMechanics *m, const SofaMechPoint *at, const double *p,
                                   double c, double *v) {
  const SofaMechParams params = sofa_mech_params(m->node->dt, at->time, 0, 0, 0);
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  SofaErr err = SOFA_OK;
  for (size_t k = 0; k < m->n_main && err == SOFA_OK; k++) {
    const SofaState *s = m->states[k];
    if (!state_turns(m, s)) continue;
    Bodies b;
    err = open_bodies(m, s, &params, at, &b);
    for (size_t i = 0; err == SOFA_OK && i < s->position.n; i++)
      spin_of(b.inertia + 9 * i, b.free ? b.free + 9 * i : NULL,
              SOFA_TWIST_ANGULAR(p + s->v_offset, i), c, SOFA_TWIST_ANGULAR(v + s->v_offset, i));
  }
  sofa_scratch_release(m->ctx, mark);
  return err;
}

void sofa_mech_copy_spins(const SofaMechanics *m, const double *from, double *to) {
  for (size_t k = 0; k < m->n_main; k++) {
    const SofaState *s = m->states[k];
    if (!state_turns(m, s)) continue;
    for (size_t i = 0; i < s->position.n; i++)
      sofa_vec3_copy(SOFA_TWIST_ANGULAR(from + s->v_offset, i),
                     SOFA_TWIST_ANGULAR(to + s->v_offset, i));
  }
}
