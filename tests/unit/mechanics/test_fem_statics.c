/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finite elements against elasticity: patch test, cantilever under refinement, stresses. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include "behavior/force_field.h"
#include "math/block_matrix.h"

static const double young = 2000, poisson = 0.3;

/* A block of nx x ny x nz cells with a force field of some class. */
typedef struct Block {
  SceneRun run;
  SofaForceField *ff;
  SofaState *state;
  size_t n; /* points */
} Block;

static void open_block(Block *b, const char *klass, double nu, const char *attributes, int nx,
                       int ny, int nz, double lx, double ly, double lz) {
  char text[2000];
  snprintf(text, sizeof text,
           "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
           "<RegularGridTopology name='grid' n='%d %d %d' min='0 0 0' max='%g %g %g'/>"
           "<MechanicalObject name='state'/>"
           "<%s name='ff' youngModulus='%g' poissonRatio='%g' %s/></Node>",
           nx + 1, ny + 1, nz + 1, lx, ly, lz, klass, young, nu, attributes);
  scene_run_open(&b->run, text, NULL);
  b->ff = (SofaForceField *)scene_run_object(&b->run, "/ff");
  b->state = scene_run_state(&b->run, "/state");
  b->n = sofa_state_size(b->state);
}

static void force_at(const Block *b, const double *x, double *f) {
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  double *v = calloc(3 * b->n, sizeof *v);
  memset(f, 0, 3 * b->n * sizeof *f);
  assert_int_equal(ff_force(b->ff, &p, x, v, f), SOFA_OK);
  free(v);
}

/* A linear displacement field makes a constant stress: no force on inner points, and on the face at
 * the far x end the stress times the area. */
static void patch_test(const char *klass, const char *attributes) {
  static const double grad[9] = {0.002,  0.001,  -0.0005, 0.0007, -0.001,
                                 0.0003, 0.0011, -0.002,  0.0015};
  Block b;
  open_block(&b, klass, poisson, attributes, 4, 3, 3, 2, 1.5, 1.2);
  const double *rest = b.state->rest_position.data;
  double *x = calloc(3 * b.n, sizeof *x), *f = calloc(3 * b.n, sizeof *f), total[3] = {0};
  for (size_t i = 0; i < b.n; i++) {
    for (size_t k = 0; k < 3; k++) {
      x[3 * i + k] = rest[3 * i + k];
      for (size_t j = 0; j < 3; j++) x[3 * i + k] += grad[3 * k + j] * rest[3 * i + j];
    }
  }
  force_at(&b, x, f);
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  const double mu = young / (2 * (1 + poisson)), trace = grad[0] + grad[4] + grad[8];
  const double stress[3] = {lambda * trace + 2 * mu * grad[0], mu * (grad[1] + grad[3]),
                            mu * (grad[2] + grad[6])};
  for (size_t i = 0; i < b.n; i++) {
    const size_t c[3] = {i % 5, i / 5 % 4, i / 20};
    const bool inner = c[0] > 0 && c[0] < 4 && c[1] > 0 && c[1] < 3 && c[2] > 0 && c[2] < 3;
    const bool loaded = c[0] == 4;
    for (size_t k = 0; k < 3; k++) {
      if (inner) assert_true(fabs(f[3 * i + k]) < 1e-12 * young);
      if (loaded) total[k] += f[3 * i + k];
    }
  }
  for (int k = 0; k < 3; k++) assert_true(fabs(total[k] + stress[k] * 1.5 * 1.2) < 1e-9 * young);
  free(x);
  free(f);
  scene_run_close(&b.run);
}

static void constant_strain_is_exact(void **state) {
  (void)state;
  patch_test("TetrahedronFEMForceField", "method='small'");
  patch_test("HexahedronFEMForceField", "method='small'");
  patch_test("LinearSmallStrainFEMForceField", "template='Vec3,Hexahedron'");
}

/* Force on the middle point of 2 x 2 x 2 hexahedra, displaced by up to 4e-4 of an edge at rest,
 * under a linear displacement field of 1e-3: 0. */
