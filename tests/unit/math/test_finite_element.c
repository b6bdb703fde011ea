/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference elements: shape functions, quadrature, gradients, element matrices. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "numerics/fem/finite_element.h"

/* Elements of first order; those of second order: test_quadratic_element.c. */
#define N_FIRST SOFA_SHAPE_EDGE3
static const double nodes[N_FIRST][8][3] = {
    [SOFA_SHAPE_EDGE] = {{-1}, {1}},
    [SOFA_SHAPE_TRIANGLE] = {{0, 0}, {1, 0}, {0, 1}},
    [SOFA_SHAPE_QUAD] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}},
    [SOFA_SHAPE_TETRA] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    [SOFA_SHAPE_PYRAMID] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1}, {0, 0, 1}},
    [SOFA_SHAPE_PRISM] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
    [SOFA_SHAPE_HEXA] = {{-1, -1, -1},
                         {1, -1, -1},
                         {1, 1, -1},
                         {-1, 1, -1},
                         {-1, -1, 1},
                         {1, -1, 1},
                         {1, 1, 1},
                         {-1, 1, 1}},
};
static const double measures[N_FIRST] = {2, 0.5, 4, 1. / 6, 8. / 3, 0.5, 8};

static void shapes_are_one_at_their_node(void **state) {
  (void)state;
  for (SofaShape s = 0; s < N_FIRST; s++) {
    const unsigned n_nodes = sofa_shape_info(s)->n_nodes;
    assert_int_equal(sofa_shape_from_name(sofa_shape_info(s)->name), s);
    for (unsigned a = 0; a < n_nodes; a++) {
      double n[8], d[8][3];
      sofa_shape_functions(s, nodes[s][a], n, d);
      for (unsigned b = 0; b < n_nodes; b++) assert_true(fabs(n[b] - (a == b)) < 1e-15);
    }
  }
  assert_int_equal(sofa_shape_from_name("Cone"), SOFA_N_SHAPES);
}

static void derivatives_are_differences(void **state) {
  (void)state;
  const double at[3] = {0.21, 0.33, 0.17}, h = 1e-4;
  for (SofaShape s = 0; s < N_FIRST; s++) {
    const SofaShapeInfo *info = sofa_shape_info(s);
    double n[8], d[8][3], high[8], low[8], other[8][3], sum = 0;
    sofa_shape_functions(s, at, n, d);
    for (unsigned a = 0; a < info->n_nodes; a++) sum += n[a];
    assert_true(fabs(sum - 1) < 1e-15);
    for (unsigned i = 0; i < 3; i++) {
      double x[3] = {at[0], at[1], at[2]};
      x[i] += h;
      sofa_shape_functions(s, x, high, other);
      x[i] -= 2 * h;
      sofa_shape_functions(s, x, low, other);
      for (unsigned a = 0; a < info->n_nodes; a++) {
        const double expected = i < info->dim ? (high[a] - low[a]) / (2 * h) : 0;
        assert_true(fabs(d[a][i] - expected) < 1e-11);
      }
    }
  }
}

/* Both rules give the measure; that of masses also the integral of x^3 over simplices. */
static void rules_measure(void **state) {
  (void)state;
  for (SofaShape s = 0; s < N_FIRST; s++) {
    for (SofaRule rule = SOFA_RULE_STIFFNESS; rule <= SOFA_RULE_MASS; rule++) {
      SofaQuadraturePoint q[SOFA_QUADRATURE_MAX];
      const size_t n_points = sofa_quadrature(s, rule, q);
      const unsigned dim = sofa_shape_info(s)->dim;
      double sum = 0, cube = 0, p[24];
      for (unsigned k = 0; k < sofa_shape_info(s)->n_nodes * dim; k++)
        p[k] = nodes[s][k / dim][k % dim];
      for (size_t i = 0; i < n_points; i++) {
        double n[8], d[8][3], g[24];
        sofa_shape_functions(s, q[i].xi, n, d);
        sum += q[i].weight * sofa_shape_gradients(s, dim, p, d, g);
        cube += q[i].weight * pow(q[i].xi[0], 3);
      }
      // the pyramid's measure is of second degree: exact with two points per axis, too
      assert_true(fabs(sum - measures[s]) < 1e-14);
      if (rule != SOFA_RULE_MASS) continue;
      if (s == SOFA_SHAPE_TRIANGLE) assert_true(fabs(cube - 1. / 20) < 1e-15);
      if (s == SOFA_SHAPE_TETRA) assert_true(fabs(cube - 1. / 120) < 1e-15);
    }
  }
}

