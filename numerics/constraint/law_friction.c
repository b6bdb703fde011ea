/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The laws of contacts with friction: three rows, the normal one first. */
#include <math.h>
#include <string.h>

#include "numerics/constraint/laws.h"

static void set_zero(double *lambda) {
  lambda[0] = lambda[1] = lambda[2] = 0;
}

static void project_on_cone(double friction, double *lambda) {
  const double size = hypot(lambda[1], lambda[2]), most = friction * lambda[0];
  if (!(size > most)) return;
  lambda[1] *= most / size;
  lambda[2] *= most / size;
}

/* The normal row first; the tangential ones under the new normal force, with the mean of their
 * compliances. */
static void friction_resolve(const SofaConstraintBlock *b, const double *w, const double *work,
                             double *d, double *lambda) {
  (void)work;
  const double before = lambda[0], mean = (w[4] + w[8]) / 2;
  lambda[0] = w[0] > 0 ? before - d[0] / w[0] : 0;
  if (!(lambda[0] > 0)) {
    set_zero(lambda);
    return;
  }
  for (unsigned t = 1; t < 3; t++) {
    d[t] += w[t] * (lambda[0] - before);
    lambda[t] = mean > 0 ? lambda[t] - d[t] / mean : 0;
  }
  project_on_cone(b->friction, lambda);
}

/* r and its derivatives where the contact slides: lambda_t = R z_t / |z_t|. */
static void slide(const SofaConstraintBlock *b, const SofaNaturalMap *m, const double *z) {
  const double rho = m->rho, size = hypot(z[1], z[2]), most = b->friction * z[0];
  m->r[0] = rho * m->d[0];
  for (unsigned t = 1; t < 3; t++) m->r[t] = m->lambda[t] - most * z[t] / size;
  if (!m->by_d) return;
  m->by_d[0] = rho;
  for (unsigned t = 1; t < 3; t++) {
    m->by_lambda[3 * t] = -b->friction * z[t] / size;
    m->by_d[3 * t] = rho * b->friction * z[t] / size;
    for (unsigned s = 1; s < 3; s++) {
      const double p = most / size * ((t == s) - z[t] * z[s] / (size * size));
      m->by_lambda[3 * t + s] = (t == s) - p;
      m->by_d[3 * t + s] = rho * p;
    }
  }
}

/* Alart and Curnier, A mixed formulation for frictional contact problems prone to Newton like
 * solution methods, 1991: open, sticking or sliding by z = lambda - rho d. */
static void friction_natural(const SofaConstraintBlock *b, const SofaNaturalMap *m) {
  const double rho = m->rho;
  const double z[3] = {m->lambda[0] - rho * m->d[0], m->lambda[1] - rho * m->d[1],
                       m->lambda[2] - rho * m->d[2]};
  const bool open = z[0] <= 0, sticks = hypot(z[1], z[2]) <= b->friction * z[0];
  if (m->by_d) {
    memset(m->by_lambda, 0, 9 * sizeof(double));
    memset(m->by_d, 0, 9 * sizeof(double));
  }
  if (!open && !sticks) {
    slide(b, m, z);
    return;
  }
  for (unsigned i = 0; i < 3; i++) {
    m->r[i] = open ? m->lambda[i] : rho * m->d[i];
    if (m->by_d) (open ? m->by_lambda : m->by_d)[4 * i] = open ? 1 : rho;
  }
}

const SofaConstraintLaw sofa_law_friction = {
    .name = "friction", .resolve = friction_resolve, .natural = friction_natural};

/* ---- augmented Lagrangian ---- */

static void augmented_resolve(const SofaConstraintBlock *b, const double *w, const double *work,
                              double *d, double *lambda) {
  if (b->n == 1) {
    sofa_law_unilateral.resolve(b, w, work, d, lambda);
    return;
  }
  lambda[0] = w[0] > 0 ? lambda[0] - b->epsilon * d[0] : 0;
  if (!(lambda[0] > 0)) {
    set_zero(lambda);
    return;
  }
  for (unsigned t = 1; t < 3; t++) lambda[t] -= b->epsilon * d[t];
  project_on_cone(b->friction, lambda);
}

static void open_resolve(const SofaConstraintBlock *b, const double *w, const double *work,
                         double *d, double *lambda) {
  if (b->n == 1) {
    sofa_law_unilateral.resolve(b, w, work, d, lambda);
    return;
  }
  lambda[0] -= b->epsilon * d[0];
  if (lambda[0] < 0) {
    set_zero(lambda);
    return;
  }
  const double g[2] = {lambda[1] - b->epsilon * d[1], lambda[2] - b->epsilon * d[2]};
  const bool sticks = hypot(g[0], g[1]) < b->friction * fabs(lambda[0]);
  const double size = hypot(d[1], d[2]);
  const double slides = size > 0 ? b->friction * b->epsilon * d[0] / size : 0;
  for (unsigned t = 0; t < 2; t++)
    lambda[1 + t] = sticks ? g[t] : lambda[1 + t] - slides * d[1 + t];
}

static void augmented_natural(const SofaConstraintBlock *b, const SofaNaturalMap *m) {
  (b->n == 1 ? &sofa_law_unilateral : &sofa_law_friction)->natural(b, m);
}

const SofaConstraintLaw sofa_law_augmented = {.name = "augmented Lagrangian",
                                              .resolve = augmented_resolve,
                                              .natural = augmented_natural},
                        sofa_law_augmented_open = {.name = "augmented Lagrangian, open",
                                                   .resolve = open_resolve,
                                                   .natural = augmented_natural};
