/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Energies of all pairs at given positions, with gradients and Hessians: barriers of pairs that are
 * closer than dhat, friction of the pairs that were so at the start of the step. */
#include <math.h>
#include <string.h>

#include "ipc.h"
#include "math/vec.h"
#include "simulation/vectors.h"

static void take_points(const uint32_t p[4], const double *x, double out[12]) {
  for (int k = 0; k < 4; k++) sofa_vec3_copy(x + 3 * (size_t)p[k], out + 3 * k);
}

/* Points whose rows of the Hessian are not 0. */
static unsigned points_that_count(const SofaPairTerm *term) {
  unsigned counts = 0;
  for (unsigned i = 0; i < 144; i++)
    if (term->hessian[i] != 0) counts |= 1u << (i / 36);
  return counts;
}

static SofaErr next_term(Ipc *c, const uint32_t point[4], IpcTerm **out) {
  const size_t room = c->terms.capacity;
  if (c->terms.n == room)
    SOFA_TRY(SOFA_RESERVE(c->force_field.object.ctx, &c->terms, room + room / 2 + 8));
  *out = &c->terms.data[c->terms.n];
  sofa_copy((*out)->point, point, sizeof(*out)->point);
  return SOFA_OK;
}

static void keep_term(Ipc *c, IpcTerm *t) {
  t->counts = points_that_count(&t->term);
  c->energy += t->term.value;
  c->terms.n++;
}

static SofaErr add_barriers(Ipc *c) {
  SofaBarrierRule rule = {.dhat2 = c->used_dhat * c->used_dhat, .stiffness = c->used_stiffness};
  double least = rule.dhat2;
  for (size_t i = 0; i < c->near.n; i++) {
    const IpcPair *p = &c->near.data[i];
    double x[12], d2;
    IpcTerm *t;
    take_points(p->point, c->x.data, x);
    sofa_pair_region(p->kind, x, &d2);
    if (d2 >= rule.dhat2) continue;
    least = fmin(least, d2);
    SOFA_TRY(next_term(c, p->point, &t));
    rule.threshold = p->threshold;
    t->edges = p->kind == SOFA_PAIR_EDGE_EDGE;
    if (sofa_barrier_pair(p->kind, x, &rule, &t->term)) keep_term(c, t);
  }
  c->distance = sqrt(least);
  return SOFA_OK;
}

static SofaErr add_friction(Ipc *c) {
  const SofaFrictionRule rule = {.mu = c->friction, .eps = c->slip};
  for (size_t i = 0; i < c->slides.n; i++) {
    const IpcSlide *s = &c->slides.data[i];
    double x[12], start[12], moved[12];
    IpcTerm *t;
    take_points(s->point, c->x.data, x);
    take_points(s->point, c->x_start.data, start);
    for (int k = 0; k < 12; k++) moved[k] = x[k] - start[k];
    SOFA_TRY(next_term(c, s->point, &t));
    sofa_friction_pair(&s->friction, &rule, 4, moved, &t->term);
    keep_term(c, t);
  }
  return SOFA_OK;
}

SofaErr ipc_evaluate(Ipc *c, uint64_t id) {
  c->evaluated = 0;
  c->terms.n = 0;
  c->energy = 0;
  c->definite = false;
  SOFA_TRY(ipc_find_near(c, c->x.data, c->x.data));
  SOFA_TRY(add_barriers(c));
  c->n_barriers = c->terms.n;
  SOFA_TRY(add_friction(c));
  c->evaluated = id;
  return SOFA_OK;
}

SofaErr ipc_make_definite(Ipc *c) {
  if (c->definite || !c->project) return SOFA_OK;
  for (size_t i = 0; i < c->n_barriers; i++) {
    IpcTerm *t = &c->terms.data[i];
    if (!sofa_make_definite(12, t->term.hessian)) return SOFA_ERR_NOT_FINITE;
    t->counts = points_that_count(&t->term);
  }
  c->definite = true;
  return SOFA_OK;
}

/* ---- friction ---- */

