/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests of all numbers of a vector, compiled once per instruction set with KERNELS_ISA naming it.
 */
#include "simulation/check_kernels_impl.h"

#include <math.h>
#include <stdint.h>

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

SofaAreWithin CAT(sofa_are_within_, KERNELS_ISA);
bool CAT(sofa_are_within_, KERNELS_ISA)(const double *x, size_t n, double limit) {
  uint64_t beyond = 0; // as wide as a number: no branch, and registers of both match
  for (size_t i = 0; i < n; i++) beyond |= fabs(x[i]) <= limit ? 0u : 1u;
  return !beyond;
}
