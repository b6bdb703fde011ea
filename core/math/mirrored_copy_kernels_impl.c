/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of the blocks of a symmetric matrix, compiled once per instruction set with KERNELS_ISA
 * naming it. */
#include "math/mirrored_copy_kernels_impl.h"

#include <math.h>

#include "math/quad_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

#define SPLAT(a) ((Quad){(a), (a), (a), (a)})

/* Bits of four reals: set where they differ by more than the limit, or are no numbers. */
typedef int64_t Bits __attribute__((vector_size(32)));
#define WRONG(a, b)                                                                                \
  (~((Quad)((Bits)((a) - (b)) & (Bits){INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX}) <=             \
     SPLAT(limit)))

SofaMirroredCopy CAT(sofa_mirrored_copy_, KERNELS_ISA);
bool CAT(sofa_mirrored_copy_, KERNELS_ISA)(const SofaMirroredRows *rows, size_t begin, size_t end,
                                           double *to) {
  Bits wrong = {0};
  bool last = false;
  for (size_t i = begin; i < end; i++) {
    const double size = rows->size[i];
    for (uint32_t k = rows->start[i]; k < rows->start[i + 1]; k++) {
      const double *a = rows->values + 9 * (size_t)rows->source[k];
      const double *b = rows->values + 9 * (size_t)rows->mirror[k];
      const double other = rows->size[rows->column[k]];
      const double limit = rows->rounding * (size > other ? size : other);
      const Quad a0 = LOAD(a), a1 = LOAD(a + 4), b0 = LOAD(b), b1 = LOAD(b + 4);
      double *copy = to + 9 * (size_t)k;
      /* the transpose of the first eight entries is 0 3 6 1 4 7 2 5 */
      wrong |= WRONG(a0, __builtin_shufflevector(b0, b1, 0, 3, 6, 1));
      wrong |= WRONG(a1, __builtin_shufflevector(b0, b1, 4, 7, 2, 5));
      last |= !(fabs(a[8] - b[8]) <= limit);
      *(QuadAt *)copy = a0;
      *(QuadAt *)(copy + 4) = a1;
      copy[8] = a[8];
    }
  }
  return (wrong[0] | wrong[1] | wrong[2] | wrong[3]) == 0 && !last;
}