SofaErr ipc_begin_friction(Ipc *c, double dt) {
  SofaBarrierRule rule = {.dhat2 = c->used_dhat * c->used_dhat, .stiffness = c->used_stiffness};
  c->slides.n = 0;
  c->slip = c->sliding_speed * dt;
  if (!(c->friction > 0)) return SOFA_OK;
  SOFA_TRY(ipc_find_near(c, c->x_start.data, c->x_start.data));
  for (size_t i = 0; i < c->near.n; i++) {
    const IpcPair *p = &c->near.data[i];
    double x[12];
    IpcSlide slide;
    take_points(p->point, c->x_start.data, x);
    rule.threshold = p->threshold;
    if (!sofa_friction_lag(p->kind, x, &rule, &slide.friction) || !(slide.friction.load > 0))
      continue;
    memcpy(slide.point, p->point, sizeof slide.point);
    SOFA_TRY(SOFA_APPEND(c->force_field.object.ctx, &c->slides, &slide));
  }
  return SOFA_OK;
}

/* ---- stiffness ---- */

/* Second derivative of the barrier by the distance at dhat / 2, of stiffness 1. */
static double unit_stiffness(double dhat) {
  const double d2 = 0.25 * dhat * dhat;
  double db[2];
  sofa_barrier(d2, dhat * dhat, db);
  return 4 * d2 * db[1] + 2 * db[0];
}

/* Signs without a pattern on the independent states. */
static void fill_signs(const SofaMechanics *m, uint64_t *bits, double *dx) {
  sofa_vec_zero(sofa_all_v(m), dx);
  for (size_t i = 0; i < m->n_main; i++) {
    const SofaState *s = m->states[i];
    const size_t n = s->position.n * sofa_state_kind_info(s->object.kind)->deriv;
    for (size_t k = 0; k < n; k++) {
      *bits = *bits * 6364136223846793005u + 1442695040888963407u;
      dx[s->v_offset + k] = *bits >> 63 ? 1 : -1;
    }
  }
}

/* Mean of the diagonal of M / dt^2 - K of a plan: with signs s, the mean of s A s (Hutchinson, A
 * stochastic estimator of the trace, 1990). */
static SofaErr mean_diagonal(SofaMechanics *m, const SofaStepStart *start, double *out) {
  enum { PROBES = 4 };
  const SofaScratchMark mark = sofa_scratch_mark(m->ctx);
  const double inertia = start->statics ? 0 : 1 / (start->dt * start->dt);
  const SofaMechParams p = sofa_mech_params(start->dt, start->at.time, inertia, 0, -1);
  const SofaMechPoint at = sofa_mech_point(m, m->x, m->v, start->at.time);
  uint64_t bits = 0x9e3779b97f4a7c15u;
  double *dx = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  double *df = SOFA_SCRATCH(m->ctx, double, m->n_v + 1);
  SofaErr err = dx && df ? SOFA_OK : SOFA_ERR_MEMORY;
  *out = 0;
  for (int k = 0; err == SOFA_OK && k < PROBES; k++) {
    fill_signs(m, &bits, dx);
    sofa_vec_zero(sofa_all_v(m), df);
    err = sofa_mech_propagate_dx(m, &at, dx);
    if (err == SOFA_OK) err = sofa_mech_add_mbk(m, &p, &at, dx, df);
    *out += sofa_vec_dot(sofa_main_v(m), dx, df) / (PROBES * (double)m->n_v_main);
  }
  sofa_scratch_release(m->ctx, mark);
  return err;
}

SofaErr ipc_choose_stiffness(Ipc *c, const SofaStepStart *start) {
  const SofaForceField *ff = &c->force_field;
  SofaMechanics *m = NULL;
  double diagonal = 0;
  c->used_stiffness = c->most_stiffness = c->stiffness;
  if (c->stiffness > 0) return SOFA_OK;
  for (size_t k = 0; k < ff->n_states && !m; k++) m = ff->state[k]->mechanics;
  if (m && m->n_v_main) SOFA_TRY(mean_diagonal(m, start, &diagonal));
  if (!(diagonal > 0 && isfinite(diagonal)))
    return sofa_object_fail(&ff->object, SOFA_ERR_RANGE,
                            "the bodies have neither mass nor stiffness that a stiffness of the "
                            "contact follows from: give the field 'stiffness'");
  c->used_stiffness = diagonal / unit_stiffness(c->used_dhat);
  c->most_stiffness = 100 * c->used_stiffness;
  c->evaluated = 0;
  return SOFA_OK;
}

bool ipc_adapt_stiffness(Ipc *c) {
  const SofaStiffnessBounds bounds = {0, c->most_stiffness};
  const double before = c->used_stiffness;
  c->used_stiffness =
      sofa_stiffness_next(&bounds, before, c->diagonal, c->distance_before, c->distance);
  c->distance_before = c->distance;
  return c->used_stiffness != before;
}
