/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Polynomials P(e) = sum_{p >= 1} c_p e^p of springs, listed one after the other. */
#ifndef SOFA_SPRING_POLYNOMIAL_H
#define SOFA_SPRING_POLYNOMIAL_H

#include "behavior/force_field.h"
#include "numerics/fem/polynomial_table.h"

typedef struct SofaPolynomials {
  /* fields */
  SofaReals coefficients; /* N, of all polynomials */
  SofaIndices degrees;    /* of each */
  /* state */
  SofaIndices start; /* place of the first coefficient of each */
  bool moved;        /* topological changes moved the entries: the places stay as they are */
} SofaPolynomials;

#define SOFA_POLYNOMIAL_ROWS(T)                                                                    \
  SOFA_FIELD(T, polynomials.coefficients, "polynomialStiffness", NULL, "N",                        \
             "coefficients of e, e^2, ... of the first polynomial, of the next, ...; empty: 100"), \
      SOFA_FIELD(                                                                                  \
          T, polynomials.degrees, "polynomialDegree", NULL, "",                                    \
          "degree of each polynomial; as many as springs, else the first one for all; empty: 1")

/* Quirk of the classes that list its row. */
enum { QUIRK_POLYNOMIAL_TANGENT = 1 << 20 };
#define QUIRK_POLYNOMIAL_TANGENT_ROW                                                               \
  {                                                                                                \
    QUIRK_POLYNOMIAL_TANGENT, "polynomial-tangent",                                                \
        "polynomial springs have tangents that are not the derivatives of their forces",           \
        "test_quirks_elements.springs"                                                             \
  }

/* Defaults, lengths of the lists; again after edits of them. Without enough coefficients it reports
 * and fails. */
SofaErr sofa_polynomials_init(SofaPolynomials *p, const SofaObject *object);
/* Which polynomial spring k of n has. */
static inline size_t sofa_polynomial_of(const SofaPolynomials *p, size_t k, size_t n) {
  return p->degrees.n == n ? k : 0;
}
/* For the kernels of n springs. */
static inline SofaPolynomialTable sofa_polynomial_table(const SofaPolynomials *p, size_t n) {
  return (SofaPolynomialTable){p->coefficients.data, p->degrees.data, p->start.data,
                               p->degrees.n == n ? n : 1};
}
double sofa_polynomial_value(const SofaPolynomials *p, size_t i, double e);
/* Integral of P from 0 to e. */
double sofa_polynomial_integral(const SofaPolynomials *p, size_t i, double e);
/* Before topological changes: polynomials that are not of one spring each are left for the first.
 */
void sofa_polynomials_of_springs(SofaPolynomials *p, size_t n);
/* Columns of the lists with an entry per spring, for topological changes. */
#define SOFA_POLYNOMIAL_COLUMNS(p)                                                                 \
  {.list = &(p)->degrees, .size = sizeof *(p)->degrees.data}, {                                    \
    .list = &(p)->start, .size = sizeof *(p)->start.data                                           \
  }
void sofa_polynomials_free(SofaPolynomials *p, SofaContext *ctx);

#endif
