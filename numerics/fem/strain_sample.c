/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strain and stress at the quadrature points of an element. */
#include "numerics/fem/strain_sample.h"

#include <math.h>
#include <string.h>
#include "math/polar.h"
#include "math/vec.h"

/* A point of an element: where it is at rest, the ratio of measures, T (rows are axes) and A. */
typedef struct Place {
  double at[3], measure, t[9], a[9];
} Place;

static unsigned nodes_of(const SofaStrainElement *e) {
  return sofa_shape_info(e->shape)->n_nodes;
}

/* The dimension of the element itself. */
static unsigned order_of(const SofaStrainElement *e) {
  return sofa_shape_info(e->shape)->dim;
}

static const double middles[SOFA_N_SHAPES][3] = {[SOFA_SHAPE_TRIANGLE] = {1. / 3, 1. / 3, 0},
                                                 [SOFA_SHAPE_TETRA] = {0.25, 0.25, 0.25},
                                                 [SOFA_SHAPE_PYRAMID] = {0, 0, -0.5},
                                                 [SOFA_SHAPE_PRISM] = {1. / 3, 1. / 3, 0.5}};

/* Axes of a line along d, the second one in the plane of x and y. */
static void line_axes(const double *d, double t[9]) {
  const double flat = hypot(d[0], d[1]);
  sofa_vec3_scale(1 / sofa_vec3_norm(d), d, t);
  sofa_vec3_set(t + 3, flat > 0 ? -d[1] / flat : 1, flat > 0 ? d[0] / flat : 0, 0);
  sofa_vec3_cross(t, t + 3, t + 6);
}

/* Axes of the tangent space with reference derivatives d: the first one along the first edge. */
static void tangent_axes(const SofaStrainElement *e, double (*d)[3], double t[9]) {
  double j[2][3] = {{0}}, normal[3];
  for (unsigned k = 0; k < nodes_of(e); k++)
    for (unsigned i = 0; i < order_of(e); i++) sofa_vec3_axpy(d[k][i], e->rest + 3 * k, j[i]);
  if (order_of(e) == 1) {
    line_axes(j[0], t);
    return;
  }
  sofa_vec3_cross(j[0], j[1], normal);
  sofa_vec3_scale(1 / sofa_vec3_norm(normal), normal, t + 6);
  sofa_vec3_sub(e->rest + 3, e->rest, t);
  sofa_vec3_axpy(-sofa_vec3_dot(t, t + 6), t + 6, t);
  sofa_vec3_scale(1 / sofa_vec3_norm(t), t, t);
  sofa_vec3_cross(t + 6, t, t + 3);
}

static bool take_place(const SofaStrainElement *e, const double *xi, Place *p) {
  static const double space[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3];
  double g[3 * SOFA_SHAPE_MAX_NODES] = {0}, x[3 * SOFA_SHAPE_MAX_NODES];
  memset(p, 0, sizeof *p);
  memcpy(p->t, space, sizeof space);
  sofa_shape_functions(e->shape, xi, n, d);
  for (unsigned k = 0; k < nodes_of(e); k++) sofa_vec3_axpy(n[k], e->rest + 3 * k, p->at);
  for (unsigned k = 0; k < nodes_of(e) * e->dim; k++) x[k] = e->rest[3 * (k / e->dim) + k % e->dim];
  p->measure = fabs(sofa_shape_gradients(e->shape, e->dim, x, d, g));
  if (!(p->measure > 0)) return false;
  if (order_of(e) < e->dim) tangent_axes(e, d, p->t);
  for (unsigned k = 0; k < nodes_of(e); k++)
    for (unsigned j = 0; j < order_of(e); j++) {
      double along = 0;
      for (unsigned c = 0; c < e->dim; c++) along += g[e->dim * k + c] * p->t[3 * j + c];
      for (unsigned i = 0; i < 3; i++) p->a[3 * i + j] += e->now[3 * k + i] * along;
    }
  return true;
}

