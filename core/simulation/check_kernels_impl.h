/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of all numbers of a vector, compiled once per instruction set. */
#ifndef SOFA_SIMULATION_CHECK_KERNELS_IMPL_H
#define SOFA_SIMULATION_CHECK_KERNELS_IMPL_H

#include <stdbool.h>
#include <stddef.h>

/* Are the sizes of n numbers at most `limit`? Not when one is not a number. */
typedef bool SofaAreWithin(const double *x, size_t n, double limit);

/* The last two exist on x86-64 only. */
extern SofaAreWithin sofa_are_within_baseline, sofa_are_within_avx2, sofa_are_within_avx512;

#endif
