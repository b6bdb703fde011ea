/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Products with a dense stiffness, and what exact batches add to them: element_batch.h has the
 * formulas. */
#ifndef SOFA_NUMERICS_FEM_DENSE_LANES_H
#define SOFA_NUMERICS_FEM_DENSE_LANES_H

#include "numerics/fem/lane_points_impl.h"
#include "numerics/fem/lane_turn_impl.h"
#include "numerics/fem/mirrored_product_impl.h"

/* Lanes s .. s + LANES - 1 of group g. */
typedef struct Part {
  size_t g;
  int s;
} Part;

/* K of lanes. */
typedef struct Stiffness {
  const double *k;
  bool shared; /* an entry is that of all lanes */
} Stiffness;

ALWAYS Lanes stiffness_entry(Stiffness k, size_t i) {
  return k.shared ? lanes_set(k.k[i]) : lanes_load(k.k + SOFA_LANES * i);
}

/* f = K d with the packed upper triangle of blocks. Translations have no forces: nodes move
 * relative to node 0, whose force balances the others'. */
ALWAYS void product_with(Stiffness k, size_t nodes, size_t dim, const Lanes *d, Lanes *f) {
  Lanes u[SOFA_DENSE_ROWS];
  size_t e = 0;
  for (size_t n = 0; n < nodes; n++) {
    for (size_t i = 0; i < dim; i++) {
      u[dim * n + i] = d[dim * n + i] - d[i];
      f[dim * n + i] = lanes_set(0);
    }
  }
  for (size_t m = 1; m < nodes; m++) {
    Lanes own[3];
    for (size_t i = 0; i < dim; i++) own[i] = f[dim * m + i];
    for (size_t n = m; n < nodes; n++) {
      Lanes block[9];
      for (size_t i = 0; i < dim * dim; i++) block[i] = stiffness_entry(k, e++);
      for (size_t i = 0; i < dim; i++) {
        for (size_t j = 0; j < dim; j++)
          own[i] = lanes_madd(block[dim * i + j], u[dim * n + j], own[i]);
      }
      if (m == n) continue;
      for (size_t i = 0; i < dim; i++) {
        for (size_t j = 0; j < dim; j++)
          f[dim * n + i] = lanes_madd(block[dim * j + i], u[dim * m + j], f[dim * n + i]);
      }
    }
    for (size_t i = 0; i < dim; i++) {
      f[dim * m + i] = own[i];
      f[i] = f[i] - own[i];
    }
  }
}

ALWAYS void dense_product(const SofaElementBatch *b, size_t nodes, size_t dim, Part part,
                          const Lanes *d, Lanes *f) {
  const size_t size = nodes * (nodes + 1) / 2 * dim * dim, kind = b->kind[part.g];
  if (nodes == 8 && dim == 3 && kind && b->mirrored[kind - 1])
    mirrored_product(b->waves + SOFA_MIRROR_WAVES * (kind - 1), d, f);
  else if (kind) product_with((Stiffness){b->kinds + size * (kind - 1), true}, nodes, dim, d, f);
  else product_with((Stiffness){b->k[part.g * size] + part.s, false}, nodes, dim, d, f);
}

/* ---- exact batches, in 3 dimensions ---- */

/* Lanes of exact elements and what their forces and derivatives are made of. */
typedef struct Strained {
  const SofaElementBatch *batch;
  size_t nodes;
  Part part;
  Lanes d[SOFA_DENSE_ROWS], f[SOFA_DENSE_ROWS]; /* -u and -K u */
  Lanes stretch[9];                             /* S = sum p_n c_n^T */
  Lanes inverse[9];                             /* G^-1 */
  Lanes back[3];                                /* b */
} Strained;

/* p_n = q_n + u_n and c_n of a node. */
ALWAYS void turn_node(const Strained *t, size_t n, Lanes *p, Lanes *c) {
  const SofaElementBatch *b = t->batch;
  const size_t row = (t->part.g * t->nodes + n) * 3;
  for (size_t i = 0; i < 3; i++) {
    const Lanes q = lanes_load(b->q[row + i] + t->part.s);
    p[i] = q - t->d[3 * n + i];
    c[i] = b->arm ? lanes_load(b->arm[row + i] + t->part.s) : q;
  }
}

