/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stiffness blocks of the edges of hyperelastic tetrahedra in lanes; for sources that are compiled
 * once per instruction set. With a stress S and its derivative D,
 * K_nm = V ((g_n . S g_m) I + B_n^T D B_m); see hyperelastic.h.
 *
 * With y_n = F g_n and h_n = F^-T g_n, dE of a move u of node m is the symmetric part of
 * F^T u g_m^T, so that rows of B_n^T D B_m need no B where D has a closed form:
 *   D = a b^T, symmetric tensors:   (F a g_n) (F b g_m)^T
 *   D dE = C^-1 dE C^-1:            1/2 ((h_n . h_m) I + h_m h_n^T)
 * hyper_kernels_impl.c has that of an energy of the invariants. */
#ifndef SOFA_HYPER_BLOCKS_H
#define SOFA_HYPER_BLOCKS_H

#include "numerics/fem/lane_points_impl.h"
#include "components/solidmechanics/hyperelastic/edge_blocks_impl.h"
#include "numerics/material/isotropic_lanes_impl.h"
#include "components/solidmechanics/hyperelastic/hyper_kernels.h"
#include "components/solidmechanics/hyperelastic/hyper_laws_impl.h"

/* A vector of each node. */
typedef Lanes NodeVectors[4][3];

/* Lanes of elements; gradients of nodes 1, 2, 3. */
typedef struct TetraLanes {
  Lanes f[9], g[3][3], volume;
} TetraLanes;

/* Has a register all lanes of a group? */
enum { WHOLE_GROUPS = (int)LANES == (int)SOFA_LANES };

/* Where the blocks of lanes go: with WHOLE_GROUPS added to those at `place`, of an edge SOFA_LANES
 * after those of the edge before; else, or where place is NULL, to rows: the first real of theirs
 * in SofaHyperBlocks. */
typedef struct BlocksTo {
  const uint32_t *place;
  double *blocks;
  double (*rows)[9][SOFA_LANES];
} BlocksTo;

/* Nodes n < m of the edges. */
static const uint8_t edge_nodes[SOFA_HYPER_EDGES][2] = {{0, 1}, {0, 2}, {0, 3},
                                                        {1, 2}, {1, 3}, {2, 3}};

/* Gradients have the sum 0. */
ALWAYS void close_nodes(NodeVectors r) {
  for (int i = 0; i < 3; i++) r[0][i] = -((r[1][i] + r[2][i]) + r[3][i]);
}

/* r_n = M g_n */
ALWAYS void of_nodes(const Lanes *m, const Lanes (*g)[3], NodeVectors r) {
  for (int n = 0; n < 3; n++) lanes_apply(m, g[n], r[n + 1]);
  close_nodes(r);
}

/* to = diagonal I */
ALWAYS void set_diagonal(Lanes diagonal, Lanes *to) {
  for (int k = 0; k < 9; k++) to[k] = k % 4 == 0 ? diagonal : lanes_set(0);
}

/* to += a b^T */
ALWAYS void add_dyad(const Lanes *a, const Lanes *b, Lanes *to) {
  for (int k = 0; k < 9; k++) to[k] = lanes_madd(a[k / 3], b[k % 3], to[k]);
}

/* The block of edge e. */
ALWAYS void give_block(const Lanes *block, int e, const BlocksTo *to) {
  if (WHOLE_GROUPS && to->place)
    add_edge_blocks(block, to->place + SOFA_LANES * e, LANES, to->blocks);
  else
    for (int k = 0; k < 9; k++) lanes_store(to->rows[e][k], block[k]);
}

/* ---- any D ---- */

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

/* B of all nodes */
static inline void strains_of_moves(const TetraLanes *t, Lanes (*b)[18]) {
  for (int n = 0; n < 3; n++) strain_of_move(t->f, t->g[n], b[n + 1]);
  for (int k = 0; k < 18; k++) b[0][k] = -((b[1][k] + b[2][k]) + b[3][k]);
}

/* to += a^T b of 6 x 3 numbers */
ALWAYS void add_strains(const Lanes *a, const Lanes *b, Lanes *to) {
  for (int k = 0; k < 18; k += 3) add_dyad(a + k, b + k, to);
}

