/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rest data of elements with a dense stiffness, and the formulas of a single element. */
#include "numerics/fem/element_batch.h"

#include <math.h>
#include <string.h>
#include "numerics/fem/element_kernels_impl.h"
#include "numerics/fem/pair_assembly.h"
#include "math/polar.h"
#include "math/vec.h"

/* ---- single elements ---- */

/* pairs (from, to) of nodes along each direction */
static const uint8_t edges[3][4][2] = {{{0, 1}, {3, 2}, {4, 5}, {7, 6}},
                                       {{0, 3}, {1, 2}, {4, 7}, {5, 6}},
                                       {{0, 4}, {1, 5}, {3, 7}, {2, 6}}};

void sofa_hexa_mean_edges(const double *p, double *m) {
  for (int d = 0; d < 3; d++) {
    double sum[3] = {0};
    for (int k = 0; k < 4; k++) {
      double e[3];
      sofa_vec3_sub(p + 3 * edges[d][k][1], p + 3 * edges[d][k][0], e);
      sofa_vec3_add(sum, e, sum);
    }
    sofa_vec3_scale(0.25, sum, m + 3 * d);
  }
}

/* Gradients at the center, 8 x 3: with rows m_d of mean edges at rest, F m_d is the edge now, hence
 * F = sum_d (edge d) (column d of m^-1)^T. */
static void center_gradients(const double *q, double *c) {
  double m[9], inverse[9], det;
  memset(c, 0, 24 * sizeof *c);
  sofa_hexa_mean_edges(q, m);
  if (!sofa_mat3_inverse(m, inverse, &det)) return;
  for (int d = 0; d < 3; d++) {
    for (int k = 0; k < 4; k++) {
      for (int j = 0; j < 3; j++) {
        c[3 * edges[d][k][1] + j] += 0.25 * inverse[3 * j + d];
        c[3 * edges[d][k][0] + j] -= 0.25 * inverse[3 * j + d];
      }
    }
  }
}

void sofa_plane_rotation(const double *m, bool reflect, double *r) {
  const double turn = reflect && m[0] * m[3] - m[1] * m[2] < 0 ? -1 : 1;
  // a rotation (c, -s; s, c) or a reflection (c, s; s, -c)
  double c = m[0] + turn * m[3], s = m[2] - turn * m[1];
  const double norm = sqrt(c * c + s * s);
  c = norm > 0 ? c / norm : 1;
  s = norm > 0 ? s / norm : 0;
  r[0] = c;
  r[1] = -turn * s;
  r[2] = s;
  r[3] = turn * c;
}

static void identity(unsigned dim, double *r) {
  for (unsigned i = 0; i < dim * dim; i++) r[i] = i % (dim + 1) == 0;
}

/* H^T = sum of q_n p_n^T, decomposed. */
static void moment_frame(unsigned n_nodes, unsigned dim, bool rotation, const double *q,
                         const double *p, double *r) {
  double m[9] = {0};
  for (unsigned n = 0; n < n_nodes; n++) {
    for (unsigned i = 0; i < dim; i++) {
      for (unsigned j = 0; j < dim; j++) m[dim * i + j] += q[dim * n + i] * (p[dim * n + j] - p[j]);
    }
  }
  if (dim == 1) r[0] = 1;
  else if (dim == 2) sofa_plane_rotation(m, !rotation, r);
  else if (rotation) sofa_polar_stable(m, r, NULL);
  else sofa_polar(m, r, NULL);
}

void sofa_element_frame(SofaShape shape, unsigned dim, SofaFrame frame, const double *q,
                        const double *p, double *r) {
  double m[9];
  switch (frame) {
  case SOFA_FRAME_FIXED:
    identity(dim, r);
    break;
  case SOFA_FRAME_EDGES:
    if (shape == SOFA_SHAPE_HEXA) {
      sofa_hexa_mean_edges(p, m);
    } else {
      sofa_vec3_sub(p + 3, p, m);
      sofa_vec3_sub(p + 6, p, m + 3);
    }
    sofa_mat3_frame(m, m + 3, r);
    break;
  case SOFA_FRAME_POLAR_EDGES:
    sofa_hexa_mean_edges(p, m);
    sofa_polar(m, r, NULL);
    break;
  default:
    moment_frame(sofa_shape_info(shape)->n_nodes, dim, frame == SOFA_FRAME_ROTATION, q, p, r);
  }
}

