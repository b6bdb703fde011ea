/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* In the tangent plane the Hessian of mu load f0(|u|) is (f1 / |u|) I + ((f1' - f1 / |u|) / |u|^2)
 * u u^T, with the eigenvalues f1 / |u| and f1'. */
#include "numerics/contact/friction.h"

#include <math.h>
#include <string.h>

#include "math/vec.h"

double sofa_friction_f0(double y, double eps) {
  if (y >= eps) return y;
  const double s = y / eps;
  return eps * (s * s * (1 - s / 3) + 1. / 3);
}
double sofa_friction_f1(double y, double eps) {
  if (y >= eps) return 1;
  const double s = y / eps;
  return s * (2 - s);
}
double sofa_friction_f1_over_y(double y, double eps) {
  return y >= eps ? 1 / y : (2 - y / eps) / eps;
}

/* ---- the earlier state ---- */

/* Two unit vectors across n, from the axis that is least along it. */
static void tangents(const double *n, double t[2][3]) {
  int axis = 0;
  for (int k = 1; k < 3; k++) {
    if (fabs(n[k]) < fabs(n[axis])) axis = k;
  }
  double e[3] = {0, 0, 0};
  e[axis] = 1;
  sofa_vec3_cross(n, e, t[0]);
  sofa_vec3_normalize(t[0]);
  sofa_vec3_cross(n, t[0], t[1]);
  sofa_vec3_normalize(t[1]);
}

bool sofa_friction_lag(SofaPairKind kind, const double *x, const SofaBarrierRule *rule,
                       SofaFrictionPair *out) {
  SofaClosest c;
  sofa_pair_closest(kind, x, &c);
  if (c.d2 >= rule->dhat2) return false;
  double db[2];
  sofa_barrier(c.d2, rule->dhat2, db);
  out->load = -rule->stiffness * db[0] * 2 * sqrt(c.d2);
  if (kind == SOFA_PAIR_EDGE_EDGE && rule->threshold > 0) {
    SofaPairTerm m;
    sofa_edge_mollifier(x, rule->threshold, &m);
    out->load *= m.value;
  }
  const int first = kind == SOFA_PAIR_EDGE_EDGE ? 2 : 1;
  for (int k = 0; k < 4; k++) out->weight[k] = k < first ? c.w[k] : -c.w[k];
  double n[3];
  sofa_vec3_copy(c.r, n);
  sofa_vec3_normalize(n);
  tangents(n, out->tangent);
  return true;
}

/* ---- energy ---- */

/* T M T^T of the 2 x 2 Hessian M, times the load */
static void tangent_hessian(const SofaFrictionPair *pair, const SofaFrictionRule *rule,
                            const double u[2], double p[9]) {
  const double y = sqrt(u[0] * u[0] + u[1] * u[1]), flat = sofa_friction_f1_over_y(y, rule->eps);
  const double along = y >= rule->eps ? 0 : 2 * (1 - y / rule->eps) / rule->eps;
  const double load = rule->mu * pair->load, e[2] = {y > 0 ? u[0] / y : 1, y > 0 ? u[1] / y : 0};
  double t[3], s[3];
  for (int k = 0; k < 3; k++) {
    t[k] = e[0] * pair->tangent[0][k] + e[1] * pair->tangent[1][k];
    s[k] = e[0] * pair->tangent[1][k] - e[1] * pair->tangent[0][k];
  }
  for (int k = 0; k < 9; k++)
    p[k] = load * (along * t[k / 3] * t[k % 3] + flat * s[k / 3] * s[k % 3]);
}

void sofa_friction_pair(const SofaFrictionPair *pair, const SofaFrictionRule *rule, unsigned n,
                        const double *dx, SofaPairTerm *out) {
  double move[3] = {0, 0, 0}, p[9], force[3];
  for (unsigned k = 0; k < n; k++) sofa_vec3_axpy(pair->weight[k], dx + 3 * k, move);
  const double u[2] = {sofa_vec3_dot(pair->tangent[0], move),
                       sofa_vec3_dot(pair->tangent[1], move)};
  const double y = sqrt(u[0] * u[0] + u[1] * u[1]), load = rule->mu * pair->load;
  const double slope = load * sofa_friction_f1_over_y(y, rule->eps);
  out->value = load * sofa_friction_f0(y, rule->eps);
  for (int k = 0; k < 3; k++)
    force[k] = slope * (u[0] * pair->tangent[0][k] + u[1] * pair->tangent[1][k]);
  tangent_hessian(pair, rule, u, p);
  const unsigned side = 3 * n;
  memset(out->gradient, 0, sizeof out->gradient);
  memset(out->hessian, 0, sizeof out->hessian);
  for (unsigned i = 0; i < side; i++) {
    out->gradient[i] = pair->weight[i / 3] * force[i % 3];
    for (unsigned j = 0; j < side; j++)
      out->hessian[i * side + j] =
          pair->weight[i / 3] * pair->weight[j / 3] * p[3 * (i % 3) + j % 3];
  }
}
