/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests of kernels that are compiled once per instruction set. */
#ifndef TESTS_EACH_ISA_H
#define TESTS_EACH_ISA_H

#include "math/kernels.h"

/* Calls `check` with the kernels of each instruction set that the machine has. */
#if defined(__x86_64__)
#define EACH_ISA(check, kernels)                                                                   \
  do {                                                                                             \
    check(&kernels##_baseline);                                                                    \
    if (sofa_kernels_select("avx2")) check(&kernels##_avx2);                                       \
    if (sofa_kernels_select("avx512")) check(&kernels##_avx512);                                   \
  } while (0)
#else
#define EACH_ISA(check, kernels) check(&kernels##_baseline)
#endif

#endif
