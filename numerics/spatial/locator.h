/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which element of a mesh a point belongs to, and with which weights: the geometry of barycentric
 * mappings.
 *
 * Local coordinates of a point p in element e are v = B^-1 (p - p_0) with the columns of B
 *   tetrahedron  p1 - p0, p2 - p0, p3 - p0        triangle  p1 - p0, p2 - p0, their cross product
 *   hexahedron   p1 - p0, p3 - p0, p4 - p0        quad      p1 - p0, p3 - p0, their cross product
 * so those of hexahedra and quads are affine, not an inverse of the trilinear map. The measure of
 * (e, p) is d(v) where that is <= 0 (inside), else the squared distance to the mean of e's
 * vertices; a point belongs to the element with the smallest measure. Degenerate elements never
 * match. */
#ifndef SOFA_NUMERICS_SPATIAL_LOCATOR_H
#define SOFA_NUMERICS_SPATIAL_LOCATOR_H

#include <math.h>
#include "topology/topology.h"

SOFA_BEGIN_DECLS

typedef struct SofaLocatorElement {
  double inverse[9], origin[3], center[3]; /* B^-1 row major, p_0, mean of the vertices */
  SofaElementKind kind;
  bool degenerate;
} SofaLocatorElement;

/* Elements of one or two lists; ids count through the first list, then the second. */
typedef struct SofaLocator {
  SofaContext *ctx;
  const double *x; /* n_x x 3, borrowed */
  size_t n_x, n_groups, n;
  SofaElements group[2]; /* borrowed */
  SofaElementKind kind[2];
  SofaLocatorElement *element; /* n */
  struct SofaBoxTree *tree;    /* for exhaustive searches, made when first needed */
} SofaLocator;

typedef struct SofaLocation {
  size_t element; /* SOFA_NOWHERE: none */
  double measure, v[3];
} SofaLocation;
#define SOFA_NOWHERE SIZE_MAX

/* Appends a list of triangles, quads, tetrahedra or hexahedra (at most two lists, before
 * `prepare`). Empty lists are skipped. */
void sofa_locator_add(SofaLocator *l, SofaElementKind kind, SofaElements list);
/* Computes the bases. Vertices must be < n_x: else SOFA_ERR_RANGE, unreported, and *bad the
 * element. */
SofaErr sofa_locator_prepare(SofaLocator *l, size_t *bad);
void sofa_locator_free(SofaLocator *l);

/* Vertices of an element, and the columns of B (row major matrix of 3 columns). */
const uint32_t *sofa_locator_vertices(const SofaLocator *l, size_t e, unsigned *n);
void sofa_locator_base(const SofaLocator *l, size_t e, double b[9]);

/* d(v); <= 0 inside. */
static inline double sofa_element_distance(SofaElementKind kind, const double v[3]) {
  const double a = v[0], b = v[1], c = v[2];
  double d = -a > -b ? -a : -b, other;
  switch (kind) {
  case SOFA_ELEMENT_TETRA:
    other = -c > a + b + c - 1 ? -c : a + b + c - 1;
    break;
  case SOFA_ELEMENT_HEXA:
    other = -c > c - 1 ? -c : c - 1;
    other = other > a - 1 ? other : a - 1;
    other = other > b - 1 ? other : b - 1;
    break;
  case SOFA_ELEMENT_TRIANGLE:
    other = (c < 0 ? -c : c) - 0.01;
    other = other > a + b - 1 ? other : a + b - 1;
    break;
  default: /* quad */
    other = (c < 0 ? -c : c) - 0.01;
    other = other > a - 1 ? other : a - 1;
    other = other > b - 1 ? other : b - 1;
  }
  return d > other ? d : other;
}

/* Takes element e as the location of p if its measure is smaller than that there. by_id: of equal
 * ones the smaller id is taken; else the one tried first stays. */
static inline void sofa_locator_try(const SofaLocator *l, size_t e, const double p[3], bool by_id,
                                    SofaLocation *best) {
  const SofaLocatorElement *s = &l->element[e];
  if (s->degenerate) return;
  double v[3];
  const double u[3] = {p[0] - s->origin[0], p[1] - s->origin[1], p[2] - s->origin[2]};
  const double *b = s->inverse; // fused as in `invert`
  v[0] = fma(b[2], u[2], fma(b[0], u[0], b[1] * u[1]));
  v[1] = fma(b[5], u[2], fma(b[3], u[0], b[4] * u[1]));
  v[2] = fma(b[8], u[2], fma(b[7], u[1], b[6] * u[0]));
  double measure = sofa_element_distance(s->kind, v);
  if (measure > 0) {
    const double w[3] = {p[0] - s->center[0], p[1] - s->center[1], p[2] - s->center[2]};
    measure = w[0] * w[0] + w[1] * w[1] + w[2] * w[2];
  }
  if (measure < best->measure || (by_id && measure == best->measure && e < best->element)) {
    best->measure = measure;
    best->element = e;
    for (int k = 0; k < 3; k++) best->v[k] = v[k];
  }
}

/* Weights of the vertices at local coordinates v; returns their number. */
unsigned sofa_element_weights(SofaElementKind kind, const double v[3], double w[8]);

/* The best element of all whose measure is < limit; ties go to the smaller id. The tree must exist.
 */
SofaErr sofa_locator_make_tree(SofaLocator *l);
void sofa_locator_free_tree(SofaLocator *l);
SofaLocation sofa_locator_search(const SofaLocator *l, const double p[3], double limit);

/* Points of three reals, `stride` reals from one to the next. */
typedef struct SofaPlaces {
  size_t n;
  const double *p;
  size_t stride;
} SofaPlaces;
typedef SofaLocation (*SofaLocate)(const void *by, const double p[3]);
/* out[i] = locate(by, point i), on the team. */
void sofa_locate_each(const SofaContext *ctx, SofaPlaces places, SofaLocate locate, const void *by,
                      SofaLocation *out);

/* Locations of n points (3 reals each, `stride` apart) by exhaustive search: the rule of meshes. */
SofaErr sofa_locate_all(SofaLocator *l, size_t n, const double *p, size_t stride,
                        SofaLocation *out);
/* The rule of set containers: elements are registered in the cells (cubes of width h) of their
 * bounding boxes. A point looks at the elements of its cell; when there are none, at all; when the
 * measure found is larger than h/2 (squared lengths and local measures alike), also at those of the
 * 26 cells around. */
SofaErr sofa_locate_hashed(SofaLocator *l, double h, size_t n, const double *p, size_t stride,
                           SofaLocation *out);

SOFA_END_DECLS

#endif
