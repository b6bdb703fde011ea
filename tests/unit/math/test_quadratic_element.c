/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reference elements of every order: nodes, shape functions, what they reproduce, exactness of the
 * rules of quadrature, motions without energy, refinement to second order. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "base/context.h"
#include "numerics/fem/raise_order.h"

enum { MAX = SOFA_SHAPE_MAX_NODES };

static void is_near(double value, double expected, double tolerance, const char *what) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%s: %.17g, expected %.17g", what, value, expected);
}

static const char *name_of(SofaShape s) {
  return sofa_shape_info(s)->name;
}

/* Where a point of the reference coordinates is in the straight reference element: the pyramid's
 * are collapsed. */
static void place(SofaShape s, const double *xi, double *x) {
  const double left = sofa_shape_info(s)->corners == SOFA_SHAPE_PYRAMID ? 0.5 * (1 - xi[2]) : 1;
  x[0] = left * xi[0];
  x[1] = left * xi[1];
  x[2] = xi[2];
}

/* Nodes of the straight element, n_nodes x 3. */
static void node_places(SofaShape s, double *p) {
  for (unsigned n = 0; n < sofa_shape_info(s)->n_nodes; n++) {
    double xi[3];
    sofa_shape_node(s, n, xi);
    place(s, xi, p + 3 * n);
  }
}

static const double inside[3][3] = {{0.21, 0.33, 0.17}, {0.05, 0.6, 0.3}, {0.4, 0.11, 0.02}};

static void one_at_their_node(void **state) {
  (void)state;
  for (SofaShape s = 0; s < SOFA_N_SHAPES; s++) {
    const unsigned n_nodes = sofa_shape_info(s)->n_nodes;
    assert_int_equal(sofa_shape_from_name(name_of(s)), s);
    for (unsigned a = 0; a < n_nodes; a++) {
      double n[MAX], d[MAX][3], xi[3];
      sofa_shape_node(s, a, xi);
      sofa_shape_functions(s, xi, n, d);
      for (unsigned b = 0; b < n_nodes; b++) is_near(n[b], a == b, 1e-15, name_of(s));
    }
  }
}

static void sum_to_one_and_have_slopes(void **state) {
  (void)state;
  const double h = 1e-4;
  for (SofaShape s = 0; s < SOFA_N_SHAPES; s++) {
    const SofaShapeInfo *info = sofa_shape_info(s);
    for (int k = 0; k < 3; k++) {
      double n[MAX], d[MAX][3], high[MAX], low[MAX], other[MAX][3], sum = 0;
      sofa_shape_functions(s, inside[k], n, d);
      for (unsigned a = 0; a < info->n_nodes; a++) sum += n[a];
      is_near(sum, 1, 1e-14, name_of(s));
      for (unsigned i = 0; i < 3; i++) {
        double x[3];
        memcpy(x, inside[k], sizeof x);
        x[i] += h;
        sofa_shape_functions(s, x, high, other);
        x[i] -= 2 * h;
        sofa_shape_functions(s, x, low, other);
        for (unsigned a = 0; a < info->n_nodes; a++)
          // differences of cubics: the error is h^2 / 6 times the third derivative
          is_near(d[a][i], i < info->dim ? (high[a] - low[a]) / (2 * h) : 0, 1e-7, name_of(s));
      }
    }
  }
}

/* A polynomial of the order of the element. */
static double polynomial(unsigned order, unsigned dim, const double *x) {
  const double y = dim > 1 ? x[1] : 0, z = dim > 2 ? x[2] : 0;
  const double first = 0.3 - 1.2 * x[0] + 0.7 * y + 0.4 * z;
  if (order == 1) return first;
  return first + 0.5 * x[0] * x[0] - 0.8 * y * y + 0.6 * z * z + 1.1 * x[0] * y - 0.9 * y * z +
         0.35 * z * x[0];
}

/* All polynomials of the order are reproduced where the edges are straight. */
static void reproduce_polynomials(void **state) {
  (void)state;
  for (SofaShape s = 0; s < SOFA_N_SHAPES; s++) {
    const SofaShapeInfo *info = sofa_shape_info(s);
    double p[3 * MAX];
    node_places(s, p);
    for (int k = 0; k < 3; k++) {
      double n[MAX], d[MAX][3], x[3], sum = 0;
      sofa_shape_functions(s, inside[k], n, d);
      place(s, inside[k], x);
      for (unsigned a = 0; a < info->n_nodes; a++)
        sum += n[a] * polynomial(info->order, info->dim, p + 3 * a);
      is_near(sum, polynomial(info->order, info->dim, x), 1e-14, name_of(s));
    }
  }
}

/* ---- quadrature ---- */

