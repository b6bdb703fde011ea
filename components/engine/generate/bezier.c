/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the control points of Bezier elements.
 * Source: G. Farin, Curves and Surfaces for CAGD, 5th ed., sections 13 (rational) and 17. */
#include "bezier.h"

#include <string.h>

#include "topology/tuple_map.h"

static double choose(uint32_t n, uint32_t k) {
  double c = 1;
  if (k > n) return 0;
  for (uint32_t j = 0; j < k; j++) c = c * (n - j) / (j + 1);
  return c;
}

/* Adds the terms whose first k entries of j are chosen; `left` is what the others sum up to. */
typedef struct Terms {
  SofaBezierForm form;
  const void *user;
  unsigned n;
  const uint32_t *i;
  uint32_t j[4];
  double scale, *h;
} Terms;

static void add_terms(Terms *t, unsigned k, uint32_t left, double product) {
  if (k + 1 == t->n) {
    double h[4];
    if (left > t->i[k]) return;
    t->j[k] = left;
    t->form(t->user, t->j, h);
    for (int c = 0; c < 4; c++) t->h[c] += t->scale * product * choose(t->i[k], left) * h[c];
    return;
  }
  for (uint32_t j = 0; j <= left && j <= t->i[k]; j++) {
    t->j[k] = j;
    add_terms(t, k + 1, left - j, product * choose(t->i[k], j));
  }
}

void sofa_bezier_elevate(SofaBezierForm form, const void *user, uint32_t from, unsigned n,
                         const uint32_t *i, double h[4]) {
  uint32_t degree = 0;
  for (unsigned k = 0; k < n; k++) degree += i[k];
  Terms terms = {form, user, n, i, {0}, 1 / choose(degree, from), h};
  memset(h, 0, 4 * sizeof *h);
  add_terms(&terms, 0, from, 1);
}

/* ---- forms of degree 2 ---- */

typedef struct Corners {
  const SofaBezier *b;
  const uint32_t *v;
  unsigned n;
} Corners;

static bool edge_point(const SofaBezier *b, uint32_t a, uint32_t c, double h[4]) {
  const double *x = b->points->data[a].v, *y = b->points->data[c].v;
  if (b->edge(b->user, a, c, h)) return true;
  for (int k = 0; k < 3; k++) h[k] = (x[k] + y[k]) / 2;
  h[3] = 1;
  return false;
}

static void quadratic(const void *user, const uint32_t *j, double h[4]) {
  const Corners *c = (const Corners *)user;
  unsigned ends[2] = {0, 0}, n = 0;
  for (unsigned k = 0; k < c->n; k++)
    if (j[k]) ends[n++] = k;
  if (n == 2) {
    (void)edge_point(c->b, c->v[ends[0]], c->v[ends[1]], h);
    return;
  }
  memcpy(h, c->b->points->data[c->v[ends[0]]].v, 3 * sizeof *h);
  h[3] = 1;
}

static SofaErr add(const SofaBezier *b, const uint32_t *v, unsigned n, const uint32_t *i) {
  const Corners corners = {b, v, n};
  double h[4];
  if (!b->control || n > 3 || !b->control(b->user, v, n, i, h))
    sofa_bezier_elevate(quadratic, &corners, 2, n, i, h);
  const SofaVec3 p = {{h[0] / h[3], h[1] / h[3], h[2] / h[3]}};
  SOFA_TRY(SOFA_APPEND(b->ctx, b->weights, &h[3]));
  return SOFA_APPEND(b->ctx, b->points, &p);
}

/* ---- edges, faces, insides ---- */

