/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames, gradients and forces of tetrahedra in lanes; tetra_element.h has the formulas. */
#ifndef SOFA_NUMERICS_FEM_TETRA_LANES_H
#define SOFA_NUMERICS_FEM_TETRA_LANES_H

#include "numerics/fem/lane_turn_impl.h"
#include "numerics/fem/tetra_element.h"

/* Cross products of the edges (rows b - a, c - a, d - a): vectors g of b, c, d. */
static inline void edge_gradients(const Lanes *e, Lanes *g) {
  lanes_cross(e + 3, e + 6, g);
  lanes_cross(e + 6, e, g + 3);
  lanes_cross(e, e + 3, g + 6);
}

/* Frames of flat and inverted elements, one by one, where the polar factor is not a rotation. */
static inline void tetra_frame_svd(const SofaTetraBatch *b, size_t g, int s, const Lanes *e,
                                   Lanes *r) {
  double edges[9][LANES], frames[9][LANES];
  for (int k = 0; k < 9; k++) {
    lanes_store(edges[k], e[k]);
    lanes_store(frames[k], r[k]);
  }
  for (int l = 0; l < LANES; l++) {
    const size_t element = g * SOFA_LANES + (size_t)(s + l);
    double one_edges[9], one_frame[9];
    for (int k = 0; k < 9; k++) one_edges[k] = edges[k][l];
    if (element >= b->n || !sofa_tetra_svd_frame(&b->rest[element], one_edges, one_frame)) continue;
    for (int k = 0; k < 9; k++) frames[k][l] = one_frame[k];
  }
  for (int k = 0; k < 9; k++) r[k] = lanes_load(frames[k]);
}

/* sum arm_n e_n^T of lanes whose edges are e. */
static inline void tetra_moment(const SofaTetraBatch *b, size_t g, int s, const Lanes *e,
                                Lanes *r) {
  for (int k = 0; k < 9; k++) r[k] = lanes_set(0);
  for (int n = 0; n < 3; n++) {
    for (int i = 0; i < 3; i++) {
      const Lanes arm = lanes_load(b->arm[g][3 * n + i] + s);
      for (int j = 0; j < 3; j++) r[3 * i + j] = lanes_madd(arm, e[3 * n + j], r[3 * i + j]);
    }
  }
}

/* The frame of lanes whose edges are e, by the batch's method. */
static inline void tetra_frame(const SofaTetraBatch *b, size_t g, int s, const Lanes *e, Lanes *r) {
  const Lanes one = lanes_set(1), zero = lanes_set(0);
  if (b->method == SOFA_TETRA_LARGE) {
    lanes_frame(e, e + 3, r);
  } else if (b->method == SOFA_TETRA_SMALL) {
    for (int k = 0; k < 9; k++) r[k] = k % 4 == 0 ? one : zero;
  } else if (b->method < SOFA_TETRA_DEFORMATION) {
    for (int k = 0; k < 9; k++) r[k] = e[k];
    lanes_polar(r);
    if (b->method == SOFA_TETRA_SVD) tetra_frame_svd(b, g, s, e, r);
  } else {
    tetra_moment(b, g, s, e, r);
    if (b->method == SOFA_TETRA_MOMENT_STABLE || b->method == SOFA_TETRA_DEFORMATION_STABLE)
      lanes_rotation(r);
    else lanes_polar(r);
  }
}

/* Those of the rest shape, turned. */
static inline void turn_gradients(const SofaTetraGroup *group, int s, const Lanes *r, Lanes *w) {
  for (int n = 0; n < 3; n++) {
    Lanes h[3];
    for (int i = 0; i < 3; i++) h[i] = lanes_load(group->h[3 * n + i] + s);
    lanes_apply_t(r, h, w + 3 * n + 3);
  }
}

/* Gradients w in the world of nodes b, c, d (rows 1..3 of w). That of a is minus their sum. */
static inline void tetra_gradients(const SofaTetraBatch *b, const SofaTetraGroup *group, int s,
                                   const Lanes *e, const Lanes *r, Lanes *w) {
  if (b->update) {
    // of the current shape: R^T of the local vectors is the cross products in the world, with the
    // sign of det R, which the products of two gradients do not see
    const Lanes scale = lanes_load(group->scale + s);
    edge_gradients(e, w + 3);
    for (int k = 3; k < 12; k++) w[k] = w[k] * scale;
  } else {
    turn_gradients(group, s, r, w);
  }
}

