/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Making of hyperelastic elements with quadrature, and their energy. */
#include "numerics/material/solid_batch.h"

#include <math.h>
#include <string.h>
#include "numerics/material/dilatation_impl.h"
#include "numerics/material/solid_kernels_impl.h"
#include "numerics/material/solid_points.h"
#include "math/isa.h"
#include "math/vec.h"

enum {
  LEAST = 1024, /* nodes at points: fewer take less than the threads cost */
  CHUNKS = 2    /* of blocks, for each thread */
};

/* ---- making ---- */

static SofaErr allocate(SofaContext *ctx, SofaSolidBatch *b) {
  const size_t n = b->n_groups, points = n * b->n_gauss;
  if (!(b->v = sofa_alloc(ctx, n * b->n_nodes, sizeof *b->v)) ||
      !(b->gradient = sofa_alloc(ctx, points * 3 * b->n_nodes, sizeof *b->gradient)) ||
      !(b->volume = sofa_alloc(ctx, points, sizeof *b->volume)) ||
      !(b->mode = sofa_alloc(ctx, points * b->n_modes, sizeof *b->mode)) ||
      !(b->f = sofa_alloc(ctx, points * 9, sizeof *b->f)))
    return SOFA_ERR_MEMORY;
  return SOFA_OK;
}

/* Measure against the cube of the longest diagonal: below this it is rounding noise. */
static const double flat = 1e-14;

/* Fills the lane of an element from its positions; returns its smallest measure, 0 where it is
 * degenerate. */
static double fill_lane(SofaSolidBatch *b, const SofaQuadraturePoint *rule, size_t lane,
                        const double *p) {
  const size_t group = lane / SOFA_LANES, l = lane % SOFA_LANES, size = 3 * (size_t)b->n_nodes;
  double least = INFINITY, longest = 0;
  for (unsigned n = 1; n < b->n_nodes; n++)
    longest = fmax(longest, sofa_vec3_distance(p, p + 3 * n));
  for (size_t q = 0; q < b->n_gauss; q++) {
    const size_t at = b->n_gauss * group + q;
    double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3], g[3 * SOFA_SHAPE_MAX_NODES];
    sofa_shape_functions(b->shape, rule[q].xi, n, d);
    const double measure = sofa_shape_gradients(b->shape, 3, p, d, g);
    if (!(fabs(measure) > flat * longest * longest * longest) || !isfinite(measure)) return 0;
    for (size_t k = 0; k < size; k++) b->gradient[size * at + k][l] = g[k];
    b->volume[at][l] = lane < b->n ? rule[q].weight * fabs(measure) : 0;
    for (size_t k = 0; k < 9; k++) b->f[9 * at + k][l] = k % 4 == 0;
    least = fmin(least, measure);
  }
  return least;
}

static size_t rule_of(const SofaElementMesh *mesh, SofaQuadraturePoint *rule) {
  return sofa_quadrature(mesh->shape, mesh->reduced ? SOFA_RULE_REDUCED : SOFA_RULE_FULL, rule);
}

static SofaErr fill(const SofaObject *object, const SofaElementMesh *mesh, SofaSolidBatch *b) {
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  rule_of(mesh, rule);
  for (size_t lane = 0; lane < b->n_groups * SOFA_LANES; lane++) {
    const size_t e = lane < b->n ? lane : b->n - 1;
    double p[3 * SOFA_SHAPE_MAX_NODES];
    for (size_t n = 0; n < b->n_nodes; n++) {
      const uint32_t v = mesh->vertices[b->n_nodes * e + n];
      b->v[lane / SOFA_LANES * b->n_nodes + n][lane % SOFA_LANES] = v;
      sofa_vec3_copy(mesh->rest + 3 * (size_t)v, p + 3 * n);
    }
    const double least = fill_lane(b, rule, lane, p);
    if (!(least < 0 || least > 0))
      return sofa_object_fail(object, SOFA_ERR_GEOMETRY, "element %zu is degenerate at rest", e);
    if (mesh->dilatation != SOFA_DILATATION_CONTINUOUS) sofa_dilatation_modes(b, rule, lane);
  }
  return SOFA_OK;
}