/* A rule fills its own points alone. */
static void rules_fill_their_points(void **state) {
  (void)state;
  for (SofaShape s = 0; s < SOFA_N_SHAPES; s++)
    for (SofaRule rule = SOFA_RULE_STIFFNESS; rule <= SOFA_RULE_REDUCED; rule++) {
      SofaQuadraturePoint q[SOFA_QUADRATURE_MAX];
      for (size_t i = 0; i < SOFA_QUADRATURE_MAX; i++) q[i].weight = -7;
      const size_t n = sofa_quadrature(s, rule, q);
      for (size_t i = 0; i < SOFA_QUADRATURE_MAX; i++) {
        if (i < n) assert_true(q[i].weight > -7);
        else assert_true(q[i].weight == -7);
      }
    }
}

/* Nodes moved, then mapped by a rotation into the space of `dim` dimensions. */
static void distort(SofaShape s, unsigned dim, double *p) {
  static const double r[9] = {0.36, 0.48, -0.8, -0.8, 0.6, 0, 0.48, 0.64, 0.6};
  for (unsigned n = 0; n < sofa_shape_info(s)->n_nodes; n++) {
    double x[3];
    for (unsigned i = 0; i < 3; i++) {
      const double *at = nodes[s][n];
      x[i] = i < sofa_shape_info(s)->dim ? 1.5 * at[i] + 0.1 * sin(3.0 * n + i) : 0;
    }
    for (unsigned i = 0; i < dim; i++) {
      p[n * dim + i] = dim < 3 ? x[i] : 0;
      for (unsigned j = 0; dim == 3 && j < 3; j++) p[n * dim + i] += r[3 * i + j] * x[j];
    }
  }
}

/* sum_n a.x_n g_n = a for linear fields (its tangential part on surfaces). */
static void gradients_are_exact_for_linear_fields(void **state) {
  (void)state;
  const double a[3] = {0.3, -1.2, 0.7}, at[3] = {0.2, 0.3, 0.1};
  for (SofaShape s = 0; s < N_FIRST; s++) {
    const SofaShapeInfo *info = sofa_shape_info(s);
    for (unsigned dim = info->dim; dim <= 3; dim++) {
      double p[24], n[8], d[8][3], g[24], gradient[3] = {0}, defect = 0;
      distort(s, dim, p);
      sofa_shape_functions(s, at, n, d);
      assert_true(sofa_shape_gradients(s, dim, p, d, g) > 0);
      for (unsigned b = 0; b < info->n_nodes; b++) {
        for (unsigned i = 0; i < dim; i++) {
          for (unsigned j = 0; j < dim; j++) gradient[i] += a[j] * p[b * dim + j] * g[b * dim + i];
        }
      }
      /* its differences along the edges are those of the field */
      for (unsigned b = 1; b < info->n_nodes && (s != SOFA_SHAPE_QUAD || dim == 2); b++) {
        for (unsigned i = 0; i < dim; i++) defect += (gradient[i] - a[i]) * (p[b * dim + i] - p[i]);
        assert_true(fabs(defect) < 1e-13);
      }
    }
  }
}

/* Stiffness: symmetric, no force in translations, none in rotations of a solid. */
static void stiffness_has_rigid_motions(void **state) {
  (void)state;
  for (SofaShape s = 0; s < N_FIRST; s++) {
    const SofaShapeInfo *info = sofa_shape_info(s);
    for (unsigned dim = info->dim; dim <= 3; dim++) {
      double p[24], k[576];
      const unsigned size = info->n_nodes * dim;
      distort(s, dim, p);
      assert_true(sofa_isotropic_stiffness(s, dim, p, 700, 300, k) > 0);
      for (unsigned r = 0; r < size; r++) {
        double turned = 0;
        for (unsigned c = 0; c < size; c++) {
          assert_true(fabs(k[r * size + c] - k[c * size + r]) < 1e-10);
          const double *at = p + c / dim * dim;
          if (dim > 1 && c % dim < 2) turned += k[r * size + c] * (c % dim ? at[0] : -at[1]);
        }
        for (unsigned i = 0; i < dim; i++) {
          double sum = 0;
          for (unsigned n = 0; n < info->n_nodes; n++) sum += k[r * size + n * dim + i];
          assert_true(fabs(sum) < 1e-10);
        }
        if (info->dim == dim) assert_true(fabs(turned) < 1e-9);
      }
    }
  }
}