static SofaErr add_edges(const SofaBezier *b, SofaTupleMap *map, size_t e) {
  static const uint8_t of_triangle[3][2] = {{1, 2}, {2, 0}, {0, 1}};
  static const uint8_t of_tetra[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  const uint32_t *v = b->elements + b->n_corners * e;
  const bool tetra = b->n_corners == 4;
  for (int k = 0; k < (tetra ? 6 : 3); k++) {
    const uint8_t *ends = tetra ? of_tetra[k] : of_triangle[k];
    const SofaTuple key = sofa_tuple2(v[ends[0]], v[ends[1]]);
    const uint32_t id = (uint32_t)map->n;
    uint32_t found;
    double h[4];
    if (edge_point(b, key.v[0], key.v[1], h)) b->rational->data[e] = true;
    SOFA_TRY(sofa_tuple_map_add(b->ctx, map, &key, id, &found));
    for (uint32_t j = 1; found == id && j < b->degree; j++) {
      const uint32_t i[2] = {b->degree - j, j};
      SOFA_TRY(add(b, key.v, 2, i));
    }
  }
  return SOFA_OK;
}

static SofaErr add_face(const SofaBezier *b, const uint32_t *v) {
  for (uint32_t i = 1; i + 1 < b->degree; i++)
    for (uint32_t j = 1; i + j < b->degree; j++) {
      const uint32_t index[3] = {i, j, b->degree - i - j};
      SOFA_TRY(add(b, v, 3, index));
    }
  return SOFA_OK;
}

/* Face k of a tetrahedron looks outwards; its least point comes first. */
static SofaErr add_faces(const SofaBezier *b, SofaTupleMap *map, size_t e) {
  const uint32_t *v = b->elements + b->n_corners * e;
  if (b->n_corners == 3) return add_face(b, v);
  for (unsigned k = 0; k < 4; k++) {
    uint32_t f[3] = {v[(k + 1) % 4], v[(k + (k % 2 ? 2 : 3)) % 4], v[(k + (k % 2 ? 3 : 2)) % 4]};
    while (f[0] > f[1] || f[0] > f[2]) {
      const uint32_t first = f[0];
      f[0] = f[1], f[1] = f[2], f[2] = first;
    }
    const SofaTuple key = sofa_tuple3(f[0], f[1], f[2]);
    const uint32_t id = (uint32_t)map->n;
    uint32_t found;
    SOFA_TRY(sofa_tuple_map_add(b->ctx, map, &key, id, &found));
    if (found == id) SOFA_TRY(add_face(b, f));
  }
  return SOFA_OK;
}

static SofaErr add_inside(const SofaBezier *b, size_t e) {
  const uint32_t n = b->degree;
  for (uint32_t i = 1; i + 2 < n; i++)
    for (uint32_t j = 1; i + j + 1 < n; j++)
      for (uint32_t k = 1; i + j + k < n; k++) {
        const uint32_t index[4] = {i, j, k, n - i - j - k};
        SOFA_TRY(add(b, b->elements + 4 * e, 4, index));
      }
  return SOFA_OK;
}

static SofaErr make(const SofaBezier *b, SofaTupleMap *map) {
  SOFA_TRY(SOFA_RESIZE(b->ctx, b->weights, b->points->n));
  SOFA_TRY(SOFA_RESIZE(b->ctx, b->rational, b->n_elements));
  for (size_t i = 0; i < b->points->n; i++) b->weights->data[i] = 1;
  for (size_t e = 0; e < b->n_elements; e++) b->rational->data[e] = false;
  for (size_t e = 0; e < b->n_elements; e++) SOFA_TRY(add_edges(b, map, e));
  sofa_tuple_map_free(b->ctx, map);
  for (size_t e = 0; e < b->n_elements; e++) SOFA_TRY(add_faces(b, map, e));
  for (size_t e = 0; b->n_corners == 4 && e < b->n_elements; e++) SOFA_TRY(add_inside(b, e));
  return SOFA_OK;
}

SofaErr sofa_bezier_make(const SofaBezier *b) {
  SofaTupleMap map = {0};
  const SofaErr err = make(b, &map);
  sofa_tuple_map_free(b->ctx, &map);
  return err;
}
