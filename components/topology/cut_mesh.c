/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Splitting and opening the copy of a surface. */
#include "cut_mesh.h"

#include <stdlib.h>

#include "topology/tuple_map.h"

void cut_mesh_free(CutMesh *m) {
  SofaContext *ctx = m->ctx;
  if (!ctx) return;
  sofa_list_free(ctx, &m->x);
  sofa_list_free(ctx, &m->ancestors.start);
  sofa_list_free(ctx, &m->ancestors.points);
  sofa_list_free(ctx, &m->ancestors.weights);
  sofa_list_free(ctx, &m->triangles);
  sofa_list_free(ctx, &m->gone);
  sofa_list_free(ctx, &m->origin);
  sofa_list_free(ctx, &m->first);
  sofa_list_free(ctx, &m->next);
  sofa_list_free(ctx, &m->cuts);
}

/* ---- corners ---- */

uint32_t cut_mesh_corner(const CutMesh *m, uint32_t corner) {
  while (corner != SOFA_NO_ELEMENT && m->gone.data[corner / 3]) corner = m->next.data[corner];
  return corner;
}

static void hang_in(CutMesh *m, uint32_t corner, uint32_t point) {
  m->next.data[corner] = m->first.data[point];
  m->first.data[point] = corner;
}

static SofaErr add_triangle(CutMesh *m, uint32_t a, uint32_t b, uint32_t c, uint32_t origin) {
  const SofaTriangle triangle = {{a, b, c}};
  const bool gone = false;
  const uint32_t none = SOFA_NO_ELEMENT, t = (uint32_t)m->triangles.n;
  SOFA_TRY(SOFA_APPEND(m->ctx, &m->triangles, &triangle));
  SOFA_TRY(SOFA_APPEND(m->ctx, &m->gone, &gone));
  SOFA_TRY(SOFA_APPEND(m->ctx, &m->origin, &origin));
  for (int c3 = 0; c3 < 3; c3++) SOFA_TRY(SOFA_APPEND(m->ctx, &m->next, &none));
  for (uint32_t k = 0; k < 3; k++) hang_in(m, 3 * t + k, triangle.v[k]);
  return SOFA_OK;
}

static SofaErr fill(CutMesh *m, const double *x, const SofaTriangles *triangles) {
  const uint32_t none = SOFA_NO_ELEMENT, zero = 0;
  SOFA_TRY(SOFA_RESIZE(m->ctx, &m->x, m->n_points));
  if (m->n_points) sofa_copy(m->x.data, x, m->n_points * sizeof *m->x.data);
  SOFA_TRY(SOFA_RESIZE(m->ctx, &m->first, m->n_points));
  for (size_t i = 0; i < m->n_points; i++) m->first.data[i] = none;
  for (uint32_t t = 0; t < m->n_triangles; t++) {
    const uint32_t *v = triangles->data[t].v;
    SOFA_TRY(add_triangle(m, v[0], v[1], v[2], t));
  }
  return SOFA_APPEND(m->ctx, &m->ancestors.start, &zero);
}

SofaErr cut_mesh_make(SofaContext *ctx, const double *x, size_t n, const SofaTriangles *triangles,
                      CutMesh *m) {
  *m = (CutMesh){.ctx = ctx, .n_points = n, .n_triangles = triangles->n};
  const SofaErr err = fill(m, x, triangles);
  if (err != SOFA_OK) cut_mesh_free(m);
  return err;
}

/* The third vertex of a corner's triangle when it has the edge to b; else SOFA_NO_ELEMENT. */
static uint32_t opposite(const CutMesh *m, uint32_t corner, uint32_t b) {
  uint32_t p, q;
  cut_mesh_others(m, corner, &p, &q);
  return p == b ? q : q == b ? p : SOFA_NO_ELEMENT;
}

bool cut_mesh_on_border(const CutMesh *m, uint32_t a, uint32_t b) {
  int n = 0;
  for (uint32_t c = cut_mesh_first(m, a); c != SOFA_NO_ELEMENT; c = cut_mesh_next(m, c))
    n += opposite(m, c, b) != SOFA_NO_ELEMENT;
  return n == 1;
}

/* ---- points ---- */

/* Adds w p to a sum of old points. */
static SofaErr add_share(CutMesh *m, uint32_t point, double w) {
  SofaAncestors *a = &m->ancestors;
  const uint32_t begin = a->start.data[a->start.n - 1];
  if (w == 0) return SOFA_OK;
  for (size_t k = begin; k < a->points.n; k++)
    if (a->points.data[k] == point) {
      a->weights.data[k] += w;
      return SOFA_OK;
    }
  SOFA_TRY(SOFA_APPEND(m->ctx, &a->points, &point));
  return SOFA_APPEND(m->ctx, &a->weights, &w);
}

