/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The element kernels, compiled once per instruction set with KERNELS_ISA naming it. */
#include "components/solidmechanics/fem/element_kernels.h"

#include <string.h>
#include "components/solidmechanics/fem/lanes.h"
#include "math/polar.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

enum { PARALLEL_MIN_GROUPS = 32 }; /* fewer: threads cost more than they give */

/* ---- forces of elements to points ---- */

/* Adds the forces of a group, nodes x 3 rows of lanes, to their points; `count` lanes count. */
static inline void scatter(int nodes, const uint32_t (*v)[SOFA_LANES],
                           const double (*force)[SOFA_LANES], size_t count, double *f) {
  for (size_t l = 0; l < count; l++) {
    for (int n = 0; n < nodes; n++) {
      double *to = f + 3 * (size_t)v[n][l];
      to[0] += force[3 * n][l];
      to[1] += force[3 * n + 1][l];
      to[2] += force[3 * n + 2][l];
    }
  }
}

static inline size_t lanes_in_group(size_t n, size_t group) {
  const size_t left = n - group * SOFA_LANES;
  return left < SOFA_LANES ? left : SOFA_LANES;
}

/* f += forces of the elements around each point, ascending: the order of `scatter`. `force` is the
 * whole storage, `rows` its rows per group. */
static void gather(int threads, size_t n_points, unsigned nodes, const uint32_t *start,
                   const uint32_t *around, const double *force, double *f) {
  const size_t rows = 3 * (size_t)nodes;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t i = 0; i < n_points; i++) {
    double sum[3] = {f[3 * i], f[3 * i + 1], f[3 * i + 2]};
    for (uint32_t k = start[i]; k < start[i + 1]; k++) {
      const size_t e = around[k] / nodes, n = around[k] % nodes;
      const double *from = force + (e / SOFA_LANES * rows + 3 * n) * SOFA_LANES + e % SOFA_LANES;
      for (int c = 0; c < 3; c++) sum[c] += from[c * SOFA_LANES];
    }
    for (int c = 0; c < 3; c++) f[3 * i + (size_t)c] = sum[c];
  }
}

/* Coordinates of a node of the elements in lanes s .. s + LANES - 1. */
static inline void load_node(const uint32_t *v, const double *x, Lanes *p) {
  double t[3][LANES];
  for (int l = 0; l < LANES; l++) {
    const double *from = x + 3 * (size_t)v[l];
    t[0][l] = from[0];
    t[1][l] = from[1];
    t[2][l] = from[2];
  }
  for (int c = 0; c < 3; c++) p[c] = lanes_load(t[c]);
}

/* The closest rotation, in place: the polar factor where the determinant is clearly positive, by
 * singular values elsewhere. */
static inline void rotation_of(Lanes *m) {
  Lanes c[9], q[9];
  lanes_cross(m + 3, m + 6, c);
  lanes_cross(m + 6, m, c + 3);
  lanes_cross(m, m + 3, c + 6);
  const Lanes det = lanes_dot3(m, c), norm2 = lanes_norm2(m);
  const Lanes least = lanes_set(1e-6) * norm2 * lanes_sqrt(norm2);
  for (int k = 0; k < 9; k++) q[k] = m[k];
  lanes_polar(q);
  double turned[9][LANES], from[9][LANES], margin[LANES];
  lanes_store(margin, det - least);
  for (int k = 0; k < 9; k++) {
    lanes_store(from[k], m[k]);
    lanes_store(turned[k], q[k]);
  }
  for (int l = 0; l < LANES; l++) {
    double one[9];
    if (margin[l] > 0) continue;
    for (int k = 0; k < 9; k++) one[k] = from[k][l];
    sofa_polar_stable(one, one, NULL);
    for (int k = 0; k < 9; k++) turned[k][l] = one[k];
  }
  for (int k = 0; k < 9; k++) m[k] = lanes_load(turned[k]);
}

/* ---- tetrahedra ---- */

/* Cross products of the edges (rows b - a, c - a, d - a): vectors g of b, c, d. */
static inline void edge_gradients(const Lanes *e, Lanes *g) {
  lanes_cross(e + 3, e + 6, g);
  lanes_cross(e + 6, e, g + 3);
  lanes_cross(e, e + 3, g + 6);
}

