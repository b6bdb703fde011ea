/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A manufactured solution of hyperelastic elements: loads are chosen such that the displacement is
 * u = z (e^(x/3), e^(y/3), e^(z/3)) in the box [-1, 1]^2 x [0, 3], fixed at z = 0; the error of the
 * elements is of second order. Material: Saint Venant-Kirchhoff with mu = 1, lambda = 1.25. */
#include "tests/support/scene_run.h"

#include <math.h>
#include "topology/topology.h"
#include "numerics/fem/finite_element.h"
#include "math/vec.h"

static void is_near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.15g, expected %.15g (difference %.2g)", value, expected, value - expected);
}

/* ---- the solution ---- */

static void displacement(const double *x, double *u) {
  for (int i = 0; i < 3; i++) u[i] = x[2] * exp(x[i] / 3);
}

static void deformation(const double *x, double *f) {
  sofa_mat3_identity(f);
  for (int i = 0; i < 3; i++) {
    const double e = exp(x[i] / 3);
    f[4 * i] += x[2] * e / 3;
    f[3 * i + 2] += e;
  }
}

/* Derivative of F along axis j. */
static void deformation_slope(const double *x, int j, double *df) {
  memset(df, 0, 9 * sizeof *df);
  for (int i = 0; i < 3; i++) {
    const double e = exp(x[i] / 3);
    // d2 u_i / dx_k dx_j: z is a factor, x_i is in the exponent
    for (int k = 0; k < 3; k++)
      df[3 * i + k] = (k == i && j == i ? x[2] * e / 9 : 0) + (k == i && j == 2 ? e / 3 : 0) +
                      (k == 2 && j == i ? e / 3 : 0);
  }
}

/* lambda tr(E) I + 2 mu E of a symmetric E */
static void law(const double *e, double *s) {
  const double pressure = 1.25 * sofa_mat3_trace(e);
  for (int k = 0; k < 9; k++) s[k] = 2 * e[k] + (k % 4 == 0 ? pressure : 0);
}

/* First Piola-Kirchhoff stress P = F S. */
static void stress(const double *x, double *p) {
  double f[9], e[9], s[9];
  deformation(x, f);
  sofa_mat3_mul_tn(f, f, e);
  for (int k = 0; k < 9; k++) e[k] = 0.5 * (e[k] - (k % 4 == 0));
  law(e, s);
  sofa_mat3_mul(f, s, p);
}

/* - Div P */
static void body_force(const double *x, double *b) {
  double f[9], e[9], s[9];
  deformation(x, f);
  sofa_mat3_mul_tn(f, f, e);
  for (int k = 0; k < 9; k++) e[k] = 0.5 * (e[k] - (k % 4 == 0));
  law(e, s);
  sofa_vec3_set(b, 0, 0, 0);
  for (int j = 0; j < 3; j++) {
    double df[9], m[9], t[9], de[9], ds[9], dp[9], first[9];
    deformation_slope(x, j, df);
    sofa_mat3_mul_tn(f, df, m);
    sofa_mat3_transpose(m, t);
    for (int k = 0; k < 9; k++) de[k] = 0.5 * (m[k] + t[k]);
    law(de, ds);
    sofa_mat3_mul(df, s, first);
    sofa_mat3_mul(f, ds, dp);
    for (int i = 0; i < 3; i++) b[i] -= first[3 * i + j] + dp[3 * i + j];
  }
}

static void the_solution(void **test_state) {
  static const double at[2][3] = {{0.5, -0.25, 1.5}, {0, 0, 0}};
  static const double p[2][9] = {{20.527451635466438, 1.586904049521229, 30.49517208923769,
                                  1.7289167578650995, 17.457626930799204, 23.382935419960873,
                                  6.526499605160322, 4.665339790471518, 80.86495503439784},
                                 {4.125, 1, 9.125, 1, 4.125, 9.125, 2, 2, 16.25}};
  static const double b[2][3] = {{-28.64768570867, -21.35260831221, -95.54311321120},
                                 {-7.25, -7.25, -17.0833333333}};
  (void)test_state;
  for (int k = 0; k < 2; k++) {
    double value[9];
    stress(at[k], value);
    for (int i = 0; i < 9; i++) is_near(value[i], p[k][i], 1e-12);
    body_force(at[k], value);
    for (int i = 0; i < 3; i++) is_near(value[i], b[k][i], 1e-10);
  }
}

