/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A symmetric mass matrix with one number per pair of points, the same for every coordinate, or one
 * for each: the assembled consistent masses of finite elements. */
#ifndef SOFA_NUMERICS_MASS_MASS_MATRIX_H
#define SOFA_NUMERICS_MASS_MASS_MATRIX_H

#include "behavior/mass.h"
#include "behavior/state_division.h"
#include "numerics/fem/element_pairs.h"
#include "numerics/mass/measure.h"

SOFA_BEGIN_DECLS

/* All-zero: empty. Owned by the caller. */
typedef struct SofaMassMatrix {
  unsigned width; /* numbers per pair: 1 (or 0), or one per coordinate; set before the creation */
  size_t n;       /* points */
  uint32_t *start, *column; /* compressed rows, columns ascending */
  double *value;            /* kg; `width` per place */
  double *row_sum;          /* n x width: sums of the rows, made by sofa_mass_matrix_sums */
  SofaElementPairs pairs;
  uint32_t *upper, *lower; /* of pair p: places of (row, column) and (column, row) in value */
} SofaMassMatrix;

/* The pattern of elements with points below n_points, all values 0. */
SofaErr sofa_mass_matrix_create(SofaContext *ctx, size_t n_elements, unsigned n_nodes,
                                const uint32_t *vertices, size_t n_points, SofaMassMatrix *out);
/* The consistent matrix of a geometry with one density per element, or one for all, and its sums.
 */
SofaErr sofa_mass_matrix_of_geometry(SofaContext *ctx, const SofaMassGeometry *geometry,
                                     const double *density, bool by_element, SofaMassMatrix *out);
void sofa_mass_matrix_free(SofaContext *ctx, SofaMassMatrix *m);
/* Adds the symmetric n_nodes x n_nodes matrix of an element, `width` numbers per entry. */
void sofa_mass_matrix_add(SofaMassMatrix *m, size_t element, const double *element_mass);
void sofa_mass_matrix_sums(SofaMassMatrix *m);
/* Values of (i, i), `width` of them. */
const double *sofa_mass_matrix_diagonal(const SofaMassMatrix *m, size_t i);
/* Of the `width` values, that of coordinate c. */
static inline double mass_matrix_of(const SofaMassMatrix *m, const double *values, size_t c) {
  return values[m->width > 1 ? c : 0];
}

/* res += factor M dx with `deriv` coordinates per point. */
void sofa_mass_matrix_multiply(const SofaMassMatrix *m, const SofaContext *ctx, size_t deriv,
                               const double *dx, double *res, double factor);
/* Adds M to a tangent. */
void sofa_mass_matrix_add_m(const SofaMassMatrix *m, const SofaContext *ctx, size_t deriv,
                            const SofaTangent *tangent);
/* 1/2 v . M v, J */
double sofa_mass_matrix_kinetic(const SofaMassMatrix *m, size_t deriv, const double *v);

/* The same for a diagonal matrix of n masses. */
void sofa_mass_diagonal_multiply(const double *masses, size_t n, size_t deriv, const double *dx,
                                 double *res, double factor);
void sofa_mass_diagonal_add_m(const double *masses, const SofaContext *ctx, size_t n, size_t deriv,
                              const SofaTangent *tangent);
/* 1/2 v . M v, J */
double sofa_mass_diagonal_kinetic(const double *masses, size_t n, size_t deriv, const double *v);
/* f_i += m_i g, and - sum m_i g . x_i */
void sofa_mass_diagonal_gravity(const double *masses, size_t n, size_t deriv, const double *g,
                                double *f);
double sofa_mass_diagonal_potential(const double *masses, size_t n, size_t deriv, const double *g,
                                    const double *x);

/* What forces are divided by, of a state whose points are divided among processes: copies of a
 * point get the sum of `own` over all of them, n x width. Of other states `out` becomes empty. */
SofaErr sofa_mass_diagonal_whole(const SofaState *state, size_t width, const double *own,
                                 SofaReals *out);

SOFA_END_DECLS

#endif
