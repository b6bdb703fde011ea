/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Assembled matrices as files: numbers, or a picture of where they are not zero. */
#ifndef SOFA_NUMERICS_ASSEMBLY_MATRIX_TEXT_H
#define SOFA_NUMERICS_ASSEMBLY_MATRIX_TEXT_H

#include "base/array.h"
#include "math/block_matrix.h"

SOFA_BEGIN_DECLS

/* Most rows of a matrix that is written with all its zeros. */
enum { MATRIX_TEXT_ROWS = 10000 };

/* The writers append to *out; digits as for sofa_text_real. */

/* All entries: "a,b,c" a row, or with brackets "[ a b c ]" around the rows and the whole. */
SofaErr sofa_matrix_text_dense(SofaContext *ctx, const SofaBlockRows *a, bool brackets, int digits,
                               SofaText *out);
/* Matrix Market coordinates, without the zeros. */
SofaErr sofa_matrix_text_market(SofaContext *ctx, const SofaBlockRows *a, int digits,
                                SofaText *out);
/* PNG: black where an entry is not zero. A matrix of more than `pixels` rows or columns is reduced:
 * a pixel is then black when any of its entries is not zero. */
SofaErr sofa_matrix_picture(SofaContext *ctx, const SofaBlockRows *a, uint32_t pixels,
                            SofaText *out);

SOFA_END_DECLS

#endif
