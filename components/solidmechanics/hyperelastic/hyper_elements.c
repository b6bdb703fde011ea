/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces, tangents and energy of hyperelastic tetrahedra; formulas in hyperelastic.h.
 *
 * One thread adds each element to the points directly; several store what elements give and gather
 * it per point or pair in the order of the elements, which gives the same bits. */
#include "components/solidmechanics/hyperelastic/hyper_elements.h"

#include <string.h>
#include "math/vec.h"

enum { PARALLEL_MIN = 128 }; /* fewer elements: threads cost more than they give */

static bool parallel(const SofaHyperelastic *h) {
  return h->element_force && h->n >= PARALLEL_MIN && h->force_field.object.ctx->threads > 1;
}

static inline void gradient(const SofaHyperTetra *t, const double *x, double *f) {
  const double *origin = x + 3 * (size_t)t->v[0];
  double e[3][3];
  for (int n = 0; n < 3; n++) sofa_vec3_sub(x + 3 * (size_t)t->v[n + 1], origin, e[n]);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      f[3 * i + k] = e[0][i] * t->s[0][k] + e[1][i] * t->s[1][k] + e[2][i] * t->s[2][k];
  }
}

/* r = S v, S as six numbers. */
static inline void stress_apply(const double *s, const double *v, double *r) {
  sofa_vec3_set(r, s[0] * v[0] + s[3] * v[1] + s[5] * v[2], s[3] * v[0] + s[1] * v[1] + s[4] * v[2],
                s[5] * v[0] + s[4] * v[1] + s[2] * v[2]);
}

/* ---- forces ---- */

/* Forces of nodes 0 .. 3 at x; false where the material is not defined. */
static inline bool element_force(const SofaHyperelastic *h, SofaHyperTetra *t, const double *x,
                                 double *force) {
  SofaDeformation d;
  double s[6];
  gradient(t, x, d.f);
  memcpy(t->f, d.f, sizeof t->f);
  if (!sofa_deformation(h->material, &d)) return false;
  h->material->stress(h->p, 0, &d, s, NULL);
  sofa_vec3_set(force, 0, 0, 0);
  for (int n = 0; n < 3; n++) {
    double traction[3], *to = force + 3 * n + 3;
    stress_apply(s, t->s[n], traction);
    sofa_mat3_apply(d.f, traction, to);
    sofa_vec3_scale(-t->volume, to, to);
    sofa_vec3_sub(force, to, force);
  }
  return true;
}

static size_t parallel_force(SofaHyperelastic *h, const double *x, double *f) {
  const int threads = h->force_field.object.ctx->threads;
  const size_t n_points = sofa_state_size(h->force_field.state[0]);
  size_t bad = h->n;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : bad)
  for (size_t e = 0; e < h->n; e++) {
    if (!element_force(h, &h->tetras[e], x, h->element_force[e]) && e < bad) bad = e;
  }
  if (bad < h->n) return bad;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t i = 0; i < n_points; i++) {
    for (uint32_t k = h->around_start[i]; k < h->around_start[i + 1]; k++) {
      const uint32_t id = h->around[k];
      const double *from = h->element_force[id / 4] + 3 * (id % 4);
      sofa_vec3_add(f + 3 * i, from, f + 3 * i);
    }
  }
  return bad;
}

size_t sofa_hyper_force(SofaHyperelastic *h, const double *x, double *f) {
  if (parallel(h)) return parallel_force(h, x, f);
  for (size_t e = 0; e < h->n; e++) {
    SofaHyperTetra *t = &h->tetras[e];
    double force[12];
    if (!element_force(h, t, x, force)) return e;
    for (int n = 0; n < 4; n++) {
      double *to = f + 3 * (size_t)t->v[n];
      sofa_vec3_add(to, force + 3 * n, to);
    }
  }
  return h->n;
}

/* ---- tangents ---- */

/* Local pairs (a, b), a <= b, in the order of SofaElementPairs; diagonal ones first of their row.
 */
static const uint8_t pair_of[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};

/* B_n, 6 x 3: dE with doubled shear of a move of the node with gradient s. */
static inline void strain_of_move(const double *f, const double *s, double (*b)[3]) {
  for (int i = 0; i < 3; i++) {
    const double *r = f + 3 * i;
    b[0][i] = r[0] * s[0];
    b[1][i] = r[1] * s[1];
    b[2][i] = r[2] * s[2];
    b[3][i] = r[0] * s[1] + r[1] * s[0];
    b[4][i] = r[1] * s[2] + r[2] * s[1];
    b[5][i] = r[2] * s[0] + r[0] * s[2];
  }
}

/* r = factor (geometric I + B_n^T (D B_m)), 3 x 3. */
static inline void block_of(double factor, double geometric, double (*b)[3], double (*db)[3],
                            double *r) {
  for (int i = 0; i < 3; i++) {
    double sum[3] = {0, 0, 0};
    sum[i] = geometric;
    for (int k = 0; k < 6; k++) {
      for (int j = 0; j < 3; j++) sum[j] += b[k][i] * db[k][j];
    }
    for (int j = 0; j < 3; j++) r[3 * i + j] = factor * sum[j];
  }
}

static inline void law_apply(const double *d, double (*b)[3], double (*db)[3]) {
  for (int i = 0; i < 6; i++) {
    double sum[3] = {0, 0, 0};
    for (int k = 0; k < 6; k++) {
      for (int j = 0; j < 3; j++) sum[j] += d[6 * i + k] * b[k][j];
    }
    for (int j = 0; j < 3; j++) db[i][j] = sum[j];
  }
}

