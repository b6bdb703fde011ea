/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The values of a block matrix as a whole, for checkpoints. */
#ifndef SOFA_MATH_BLOCK_VALUES_H
#define SOFA_MATH_BLOCK_VALUES_H

#include "math/block_matrix.h"

SOFA_BEGIN_DECLS

/* The values of all blocks, and their number. */
const double *sofa_block_matrix_values(const SofaBlockMatrix *matrix, size_t *n);
/* Another matrix with the same pattern. */
void sofa_block_matrix_set_values(SofaBlockMatrix *matrix, const double *values);
/* A checksum of the pattern. */
uint64_t sofa_block_matrix_pattern_sum(const SofaBlockMatrix *matrix);

/* The matrix becomes what an assembly by the calls of `from`, which is not in assembly and cut
 * alike, makes of it: the same pattern, record and values. Nothing is allocated while the record of
 * `from` stays. */
SofaErr sofa_block_matrix_take(SofaBlockMatrix *matrix, const SofaBlockMatrix *from);

SOFA_END_DECLS

#endif