void sofa_element_rest_frame(SofaShape shape, unsigned dim, SofaFrame frame, const double *p,
                             double *r) {
  // at rest the matrices to decompose are symmetric and positive
  if (frame >= SOFA_FRAME_CENTER) identity(dim, r);
  else sofa_element_frame(shape, dim, frame, NULL, p, r);
}

/* ---- batches ---- */

static SofaErr allocate(SofaContext *ctx, SofaElementBatch *b) {
  b->n_groups = (b->n + SOFA_LANES - 1) / SOFA_LANES;
  const size_t n = b->n_groups + 1, size = b->n_nodes * b->dim, square = b->dim * b->dim;
  if (!(b->vertices = sofa_alloc(ctx, b->n_nodes * b->n, sizeof *b->vertices)) ||
      !(b->v = sofa_alloc(ctx, n * b->n_nodes, sizeof *b->v)) ||
      !(b->q = sofa_alloc(ctx, n * size, sizeof *b->q)) ||
      !(b->k = sofa_alloc(ctx, n * b->n_pairs * square, sizeof *b->k)) ||
      !(b->run = sofa_alloc(ctx, n, sizeof *b->run)) ||
      !(b->kind = sofa_alloc(ctx, n, sizeof *b->kind)) ||
      !(b->kinds = sofa_alloc(ctx, SOFA_ELEMENT_KINDS * b->n_pairs * square, sizeof *b->kinds)) ||
      !(b->mirror = sofa_alloc(ctx, SOFA_ELEMENT_KINDS * SOFA_MIRROR_SIZE, sizeof *b->mirror)) ||
      !(b->waves = sofa_alloc(ctx, SOFA_ELEMENT_KINDS * SOFA_MIRROR_WAVES, sizeof *b->waves)) ||
      !(b->rotation = sofa_alloc(ctx, n * square, sizeof *b->rotation)) ||
      (b->frame == SOFA_FRAME_CENTER && !(b->arm = sofa_alloc(ctx, n * size, sizeof *b->arm))))
    return SOFA_ERR_MEMORY;
  return SOFA_OK;
}

/* What a batch with a fixed frame has of its points. */
static SofaErr copy_rest(SofaContext *ctx, const SofaElementMesh *mesh, SofaElementBatch *b) {
  const size_t n = mesh->n_points * mesh->dim;
  if (b->frame != SOFA_FRAME_FIXED) return SOFA_OK;
  if (!(b->rest = sofa_alloc(ctx, n + 1, sizeof *b->rest)) ||
      !(b->moves = sofa_alloc(ctx, n + 1, sizeof *b->moves)))
    return SOFA_ERR_MEMORY;
  sofa_copy(b->rest, mesh->rest, n * sizeof *b->rest);
  return SOFA_OK;
}

/* Rest frame and rest positions in it of lane e from the rest positions of its element. */
static void fill_lane(SofaElementBatch *b, size_t e, const double *p) {
  const size_t g = e / SOFA_LANES, l = e % SOFA_LANES, dim = b->dim;
  double r[9], center[3] = {0}, c[24];
  sofa_element_rest_frame(b->shape, b->dim, b->frame, p, r);
  for (size_t k = 0; k < dim * dim; k++) b->rotation[g * dim * dim + k][l] = r[k];
  for (size_t k = 0; k < b->n_nodes * dim; k++) center[k % dim] += p[k] / b->n_nodes;
  for (size_t n = 0; n < b->n_nodes; n++) {
    for (size_t i = 0; i < dim; i++) {
      double sum = 0;
      for (size_t j = 0; j < dim; j++) sum += r[dim * i + j] * (p[dim * n + j] - center[j]);
      b->q[(g * b->n_nodes + n) * dim + i][l] = sum;
    }
  }
  if (!b->arm) return;
  center_gradients(p, c);
  for (size_t k = 0; k < 24; k++) b->arm[24 * g + k][l] = c[k];
}

enum { CHUNKS = 3 }; /* of blocks, for each thread */

