/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the geometry of contacts costs: ns per call of closest points, exact signs, energies, and us
 * per query of continuous detection. The elements are random, in arrays larger than the first cache
 * and smaller than the second. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "bench/machine.h"
#include "numerics/contact/ccd.h"
#include "numerics/contact/definite.h"
#include "numerics/contact/exact.h"
#include "numerics/contact/friction.h"
#include "numerics/contact/pair_batch.h"
#include "math/kernels.h"

enum { COUNT = 1024 };

typedef struct Data {
  double x[COUNT][12], end[COUNT][12];
  SofaPairTerm term[COUNT];
  SofaPairKind kind;
  SofaPairGroup groups[COUNT / SOFA_PAIR_GROUP];
  double d2[COUNT];
  const SofaPairKernels *kernels;
  int queries; /* of continuous detection */
  SofaCcdWork work;
} Data;

/* Uniform in [-1, 1] (xorshift64). */
static double real(uint64_t *state) {
  *state ^= *state << 13;
  *state ^= *state >> 7;
  *state ^= *state << 17;
  return (double)(int64_t)*state / 9223372036854775808.0;
}

static void fill(Data *d, double motion) {
  uint64_t state = 88172645463325252U;
  for (int i = 0; i < COUNT; i++) {
    for (int k = 0; k < 12; k++) d->x[i][k] = real(&state);
    for (int k = 0; k < 12; k++) d->end[i][k] = d->x[i][k] + motion * real(&state);
  }
}

static double closest(void *user) {
  Data *d = user;
  double sum = 0;
  for (int i = 0; i < COUNT; i++) {
    SofaClosest c;
    sofa_pair_closest(d->kind, d->x[i], &c);
    sum += c.d2;
  }
  return sum;
}
static double batch(void *user) {
  Data *d = user;
  const bool edges = d->kind == SOFA_PAIR_EDGE_EDGE;
  (edges ? d->kernels->edge_edge : d->kernels->point_triangle)(d->groups, COUNT / SOFA_PAIR_GROUP,
                                                               d->d2);
  return d->d2[COUNT - 1];
}
static double sides(void *user) {
  Data *d = user;
  int sum = 0;
  for (int i = 0; i < COUNT; i++) {
    const double *x = d->x[i];
    sum += sofa_orient3d(x, x + 3, x + 6, x + 9);
  }
  return sum;
}
/* the fourth point is in the plane of the others: no filter decides */
static double flat_sides(void *user) {
  Data *d = user;
  int sum = 0;
  for (int i = 0; i < COUNT; i++) {
    const double *x = d->x[i], mean[3] = {x[3], x[4], x[5]};
    sum += sofa_orient3d(x, x + 3, x + 6, mean);
  }
  return sum;
}
static double crossings(void *user) {
  Data *d = user;
  int sum = 0;
  for (int i = 0; i < COUNT; i++) {
    const double *x = d->x[i], *y = d->end[i];
    const double *const a[3] = {x, x + 3, x + 6}, *const b[3] = {y, y + 3, y + 6};
    sum += sofa_triangles_meet(a, b, 0);
  }
  return sum;
}
static double barriers(void *user) {
  Data *d = user;
  const SofaBarrierRule rule = {100, 1, 0};
  double sum = 0;
  for (int i = 0; i < COUNT; i++) {
    sofa_barrier_pair(d->kind, d->x[i], &rule, &d->term[i]);
    sum += d->term[i].value;
  }
  return sum;
}
static double definite(void *user) {
  Data *d = user;
  double sum = 0;
  for (int i = 0; i < COUNT; i++) {
    double h[144];
    memcpy(h, d->term[i].hessian, sizeof h);
    sofa_make_definite(12, h);
    sum += h[0];
  }
  return sum;
}
static SofaCcdResult query(Data *d, int i) {
  const SofaCcdOptions o = {0, 1e-6, 1, 10000};
  SofaCcdQuery q = {.kind = SOFA_CCD_POINT_TRIANGLE};
  if (d->kind == SOFA_PAIR_EDGE_EDGE) q.kind = SOFA_CCD_EDGE_EDGE;
  for (int k = 0; k < 4; k++) {
    q.start[k] = d->x[i] + 3 * k;
    q.end[k] = d->end[i] + 3 * k;
  }
  return sofa_ccd(&q, &o, &d->work);
}
static double detect(void *user) {
  Data *d = user;
  double sum = 0;
  for (int i = 0; i < d->queries; i++) sum += query(d, i).time;
  return sum;
}

/* Keeps the queries that end as wanted. */
static void keep(Data *d, double motion, bool hits) {
  fill(d, motion);
  int n = 0;
  for (int i = 0; i < COUNT; i++) {
    memmove(d->x[n], d->x[i], sizeof d->x[n]);
    memmove(d->end[n], d->end[i], sizeof d->end[n]);
    n += query(d, n).hit == hits;
  }
  d->queries = n;
}
static void time_detection(Data *d, const char *name, double motion, bool hits) {
  keep(d, motion, hits);
  if (d->queries > 0) report(name, 1e6 * best_seconds(detect, d) / d->queries, "us");
}

static void time_calls(Data *d, const char *name, Work work) {
  report(name, 1e9 * best_seconds(work, d) / COUNT, "ns");
}

int main(void) {
  static Data d;
  static const char *const names[4] = {"point-point", "point-edge", "point-triangle", "edge-edge"};
  static const char *const with[4] = {"barrier point-point", "barrier point-edge",
                                      "barrier point-triangle", "barrier edge-edge"};
  fill(&d, 0.5);
  for (int k = 0; k < 4; k++) {
    d.kind = (SofaPairKind)k;
    time_calls(&d, names[k], closest);
  }
  const SofaContext ctx = {.kernels = sofa_kernels_select(NULL)};
  d.kernels = sofa_pair_kernels(&ctx);
  for (int i = 0; i < COUNT; i++) {
    for (int k = 0; k < 12; k++)
      d.groups[i / SOFA_PAIR_GROUP].x[k / 3][k % 3][i % SOFA_PAIR_GROUP] = d.x[i][k];
  }
  time_calls(&d, "distance of edge-edge in a batch", batch);
  d.kind = SOFA_PAIR_POINT_TRIANGLE;
  time_calls(&d, "distance of point-triangle in a batch", batch);
  time_calls(&d, "orient3d", sides);
  time_calls(&d, "orient3d, degenerate", flat_sides);
  time_calls(&d, "triangles meet", crossings);
  for (int k = 0; k < 4; k++) {
    d.kind = (SofaPairKind)k;
    time_calls(&d, with[k], barriers);
  }
  time_calls(&d, "definite 12 x 12", definite);
  d.kind = SOFA_PAIR_POINT_TRIANGLE;
  time_detection(&d, "detection point-triangle, short motion, apart", 0.01, false);
  time_detection(&d, "detection point-triangle, long motion, apart", 1, false);
  time_detection(&d, "detection point-triangle, collision", 1, true);
  d.kind = SOFA_PAIR_EDGE_EDGE;
  time_detection(&d, "detection edge-edge, short motion, apart", 0.01, false);
  time_detection(&d, "detection edge-edge, long motion, apart", 1, false);
  time_detection(&d, "detection edge-edge, collision", 1, true);
  return 0;
}