/* A new point, the sum of n others. */
static SofaErr add_point(CutMesh *m, const uint32_t *points, const double *w, int n,
                         uint32_t *out) {
  SofaAncestors *a = &m->ancestors;
  const uint32_t none = SOFA_NO_ELEMENT, begin = (uint32_t)a->points.n;
  SofaVec3 x = {{0, 0, 0}};
  for (int i = 0; i < n; i++) {
    if (points[i] < m->n_points) {
      SOFA_TRY(add_share(m, points[i], w[i]));
      continue;
    }
    const uint32_t p = points[i] - (uint32_t)m->n_points;
    for (uint32_t k = a->start.data[p]; k < a->start.data[p + 1]; k++)
      SOFA_TRY(add_share(m, a->points.data[k], w[i] * a->weights.data[k]));
  }
  const uint32_t end = (uint32_t)a->points.n;
  for (uint32_t k = begin; k < end; k++)
    for (int c = 0; c < 3; c++) x.v[c] += a->weights.data[k] * m->x.data[a->points.data[k]].v[c];
  *out = (uint32_t)m->x.n;
  SOFA_TRY(SOFA_APPEND(m->ctx, &a->start, &end));
  SOFA_TRY(SOFA_APPEND(m->ctx, &m->first, &none));
  return SOFA_APPEND(m->ctx, &m->x, &x);
}

/* ---- splitting ---- */

static SofaErr split_marks(CutMesh *m, uint32_t a, uint32_t b, uint32_t point) {
  for (size_t i = 0; i < m->cuts.n; i++) {
    uint32_t *v = m->cuts.data[i].v;
    if (!((v[0] == a && v[1] == b) || (v[0] == b && v[1] == a))) continue;
    const SofaEdge second = {{point, v[1]}};
    v[1] = point;
    return SOFA_APPEND(m->ctx, &m->cuts, &second);
  }
  return SOFA_OK;
}

SofaErr cut_mesh_split_edge(CutMesh *m, uint32_t a, uint32_t b, double t, uint32_t *point) {
  const uint32_t ends[2] = {a, b};
  const double w[2] = {1 - t, t};
  SOFA_TRY(add_point(m, ends, w, 2, point));
  for (uint32_t c = cut_mesh_first(m, a); c != SOFA_NO_ELEMENT;) {
    uint32_t p, q;
    const uint32_t here = c, triangle = c / 3, origin = m->origin.data[triangle];
    cut_mesh_others(m, here, &p, &q);
    c = cut_mesh_next(m, c);
    if (p != b && q != b) continue;
    // in the direction of the triangle: a p q, with the new point between a and b
    m->gone.data[triangle] = true;
    if (p == b) {
      SOFA_TRY(add_triangle(m, a, *point, q, origin));
      SOFA_TRY(add_triangle(m, *point, b, q, origin));
    } else {
      SOFA_TRY(add_triangle(m, a, p, *point, origin));
      SOFA_TRY(add_triangle(m, *point, p, b, origin));
    }
  }
  return split_marks(m, a, b, *point);
}

SofaErr cut_mesh_split_triangle(CutMesh *m, uint32_t triangle, const double w[3], uint32_t *point) {
  const SofaTriangle t = m->triangles.data[triangle];
  const uint32_t origin = m->origin.data[triangle];
  SOFA_TRY(add_point(m, t.v, w, 3, point));
  m->gone.data[triangle] = true;
  for (int k = 0; k < 3; k++) SOFA_TRY(add_triangle(m, t.v[k], t.v[(k + 1) % 3], *point, origin));
  return SOFA_OK;
}

SofaErr cut_mesh_mark(CutMesh *m, uint32_t a, uint32_t b) {
  const SofaEdge edge = {{a, b}};
  for (size_t i = 0; i < m->cuts.n; i++) {
    const uint32_t *v = m->cuts.data[i].v;
    if ((v[0] == a && v[1] == b) || (v[0] == b && v[1] == a)) return SOFA_OK;
  }
  return SOFA_APPEND(m->ctx, &m->cuts, &edge);
}

/* ---- opening ---- */

/* The triangles around a point, and with which of them each hangs together. */
typedef struct Fan {
  SofaIndices corners;       /* of the point */
  SofaIndices whole, opened; /* number of the group: across all edges; not across marked ones */
} Fan;

/* One corner: what it gets instead of its point. */
typedef struct Renaming {
  uint32_t corner, point;
} Renaming;
SOFA_LIST(Renaming, Renamings);

static void join(SofaIndices *groups, uint32_t a, uint32_t b) {
  const uint32_t from = a > b ? a : b, to = a > b ? b : a;
  for (size_t i = 0; i < groups->n; i++)
    if (groups->data[i] == from) groups->data[i] = to;
}

