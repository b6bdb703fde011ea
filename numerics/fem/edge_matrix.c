/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/fem/edge_matrix.h"

#include "math/vec.h"
#include "numerics/fem/edge_kernels.h"
#include "numerics/fem/pair_assembly.h"

void sofa_edge_matrix_free(SofaContext *ctx, SofaEdgeMatrix *m) {
  sofa_element_pairs_free(ctx, &m->pairs);
  sofa_list_free(ctx, &m->start);
  sofa_list_free(ctx, &m->blocks);
  sofa_list_free(ctx, &m->rest);
}

static SofaErr make_lists(SofaContext *ctx, const double *rest, SofaEdgeMatrix *m) {
  // a point of an element has a pair with itself, hence the last row is that of the last point
  const size_t n = m->pairs.n ? (size_t)m->pairs.row[m->pairs.n - 1] + 1 : 0;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->blocks, 9 * m->pairs.n + 1));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->rest, 3 * n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->start, n + 1));
  sofa_zero(m->blocks.data, m->blocks.n * sizeof *m->blocks.data);
  sofa_copy(m->rest.data, rest, m->rest.n * sizeof *rest);
  size_t p = 0;
  for (size_t i = 0; i <= n; i++) {
    while (p < m->pairs.n && m->pairs.row[p] < i) p++;
    m->start.data[i] = (uint32_t)p;
  }
  return SOFA_OK;
}

SofaErr sofa_edge_matrix_create(SofaContext *ctx, SofaElements elements, const double *rest,
                                size_t n_points, SofaEdgeMatrix *out) {
  *out = (SofaEdgeMatrix){.start = {0}};
  SOFA_TRY(sofa_element_pairs_create(ctx, elements, n_points, SOFA_PAIRS_SLOTS, &out->pairs));
  const SofaErr err = make_lists(ctx, rest, out);
  if (err != SOFA_OK) sofa_edge_matrix_free(ctx, out);
  return err;
}

void sofa_edge_matrix_add(SofaEdgeMatrix *m, size_t element, unsigned a, unsigned b,
                          const double *block) {
  const unsigned n = m->pairs.n_nodes, low = a < b ? a : b, high = a < b ? b : a;
  const uint32_t *slots = m->pairs.slot + element * sofa_element_pairs_local(n);
  const uint32_t slot = slots[low * n - low * (low + 1) / 2 + high];
  double turned[9];
  if ((slot & 3) == SOFA_PAIR_BOTH) return; // one point: it does not move against itself
  if ((a > b) != ((slot & 3) == SOFA_PAIR_TRANSPOSED)) sofa_mat3_transpose(block, turned);
  else sofa_mat3_copy(block, turned);
  sofa_mat3_axpy(1, turned, m->blocks.data + 9 * (size_t)(slot >> 2));
}

/* A point's own block is the first one of its row. */
void sofa_edge_matrix_finish(SofaEdgeMatrix *m) {
  double *blocks = m->blocks.data, transposed[9];
  for (size_t p = 0; p < m->pairs.n; p++) {
    const uint32_t i = m->pairs.row[p], j = m->pairs.column[p];
    if (i == j) continue;
    sofa_mat3_axpy(-1, blocks + 9 * p, blocks + 9 * (size_t)m->start.data[i]);
    sofa_mat3_transpose(blocks + 9 * p, transposed);
    sofa_mat3_axpy(-1, transposed, blocks + 9 * (size_t)m->start.data[j]);
  }
}

SofaErr sofa_edge_matrix_multiply(SofaContext *ctx, const SofaEdgeMatrix *m, double factor,
                                  const double *x, const double *origin, double *f) {
  const size_t n = m->rest.n / 3;
  const SofaEdgeRows rows = {n, m->start.data, m->pairs.column, m->blocks.data};
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *moved = SOFA_SCRATCH(ctx, double, 8 * n + 1);
  if (moved) {
    double *sums = moved + 4 * n;
    sofa_zero(sums, 4 * n * sizeof *sums);
    for (size_t i = 0; i < n; i++) {
      for (size_t c = 0; c < 3; c++)
        moved[4 * i + c] = x[3 * i + c] - (origin ? origin[3 * i + c] : 0);
      moved[4 * i + 3] = 0;
    }
    sofa_edge_kernels(ctx)->product(&rows, factor, moved, sums, f);
  }
  sofa_scratch_release(ctx, mark);
  return moved ? SOFA_OK : SOFA_ERR_MEMORY;
}

void sofa_edge_matrix_add_k(const SofaContext *ctx, SofaEdgeMatrix *m, const SofaTangent *tangent) {
  const SofaPairBlocks source = {.dim = 3, .blocks = m->blocks.data};
  if (m->pairs.n) sofa_pairs_add(ctx, &m->pairs, &source, tangent);
}

double sofa_edge_matrix_energy(const SofaEdgeMatrix *m, const double *x, const double *rest) {
  double twice = 0;
  for (size_t p = 0; p < m->pairs.n; p++) {
    const size_t a = 3 * (size_t)m->pairs.row[p], b = 3 * (size_t)m->pairs.column[p];
    const double *block = m->blocks.data + 9 * p;
    double ua[3], ub[3], u[3], f[3];
    if (a == b) continue;
    sofa_vec3_sub(x + a, rest + a, ua);
    sofa_vec3_sub(x + b, rest + b, ub);
    sofa_vec3_sub(ub, ua, u);
    sofa_mat3_apply(block, u, f);
    twice -= sofa_vec3_dot(ua, f);
    sofa_mat3_apply_t(block, u, f);
    twice += sofa_vec3_dot(ub, f);
  }
  return twice / 2;
}