SofaErr sofa_element_batch_late(SofaContext *ctx, SofaElementBatch *b, int threads) {
  sofa_late_blocks_free(ctx, &b->late);
  if (threads < 2 || b->dim != 3) return SOFA_OK;
  const SofaBlockOrder order = {.lanes = SOFA_LANES,
                                .local = b->in_order ? b->order : NULL,
                                .n = sofa_element_pairs_local(b->n_nodes),
                                .by_element = b->in_order};
  return sofa_late_blocks_create(ctx, &b->pairs, CHUNKS * (size_t)threads, &order, &b->late);
}

static void disconnect(SofaContext *ctx, SofaElementBatch *b) {
  sofa_element_pairs_free(ctx, &b->pairs);
  sofa_late_blocks_free(ctx, &b->late);
  sofa_pair_window_free(ctx, &b->window);
  sofa_element_sums_free(ctx, &b->sums);
}

enum { LEAST = 256 }; /* elements: fewer take less than the threads cost */

static SofaErr make_sums(SofaContext *ctx, SofaElementBatch *b) {
  const SofaSummed of = {.elements = {b->vertices, b->n, b->n_nodes},
                         .n_points = b->n_points,
                         .states = 1,
                         .width = b->dim,
                         .kind = SOFA_SUM_EACH,
                         .least = LEAST};
  return sofa_element_sums_create(ctx, &of, &b->sums);
}

static bool is_run(const uint32_t (*v)[SOFA_LANES], const uint8_t *ends) {
  for (size_t a = 0; a < SOFA_RUN_EDGES; a++) {
    const uint32_t *low = v[ends[a]], *high = v[ends[SOFA_RUN_EDGES + a]];
    for (uint32_t l = 0; l < SOFA_LANES; l++)
      if (low[l] != low[0] + l || high[l] != low[0] + l + 1) return false;
    for (size_t b = 0; b < a; b++) {
      const uint32_t other = v[ends[b]][0], own = low[0];
      if ((own > other ? own - other : other - own) <= SOFA_LANES) return false;
    }
  }
  return true;
}

/* The run of a full group of hexahedra. */
static uint8_t run_of(const uint32_t (*v)[SOFA_LANES]) {
  for (uint8_t axis = 0; axis < SOFA_RUN_AXES; axis++)
    if (is_run(v, sofa_run_ends[axis])) return (uint8_t)(axis + 1);
  return 0;
}

static void find_runs(SofaElementBatch *b) {
  const bool solid = b->shape == SOFA_SHAPE_HEXA && b->dim == 3;
  for (size_t g = 0; g < b->n_groups; g++) {
    const bool full = solid && (g + 1) * SOFA_LANES <= b->n;
    b->run[g] = full ? run_of((const uint32_t(*)[SOFA_LANES])(b->v + b->n_nodes * g)) : 0;
  }
}

SofaErr sofa_element_batch_connect(SofaContext *ctx, SofaElementBatch *b, int threads) {
  const SofaElements elements = {b->vertices, b->n, b->n_nodes};
  disconnect(ctx, b);
  find_runs(b);
  SOFA_TRY(sofa_element_pairs_create(ctx, elements, b->n_points, SOFA_PAIRS_SLOTS, &b->pairs));
  SOFA_TRY(sofa_element_batch_late(ctx, b, threads));
  if (threads > 1) return make_sums(ctx, b);
  return sofa_pair_window_create(ctx, &b->pairs, SOFA_LANES, b->dim * b->dim, &b->window);
}

SofaErr sofa_element_batch_create(SofaContext *ctx, const SofaElementMesh *mesh, SofaFrame frame,
                                  int threads, SofaElementBatch *out) {
  SofaErr err = SOFA_OK;
  const unsigned n_nodes = sofa_shape_info(mesh->shape)->n_nodes;
  const size_t dim = mesh->dim;
  *out = (SofaElementBatch){.shape = mesh->shape,
                            .frame = frame,
                            .dim = mesh->dim,
                            .n_nodes = n_nodes,
                            .n_pairs = sofa_element_pairs_local(n_nodes),
                            .n = mesh->n,
                            .n_points = mesh->n_points};
  SOFA_GO(err, done, allocate(ctx, out));
  SOFA_GO(err, done, copy_rest(ctx, mesh, out));
  for (size_t e = 0; e < out->n_groups * SOFA_LANES; e++) {
    const size_t from = e < mesh->n ? e : mesh->n - 1;
    double p[SOFA_DENSE_ROWS];
    for (size_t k = 0; k < n_nodes; k++) {
      const uint32_t v = mesh->vertices[n_nodes * from + k];
      out->vertices[n_nodes * from + k] = v;
      out->v[e / SOFA_LANES * n_nodes + k][e % SOFA_LANES] = v;
      sofa_copy(p + dim * k, mesh->rest + dim * v, dim * sizeof *p);
    }
    fill_lane(out, e, p);
  }
  SOFA_GO(err, done, sofa_element_batch_connect(ctx, out, threads));
  if (threads > 1) {
    out->blocks = sofa_alloc(ctx, dim * dim * out->pairs.n, sizeof *out->blocks);
    if (!out->blocks) err = SOFA_ERR_MEMORY;
  }
done:
  if (err != SOFA_OK) sofa_element_batch_free(ctx, out);
  return err;
}

