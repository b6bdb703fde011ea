/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loops of penalty loads over points, compiled once per instruction set with KERNELS_ISA naming
 * it: all laws share them. A register without a point that a law acts on is left after its places
 * have been read. */
#include "components/mechanicalload/penalty_kernels.h"

#include "components/mechanicalload/penalty_laws_impl.h"
#include "components/mechanicalload/penalty_rows_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

ALWAYS unsigned width_of(PenaltyLaw law) {
  return law == PENALTY_WIDE_PLANE ? PENALTY_MOST : 3;
}

ALWAYS bool law_at(PenaltyLaw law, const PenaltyTerms *t, const Lanes *x, Contact *c) {
  switch (law) {
  case PENALTY_SPHERE:
    return sphere_law(t, x, c);
  case PENALTY_ELLIPSOID:
    return ellipsoid_law(t, x, c);
  case PENALTY_CONE:
    return cone_law(t, x, c);
  default:
    return plane_law(width_of(law), t, x, c);
  }
}

/* The points from `at` on. */
ALWAYS Rows rows_at(const PenaltyTerms *t, const PenaltyPoints *points, size_t at) {
  const size_t left = points->n - at;
  return (Rows){t->dims, points->deriv, left < LANES ? left : LANES};
}
ALWAYS bool contact_at(PenaltyLaw law, const PenaltyTerms *t, const PenaltyPoints *points,
                       size_t at, Contact *c) {
  Rows rows = rows_at(t, points, at);
  Lanes x[PENALTY_MOST];
  rows.stride = points->coord;
  load(width_of(law), rows, points->x + at * points->coord, x);
  return law_at(law, t, x, c);
}

/* F = min(1, limit / |f|) f of the force f = push + rate v. dF/dv = limit / |f| rate
 * (I - f f^T / |f|^2) where it is limited; dF/dx stays. */
ALWAYS void limit_force(const PenaltyTerms *t, Lanes *force, Contact *c) {
  const Lanes one = lanes_set(1), limit = lanes_set(t->limit);
  const Lanes norm2 = dot(PENALTY_MOST, force, force);
  const LaneBits limited = lanes_less(limit * limit, norm2);
  const Lanes factor = lanes_select(limited, limit / lanes_sqrt(norm2), one);
  c->rate = factor * c->rate;
  c->along = lanes_select(limited, -c->rate / norm2, lanes_set(0));
  for (int i = 0; i < PENALTY_MOST; i++) {
    c->z[i] = force[i];
    force[i] = factor * force[i];
  }
}

ALWAYS void force_at(PenaltyLaw law, const PenaltyTerms *t, const PenaltyPoints *points, size_t at,
                     Contact *c, Lanes *force) {
  const unsigned width = width_of(law);
  Lanes v[PENALTY_MOST];
  load(width, rows_at(t, points, at), points->v + at * points->deriv, v);
  const Lanes along = c->along * dot(width, c->z, v);
  for (unsigned i = 0; i < width; i++)
    force[i] = lanes_madd(along, c->z[i], lanes_madd(c->rate, v[i], c->push[i]));
  if (law == PENALTY_WIDE_PLANE) limit_force(t, force, c);
}

/* The derivatives of a force that may be limited. */
ALWAYS bool tangent_at(PenaltyLaw law, const PenaltyTerms *t, const PenaltyPoints *points,
                       size_t at, Contact *c) {
  Lanes force[PENALTY_MOST];
  if (!contact_at(law, t, points, at, c)) return false;
  if (law == PENALTY_WIDE_PLANE) force_at(law, t, points, at, c, force);
  return true;
}

ALWAYS void force_by(PenaltyLaw law, const PenaltyTerms *t, const PenaltyPoints *points,
                     double *f) {
  const PenaltyTerms terms = *t; // which no store changes
  const PenaltyPoints all = *points;
  t = &terms;
  points = &all;
  for (size_t at = 0; at < points->n; at += LANES) {
    Contact c;
    Lanes force[PENALTY_MOST];
    if (!contact_at(law, t, points, at, &c)) continue;
    force_at(law, t, points, at, &c, force);
    for (unsigned i = 0; i < width_of(law); i++) force[i] = acting(&c, force[i]);
    add(width_of(law), rows_at(t, points, at), force, f + at * points->deriv);
  }
}

