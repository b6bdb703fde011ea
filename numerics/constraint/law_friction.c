/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The laws of contacts with friction: three or six rows, the normal one first. */
#include <math.h>
#include <string.h>

#include "base/bytes.h"
#include "numerics/constraint/laws.h"

static void set_zero(double *lambda) {
  lambda[0] = lambda[1] = lambda[2] = 0;
}

static void project_on_cone(double friction, double *lambda) {
  const double square = lambda[1] * lambda[1] + lambda[2] * lambda[2];
  const double most = friction * lambda[0];
  if (!(square > most * most)) return;
  const double size = sqrt(square);
  lambda[1] *= most / size;
  lambda[2] *= most / size;
}

/* The normal force under d; false: the contact is open, and has none. */
static bool press(const SofaConstraintBlock *b, const double *w, const double *d, double *lambda) {
  lambda[0] = w[0] > 0 ? fmax(lambda[0] - d[0] / w[0], b->least) : 0;
  if (lambda[0] > 0) return true;
  sofa_zero(lambda, b->n * sizeof *lambda);
  return false;
}

/* The normal row first; the tangential ones under the new normal force, with the mean of their
 * compliances. */
static void friction_resolve(const SofaConstraintBlock *b, const double *w, const double *work,
                             double *d, double *lambda) {
  (void)work;
  const double before = lambda[0], mean = (w[4] + w[8]) / 2;
  if (!press(b, w, d, lambda)) return;
  for (unsigned t = 1; t < 3; t++) {
    d[t] += w[t] * (lambda[0] - before);
    lambda[t] = mean > 0 ? lambda[t] - d[t] / mean : 0;
  }
  project_on_cone(b->friction, lambda);
}

/* ---- natural maps ---- */

/* Rows whose forces are in a disc of the radius `factor` times the normal force. */
typedef struct Disc {
  unsigned first, n;
  double factor;
} Disc;

static unsigned discs_of(const SofaConstraintBlock *b, Disc out[3]) {
  out[0] = (Disc){1, 2, b->friction};
  out[1] = (Disc){3, 2, b->rolling};
  out[2] = (Disc){5, 1, b->spinning};
  return b->n == 3 ? 1 : 3;
}

static double size_of(const Disc *disc, const double *z) {
  return disc->n == 2 ? hypot(z[0], z[1]) : fabs(z[0]);
}

/* The normal force: P of it; does it grow with the pressure? */
typedef struct Normal {
  double force;
  bool grows;
} Normal;

/* r and its derivatives where the disc slides: lambda_t = R z_t / |z_t|. */
static void slide(const SofaNaturalMap *m, size_t n, const Disc *disc, const Normal *normal,
                  const double *z) {
  const double rho = m->rho, size = size_of(disc, z), most = disc->factor * normal->force;
  for (unsigned t = 0; t < disc->n; t++) {
    const size_t row = disc->first + t;
    m->r[row] = m->lambda[row] - most * z[t] / size;
    if (!m->by_d) continue;
    m->by_lambda[row * n] = normal->grows ? -disc->factor * z[t] / size : 0;
    m->by_d[row * n] = normal->grows ? rho * disc->factor * z[t] / size : 0;
    for (unsigned s = 0; s < disc->n; s++) {
      const double p = most / size * ((t == s) - z[t] * z[s] / (size * size));
      m->by_lambda[row * n + disc->first + s] = (t == s) - p;
      m->by_d[row * n + disc->first + s] = rho * p;
    }
  }
}

/* Its rows open, stick, or slide. */
static void disc_natural(const SofaNaturalMap *m, size_t n, const Disc *disc,
                         const Normal *normal) {
  const double most = disc->factor * normal->force;
  double z[2] = {0, 0};
  for (unsigned t = 0; t < disc->n; t++)
    z[t] = m->lambda[disc->first + t] - m->rho * m->d[disc->first + t];
  if (most > 0 && !(size_of(disc, z) <= most)) {
    slide(m, n, disc, normal, z);
    return;
  }
  for (size_t row = disc->first; row < disc->first + disc->n; row++) {
    m->r[row] = most > 0 ? m->rho * m->d[row] : m->lambda[row];
    if (m->by_d) (most > 0 ? m->by_d : m->by_lambda)[row * (n + 1)] = most > 0 ? m->rho : 1;
  }
}

/* Alart and Curnier, A mixed formulation for frictional contact problems prone to Newton like
 * solution methods, 1991: open, sticking or sliding by z = lambda - rho d. */
