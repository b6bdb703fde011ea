/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Polynomials without a constant term. */
#include "components/solidmechanics/spring/polynomial.h"

SofaErr sofa_polynomials_init(SofaPolynomials *p, const SofaObject *object) {
  SofaContext *ctx = object->ctx;
  const double preset = 100;
  const uint32_t linear = 1;
  if (!p->coefficients.n) SOFA_TRY(SOFA_APPEND(ctx, &p->coefficients, &preset));
  if (!p->degrees.n) SOFA_TRY(SOFA_APPEND(ctx, &p->degrees, &linear));
  p->moved = p->moved && p->start.n == p->degrees.n;
  SOFA_TRY(SOFA_RESIZE(ctx, &p->start, p->degrees.n));
  uint64_t n = 0;
  for (size_t i = 0; i < p->degrees.n; i++) {
    if (!p->moved) p->start.data[i] = (uint32_t)n;
    n = (uint64_t)p->start.data[i] + p->degrees.data[i];
    if (n <= p->coefficients.n) continue;
    return sofa_field_fail(object, "polynomialStiffness", SOFA_ERR_ARGUMENT,
                           "%zu coefficients are too few for the degrees, which ask for %llu at "
                           "polynomial %zu",
                           p->coefficients.n, (unsigned long long)n, i);
  }
  return SOFA_OK;
}

void sofa_polynomials_of_springs(SofaPolynomials *p, size_t n) {
  if (p->degrees.n != n) p->degrees.n = p->start.n = 1;
  p->moved = true;
}

double sofa_polynomial_value(const SofaPolynomials *p, size_t i, double e) {
  const double *c = p->coefficients.data + p->start.data[i];
  double sum = 0;
  for (uint32_t k = p->degrees.data[i]; k-- > 0;) sum = (sum + c[k]) * e;
  return sum;
}

double sofa_polynomial_integral(const SofaPolynomials *p, size_t i, double e) {
  const double *c = p->coefficients.data + p->start.data[i];
  double sum = 0;
  for (uint32_t k = p->degrees.data[i]; k-- > 0;) sum = (sum + c[k] / (k + 2)) * e;
  return sum * e;
}

void sofa_polynomials_free(SofaPolynomials *p, SofaContext *ctx) {
  sofa_list_free(ctx, &p->start);
}
