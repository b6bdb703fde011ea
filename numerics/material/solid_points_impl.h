/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the loops of solid_points.c and of the elements with a mean change of volume (solid_bar.c)
 * share. */
#ifndef SOFA_NUMERICS_MATERIAL_SOLID_POINTS_IMPL_H
#define SOFA_NUMERICS_MATERIAL_SOLID_POINTS_IMPL_H

#include "numerics/material/solid_points.h"
#include "math/vec.h"

static inline double sofa_solid_weight(const SofaSolidBatch *b, size_t e, size_t q) {
  return b->volume[e / SOFA_LANES * b->n_gauss + q][e % SOFA_LANES];
}

/* Gradients of the shape functions at a point, 3 n_nodes. */
void sofa_solid_gradients(const SofaSolidBatch *b, size_t e, size_t q, double *g);
/* F at a point with these gradients. */
void sofa_solid_gradient_at(const SofaSolidBatch *b, size_t e, const double *g, const double *x,
                            double *f);
/* F of the last force at a point. */
static inline void sofa_solid_kept(const SofaSolidBatch *b, size_t e, size_t q, double *f) {
  const size_t at = 9 * (b->n_gauss * (e / SOFA_LANES) + q);
  for (size_t k = 0; k < 9; k++) f[k] = b->f[at + k][e % SOFA_LANES];
}
/* The law at x->f; false: not defined there. */
bool sofa_solid_evaluate(const SofaSolidBatch *b, const SofaSolidLaw *law, SofaSolidPlace at,
                         SofaDeformation *x, SofaPointResult *out);

/* The pressure of the corners in the response of a law of the invariants (corner_dilatation.c). */
void sofa_corners_adjust(const SofaSolidBatch *b, const SofaSolidLaw *law, SofaSolidPlace at,
                         const SofaDeformation *x, SofaPointResult *r);

/* r = S v, S as six numbers */
static inline void sofa_stress_apply(const double *s, const double *v, double *r) {
  sofa_vec3_set(r, s[0] * v[0] + s[3] * v[1] + s[5] * v[2], s[3] * v[0] + s[1] * v[1] + s[4] * v[2],
                s[5] * v[0] + s[4] * v[1] + s[2] * v[2]);
}

/* B_n, 6 x 3: dE with doubled shear of a move of the node with gradient g. */
static inline void sofa_strain_of_move(const double *f, const double *g, double (*b)[3]) {
  for (int i = 0; i < 3; i++) {
    const double *r = f + 3 * i;
    b[0][i] = r[0] * g[0];
    b[1][i] = r[1] * g[1];
    b[2][i] = r[2] * g[2];
    b[3][i] = r[0] * g[1] + r[1] * g[0];
    b[4][i] = r[1] * g[2] + r[2] * g[1];
    b[5][i] = r[2] * g[0] + r[0] * g[2];
  }
}

/* r = D B, D 6 x 6, B and r 6 x 3 */
static inline void sofa_tangent_apply(const double *d, double (*b)[3], double (*r)[3]) {
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 6; k++) sum += d[6 * i + k] * b[k][j];
      r[i][j] = sum;
    }
  }
}

/* ---- solid_bar.c ---- */

/* F at a point becomes that with the element's mean change of volume at x; false: not defined. */
bool sofa_bar_deformation(const SofaSolidBatch *b, SofaSolidPlace at, const double *x, double *f);
/* Forces of the nodes of an element at the deformation gradients kept, 3 n_nodes. */
bool sofa_bar_force(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t e, double *force);
/* Blocks of its local pairs, 9 n_pairs. */
bool sofa_bar_blocks(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t e, double *blocks);

#endif
