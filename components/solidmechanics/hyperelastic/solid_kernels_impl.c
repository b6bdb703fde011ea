/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces and stiffness blocks of hyperelastic elements with quadrature, compiled once per
 * instruction set with KERNELS_ISA naming it; formulas in solid_batch.h.
 *
 * One thread adds the elements to points and pairs directly; several store what elements give and
 * gather it in the order of the elements, which gives the same bits. */
#include <string.h>
#include "components/solidmechanics/fem/lane_points.h"
#include "components/solidmechanics/hyperelastic/hyper_lanes.h"
#include "components/solidmechanics/hyperelastic/solid_kernels.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

enum {
  PARALLEL_MIN_GROUPS = 4, /* fewer: threads cost more than they give */
  MAX_NODES = SOFA_SHAPE_MAX_NODES,
  MAX_PAIRS = MAX_NODES * (MAX_NODES + 1) / 2
};

/* S and D of the lanes of a quadrature point. */
typedef struct Response {
  double s[6][SOFA_LANES];
  double d[21][SOFA_LANES]; /* rows of the upper triangle of D */
} Response;

static bool parallel(const SofaSolidBatch *b, int threads) {
  return threads > 1 && b->force && b->n_groups >= PARALLEL_MIN_GROUPS;
}

/* Stress of `count` lanes with deformation gradients f, and with `tangent` D. Returns the first
 * lane where the material is not defined, or `count`. */
ALWAYS size_t respond(const SofaSolidLaw *law, const double (*f)[SOFA_LANES], size_t count,
                      bool tangent, Response *r) {
  for (size_t l = 0; l < SOFA_LANES; l++) {
    SofaDeformation x;
    double s[6] = {0}, d[36] = {0};
    if (l < count) {
      for (int k = 0; k < 9; k++) x.f[k] = f[k][l];
      if (!sofa_deformation(law->material, &x)) return l;
      law->material->stress(law->p, 0, &x, s, tangent ? d : NULL);
    }
    for (int k = 0; k < 6; k++) r->s[k][l] = s[k];
    if (!tangent) continue;
    for (int i = 0, k = 0; i < 6; i++) {
      for (int j = i; j < 6; j++) r->d[k++][l] = d[6 * i + j];
    }
  }
  return count;
}

/* ---- forces ---- */

/* F of lanes from the positions of nodes 1 .. relative to node 0. */
ALWAYS void deform(size_t nodes, const Lanes (*u)[3], const double (*g)[SOFA_LANES], int s,
                   double (*f)[SOFA_LANES]) {
  Lanes sum[9];
  for (int k = 0; k < 9; k++) sum[k] = lanes_set(0);
  for (size_t n = 1; n < nodes; n++) {
    for (int k = 0; k < 3; k++) {
      const Lanes slope = lanes_load(g[3 * n + (size_t)k] + s);
      for (int i = 0; i < 3; i++) sum[3 * i + k] = lanes_madd(u[n][i], slope, sum[3 * i + k]);
    }
  }
  for (int k = 0; k < 9; k++) lanes_store(f[k] + s, sum[k]);
}

/* force -= w F S g */
ALWAYS void add_stress(size_t nodes, const double (*f)[SOFA_LANES], const Response *r,
                       const double *volume, const double (*g)[SOFA_LANES], int s,
                       Lanes (*force)[3]) {
  const Lanes w = -lanes_load(volume + s);
  Lanes p[9];
  for (int i = 0; i < 3; i++) {
    Lanes row[3];
    for (int k = 0; k < 3; k++) row[k] = w * lanes_load(f[3 * i + k] + s);
    stress_apply(r->s, s, row, p + 3 * i);
  }
  for (size_t n = 0; n < nodes; n++) {
    Lanes slope[3];
    for (size_t k = 0; k < 3; k++) slope[k] = lanes_load(g[3 * n + k] + s);
    for (int i = 0; i < 3; i++)
      force[n][i] = lanes_madd(
          p[3 * i + 2], slope[2],
          lanes_madd(p[3 * i + 1], slope[1], lanes_madd(p[3 * i], slope[0], force[n][i])));
  }
}

