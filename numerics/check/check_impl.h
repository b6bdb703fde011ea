/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the checks share. */
#ifndef SOFA_NUMERICS_CHECK_CHECK_IMPL_H
#define SOFA_NUMERICS_CHECK_CHECK_IMPL_H

#include "numerics/check/check.h"

/* Appends a finding about an object (NULL: the scene). */
SofaErr sofa_check_add(SofaCheckReport *report, const SofaObject *object, SofaCheckVerdict verdict,
                       double error, const char *format, ...) __attribute__((format(printf, 5, 6)));

/* Comparisons of one object: the worst verdict, its error, and a text with all of them. */
typedef struct SofaComparisons {
  SofaContext *ctx;
  SofaCheckVerdict verdict;
  double error;
  SofaText text; /* owned */
} SofaComparisons;
/* "what 1.2e-09" */
SofaErr sofa_compare_add(SofaComparisons *c, const char *what, SofaCheckVerdict verdict,
                         double error);
/* "; why" */
SofaErr sofa_compare_say(SofaComparisons *c, const char *why);
/* Makes a finding of them and frees the text. */
SofaErr sofa_compare_end(SofaComparisons *c, const SofaObject *object, SofaCheckReport *report);

/* Largest relative error that counts as equal: of differences, and of sums in another order. */
#define SOFA_CHECK_DIFFERENCES 1e-5
#define SOFA_CHECK_ROUNDING 1e-9

/* Pseudo-random numbers in [-1, 1], the same in every run. */
double sofa_check_random(uint32_t *state);

double sofa_check_norm(size_t n, const double *a); /* the largest size of an entry */
double sofa_check_distance(size_t n, const double *a, const double *b);
double sofa_check_dot(size_t n, const double *a, const double *b);

/* What central differences are compared with. */
typedef struct SofaDifference {
  double error; /* relative, without what rounding explains; of the best step size */
  bool smooth;  /* false: the two one-sided differences do not approach each other */
} SofaDifference;

/* A function of a state moved by h along a fixed direction: n reals to out. */
typedef SofaErr (*SofaCheckFunction)(void *user, double h, double *out);
/* Is `derivative`, of n reals, that of the function at h = 0? */
typedef struct SofaDifferenceSpec {
  SofaCheckFunction function;
  void *user;
  size_t n;
  const double *derivative;
  double scale; /* an error is relative to the largest of this and of both derivatives */
  double noise; /* rounding error of the moved state, as a part of the way of h = 1 */
} SofaDifferenceSpec;
SofaErr sofa_check_differences(SofaContext *ctx, const SofaDifferenceSpec *spec,
                               SofaDifference *out);

#endif
