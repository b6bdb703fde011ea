/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Central differences of functions against their derivatives. */
#include <float.h>
#include <math.h>

#include "numerics/check/check_impl.h"

double sofa_check_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (1 << 23) - 1;
}

double sofa_check_norm(size_t n, const double *a) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    if (isnan(a[i])) return NAN;
    most = fmax(most, fabs(a[i]));
  }
  return most;
}

double sofa_check_distance(size_t n, const double *a, const double *b) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    if (isnan(a[i] - b[i])) return NAN;
    most = fmax(most, fabs(a[i] - b[i]));
  }
  return most;
}

double sofa_check_dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

typedef struct Sides {
  double *plus, *minus, *middle; /* values at h, -h, 0 */
} Sides;

/* Error of the central difference by h, and how far the one-sided ones are apart, relative. */
static void measure(const SofaDifferenceSpec *s, const Sides *v, double h, double *error,
                    double *gap) {
  double scale = fmax(s->scale, sofa_check_norm(s->n, s->derivative)), values = 0;
  *error = *gap = 0;
  for (size_t i = 0; i < s->n; i++) {
    const double central = (v->plus[i] - v->minus[i]) / (2 * h);
    const double bend = (v->plus[i] - 2 * v->middle[i] + v->minus[i]) / h;
    const double e = fabs(central - s->derivative[i]);
    scale = fmax(scale, fabs(central));
    values = fmax(values, fmax(fabs(v->plus[i]), fabs(v->minus[i])));
    *error = isnan(e) ? INFINITY : fmax(*error, e);
    *gap = fmax(*gap, fabs(bend));
  }
  const double rounding = 32 * DBL_EPSILON * values / h + scale * s->noise / h;
  *error = *error > rounding ? *error - rounding : 0;
  *gap = *gap > 4 * rounding ? *gap - 4 * rounding : 0;
  if (scale > 0 && isfinite(scale)) *error /= scale, *gap /= scale;
}

/* The one-sided differences of a smooth function approach each other as h does; those of a kink
 * stay apart, and a kink that is nearer than the largest h is seen by it alone. */
SofaErr sofa_check_differences(SofaContext *ctx, const SofaDifferenceSpec *s, SofaDifference *out) {
  static const double sizes[] = {1e-4, 1e-5, 1e-6, 1e-7};
  enum { N = sizeof sizes / sizeof *sizes };
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Sides v = {SOFA_SCRATCH(ctx, double, s->n + 1), SOFA_SCRATCH(ctx, double, s->n + 1),
             SOFA_SCRATCH(ctx, double, s->n + 1)};
  double error = 0, gap[N] = {0};
  SofaErr err = v.plus && v.minus && v.middle ? SOFA_OK : SOFA_ERR_MEMORY;
  *out = (SofaDifference){INFINITY, true};
  if (err == SOFA_OK) err = s->function(s->user, 0, v.middle);
  for (int k = 0; k < N && err == SOFA_OK; k++) {
    SOFA_GO(err, done, s->function(s->user, sizes[k], v.plus));
    SOFA_GO(err, done, s->function(s->user, -sizes[k], v.minus));
    measure(s, &v, sizes[k], &error, &gap[k]);
    if (error < out->error) out->error = error;
  }
  for (int k = 0; k + 1 < N; k++)
    if (gap[k] > 1e-3 && gap[k + 1] > 0.5 * gap[k]) out->smooth = false;
done:
  sofa_scratch_release(ctx, mark);
  return err;
}