static double force_in_patch(const char *klass, const char *words) {
  static const double grad[9] = {0.002,  0.001,  -0.0005, 0.0007, -0.001,
                                 0.0003, 0.0011, -0.002,  0.0015};
  static char text[5000];
  const SofaContextOptions options = {.quirk_words = words};
  SceneRun run = {.quiet = true};
  uint32_t seed = 5;
  double x[81], f[81] = {0}, rest[81];
  int used = snprintf(text, sizeof text,
                      "<Node><DefaultAnimationLoop/><RegularGridTopology n='3 3 3' min='0 0 0' "
                      "max='2 2 2'/><MechanicalObject name='state' position='");
  for (int i = 0; i < 81; i++) {
    const int at = i % 3 == 0 ? i / 3 % 3 : i % 3 == 1 ? i / 9 % 3 : i / 27;
    seed = seed * 1664525u + 1013904223u;
    rest[i] = at + 4e-4 * ((double)(seed >> 8) / (1 << 23) - 1) / sqrt(3);
    used += snprintf(text + used, sizeof text - (size_t)used, "%.17g ", rest[i]);
  }
  snprintf(text + used, sizeof text - (size_t)used,
           "'/><%s name='ff' youngModulus='2000' poissonRatio='0.3' method='small'/></Node>",
           klass);
  scene_run_context(&run, &options);
  assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  for (int i = 0; i < 81; i++) {
    x[i] = rest[i];
    for (int j = 0; j < 3; j++) x[i] += grad[3 * (i % 3) + j] * rest[i - i % 3 + j];
  }
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  assert_int_equal(ff_force(ff, &p, x, NULL, f), SOFA_OK);
  scene_run_close(&run);
  return fabs(f[39]) + fabs(f[40]) + fabs(f[41]);
}

static void patches_of_nearly_straight_hexahedra(void **state) {
  (void)state;
  assert_true(force_in_patch("HexahedronFEMForceField", NULL) < 1e-12 * young);
  assert_true(force_in_patch("HexahedronFEMForceField", "hexa-parallelepiped") > 1e-8 * young);
}

/* ---- plane stress and plane strain ---- */

/* Force on the end of a sheet, 1 x 1 m, stretched by 1e-6 without change of width. */
static double sheet_force(const char *klass, const char *kind, const char *shape,
                          const char *plane) {
  char text[1500];
  double x[12], f[12] = {0};
  SceneRun run;
  const bool space = strcmp(kind, "Vec3d") == 0;
  snprintf(text, sizeof text,
           "<Node><DefaultAnimationLoop/><MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0' "
           "triangles='0 1 2 0 2 3' quads='0 1 2 3'/><MechanicalObject name='state' "
           "template='%s' position='%s'/><%s name='ff' template='%s,%s' youngModulus='2000' "
           "poissonRatio='0.3' %s/></Node>",
           kind, space ? "0 0 0 1 0 0 1 1 0 0 1 0" : "0 0 1 0 1 1 0 1", klass, kind, shape, plane);
  scene_run_open(&run, text, NULL);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  const SofaState *state = scene_run_state(&run, "/state");
  const int width = space ? 3 : 2;
  for (int i = 0; i < 4 * width; i++)
    x[i] = state->position.data[i] * (i % width == 0 ? 1 + 1e-6 : 1);
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  assert_int_equal(ff_force(ff, &p, x, NULL, f), SOFA_OK);
  scene_run_close(&run);
  return -(f[width] + f[2 * width]) / 1e-6;
}

static void sheets_have_the_law_that_is_chosen(void **state) {
  (void)state;
  static const char *const classes[] = {"CorotationalFEMForceField",
                                        "LinearSmallStrainFEMForceField"};
  static const char *const shapes[] = {"Triangle", "Quad"};
  const double stress = young / (1 - poisson * poisson);
  const double strain = young * (1 - poisson) / ((1 + poisson) * (1 - 2 * poisson));
  for (int k = 0; k < 4; k++) {
    const char *c = classes[k / 2], *s = shapes[k % 2];
    assert_true(fabs(sheet_force(c, "Vec2d", s, "") - stress) < 1e-3);
    assert_true(fabs(sheet_force(c, "Vec3d", s, "") - strain) < 1e-3);
    assert_true(fabs(sheet_force(c, "Vec2d", s, "planeState='strain'") - strain) < 1e-3);
    assert_true(fabs(sheet_force(c, "Vec3d", s, "planeState='strain'") - strain) < 1e-3);
    assert_true(fabs(sheet_force(c, "Vec2d", s, "planeState='stress'") - stress) < 1e-3);
    assert_true(fabs(sheet_force(c, "Vec3d", s, "planeState='stress'") - stress) < 1e-3);
  }
}