/* M_ij of simplices with constant density, and the total for varying density and shape. */
static void masses_are_exact(void **state) {
  (void)state;
  for (SofaShape s = 0; s < N_FIRST; s++) {
    const SofaShapeInfo *info = sofa_shape_info(s);
    const unsigned n = info->n_nodes, dim = info->dim;
    double p[24], rho[8], m[64], sum = 0;
    for (unsigned k = 0; k < n * dim; k++) p[k] = nodes[s][k / dim][k % dim];
    for (unsigned a = 0; a < n; a++) rho[a] = 2;
    sofa_consistent_mass(s, dim, SOFA_RULE_MASS, p, rho, m);
    for (unsigned a = 0; a < n * n; a++) sum += m[a];
    assert_true(fabs(sum - 2 * measures[s]) < 1e-14);
    if (n != dim + 1) continue;
    for (unsigned a = 0; a < n * n; a++) {
      const double exact = 2 * measures[s] * (a % (n + 1) == 0 ? 2 : 1) / ((dim + 1) * (dim + 2));
      assert_true(fabs(m[a] - exact) < 1e-15);
    }
  }
}

static void degenerate_elements_are_found(void **state) {
  (void)state;
  const double flat[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
  const double turned[12] = {0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1};
  double k[144];
  assert_true(sofa_isotropic_stiffness(SOFA_SHAPE_TETRA, 3, flat, 1, 1, k) == 0);
  assert_true(sofa_isotropic_stiffness(SOFA_SHAPE_TETRA, 3, turned, 1, 1, k) == -1);
}

/* ---- integrals over elements ---- */

typedef struct Integral {
  SofaShape shape;
  unsigned dim;
  double p[24];
  double size, linear; /* of 1 and of 5 + 2 x + 3 y + 4 z, as many as there are dimensions */
} Integral;

static const double tilt = 53.0 / 15;

/* Numbers of Caribou's tests of its elements; NAN: not known. */
static void integrals(void **state) {
  (void)state;
  const Integral all[] = {
      {SOFA_SHAPE_EDGE, 1, {-5.5, 1.1}, 6.6, 3.96},
      {SOFA_SHAPE_EDGE, 2, {-1.5, -1.5, 5.5, 5.5}, 7 * sqrt(2), 148.49242404917499},
      {SOFA_SHAPE_EDGE, 3, {-1.5, -1.5, -5.2, 5.5, 5.5, 54.3}, NAN, 6827.9871616751},
      {SOFA_SHAPE_TRIANGLE, 2, {50, 50, 60, 50, 55, 55}, 25, 6750},
      {SOFA_SHAPE_TRIANGLE, 3, {50, 50, 0, 60, 50, 0, 55, 55, 0}, 25, 6750},
      {SOFA_SHAPE_QUAD, 2, {-5, -5, 5, -5, 10, 5, -10, 5}, 150, 1000},
      {SOFA_SHAPE_QUAD,
       3,
       {-5, -tilt, -tilt, 5, -tilt, -tilt, 10, tilt, tilt, -10, tilt, tilt},
       NAN,
       1161.498836605},
      {SOFA_SHAPE_HEXA,
       3,
       {-1, 1, -1, 1, 1, -1, 1, 1, 1, -1, 1, 1, -.5, -1, -.5, .5, -1, -.5, .5, -1, .5, -.5, -1, .5},
       14.0 / 3,
       79.0 / 3},
  };
  for (size_t e = 0; e < sizeof all / sizeof *all; e++) {
    const Integral *c = &all[e];
    SofaQuadraturePoint q[SOFA_QUADRATURE_MAX];
    const size_t n_points = sofa_quadrature(c->shape, SOFA_RULE_MASS, q);
    double size = 0, linear = 0;
    for (size_t k = 0; k < n_points; k++) {
      double n[SOFA_SHAPE_MAX_NODES], d[SOFA_SHAPE_MAX_NODES][3], g[24], value = 5;
      sofa_shape_functions(c->shape, q[k].xi, n, d);
      const double w = q[k].weight * fabs(sofa_shape_gradients(c->shape, c->dim, c->p, d, g));
      for (unsigned a = 0; a < sofa_shape_info(c->shape)->n_nodes; a++) {
        for (unsigned i = 0; i < c->dim; i++) value += (2 + i) * n[a] * c->p[c->dim * a + i];
      }
      size += w;
      linear += w * value;
    }
    if (!isnan(c->size)) assert_true(fabs(size - c->size) <= 1e-13 * c->size);
    assert_true(fabs(linear - c->linear) <= 1e-12 * c->linear);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integrals),
      cmocka_unit_test(shapes_are_one_at_their_node),
      cmocka_unit_test(derivatives_are_differences),
      cmocka_unit_test(rules_measure),
      cmocka_unit_test(rules_fill_their_points),
      cmocka_unit_test(gradients_are_exact_for_linear_fields),
      cmocka_unit_test(stiffness_has_rigid_motions),
      cmocka_unit_test(masses_are_exact),
      cmocka_unit_test(degenerate_elements_are_found),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
