/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shortest ways and harmonic functions in a body of hexahedra. */
#include "distance_maps.h"

#include <math.h>
#include <string.h>

#include "numerics/fem/finite_element.h"
#include "math/vec.h"

/* ---- shortest ways: Dijkstra 1959 with a binary heap ---- */

typedef struct Entry {
  double distance;
  uint32_t point;
} Entry;
SOFA_LIST(Entry, Entries);

static SofaErr push(SofaContext *ctx, Entries *heap, Entry entry) {
  SOFA_TRY(SOFA_APPEND(ctx, heap, &entry));
  for (size_t i = heap->n - 1; i && heap->data[(i - 1) / 2].distance > entry.distance;) {
    heap->data[i] = heap->data[(i - 1) / 2];
    i = (i - 1) / 2;
    heap->data[i] = entry;
  }
  return SOFA_OK;
}

static Entry pop(Entries *heap) {
  const Entry first = heap->data[0], last = heap->data[--heap->n];
  size_t i = 0;
  for (size_t child = 1; child < heap->n; child = 2 * i + 1) {
    if (child + 1 < heap->n && heap->data[child + 1].distance < heap->data[child].distance) child++;
    if (heap->data[child].distance >= last.distance) break;
    heap->data[i] = heap->data[child];
    i = child;
  }
  if (heap->n) heap->data[i] = last;
  return first;
}

static double between(const double *x, size_t a, size_t b) {
  double d[3];
  sofa_vec3_sub(x + 3 * a, x + 3 * b, d);
  return sofa_vec3_norm(d);
}

static SofaErr spread(const SofaDistanceBody *body, Entries *heap, double *distance) {
  while (heap->n) {
    const Entry at = pop(heap);
    const uint32_t *ids = NULL;
    const size_t n = sofa_around_row(body->around, at.point, &ids);
    if (at.distance > distance[at.point]) continue;
    for (size_t k = 0; k < 8 * n; k++) {
      const uint32_t next = body->hexas->data[ids[k / 8]].v[k % 8];
      const double factor = body->coefficient ? body->coefficient[ids[k / 8]] : 1;
      const Entry way = {at.distance + factor * between(body->x, at.point, next), next};
      if (!(way.distance < distance[next])) continue;
      distance[next] = way.distance;
      SOFA_TRY(push(body->ctx, heap, way));
    }
  }
  return SOFA_OK;
}

SofaErr sofa_distance_ways(const SofaDistanceBody *body, uint32_t point, double entry,
                           double *distance) {
  Entries heap = {0};
  for (size_t i = 0; i < body->n_points; i++) distance[i] = INFINITY;
  distance[point] = entry;
  SofaErr err = push(body->ctx, &heap, (Entry){entry, point});
  if (err == SOFA_OK) err = spread(body, &heap, distance);
  sofa_list_free(body->ctx, &heap);
  return err;
}

/* ---- harmonic functions ---- */

enum { HEXA_PAIRS = 64 };

/* Conductivity matrix of a hexahedron: the integral of c grad N_a . grad N_b. */
static double add_conductivity(const SofaDistanceBody *body, size_t e, double *k) {
  SofaQuadraturePoint points[SOFA_QUADRATURE_MAX];
  const size_t n = sofa_quadrature(SOFA_SHAPE_HEXA, SOFA_RULE_STIFFNESS, points);
  const double c = body->coefficient ? body->coefficient[e] : 1;
  double p[24], shape[8], d[8][3], g[24], least = INFINITY;
  for (size_t a = 0; a < 8; a++)
    memcpy(p + 3 * a, body->x + 3 * (size_t)body->hexas->data[e].v[a], 3 * sizeof *p);
  for (size_t q = 0; q < n; q++) {
    sofa_shape_functions(SOFA_SHAPE_HEXA, points[q].xi, shape, d);
    const double measure = fabs(sofa_shape_gradients(SOFA_SHAPE_HEXA, 3, p, d, g));
    if (measure < least) least = measure;
    if (!(measure > 0)) return 0;
    for (size_t i = 0; i < HEXA_PAIRS; i++)
      k[i] += c * points[q].weight * measure * sofa_vec3_dot(g + 3 * (i / 8), g + 3 * (i % 8));
  }
  return least;
}

/* y = K x over the free points; x is 0 at the others. */
static void multiply(const SofaDistanceBody *body, const double *k, const bool *free,
                     const double *x, double *y) {
  sofa_zero(y, body->n_points * sizeof *y);
  for (size_t e = 0; e < body->hexas->n; e++) {
    const uint32_t *v = body->hexas->data[e].v;
    for (size_t a = 0; a < 8; a++)
      for (size_t b = 0; b < 8; b++) y[v[a]] += k[HEXA_PAIRS * e + 8 * a + b] * x[v[b]];
  }
  for (size_t i = 0; i < body->n_points; i++)
    if (!free[i]) y[i] = 0;
}

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Vectors of the solver, n_points each, and the element matrices. */
typedef struct Work {
  double *k, *diagonal, *r, *p, *z, *q;
  bool *free;
} Work;

