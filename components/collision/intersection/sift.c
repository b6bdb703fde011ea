/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/intersection/sift.h"

#include "math/kernels.h"

/* Relative to the largest difference of coordinates of a pair: more than the errors of the
 * distances here and there. Beyond the largest size distances may overflow. */
#define SLACK 1e-5
#define LARGEST 1e60

void sift_begin(Sift *s, const SofaIntersection *method, const SofaCollisionModel *first,
                const SofaCollisionModel *second, bool *may) {
  memset(s, 0, sizeof *s);
  proximity_begin(&s->proximity, method, first, second, NULL);
  s->kernels = sofa_pair_kernels(method->object.ctx);
  s->point_triangle.distances = s->kernels->point_triangle;
  s->edge_edge.distances = s->kernels->edge_edge;
  s->may = may;
}

void sift_flush(Sift *s, SiftGroup *g) {
  double d2[SOFA_PAIR_GROUP], size[SOFA_PAIR_GROUP];
  g->distances(&g->group, 1, d2);
  s->kernels->extent(&g->group, 1, size);
  for (int i = 0; i < g->n; i++) {
    const double most = g->most[i] + SLACK * size[i];
    // numbers that are not finite leave nothing out
    const bool far = (d2[i] > most * most) & (size[i] < LARGEST);
    s->may[g->pair[i]] |= !far;
  }
  g->n = 0;
}

void sift_end(Sift *s) {
  if (s->point_triangle.n) sift_flush(s, &s->point_triangle);
  if (s->edge_edge.n) sift_flush(s, &s->edge_edge);
}

void sift_triangles_points(const SofaIntersection *method, const SofaCollisionModel *first,
                           const SofaCollisionModel *second, const SofaElementPair *pairs, size_t n,
                           bool *may) {
  Sift s;
  sift_begin(&s, method, first, second, may);
  for (size_t i = 0; i < n; i++) {
    const double most = s.proximity.alarm + sofa_collision_radius(second, pairs[i].second);
    const double *t[3];
    proximity_triangle(first, pairs[i].first, t);
    may[i] = sift_is_unsure(&s, t);
    if (!may[i]) sift_point_triangle(&s, i, proximity_second(&s.proximity, pairs[i], 0), t, most);
  }
  sift_end(&s);
}

void sift_lines_lines(const SofaIntersection *method, const SofaCollisionModel *first,
                      const SofaCollisionModel *second, const SofaElementPair *pairs, size_t n,
                      bool *may) {
  Sift s;
  sift_begin(&s, method, first, second, may);
  for (size_t i = 0; i < n; i++) {
    const Proximity *b = &s.proximity;
    const double *const a[2] = {proximity_first(b, pairs[i], 0), proximity_first(b, pairs[i], 1)};
    const double *const c[2] = {proximity_second(b, pairs[i], 0), proximity_second(b, pairs[i], 1)};
    may[i] = false;
    sift_edge_edge(&s, i, a, c);
  }
  sift_end(&s);
}
