/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The formulas of shell elements in double precision. */
#ifndef SOFA_NUMERICS_FEM_SHELL_ELEMENT_IMPL_H
#define SOFA_NUMERICS_FEM_SHELL_ELEMENT_IMPL_H

#include <math.h>
#include "numerics/fem/shell_element.h"

typedef double Real;
#define FORM static inline
#define FORM_CALLED static inline

static inline double real_set(double a) {
  return a;
}
static inline double real_madd(double a, double b, double c) {
  return a * b + c;
}
static inline double real_inverse(double n) {
  return n > 0 ? 1 / n : 0;
}
static inline double real_of(const double *rest, size_t k) {
  return rest[k];
}
static inline void real_put(double *out, size_t k, double value) {
  out[k] = value;
}

#include "numerics/fem/shell_strains_impl.h"

static inline void shell_poses(unsigned n, const double *const *poses, double (*out)[7]) {
  for (unsigned i = 0; i < n; i++)
    for (int k = 0; k < 7; k++) out[i][k] = poses[i][k];
}

#endif