/* Frames of flat and inverted elements, one by one, where the polar factor is no rotation. */
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
    for (int k = 0; k < 9; k++) r[k] = zero;
    for (int n = 0; n < 3; n++) {
      for (int i = 0; i < 3; i++) {
        const Lanes arm = lanes_load(b->groups[g].arm[3 * n + i] + s);
        for (int j = 0; j < 3; j++) r[3 * i + j] = lanes_madd(arm, e[3 * n + j], r[3 * i + j]);
      }
    }
    if (b->method == SOFA_TETRA_MOMENT_STABLE) rotation_of(r);
    else lanes_polar(r);
  }
}

/* Gradients w in the world of nodes b, c, d (rows 1..3 of w); node a gets minus their sum. */
static inline void tetra_gradients(const SofaTetraBatch *b, const SofaTetraGroup *group, int s,
                                   const Lanes *e, const Lanes *r, Lanes *w) {
  if (b->update) {
    // of the current shape: R^T of the local vectors is the cross products in the world, with the
    // sign of det R, which the products of two gradients do not see
    const Lanes scale = lanes_load(group->scale + s);
    edge_gradients(e, w + 3);
    for (int k = 3; k < 12; k++) w[k] = w[k] * scale;
  } else {
    for (int n = 0; n < 3; n++) {
      Lanes h[3];
      for (int i = 0; i < 3; i++) h[i] = lanes_load(group->h[3 * n + i] + s);
      lanes_apply_t(r, h, w + 3 * n + 3);
    }
  }
  for (int i = 0; i < 3; i++) w[i] = -((w[3 + i] + w[6 + i]) + w[9 + i]);
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

static inline void tetra_force_lanes(SofaTetraBatch *b, size_t g, int s, const double *x,
                                     double (*force)[SOFA_LANES]) {
  const SofaTetraGroup *group = &b->groups[g];
  Lanes a[3], e[9], r[9], w[12];
  load_node(group->v[0] + s, x, a);
  for (int n = 0; n < 3; n++) {
    load_node(group->v[n + 1] + s, x, e + 3 * n);
    for (int i = 0; i < 3; i++) e[3 * n + i] = e[3 * n + i] - a[i];
  }
  tetra_frame(b, g, s, e, r);
  tetra_gradients(b, group, s, e, r, w);
  for (int k = 0; k < 9; k++) lanes_store(b->rotation[g][k] + s, r[k]);
  for (int k = 0; k < 12; k++) lanes_store(b->gradient[g][k] + s, w[k]);
  if (!force) return;

  // displacements, rest minus current
  Lanes u[9], f[12];
  for (int n = 0; n < 3; n++) {
    Lanes q[3];
    for (int i = 0; i < 3; i++) q[i] = lanes_load(group->q[3 * n + i] + s);
    lanes_apply_t(r, q, u + 3 * n);
    for (int i = 0; i < 3; i++) u[3 * n + i] = u[3 * n + i] - e[3 * n + i];
  }
  tetra_stress_force(u, w, lanes_load(group->lambda + s), lanes_load(group->mu + s), f);
  for (int k = 0; k < 12; k++) lanes_store(force[k] + s, f[k]);
}

static void tetra_force(SofaTetraBatch *b, int threads, const double *x, double *f) {
  if (threads > 1 && b->force && b->n_groups >= PARALLEL_MIN_GROUPS) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t g = 0; g < b->n_groups; g++) {
      for (int s = 0; s < SOFA_LANES; s += LANES)
        tetra_force_lanes(b, g, s, x, f ? b->force[g] : NULL);
    }
    if (f) gather(threads, b->n_points, 4, b->around_start, b->around, (const double *)b->force, f);
    return;
  }
  for (size_t g = 0; g < b->n_groups; g++) {
    double force[12][SOFA_LANES];
    for (int s = 0; s < SOFA_LANES; s += LANES) tetra_force_lanes(b, g, s, x, f ? force : NULL);
    if (f)
      scatter(4, (const uint32_t(*)[SOFA_LANES])b->groups[g].v, (const double(*)[SOFA_LANES])force,
              lanes_in_group(b->n, g), f);
  }
}

static inline void tetra_dforce_lanes(const SofaTetraBatch *b, size_t g, int s, Lanes factor,
                                      const double *dx, double (*force)[SOFA_LANES]) {
  const SofaTetraGroup *group = &b->groups[g];
  Lanes a[3], u[9], w[12], f[12];
  load_node(group->v[0] + s, dx, a);
  for (int n = 0; n < 3; n++) {
    load_node(group->v[n + 1] + s, dx, u + 3 * n);
    for (int i = 0; i < 3; i++) u[3 * n + i] = a[i] - u[3 * n + i];
  }
  for (int k = 3; k < 12; k++) w[k] = lanes_load(b->gradient[g][k] + s);
  const Lanes lambda = factor * lanes_load(group->lambda + s),
              mu = factor * lanes_load(group->mu + s);
  tetra_stress_force(u, w, lambda, mu, f);
  for (int k = 0; k < 12; k++) lanes_store(force[k] + s, f[k]);
}

