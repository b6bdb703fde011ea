/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Barrier energy of pairs of elements, and its stiffness: Li et al., Incremental Potential Contact,
 * 2020, with the squared distance as argument, as in the paper's supplement. All functions are
 * pure.
 */
#ifndef SOFA_NUMERICS_CONTACT_BARRIER_H
#define SOFA_NUMERICS_CONTACT_BARRIER_H

#include <stdbool.h>

#include "numerics/contact/distance.h"

SOFA_BEGIN_DECLS

/* b(d2) = -(d2 - dhat2)^2 ln(d2 / dhat2) for 0 < d2 < dhat2, 0 beyond, infinite at 0 and below, in
 * m^4; derivatives: b' (never positive) and b'' (never negative) by d2. */
double sofa_barrier(double d2, double dhat2, double derivatives[2]);

typedef struct SofaBarrierRule {
  double dhat2;     /* square of the distance at which the barrier begins, m^2 */
  double stiffness; /* kappa */
  double threshold; /* of the mollifier of an edge-edge pair; 0: none */
} SofaBarrierRule;

/* kappa m b of the pair at x, with the mollifier m of edges. False: the distance is dhat or more,
 * and out is not written. The elements must not touch. */
bool sofa_barrier_pair(SofaPairKind kind, const double *x, const SofaBarrierRule *rule,
                       SofaPairTerm *out);

/* Stiffness: the paper's bounds. */
typedef struct SofaBarrierScale {
  double diagonal; /* l, of the bounding box of the scene, m */
  double dhat2;
  double mass; /* mean of the points, kg */
} SofaBarrierScale;
typedef struct SofaStiffnessBounds {
  double least, most;
} SofaStiffnessBounds;

/* least = 1e11 mass / (4 d2 b''(d2)) at d = 1e-8 l, most = 100 least. dhat is larger than 1e-8 l.
 */
SofaStiffnessBounds sofa_stiffness_bounds(const SofaBarrierScale *scale);
/* First stiffness of a step: that which balances the gradient of the other energies and that of the
 * barrier with kappa = 1 best, within the bounds. barrier_energy: the product of both gradients,
 * barrier_barrier: that of the second with itself; with 0, the least stiffness. */
double sofa_stiffness_start(const SofaStiffnessBounds *bounds, double barrier_energy,
                            double barrier_barrier);
/* After an iteration that brought the least distance of all pairs from `before` to `now`: doubled,
 * up to the bound, when it is below 1e-9 l both times and falls. */
double sofa_stiffness_next(const SofaStiffnessBounds *bounds, double stiffness, double diagonal,
                           double before, double now);

SOFA_END_DECLS

#endif
