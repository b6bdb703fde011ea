/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bounding boxes in groups: which of them are close to another one, several at once. The answers
 * are those of sofa_boxes_are_close on every instruction set. */
#ifndef NUMERICS_SPATIAL_BOX_BATCH_IMPL_H
#define NUMERICS_SPATIAL_BOX_BATCH_IMPL_H

#include <stddef.h>
#include <stdint.h>

#include "behavior/collision.h"

enum { BOX_GROUP = 4 };

/* Coordinate k of box i: low[k][i]. The bits of unused places mean nothing. */
typedef struct SofaBoxGroup {
  double low[3][BOX_GROUP], high[3][BOX_GROUP];
} BoxGroup;

/* What is known of boxes that moved: least and greatest change of their coordinates along each
 * axis, the box around them, and the sum of the sizes of all changes, which is finite when all are.
 */
typedef struct BoxMotion {
  double low[3], high[3], box[6], sum;
} BoxMotion;

typedef struct BoxKernels {
  const char *name; /* as of SofaKernels */
  /* Bit i: box i of the groups, of which there are at most 8, is close to a box. */
  uint32_t (*close)(const BoxGroup *groups, size_t n, const double box[6], double distance);
  /* Bit 4 i + k: box i of a, which is one of `rows`, is close to box k of b. */
  uint32_t (*meet)(const BoxGroup *a, uint32_t rows, const BoxGroup *b, double distance);
  /* Puts those of n pairs of boxes (of a, of b: 6 reals each) that are close into out, which has
   * room for all, and returns their number. */
  size_t (*close_pairs)(const double *a, const double *b, double distance,
                        const SofaElementPair *in, size_t n, SofaElementPair *out);
  /* The motion of n > 0 boxes, 6 reals each, from where they were. */
  void (*move)(const double *boxes, const double *before, size_t n, BoxMotion *out);
} BoxKernels;

/* Those of the instruction set that the context chose. */
const BoxKernels *box_kernels(const SofaContext *ctx);

/* One per instruction set; the last two exist on x86-64 only. */
extern const BoxKernels box_kernels_baseline, box_kernels_avx2, box_kernels_avx512;

#endif
