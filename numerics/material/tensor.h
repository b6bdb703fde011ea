/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Algebra of symmetric tensors (6 numbers) and of maps between them (6 x 6), inlined into the
 * materials; notation of material.h. */
#ifndef SOFA_NUMERICS_MATERIAL_TENSOR_H
#define SOFA_NUMERICS_MATERIAL_TENSOR_H

/* r (36) += a b^T + b a^T */
static inline void sofa_add_symmetric_product(const double *a, const double *b, double *r) {
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) r[6 * i + k] += a[i] * b[k] + b[i] * a[k];
  }
}

/* r (36) += factor a b^T */
static inline void sofa_add_product(double factor, const double *a, const double *b, double *r) {
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 6; k++) r[6 * i + k] += factor * a[i] * b[k];
  }
}

/* r (36) += factor (Ci dE Ci as a function of dE), which is the derivative of -Ci / 2. */
static inline void sofa_add_inverse_square(double factor, const double *ci, double *r) {
  // (Ci dE Ci)_ab = sum_cd (Ci_ac Ci_bd + Ci_ad Ci_bc) / 2 dE_cd
  static const unsigned char pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
  const double m[3][3] = {{ci[0], ci[3], ci[5]}, {ci[3], ci[1], ci[4]}, {ci[5], ci[4], ci[2]}};
  const double half = 0.5 * factor;
  for (int i = 0; i < 6; i++) {
    const double *a = m[pair[i][0]], *b = m[pair[i][1]];
    for (int k = 0; k < 6; k++) {
      const int c = pair[k][0], d = pair[k][1];
      r[6 * i + k] += half * (a[c] * b[d] + a[d] * b[c]);
    }
  }
}

#endif
