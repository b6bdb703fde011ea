/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Comparison of blocks with their transposes, compiled once per instruction set with KERNELS_ISA
 * naming it. */
#include "numerics/krylov/symmetry_kernels_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

/* Bits of four reals. */
typedef int64_t Quad __attribute__((vector_size(32)));
typedef int64_t QuadAt __attribute__((vector_size(32), aligned(8), may_alias));
typedef int64_t Word __attribute__((may_alias));

/* functions of such registers have no calling convention on all machines */
#define LOAD(p) (*(const QuadAt *)(p))

/* Where the bits of a block and of the transpose of another one differ. The transpose of the first
 * eight entries is 0 3 6 1 4 7 2 5. */
#define DIFFERENCE(a, b, four, one)                                                                \
  do {                                                                                             \
    const Quad first = LOAD(b), second = LOAD((b) + 4);                                            \
    four |= LOAD(a) ^ __builtin_shufflevector(first, second, 0, 3, 6, 1);                          \
    four |= LOAD((a) + 4) ^ __builtin_shufflevector(first, second, 4, 7, 2, 5);                    \
    one |= *(const Word *)((a) + 8) ^ *(const Word *)((b) + 8);                                    \
  } while (0)

static bool batch_mirrored(const double *values, size_t n, const SofaMirrorPair *pair) {
  Quad four = {0};
  int64_t one = 0;
  for (size_t p = 0; p < n; p++) {
    if (pair[p].across == SOFA_NOT_THERE) return false;
    const double *a = values + 9 * (size_t)pair[p].block, *b = values + 9 * (size_t)pair[p].across;
    DIFFERENCE(a, b, four, one);
  }
  return (four[0] | four[1] | four[2] | four[3] | one) == 0;
}

SofaMirrored3 CAT(sofa_mirrored3_, KERNELS_ISA);
size_t CAT(sofa_mirrored3_, KERNELS_ISA)(const double *values, size_t n,
                                         const SofaMirrorPair *pair) {
  size_t done = 0;
  for (size_t end; done < n; done = end) {
    end = done + SOFA_MIRROR_BATCH < n ? done + SOFA_MIRROR_BATCH : n;
    if (!batch_mirrored(values, end - done, pair + done)) break;
  }
  return done;
}