/* The integral of x^a y^b z^c over the reference element. */
static double moment(SofaShape corners, int a, int b, int c) {
  const double cube[3] = {a % 2 ? 0 : 2. / (a + 1), b % 2 ? 0 : 2. / (b + 1),
                          c % 2 ? 0 : 2. / (c + 1)};
  const double flat = tgamma(a + 1) * tgamma(b + 1);
  switch (corners) {
  case SOFA_SHAPE_EDGE:
    return cube[0];
  case SOFA_SHAPE_QUAD:
    return cube[0] * cube[1];
  case SOFA_SHAPE_TRIANGLE:
    return flat / tgamma(a + b + 3);
  case SOFA_SHAPE_TETRA:
    return flat * tgamma(c + 1) / tgamma(a + b + c + 4);
  case SOFA_SHAPE_PRISM:
    return flat / tgamma(a + b + 3) / (c + 1);
  default:
    return cube[0] * cube[1] * cube[2];
  }
}

typedef struct RuleCase {
  SofaRule rule;
  int total; /* degree */
} RuleCase;

/* Degrees to which a rule is exact; the pyramid's points are those of a cube. */
static RuleCase degrees(SofaShape s, SofaRule rule) {
  const bool simplex = sofa_shape_info(s)->corners == SOFA_SHAPE_TRIANGLE ||
                       sofa_shape_info(s)->corners == SOFA_SHAPE_TETRA;
  const bool second = sofa_shape_info(s)->order == 2;
  const bool few = rule == SOFA_RULE_REDUCED && (s == SOFA_SHAPE_QUAD8 || s == SOFA_SHAPE_HEXA20);
  RuleCase c = {rule, 0};
  const bool prism = sofa_shape_info(s)->corners == SOFA_SHAPE_PRISM;
  // collapsing takes a degree per axis that shrinks
  if (rule == SOFA_RULE_MASS) c.total = (second ? 7 : 5) - (simplex ? 2 : 0) - (prism ? 1 : 0);
  else if (simplex) c.total = second ? 2 : 1;
  else if (s == SOFA_SHAPE_EDGE) c.total = 1;
  else if (s == SOFA_SHAPE_EDGE3) c.total = 3;
  else if (s == SOFA_SHAPE_PRISM) c.total = rule == SOFA_RULE_STIFFNESS ? 1 : 2;
  else if (s == SOFA_SHAPE_PRISM15) c.total = 2;
  else if (s == SOFA_SHAPE_QUAD) c.total = rule == SOFA_RULE_STIFFNESS ? 2 : 3;
  else c.total = second && !few ? 5 : 3;
  return c;
}

static void check_rule(SofaShape s, const RuleCase *c) {
  SofaQuadraturePoint q[SOFA_QUADRATURE_MAX];
  const SofaShapeInfo *info = sofa_shape_info(s);
  const size_t n = sofa_quadrature(s, c->rule, q);
  assert_in_range(n, 1, SOFA_QUADRATURE_MAX);
  for (int i = 0; i <= c->total; i++)
    for (int j = 0; j <= (info->dim > 1 ? c->total - i : 0); j++)
      for (int k = 0; k <= (info->dim > 2 ? c->total - i - j : 0); k++) {
        double sum = 0;
        for (size_t p = 0; p < n; p++)
          sum += q[p].weight * pow(q[p].xi[0], i) * pow(q[p].xi[1], j) * pow(q[p].xi[2], k);
        is_near(sum, moment(info->corners, i, j, k), 1e-14, info->name);
      }
}

static void rules_are_exact(void **state) {
  (void)state;
  for (SofaShape s = 0; s < SOFA_N_SHAPES; s++)
    for (SofaRule rule = SOFA_RULE_STIFFNESS; rule <= SOFA_RULE_REDUCED; rule++) {
      const RuleCase c = degrees(s, rule);
      check_rule(s, &c);
    }
}

/* ---- motions without energy ---- */

/* The rank of the strains at the points of a rule: of a square matrix, by elimination with full
 * pivots. */
static unsigned rank(double *k, unsigned n) {
  unsigned r = 0;
  for (; r < n; r++) {
    unsigned row = r, column = r;
    for (unsigned i = r; i < n; i++)
      for (unsigned j = r; j < n; j++)
        if (fabs(k[i * n + j]) > fabs(k[row * n + column])) row = i, column = j;
    if (fabs(k[row * n + column]) < 1e-9) break;
    for (unsigned j = 0; j < n; j++) {
      const double t = k[r * n + j];
      k[r * n + j] = k[row * n + j];
      k[row * n + j] = t;
    }
    for (unsigned i = 0; i < n; i++) {
      const double t = k[i * n + r];
      k[i * n + r] = k[i * n + column];
      k[i * n + column] = t;
    }
    for (unsigned i = r + 1; i < n; i++) {
      const double factor = k[i * n + r] / k[r * n + r];
      for (unsigned j = r; j < n; j++) k[i * n + j] -= factor * k[r * n + j];
    }
  }
  return r;
}