/* Preconditioned conjugate gradients for the free points; Saad, Iterative Methods, 2nd ed., 9.1. */
static SofaErr solve(const SofaDistanceBody *body, Work *w, double *u) {
  const size_t n = body->n_points;
  // what is fixed drives the rest
  multiply(body, w->k, w->free, u, w->q);
  for (size_t i = 0; i < n; i++) w->r[i] = w->free[i] ? -w->q[i] : 0;
  for (size_t i = 0; i < n; i++) w->z[i] = w->free[i] ? w->r[i] / w->diagonal[i] : 0;
  sofa_copy(w->p, w->z, n * sizeof *w->p);
  double rz = dot(w->r, w->z, n);
  const double goal = 1e-28 * rz;
  for (size_t step = 0; rz > goal && step < 10 * n + 100; step++) {
    multiply(body, w->k, w->free, w->p, w->q);
    const double alpha = rz / dot(w->p, w->q, n);
    for (size_t i = 0; i < n; i++) u[i] += alpha * w->p[i];
    for (size_t i = 0; i < n; i++) w->r[i] -= alpha * w->q[i];
    for (size_t i = 0; i < n; i++) w->z[i] = w->free[i] ? w->r[i] / w->diagonal[i] : 0;
    const double next = dot(w->r, w->z, n), beta = next / rz;
    for (size_t i = 0; i < n; i++) w->p[i] = w->z[i] + beta * w->p[i];
    rz = next;
  }
  if (!isfinite(rz)) return SOFA_ERR_NOT_FINITE;
  return rz <= 1e8 * goal ? SOFA_OK : SOFA_ERR_NOT_CONVERGED;
}

/* Which points are free: reached from a fixed one through hexahedra. The others get inf. */
static SofaErr find_free(const SofaDistanceBody *body, const bool *fixed, bool *free, double *u) {
  SofaIndices queue = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < body->n_points; i++) {
    const uint32_t point = (uint32_t)i;
    free[i] = false;
    if (!fixed[i]) u[i] = INFINITY;
    if (fixed[i]) SOFA_GO(err, done, SOFA_APPEND(body->ctx, &queue, &point));
  }
  for (size_t at = 0; at < queue.n; at++) {
    const uint32_t *ids = NULL;
    const size_t n = sofa_around_row(body->around, queue.data[at], &ids);
    for (size_t k = 0; k < 8 * n; k++) {
      const uint32_t next = body->hexas->data[ids[k / 8]].v[k % 8];
      if (fixed[next] || free[next]) continue;
      free[next] = true;
      u[next] = 0;
      SOFA_GO(err, done, SOFA_APPEND(body->ctx, &queue, &next));
    }
  }
done:
  sofa_list_free(body->ctx, &queue);
  return err;
}

static SofaErr harmonic(const SofaDistanceBody *body, const bool *fixed, Work *w, double *u,
                        size_t *bad) {
  for (size_t e = 0; e < body->hexas->n; e++) {
    const uint32_t *v = body->hexas->data[e].v;
    if (!(add_conductivity(body, e, w->k + HEXA_PAIRS * e) > 0)) {
      if (bad) *bad = e;
      return SOFA_ERR_GEOMETRY;
    }
    for (size_t a = 0; a < 8; a++) w->diagonal[v[a]] += w->k[HEXA_PAIRS * e + 9 * a];
  }
  SOFA_TRY(find_free(body, fixed, w->free, u));
  // what no fixed point reaches takes no part
  for (size_t i = 0; i < body->n_points; i++)
    if (!w->free[i] && !fixed[i]) u[i] = 0;
  SOFA_TRY(solve(body, w, u));
  for (size_t i = 0; i < body->n_points; i++)
    if (!w->free[i] && !fixed[i]) u[i] = INFINITY;
  return SOFA_OK;
}

SofaErr sofa_distance_harmonic(const SofaDistanceBody *body, const bool *fixed, double *u,
                               size_t *bad) {
  SofaContext *ctx = body->ctx;
  const size_t n = body->n_points;
  Work w = {.k = sofa_alloc(ctx, HEXA_PAIRS * body->hexas->n, sizeof *w.k)};
  double *vectors = w.k ? sofa_alloc(ctx, 5 * n, sizeof *vectors) : NULL;
  w.free = vectors ? sofa_alloc(ctx, n, sizeof *w.free) : NULL;
  SofaErr err = SOFA_ERR_MEMORY;
  if (w.free) {
    w.diagonal = vectors;
    w.r = vectors + n;
    w.p = vectors + 2 * n;
    w.z = vectors + 3 * n;
    w.q = vectors + 4 * n;
    err = harmonic(body, fixed, &w, u, bad);
  }
  sofa_free(ctx, w.k);
  sofa_free(ctx, vectors);
  sofa_free(ctx, w.free);
  return err;
}
