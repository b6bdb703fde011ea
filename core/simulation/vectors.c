/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear combinations of vectors. */
#include "simulation/vectors.h"

#include <assert.h>

static void combine(SofaSpace s, size_t n_terms, const SofaTerm *terms, bool add, double *y) {
  double a[SOFA_TERMS_MAX];
  const double *x[SOFA_TERMS_MAX];
  assert(n_terms >= 1 && n_terms <= SOFA_TERMS_MAX);
  for (size_t k = 0; k < n_terms; k++) {
    a[k] = terms[k].a;
    x[k] = terms[k].x + s.first;
  }
  const SofaLincomb sum = {.n_terms = (int)n_terms, .add = add, .a = a, .x = x};
  s.ctx->kernels->lincomb(s.ctx->threads, s.n, &sum, y + s.first);
}

void sofa_vec_lincomb(SofaSpace s, size_t n_terms, const SofaTerm *terms, double *y) {
  combine(s, n_terms, terms, false, y);
}

void sofa_vec_add_lincomb(SofaSpace s, size_t n_terms, const SofaTerm *terms, double *y) {
  combine(s, n_terms, terms, true, y);
}

void sofa_vec_add_quotient(SofaSpace s, const double *x, double d, double *y) {
  for (size_t i = s.first; i < s.first + s.n; i++) y[i] += x[i] / d;
}

size_t sofa_vec_first_bad(SofaSpace s, const double *x) {
  size_t i = 0;
  while (i < s.n && isfinite(x[s.first + i])) i++;
  return i;
}
