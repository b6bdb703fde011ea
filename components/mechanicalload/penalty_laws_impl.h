/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The laws of penalty loads in lanes: for kernels that are compiled once per instruction set. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_PENALTY_LAWS_H
#define SOFA_COMPONENTS_MECHANICALLOAD_PENALTY_LAWS_H

#include "components/mechanicalload/penalty_kernels.h"
#include "numerics/fem/lane_points_impl.h"

/* The answer of a law at points at rest, and what damping adds:
 *   F = push + dF/dv v, dF/dx = diagonal + u w^T, dF/dv = rate I + along z z^T. */
typedef struct Contact {
  LaneBits acts; /* elsewhere all is 0, whatever stands here */
  Lanes push[PENALTY_MOST];
  Lanes diagonal[PENALTY_MOST], u[PENALTY_MOST], w[PENALTY_MOST];
  Lanes rate, along, z[PENALTY_MOST];
} Contact;

ALWAYS Lanes dot(unsigned width, const Lanes *a, const Lanes *b) {
  Lanes sum = a[0] * b[0];
  for (unsigned c = 1; c < width; c++) sum = lanes_madd(a[c], b[c], sum);
  return sum;
}

/* Products with a matrix of which entry (i, j) is at row i + column j: R v, or R^T v. */
ALWAYS void turn(const double *m, int row, int column, const Lanes *v, Lanes *r) {
  for (int i = 0; i < 3; i++, m += row) {
    const Lanes sum = lanes_madd(lanes_set(m[column]), v[1], lanes_set(m[0]) * v[0]);
    r[i] = lanes_madd(lanes_set(m[2 * column]), v[2], sum);
  }
}

/* p - center */
ALWAYS void from_center(const PenaltyTerms *t, const Lanes *x, Lanes *p) {
  for (int c = 0; c < 3; c++) p[c] = x[c] - lanes_set(t->center[c]);
}

/* Where points at a distance are held. */
ALWAYS LaneBits held(const PenaltyTerms *t, Lanes distance) {
  const Lanes zero = lanes_set(0);
  return lanes_less(distance, zero) | (LaneBits)(lanes_set(t->bilateral) != zero);
}
/* The factor of v. */
ALWAYS Lanes rate_at(const PenaltyTerms *t, Lanes distance) {
  const LaneBits inside = lanes_less(distance, lanes_set(0));
  return lanes_select(inside, lanes_set(t->damping), lanes_set(t->beyond)) * distance;
}
/* Damping by rate v alone. */
ALWAYS void brake(unsigned width, Lanes rate, Contact *c) {
  c->rate = rate;
  c->along = lanes_set(0);
  for (unsigned i = 0; i < width; i++) c->z[i] = lanes_set(0);
}

/* d = x.n - size: F = -k d n, dF/dx = -k n n^T */
ALWAYS bool plane_law(unsigned width, const PenaltyTerms *t, const Lanes *x, Contact *c) {
  const Lanes stiffness = lanes_set(t->stiffness);
  Lanes d = lanes_set(-t->size);
  for (unsigned i = 0; i < width; i++) d = lanes_madd(x[i], lanes_set(t->axis[i]), d);
  c->acts = held(t, d);
  if (!lanes_any(c->acts)) return false;
  for (unsigned i = 0; i < width; i++) {
    c->w[i] = lanes_set(t->axis[i]);
    c->u[i] = -stiffness * c->w[i];
    c->push[i] = d * c->u[i];
    c->diagonal[i] = lanes_set(0);
  }
  brake(width, rate_at(t, d), c);
  return true;
}

/* l = |p|, n = p / l, q = r / l: F = -k (l - r) n, dF/dx = -k (q n n^T + (1 - q) I). The centre has
 * no direction: no force there. */
ALWAYS bool sphere_law(const PenaltyTerms *t, const Lanes *x, Contact *c) {
  const Lanes one = lanes_set(1), radius = lanes_set(t->size), k = lanes_set(-t->stiffness);
  from_center(t, x, c->w);
  const Lanes length = lanes_sqrt(lanes_dot3(c->w, c->w)), d = length - radius;
  c->acts = held(t, d) & lanes_less(lanes_set(0), length);
  if (!lanes_any(c->acts)) return false;
  const Lanes inverse = one / length, q = radius * inverse;
  for (int i = 0; i < 3; i++) {
    c->w[i] = c->w[i] * inverse;
    c->u[i] = k * q * c->w[i];
    c->push[i] = k * d * c->w[i];
    c->diagonal[i] = k * (one - q);
  }
  brake(3, rate_at(t, d), c);
  return true;
}

/* s^2 = sum (p_j / r_j)^2, g_j = p_j / r_j^2, G = |g|: F = -|k| (s - 1) / G g where k (s - 1) < 0.
 *   d(s - 1)/dx_j = g_j / s, dg_i/dx_j = delta_ij / r_i^2, dG/dx_j = g_j / (r_j^2 G)
 * SOFA's derivative has a term of the wrong sign and size. The centre has no direction: no force
 * there. scaled: p_j / r_j; inverse: 1 / r_j. */
