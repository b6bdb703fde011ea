/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The products of hyperelastic tangents in lanes; formulas in hyperelastic.h. */
#ifndef SOFA_HYPER_LANES_H
#define SOFA_HYPER_LANES_H

#include "components/solidmechanics/fem/element_batch.h"
#include "components/solidmechanics/fem/lanes.h"

/* B_n, 6 x 3: dE with doubled shear of a move of the node with gradient g. */
static inline void strain_of_move(const Lanes *f, const Lanes *g, Lanes *b) {
  for (int i = 0; i < 3; i++) {
    const Lanes *r = f + 3 * i;
    b[i] = r[0] * g[0];
    b[3 + i] = r[1] * g[1];
    b[6 + i] = r[2] * g[2];
    b[9 + i] = lanes_madd(r[0], g[1], r[1] * g[0]);
    b[12 + i] = lanes_madd(r[1], g[2], r[2] * g[1]);
    b[15 + i] = lanes_madd(r[2], g[0], r[0] * g[2]);
  }
}

/* db = D b with the rows of the upper triangle of D. */
static inline void law_apply(const double (*d)[SOFA_LANES], int l, const Lanes *b, Lanes *db) {
  for (int i = 0; i < 18; i++) db[i] = lanes_set(0);
  for (int i = 0; i < 6; i++, d++) {
    const Lanes own = lanes_load(*d + l);
    for (int j = 0; j < 3; j++) db[3 * i + j] = lanes_madd(own, b[3 * i + j], db[3 * i + j]);
    for (int k = i + 1; k < 6; k++) {
      const Lanes other = lanes_load(*++d + l);
      for (int j = 0; j < 3; j++) {
        db[3 * i + j] = lanes_madd(other, b[3 * k + j], db[3 * i + j]);
        db[3 * k + j] = lanes_madd(other, b[3 * i + j], db[3 * k + j]);
      }
    }
  }
}

/* r = S v */
static inline void stress_apply(const double (*stress)[SOFA_LANES], int l, const Lanes *v,
                                Lanes *r) {
  Lanes s[6];
  for (int i = 0; i < 6; i++) s[i] = lanes_load(stress[i] + l);
  r[0] = lanes_madd(s[5], v[2], lanes_madd(s[3], v[1], s[0] * v[0]));
  r[1] = lanes_madd(s[4], v[2], lanes_madd(s[1], v[1], s[3] * v[0]));
  r[2] = lanes_madd(s[2], v[2], lanes_madd(s[4], v[1], s[5] * v[0]));
}

#endif
