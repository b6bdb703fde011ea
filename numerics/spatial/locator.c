/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Bases and weights of elements for locating points. */
#include "numerics/spatial/locator.h"

#include <math.h>
#include <string.h>
#include "base/team.h"

void sofa_locator_add(SofaLocator *l, SofaElementKind kind, SofaElements list) {
  if (!list.n || l->n_groups == 2) return;
  l->group[l->n_groups] = list;
  l->kind[l->n_groups++] = kind;
  l->n += list.n;
}

const uint32_t *sofa_locator_vertices(const SofaLocator *l, size_t e, unsigned *n) {
  const size_t g = e < l->group[0].n ? 0 : 1;
  const SofaElements *list = &l->group[g];
  *n = list->width;
  return list->v + (g ? e - l->group[0].n : e) * list->width;
}

/* Vertices at the ends of the columns of B; the third is unused for surfaces. */
static const uint8_t *base_corners(SofaElementKind kind) {
  static const uint8_t simplex[3] = {1, 2, 3}, box[3] = {1, 3, 4};
  return kind == SOFA_ELEMENT_TETRA || kind == SOFA_ELEMENT_TRIANGLE ? simplex : box;
}

static SofaElementKind kind_of(const SofaLocator *l, size_t e) {
  return l->kind[e < l->group[0].n ? 0 : 1];
}

void sofa_locator_base(const SofaLocator *l, size_t e, double b[9]) {
  unsigned n;
  const uint32_t *vertex = sofa_locator_vertices(l, e, &n);
  const SofaElementKind kind = kind_of(l, e);
  const uint8_t *corner = base_corners(kind);
  const bool surface = kind == SOFA_ELEMENT_TRIANGLE || kind == SOFA_ELEMENT_QUAD;
  const double *p0 = l->x + 3 * (size_t)vertex[0];
  for (int k = 0; k < (surface ? 2 : 3); k++) {
    const double *p = l->x + 3 * (size_t)vertex[corner[k]];
    for (int c = 0; c < 3; c++) b[3 * c + k] = p[c] - p0[c];
  }
  if (!surface) return;
  b[2] = b[3] * b[7] - b[6] * b[4];
  b[5] = b[6] * b[1] - b[0] * b[7];
  b[8] = b[0] * b[4] - b[3] * b[1];
}

/* Inverse by cofactors; false when the determinant vanishes or is not a number. Points on faces are
 * in the element or not by rounding: products are fused where SOFA's compiler fuses them, those of
 * the third row are shared with the determinant. */
static bool invert(const double m[9], double inverse[9]) {
  const double a[6] = {m[0] * m[4], m[3] * m[7], m[6] * m[1],
                       m[0] * m[7], m[3] * m[1], m[6] * m[4]};
  double det = fma(a[2], m[5], fma(a[0], m[8], a[1] * m[2]));
  det = fma(-a[5], m[2], fma(-a[4], m[8], fma(-a[3], m[5], det)));
  if (!(fabs(det) > 1e-100) || !isfinite(det)) return false;
  inverse[0] = fma(m[4], m[8], -(m[7] * m[5])) / det;
  inverse[1] = fma(m[7], m[2], -(m[1] * m[8])) / det;
  inverse[2] = fma(m[1], m[5], -(m[4] * m[2])) / det;
  inverse[3] = fma(m[5], m[6], -(m[8] * m[3])) / det;
  inverse[4] = fma(m[8], m[0], -(m[2] * m[6])) / det;
  inverse[5] = fma(m[2], m[3], -(m[5] * m[0])) / det;
  inverse[6] = (a[1] - a[5]) / det;
  inverse[7] = (a[2] - a[3]) / det;
  inverse[8] = (a[0] - a[4]) / det;
  return true;
}

static bool prepare_element(const SofaLocator *l, size_t e, SofaLocatorElement *out) {
  unsigned n;
  double b[9];
  const uint32_t *vertex = sofa_locator_vertices(l, e, &n);
  for (unsigned k = 0; k < n; k++)
    if (vertex[k] >= l->n_x) return false;
  out->kind = kind_of(l, e);
  memcpy(out->origin, l->x + 3 * (size_t)vertex[0], sizeof out->origin);
  for (int c = 0; c < 3; c++) {
    double sum = 0;
    for (unsigned k = 0; k < n; k++) sum += l->x[3 * (size_t)vertex[k] + (size_t)c];
    out->center[c] = sum / n;
  }
  sofa_locator_base(l, e, b);
  out->degenerate = !invert(b, out->inverse);
  return true;
}

SofaErr sofa_locator_prepare(SofaLocator *l, size_t *bad) {
  *bad = 0;
  l->element = sofa_alloc(l->ctx, l->n, sizeof *l->element);
  if (!l->element) return SOFA_ERR_MEMORY;
  for (size_t e = 0; e < l->n; e++) {
    *bad = e;
    if (!prepare_element(l, e, &l->element[e])) return SOFA_ERR_RANGE;
  }
  return SOFA_OK;
}

void sofa_locator_free(SofaLocator *l) {
  if (!l->ctx) return;
  sofa_locator_free_tree(l);
  sofa_free(l->ctx, l->element);
  l->element = NULL;
  l->n = l->n_groups = 0;
}

unsigned sofa_element_weights(SofaElementKind kind, const double v[3], double w[8]) {
  const double a = v[0], b = v[1], c = v[2];
  switch (kind) {
  case SOFA_ELEMENT_EDGE:
    w[0] = 1 - a, w[1] = a;
    return 2;
  case SOFA_ELEMENT_TRIANGLE:
    w[0] = 1 - a - b, w[1] = a, w[2] = b;
    return 3;
  case SOFA_ELEMENT_QUAD:
    w[0] = (1 - a) * (1 - b), w[1] = a * (1 - b), w[2] = a * b, w[3] = (1 - a) * b;
    return 4;
  case SOFA_ELEMENT_TETRA:
    w[0] = 1 - a - b - c, w[1] = a, w[2] = b, w[3] = c;
    return 4;
  default: /* hexahedron */
    for (int k = 0; k < 2; k++) {
      const double z = k ? c : 1 - c;
      w[4 * k] = (1 - a) * (1 - b) * z;
      w[4 * k + 1] = a * (1 - b) * z;
      w[4 * k + 2] = a * b * z;
      w[4 * k + 3] = (1 - a) * b * z;
    }
    return 8;
  }
}

enum { POINTS_GRAIN = 16 };

/* Points to locate. */
typedef struct Search {
  SofaPlaces places;
  SofaLocate locate;
  const void *by;
  SofaLocation *out;
} Search;

static void locate_points(void *user, size_t begin, size_t end) {
  const Search *s = user;
  for (size_t i = begin; i < end; i++)
    s->out[i] = s->locate(s->by, s->places.p + s->places.stride * i);
}

void sofa_locate_each(const SofaContext *ctx, SofaPlaces places, SofaLocate locate, const void *by,
                      SofaLocation *out) {
  Search search = {places, locate, by, out};
  sofa_team_for(ctx, places.n, POINTS_GRAIN, locate_points, &search);
}

static SofaLocation search_all(const void *by, const double p[3]) {
  return sofa_locator_search(by, p, 1e10); // as in SOFA: farther elements do not match
}

SofaErr sofa_locate_all(SofaLocator *l, size_t n, const double *p, size_t stride,
                        SofaLocation *out) {
  SOFA_TRY(sofa_locator_make_tree(l));
  sofa_locate_each(l->ctx, (SofaPlaces){n, p, stride}, search_all, l, out);
  return SOFA_OK;
}
