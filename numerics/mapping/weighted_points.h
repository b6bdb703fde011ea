/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings to points that are weighted sums of points, x_i = offset_i + sum_k w_ik q_k. */
#ifndef SOFA_NUMERICS_MAPPING_WEIGHTED_POINTS_H
#define SOFA_NUMERICS_MAPPING_WEIGHTED_POINTS_H

#include "change/topology_change.h"
#include "behavior/mapping.h"
#include "numerics/mapping/point_weights.h"

SOFA_BEGIN_DECLS

typedef struct SofaWeightedPoints {
  SofaMapping mapping;
  SofaPointWeights weights;
  SofaVec3s offset; /* of the first outputs; the others have none */
} SofaWeightedPoints;

void sofa_weighted_points_destroy(SofaObject *object);
/* Closes the weights, which have a row per output, and resizes the output. */
SofaErr sofa_weighted_points_finish(SofaWeightedPoints *m);
/* Topological changes: setup makes the weights again. The output's points are inserted and removed
 * with those of the topological mapping that made them. */
extern const SofaTopologyListenerOps sofa_weighted_points_listener;
SofaErr sofa_weighted_points_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out);
SofaErr sofa_weighted_points_apply_j(SofaMapping *mapping, const SofaPoint *at,
                                     const double *const *v, double *out);
SofaErr sofa_weighted_points_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f,
                                      double *const *in);
SofaErr sofa_weighted_points_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                      SofaJacobian *out);

SOFA_END_DECLS

#endif
