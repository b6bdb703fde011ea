/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stiffness blocks of hyperelastic tetrahedra, compiled once per instruction set with KERNELS_ISA
 * naming it. K_nm = V ((g_n . S g_m) I + B_n^T D B_m); see hyperelastic.h. */
#include "numerics/fem/lanes_impl.h"
#include "components/solidmechanics/hyperelastic/hyper_kernels.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

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

/* db = D b with the upper triangle of D. */
static inline void law_apply(const SofaHyperGroup *group, int l, const Lanes *b, Lanes *db) {
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

/* r = S v */
static inline void stress_apply(const SofaHyperGroup *group, int l, const Lanes *v, Lanes *r) {
  Lanes s[6];
  for (int i = 0; i < 6; i++) s[i] = lanes_load(group->s[i] + l);
  r[0] = lanes_madd(s[5], v[2], lanes_madd(s[3], v[1], s[0] * v[0]));
  r[1] = lanes_madd(s[4], v[2], lanes_madd(s[1], v[1], s[3] * v[0]));
  r[2] = lanes_madd(s[2], v[2], lanes_madd(s[4], v[1], s[5] * v[0]));
}

/* factor (geometric I + B_n^T DB) */
typedef struct Block {
  Lanes factor, geometric;
  const Lanes *b, *db;
} Block;

/* Stores a block and subtracts it, and for two nodes its transpose, from what node 0 has with the
 * columns of m and n. */
static inline void store_block(const Block *block, double (*to)[SOFA_LANES], int l, Lanes *of_m,
                               Lanes *of_n) {
  const Lanes factor = block->factor, geometric = block->geometric;
  const Lanes *b = block->b, *db = block->db;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      Lanes sum = b[i] * db[j];
      for (int k = 1; k < 6; k++) sum = lanes_madd(b[3 * k + i], db[3 * k + j], sum);
      if (i == j) sum = sum + geometric;
      sum = factor * sum;
      lanes_store(to[3 * i + j] + l, sum);
      of_m[3 * i + j] = of_m[3 * i + j] - sum;
      if (of_n) of_n[3 * j + i] = of_n[3 * j + i] - sum;
    }
  }
}

static inline void blocks_of_lanes(const SofaHyperGroup *group, int l, SofaHyperBlocks out) {
  static const uint8_t pair_of[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};
  const Lanes zero = lanes_set(0), factor = zero - lanes_load(group->volume + l);
  Lanes f[9], g[3][3], b[3][18], db[18], traction[3], first[3][9];
  for (int k = 0; k < 9; k++) f[k] = lanes_load(group->f[k] + l);
  for (int n = 0; n < 3; n++) {
    for (int k = 0; k < 3; k++) g[n][k] = lanes_load(group->g[3 * n + k] + l);
    for (int k = 0; k < 9; k++) first[n][k] = zero;
    strain_of_move(f, g[n], b[n]);
  }
  for (int m = 0; m < 3; m++) {
    law_apply(group, l, b[m], db);
    stress_apply(group, l, g[m], traction);
    for (int n = 0; n <= m; n++) {
      const Block block = {factor, lanes_dot3(g[n], traction), b[n], db};
      store_block(&block, out + 9 * pair_of[n][m], l, first[m], n < m ? first[n] : NULL);
    }
  }
  // node 0: minus the sum of the others
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const int k = 3 * i + j, t = 3 * j + i;
      for (int n = 0; n < 3; n++) lanes_store(out[9 * n + 9 + k] + l, first[n][k]);
      lanes_store(out[k] + l, zero - ((first[0][t] + first[1][t]) + first[2][t]));
    }
  }
}

static void hyper_blocks(const SofaHyperGroup *group, SofaHyperBlocks out) {
  for (int l = 0; l < SOFA_LANES; l += LANES) blocks_of_lanes(group, l, out);
}

extern const SofaHyperKernels CAT(sofa_hyper_kernels_, KERNELS_ISA);
const SofaHyperKernels CAT(sofa_hyper_kernels_, KERNELS_ISA) = {.blocks = hyper_blocks};
