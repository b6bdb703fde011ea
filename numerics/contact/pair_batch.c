/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of an instruction set. */
#include "numerics/contact/pair_kernels_impl.h"

#include <string.h>

const SofaPairKernels *sofa_pair_kernels(const char *isa) {
#if defined(__x86_64__)
  if (strcmp(isa, "avx512") == 0) return &sofa_pair_kernels_avx512;
  if (strcmp(isa, "avx2") == 0) return &sofa_pair_kernels_avx2;
#else
  (void)isa;
#endif
  return &sofa_pair_kernels_baseline;
}
