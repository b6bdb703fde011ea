/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The energy of a pair is a product of functions of the distance and of the angle of edges. */
#include "numerics/contact/barrier.h"

#include <math.h>

double sofa_barrier(double d2, double dhat2, double derivatives[2]) {
  derivatives[0] = derivatives[1] = 0;
  if (d2 >= dhat2) return 0;
  if (!(d2 > 0)) {
    derivatives[0] = -INFINITY;
    derivatives[1] = INFINITY;
    return INFINITY;
  }
  const double gap = d2 - dhat2, ratio = gap / d2, log_share = log(d2 / dhat2);
  derivatives[0] = -gap * (2 * log_share + ratio);
  derivatives[1] = -2 * log_share + ratio * (ratio - 4);
  return -gap * gap * log_share;
}

/* k b(d2): out is d2 before */
static void apply_barrier(SofaPairTerm *out, double k, double b, const double db[2], int side) {
  const double slope = k * db[0], bend = k * db[1];
  for (int i = 0; i < side; i++) {
    for (int j = 0; j < side; j++) {
      double *h = &out->hessian[i * side + j];
      *h = slope * *h + bend * (out->gradient[i] * out->gradient[j]);
    }
  }
  for (int i = 0; i < side; i++) out->gradient[i] *= slope;
  out->value = k * b;
}

/* out m of two functions of 4 points */
static void multiply(SofaPairTerm *out, const SofaPairTerm *m) {
  for (int i = 0; i < 12; i++) {
    for (int j = 0; j < 12; j++) {
      double *h = &out->hessian[12 * i + j];
      const double mixed = out->gradient[i] * m->gradient[j] + m->gradient[i] * out->gradient[j];
      *h = m->value * *h + mixed + out->value * m->hessian[12 * i + j];
    }
  }
  for (int i = 0; i < 12; i++)
    out->gradient[i] = m->value * out->gradient[i] + out->value * m->gradient[i];
  out->value *= m->value;
}

bool sofa_barrier_pair(SofaPairKind kind, const double *x, const SofaBarrierRule *rule,
                       SofaPairTerm *out) {
  SofaPairTerm m;
  double db[2], d2;
  const unsigned region = sofa_pair_region(kind, x, &d2);
  if (d2 >= rule->dhat2) return false;
  sofa_pair_distance2(kind, region, x, out);
  const double b = sofa_barrier(out->value, rule->dhat2, db);
  apply_barrier(out, rule->stiffness, b, db, 3 * (int)sofa_pair_points(kind));
  if (kind != SOFA_PAIR_EDGE_EDGE || !(rule->threshold > 0)) return true;
  sofa_edge_mollifier(x, rule->threshold, &m);
  if (m.value < 1) multiply(out, &m);
  return true;
}

/* ---- stiffness ---- */

SofaStiffnessBounds sofa_stiffness_bounds(const SofaBarrierScale *scale) {
  const double d2 = 1e-16 * scale->diagonal * scale->diagonal;
  double db[2];
  sofa_barrier(d2, scale->dhat2, db);
  const double least = 1e11 * scale->mass / (4 * d2 * db[1]);
  return (SofaStiffnessBounds){least, 100 * least};
}

double sofa_stiffness_start(const SofaStiffnessBounds *bounds, double barrier_energy,
                            double barrier_barrier) {
  const double balance = barrier_barrier > 0 ? -barrier_energy / barrier_barrier : 0;
  return fmin(bounds->most, fmax(bounds->least, balance));
}

double sofa_stiffness_next(const SofaStiffnessBounds *bounds, double stiffness, double diagonal,
                           double before, double now) {
  const double small = 1e-9 * diagonal;
  const bool closing = before < small && now < small && now < before;
  return closing ? fmin(bounds->most, 2 * stiffness) : stiffness;
}
