/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Adds a matrix of points, row by row, to a tangent: on the context's team where the assembly
 * follows its record, since no two entries have the same block, else one by one. The bits are the
 * same. */
#ifndef SOFA_BEHAVIOR_TANGENT_ROWS_H
#define SOFA_BEHAVIOR_TANGENT_ROWS_H

#include "behavior/force_field.h"

SOFA_BEGIN_DECLS

typedef struct SofaPointRows {
  size_t n;                       /* points of the only state, from the first one on */
  const uint32_t *start, *column; /* entries of row i: start[i] .. start[i + 1] - 1, each of another
                                     column; NULL: the entry of row i is (i, i) alone */
  /* The block of an entry, deriv x deriv reals; on any thread. */
  void (*block)(void *user, size_t entry, double *block);
  void *user;
} SofaPointRows;

void sofa_tangent_add_rows(const SofaContext *ctx, const SofaPointRows *rows,
                           const SofaTangent *tangent);

/* Rows whose blocks are multiples of the identity, as those of masses. */
typedef struct SofaScalarRows {
  size_t n, deriv;
  const double *own;              /* of (i, i), the first entry of row i; NULL: as all others */
  const uint32_t *start, *column; /* the others, as above, without (i, i) where `own` has it; NULL:
                                     there are none */
  const double *value;            /* of entries */
} SofaScalarRows;

void sofa_tangent_add_scalar_rows(const SofaContext *ctx, const SofaScalarRows *rows,
                                  const SofaTangent *tangent);

SOFA_END_DECLS

#endif
