/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where incomplete factors may have entries that the matrix does not have. */
#ifndef SOFA_NUMERICS_KRYLOV_FILL_H
#define SOFA_NUMERICS_KRYLOV_FILL_H

#include "base/array.h"

SOFA_BEGIN_DECLS

/* Adds the entries of level 1 to `level` to the rows of a lower triangle (columns ascending, the
 * diagonal last; start has a row more). An entry (i, j) that elimination makes has the level of the
 * shortest path from i to j through rows that are eliminated before both, minus one: 0 in the
 * matrix itself (Saad, Iterative Methods for Sparse Linear Systems, 2003, 10.3.3; found row by row,
 * from the graph alone, as in Hysom and Pothen, SIAM J. Sci. Comput. 22, 2001). place[e] is where
 * entry e went. Too many entries for their indices: SOFA_ERR_RANGE, not reported. */
SofaErr sofa_fill_lower_triangle(SofaContext *ctx, uint32_t level, SofaIndices *start,
                                 SofaIndices *column, SofaIndices *place);

SOFA_END_DECLS

#endif