/* Forces of the elements of a group, 3 nodes rows of lanes; returns the first bad lane. */
ALWAYS size_t group_force(SofaSolidBatch *b, const SofaSolidLaw *law, size_t nodes, size_t gauss,
                          size_t group, const double *x, double (*out)[SOFA_LANES]) {
  const size_t count = lanes_in_group(b->n, group);
  double(*f)[SOFA_LANES] = b->f + 9 * gauss * group;
  const double(*g)[SOFA_LANES] =
      (const double(*)[SOFA_LANES])(b->gradient + 3 * nodes * gauss * group);
  for (int s = 0; s < SOFA_LANES; s += LANES) {
    Lanes u[MAX_NODES][3];
    for (size_t n = 0; n < nodes; n++) {
      load_node(b->v[nodes * group + n] + s, x, u[n]);
      for (int i = 0; n && i < 3; i++) u[n][i] = u[n][i] - u[0][i];
    }
    for (size_t q = 0; q < gauss; q++)
      deform(nodes, (const Lanes(*)[3])u, g + 3 * nodes * q, s, f + 9 * q);
  }
  Response r[8];
  size_t bad = count;
  for (size_t q = 0; q < gauss; q++) {
    const size_t found =
        respond(law, (const double(*)[SOFA_LANES])(f + 9 * q), count, false, &r[q]);
    if (found < bad) bad = found;
  }
  if (bad < count) return bad;
  for (int s = 0; s < SOFA_LANES; s += LANES) {
    Lanes force[MAX_NODES][3];
    for (size_t n = 0; n < nodes; n++) {
      for (int i = 0; i < 3; i++) force[n][i] = lanes_set(0);
    }
    for (size_t q = 0; q < gauss; q++)
      add_stress(nodes, (const double(*)[SOFA_LANES])(f + 9 * q), &r[q],
                 b->volume[gauss * group + q], g + 3 * nodes * q, s, force);
    for (size_t n = 0; n < nodes; n++) {
      for (size_t i = 0; i < 3; i++) lanes_store(out[3 * n + i] + s, force[n][i]);
    }
  }
  return count;
}

ALWAYS size_t force_of(SofaSolidBatch *b, const SofaSolidLaw *law, int threads, size_t nodes,
                       size_t gauss, const double *x, double *f) {
  size_t bad = b->n;
  if (parallel(b, threads)) {
#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : bad)
    for (size_t i = 0; i < b->n_groups; i++) {
      const size_t lane = group_force(b, law, nodes, gauss, i, x, b->force + 3 * nodes * i);
      if (lane < lanes_in_group(b->n, i) && SOFA_LANES * i + lane < bad)
        bad = SOFA_LANES * i + lane;
    }
    if (bad == b->n)
      gather(threads, b->n_points, nodes, 3, b->around_start, b->around, (const double *)b->force,
             f);
    return bad;
  }
  for (size_t i = 0; i < b->n_groups; i++) {
    double force[3 * MAX_NODES][SOFA_LANES];
    const size_t count = lanes_in_group(b->n, i);
    const size_t lane = group_force(b, law, nodes, gauss, i, x, force);
    if (lane < count) return SOFA_LANES * i + lane;
    scatter(nodes, 3, (const uint32_t(*)[SOFA_LANES])(b->v + nodes * i),
            (const double(*)[SOFA_LANES])force, count, f);
  }
  return bad;
}

static size_t solid_force(SofaSolidBatch *b, const SofaSolidLaw *law, int threads, const double *x,
                          double *f) {
  if (b->shape == SOFA_SHAPE_HEXA) return force_of(b, law, threads, 8, 8, x, f);
  return force_of(b, law, threads, 4, 1, x, f);
}

/* ---- stiffness blocks ---- */

/* to += w (geometric I + B_n^T DB) */
ALWAYS void add_block_of(Lanes w, Lanes geometric, const Lanes *b, const Lanes *db,
                         double (*to)[SOFA_LANES], int s) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      Lanes sum = b[i] * db[j];
      for (int k = 1; k < 6; k++) sum = lanes_madd(b[3 * k + i], db[3 * k + j], sum);
      if (i == j) sum = sum + geometric;
      double *at = to[3 * i + j] + s;
      lanes_store(at, lanes_madd(w, sum, lanes_load(at)));
    }
  }
}

/* Adds the blocks of a quadrature point. */
ALWAYS void point_blocks(size_t nodes, const double (*f)[SOFA_LANES], const Response *r,
                         const double *volume, const double (*gradient)[SOFA_LANES], int s,
                         double (*to)[SOFA_LANES]) {
  const Lanes w = -lanes_load(volume + s);
  Lanes deformation[9], g[MAX_NODES][3], b[MAX_NODES][18], db[18], traction[3];
  for (int k = 0; k < 9; k++) deformation[k] = lanes_load(f[k] + s);
  for (size_t n = 0; n < nodes; n++) {
    for (size_t k = 0; k < 3; k++) g[n][k] = lanes_load(gradient[3 * n + k] + s);
    strain_of_move(deformation, g[n], b[n]);
  }
  for (size_t m = 0; m < nodes; m++) {
    law_apply(r->d, s, b[m], db);
    stress_apply(r->s, s, g[m], traction);
    for (size_t n = 0; n <= m; n++) {
      const size_t pair = n * (2 * nodes - n + 1) / 2 + m - n;
      add_block_of(w, lanes_dot3(g[n], traction), b[n], db, to + 9 * pair, s);
    }
  }
}