SofaErr sofa_element_batch_make_exact(SofaContext *ctx, SofaElementBatch *b) {
  const size_t rows = b->n_groups * b->n_nodes * b->dim + 1;
  if (!(b->strained = sofa_alloc(ctx, 2 * rows, sizeof *b->strained)) ||
      !(b->turn = sofa_alloc(ctx, 6 * rows, sizeof *b->turn)))
    return SOFA_ERR_MEMORY;
  return SOFA_OK;
}

void sofa_element_batch_free(SofaContext *ctx, SofaElementBatch *b) {
  disconnect(ctx, b);
  sofa_free(ctx, b->vertices);
  sofa_free(ctx, b->v);
  sofa_free(ctx, b->q);
  sofa_free(ctx, b->rest);
  sofa_free(ctx, b->moves);
  sofa_free(ctx, b->k);
  sofa_free(ctx, b->run);
  sofa_free(ctx, b->kind);
  sofa_free(ctx, b->kinds);
  sofa_free(ctx, b->mirror);
  sofa_free(ctx, b->waves);
  sofa_free(ctx, b->rotation);
  sofa_free(ctx, b->arm);
  sofa_free(ctx, b->strained);
  sofa_free(ctx, b->turn);
  sofa_free(ctx, b->place);
  sofa_free(ctx, b->blocks);
  *b = (SofaElementBatch){.n = 0};
}

void sofa_element_batch_stiffness(SofaElementBatch *b, size_t element, const double *k) {
  const size_t dim = b->dim, size = dim * b->n_nodes;
  element = sofa_element_batch_lane(b, element);
  b->kind[element / SOFA_LANES] = 0;
  for (size_t m = 0, p = 0; m < b->n_nodes; m++) {
    for (size_t n = m; n < b->n_nodes; n++, p++) {
      double(*to)[SOFA_LANES] = sofa_element_batch_block(b, element / SOFA_LANES, p);
      for (size_t i = 0; i < dim * dim; i++)
        (*to++)[element % SOFA_LANES] = k[size * (dim * m + i / dim) + dim * n + i % dim];
    }
  }
}

void sofa_element_batch_matrix(const SofaElementBatch *b, size_t element, double *k) {
  const size_t dim = b->dim, size = dim * b->n_nodes;
  element = sofa_element_batch_lane(b, element);
  for (size_t m = 0, p = 0; m < b->n_nodes; m++) {
    for (size_t n = m; n < b->n_nodes; n++, p++) {
      double(*from)[SOFA_LANES] = sofa_element_batch_block(b, element / SOFA_LANES, p);
      for (size_t i = 0; i < dim * dim; i++) {
        const size_t row = dim * m + i / dim, column = dim * n + i % dim;
        const double value = (*from++)[element % SOFA_LANES];
        k[size * row + column] = k[size * column + row] = value;
      }
    }
  }
}

void sofa_element_batch_rest(const SofaElementBatch *b, size_t element, double *q) {
  const size_t size = b->dim * b->n_nodes;
  element = sofa_element_batch_lane(b, element);
  const size_t l = element % SOFA_LANES;
  for (size_t k = 0; k < size; k++) q[k] = b->q[element / SOFA_LANES * size + k][l];
}

/* 1/2 d . K d of the element of a lane. */
static double energy_of(const SofaElementBatch *b, size_t element, const double *d) {
  const size_t dim = b->dim, l = element % SOFA_LANES;
  double energy = 0;
  for (size_t m = 0, p = 0; m < b->n_nodes; m++) {
    for (size_t n = m; n < b->n_nodes; n++, p++) {
      double(*k)[SOFA_LANES] = sofa_element_batch_block(b, element / SOFA_LANES, p);
      double product = 0;
      for (size_t i = 0; i < dim * dim; i++, k++)
        product += d[dim * m + i / dim] * (*k)[l] * d[dim * n + i % dim];
      energy += m == n ? 0.5 * product : product;
    }
  }
  return energy;
}