/* S, G^-1 and b from d and f. */
ALWAYS void turn_stretch(Strained *t) {
  Lanes torque[3];
  for (int i = 0; i < 9; i++) t->stretch[i] = lanes_set(0);
  for (int i = 0; i < 3; i++) torque[i] = lanes_set(0);
  for (size_t n = 0; n < t->nodes; n++) {
    Lanes p[3], c[3], of[3];
    turn_node(t, n, p, c);
    lanes_cross(t->f + 3 * n, p, of);
    for (int i = 0; i < 3; i++) {
      torque[i] = torque[i] + of[i];
      for (int j = 0; j < 3; j++)
        t->stretch[3 * i + j] = lanes_madd(p[i], c[j], t->stretch[3 * i + j]);
    }
  }
  lanes_turn_inverse(t->stretch, t->inverse);
  lanes_apply(t->inverse, torque, t->back);
}

/* Row k of the matrix [v]x. */
ALWAYS void cross_row(const Lanes *v, size_t k, Lanes *row) {
  const Lanes unit[3] = {lanes_set(k == 0), lanes_set(k == 1), lanes_set(k == 2)};
  lanes_cross(unit, v, row);
}

/* f from -K u to minus the gradient, and keeps what the derivatives need. */
ALWAYS void dense_exact_force(SofaElementBatch *b, size_t nodes, Part part, const Lanes *d,
                              Lanes *f) {
  Strained t = {.batch = b, .nodes = nodes, .part = part};
  double(*kept)[SOFA_LANES] = b->strained + part.g * 6 * nodes;
  for (size_t k = 0; k < 3 * nodes; k++) {
    t.d[k] = d[k];
    t.f[k] = f[k];
    lanes_store(kept[k] + part.s, d[k]);
    lanes_store(kept[3 * nodes + k] + part.s, f[k]);
  }
  turn_stretch(&t);
  for (size_t n = 0; n < nodes; n++) {
    Lanes p[3], c[3], more[3];
    turn_node(&t, n, p, c);
    lanes_cross(t.back, c, more);
    for (size_t i = 0; i < 3; i++) f[3 * n + i] = f[3 * n + i] + more[i];
  }
}

/* m += symmetric part of G [b]x + sum [g_n]x [p_n]x - [S b]x, g_n = -f_n; of tr(S) [b]x and [S b]x
 * there is none. */
ALWAYS void add_turn_geometry(const Strained *t, Lanes *m) {
  const Lanes half = lanes_set(0.5), zero = lanes_set(0);
  Lanes z[9];
  for (size_t j = 0; j < 3; j++) {
    Lanes row[3], column[3]; // of [b]x, and of S [b]x
    cross_row(t->back, j, row);
    lanes_apply(t->stretch, row, column);
    for (size_t i = 0; i < 3; i++) z[3 * i + j] = column[i];
  }
  for (size_t n = 0; n < t->nodes; n++) {
    Lanes p[3], c[3];
    turn_node(t, n, p, c);
    const Lanes *g = t->f + 3 * n;
    const Lanes dot = lanes_dot3(g, p);
    for (size_t i = 0; i < 3; i++) {
      for (size_t j = 0; j < 3; j++)
        z[3 * i + j] = z[3 * i + j] - p[i] * g[j] + (i == j ? dot : zero);
    }
  }
  for (size_t k = 0; k < 9; k++) m[k] = m[k] + half * (z[k] + z[3 * (k % 3) + k / 3]);
}

/* Q and W from Pi^T K (3 x SOFA_DENSE_ROWS) and the symmetric matrix Pi^T K Pi + Z. */
ALWAYS void store_turn(const Strained *t, const Lanes *product, const Lanes *m,
                       double (*to)[SOFA_LANES]) {
  const size_t rows = 3 * t->nodes;
  const Lanes half = lanes_set(0.5);
  for (size_t n = 0; n < t->nodes; n++) {
    Lanes p[3], c[3], q[3][3];
    turn_node(t, n, p, c);
    // row k of G^-1 [c]x is (row k of G^-1) x c
    for (size_t k = 0; k < 3; k++) lanes_cross(t->inverse + 3 * k, c, q[k]);
    const Lanes along = lanes_dot3(c, t->back);
    for (size_t k = 0; k < 3; k++) {
      Lanes row[3];
      cross_row(t->f + 3 * n, k, row);
      for (size_t i = 0; i < 3; i++) {
        Lanes w = product[SOFA_DENSE_ROWS * k + 3 * n + i] - row[i];
        w = lanes_madd(t->back[k], c[i], w) - (i == k ? along : lanes_set(0));
        for (size_t l = 0; l < 3; l++) w = lanes_madd(half * m[3 * k + l], q[l][i], w);
        lanes_store(to[rows * k + 3 * n + i] + t->part.s, q[k][i]);
        lanes_store(to[rows * (3 + k) + 3 * n + i] + t->part.s, w);
      }
    }
  }
}

