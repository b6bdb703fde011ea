/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A mark within an assembly of a block matrix: the values that the first calls gave. Later
 * assemblies begin there, as if these calls had been made again. */
#ifndef SOFA_MATH_BLOCK_MARK_H
#define SOFA_MATH_BLOCK_MARK_H

#include "math/block_matrix.h"

SOFA_BEGIN_DECLS

typedef struct SofaBlockMark {
  SofaReals values; /* of all blocks; owned */
  size_t n_calls;   /* before the mark */
  uint64_t record;  /* of the matrix, to which it belongs; 0: none */
} SofaBlockMark;

void sofa_block_mark_free(SofaContext *ctx, SofaBlockMark *mark);
/* The number of calls since the begin of the assembly. */
size_t sofa_block_matrix_n_calls(const SofaBlockMatrix *matrix);
/* Sets the mark here, in an assembly that follows its record; else there is none. */
SofaErr sofa_block_matrix_mark(const SofaBlockMatrix *matrix, SofaBlockMark *mark);
/* Begins an assembly behind the calls before the mark. false: the record has changed since, nothing
 * has begun. */
bool sofa_block_matrix_begin_at(SofaBlockMatrix *matrix, const SofaBlockMark *mark);

SOFA_END_DECLS

#endif
