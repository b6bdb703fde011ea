/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Vectors of three reals in a register, for kernels that are compiled once per instruction set:
 * where there is so little arithmetic that gathers to lanes would take longer. */
#ifndef NUMERICS_FEM_THREE_IMPL_H
#define NUMERICS_FEM_THREE_IMPL_H

#include "numerics/fem/lane_points_impl.h"

#ifdef __AVX2__
typedef __m256d Three; /* and a fourth real that is not looked at */
ALWAYS Three three_load(const double *p) {
  return load_three(p);
}
ALWAYS Three three_sub(Three a, Three b) {
  return a - b;
}
ALWAYS Three three_scale(double s, Three a) {
  return _mm256_set1_pd(s) * a;
}
/* s a + b */
ALWAYS Three three_madd(double s, Three a, Three b) {
  return _mm256_fmadd_pd(_mm256_set1_pd(s), a, b);
}
ALWAYS void three_add(Three a, double *to) {
  add_three((Two)_mm256_castpd256_pd128(a), _mm256_extractf128_pd(a, 1)[0], to);
}
ALWAYS void three_store(Three a, double *to) {
  *(Two *)(void *)to = (Two)_mm256_castpd256_pd128(a);
  to[2] = _mm256_extractf128_pd(a, 1)[0];
}
#else
typedef struct Three {
  Two xy;
  double z;
} Three;
ALWAYS Three three_load(const double *p) {
  return (Three){*(const Two *)(const void *)p, p[2]};
}
ALWAYS Three three_sub(Three a, Three b) {
  return (Three){a.xy - b.xy, a.z - b.z};
}
ALWAYS Three three_scale(double s, Three a) {
  return (Three){s * a.xy, s * a.z};
}
/* s a + b */
ALWAYS Three three_madd(double s, Three a, Three b) {
  return (Three){s * a.xy + b.xy, s * a.z + b.z};
}
ALWAYS void three_add(Three a, double *to) {
  add_three(a.xy, a.z, to);
}
ALWAYS void three_store(Three a, double *to) {
  *(Two *)(void *)to = a.xy;
  to[2] = a.z;
}
#endif

#endif