double sofa_element_batch_energy_of(const SofaElementBatch *b, size_t e, const double *x) {
  const size_t dim = b->dim;
  double p[SOFA_DENSE_ROWS], q[SOFA_DENSE_ROWS], arm[24], d[SOFA_DENSE_ROWS], r[9];
  const size_t lane = sofa_element_batch_lane(b, e);
  const uint32_t *v = b->vertices + b->n_nodes * lane;
  for (size_t n = 0; n < b->n_nodes; n++) sofa_copy(p + dim * n, x + dim * v[n], dim * sizeof *p);
  sofa_element_batch_rest(b, e, q);
  for (size_t k = 0; b->arm && k < 24; k++)
    arm[k] = b->arm[24 * (lane / SOFA_LANES) + k][lane % SOFA_LANES];
  sofa_element_frame(b->shape, b->dim, b->frame, b->arm ? arm : q, p, r);
  for (size_t n = 0; n < b->n_nodes; n++) {
    for (size_t i = 0; i < dim; i++) {
      d[dim * n + i] = q[dim * n + i] - q[i];
      for (size_t j = 0; j < dim; j++) d[dim * n + i] -= r[dim * i + j] * (p[dim * n + j] - p[j]);
    }
  }
  return energy_of(b, lane, d);
}

double sofa_element_batch_energy(const SofaElementBatch *b, const double *x) {
  double energy = 0;
  for (size_t e = 0; e < b->n; e++) energy += sofa_element_batch_energy_of(b, e, x);
  return energy;
}

/* ---- operations ---- */

SofaErr sofa_element_batch_add_force(const SofaForceField *ff, SofaElementBatch *batch,
                                     const SofaPoint *at, double *const *f) {
  const SofaContext *ctx = ff->object.ctx;
  batch->turned = false;
  sofa_element_kernels(ctx)->dense_force(batch, ctx, at->x[0], f[0]);
  return SOFA_OK;
}

typedef struct NextBlocks {
  SofaElementBatch *batch;
  const SofaElementKernels *kernels;
} NextBlocks;

/* What derivatives of an exact batch need and forces do not. */
static void ensure_turn(const SofaContext *ctx, SofaElementBatch *batch) {
  if (!batch->turn || batch->turned) return;
  sofa_element_kernels(ctx)->dense_turn(batch, ctx);
  batch->turned = true;
}

SofaErr sofa_element_batch_add_dforce(const SofaForceField *ff, SofaElementBatch *batch,
                                      const SofaMechParams *params, const double *const *dx,
                                      double *const *df) {
  const SofaContext *ctx = ff->object.ctx;
  ensure_turn(ctx, batch);
  sofa_element_kernels(ctx)->dense_dforce(batch, ctx, sofa_kfactor(ff, params), dx[0], df[0]);
  return SOFA_OK;
}

/* Adds the groups that a piece waits for. */
static const double *next_blocks(void *user, size_t piece) {
  const NextBlocks *next = user;
  size_t group;
  while (sofa_pair_window_next(&next->batch->window, piece, &group))
    next->kernels->dense_group_blocks(next->batch, group);
  return sofa_pair_window_blocks(&next->batch->window, piece);
}

SofaErr sofa_element_batch_add_k(const SofaForceField *ff, SofaElementBatch *batch,
                                 const SofaTangent *tangent) {
  const SofaContext *ctx = ff->object.ctx;
  const SofaElementKernels *kernels = sofa_element_kernels(ctx);
  NextBlocks next = {batch, kernels};
  const SofaPairBlocks blocks = {.dim = batch->dim,
                                 .blocks = batch->blocks,
                                 .next = batch->blocks ? NULL : next_blocks,
                                 .user = &next};
  ensure_turn(ctx, batch);
  if (batch->blocks) kernels->dense_blocks(batch, ctx, batch->blocks);
  else sofa_pair_window_begin(&batch->window);
  sofa_pairs_add(ctx, &batch->pairs, &blocks, tangent);
  return SOFA_OK;
}
