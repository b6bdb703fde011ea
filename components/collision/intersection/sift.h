/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quick tests of many pairs of elements at once: distances by numerics/contact/pair_batch.h. A pair
 * is left out when its distance exceeds that of a detection by more than all rounding errors, so
 * that the detections of the others are those of all pairs. */
#ifndef COMPONENTS_COLLISION_SIFT_H
#define COMPONENTS_COLLISION_SIFT_H

#include "components/collision/intersection/proximity.h"
#include "numerics/contact/pair_batch.h"

/* Points and triangles, or lines and lines, that wait for a group to be full. */
typedef struct SiftGroup {
  void (*distances)(const SofaPairGroup *groups, size_t n, double *d2);
  SofaPairGroup group;
  double most[SOFA_PAIR_GROUP]; /* distance up to which there is a detection */
  size_t pair[SOFA_PAIR_GROUP]; /* whose `may` becomes true when it is not farther */
  int n;
} SiftGroup;

typedef struct Sift {
  Proximity proximity;
  const SofaPairKernels *kernels;
  SiftGroup point_triangle, edge_edge;
  bool *may;
} Sift;

void sift_begin(Sift *s, const SofaIntersection *method, const SofaCollisionModel *first,
                const SofaCollisionModel *second, bool *may);
/* Tests what still waits. */
void sift_end(Sift *s);
/* Tests a group that is full. */
void sift_flush(Sift *s, SiftGroup *group);

ALWAYS void sift_put(SiftGroup *g, int point, const double *x) {
  for (int k = 0; k < 3; k++) g->group.x[point][k][g->n] = x[k];
}
/* The pair may have a detection when the point and the triangle, or both lines, are closer than
 * `most`. */
ALWAYS void sift_next(Sift *s, SiftGroup *g, size_t pair, double most) {
  g->most[g->n] = most;
  g->pair[g->n] = pair;
  if (++g->n == SOFA_PAIR_GROUP) sift_flush(s, g);
}
ALWAYS void sift_point_triangle(Sift *s, size_t pair, const double *p, const double *const t[3],
                                double most) {
  SiftGroup *g = &s->point_triangle;
  sift_put(g, 0, p);
  for (int k = 0; k < 3; k++) sift_put(g, 1 + k, t[k]);
  sift_next(s, g, pair, most);
}
ALWAYS void sift_edge_edge(Sift *s, size_t pair, const double *const a[2],
                           const double *const c[2]) {
  SiftGroup *g = &s->edge_edge;
  for (int k = 0; k < 2; k++) {
    sift_put(g, k, a[k]);
    sift_put(g, 2 + k, c[k]);
  }
  sift_next(s, g, pair, s->proximity.alarm);
}
/* With the quirk `elements-without-area` places on such triangles are anywhere. */
ALWAYS bool sift_is_unsure(const Sift *s, const double *const t[3]) {
  Basis basis;
  if (!s->proximity.area) return false;
  proximity_basis(t, &basis);
  return !(basis.det > 1e-6 * basis.a11 * basis.a22);
}

/* Points or spheres with triangles, and lines with lines. */
void sift_triangles_points(const SofaIntersection *method, const SofaCollisionModel *first,
                           const SofaCollisionModel *second, const SofaElementPair *pairs, size_t n,
                           bool *may);
void sift_lines_lines(const SofaIntersection *method, const SofaCollisionModel *first,
                      const SofaCollisionModel *second, const SofaElementPair *pairs, size_t n,
                      bool *may);

#endif
