/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies of the blocks of a symmetric matrix, compiled once per instruction set. Use
 * math/symmetric_operator.h. */
#ifndef SOFA_MATH_MIRRORED_COPY_KERNELS_H
#define SOFA_MATH_MIRRORED_COPY_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rows of blocks of 3x3: by their numbers in `values`, and those across the diagonal. */
typedef struct SofaMirroredRows {
  const uint32_t *start, *column, *source, *mirror;
  const double *values;
  const double *size; /* of each row: largest magnitude on its diagonal */
  double rounding;
} SofaMirroredRows;

/* Copies rows begin .. end - 1 to `to`, the blocks of all rows. Is each entry that of the transpose
 * of the block across, to `rounding` times the size of its row or column? */
typedef bool SofaMirroredCopy(const SofaMirroredRows *rows, size_t begin, size_t end, double *to);

/* The last two exist on x86-64 only. */
extern SofaMirroredCopy sofa_mirrored_copy_baseline, sofa_mirrored_copy_avx2,
    sofa_mirrored_copy_avx512;

#endif