static void tetra_dforce(const SofaTetraBatch *b, int threads, double factor, const double *dx,
                         double *df) {
  const Lanes scale = lanes_set(factor);
  if (threads > 1 && b->force && b->n_groups >= PARALLEL_MIN_GROUPS) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t g = 0; g < b->n_groups; g++) {
      for (int s = 0; s < SOFA_LANES; s += LANES)
        tetra_dforce_lanes(b, g, s, lanes_set(factor), dx, b->force[g]);
    }
    gather(threads, b->n_points, 4, b->around_start, b->around, (const double *)b->force, df);
    return;
  }
  for (size_t g = 0; g < b->n_groups; g++) {
    double force[12][SOFA_LANES];
    for (int s = 0; s < SOFA_LANES; s += LANES) tetra_dforce_lanes(b, g, s, scale, dx, force);
    scatter(4, (const uint32_t(*)[SOFA_LANES])b->groups[g].v, (const double(*)[SOFA_LANES])force,
            lanes_in_group(b->n, g), df);
  }
}

/* Four doubles side by side, whatever the registers of the instruction set. */
typedef double Four __attribute__((vector_size(32)));

static inline void add_product(Four *sum, double a, const Four *b) {
#ifdef __FMA__
  *sum = (Four)_mm256_fmadd_pd(_mm256_set1_pd(a), (__m256d)*b, (__m256d)*sum);
#else
  const Four aa = {a, a, a, a};
  *sum += aa * *b;
#endif
}

static void tetra_pack(const SofaTetraBatch *b, size_t begin, size_t end) {
  for (size_t g = begin; g < end; g++) {
    const size_t count = lanes_in_group(b->n, g);
    for (size_t l = 0; l < count; l++) {
      double(*to)[4] = b->packed[g * SOFA_LANES + l];
      for (int n = 0; n < 4; n++) {
        for (int i = 0; i < 3; i++) to[n][i] = b->gradient[g][3 * n + i][l];
      }
      to[0][3] = b->groups[g].lambda[l];
      to[1][3] = b->groups[g].mu[l];
    }
  }
}

static void tetra_blocks(const SofaTetraBatch *b, size_t begin, size_t end, double *blocks) {
  const SofaElementPairs *pairs = &b->pairs;
  for (size_t p = begin; p < end; p++) {
    /* with m, n the gradients of row and column node: sums of lambda m n^T and of mu n m^T, whose
     * trace is the sum of mu m . n; the fourth column is garbage */
    Four lame[3] = {{0}, {0}, {0}}, shear[3] = {{0}, {0}, {0}};
    for (size_t k = pairs->start[p]; k < pairs->start[p + 1]; k++) {
      const SofaPairPart part = pairs->part[k];
      const double(*w)[4] = (const double(*)[4])b->packed[part.element];
      const double *row = w[part.row_node], *column = w[part.column_node];
      const double lambda = w[0][3], mu = w[1][3];
      Four m, n;
      memcpy(&m, row, sizeof m);
      memcpy(&n, column, sizeof n);
      m *= (Four){mu, mu, mu, mu};
      n *= (Four){lambda, lambda, lambda, lambda};
      for (int i = 0; i < 3; i++) {
        add_product(&lame[i], row[i], &n);
        add_product(&shear[i], column[i], &m);
      }
    }
    const double trace = (shear[0][0] + shear[1][1]) + shear[2][2];
    double *to = blocks + 9 * (p - begin);
    for (int i = 0; i < 3; i++) {
      for (int j = 0; j < 3; j++)
        to[3 * i + j] = -((lame[i][j] + shear[i][j]) + (i == j ? trace : 0));
    }
  }
}

/* ---- hexahedra ---- */