static void friction_natural(const SofaConstraintBlock *b, const SofaNaturalMap *m) {
  const double z = m->lambda[0] - m->rho * m->d[0];
  const bool grows = z > b->least;
  const Normal normal = {grows ? z : b->least, grows};
  Disc discs[3];
  if (m->by_d) {
    sofa_zero(m->by_lambda, (size_t)b->n * b->n * sizeof(double));
    sofa_zero(m->by_d, (size_t)b->n * b->n * sizeof(double));
    (grows ? m->by_d : m->by_lambda)[0] = grows ? m->rho : 1;
  }
  m->r[0] = grows ? m->rho * m->d[0] : m->lambda[0] - b->least;
  const unsigned n_discs = discs_of(b, discs);
  for (unsigned i = 0; i < n_discs; i++) disc_natural(m, b->n, &discs[i], &normal);
}

const SofaConstraintLaw sofa_law_friction = {
    .name = "friction", .resolve = friction_resolve, .natural = friction_natural};

/* ---- exact visits ---- */

/* y of the smallest y w y / 2 + e y in |y| <= most, with the eigenvalues `value` of w and e in the
 * basis of the vectors: (w + s) y = -e. Newton's method on 1 / |y| - 1 / most, from s = 0 (Conn,
 * Gould and Toint, Trust-region methods, 2000, 7.3). Directions without compliance have y = 0. */
static void secular(const double value[2], const double e[2], double most, double y[2]) {
  const double none = 1e-14 * fmax(value[0], value[1]);
  double s = 0;
  for (int iteration = 0; iteration < 50; iteration++) {
    double slope = 0;
    for (int i = 0; i < 2; i++) {
      y[i] = value[i] > none ? -e[i] / (value[i] + s) : 0;
      if (value[i] > none) slope += y[i] * y[i] / (value[i] + s);
    }
    const double size = hypot(y[0], y[1]);
    if (size <= most * (1 + 1e-15)) return;
    s += (size - most) / most * size * size / slope;
  }
}

/* The same for one or two rows of a block; w: n x n. */
static void solve_disc(const Disc *disc, size_t n, const double *w, const double *e, double most,
                       double *y) {
  const double *const at = w + disc->first * (n + 1);
  const double a = at[0];
  if (disc->n == 1) {
    y[0] = a > 0 ? fmax(-most, fmin(most, -e[0] / a)) : 0;
    return;
  }
  const double b = at[1], c = at[n + 1], angle = atan2(2 * b, a - c) / 2;
  const double co = cos(angle), si = sin(angle), half = hypot((a - c) / 2, b);
  const double value[2] = {(a + c) / 2 + half, (a + c) / 2 - half};
  const double turned[2] = {co * e[0] + si * e[1], co * e[1] - si * e[0]};
  double z[2];
  secular(value, turned, most, z);
  y[0] = co * z[0] - si * z[1];
  y[1] = si * z[0] + co * z[1];
}

/* The forces of a disc under d, and d of all rows under them. */
static void visit_disc(const SofaConstraintBlock *b, const double *w, const Disc *disc, double *d,
                       double *lambda) {
  const double most = disc->factor * lambda[0];
  double e[2], y[2] = {0, 0};
  for (unsigned t = 0; t < disc->n; t++) {
    e[t] = d[disc->first + t];
    for (unsigned s = 0; s < disc->n; s++)
      e[t] -= w[(disc->first + t) * b->n + disc->first + s] * lambda[disc->first + s];
  }
  if (most > 0) solve_disc(disc, b->n, w, e, most, y);
  for (unsigned t = 0; t < disc->n; t++) {
    const double change = y[t] - lambda[disc->first + t];
    lambda[disc->first + t] = y[t];
    for (uint32_t i = 0; i < b->n; i++) d[i] += w[i * b->n + disc->first + t] * change;
  }
}

static void exact_resolve(const SofaConstraintBlock *b, const double *w, const double *work,
                          double *d, double *lambda) {
  (void)work;
  const double before = lambda[0];
  Disc discs[3];
  const unsigned n = discs_of(b, discs);
  if (!press(b, w, d, lambda)) return;
  for (uint32_t i = 0; i < b->n; i++) d[i] += w[i * b->n] * (lambda[0] - before);
  for (unsigned k = 0; k < n; k++) visit_disc(b, w, &discs[k], d, lambda);
}

const SofaConstraintLaw sofa_law_friction_exact = {
    .name = "friction, exact", .resolve = exact_resolve, .natural = friction_natural};

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
