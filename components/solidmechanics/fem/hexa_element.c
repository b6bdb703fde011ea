/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rest data of trilinear hexahedra, and the formulas of a single element. */
#include "components/solidmechanics/fem/hexa_element.h"

#include <float.h>
#include <string.h>
#include "math/polar.h"
#include "math/vec.h"

/* Signs of the nodes in (xi, eta, zeta). */
static const double node_sign[8][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                       {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};
/* Pairs (from, to) of nodes along each direction. */
static const uint8_t parallel_edges[3][4][2] = {{{0, 1}, {3, 2}, {4, 5}, {7, 6}},
                                                {{0, 3}, {1, 2}, {4, 7}, {5, 6}},
                                                {{0, 4}, {1, 5}, {3, 7}, {2, 6}}};

void sofa_hexa_mean_edges(const double *p, double *m) {
  for (int d = 0; d < 3; d++) {
    double sum[3] = {0};
    for (int k = 0; k < 4; k++) {
      double e[3];
      sofa_vec3_sub(p + 3 * parallel_edges[d][k][1], p + 3 * parallel_edges[d][k][0], e);
      sofa_vec3_add(sum, e, sum);
    }
    sofa_vec3_scale(0.25, sum, m + 3 * d);
  }
}

void sofa_hexa_frame(SofaHexaMethod method, const double *p, double *r) {
  double m[9];
  sofa_hexa_mean_edges(p, m);
  if (method == SOFA_HEXA_SMALL) sofa_mat3_identity(r);
  else if (method == SOFA_HEXA_LARGE) sofa_mat3_frame(m, m + 3, r);
  else sofa_polar(m, r, NULL);
}

bool sofa_hexa_is_parallelepiped(const double *p) {
  double lx[3], lz[3], ly2[3];
  sofa_vec3_sub(p + 3, p, lx);
  sofa_vec3_sub(p + 12, p, lz);
  // node 2 against node 3 displaced along x
  sofa_vec3_add(p + 9, lx, ly2);
  if (!(sofa_vec3_distance(ly2, p + 6) < 0.001 * sofa_vec3_norm(lx))) return false;
  // the upper face against the lower one displaced along z
  for (int n = 0; n < 4; n++) {
    double upper[3];
    sofa_vec3_add(p + 3 * n, lz, upper);
    if (!(sofa_vec3_distance(upper, p + 12 + 3 * n) < 0.001 * sofa_vec3_norm(lz))) return false;
  }
  return true;
}

/* Derivatives of the shape functions in reference coordinates at g: d[node][axis]. */
static void shape_derivatives(const double *g, double d[8][3]) {
  for (int n = 0; n < 8; n++) {
    const double *s = node_sign[n];
    const double f[3] = {1 + s[0] * g[0], 1 + s[1] * g[1], 1 + s[2] * g[2]};
    d[n][0] = 0.125 * s[0] * f[1] * f[2];
    d[n][1] = 0.125 * s[1] * f[0] * f[2];
    d[n][2] = 0.125 * s[2] * f[0] * f[1];
  }
}

/* J of a parallelepiped: columns are half its edges. */
static void constant_jacobian(const double *p, double *j) {
  static const int ends[3] = {1, 3, 4};
  for (int d = 0; d < 3; d++) {
    for (int i = 0; i < 3; i++) j[3 * i + d] = 0.5 * (p[3 * ends[d] + i] - p[i]);
  }
}

/* J = dx / d(xi, eta, zeta) at a point with shape derivatives d. */
static void jacobian(const double *p, double d[8][3], double *j) {
  memset(j, 0, 9 * sizeof *j);
  for (int n = 0; n < 8; n++) {
    for (int i = 0; i < 9; i++) j[i] += p[3 * n + i / 3] * d[n][i % 3];
  }
}

/* k_ab += w (lambda g_a g_b^T + mu (g_b g_a^T + (g_a . g_b) I)): one Gauss point's part of the
 * upper triangle of blocks. */
static void add_gauss_point(double g[8][3], double lambda, double mu, double *k) {
  for (int a = 0; a < 8; a++) {
    for (int b = a; b < 8; b++) {
      const double diagonal = mu * sofa_vec3_dot(g[a], g[b]);
      for (int i = 0; i < 3; i++) {
        double *row = k + 24 * (3 * a + i) + 3 * b;
        for (int j = 0; j < 3; j++) row[j] += lambda * g[a][i] * g[b][j] + mu * g[b][i] * g[a][j];
        row[i] += diagonal;
      }
    }
  }
}

void sofa_hexa_stiffness(const double *p, double lambda, double mu, double factor, double *k,
                         double *det_min) {
  const bool constant = sofa_hexa_is_parallelepiped(p);
  const double gauss = 1 / sqrt(3);
  double smallest = DBL_MAX;
  memset(k, 0, 576 * sizeof *k);
  for (int q = 0; q < 8; q++) {
    double g[8][3], d[8][3], j[9], inverse[9], det;
    const double at[3] = {q & 1 ? gauss : -gauss, q & 2 ? gauss : -gauss, q & 4 ? gauss : -gauss};
    shape_derivatives(at, d);
    if (constant) constant_jacobian(p, j);
    else jacobian(p, d, j);
    if (!sofa_mat3_inverse(j, inverse, &det)) {
      smallest = 0;
      continue;
    }
    // gradients in space: J^-T d
    for (int n = 0; n < 8; n++) sofa_mat3_apply_t(inverse, d[n], g[n]);
    add_gauss_point(g, lambda * det * factor, mu * det * factor, k);
    smallest = det < smallest ? det : smallest;
  }
  // lower triangle
  for (int r = 0; r < 24; r++) {
    for (int s = 0; s < r / 3 * 3; s++) k[24 * r + s] = k[24 * s + r];
  }
  if (det_min) *det_min = smallest;
}

/* ---- batches ---- */

static SofaErr allocate(SofaContext *ctx, int threads, SofaHexaBatch *b) {
  b->n_groups = (b->n + SOFA_LANES - 1) / SOFA_LANES;
  const size_t n = b->n_groups ? b->n_groups : 1;
  if (!(b->vertices = sofa_alloc(ctx, 8 * b->n + 1, sizeof *b->vertices))) return SOFA_ERR_MEMORY;
  if (!(b->groups = sofa_alloc(ctx, n, sizeof *b->groups))) return SOFA_ERR_MEMORY;
  if (!(b->rotation = sofa_alloc(ctx, n, sizeof *b->rotation))) return SOFA_ERR_MEMORY;
  if (threads > 1 && !(b->force = sofa_alloc(ctx, n, sizeof *b->force))) return SOFA_ERR_MEMORY;
  return SOFA_OK;
}

static void fill_lane(SofaHexaBatch *b, size_t e, const double *p) {
  SofaHexaGroup *group = &b->groups[e / SOFA_LANES];
  const size_t l = e % SOFA_LANES;
  double r[9], q[3];
  sofa_hexa_frame(b->method, p, r);
  for (int k = 0; k < 9; k++) b->rotation[e / SOFA_LANES][k][l] = r[k];
  for (int n = 0; n < 8; n++) {
    sofa_mat3_apply(r, p + 3 * n, q);
    for (int i = 0; i < 3; i++) group->q[3 * n + i][l] = q[i];
  }
}

SofaErr sofa_hexa_batch_create(SofaContext *ctx, SofaHexaMethod method, const SofaHexa *hexas,
                               size_t n, const double *rest, size_t n_points, int threads,
                               SofaHexaBatch *out) {
  SofaErr err = SOFA_OK;
  *out = (SofaHexaBatch){.method = method, .n = n, .n_points = n_points};
  SOFA_GO(err, done, allocate(ctx, threads, out));
  for (size_t e = 0; e < out->n_groups * SOFA_LANES; e++) {
    const size_t from = e < n ? e : n - 1;
    double p[24];
    for (int k = 0; k < 8; k++) {
      const uint32_t v = hexas[from].v[k];
      out->vertices[8 * from + (size_t)k] = v;
      out->groups[e / SOFA_LANES].v[k][e % SOFA_LANES] = v;
      sofa_vec3_copy(rest + 3 * (size_t)v, p + 3 * k);
    }
    fill_lane(out, e, p);
  }
  SOFA_GO(err, done, sofa_element_pairs_create(ctx, n, 8, out->vertices, n_points, &out->pairs));
  SOFA_GO(
      err, done,
      sofa_elements_around(ctx, n, 8, out->vertices, n_points, &out->around_start, &out->around));
  out->blocks = sofa_alloc(ctx, 9 * out->pairs.n + 1, sizeof *out->blocks);
  if (!out->blocks) err = SOFA_ERR_MEMORY;
done:
  if (err != SOFA_OK) sofa_hexa_batch_free(ctx, out);
  return err;
}

void sofa_hexa_batch_free(SofaContext *ctx, SofaHexaBatch *b) {
  sofa_element_pairs_free(ctx, &b->pairs);
  sofa_free(ctx, b->vertices);
  sofa_free(ctx, b->groups);
  sofa_free(ctx, b->rotation);
  sofa_free(ctx, b->force);
  sofa_free(ctx, b->around_start);
  sofa_free(ctx, b->around);
  sofa_free(ctx, b->blocks);
  *b = (SofaHexaBatch){0};
}

void sofa_hexa_batch_stiffness(SofaHexaBatch *batch, size_t element, const double *k) {
  SofaHexaGroup *group = &batch->groups[element / SOFA_LANES];
  int entry = 0;
  for (int a = 0; a < 8; a++) {
    for (int b = a; b < 8; b++) {
      for (int i = 0; i < 9; i++)
        group->k[entry++][element % SOFA_LANES] = k[24 * (3 * a + i / 3) + 3 * b + i % 3];
    }
  }
}

void sofa_hexa_batch_rest(const SofaHexaBatch *batch, size_t element, double *q) {
  const SofaHexaGroup *group = &batch->groups[element / SOFA_LANES];
  for (int k = 0; k < 24; k++) q[k] = group->q[k][element % SOFA_LANES];
}

/* 1/2 d . K d of the element in lane l of a group. */
static double lane_energy(const SofaHexaGroup *group, size_t l, const double *d) {
  double energy = 0;
  int entry = 0;
  for (int a = 0; a < 8; a++) {
    for (int b = a; b < 8; b++) {
      double product = 0;
      for (int i = 0; i < 9; i++, entry++)
        product += d[3 * a + i / 3] * group->k[entry][l] * d[3 * b + i % 3];
      energy += a == b ? 0.5 * product : product;
    }
  }
  return energy;
}

double sofa_hexa_energy(const SofaHexaBatch *batch, const double *x) {
  double energy = 0;
  for (size_t e = 0; e < batch->n; e++) {
    const SofaHexaGroup *group = &batch->groups[e / SOFA_LANES];
    double p[24], d[24], r[9], local[3];
    for (int n = 0; n < 8; n++)
      sofa_vec3_copy(x + 3 * (size_t)batch->vertices[8 * e + (size_t)n], p + 3 * n);
    sofa_hexa_frame(batch->method, p, r);
    for (int n = 0; n < 8; n++) {
      sofa_mat3_apply(r, p + 3 * n, local);
      for (int i = 0; i < 3; i++) d[3 * n + i] = group->q[3 * n + i][e % SOFA_LANES] - local[i];
    }
    energy += lane_energy(group, e % SOFA_LANES, d);
  }
  return energy;
}