/* f_n = s w_n of nodes b, c, d for the displacement gradient H = sum u_n w_n^T; a balances. */
static inline void tetra_stress_force(const Lanes *u, const Lanes *w, Lanes lambda, Lanes mu,
                                      Lanes *f) {
  Lanes h[9];
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      h[3 * i + j] =
          lanes_madd(u[6 + i], w[9 + j], lanes_madd(u[3 + i], w[6 + j], u[i] * w[3 + j]));
    }
  }
  // symmetric s: xx yy zz xy yz zx
  const Lanes pressure = lambda * ((h[0] + h[4]) + h[8]), twice = mu + mu;
  const Lanes xx = lanes_madd(twice, h[0], pressure), yy = lanes_madd(twice, h[4], pressure),
              zz = lanes_madd(twice, h[8], pressure), xy = mu * (h[1] + h[3]),
              yz = mu * (h[5] + h[7]), zx = mu * (h[2] + h[6]);
  for (int n = 1; n < 4; n++) {
    const Lanes *g = w + 3 * n;
    f[3 * n] = lanes_madd(xx, g[0], lanes_madd(xy, g[1], zx * g[2]));
    f[3 * n + 1] = lanes_madd(xy, g[0], lanes_madd(yy, g[1], yz * g[2]));
    f[3 * n + 2] = lanes_madd(zx, g[0], lanes_madd(yz, g[1], zz * g[2]));
  }
  for (int i = 0; i < 3; i++) f[i] = -((f[3 + i] + f[6 + i]) + f[9 + i]);
}

/* T of lanes with edges e and gradients w: sum e_n w_n^T is sqrt(V) S in the world's axes. Where
 * the rotation has no derivative, that of an element without strain. */
static inline void tetra_store_turn(SofaTetraBatch *b, size_t g, int s, const Lanes *e,
                                    const Lanes *w) {
  static const int entry[6] = {0, 4, 8, 1, 5, 6};
  const SofaTetraGroup *group = &b->groups[g];
  const Lanes lambda = lanes_load(group->lambda + s), mu = lanes_load(group->mu + s);
  const Lanes unit = lanes_set(6) * lanes_load(group->scale + s); // 1 / sqrt(V)
  Lanes stretch[9], inverse[9];
  for (int i = 0; i < 9; i++) {
    const int r = i / 3, c = i % 3;
    stretch[i] = lanes_madd(e[6 + r], w[9 + c], lanes_madd(e[3 + r], w[6 + c], e[r] * w[3 + c]));
  }
  const LaneBits regular = lanes_turn_inverse(stretch, inverse);
  const Lanes trace = (stretch[0] + stretch[4]) + stretch[8];
  const Lanes factor = (lambda * (trace * unit - lanes_set(3)) - (mu + mu)) / unit;
  for (int k = 0; k < 6; k++) {
    const Lanes rest = k < 3 ? -mu : lanes_set(0);
    lanes_store(b->turn[g][k] + s, lanes_select(regular, factor * inverse[entry[k]], rest));
  }
}

/* As tetra_stress_force with the derivative of the rotation: f_n = s w_n with
 * s = lambda tr(H) I + 2 mu H + [T a]x, a = axial vector of H - H^T. */
static inline void tetra_turn_force(const Lanes *u, const Lanes *w, Lanes lambda, Lanes mu,
                                    const Lanes *t, Lanes *f) {
  Lanes h[9], a[3], v[3];
  for (int i = 0; i < 9; i++) {
    const int r = i / 3, c = i % 3;
    h[i] = lanes_madd(u[6 + r], w[9 + c], lanes_madd(u[3 + r], w[6 + c], u[r] * w[3 + c]));
  }
  a[0] = h[7] - h[5];
  a[1] = h[2] - h[6];
  a[2] = h[3] - h[1];
  v[0] = lanes_madd(t[5], a[2], lanes_madd(t[3], a[1], t[0] * a[0]));
  v[1] = lanes_madd(t[4], a[2], lanes_madd(t[1], a[1], t[3] * a[0]));
  v[2] = lanes_madd(t[2], a[2], lanes_madd(t[4], a[1], t[5] * a[0]));
  const Lanes pressure = lambda * ((h[0] + h[4]) + h[8]), twice = mu + mu;
  for (int n = 1; n < 4; n++) {
    const Lanes *g = w + 3 * n;
    Lanes about[3];
    lanes_cross(v, g, about);
    for (int i = 0; i < 3; i++)
      f[3 * n + i] =
          lanes_madd(twice, lanes_dot3(h + 3 * i, g), lanes_madd(pressure, g[i], about[i]));
  }
  for (int i = 0; i < 3; i++) f[i] = -((f[3 + i] + f[6 + i]) + f[9 + i]);
}

#endif