static inline void dense_turn_lanes(SofaElementBatch *b, size_t nodes, Part part) {
  const size_t rows = 3 * nodes;
  const double(*kept)[SOFA_LANES] = (const double(*)[SOFA_LANES])(b->strained + part.g * 2 * rows);
  Strained t = {.batch = b, .nodes = nodes, .part = part};
  Lanes pi[3][SOFA_DENSE_ROWS], v[3][SOFA_DENSE_ROWS], m[9];
  for (size_t k = 0; k < rows; k++) {
    t.d[k] = lanes_load(kept[k] + part.s);
    t.f[k] = lanes_load(kept[rows + k] + part.s);
  }
  turn_stretch(&t);
  for (size_t n = 0; n < nodes; n++) {
    Lanes p[3], c[3];
    turn_node(&t, n, p, c);
    for (size_t k = 0; k < 3; k++) {
      // column k of [p]x
      cross_row(p, k, pi[k] + 3 * n);
      for (size_t i = 0; i < 3; i++) pi[k][3 * n + i] = -pi[k][3 * n + i];
    }
  }
  for (size_t k = 0; k < 3; k++) dense_product(b, nodes, 3, part, pi[k], v[k]);
  for (size_t k = 0; k < 9; k++) {
    m[k] = lanes_set(0);
    for (size_t i = 0; i < rows; i++) m[k] = lanes_madd(pi[k / 3][i], v[k % 3][i], m[k]);
  }
  add_turn_geometry(&t, m);
  store_turn(&t, v[0], m, b->turn + part.g * 6 * rows);
}

/* f += (Q^T W + W^T Q) d */
ALWAYS void dense_turn_product(const SofaElementBatch *b, size_t nodes, Part part, const Lanes *d,
                               Lanes *f) {
  const size_t rows = 3 * nodes;
  for (size_t k = 0; k < 3; k++) {
    const double(*q)[SOFA_LANES] = (const double(*)[SOFA_LANES])(b->turn + (part.g * 6 + k) * rows);
    const double(*w)[SOFA_LANES] = q + 3 * rows;
    Lanes qd = lanes_set(0), wd = lanes_set(0);
    for (size_t i = 0; i < rows; i++) {
      qd = lanes_madd(lanes_load(q[i] + part.s), d[i], qd);
      wd = lanes_madd(lanes_load(w[i] + part.s), d[i], wd);
    }
    for (size_t i = 0; i < rows; i++)
      f[i] = lanes_madd(lanes_load(q[i] + part.s), wd,
                        lanes_madd(lanes_load(w[i] + part.s), qd, f[i]));
  }
}

/* Block of the nodes pair[0] and pair[1]: that of K from entry pair[2] on, with Q^T W + W^T Q. */
ALWAYS void dense_turn_block(const SofaElementBatch *b, size_t nodes, Part part, const size_t *pair,
                             Stiffness k, double (*out)[SOFA_LANES]) {
  const size_t rows = 3 * nodes;
  for (size_t i = 0; i < 3; i++) {
    for (size_t j = 0; j < 3; j++) {
      Lanes sum = stiffness_entry(k, pair[2] + 3 * i + j);
      for (size_t a = 0; a < 3; a++) {
        const double(*q)[SOFA_LANES] =
            (const double(*)[SOFA_LANES])(b->turn + (part.g * 6 + a) * rows);
        const double(*w)[SOFA_LANES] = q + 3 * rows;
        const size_t row = 3 * pair[0] + i, column = 3 * pair[1] + j;
        sum = lanes_madd(lanes_load(q[row] + part.s), lanes_load(w[column] + part.s), sum);
        sum = lanes_madd(lanes_load(w[row] + part.s), lanes_load(q[column] + part.s), sum);
      }
      lanes_store(out[3 * i + j], sum);
    }
  }
}

#endif
