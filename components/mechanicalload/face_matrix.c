/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The matrix of triangles under pressure by their edges.
 *
 * The corners of a triangle a b c get the same vector, which changes by the sum of e_p x dx_p over
 * the corners p, where e_p is the edge opposite p: e_a + e_b + e_c = 0. With [e] v = e x v the
 * block of row i and column j is [e_j]. On the edge from i to j it is the mean B = [e_j - e_i] / 2
 * of itself and the transpose of that of row j and column i, less [x_j - x_i] / 2. The latter is
 * the same in row j and column i, and the triangle on the other side has the edge in reverse: what
 * is not symmetric is left at open edges alone. */
#include "components/mechanicalload/face_matrix.h"

#include "base/bytes.h"

void face_matrix_free(SofaContext *ctx, FaceMatrix *matrix) {
  sofa_list_free(ctx, &matrix->ends);
  sofa_list_free(ctx, &matrix->open);
  sofa_edge_assembly_free(ctx, &matrix->edges);
}

/* ---- lists ---- */

static bool is_of(const FaceMatrix *matrix, const SofaTriangles *triangles) {
  uint32_t differs = 0;
  if (matrix->ends.n != 6 * triangles->n) return false;
  for (size_t t = 0; t < triangles->n; t++)
    for (size_t c = 0; c < 3; c++)
      differs |= matrix->ends.data[6 * t + 2 * c] ^ triangles->data[t].v[c];
  return !differs;
}

/* An edge of a triangle, lower point first; reverse: it goes from the other one. */
typedef struct HalfEdge {
  uint32_t low, high, number;
  bool reverse;
} HalfEdge;

static int by_ends(const void *a, const void *b) {
  const HalfEdge *l = a, *r = b;
  if (l->low != r->low) return l->low < r->low ? -1 : 1;
  if (l->high != r->high) return l->high < r->high ? -1 : 1;
  return l->number < r->number ? -1 : l->number > r->number;
}

/* Appends those of n edges between two points that are left when others take each other away. */
static SofaErr append_open(SofaContext *ctx, const HalfEdge *edges, size_t n, SofaIndices *open) {
  size_t reverse = 0;
  for (size_t k = 0; k < n; k++) reverse += edges[k].reverse;
  const bool which = 2 * reverse > n;
  size_t left = which ? 2 * reverse - n : n - 2 * reverse;
  if (edges[0].low == edges[0].high) return SOFA_OK;
  for (size_t k = 0; k < n && left; k++) {
    if (edges[k].reverse != which) continue;
    SOFA_TRY(SOFA_APPEND(ctx, open, &edges[k].number));
    left--;
  }
  return SOFA_OK;
}

static SofaErr list_open(SofaContext *ctx, HalfEdge *edges, size_t n, SofaIndices *open) {
  open->n = 0;
  sofa_sort(edges, n, sizeof *edges, by_ends);
  for (size_t k = 0, end; k < n; k = end) {
    for (end = k; end < n && edges[end].low == edges[k].low && edges[end].high == edges[k].high;)
      end++;
    SOFA_TRY(append_open(ctx, edges + k, end - k, open));
  }
  return SOFA_OK;
}

static SofaErr make_lists(SofaContext *ctx, const SofaTriangles *triangles, FaceMatrix *matrix) {
  const size_t n = 3 * triangles->n;
  matrix->ends.n = 0;
  if (n > UINT32_MAX / 2) return SOFA_ERR_MEMORY;
  HalfEdge *edges = sofa_alloc(ctx, n + 1, sizeof *edges);
  SofaErr err = edges ? SOFA_RESIZE(ctx, &matrix->ends, 2 * n) : SOFA_ERR_MEMORY;
  for (size_t k = 0; err == SOFA_OK && k < n; k++) {
    const uint32_t *v = triangles->data[k / 3].v, from = v[k % 3], to = v[(k + 1) % 3];
    matrix->ends.data[2 * k] = from;
    matrix->ends.data[2 * k + 1] = to;
    edges[k] = (HalfEdge){from < to ? from : to, from < to ? to : from, (uint32_t)k, from > to};
  }
  if (err == SOFA_OK) err = list_open(ctx, edges, n, &matrix->open);
  if (err != SOFA_OK) matrix->ends.n = 0;
  sofa_free(ctx, edges);
  return err;
}

/* ---- blocks ---- */

typedef struct FaceBlocks {
  const SofaFaceKernels *kernels;
  FaceTangent of;
} FaceBlocks;

static void make_blocks(void *user, size_t begin, size_t end, double *blocks) {
  const FaceBlocks *source = user;
  source->kernels->blocks(begin, end, source->of.factor, source->of.kept, blocks);
}

/* -[x_j - x_i] / 2 of an edge from i to j in both rows. */
static void add_open(const FaceMatrix *matrix, uint32_t number, FaceTangent of) {
  const uint32_t *v = matrix->ends.data + 2 * (size_t)number;
  double along[3], ac[3], block[9], minus[9];
  face_kept_edges(of.kept, number / 3, along, ac);
  if (number % 3 == 1) sofa_vec3_sub(ac, along, along);
  if (number % 3 == 2) sofa_vec3_scale(-1, ac, along);
  sofa_vec3_scale(-of.factor / 2, along, along);
  sofa_mat3_cross(along, block);
  for (int e = 0; e < 9; e++) minus[e] = -block[e];
  sofa_tangent_add(of.tangent, 0, v[0], 0, v[1], block);
  sofa_tangent_add(of.tangent, 0, v[1], 0, v[0], block);
  sofa_tangent_add(of.tangent, 0, v[0], 0, v[0], minus);
  sofa_tangent_add(of.tangent, 0, v[1], 0, v[1], minus);
}

SofaErr face_matrix_add(const SofaForceField *ff, FaceMatrix *matrix,
                        const SofaTriangles *triangles, FaceTangent of) {
  SofaContext *ctx = ff->object.ctx;
  const SofaFaceKernels *kernels = face_kernels(ff);
  if (!kernels || of.tangent->by_points) {
    face_add_blocks(ff, triangles, of);
    return SOFA_OK;
  }
  if (!is_of(matrix, triangles)) SOFA_TRY(make_lists(ctx, triangles, matrix));
  const SofaEdgeList edges = {
      .ends = matrix->ends.data, .stride = 2, .n = 3 * triangles->n, .per_element = 3};
  FaceBlocks blocks = {kernels, of};
  const SofaEdgeBlocks source = {make_blocks, &blocks};
  SOFA_TRY(sofa_edge_assembly_follow(ctx, edges, load_n_points(ff), &matrix->edges));
  sofa_edge_assembly_add(ctx, matrix->edges, &source, of.tangent);
  for (size_t k = 0; k < matrix->open.n; k++) add_open(matrix, matrix->open.data[k], of);
  return SOFA_OK;
}