/* ---- cantilever ---- */

/* Solves A x = b by Cholesky in place; a: n x n, lower triangle. */
static void solve_dense(size_t n, double *a, double *b) {
  for (size_t j = 0; j < n; j++) {
    for (size_t i = j; i < n; i++) {
      double sum = a[i * n + j];
      for (size_t k = 0; k < j; k++) sum -= a[i * n + k] * a[j * n + k];
      a[i * n + j] = i == j ? sqrt(sum) : sum / a[j * n + j];
    }
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t k = 0; k < i; k++) b[i] -= a[i * n + k] * b[k];
    b[i] /= a[i * n + i];
  }
  for (size_t i = n; i-- > 0;) {
    for (size_t k = i + 1; k < n; k++) b[i] -= a[k * n + i] * b[k];
    b[i] /= a[i * n + i];
  }
}

/* -K at rest with the points at x = 0 held, dense. Points of the grid: x runs first. */
static double *held_stiffness(const Block *b, size_t nx) {
  const size_t n = 3 * b->n;
  uint8_t *sizes = malloc(b->n);
  memset(sizes, 3, b->n);
  SofaBlockMatrix *matrix;
  double *f = calloc(n, sizeof *f), *dense = calloc(n * n, sizeof *dense);
  assert_int_equal(sofa_block_matrix_create(b->run.ctx, b->n, sizes, b->n, sizes, &matrix),
                   SOFA_OK);
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  force_at(b, b->state->rest_position.data, f);
  sofa_block_matrix_begin(matrix);
  assert_int_equal(ff_add_k(b->ff, &p, b->state->rest_position.data, -1, matrix), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
  SofaBlockRows rows;
  sofa_block_matrix_rows(matrix, &rows);
  for (size_t i = 0; i < b->n; i++) {
    for (uint32_t k = rows.start[i]; k < rows.start[i + 1]; k++) {
      const size_t j = rows.column[k];
      if (i % (nx + 1) == 0 || j % (nx + 1) == 0) continue;
      for (size_t e = 0; e < 9; e++)
        dense[(3 * i + e / 3) * n + 3 * j + e % 3] = sofa_block_values(&rows, k)[e];
    }
    if (i % (nx + 1) == 0) {
      for (size_t c = 0; c < 3; c++) dense[(3 * i + c) * n + 3 * i + c] = 1;
    }
  }
  sofa_block_matrix_destroy(&matrix);
  free(sizes);
  free(f);
  return dense;
}

/* Tip deflection over Timoshenko's of a beam 4 x 1 x 1 under a transverse load at its end. */
static double cantilever_ratio(const char *klass, const char *attributes, int cells_per_side) {
  const double length = 4, load = 0.1;
  const int nx = 4 * cells_per_side;
  Block b;
  open_block(&b, klass, 0, attributes, nx, cells_per_side, cells_per_side, length, 1, 1);
  double *k = held_stiffness(&b, (size_t)nx);
  double *u = calloc(3 * b.n, sizeof *u), tip = 0, weight = 0;
  for (size_t i = 0; i < b.n; i++) {
    const size_t x = i % (size_t)(nx + 1), y = i / (size_t)(nx + 1) % (size_t)(cells_per_side + 1),
                 z = i / (size_t)(nx + 1) / (size_t)(cells_per_side + 1);
    if (x != (size_t)nx) continue;
    /* an even traction */
    const double share = (y == 0 || y == (size_t)cells_per_side ? 0.5 : 1) *
                         (z == 0 || z == (size_t)cells_per_side ? 0.5 : 1) /
                         (cells_per_side * cells_per_side);
    u[3 * i + 1] = share * load;
    weight += share;
  }
  assert_true(fabs(weight - 1) < 1e-12);
  solve_dense(3 * b.n, k, u);
  for (size_t i = (size_t)nx; i < b.n; i += (size_t)nx + 1)
    tip += u[3 * i + 1] * (nx + 1) / (double)b.n;
  /* bending P L^3 / 3 E I with I = 1/12, and shear P L / kappa G A with kappa = 5/6, nu = 0 */
  const double beam =
      load * length * length * length * 12 / (3 * young) + load * length / (5.0 / 6 * young / 2);
  free(k);
  free(u);
  scene_run_close(&b.run);
  return tip / beam;
}

static void cantilever_converges(const char *klass, const char *attributes, double last,
                                 double ratio) {
  const double coarse = 1 - cantilever_ratio(klass, attributes, 1);
  const double middle = 1 - cantilever_ratio(klass, attributes, 2);
  const double fine = 1 - cantilever_ratio(klass, attributes, 4);
  /* elements of low order are too stiff, with an error of second order in the end */
  assert_true(coarse > middle && middle > fine && fine > 0);
  assert_true(fine < last);
  assert_true(middle / fine > ratio);
}

static void a_cantilever_bends_like_a_beam(void **state) {
  (void)state;
  cantilever_converges("HexahedronFEMForceField", "method='large'", 0.04, 3.5);
  cantilever_converges("HexahedralFEMForceField", "", 0.04, 3.5);
  cantilever_converges("CorotationalFEMForceField", "template='Vec3,Hexahedron'", 0.04, 3.5);
  cantilever_converges("TetrahedronFEMForceField", "method='large'", 0.25, 2.2);
}

/* ---- stresses ---- */

static const SofaReals *reals_field(SofaObject *object, const char *name) {
  const SofaField *field = sofa_class_field(object->klass, name);
  assert_int_equal(sofa_field_compute(object, field), SOFA_OK);
  return sofa_field_value(object, field);
}

/* Uniaxial stretch of a free bar: von Mises stress is E times the strain, everywhere. */
static void von_mises_stress_of_a_bar(void **state) {
  (void)state;
  for (int strain = 1; strain <= 2; strain++) {
    static const char *const methods[] = {"large", "polar", "svd"};
    for (int m = 0; m < 3; m++) {
      char text[2000];
      const double e = 1e-6;
      SceneRun run;
      /* a rotated tetrahedron, so that its frame is not the world's */
      snprintf(text, sizeof text,
               "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
               "<MeshTopology position='0.1 0.2 0 1 0.3 0.1 0.2 1.1 0.3 0 0.1 0.9' "
               "tetrahedra='0 1 2 3'/>"
               "<MechanicalObject rest_position='0.1 0.2 0 1 0.3 0.1 0.2 1.1 0.3 0 0.1 0.9' "
               "position='%.17g %.17g 0 %.17g %.17g %.17g %.17g %.17g %.17g 0 %.17g %.17g'/>"
               "<TetrahedronFEMForceField name='ff' youngModulus='1e9' poissonRatio='0.3' "
               "method='%s' computeVonMisesStress='%d'/></Node>",
               0.1 * (1 + e), 0.2 * (1 - 0.3 * e), 1 + e, 0.3 * (1 - 0.3 * e), 0.1 * (1 - 0.3 * e),
               0.2 * (1 + e), 1.1 * (1 - 0.3 * e), 0.3 * (1 - 0.3 * e), 0.1 * (1 - 0.3 * e),
               0.9 * (1 - 0.3 * e), methods[m], strain);
      scene_run_open(&run, text, NULL);
      SofaObject *ff = scene_run_object(&run, "/ff");
      const SofaReals *per_element = reals_field(ff, "vonMisesPerElement");
      const SofaReals *per_node = reals_field(ff, "vonMisesPerNode");
      assert_int_equal(per_element->n, 1);
      assert_int_equal(per_node->n, 4);
      assert_true(fabs(per_element->data[0] - 1e9 * e) < 1e-3 * 1e9 * e);
      assert_true(per_node->data[2] == per_element->data[0]);
      scene_run_close(&run);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(constant_strain_is_exact),
      cmocka_unit_test(patches_of_nearly_straight_hexahedra),
      cmocka_unit_test(sheets_have_the_law_that_is_chosen),
      cmocka_unit_test(a_cantilever_bends_like_a_beam),
      cmocka_unit_test(von_mises_stress_of_a_bar),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