static inline void hexa_frame(SofaHexaMethod method, const Lanes *p, Lanes *r) {
  static const uint8_t edges[3][4][2] = {{{0, 1}, {3, 2}, {4, 5}, {7, 6}},
                                         {{0, 3}, {1, 2}, {4, 7}, {5, 6}},
                                         {{0, 4}, {1, 5}, {3, 7}, {2, 6}}};
  const Lanes one = lanes_set(1), zero = lanes_set(0), quarter = lanes_set(0.25);
  if (method == SOFA_HEXA_SMALL) {
    for (int k = 0; k < 9; k++) r[k] = k % 4 == 0 ? one : zero;
    return;
  }
  Lanes m[9];
  for (int d = 0; d < 3; d++) {
    for (int i = 0; i < 3; i++) {
      Lanes sum = zero;
      for (int k = 0; k < 4; k++)
        sum = sum + (p[3 * edges[d][k][1] + i] - p[3 * edges[d][k][0] + i]);
      m[3 * d + i] = sum * quarter;
    }
  }
  if (method == SOFA_HEXA_LARGE) {
    lanes_frame(m, m + 3, r);
    return;
  }
  lanes_polar(m);
  for (int k = 0; k < 9; k++) r[k] = m[k];
}

/* f = K d with the packed upper triangle of blocks. */
static inline void hexa_product(const SofaHexaGroup *group, int s, const Lanes *d, Lanes *f) {
  for (int k = 0; k < 24; k++) f[k] = lanes_set(0);
  const double *k = &group->k[0][s];
  for (int a = 0; a < 8; a++) {
    for (int b = a; b < 8; b++) {
      Lanes m[9];
      for (int i = 0; i < 9; i++, k += SOFA_LANES) m[i] = lanes_load(k);
      for (int i = 0; i < 3; i++) {
        f[3 * a + i] = lanes_madd(
            m[3 * i + 2], d[3 * b + 2],
            lanes_madd(m[3 * i + 1], d[3 * b + 1], lanes_madd(m[3 * i], d[3 * b], f[3 * a + i])));
      }
      if (a == b) continue;
      for (int i = 0; i < 3; i++) {
        f[3 * b + i] = lanes_madd(
            m[6 + i], d[3 * a + 2],
            lanes_madd(m[3 + i], d[3 * a + 1], lanes_madd(m[i], d[3 * a], f[3 * b + i])));
      }
    }
  }
}

static inline void hexa_rotate_back(const Lanes *r, const Lanes *local, int s,
                                    double (*force)[SOFA_LANES]) {
  for (int n = 0; n < 8; n++) {
    Lanes f[3];
    lanes_apply_t(r, local + 3 * n, f);
    for (int i = 0; i < 3; i++) lanes_store(force[3 * n + i] + s, f[i]);
  }
}

static inline void hexa_force_lanes(SofaHexaBatch *b, size_t g, int s, const double *x,
                                    double (*force)[SOFA_LANES]) {
  const SofaHexaGroup *group = &b->groups[g];
  Lanes p[24], r[9], d[24], f[24];
  for (int n = 0; n < 8; n++) load_node(group->v[n] + s, x, p + 3 * n);
  hexa_frame(b->method, p, r);
  for (int k = 0; k < 9; k++) lanes_store(b->rotation[g][k] + s, r[k]);
  if (!force) return;
  for (int n = 0; n < 8; n++) {
    lanes_apply(r, p + 3 * n, d + 3 * n);
    for (int i = 0; i < 3; i++) d[3 * n + i] = lanes_load(group->q[3 * n + i] + s) - d[3 * n + i];
  }
  hexa_product(group, s, d, f);
  hexa_rotate_back(r, f, s, force);
}

static inline void hexa_dforce_lanes(const SofaHexaBatch *b, size_t g, int s, double factor,
                                     const double *dx, double (*force)[SOFA_LANES]) {
  const SofaHexaGroup *group = &b->groups[g];
  const Lanes scale = lanes_set(-factor);
  Lanes p[3], r[9], d[24], f[24];
  for (int k = 0; k < 9; k++) r[k] = lanes_load(b->rotation[g][k] + s);
  for (int n = 0; n < 8; n++) {
    load_node(group->v[n] + s, dx, p);
    lanes_apply(r, p, d + 3 * n);
  }
  hexa_product(group, s, d, f);
  for (int k = 0; k < 24; k++) f[k] = f[k] * scale;
  hexa_rotate_back(r, f, s, force);
}

static void hexa_force(SofaHexaBatch *b, int threads, const double *x, double *f) {
  if (threads > 1 && b->force && b->n_groups >= PARALLEL_MIN_GROUPS) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t g = 0; g < b->n_groups; g++) {
      for (int s = 0; s < SOFA_LANES; s += LANES)
        hexa_force_lanes(b, g, s, x, f ? b->force[g] : NULL);
    }
    if (f) gather(threads, b->n_points, 8, b->around_start, b->around, (const double *)b->force, f);
    return;
  }
  for (size_t g = 0; g < b->n_groups; g++) {
    double force[24][SOFA_LANES];
    for (int s = 0; s < SOFA_LANES; s += LANES) hexa_force_lanes(b, g, s, x, f ? force : NULL);
    if (f)
      scatter(8, (const uint32_t(*)[SOFA_LANES])b->groups[g].v, (const double(*)[SOFA_LANES])force,
              lanes_in_group(b->n, g), f);
  }
}

