/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of an instruction set. */
#include "numerics/spatial/box_batch_impl.h"

#include <string.h>

const BoxKernels *box_kernels(const char *isa) {
#if defined(__x86_64__)
  if (strcmp(isa, "avx512") == 0) return &box_kernels_avx512;
  if (strcmp(isa, "avx2") == 0) return &box_kernels_avx2;
#else
  (void)isa;
#endif
  return &box_kernels_baseline;
}