/* to -= a, or its transpose. */
static inline void subtract(const double *a, bool transposed, double *to) {
  for (int i = 0; i < 9; i++) to[i] -= a[transposed ? 3 * (i % 3) + i / 3 : i];
}

/* The ten blocks of -K: those of nodes 1 .. 3, then node 0 as minus their sums. */
static inline void symmetric_blocks(const SofaHyperTetra *t, const double *s, const double *d,
                                    double *blocks) {
  double b[3][6][3], db[6][3], traction[3];
  memset(blocks, 0, 36 * sizeof *blocks);
  for (int n = 0; n < 3; n++) strain_of_move(t->f, t->s[n], b[n]);
  for (int m = 0; m < 3; m++) {
    law_apply(d, b[m], db);
    stress_apply(s, t->s[m], traction);
    for (int n = 0; n <= m; n++) {
      double *to = blocks + 9 * pair_of[n + 1][m + 1];
      block_of(-t->volume, sofa_vec3_dot(t->s[n], traction), b[n], db, to);
      subtract(to, false, blocks + 9 * (m + 1));
      if (n < m) subtract(to, true, blocks + 9 * (n + 1));
    }
  }
  for (int n = 1; n < 4; n++) subtract(blocks + 9 * n, true, blocks);
}

/* With an unsymmetric D the six blocks of the edges, each in the direction of its edge, decide; the
 * diagonal ones are minus their sums. */
static void edge_blocks(const SofaHyperTetra *t, unsigned backwards, const double *s,
                        const double *d, double *blocks) {
  double g[4][3], b[4][6][3], db[6][3], traction[3], dt[36];
  for (int i = 0; i < 36; i++) dt[i] = d[6 * (i % 6) + i / 6];
  for (int i = 0; i < 3; i++) g[0][i] = -(t->s[0][i] + t->s[1][i] + t->s[2][i]);
  memcpy(g[1], t->s, sizeof t->s);
  for (int n = 0; n < 4; n++) {
    strain_of_move(t->f, g[n], b[n]);
    memset(blocks + 9 * pair_of[n][n], 0, 9 * sizeof *blocks);
  }
  for (int k = 0; k < 6; k++) {
    const int n = sofa_tetra_edges[k][0], m = sofa_tetra_edges[k][1];
    double *to = blocks + 9 * pair_of[n][m];
    law_apply(backwards >> k & 1 ? dt : d, b[m], db);
    stress_apply(s, g[m], traction);
    block_of(-t->volume, sofa_vec3_dot(g[n], traction), b[n], db, to);
    subtract(to, false, blocks + 9 * pair_of[n][n]);
    subtract(to, true, blocks + 9 * pair_of[m][m]);
  }
}

static inline bool element_blocks(const SofaHyperelastic *h, size_t e, double *blocks) {
  const SofaHyperTetra *t = &h->tetras[e];
  SofaDeformation x;
  double s[6], d[36];
  memcpy(x.f, t->f, sizeof x.f);
  if (!sofa_deformation(h->material, &x)) return false;
  h->material->stress(h->p, h->quirks, &x, s, d);
  if (h->backwards) edge_blocks(t, h->backwards[e], s, d, blocks);
  else symmetric_blocks(t, s, d, blocks);
  return true;
}

/* to += block, or its transpose. */
static inline void add_block(const double *block, bool transposed, double *to) {
  for (int i = 0; i < 9; i++) to[i] += block[transposed ? 3 * (i % 3) + i / 3 : i];
}

static size_t parallel_blocks(SofaHyperelastic *h) {
  const int threads = h->force_field.object.ctx->threads;
  size_t bad = h->n;
#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : bad)
  for (size_t e = 0; e < h->n; e++) {
    if (!element_blocks(h, e, h->element_blocks[e]) && e < bad) bad = e;
  }
  if (bad < h->n) return bad;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t p = 0; p < h->pairs.n; p++) {
    double *to = h->blocks + 9 * p;
    memset(to, 0, 9 * sizeof *to);
    for (size_t k = h->pairs.start[p]; k < h->pairs.start[p + 1]; k++) {
      const SofaPairPart part = h->pairs.part[k];
      const double *from =
          h->element_blocks[part.element] + 9 * pair_of[part.row_node][part.column_node];
      add_block(from, part.row_node > part.column_node, to);
    }
  }
  return bad;
}

size_t sofa_hyper_blocks(SofaHyperelastic *h) {
  if (parallel(h)) return parallel_blocks(h);
  memset(h->blocks, 0, 9 * h->pairs.n * sizeof *h->blocks);
  for (size_t e = 0; e < h->n; e++) {
    const uint32_t *slot = h->pairs.slot + 10 * e;
    double blocks[90];
    if (!element_blocks(h, e, blocks)) return e;
    // an element with volume has four different points: no SOFA_PAIR_BOTH
    for (int k = 0; k < 10; k++)
      add_block(blocks + 9 * k, (slot[k] & 3) == SOFA_PAIR_TRANSPOSED,
                h->blocks + 9 * (size_t)(slot[k] >> 2));
  }
  return h->n;
}

/* ---- energy ---- */

size_t sofa_hyper_energy(const SofaHyperelastic *h, const double *x, double *energy) {
  *energy = 0;
  for (size_t e = 0; e < h->n; e++) {
    SofaDeformation d;
    gradient(&h->tetras[e], x, d.f);
    if (!sofa_deformation(h->material, &d)) return e;
    *energy += h->tetras[e].volume * h->material->energy(h->p, &d);
  }
  return h->n;
}