/* One function per degree of freedom of the dilatation. */
static unsigned modes_of(const SofaElementMesh *mesh) {
  static const unsigned n_modes[] = {[SOFA_DILATATION_FULL] = 0,
                                     [SOFA_DILATATION_MEAN] = 1,
                                     [SOFA_DILATATION_LINEAR] = 4,
                                     [SOFA_DILATATION_BAR] = 0,
                                     [SOFA_DILATATION_CONTINUOUS] = 4};
  return n_modes[mesh->dilatation];
}

static SofaElements elements_of(const SofaElementMesh *mesh, unsigned n_nodes) {
  return (SofaElements){mesh->vertices, mesh->n, n_nodes};
}

/* What several threads need. */
static SofaErr share(SofaContext *ctx, SofaElements elements, int threads, SofaSolidBatch *b) {
  const SofaBlockOrder order = {.lanes = SOFA_LANES, .n = b->n_pairs};
  const SofaSummed summed = {.elements = elements,
                             .n_points = b->n_points,
                             .states = 1,
                             .width = 3,
                             .kind = SOFA_SUM_EACH,
                             .least = LEAST / (b->n_nodes * b->n_gauss)};
  SOFA_TRY(sofa_element_sums_create(ctx, &summed, &b->sums));
  SOFA_TRY(sofa_late_blocks_create(ctx, &b->pairs, CHUNKS * (size_t)threads, &order, &b->late));
  return sofa_pair_product_create(ctx, &b->pairs, b->n_points, &b->product);
}

SofaErr sofa_solid_batch_create(const SofaObject *object, const SofaElementMesh *mesh, int threads,
                                SofaSolidBatch *out) {
  SofaContext *ctx = object->ctx;
  SofaErr err = SOFA_OK;
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  const unsigned n_nodes = sofa_shape_info(mesh->shape)->n_nodes;
  *out = (SofaSolidBatch){.shape = mesh->shape,
                          .n_nodes = n_nodes,
                          .n_pairs = sofa_element_pairs_local(n_nodes),
                          .n_gauss = (unsigned)rule_of(mesh, rule),
                          .n_modes = modes_of(mesh),
                          .bar = mesh->dilatation == SOFA_DILATATION_BAR,
                          .n = mesh->n,
                          .n_groups = (mesh->n + SOFA_LANES - 1) / SOFA_LANES,
                          .n_points = mesh->n_points};
  if (sofa_shape_info(mesh->shape)->dim != 3)
    return sofa_object_unsupported(object, "hyperelastic elements of shape %s",
                                   sofa_shape_info(mesh->shape)->name);
  if (mesh->dilatation == SOFA_DILATATION_CONTINUOUS && mesh->shape != SOFA_SHAPE_TETRA10)
    return sofa_object_unsupported(object, "a continuous change of volume in elements of shape %s",
                                   sofa_shape_info(mesh->shape)->name);
  SOFA_GO(err, done, allocate(ctx, out));
  SOFA_GO(err, done, fill(object, mesh, out));
  if (mesh->dilatation == SOFA_DILATATION_CONTINUOUS)
    SOFA_GO(err, done, sofa_corners_create(ctx, mesh, rule, out));
  else
    SOFA_GO(err, done,
            sofa_element_pairs_create(ctx, elements_of(mesh, n_nodes), out->n_points,
                                      SOFA_PAIRS_SLOTS, &out->pairs));
  if (threads > 1) SOFA_GO(err, done, share(ctx, elements_of(mesh, n_nodes), threads, out));
  out->blocks = sofa_alloc(ctx, 9 * out->pairs.n, sizeof *out->blocks);
  if (!out->blocks) err = SOFA_ERR_MEMORY;
done:
  if (err != SOFA_OK) sofa_solid_batch_free(ctx, out);
  return err;
}

void sofa_solid_batch_free(SofaContext *ctx, SofaSolidBatch *b) {
  sofa_element_pairs_free(ctx, &b->pairs);
  sofa_late_blocks_free(ctx, &b->late);
  sofa_pair_product_free(ctx, &b->product);
  sofa_corners_free(ctx, &b->corners);
  sofa_free(ctx, b->v);
  sofa_free(ctx, b->gradient);
  sofa_free(ctx, b->volume);
  sofa_free(ctx, b->mode);
  sofa_free(ctx, b->f);
  sofa_element_sums_free(ctx, &b->sums);
  sofa_free(ctx, b->blocks);
  sofa_solid_points_free(ctx, b);
  *b = (SofaSolidBatch){.n = 0};
}

