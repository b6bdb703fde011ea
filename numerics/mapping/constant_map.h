/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings whose Jacobians are constant matrices, one per input: everything but their entries. */
#ifndef SOFA_NUMERICS_MAPPING_CONSTANT_MAP_H
#define SOFA_NUMERICS_MAPPING_CONSTANT_MAP_H

#include "numerics/mapping/map_matrix.h"
#include "numerics/mapping/multi_mapping.h"

SOFA_BEGIN_DECLS

typedef struct SofaConstantMap {
  SofaMultiMapping multi; /* classes with one input use `multi.mapping` alone */
  size_t n_parts, n_out;  /* inputs; points of the output */
  size_t *n_in;           /* points of each input */
  SofaMapMatrix *part;    /* of each input; the Jacobians borrow from them */
  SofaJacobian *j;
} SofaConstantMap;

/* Setup: begin resizes the output; then for each input k open, the rows by sofa_map_matrix_row and
 * sofa_map_matrix_entry on `part[k]`, close. All rows of the output's scalar dofs must be given. */
SofaErr sofa_constant_map_begin(SofaConstantMap *m, size_t n_out);
SofaErr sofa_constant_map_open(SofaConstantMap *m, size_t k, size_t n_entries);
void sofa_constant_map_close(SofaConstantMap *m, size_t k);
void sofa_constant_map_destroy(SofaObject *object);

/* The only function that the operations need besides setup. */
SofaErr sofa_constant_map_jacobian(SofaMapping *mapping, const SofaPoint *at, size_t k,
                                   SofaJacobian *out);

SOFA_END_DECLS

#endif
