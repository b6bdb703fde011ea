/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which neighbouring cells of a sparse grid are connected. */
#include <math.h>
#include <stdlib.h>
#include "math/vec.h"
#include "sparse_grid.h"

/* ---- the surface between two cells ---- */

/* Does the line through a and b meet the triangle t at most |b - a| away from a, on either side?
 * SOFA lets a segment reach as far backwards: kept, as it decides which cells share points. */
static bool segment_meets(const double *a, const double *b, const double t[3][3]) {
  double q[3], e1[3], e2[3], n[3], d[3], w[3];
  sofa_vec3_sub(a, t[0], q);
  sofa_vec3_sub(t[1], t[0], e1);
  sofa_vec3_sub(t[2], t[0], e2);
  sofa_vec3_cross(e1, e2, n);
  sofa_vec3_sub(b, a, d);
  const double length = sofa_vec3_norm(d);
  if (!(length > 0)) return false;
  for (int k = 0; k < 3; k++) d[k] /= length;
  double across = sofa_vec3_dot(d, n);
  const double sign = across > 0 ? 1 : -1;
  across *= sign;
  if (!(across > 1e-10)) return false;
  sofa_vec3_cross(q, e2, w);
  const double u = sign * sofa_vec3_dot(d, w);
  sofa_vec3_cross(e1, q, w);
  const double v = sign * sofa_vec3_dot(d, w);
  if (!(u >= 0 && v >= 0 && u + v <= across)) return false;
  const double at = -sign * sofa_vec3_dot(q, n);
  return -length * across <= at && at <= length * across;
}

/* Does an edge of a facet (without the one that closes it) meet the lower side of a cell? */
static bool surface_meets(const SofaSparseLevel *l, const SofaFacets *f, const int at[3],
                          uint32_t axis) {
  static const int corner[3][4][3] = {{{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {0, 1, 0}},
                                      {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}},
                                      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}}};
  double t[2][3][3], p[4][3];
  for (int k = 0; k < 4; k++) {
    int c[3];
    for (int i = 0; i < 3; i++) c[i] = at[i] + corner[axis][k][i];
    sofa_sparse_position(l, c, p[k]);
  }
  for (int k = 0; k < 3; k++) {
    sofa_vec3_copy(p[k], t[0][k]);
    sofa_vec3_copy(p[k ? k + 1 : 0], t[1][k]);
  }
  for (size_t i = 0; i + 1 < f->start.n; i++)
    for (size_t j = f->start.data[i] + 1; j < f->start.data[i + 1]; j++) {
      const double *a = f->vertex.data[f->corner.data[j - 1]].v;
      const double *b = f->vertex.data[f->corner.data[j]].v;
      // most edges do not reach the plane of the side
      if (fabs(p[0][axis] - a[axis]) > 1.001 * fabs(b[axis] - a[axis])) continue;
      if (segment_meets(a, b, (const double(*)[3])t[0]) ||
          segment_meets(a, b, (const double(*)[3])t[1]))
        return true;
    }
  return false;
}

/* ---- links ---- */

static int compare(const void *a, const void *b) {
  const SofaSparseLink *p = a, *q = b;
  if (p->a != q->a) return p->a < q->a ? -1 : 1;
  if (p->axis != q->axis) return p->axis < q->axis ? -1 : 1;
  return p->b < q->b ? -1 : p->b > q->b;
}

/* Sorts and keeps each link once. */
static void sort_links(SofaSparseLinks *links) {
  size_t n = 0;
  if (!links->n) return;
  sofa_sort(links->data, links->n, sizeof *links->data, compare);
  for (size_t i = 0; i < links->n; i++)
    if (!n || compare(&links->data[n - 1], &links->data[i])) links->data[n++] = links->data[i];
  links->n = n;
}

SofaErr sofa_sparse_link_finest(SofaContext *ctx, const SofaFacets *facets,
                                const SofaSparseOptions *options, SofaSparseLevel *l) {
  // here a place has one hexahedron, of the same number
  for (uint32_t h = 0; h < l->at.n; h++) {
    int at[3];
    sofa_sparse_cell_at(l, l->cell.data[h], at);
    for (uint32_t axis = 0; axis < 3; axis++) {
      int lower[3] = {at[0], at[1], at[2]};
      if (lower[axis]-- == 0) continue;
      const uint32_t b = l->place.data[sofa_sparse_cell(l, lower[0], lower[1], lower[2])];
      if (b == SOFA_NO_CELL) continue;
      if (options->finest_connectivity && l->boundary.data[h] && l->boundary.data[b] &&
          !surface_meets(l, facets, at, axis))
        continue;
      const SofaSparseLink link = {h, axis, b};
      SOFA_TRY(SOFA_APPEND(ctx, &l->links, &link));
    }
  }
  sort_links(&l->links);
  return SOFA_OK;
}

SofaErr sofa_sparse_link_coarse(SofaContext *ctx, const SofaSparseLevel *fine, SofaSparseLevel *l) {
  for (size_t i = 0; i < fine->links.n; i++) {
    const SofaSparseLink *f = &fine->links.data[i];
    const SofaSparseLink link = {fine->parent.data[f->a], f->axis, fine->parent.data[f->b]};
    if (l->at.data[link.a] != l->at.data[link.b]) SOFA_TRY(SOFA_APPEND(ctx, &l->links, &link));
  }
  sort_links(&l->links);
  return SOFA_OK;
}