/* The polar factor of a, 3 x order. */
static void turned_axes(unsigned order, const double *a, double b[9]) {
  double c[9] = {0};
  memset(b, 0, 9 * sizeof *b);
  if (order == 3) {
    sofa_polar(a, b, NULL);
    return;
  }
  // a (a^T a)^(-1/2); the root of 2 x 2 is (C + d I) / sqrt(trace C + 2 d) with d = sqrt(det C)
  for (unsigned i = 0; i < order; i++)
    for (unsigned j = 0; j < order; j++)
      for (unsigned k = 0; k < 3; k++) c[3 * i + j] += a[3 * k + i] * a[3 * k + j];
  const double det = order == 2 ? sqrt(fmax(c[0] * c[4] - c[1] * c[3], 0)) : 0;
  const double root = order == 2 ? sqrt(c[0] + c[4] + 2 * det) : sqrt(c[0]);
  if (order == 1) {
    for (int i = 0; i < 3 && root > 0; i++) b[3 * i] = a[3 * i] / root;
    return;
  }
  if (!(det > 0)) return;
  const double inverse[4] = {(c[4] + det) / (root * det), -c[1] / (root * det),
                             -c[3] / (root * det), (c[0] + det) / (root * det)};
  for (unsigned i = 0; i < 3; i++)
    for (unsigned j = 0; j < 2; j++)
      b[3 * i + j] = a[3 * i] * inverse[j] + a[3 * i + 1] * inverse[2 + j];
}

/* Of axes b: 3 x order, or with strains across the element all three. */
static void strain_of(const SofaStrainElement *e, const Place *p, const double *b,
                      double strain[6]) {
  static const unsigned row[6] = {0, 1, 2, 0, 1, 2}, column[6] = {0, 1, 2, 1, 2, 0};
  const unsigned n = e->across && e->fixed_frame ? e->dim : order_of(e);
  for (unsigned k = 0; k < 6; k++) {
    const unsigned i = row[k], j = column[k];
    double sum = 0;
    if (i >= n || j >= n) continue;
    for (unsigned c = 0; c < 3; c++)
      sum += b[3 * c + i] * p->a[3 * c + j] + b[3 * c + j] * p->a[3 * c + i];
    strain[k] = sum / 2 - (k < order_of(e));
  }
}

/* Strain and place at xi. middle: the axes that turned with the middle of a solid, or NULL. */
static void of_place(const SofaStrainElement *e, const double *xi, const double *middle, Place *p,
                     double *strain) {
  double b[9] = {0};
  memset(strain, 0, 6 * sizeof *strain);
  if (!take_place(e, xi, p)) return;
  if (e->fixed_frame) sofa_mat3_transpose(p->t, b);
  else if (order_of(e) == e->dim && middle) memcpy(b, middle, sizeof b);
  else turned_axes(order_of(e), p->a, b);
  strain_of(e, p, b, strain);
}

unsigned sofa_strain_sample(const SofaStrainElement *e, SofaElementSample *out) {
  Place p;
  double middle[9];
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  const size_t n_rule = sofa_quadrature(e->shape, e->rule, rule);
  of_place(e, middles[sofa_shape_info(e->shape)->corners], NULL, &p, out->middle_strain);
  turned_axes(order_of(e), p.a, middle);
  e->stress(e->law, e->element, out->middle_strain, out->middle_stress);
  sofa_vec3_copy(p.at, out->middle_place);
  memcpy(out->middle_axes, p.t, sizeof p.t);
  for (size_t q = 0; q < n_rule; q++) {
    of_place(e, rule[q].xi, middle, &p, out->strain[q]);
    e->stress(e->law, e->element, out->strain[q], out->stress[q]);
    sofa_vec3_copy(p.at, out->place[q]);
    memcpy(out->axes[q], p.t, sizeof p.t);
    out->weight[q] = rule[q].weight * p.measure;
  }
  return (unsigned)n_rule;
}

void sofa_isotropic_stress(double young, double poisson, unsigned law_dim, unsigned n_dim,
                           const double *strain, double *stress) {
  const unsigned n_normal = n_dim > law_dim ? n_dim : law_dim;
  const double mu = young / (2 * (1 + poisson));
  const double lambda = young * poisson / ((1 + poisson) * (1 - (law_dim - 1) * poisson));
  const double trace = strain[0] + strain[1] + strain[2];
  for (unsigned k = 0; k < 6; k++)
    stress[k] = 2 * mu * strain[k] + (k < n_normal ? lambda * trace : 0);
}