static int by_number(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Corners in ascending order, so that the triangle with the smallest number keeps the point. */
static SofaErr collect(CutMesh *m, const SofaTupleMap *marks, uint32_t point, Fan *fan) {
  fan->corners.n = 0;
  for (uint32_t c = cut_mesh_first(m, point); c != SOFA_NO_ELEMENT; c = cut_mesh_next(m, c))
    SOFA_TRY(SOFA_APPEND(m->ctx, &fan->corners, &c));
  const size_t n = fan->corners.n;
  if (n) sofa_sort(fan->corners.data, n, sizeof *fan->corners.data, by_number);
  SOFA_TRY(SOFA_RESIZE(m->ctx, &fan->whole, n));
  SOFA_TRY(SOFA_RESIZE(m->ctx, &fan->opened, n));
  for (uint32_t i = 0; i < n; i++) fan->whole.data[i] = fan->opened.data[i] = i;
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < i; k++) {
      uint32_t a[2], b[2];
      cut_mesh_others(m, fan->corners.data[i], &a[0], &a[1]);
      cut_mesh_others(m, fan->corners.data[k], &b[0], &b[1]);
      for (int j = 0; j < 4; j++) {
        if (a[j / 2] != b[j % 2]) continue;
        const SofaTuple key = sofa_tuple2(point, a[j / 2]);
        join(&fan->whole, fan->whole.data[i], fan->whole.data[k]);
        if (sofa_tuple_map_find(marks, &key) == UINT32_MAX)
          join(&fan->opened, fan->opened.data[i], fan->opened.data[k]);
      }
    }
  return SOFA_OK;
}

/* Of the groups that a mark makes of one, the first keeps the point. */
static SofaErr open_point(CutMesh *m, uint32_t point, const Fan *fan, Renamings *renamings) {
  const double one = 1;
  for (uint32_t i = 0; i < fan->corners.n; i++) {
    if (fan->opened.data[i] != i || fan->whole.data[i] == i) continue;
    Renaming r = {0};
    SOFA_TRY(add_point(m, &point, &one, 1, &r.point));
    for (size_t k = i; k < fan->corners.n; k++) {
      if (fan->opened.data[k] != i) continue;
      r.corner = fan->corners.data[k];
      SOFA_TRY(SOFA_APPEND(m->ctx, renamings, &r));
    }
  }
  return SOFA_OK;
}

/* Old triangles are removed and inserted again with the other point. */
static SofaErr rename_corners(CutMesh *m, const Renamings *renamings) {
  SofaIndices moved = {0}; /* of each old triangle: where its copy is */
  SofaErr err = SOFA_RESIZE(m->ctx, &moved, m->n_triangles);
  for (size_t i = 0; i < renamings->n && err == SOFA_OK; i++) {
    const uint32_t corner = renamings->data[i].corner;
    uint32_t t = corner / 3;
    if (t < m->n_triangles && !moved.data[t]) {
      const SofaTriangle copy = m->triangles.data[t];
      moved.data[t] = (uint32_t)m->triangles.n;
      m->gone.data[t] = true;
      err = add_triangle(m, copy.v[0], copy.v[1], copy.v[2], t);
    }
    if (err != SOFA_OK) break;
    if (t < m->n_triangles) t = moved.data[t];
    m->triangles.data[t].v[corner % 3] = renamings->data[i].point;
  }
  sofa_list_free(m->ctx, &moved);
  return err;
}

SofaErr cut_mesh_open(CutMesh *m, size_t *doubled) {
  SofaTupleMap marks = {0};
  Fan fan = {.corners = {0}};
  Renamings renamings = {0};
  const size_t n = m->x.n;
  uint32_t found;
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < m->cuts.n; i++) {
    const SofaTuple key = sofa_tuple2(m->cuts.data[i].v[0], m->cuts.data[i].v[1]);
    SOFA_GO(err, done, sofa_tuple_map_add(m->ctx, &marks, &key, (uint32_t)i, &found));
  }
  SofaBools seen = {0};
  SOFA_GO(err, done, SOFA_RESIZE(m->ctx, &seen, n));
  for (size_t i = 0; i < 2 * m->cuts.n && err == SOFA_OK; i++) {
    const uint32_t point = m->cuts.data[i / 2].v[i % 2];
    if (seen.data[point]) continue;
    seen.data[point] = true;
    err = collect(m, &marks, point, &fan);
    if (err == SOFA_OK) err = open_point(m, point, &fan, &renamings);
  }
  sofa_list_free(m->ctx, &seen);
  if (err == SOFA_OK) err = rename_corners(m, &renamings);
  *doubled = m->x.n - n;
done:
  sofa_tuple_map_free(m->ctx, &marks);
  sofa_list_free(m->ctx, &fan.corners);
  sofa_list_free(m->ctx, &fan.whole);
  sofa_list_free(m->ctx, &fan.opened);
  sofa_list_free(m->ctx, &renamings);
  return err;
}