static unsigned stiffness_rank(SofaShape s, SofaRule rule) {
  static double k[9 * MAX * MAX];
  SofaQuadraturePoint q[SOFA_QUADRATURE_MAX];
  double p[3 * MAX];
  const unsigned n_nodes = sofa_shape_info(s)->n_nodes;
  const size_t n = sofa_quadrature(s, rule, q);
  memset(k, 0, sizeof k);
  node_places(s, p);
  for (size_t i = 0; i < n; i++) {
    double f[MAX], d[MAX][3], g[3 * MAX];
    sofa_shape_functions(s, q[i].xi, f, d);
    const double measure = sofa_shape_gradients(s, 3, p, d, g);
    assert_true(measure > 0);
    sofa_add_isotropic_stiffness(n_nodes, 3, g, measure, measure, k);
  }
  sofa_mirror_blocks(n_nodes, 3, k);
  return rank(k, 3 * n_nodes);
}

/* Six motions of every solid have no energy, and no more with the full rule. */
static void no_spurious_motions(void **state) {
  (void)state;
  for (SofaShape s = 0; s < SOFA_N_SHAPES; s++) {
    const SofaShapeInfo *info = sofa_shape_info(s);
    if (info->dim == 3) assert_int_equal(stiffness_rank(s, SOFA_RULE_FULL), 3 * info->n_nodes - 6);
  }
  assert_int_equal(stiffness_rank(SOFA_SHAPE_HEXA20, SOFA_RULE_REDUCED), 48);
  assert_int_equal(stiffness_rank(SOFA_SHAPE_PRISM, SOFA_RULE_STIFFNESS), 11);
}

/* ---- numbers ---- */

/* The numbers of the plugin's elements: nodes in VTK's order. */
static void values_of_the_plugin(void **state) {
  static const double hexa[20] = {
      -0.087890625, -0.1171875,  -0.05859375, -0.041015625, -0.24609375, -0.205078125, -0.205078125,
      -0.1640625,   0.087890625, 0.05859375,  0.029296875,  0.03515625,  0.615234375,  0.41015625,
      0.205078125,  0.24609375,  0.123046875, 0.205078125,  0.068359375, 0.041015625};
  static const double tetra[10] = {-0.08, -0.08, -0.12, -0.12, 0.16, 0.08, 0.32, 0.48, 0.12, 0.24};
  const double at_hexa[3] = {0.25, -0.5, 0.75}, at_tetra[3] = {0.1, 0.2, 0.3};
  double n[MAX], d[MAX][3];
  (void)state;
  sofa_shape_functions(SOFA_SHAPE_HEXA20, at_hexa, n, d);
  for (int k = 0; k < 20; k++) is_near(n[k], hexa[k], 1e-15, "Hexahedron20");
  sofa_shape_functions(SOFA_SHAPE_TETRA10, at_tetra, n, d);
  for (int k = 0; k < 10; k++) is_near(n[k], tetra[k], 1e-15, "Tetrahedron10");
}

/* Two hexahedra with a common face: 12 + 20 + 11 + 2 nodes. */
static void raised_order(void **state) {
  static const uint32_t v[16] = {0, 1, 4, 3, 6, 7, 10, 9, 1, 2, 5, 4, 7, 8, 11, 10};
  static const size_t n_nodes[2] = {32, 45};
  static const SofaShape shapes[2] = {SOFA_SHAPE_HEXA20, SOFA_SHAPE_HEXA27};
  (void)state;
  for (int k = 0; k < 2; k++) {
    SofaContext *ctx = NULL;
    SofaRaisedMesh mesh = {.nodes = {0}};
    SofaIndices list = {0};
    assert_int_equal(sofa_context_create_bare(NULL, &ctx), SOFA_OK);
    for (int i = 0; i < 12; i++) {
      const SofaVec3 p = {{i % 3, i / 3 % 2, i / 6}};
      assert_int_equal(SOFA_APPEND(ctx, &mesh.nodes, &p), SOFA_OK);
    }
    assert_int_equal(sofa_raise_order(ctx, &mesh, shapes[k], v, 2, &list), SOFA_OK);
    const unsigned width = sofa_shape_info(shapes[k])->n_nodes;
    assert_int_equal(mesh.nodes.n, n_nodes[k]);
    assert_int_equal(list.n, 2 * width);
    // each node is where the element's reference coordinates say
    for (unsigned e = 0; e < 2; e++)
      for (unsigned a = 0; a < width; a++) {
        double xi[3];
        sofa_shape_node(shapes[k], a, xi);
        for (int i = 0; i < 3; i++)
          is_near(mesh.nodes.data[list.data[e * width + a]].v[i],
                  0.5 * (1 + xi[i]) + (i == 0 ? e : 0), 1e-15, "node");
      }
    sofa_raised_mesh_free(ctx, &mesh);
    sofa_list_free(ctx, &list);
    sofa_context_destroy(&ctx);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_at_their_node),     cmocka_unit_test(sum_to_one_and_have_slopes),
      cmocka_unit_test(reproduce_polynomials), cmocka_unit_test(rules_are_exact),
      cmocka_unit_test(no_spurious_motions),   cmocka_unit_test(values_of_the_plugin),
      cmocka_unit_test(raised_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