ALWAYS void product_by(PenaltyLaw law, const PenaltyTerms *t, const PenaltyPoints *points,
                       PenaltyFactors by, const double *dx, double *df) {
  const unsigned width = width_of(law);
  const Lanes k = lanes_set(by.k), b = lanes_set(by.b);
  const PenaltyTerms terms = *t; // which no store changes
  const PenaltyPoints all = *points;
  t = &terms;
  points = &all;
  for (size_t at = 0; at < points->n; at += LANES) {
    Contact c;
    Lanes d[PENALTY_MOST], r[PENALTY_MOST];
    if (!tangent_at(law, t, points, at, &c)) continue;
    load(width, rows_at(t, points, at), dx + at * points->deriv, d);
    const Lanes w = k * dot(width, c.w, d), z = b * c.along * dot(width, c.z, d);
    for (unsigned i = 0; i < width; i++) {
      const Lanes own = lanes_madd(k, c.diagonal[i], b * c.rate);
      r[i] = acting(&c, lanes_madd(own, d[i], lanes_madd(w, c.u[i], z * c.z[i])));
    }
    add(width, rows_at(t, points, at), r, df + at * points->deriv);
  }
}

/* k dF/dx + b dF/dv in rows of lanes. */
ALWAYS void block_of(unsigned width, const Contact *c, PenaltyFactors by, Lanes *block) {
  const Lanes k = lanes_set(by.k), b = lanes_set(by.b), z = b * c->along;
  for (unsigned i = 0; i < width; i++) {
    for (unsigned j = 0; j < width; j++) {
      Lanes entry = lanes_madd(k * c->u[i], c->w[j], z * c->z[i] * c->z[j]);
      if (i == j) entry = entry + lanes_madd(k, c->diagonal[i], b * c->rate);
      block[width * i + j] = acting(c, entry);
    }
  }
}

ALWAYS void blocks_by(PenaltyLaw law, const PenaltyTerms *t, const PenaltyPoints *points,
                      PenaltyFactors by, double *blocks) {
  const unsigned width = width_of(law), size = width * width;
  for (size_t at = 0; at < points->n; at += LANES) {
    Contact c;
    Lanes block[PENALTY_MOST * PENALTY_MOST];
    if (tangent_at(law, t, points, at, &c)) {
      block_of(width, &c, by, block);
      store_blocks(size, block, blocks + at * size);
      continue;
    }
    store_no_blocks(size, blocks + at * size);
  }
}

#define LOOPS_OF(name, law)                                                                        \
  static void name##_force(const PenaltyTerms *t, const PenaltyPoints *points, double *f) {        \
    force_by(law, t, points, f);                                                                   \
  }                                                                                                \
  static void name##_product(const PenaltyTerms *t, const PenaltyPoints *points,                   \
                             PenaltyFactors by, const double *dx, double *df) {                    \
    product_by(law, t, points, by, dx, df);                                                        \
  }                                                                                                \
  static void name##_blocks(const PenaltyTerms *t, const PenaltyPoints *points, PenaltyFactors by, \
                            double *blocks) {                                                      \
    blocks_by(law, t, points, by, blocks);                                                         \
  }
LOOPS_OF(plane, PENALTY_PLANE)
LOOPS_OF(wide_plane, PENALTY_WIDE_PLANE)
LOOPS_OF(sphere, PENALTY_SPHERE)
LOOPS_OF(ellipsoid, PENALTY_ELLIPSOID)
LOOPS_OF(cone, PENALTY_CONE)

#define LOOPS(name, width)                                                                         \
  { width, name##_force, name##_product, name##_blocks }
const PenaltyKernels CAT(penalty_kernels_, KERNELS_ISA) = {
    .of = {[PENALTY_PLANE] = LOOPS(plane, 3),
           [PENALTY_WIDE_PLANE] = LOOPS(wide_plane, PENALTY_MOST),
           [PENALTY_SPHERE] = LOOPS(sphere, 3),
           [PENALTY_ELLIPSOID] = LOOPS(ellipsoid, 3),
           [PENALTY_CONE] = LOOPS(cone, 3)},
    .carried = &CAT(penalty_carried_, KERNELS_ISA),
};
