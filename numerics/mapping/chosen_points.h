/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Outputs that consist of chosen points of several inputs, for SubsetMultiMapping and
 * IdentityMultiMapping. */
#ifndef SOFA_NUMERICS_MAPPING_CHOSEN_POINTS_H
#define SOFA_NUMERICS_MAPPING_CHOSEN_POINTS_H

#include "numerics/mapping/map_matrix.h"
#include "numerics/mapping/map_rows.h"
#include "numerics/mapping/multi_mapping.h"

SOFA_BEGIN_DECLS

typedef struct SofaChosenPoints {
  SofaMultiMapping multi;
  SofaMapRows rows; /* n, one point each */
  size_t n, in_coord, out_coord, n_coord, in_deriv, out_deriv, n_deriv;
  size_t *n_in;     /* points of each input */
  SofaMapMatrix *j; /* of each input */
  size_t n_inputs;  /* length of both */
  /* some input is divided among processes, and the output has all points on all: a row of such an
   * input is that of one, on others its point is SOFA_NO_ELEMENT */
  bool divided;
} SofaChosenPoints;

/* Setup: begin, then the rows by sofa_map_rows_append, then finish, which checks them as pairs of
 * the field "indexPairs" and resizes the output. */
SofaErr sofa_chosen_points_begin(SofaChosenPoints *m);
/* The row of a point by its number among those of all processes. */
SofaErr sofa_chosen_points_append(SofaChosenPoints *m, uint32_t input, uint32_t point);
SofaErr sofa_chosen_points_finish(SofaChosenPoints *m);
void sofa_chosen_points_destroy(SofaObject *object);
/* Topological changes: points of the output are removed with those of the inputs; with rows.every
 * they are inserted with them, too. */
extern const SofaTopologyListenerOps sofa_chosen_points_listener;
SofaErr sofa_chosen_points_listen(SofaObject *object, const SofaTopologyChange *change);
SofaErr sofa_chosen_points_done(SofaObject *object);

SofaErr sofa_chosen_points_apply(SofaMapping *mapping, const SofaPoint *at, double *x_out);
SofaErr sofa_chosen_points_apply_j(SofaMapping *mapping, const SofaPoint *at,
                                   const double *const *v, double *out);
SofaErr sofa_chosen_points_apply_jt(SofaMapping *mapping, const SofaPoint *at, const double *f,
                                    double *const *in);
SofaErr sofa_chosen_points_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                    SofaJacobian *out);

SOFA_END_DECLS

#endif