/* Blocks of a group, 9 n_pairs rows of lanes; returns the first bad lane. */
ALWAYS size_t group_blocks(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t nodes,
                           size_t gauss, size_t group, double (*out)[SOFA_LANES]) {
  const size_t count = lanes_in_group(b->n, group);
  memset(out, 0, 9 * b->n_pairs * sizeof *out);
  for (size_t q = 0; q < gauss; q++) {
    const size_t at = gauss * group + q;
    const double(*f)[SOFA_LANES] = (const double(*)[SOFA_LANES])(b->f + 9 * at);
    Response r;
    const size_t bad = respond(law, f, count, true, &r);
    if (bad < count) return bad;
    for (int s = 0; s < SOFA_LANES; s += LANES)
      point_blocks(nodes, f, &r, b->volume[at],
                   (const double(*)[SOFA_LANES])(b->gradient + 3 * nodes * at), s, out);
  }
  return count;
}

/* Blocks of pairs from those of all groups, in the order of the elements. */
static void gather_blocks(SofaSolidBatch *b, int threads) {
  const size_t rows = 9 * b->n_pairs;
#pragma omp parallel for schedule(static) num_threads(threads)
  for (size_t p = 0; p < b->pairs.n; p++) {
    double *to = b->blocks + 9 * p;
    memset(to, 0, 9 * sizeof *to);
    for (size_t k = b->pairs.start[p]; k < b->pairs.start[p + 1]; k++) {
      const SofaPairPart part = b->pairs.part[k];
      const bool transposed = part.row_node > part.column_node;
      const size_t low = transposed ? part.column_node : part.row_node;
      const size_t high = transposed ? part.row_node : part.column_node;
      const size_t pair = low * (2 * b->n_nodes - low + 1) / 2 + high - low;
      const double(*from)[SOFA_LANES] =
          (const double(*)[SOFA_LANES])(b->group_blocks + part.element / SOFA_LANES * rows);
      add_turned(3, from + 9 * pair, part.element % SOFA_LANES,
                 transposed ? SOFA_PAIR_TRANSPOSED : SOFA_PAIR_STRAIGHT, to);
    }
  }
}

ALWAYS size_t blocks_of(SofaSolidBatch *b, const SofaSolidLaw *law, int threads, size_t nodes,
                        size_t gauss) {
  const size_t rows = 9 * b->n_pairs;
  size_t bad = b->n;
  if (parallel(b, threads)) {
#pragma omp parallel for schedule(static) num_threads(threads) reduction(min : bad)
    for (size_t i = 0; i < b->n_groups; i++) {
      const size_t lane = group_blocks(b, law, nodes, gauss, i, b->group_blocks + rows * i);
      if (lane < lanes_in_group(b->n, i) && SOFA_LANES * i + lane < bad)
        bad = SOFA_LANES * i + lane;
    }
    if (bad == b->n) gather_blocks(b, threads);
    return bad;
  }
  const uint32_t *slot = b->pairs.slot;
  memset(b->blocks, 0, 9 * b->pairs.n * sizeof *b->blocks);
  for (size_t i = 0; i < b->n_groups; i++) {
    double group[9 * MAX_PAIRS][SOFA_LANES];
    const size_t count = lanes_in_group(b->n, i);
    const size_t lane = group_blocks(b, law, nodes, gauss, i, group);
    if (lane < count) return SOFA_LANES * i + lane;
    for (size_t l = 0; l < count; l++) {
      for (size_t k = 0; k < b->n_pairs; k++, slot++)
        add_turned(3, (const double(*)[SOFA_LANES])group + 9 * k, l, *slot & 3,
                   b->blocks + 9 * (size_t)(*slot >> 2));
    }
  }
  return bad;
}

static size_t solid_blocks(SofaSolidBatch *b, const SofaSolidLaw *law, int threads) {
  if (b->shape == SOFA_SHAPE_HEXA) return blocks_of(b, law, threads, 8, 8);
  return blocks_of(b, law, threads, 4, 1);
}

extern const SofaSolidKernels CAT(sofa_solid_kernels_, KERNELS_ISA);
const SofaSolidKernels CAT(sofa_solid_kernels_, KERNELS_ISA) = {.force = solid_force,
                                                                .blocks = solid_blocks};
