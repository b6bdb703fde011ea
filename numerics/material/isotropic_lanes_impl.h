/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The derivatives of W(I1, I2, L) at deformation gradients in lanes. The bits of a lane do not
 * depend on the others. */
#ifndef SOFA_NUMERICS_MATERIAL_ISOTROPIC_LANES_H
#define SOFA_NUMERICS_MATERIAL_ISOTROPIC_LANES_H

#include <stddef.h>
#define SOFA_LAWS_IN_LANES
#include "numerics/material/isotropic_laws_impl.h"

/* C, det F and I1, I2 from F. */
static inline void law_invariants(const Lanes *f, LawDeformation *x) {
  static const uint8_t pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
  Lanes cross[3], *c = x->c;
  for (int k = 0; k < 6; k++) {
    const Lanes *p = f + pair[k][0], *q = f + pair[k][1];
    c[k] = lanes_madd(p[6], q[6], lanes_madd(p[3], q[3], p[0] * q[0]));
  }
  lanes_cross(f, f + 3, cross);
  x->j = lanes_dot3(cross, f + 6);
  x->i1 = c[0] + c[1] + c[2];
  const Lanes others = lanes_madd(c[3], c[3], lanes_madd(c[4], c[4], c[5] * c[5]));
  x->i2 = lanes_madd(c[0], c[1], lanes_madd(c[1], c[2], c[2] * c[0])) - others;
}

/* The first of `count` lanes with det F = j where the material is not defined, or count. Lanes
 * beyond repeat the last. */
static inline size_t law_first_undefined(const SofaHyperMaterial *material, size_t count, Lanes j) {
  const Lanes zero = lanes_set(0);
  LaneBits good = lanes_less(zero, j);
  double det[LANES];
  if (material->inverts) good |= lanes_less(j, zero);
  if (!lanes_any(~good)) return count;
  lanes_store(det, j);
  size_t l = 0;
  while (l < count && sofa_hyper_defined(material, det[l])) l++;
  return l;
}

/* The derivatives of a material that has no law in lanes, one by one. */
static inline void law_of_each(const SofaHyperMaterial *material, const double *p,
                               const LawDeformation *x, LawDerivatives *w) {
  double in[9][LANES], out[7][LANES];
  for (int k = 0; k < 6; k++) lanes_store(in[k], x->c[k]);
  lanes_store(in[6], x->j);
  lanes_store(in[7], x->i1);
  lanes_store(in[8], x->i2);
  for (int l = 0; l < LANES; l++) {
    SofaDeformation at = {.j = in[6][l], .i1 = in[7][l], .i2 = in[8][l]};
    SofaHyperDerivatives of;
    for (int k = 0; k < 6; k++) at.c[k] = in[k][l];
    if (material->log) at.l = log(at.j);
    material->derivatives(p, &at, &of);
    const double numbers[7] = {of.w1, of.w2, of.wl, of.w11, of.w1l, of.w2l, of.wll};
    for (int k = 0; k < 7; k++) out[k][l] = numbers[k];
  }
  *w = (LawDerivatives){.w1 = lanes_load(out[0]),
                        .w2 = lanes_load(out[1]),
                        .wl = lanes_load(out[2]),
                        .w11 = lanes_load(out[3]),
                        .w1l = lanes_load(out[4]),
                        .w2l = lanes_load(out[5]),
                        .wll = lanes_load(out[6])};
}

typedef void LawFunction(const double *p, const LawDeformation *x, LawDerivatives *w);

/* The derivatives of W by a given law; the compiler leaves out what the law does not read. */
static inline __attribute__((always_inline)) void
law_apply_known(LawFunction *law, const double *p, LawDeformation *x, LawDerivatives *w) {
  const Lanes zero = lanes_set(0);
  *w = (LawDerivatives){zero, zero, zero, zero, zero, zero, zero, zero};
  x->l = lanes_log(x->j);
  law(p, x, w);
}

/* The derivatives of W but not W itself, where the material is defined: x from law_invariants. */
static inline void law_derivatives(const SofaHyperMaterial *material, const double *p,
                                   LawDeformation *x, LawDerivatives *w) {
#define OF_LAW(name, of_l, of_i2)                                                                  \
  if (material == &sofa_##name) {                                                                  \
    law_apply_known(name, p, x, w);                                                                \
    return;                                                                                        \
  }
  SOFA_ISOTROPIC_LAWS(OF_LAW)
#undef OF_LAW
  law_of_each(material, p, x, w);
}

#endif