/* ---- loads ---- */

static size_t points_of(SofaShape shape, SofaQuadraturePoint *q) {
  static const double sign[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
  if (shape != SOFA_SHAPE_QUAD) return sofa_quadrature(shape, SOFA_RULE_STIFFNESS, q);
  for (int k = 0; k < 4; k++)
    q[k] = (SofaQuadraturePoint){{sign[k][0] / sqrt(3), sign[k][1] / sqrt(3), 0}, 1};
  return 4;
}

/* A quadrature point of an element or a face. */
typedef struct Point {
  double x[3], weight, n[SOFA_SHAPE_MAX_NODES];
} Point;

static size_t points_in(SofaShape shape, const uint32_t *v, const double *rest, Point *out) {
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  const size_t n_points = points_of(shape, rule);
  const unsigned n_nodes = sofa_shape_info(shape)->n_nodes;
  double p[24], d[SOFA_SHAPE_MAX_NODES][3], g[24];
  for (unsigned n = 0; n < n_nodes; n++) sofa_vec3_copy(rest + 3 * (size_t)v[n], p + 3 * n);
  for (size_t q = 0; q < n_points; q++) {
    Point *to = &out[q];
    sofa_shape_functions(shape, rule[q].xi, to->n, d);
    to->weight = rule[q].weight * fabs(sofa_shape_gradients(shape, 3, p, d, g));
    sofa_vec3_set(to->x, 0, 0, 0);
    for (unsigned n = 0; n < n_nodes; n++) sofa_vec3_axpy(to->n[n], p + 3 * n, to->x);
  }
  return n_points;
}

/* f += load at the points of an element times the shape functions. */
static void add_load(SofaShape shape, const uint32_t *v, const double *rest, const double *normal,
                     double *f) {
  Point points[SOFA_QUADRATURE_MAX];
  const size_t n_points = points_in(shape, v, rest, points);
  for (size_t q = 0; q < n_points; q++) {
    double load[3], p[9];
    if (normal) {
      stress(points[q].x, p);
      sofa_mat3_apply(p, normal, load);
    } else {
      body_force(points[q].x, load);
    }
    for (unsigned n = 0; n < sofa_shape_info(shape)->n_nodes; n++)
      sofa_vec3_axpy(points[q].weight * points[q].n[n], load, f + 3 * (size_t)v[n]);
  }
}

/* Does a face lie in a loaded plane of the box? Its normal then. */
static bool loaded_face(const uint32_t *v, unsigned n, const double *rest, double *normal) {
  static const double plane[5][4] = {
      {1, 0, 0, 1}, {-1, 0, 0, 1}, {0, 1, 0, 1}, {0, -1, 0, 1}, {0, 0, 1, 3}};
  for (int k = 0; k < 5; k++) {
    unsigned on = 0;
    for (unsigned i = 0; i < n; i++)
      on += fabs(sofa_vec3_dot(plane[k], rest + 3 * (size_t)v[i]) - plane[k][3]) < 1e-9;
    if (on < n) continue;
    sofa_vec3_copy(plane[k], normal);
    return true;
  }
  return false;
}

/* A mesh of the box. */
typedef struct Box {
  SofaShape shape, face;
  const uint32_t *v;
  size_t n;
  const double *rest;
} Box;

static void all_loads(const Box *box, double *f) {
  const bool hexa = box->shape == SOFA_SHAPE_HEXA;
  const unsigned n_nodes = hexa ? 8 : 4, n_faces = hexa ? 6 : 4, per = hexa ? 4 : 3;
  for (size_t e = 0; e < box->n; e++) {
    const uint32_t *v = box->v + n_nodes * e;
    add_load(box->shape, v, box->rest, NULL, f);
    for (unsigned k = 0; k < n_faces; k++) {
      uint32_t face[4] = {0};
      double normal[3];
      for (unsigned i = 0; i < per; i++)
        face[i] = v[hexa ? sofa_hexa_quads[k][i] : sofa_tetra_faces[k][i]];
      if (loaded_face(face, per, box->rest, normal))
        add_load(box->face, face, box->rest, normal, f);
    }
  }
}

/* sqrt(int |u_h - u|^2 / int |u|^2), and the root of the latter */
static double error_of(const Box *box, const double *x, double *size) {
  double difference = 0, all = 0;
  const unsigned n_nodes = sofa_shape_info(box->shape)->n_nodes;
  for (size_t e = 0; e < box->n; e++) {
    Point points[SOFA_QUADRATURE_MAX];
    const uint32_t *v = box->v + n_nodes * e;
    const size_t n_points = points_in(box->shape, v, box->rest, points);
    for (size_t q = 0; q < n_points; q++) {
      double u[3], d[3] = {0};
      displacement(points[q].x, u);
      for (unsigned n = 0; n < n_nodes; n++) {
        double move[3];
        sofa_vec3_sub(x + 3 * (size_t)v[n], box->rest + 3 * (size_t)v[n], move);
        sofa_vec3_axpy(points[q].n[n], move, d);
      }
      all += points[q].weight * sofa_vec3_norm2(u);
      sofa_vec3_sub(d, u, d);
      difference += points[q].weight * sofa_vec3_norm2(d);
    }
  }
  *size = sqrt(all);
  return sqrt(difference / all);
}

/* ---- scenes ---- */

static const double steps[6] = {1e-3, 1e-2, 0.1, 0.15, 0.5, 1};

typedef struct Result {
  double error, size;
  double initial[6]; /* |F| before the first iteration of each step */
  size_t iterations[6];
  double last[3]; /* position of the last node */
} Result;

/* mu = 1, lambda = 1.25: E = 23/9, nu = 5/18 */
#define MATERIAL                                                                                   \
  "<SaintVenantKirchhoffMaterial young_modulus='2.5555555555555554' "                              \
  "poisson_ratio='0.27777777777777779'/>"
#define SOLVER                                                                                     \
  "<StaticODESolver name='solver' newton_iterations='10' "                                         \
  "residual_tolerance_threshold='1e-10'/><LDLTSolver/>"
#define HEXAS                                                                                      \
  "<CaribouTopology name='hexas' template='Hexahedron' indices='@grid.hexahedra'/>" MATERIAL       \
  "<HyperelasticForcefield topology='@hexas'/>"
#define TETRAS                                                                                     \
  "<TetrahedronSetTopologyContainer name='tetras'/><TetrahedronSetTopologyModifier/>"              \
  "<Hexa2TetraTopologicalMapping input='@grid' output='@tetras' swapping='1'/>" MATERIAL           \
  "<HyperelasticForcefield topology='@tetras'/>"

/* Writes numbers to a field. */
static void set_reals(SofaObject *object, const char *name, const double *values, size_t n) {
  char *text = malloc(30 * n + 1);
  assert_non_null(text);
  size_t at = 0;
  for (size_t k = 0; k < n; k++)
    at += (size_t)snprintf(text + at, 30 * n + 1 - at, "%.17g ", values[k]);
  assert_int_equal(sofa_field_set_text(object, name, text, 0), SOFA_OK);
  assert_int_equal(sofa_object_run(object, SOFA_RUN_REINIT), SOFA_OK);
  free(text);
}

/* n cells along x and y, 3 n / 2 along z */
static void solve(int n, bool hexas, bool quirks, Result *result) {
  char scene[4000];
  SceneRun run;
  snprintf(scene, sizeof scene,
           "<Node name='root' gravity='0 0 0'><RequiredPlugin name='SofaCaribou'/>"
           "<DefaultAnimationLoop/><DefaultVisualManagerLoop/>" SOLVER
           "<RegularGridTopology name='grid' n='%d %d %d' min='-1 -1 0' max='1 1 3'/>"
           "<MechanicalObject name='state'/>%s<BoxROI name='floor' box='-2 -2 -0.1 2 2 0.1' "
           "drawBoxes='0'/><FixedProjectiveConstraint indices='@floor.indices'/>"
           "<ConstantForceField name='load' forces='0 0 0'/></Node>",
           n + 1, n + 1, 3 * n / 2 + 1, hexas ? HEXAS : TETRAS);
  scene_run_open(&run, scene, &(SofaContextOptions){.quirks = quirks});
  const SofaState *state = scene_run_state(&run, "/state");
  const SofaMesh *mesh =
      &((SofaTopology *)scene_run_object(&run, hexas ? "/grid" : "/tetras"))->mesh;
  const SofaElements elements =
      sofa_mesh_elements(mesh, hexas ? SOFA_ELEMENT_HEXA : SOFA_ELEMENT_TETRA);
  const Box box = {hexas ? SOFA_SHAPE_HEXA : SOFA_SHAPE_TETRA,
                   hexas ? SOFA_SHAPE_QUAD : SOFA_SHAPE_TRIANGLE, elements.v, elements.n,
                   state->rest_position.data};
  const size_t size = 3 * sofa_state_size(state);
  double *f = calloc(size, sizeof *f), *part = calloc(size, sizeof *f);
  assert_true(f && part);
  all_loads(&box, f);
  const SofaObject *solver = scene_run_object(&run, "/solver");
  for (int k = 0; k < 6; k++) {
    for (size_t i = 0; i < size; i++) part[i] = steps[k] * f[i];
    set_reals(scene_run_object(&run, "/load"), "forces", part, size);
    scene_run_steps(&run, 1);
    const SofaReals *list =
        sofa_field_value(solver, sofa_class_field(solver->klass, "squared_residuals"));
    const double *square =
        sofa_field_value(solver, sofa_class_field(solver->klass, "squared_initial_residual"));
    result->iterations[k] = list->n;
    result->initial[k] = sqrt(*square);
  }
  result->error = error_of(&box, state->position.data, &result->size);
  sofa_vec3_copy(state->position.data + size - 3, result->last);
  free(f);
  free(part);
  scene_run_close(&run);
}

/* ---- checks ---- */

static const Result coarse = {
    4.9095582128e-02,
    15.806963693548,
    {0.53518669109, 4.8166802198, 48.166802198, 26.759334553, 187.31534188, 267.59334554},
    {6, 6, 6, 4, 5, 5},
    {5.189693405656, 5.189693405615, 11.336102147581}};
static const Result fine = {
    1.1706774279e-02,
    15.809851647627,
    {0.36737143514, 3.3063429162, 33.063429162, 18.368571756, 128.58000230, 183.68571757},
    {6, 6, 6, 4, 5, 5},
    {5.195072151876, 5.195072151877, 11.196338456739}};

static void table_of_hexahedra(void **test_state) {
  (void)test_state;
  const Result *const expected[2] = {&coarse, &fine};
  for (int k = 0; k < 4; k++) {
    const Result *e = expected[k / 2];
    const bool quirks = k % 2;
    Result r;
    solve(2 << k / 2, true, quirks, &r);
    is_near(r.size, e->size, 1e-11);
    is_near(r.error, e->error, 1e-9);
    for (int i = 0; i < 3; i++) is_near(r.last[i], e->last[i], 1e-8);
    for (int i = 0; i < 6; i++) is_near(r.initial[i], e->initial[i], 1e-6 * e->initial[i]);
    for (int i = 0; quirks && i < 6; i++) assert_int_equal(r.iterations[i], e->iterations[i]);
  }
}

static void second_order(void **test_state) {
  const bool hexas = *(const bool *)*test_state;
  double error[3];
  for (int k = 0; k < 3; k++) {
    Result r;
    solve(2 << k, hexas, false, &r);
    error[k] = r.error;
  }
  assert_true(error[0] / error[1] > (hexas ? 4 : 2.5));
  assert_true(error[1] / error[2] > (hexas ? 4 : 3));
}

int main(void) {
  static const bool yes = true, no = false;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_solution),
      cmocka_unit_test(table_of_hexahedra),
      {"second_order, hexahedra", second_order, NULL, NULL, (void *)(uintptr_t)&yes},
      {"second_order, tetrahedra", second_order, NULL, NULL, (void *)(uintptr_t)&no},
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