/* db = D b with the upper triangle of D. */
static inline void law_apply(const SofaHyperGroup *group, size_t l, const Lanes *b, Lanes *db) {
  const double(*d)[SOFA_LANES] = group->d;
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

/* S as a matrix */
static inline void law_stress_matrix(const SofaHyperGroup *group, size_t l, Lanes *s) {
  static const uint8_t at[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  for (int k = 0; k < 9; k++) s[k] = lanes_load(group->s[at[k]] + l);
}

static inline void general_blocks(const SofaHyperGroup *group, size_t l, const BlocksTo *out) {
  TetraLanes t;
  Lanes s[9], b[4][18], db[4][18];
  NodeVectors g, traction;
  t.volume = lanes_load(group->volume + l);
  for (int k = 0; k < 9; k++) {
    t.f[k] = lanes_load(group->f[k] + l);
    t.g[k / 3][k % 3] = g[k / 3 + 1][k % 3] = lanes_load(group->g[k] + l);
  }
  close_nodes(g);
  law_stress_matrix(group, l, s);
  of_nodes(s, (const Lanes(*)[3])t.g, traction);
  strains_of_moves(&t, b);
  for (int m = 1; m < 4; m++) law_apply(group, l, b[m], db[m]);
  for (int e = 0; e < SOFA_HYPER_EDGES; e++) {
    const int n = edge_nodes[e][0], m = edge_nodes[e][1];
    Lanes block[9];
    set_diagonal(lanes_dot3(g[n], traction[m]), block);
    add_strains(b[n], db[m], block);
    for (int k = 0; k < 9; k++) block[k] = -(t.volume * block[k]);
    give_block(block, e, out);
  }
}

/* ---- energies of the invariants ---- */

/* Times -V: coefficients of the form in hyper_kernels_impl.c. */
typedef struct InvariantForm {
  Lanes a, b, c, i1, wl, wll, w1l, w2l;
} InvariantForm;

/* Which parts W has: does it depend on L; on I1 not linearly, or on I2; on I2? */
typedef struct Parts {
  bool volume, strain, second;
} Parts;

/* Vectors of nodes: y, those with factors of y and h, and z. */
typedef struct InvariantVectors {
  Lanes left[9];
  NodeVectors g, y, cy, by, h, z, wh;
} InvariantVectors;

ALWAYS void vectors_of_strain(Parts parts, const TetraLanes *t, const InvariantForm *w,
                              InvariantVectors *r) {
  of_nodes(t->f, (const Lanes(*)[3])t->g, r->y);
  for (int k = 0; k < 12; k++) {
    r->cy[k / 3][k % 3] = w->c * r->y[k / 3][k % 3];
    if (parts.second) r->by[k / 3][k % 3] = w->b * r->y[k / 3][k % 3];
  }
}

/* z_n; where W is linear in I1, twice that. */
ALWAYS void vectors_of_volume(Parts parts, const TetraLanes *t, const InvariantForm *w,
                              InvariantVectors *r) {
  const Lanes wll = (parts.strain ? 1.0 : 2.0) * w->wll;
  Lanes inverse[9], turned[3];
  lanes_inverse_transposed(t->f, inverse);
  of_nodes(inverse, (const Lanes(*)[3])t->g, r->h);
  for (int n = 0; n < 4; n++) {
    if (parts.second) lanes_apply(r->left, r->y[n], turned);
    for (int i = 0; i < 3; i++) {
      const Lanes y = r->y[n][i];
      r->z[n][i] = wll * r->h[n][i];
      r->wh[n][i] = -(w->wl * r->h[n][i]);
      if (parts.strain) r->z[n][i] = lanes_madd(w->w1l, y, r->z[n][i]);
      if (parts.second)
        r->z[n][i] = lanes_madd(w->w2l, lanes_madd(w->i1, y, -turned[i]), r->z[n][i]);
    }
  }
}

ALWAYS void invariant_vectors(Parts parts, const TetraLanes *t, const InvariantForm *w,
                              InvariantVectors *r) {
  for (int k = 0; k < 9; k++) r->g[k / 3 + 1][k % 3] = t->g[k / 3][k % 3];
  close_nodes(r->g);
  if (parts.second) lanes_left_square(t->f, r->left);
  if (parts.strain) vectors_of_strain(parts, t, w, r);
  if (parts.volume) vectors_of_volume(parts, t, w, r);
}

ALWAYS void invariant_block(Parts parts, const InvariantForm *w, const InvariantVectors *r, int n,
                            int m, Lanes *to) {
  const Lanes slopes = lanes_dot3(r->g[n], r->g[m]);
  Lanes diagonal = w->a * slopes;
  if (parts.second)
    diagonal = lanes_madd(
        r->by[n][2], r->y[m][2],
        lanes_madd(r->by[n][1], r->y[m][1], lanes_madd(r->by[n][0], r->y[m][0], diagonal)));
  set_diagonal(diagonal, to);
  if (parts.second) {
    const Lanes shear = w->b * slopes;
    for (int k = 0; k < 9; k++) to[k] = lanes_madd(shear, r->left[k], to[k]);
    add_dyad(r->y[m], r->by[n], to);
  }
  if (parts.strain) add_dyad(r->y[n], r->cy[m], to);
  if (!parts.volume) return;
  add_dyad(r->h[n], r->z[m], to);
  if (parts.strain) add_dyad(r->z[n], r->h[m], to);
  add_dyad(r->h[m], r->wh[n], to);
}

ALWAYS void invariant_edges(Parts parts, const TetraLanes *t, const InvariantForm *w,
                            const BlocksTo *out) {
  InvariantVectors r;
  invariant_vectors(parts, t, w, &r);
  for (int e = 0; e < SOFA_HYPER_EDGES; e++) {
    Lanes block[9];
    invariant_block(parts, w, &r, edge_nodes[e][0], edge_nodes[e][1], block);
    give_block(block, e, out);
  }
}

#endif
