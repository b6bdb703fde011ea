/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pressure on faces: area vectors, their derivative, and the points' shares of constant loads. */
#ifndef SOFA_COMPONENTS_MECHANICALLOAD_FACES_H
#define SOFA_COMPONENTS_MECHANICALLOAD_FACES_H

#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "components/mechanicalload/load.h"
#include "math/vec.h"
#include "numerics/fem/face_kernels.h"

/* n = (b - a) x (c - a): normal of a triangle, twice its area long. */
static inline void face_normal(const double *a, const double *b, const double *c, double *n) {
  double ab[3], ac[3];
  sofa_vec3_sub(b, a, ab);
  sofa_vec3_sub(c, a, ac);
  sofa_vec3_cross(ab, ac, n);
}
/* Area of a triangle (n 3) or of a quad as two triangles (0, 1, 2), (0, 2, 3) (n 4). */
static inline double face_area(const double *x, size_t stride, const uint32_t *v, unsigned n) {
  double cross[3], area = 0;
  for (unsigned k = 2; k < n; k++) {
    face_normal(x + v[0] * stride, x + v[k - 1] * stride, x + v[k] * stride, cross);
    area += 0.5 * sofa_vec3_norm(cross);
  }
  return area;
}

/* Rest positions of a force field's state, or its positions where it has none. */
static inline const double *load_rest(const SofaForceField *ff) {
  const SofaState *s = ff->state[0];
  return s->rest_position.n == s->position.n ? s->rest_position.data : s->position.data;
}

/* Triangles or quads of a list. */
#define FACES(list)                                                                                \
  ((SofaElements){(const uint32_t *)(const void *)(list)->data, (list)->n,                         \
                  sizeof *(list)->data / sizeof(uint32_t)})

/* share[i] += measure at rest / n of every listed face that point i belongs to; share is resized to
 * the points of the state. Faces of 3 or 4 vertices, which core has checked the list against. */
SofaErr face_shares(const SofaForceField *ff, const SofaIndices *list, SofaElements faces,
                    SofaReals *share);
/* f_i += share_i * load: a constant load per measure (3 reals). */
void face_add_shares(const SofaReals *share, const double *load, double *f);
/* -sum of share_i load.x_i: the energy of that load. */
double face_shares_energy(const SofaReals *share, const double *load, const double *x);
/* Triangles or quads of one surface: each edge of one is the reverse of an edge of another. Start
 * with 0 and add all faces; 0 at the end: it is closed. (A sum of hashes of directed edges.) */
uint64_t face_open_edges(SofaElements faces);
/* Reals for what is kept of n triangles, see numerics/fem/face_kernels.h, and where its rows begin:
 * with a line of the cache, since those that cross lines take twice the loads and stores. */
size_t face_kept(size_t n);
double *face_rows(const SofaReals *kept);
/* Triangles and how the threads sum up their vectors; sums may be NULL. */
typedef struct FaceSums {
  const SofaTriangles *triangles;
  const SofaElementSums *sums;
} FaceSums;
/* Makes *sums again, which the caller owns, for triangles of points of the state of ff. */
SofaErr face_sums_make(const SofaForceField *ff, const SofaTriangles *triangles,
                       SofaElementSums *sums);
/* Adds part times its area vector to each vertex of triangles and sets what is kept unless that is
 * NULL: for the tangent, df += k (..) dx, and factor times its matrix. x, f, dx and df are of the
 * state of ff; of derivs the first three reals move the points. */
void face_add_forces(const SofaForceField *ff, FaceSums faces, double part, const double *x,
                     double *f, double *kept);
void face_add_products(const SofaForceField *ff, FaceSums faces, const double *kept, double k,
                       const double *dx, double *df);
/* A closed surface at positions x, and a point near them; the vectors are added to f unless it is
 * NULL, and what is kept is set. */
typedef struct FaceSurface {
  const double *x, *origin;
  double *f, *kept;
  double *measures; /* face_measures, where that is not 0 */
} FaceSurface;
/* Reals for the sums of n triangles by several threads, 0 where one adds. */
size_t face_measures(const SofaElementSums *sums, size_t n);
/* As face_add_forces; the result is the volume, *area is set. The bits do not depend on threads. */
double face_add_surface(const SofaForceField *ff, FaceSums faces, double part,
                        const FaceSurface *of, double *area);
/* What a matrix of triangles is made of: factor times that of what is kept goes to the tangent. */
typedef struct FaceTangent {
  const double *kept;
  double factor;
  const SofaTangent *tangent;
} FaceTangent;
/* Triangle by triangle. */
void face_add_blocks(const SofaForceField *ff, const SofaTriangles *triangles, FaceTangent of);
/* b - a and c - a of triangle t, times what they are kept with. */
void face_kept_edges(const double *kept, size_t t, double ab[3], double ac[3]);
/* NULL where the points of the state of ff have not three reals. */
const SofaFaceKernels *face_kernels(const SofaForceField *ff);
/* Draws listed faces (NULL: all) where the state has them now. */
void face_draw(const SofaForceField *ff, const SofaDrawArgs *args, const SofaIndices *list,
               SofaElements faces, SofaRgba color);
/* Arrows at the vertices: scale * pressure times their share of the area vector of each face. */
void face_draw_pressure(const SofaForceField *ff, const SofaDrawArgs *args,
                        const SofaTriangles *triangles, double pressure, double scale,
                        SofaRgba color);
/* Appends the elements whose vertices all lie strictly between the planes x.normal = dmin, dmax. */
SofaErr face_select(const SofaForceField *ff, const double *normal, double dmin, double dmax,
                    SofaElements elements, SofaIndices *list);

#endif