/* ---- sums over elements ---- */

static const SofaSolidKernels *kernels_of(const SofaContext *ctx) {
  static const SofaSolidKernels *const variants[] = SOFA_VARIANTS(&sofa_solid_kernels);
  return variants[sofa_isa(ctx)];
}

size_t sofa_solid_batch_force(const SofaContext *ctx, SofaSolidBatch *batch,
                              const SofaSolidLaw *law, const double *x, double *f) {
  if (sofa_solid_by_points(batch, law)) return sofa_solid_points_force(ctx, batch, law, x, f);
  return kernels_of(ctx)->force(batch, law, ctx, x, f);
}

size_t sofa_solid_batch_blocks(const SofaContext *ctx, SofaSolidBatch *batch,
                               const SofaSolidLaw *law) {
  if (sofa_solid_by_points(batch, law)) return sofa_solid_points_blocks(ctx, batch, law);
  return kernels_of(ctx)->blocks(batch, law, ctx);
}

double sofa_solid_batch_volume_of(const SofaSolidBatch *b, size_t e) {
  double sum = 0;
  for (size_t q = 0; q < b->n_gauss; q++)
    sum += b->volume[e / SOFA_LANES * b->n_gauss + q][e % SOFA_LANES];
  return sum;
}

double sofa_solid_batch_volume(const SofaSolidBatch *b) {
  double sum = 0;
  for (size_t e = 0; e < b->n; e++) sum += sofa_solid_batch_volume_of(b, e);
  return sum;
}

/* F at a quadrature point of an element. */
static void deformation_at(const SofaSolidBatch *b, size_t e, size_t q, const double *x,
                           double *f) {
  const size_t group = e / SOFA_LANES, l = e % SOFA_LANES;
  const double *origin = x + 3 * (size_t)b->v[group * b->n_nodes][l];
  const double(*g)[SOFA_LANES] =
      (const double(*)[SOFA_LANES])(b->gradient + 3 * b->n_nodes * (b->n_gauss * group + q));
  memset(f, 0, 9 * sizeof *f);
  for (size_t n = 1; n < b->n_nodes; n++) {
    double u[3];
    sofa_vec3_sub(x + 3 * (size_t)b->v[group * b->n_nodes + n][l], origin, u);
    for (size_t i = 0; i < 3; i++) {
      for (size_t k = 0; k < 3; k++) f[3 * i + k] += u[i] * g[3 * n + k][l];
    }
  }
}

size_t sofa_solid_batch_energy(const SofaSolidBatch *b, const SofaSolidLaw *law, const double *x,
                               double *energy) {
  if (sofa_solid_by_points(b, law)) return sofa_solid_points_energy(b, law, x, energy);
  const size_t bad = sofa_corners_at(b, x);
  *energy = 0;
  if (bad < b->n) return bad;
  for (size_t e = 0; e < b->n; e++) {
    double j[SOFA_SOLID_MAX_GAUSS], change;
    for (size_t q = 0; q < b->n_gauss; q++) {
      SofaDeformation d;
      deformation_at(b, e, q, x, d.f);
      if (!sofa_deformation(law->material, &d)) return e;
      *energy += b->volume[e / SOFA_LANES * b->n_gauss + q][e % SOFA_LANES] *
                 law->material->energy(law->p, &d);
      j[q] = d.j;
    }
    if (!b->n_modes) continue;
    if (!sofa_dilatation_energy(b, law, e, j, &change)) return e;
    *energy += change;
  }
  return b->n;
}

double sofa_solid_batch_least_det(const SofaSolidBatch *b, size_t e) {
  double least = INFINITY;
  for (size_t q = 0; q < b->n_gauss; q++) {
    double f[9];
    const size_t at = e / SOFA_LANES * b->n_gauss + q;
    for (size_t k = 0; k < 9; k++) f[k] = b->f[9 * at + k][e % SOFA_LANES];
    least = fmin(least, sofa_mat3_det(f));
  }
  return least;
}
