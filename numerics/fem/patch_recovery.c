/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Superconvergent patch recovery (O. C. Zienkiewicz, J. Z. Zhu, Int. J. Numer. Meth. Eng. 33,
 * 1992).
 *
 * With samples (x_s, sigma_s) of the elements around a point p, m their mean place and C the sum of
 * (x_s - m) (x_s - m)^T, the nearest linear function has at p
 *   sigma = sum_s (1/n + (p - m) . C^-1 (x_s - m)) sigma_s,
 * exact where sigma is linear. Directions in which the samples do not spread have no slope. Before
 * that a patch whose samples spread in fewer directions than an element has gets the elements
 * around all its points. */
#include "numerics/fem/patch_recovery_impl.h"

#include <math.h>
#include <string.h>
#include "math/polar.h"
#include "math/vec.h"

/* Spread of a direction, in squares of lengths, against that of the widest one. */
static const double flat = 1e-6;

/* A patch of one point. */
typedef struct Patch {
  const SofaResultElements *e;
  SofaElementResults *r;
  unsigned n_samples;
  uint32_t mark; /* of elements in r->seen */
  size_t n;      /* samples */
  double mean[3], spread[9], values[3], axes[9];
} Patch;

/* Lists the elements around each point. */
static SofaErr find_around(SofaContext *ctx, const SofaResultElements *e, SofaElementResults *r) {
  const size_t n = e->n * e->n_nodes;
  SOFA_TRY(SOFA_RESIZE(ctx, &r->start, e->n_points + 2));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->around, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &r->seen, e->n));
  sofa_zero(r->start.data, r->start.n * sizeof *r->start.data);
  sofa_zero(r->seen.data, r->seen.n * sizeof *r->seen.data);
  // counts two places on, so that filling leaves the beginnings
  for (size_t k = 0; k < n; k++) r->start.data[r->vertices.data[k] + 2]++;
  for (size_t v = 2; v < r->start.n; v++) r->start.data[v] += r->start.data[v - 1];
  for (size_t k = 0; k < n; k++)
    r->around.data[r->start.data[r->vertices.data[k] + 1]++] = (uint32_t)(k / e->n_nodes);
  return SOFA_OK;
}

typedef void Visit(Patch *p, size_t sample, void *user);

static void visit_element(Patch *p, uint32_t element, Visit *visit, void *user) {
  if (p->r->seen.data[element] == p->mark) return;
  p->r->seen.data[element] = p->mark;
  for (size_t s = 0; s < p->n_samples; s++) visit(p, (size_t)element * p->n_samples + s, user);
}

/* Visits the samples of the elements around a point, or around all points of these, in one order.
 */
static void visit_patch(Patch *p, size_t point, bool wide, Visit *visit, void *user) {
  const uint32_t *start = p->r->start.data, *around = p->r->around.data;
  const unsigned n_nodes = p->e->n_nodes;
  p->mark++;
  for (uint32_t k = start[point]; k < start[point + 1]; k++) {
    if (!wide) visit_element(p, around[k], visit, user);
    for (unsigned j = 0; wide && j < n_nodes; j++) {
      const uint32_t v = p->r->vertices.data[n_nodes * around[k] + j];
      for (uint32_t i = start[v]; i < start[v + 1]; i++) visit_element(p, around[i], visit, user);
    }
  }
}

static void add_place(Patch *p, size_t sample, void *user) {
  (void)user;
  p->n++;
  sofa_vec3_axpy(1, p->r->sample_place.data[sample].v, p->mean);
}

static void add_spread(Patch *p, size_t sample, void *user) {
  double d[3];
  (void)user;
  sofa_vec3_sub(p->r->sample_place.data[sample].v, p->mean, d);
  for (int k = 0; k < 9; k++) p->spread[k] += d[k / 3] * d[k % 3];
}

/* Mean and spread of the samples; returns in how many directions they spread. */
static unsigned measure(Patch *p, size_t point, bool wide) {
  unsigned rank = 0;
  p->n = 0;
  memset(p->mean, 0, sizeof p->mean);
  memset(p->spread, 0, sizeof p->spread);
  visit_patch(p, point, wide, add_place, NULL);
  if (!p->n) return 0;
  sofa_vec3_scale(1 / (double)p->n, p->mean, p->mean);
  visit_patch(p, point, wide, add_spread, NULL);
  sofa_eigen3(p->spread, p->values, p->axes);
  for (int k = 0; k < 3; k++) rank += p->values[k] > flat * p->values[2];
  return rank;
}

/* What a sample adds: C^-1 (p - m) and the sum. */
typedef struct Sum {
  double slope[3], *stress;
} Sum;

static void add_stress(Patch *p, size_t sample, void *user) {
  const Sum *sum = user;
  double d[3];
  sofa_vec3_sub(p->r->sample_place.data[sample].v, p->mean, d);
  const double weight = 1 / (double)p->n + sofa_vec3_dot(sum->slope, d);
  for (int k = 0; k < 6; k++) sum->stress[k] += weight * p->r->sample_stress.data[sample].v[k];
}

static void recover(Patch *p, const double *at, size_t point) {
  Sum sum = {.stress = p->r->recovered_stress.data[point].v};
  memset(sum.stress, 0, 6 * sizeof *sum.stress);
  bool wide = false;
  unsigned rank = measure(p, point, wide);
  if (!p->n) return;
  if (rank < p->e->dim) measure(p, point, wide = true);
  double d[3];
  sofa_vec3_sub(at, p->mean, d);
  for (int k = 0; k < 3; k++) {
    if (!(p->values[k] > flat * p->values[2])) continue;
    const double axis[3] = {p->axes[k], p->axes[3 + k], p->axes[6 + k]};
    sofa_vec3_axpy(sofa_vec3_dot(axis, d) / p->values[k], axis, sum.slope);
  }
  visit_patch(p, point, wide, add_stress, &sum);
}

SofaErr sofa_patch_recovery(SofaContext *ctx, const SofaResultElements *e, unsigned n_samples,
                            SofaElementResults *out) {
  Patch p = {.e = e, .r = out, .n_samples = n_samples};
  SOFA_TRY(find_around(ctx, e, out));
  SOFA_TRY(SOFA_RESIZE(ctx, &out->recovered_stress, e->n_points));
  for (size_t i = 0; i < e->n_points; i++) {
    const double *x = e->rest + (size_t)e->rest_width * i;
    const double at[3] = {x[0], e->space > 1 ? x[1] : 0, e->space > 2 ? x[2] : 0};
    recover(&p, at, i);
  }
  return SOFA_OK;
}