ALWAYS bool ellipsoid_at(const PenaltyTerms *t, const Lanes *scaled, const Lanes *inverse,
                         Contact *c) {
  const Lanes one = lanes_set(1), zero = lanes_set(0), k = lanes_set(fabs(t->stiffness));
  const Lanes s2 = lanes_dot3(scaled, scaled);
  c->acts = lanes_less((s2 - one) * lanes_set(t->stiffness), zero) & lanes_less(zero, s2);
  if (!lanes_any(c->acts)) return false;
  for (int i = 0; i < 3; i++) c->u[i] = scaled[i] * inverse[i];
  const Lanes s = lanes_sqrt(s2), norm = lanes_sqrt(lanes_dot3(c->u, c->u));
  const Lanes both = one / (s * norm), per_norm = s * both;
  const Lanes depth = s - one, f = -k * depth * per_norm;
  const Lanes turn = t->sofa_term ? f * per_norm : -f * per_norm * per_norm;
  for (int i = 0; i < 3; i++) {
    const Lanes square = inverse[i] * inverse[i];
    c->w[i] = c->u[i] * lanes_madd(turn, square, -k * both);
    c->push[i] = f * c->u[i];
    c->diagonal[i] = f * square;
  }
  brake(3, lanes_set(-t->damping) * lanes_abs(depth), c);
  return true;
}
ALWAYS bool ellipsoid_law(const PenaltyTerms *t, const Lanes *x, Contact *c) {
  Lanes p[3], inverse[3];
  from_center(t, x, p);
  for (int i = 0; i < 3; i++) {
    inverse[i] = lanes_set(t->inverse[i]);
    p[i] = p[i] * inverse[i];
  }
  return ellipsoid_at(t, p, inverse, c);
}

/* Of several ellipsoids the first one with the smallest level s counts; in the frame's axes. */
ALWAYS bool carried_law(const PenaltyCarried *e, const Lanes *x, Contact *c) {
  Lanes from_origin[3], local[3], scaled[3], inverse[3], lowest = lanes_set((double)INFINITY);
  for (int i = 0; i < 3; i++) {
    from_origin[i] = x[i] - lanes_set(e->origin[i]);
    scaled[i] = inverse[i] = lanes_set(0);
  }
  turn(e->rotation, 1, 3, from_origin, local);
  for (size_t k = 0; k < e->n; k++) {
    const PenaltyShape *shape = &e->shapes[k];
    Lanes p[3];
    for (int i = 0; i < 3; i++)
      p[i] = (local[i] - lanes_set(shape->center[i])) * lanes_set(shape->inverse[i]);
    const Lanes level = lanes_dot3(p, p);
    const LaneBits lower = lanes_less(level, lowest);
    lowest = lanes_select(lower, level, lowest);
    for (int i = 0; i < 3; i++) {
      scaled[i] = lanes_select(lower, p[i], scaled[i]);
      inverse[i] = lanes_select(lower, lanes_set(shape->inverse[i]), inverse[i]);
    }
  }
  return ellipsoid_at(&e->terms, scaled, inverse, c);
}

/* n: unit direction back, d: depth; F = k d n, dF/dx = -k n n^T. With z and r, the parts of p along
 * the axis and across it:
 *   beyond the cap, |p| > size: n = -p / |p|, d = |p| - size, braked by the depth; elsewhere
 *   dF/dv = -c n n^T, and
 *   outside the side, z > 0: n = sin a - cos r / |r|, d = cos |r| - sin z;
 *   behind the tip, z <= 0: n = -p / |p|, d = |p|. */
ALWAYS bool cone_law(const PenaltyTerms *t, const Lanes *x, Contact *c) {
  const Lanes one = lanes_set(1), zero = lanes_set(0), sine = lanes_set(t->sine),
              cosine = lanes_set(t->cosine), size = lanes_set(t->size);
  Lanes p[3], axis[3], across[3];
  from_center(t, x, p);
  for (int i = 0; i < 3; i++) axis[i] = lanes_set(t->axis[i]);
  const Lanes z = lanes_dot3(p, axis), length2 = lanes_dot3(p, p);
  for (int i = 0; i < 3; i++) across[i] = lanes_madd(-z, axis[i], p[i]);
  const LaneBits cap = lanes_less(size * size, length2), side = ~cap & lanes_less(zero, z);
  // |r| at the side, else |p|
  const Lanes root = lanes_sqrt(lanes_select(side, lanes_dot3(across, across), length2));
  const Lanes beyond = root - size, aside = lanes_madd(cosine, root, -sine * z);
  const LaneBits behind = lanes_less(z, lanes_set(t->behind) * root);
  c->acts = cap | (side & lanes_less(zero, aside)) | (~side & behind);
  if (!lanes_any(c->acts)) return false;
  const Lanes depth = lanes_select(cap, beyond, lanes_select(side, aside, root));
  const Lanes scale = lanes_select(side, -cosine, -one) / root;
  const Lanes k = lanes_set(-t->stiffness);
  for (int i = 0; i < 3; i++) {
    c->w[i] = scale * lanes_select(side, across[i], p[i]);
    c->w[i] = lanes_select(side, lanes_madd(sine, axis[i], c->w[i]), c->w[i]);
    c->u[i] = k * c->w[i];
    c->push[i] = -depth * c->u[i];
    c->diagonal[i] = zero;
    c->z[i] = c->w[i];
  }
  c->rate = lanes_select(cap, rate_at(t, beyond), zero);
  c->along = lanes_select(cap, zero, lanes_set(-t->damping));
  return true;
}

#endif
