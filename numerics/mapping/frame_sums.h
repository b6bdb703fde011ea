/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points that are sums over frames, x_i = sum_j (w_ij c_j + R_j local_ij): shared by
 * SkinningMapping, TubularMapping and BeamLinearMapping. */
#ifndef SOFA_NUMERICS_MAPPING_FRAME_SUMS_H
#define SOFA_NUMERICS_MAPPING_FRAME_SUMS_H

#include "change/topology_change.h"
#include "numerics/mapping/map_matrix.h"

SOFA_BEGIN_DECLS

typedef struct SofaFrameSums {
  SofaMapping mapping;
  size_t n_in, n;
  SofaIndices start, frame; /* entries of point i: start[i] .. start[i + 1] - 1; their frames */
  SofaReals weight;         /* w of each entry */
  SofaReals local, arm;     /* 3 per entry, [m]; arm = R local at the last apply */
  SofaIndices column_start; /* places of frame j: column_start[j] .. column_start[j + 1] - 1 */
  SofaIndices column_entry, column_point; /* entry and point of each place, ascending */
  SofaMapMatrix j;
} SofaFrameSums;

/* Setup: begin, then for each point its entries and `next`, then finish, which resizes the
 * output. A frame must be < n_in and appear once per point. */
SofaErr sofa_frame_sums_begin(SofaFrameSums *m);
SofaErr sofa_frame_sums_entry(SofaFrameSums *m, uint32_t frame, double weight,
                              const double local[3]);
SofaErr sofa_frame_sums_next(SofaFrameSums *m);
SofaErr sofa_frame_sums_finish(SofaFrameSums *m);
void sofa_frame_sums_destroy(SofaObject *object);

/* Topological changes: removed frames are taken from the points. A point is removed with its last
 * frame; the weights of the other frames keep their sum. The class adds new points. */
SofaErr sofa_frame_sums_listen(SofaObject *object, const SofaTopologyChange *change);

SofaErr sofa_frame_sums_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out);
SofaErr sofa_frame_sums_apply_j(SofaMapping *mapping, const SofaPoint *at, const double *const *v,
                                double *out);
SofaErr sofa_frame_sums_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f,
                                 double *const *in);
SofaErr sofa_frame_sums_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                 SofaJacobian *out);

SOFA_END_DECLS

#endif