static void hexa_dforce(const SofaHexaBatch *b, int threads, double factor, const double *dx,
                        double *df) {
  if (threads > 1 && b->force && b->n_groups >= PARALLEL_MIN_GROUPS) {
#pragma omp parallel for schedule(static) num_threads(threads)
    for (size_t g = 0; g < b->n_groups; g++) {
      for (int s = 0; s < SOFA_LANES; s += LANES)
        hexa_dforce_lanes(b, g, s, factor, dx, b->force[g]);
    }
    gather(threads, b->n_points, 8, b->around_start, b->around, (const double *)b->force, df);
    return;
  }
  for (size_t g = 0; g < b->n_groups; g++) {
    double force[24][SOFA_LANES];
    for (int s = 0; s < SOFA_LANES; s += LANES) hexa_dforce_lanes(b, g, s, factor, dx, force);
    scatter(8, (const uint32_t(*)[SOFA_LANES])b->groups[g].v, (const double(*)[SOFA_LANES])force,
            lanes_in_group(b->n, g), df);
  }
}

/* -R^T K_ab R of one local pair. */
static inline void hexa_rotated_block(const double *k, const Lanes *r, double (*out)[SOFA_LANES],
                                      int s) {
  Lanes kr[9];
  for (int i = 0; i < 3; i++) {
    const Lanes m0 = lanes_load(k + 3 * i * SOFA_LANES),
                m1 = lanes_load(k + (3 * i + 1) * SOFA_LANES),
                m2 = lanes_load(k + (3 * i + 2) * SOFA_LANES);
    for (int j = 0; j < 3; j++)
      kr[3 * i + j] = lanes_madd(m2, r[6 + j], lanes_madd(m1, r[3 + j], m0 * r[j]));
  }
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const Lanes v =
          lanes_madd(r[6 + i], kr[6 + j], lanes_madd(r[3 + i], kr[3 + j], r[i] * kr[j]));
      lanes_store(out[3 * i + j] + s, -v);
    }
  }
}

/* Adds block (or its transpose, or both) of lane l to a pair's block. */
static inline void add_turned(const double (*block)[SOFA_LANES], size_t l, unsigned turn,
                              double *to) {
  if (turn != SOFA_PAIR_TRANSPOSED) {
    for (int i = 0; i < 9; i++) to[i] += block[i][l];
  }
  if (turn != SOFA_PAIR_STRAIGHT) {
    for (int i = 0; i < 9; i++) to[i] += block[3 * (i % 3) + i / 3][l];
  }
}

static void hexa_blocks(const SofaHexaBatch *b, double *blocks) {
  memset(blocks, 0, 9 * b->pairs.n * sizeof *blocks);
  for (size_t g = 0; g < b->n_groups; g++) {
    const SofaHexaGroup *group = &b->groups[g];
    double local[SOFA_HEXA_PACKED][SOFA_LANES];
    for (int s = 0; s < SOFA_LANES; s += LANES) {
      Lanes r[9];
      for (int k = 0; k < 9; k++) r[k] = lanes_load(b->rotation[g][k] + s);
      for (int p = 0; p < SOFA_HEXA_PAIRS; p++)
        hexa_rotated_block(&group->k[9 * p][s], r, local + 9 * p, s);
    }
    const uint32_t *slot = b->pairs.slot + g * SOFA_LANES * SOFA_HEXA_PAIRS;
    const size_t count = lanes_in_group(b->n, g);
    for (size_t l = 0; l < count; l++) {
      for (int p = 0; p < SOFA_HEXA_PAIRS; p++, slot++)
        add_turned((const double(*)[SOFA_LANES])(local + 9 * p), l, *slot & 3,
                   blocks + 9 * (size_t)(*slot >> 2));
    }
  }
}

const SofaElementKernels CAT(sofa_element_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .tetra_force = tetra_force,
    .tetra_dforce = tetra_dforce,
    .tetra_pack = tetra_pack,
    .tetra_blocks = tetra_blocks,
    .hexa_force = hexa_force,
    .hexa_dforce = hexa_dforce,
    .hexa_blocks = hexa_blocks,
};
