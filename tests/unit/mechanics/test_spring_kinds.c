/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Springs of all kinds: which ones a mesh gives, what texts say, what --quirks changes. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include "components/solidmechanics/spring/SpringForceField.h"
#include "components/solidmechanics/spring/bending_springs.h"

#define SCENE(body)                                                                                \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>" body "</Node>"
#define SHEET "<RegularGridTopology n='3 3 1' min='0 0 0' max='2 2 0'/><MechanicalObject name='s'/>"
#define FRAMES(positions) "<MechanicalObject name='s' template='Rigid3d' position='" positions "'/>"
#define IDENTITY "0 0 0 0 0 0 1 "
/* turned by 0.2 about x */
#define TILTED "0 0 0 0.09983341664682815 0 0 0.99500416527802577 "

static const SofaContextOptions quirks = {.quirks = true};

static SofaForceField *open(SceneRun *run, const char *scene, const SofaContextOptions *options) {
  scene_run_open(run, scene, options);
  return (SofaForceField *)scene_run_object(run, "/ff");
}

/* Force and then product with dx of a force field on one state, n derivs each. */
static void evaluate(SofaForceField *ff, double *f, const double *dx, double *df) {
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  const SofaState *state = ff->state[0];
  const double *x = state->position.data, *v = state->velocity.data;
  assert_int_equal(ff_force(ff, &p, x, v, f), SOFA_OK);
  assert_int_equal(ff_dforce(ff, &p, x, dx, df), SOFA_OK);
}

/* Largest entry of the matrix of a force field on one state. */
static double matrix_size(SofaForceField *ff, uint32_t row, uint32_t column) {
  SofaContext *ctx = ff->object.ctx;
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  const uint32_t n = (uint32_t)sofa_state_size(ff->state[0]);
  const unsigned deriv = sofa_state_kind_info(ff->state[0]->object.kind)->deriv;
  uint8_t sizes[64];
  SofaBlockMatrix *matrix;
  double x[400] = {0}, y[400] = {0}, size = 0;
  memset(sizes, (int)deriv, sizeof sizes);
  assert_int_equal(sofa_block_matrix_create(ctx, n, sizes, n, sizes, &matrix), SOFA_OK);
  sofa_block_matrix_begin(matrix);
  assert_int_equal(ff_add_k(ff, &p, ff->state[0]->position.data, 1, matrix), SOFA_OK);
  assert_int_equal(sofa_block_matrix_end(matrix), SOFA_OK);
  for (unsigned c = 0; c < deriv; c++) {
    memset(x, 0, sizeof x);
    x[column * deriv + c] = 1;
    sofa_block_matrix_multiply(matrix, x, y, 1);
    for (unsigned r = 0; r < deriv; r++) size = fmax(size, fabs(y[row * deriv + r]));
  }
  sofa_block_matrix_destroy(&matrix);
  return size;
}

/* ---- meshes ---- */

static void a_grid_has_lines_and_diagonals(void **state) {
  (void)state;
  SceneRun run;
  SofaForceField *ff = open(&run,
                            SCENE("<RegularGridTopology n='3 2 2' min='0 0 0' max='2 1 1'/>"
                                  "<MechanicalObject name='s'/>"
                                  "<RegularGridSpringForceField name='ff'/>"),
                            NULL);
  const SpringForceField *s = (SpringForceField *)ff;
  size_t n[4] = {0};
  for (size_t k = 0; k < s->springs.n; k++) {
    const SofaSpring *spring = &s->springs.data[k];
    n[(int)(spring->length * spring->length + 0.5)]++;
    assert_true(fabs(spring->stiffness * spring->length - 100) < 1e-12);
  }
  assert_int_equal(n[1], 20);
  assert_int_equal(n[2], 22);
  assert_int_equal(n[3], 8);
  scene_run_close(&run);
}

static size_t n_springs(const char *scene) {
  SceneRun run;
  const size_t n = ((SpringForceField *)open(&run, scene, NULL))->springs.n;
  scene_run_close(&run);
  return n;
}

static void bending_springs_cross_inner_edges(void **state) {
  (void)state;
  SceneRun run;
  /* a sheet of 2 x 2 quads has 4 inner edges; its 8 triangles have 8 */
  assert_int_equal(n_springs(SCENE(SHEET "<QuadBendingSprings name='ff'/>")), 6);
  BendingSprings *b =
      (BendingSprings *)open(&run, SCENE(SHEET "<QuadularBendingSprings name='ff'/>"), NULL);
  assert_int_equal(b->springs.n, 8);
  scene_run_close(&run);
  b = (BendingSprings *)open(&run, SCENE(SHEET "<TriangularBendingSprings name='ff'/>"), NULL);
  assert_int_equal(b->springs.n, 8);
  scene_run_close(&run);
#define TWO_TRIANGLES                                                                              \
  "<MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0' triangles='0 1 2 0 2 3'/>"                     \
  "<MechanicalObject name='s'/>"
  assert_int_equal(n_springs(SCENE(TWO_TRIANGLES "<TriangleBendingSprings name='ff'/>")), 1);
}

/* ---- rest shapes ---- */

static void held_points_have_the_stiffness_of_their_place(void **state) {
  (void)state;
#define HELD                                                                                       \
  SCENE("<MechanicalObject name='s' rest_position='0 0 0 0 0 0 0 0 0' "                            \
        "position='1 1 1 1 1 1 1 1 1'/><RestShapeSpringsForceField name='ff' points='2 0' "        \
        "stiffness='10 20' activeDirections='1 0 1'/>")
  double f[9] = {0}, df[9] = {0};
  const double dx[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1};
  SceneRun run;
  SofaForceField *ff = open(&run, HELD, NULL);
  evaluate(ff, f, dx, df);
  const double expected[9] = {-20, 0, -20, 0, 0, 0, -10, 0, -10};
  for (int i = 0; i < 9; i++) assert_true(f[i] == expected[i] && df[i] == expected[i]);
  assert_true(matrix_size(ff, 2, 2) == 10 && !ff->partial_tangent);
  scene_run_close(&run);

  /* by the number of the point: 0 has the first one, 2 none of its own */
  ff = open(&run, HELD, &quirks);
  assert_true(matrix_size(ff, 0, 0) == 10 && matrix_size(ff, 2, 2) == 10 && ff->partial_tangent);
  scene_run_close(&run);

  /* one stiffness and the order of the points: the matrix differs by directions that do not act */
#define HELD_ALL(directions)                                                                       \
  SCENE(                                                                                           \
      "<MechanicalObject name='s' position='1 1 1 1 1 1'/><RestShapeSpringsForceField name='ff' "  \
      "stiffness='10' activeDirections='" directions "'/>")
  ff = open(&run, HELD_ALL("1 0 1"), &quirks);
  assert_true(ff->partial_tangent);
  scene_run_close(&run);
  ff = open(&run, HELD_ALL("1 1 1"), &quirks);
  assert_false(ff->partial_tangent);
  scene_run_close(&run);
  /* several, of all points in their order: nothing differs; in another order it does */
#define SEVERAL(more)                                                                              \
  SCENE(                                                                                           \
      "<MechanicalObject name='s' position='1 1 1 1 1 1'/><RestShapeSpringsForceField name='ff' "  \
      "stiffness='10 20' " more "/>")
  ff = open(&run, SEVERAL(""), &quirks);
  assert_false(ff->partial_tangent);
  scene_run_close(&run);
  ff = open(&run, SEVERAL("points='1 0'"), &quirks);
  assert_true(ff->partial_tangent);
  scene_run_close(&run);
}

/* Torsion is linear down to the smallest angles; with the quirk it has a dead zone. */
static void small_turns(void **state) {
  (void)state;
  for (int e = -12; e < -3; e++)
    for (int quirk = 0; quirk < 2; quirk++) {
      char text[1000];
      double f[6] = {0}, df[6] = {0};
      const double dx[6] = {0}, angle = pow(10, e);
      SceneRun run;
      snprintf(text, sizeof text,
               SCENE("<MechanicalObject name='s' template='Rigid3' rest_position='0 0 0 0 0 0 1' "
                     "position='0 0 0 %.17g 0 0 %.17g'/><RestShapeSpringsForceField name='ff' "
                     "points='0' angularStiffness='50'/>"),
               sin(angle / 2), cos(angle / 2));
      SofaForceField *ff = open(&run, text, quirk ? &quirks : NULL);
      evaluate(ff, f, dx, df);
      const bool dead = quirk && cos(angle / 2) == 1;
      if (!(fabs(f[3] + (dead ? 0 : 50 * angle)) <= 1e-6 * 50 * angle))
        fail_msg("torque %g at the angle %g", f[3], angle);
      scene_run_close(&run);
    }
}

/* ---- what SOFA leaves out of matrices ---- */

static void quirks_leave_matrices_incomplete(void **state) {
  (void)state;
  SceneRun run;
#define GRID SCENE(SHEET "<RegularGridSpringForceField name='ff'/>")
#define FAST SCENE(SHEET "<FastTriangularBendingSprings name='ff'/>")
#define VECTOR SCENE(SHEET "<VectorSpringForceField name='ff' useTopology='1'/>")
  static const char *const scenes[] = {GRID, FAST, VECTOR};
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    for (int with = 0; with < 2; with++) {
      double f[27] = {0}, df[27] = {0}, dx[27] = {0}, sum = 0;
      SofaForceField *ff = open(&run, scenes[k], with ? &quirks : NULL);
      assert_int_equal(ff->partial_tangent, with);
      evaluate(ff, f, dx, df);
      for (uint32_t i = 0; i < 9; i++) sum += matrix_size(ff, i, i);
      assert_true(with && k != 1 ? sum == 0 : sum > 0);
      scene_run_close(&run);
    }
  }
  /* springs of the list alone are all in the matrix */
  SofaForceField *ff = open(&run,
                            SCENE(SHEET "<RegularGridSpringForceField name='ff' linesStiffness='0' "
                                        "quadsStiffness='0' cubesStiffness='0' linesDamping='0' "
                                        "quadsDamping='0' cubesDamping='0' spring='0 5 10 0 1'/>"),
                            &quirks);
  assert_true(!ff->partial_tangent && matrix_size(ff, 0, 0) > 0);
  scene_run_close(&run);
}

/* Two triangles, or two quads in a row, of the size h, with the spring between their far points
 * longer by a tenth than at rest: it pulls with a tenth of its length at every scale. As a quirk
 * springs below 0.1 mm do not act. */
static void short_bending_springs(void **state) {
  static const struct {
    double size;
    bool quirk, acts;
  } cases[] = {{1, false, true},     {1e-6, false, true},   {1, true, true},
               {1.1e-4, true, true}, {0.8e-4, true, false}, {1e-6, true, false}};
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const SofaContextOptions options = {.quirk_words = cases[k].quirk ? "bending-short" : NULL};
    const double h = cases[k].size;
    double f[12] = {0}, df[12] = {0}, dx[12] = {0};
    char text[1500];
    SceneRun run;
    snprintf(text, sizeof text,
             SCENE("<MeshTopology triangles='0 1 2 2 1 3'/>"
                   "<MechanicalObject rest_position='0 0 0 %.17g %.17g 0 %.17g %.17g 0 %.17g 0 0' "
                   "position='0 0 0 %.17g %.17g 0 %.17g %.17g 0 %.17g 0 0'/>"
                   "<TriangularBendingSprings name='ff' stiffness='30' damping='0'/>"),
             h / 2, -h / 2, h / 2, h / 2, h, h / 2, -h / 2, h / 2, h / 2, 1.1 * h);
    SofaForceField *ff = open(&run, text, &options);
    evaluate(ff, f, dx, df);
    const double pull = cases[k].acts ? 30 * 0.1 * h : 0;
    for (int i = 0; i < 12; i++) {
      const double expected = i == 0 ? pull : i == 9 ? -pull : 0;
      if (!(fabs(f[i] - expected) < 1e-12 * h))
        fail_msg("size %g: force %d is %g, expected %g", h, i, f[i], expected);
    }
    scene_run_close(&run);
  }
}

/* ---- bending of a mesh of equilateral triangles ---- */

/* Energy of n x n pairs of triangles with edges of 1 m, z = (k1 x^2 + k2 y^2) / 2, turned. */
static double bent_energy(int n, double k1, double k2, double turn,
                          const SofaContextOptions *options) {
  static char text[60000], rest[20000];
  int used = 0, at = 0;
  SceneRun run;
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= n; j++)
      at += snprintf(rest + at, sizeof rest - (size_t)at, "%.17g %.17g 0 ", j + 0.5 * i,
                     sqrt(0.75) * i);
  used += snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/><MeshTopology triangles='");
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      const int a = (n + 1) * i + j, b = a + n + 1;
      used += snprintf(text + used, sizeof text - (size_t)used, "%d %d %d %d %d %d ", a, a + 1, b,
                       a + 1, b + 1, b);
    }
  used += snprintf(text + used, sizeof text - (size_t)used,
                   "'/><MechanicalObject name='state' rest_position='%s' position='", rest);
  for (int i = 0; i <= n; i++)
    for (int j = 0; j <= n; j++) {
      const double x = j + 0.5 * i, y = sqrt(0.75) * i;
      const double u = cos(turn) * x + sin(turn) * y, v = cos(turn) * y - sin(turn) * x;
      used += snprintf(text + used, sizeof text - (size_t)used, "%.17g %.17g %.17g ", x, y,
                       (k1 * u * u + k2 * v * v) / 2);
    }
  snprintf(text + used, sizeof text - (size_t)used,
           "'/><FastTriangularBendingSprings name='ff' bendingStiffness='5'/></Node>");
  SofaForceField *ff = open(&run, text, options);
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  SofaPoint point;
  double energy = 0;
  const SofaScratchMark mark = sofa_scratch_mark(run.ctx);
  assert_int_equal(sofa_force_field_state_point(ff, 0, &point), SOFA_OK);
  assert_int_equal(sofa_force_field_potential_energy(ff, &p, &point, &energy), SOFA_OK);
  sofa_scratch_release(run.ctx, mark);
  scene_run_close(&run);
  return energy;
}

/* Per area: the second difference leaves the boundary out. */
static double bent_density(double k1, double k2, double turn, const SofaContextOptions *options) {
  double e[3];
  for (int i = 0; i < 3; i++) e[i] = bent_energy(4 + i, k1, k2, turn, options);
  return (e[0] - 2 * e[1] + e[2]) / 2 / sqrt(0.75);
}

/* A cylinder has mu k^2 / 2 in any direction; a sphere 4/3 of it. */
static void fast_bending_stiffness(void **state) {
  (void)state;
  const SofaContextOptions third = {.quirk_words = "fast-bending-third"};
  for (int i = 0; i < 4; i++) {
    const double turn = 0.3 * i, k = 0.01, cylinder = 5 * k * k / 2;
    assert_true(fabs(bent_density(k, 0, turn, NULL) - cylinder) < 1e-9 * cylinder);
    assert_true(fabs(bent_density(k, k, turn, NULL) - 4. / 3 * cylinder) < 1e-9 * cylinder);
    assert_true(fabs(bent_density(k, 0, turn, &third) - cylinder / 3) < 1e-9 * cylinder);
  }
}

/* ---- joints and gears ---- */

static double torque_of(const char *scene, const SofaContextOptions *options) {
  double f[12] = {0}, df[12] = {0}, dx[12] = {0};
  SceneRun run;
  SofaForceField *ff = open(&run, scene, options);
  evaluate(ff, f, dx, df);
  assert_true(fabs(f[3] + f[9]) < 1e-12);
  scene_run_close(&run);
  return f[3];
}

static void a_hinge_resists_tilting(void **state) {
  (void)state;
#define HINGE(words)                                                                               \
  SCENE(FRAMES(IDENTITY TILTED) "<JointSpringForceField name='ff' spring='BEGIN_SPRING 0 1 " words \
                                " END_SPRING'/>")
#define ABOUT_Y "FREE_AXIS 0 0 0 0 1 0 KS_R 3 50"
  assert_true(fabs(torque_of(HINGE(ABOUT_Y), NULL) - 50 * 0.2) < 1e-12);
  assert_true(fabs(torque_of(HINGE(ABOUT_Y), &quirks) - 50 * 0.2 * sin(0.2)) < 1e-12);
  /* free within its limits, KS_B beyond them */
  assert_true(fabs(torque_of(HINGE("KS_R 3 50 R_LIM_X -1 1"), NULL) - 3 * 0.2) < 1e-12);
  assert_true(fabs(torque_of(HINGE("KS_R 3 50 KS_B 7 R_LIM_X -1 0.15"), NULL) - 7 * 0.05) < 1e-12);
  assert_true(fabs(torque_of(HINGE("KS_R 3 50 R_LIM_X 0 0"), NULL) - 50 * 0.2) < 1e-12);
}

/* The quirk takes the rest of a joint from the first positions, in a wrong order: q1^-1 q2 (q2
 * q1^-1). */
static void a_rest_of_positions(void **state) {
  (void)state;
#define RESTING(frames)                                                                            \
  SCENE(                                                                                           \
      FRAMES(frames) "<JointSpringForceField name='ff' spring='BEGIN_SPRING 0 1 FREE_AXIS 0 0 0 "  \
                     "0 0 0 KS_R 3 50 REST_T 0 0 0 END_SPRING'/>")
  assert_true(fabs(torque_of(RESTING(TILTED IDENTITY), NULL) + 50 * 0.2) < 1e-12);
  assert_true(fabs(torque_of(RESTING(TILTED IDENTITY), &quirks) + 50 * 0.4) < 1e-12);
  assert_true(fabs(torque_of(RESTING(IDENTITY TILTED), &quirks) - 50 * 0.4) < 1e-12);
  assert_true(fabs(torque_of(RESTING(TILTED TILTED), &quirks)) < 1e-12);
}

static void a_gear_counts_turns(void **state) {
  (void)state;
#define GEAR                                                                                       \
  SCENE(FRAMES(IDENTITY IDENTITY) "<GearSpringForceField name='ff' spring='BEGIN_SPRING 0 0 1 1 "  \
                                  "AXIS 0 0 KS_R 2 0 KD 0 RATIO 1 END_SPRING'/>")
  double f[12], df[12], dx[12] = {0};
  SceneRun run;
  SofaForceField *ff = open(&run, GEAR, NULL);
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  double *q = ff->state[0]->position.data + 3;
  /* once around and a bit further; trials count no turn, steps do */
  for (int k = 1; k <= 70; k++) {
    memset(f, 0, sizeof f);
    memset(df, 0, sizeof df);
    q[0] = sin(0.05 * k);
    q[3] = cos(0.05 * k);
    for (int trial = 0; trial < 2; trial++) {
      memset(f, 0, sizeof f);
      evaluate(ff, f, dx, df);
      assert_true(fabs(f[3] + 2 * 0.1 * k) < 1e-9 && fabs(f[9] + 2 * 0.1 * k) < 1e-9);
    }
    assert_int_equal(ff_accept(ff, &p, ff->state[0]->position.data), SOFA_OK);
  }
  scene_run_close(&run);
}

/* ---- membranes ---- */

/* A triangle of the biquadratic springs that has turned over is pushed back, and told once. */
static void a_flipped_triangle_is_pushed_back(void **state) {
  (void)state;
  SceneRun run;
  double f[9], df[9], dx[9] = {0};
  SofaForceField *ff = open(
      &run,
      SCENE("<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 2'/><MechanicalObject "
            "name='s'/><TriangularBiquadraticSpringsForceField name='ff' youngModulus='1000'/>"),
      NULL);
  run.quiet = true;
  double *x = ff->state[0]->position.data;
  /* the last point goes through the opposite edge */
  x[7] = -0.5;
  for (int call = 0; call < 2; call++) {
    memset(f, 0, sizeof f);
    evaluate(ff, f, dx, df);
  }
  assert_int_equal(run.n_problems, 1);
  assert_non_null(strstr(run.last, "triangle 0 has flipped"));
  const double flipped = f[7];
  /* without the push */
  memset(f, 0, sizeof f);
  *(bool *)sofa_field_value(&ff->object, sofa_class_field(ff->object.klass, "compressible")) =
      false;
  evaluate(ff, f, dx, df);
  /* 3 (lambda + mu) (1 - J)^3 times half of the edge's length, upwards */
  assert_true(fabs(flipped - f[7] - 3 * 1000 / (1 - 0.09) * 0.125 * 0.5) < 1e-9);
  scene_run_close(&run);
}

/* ---- mistakes ---- */

static void refuse(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.last, words)) fail_msg("expected \"%s\" in \"%s\"", words, run.last);
  scene_run_close(&run);
}

static void mistakes_are_refused(void **state) {
  (void)state;
#define POINTS "<MechanicalObject name='s' position='0 0 0 1 0 0'/>"
#define JOINT(text) SCENE(FRAMES(IDENTITY) "<JointSpringForceField spring='" text "'/>")
  refuse(SCENE(POINTS "<SpringForceField spring='0 1 -5 0 1'/>"), "not negative");
  refuse(SCENE(POINTS "<RestShapeSpringsForceField stiffness='-5'/>"),
         "'stiffness': entry 0: -5, expected >= 0");
  refuse(SCENE(POINTS "<RestShapeSpringsForceField points='0 2'/>"), "index 2 does not exist");
  refuse(SCENE(POINTS "<RestShapeSpringsForceField points='0 1' external_points='0'/>"),
         "2 points are held");
  refuse(SCENE(SHEET "<TriangularBendingSprings stiffness='-1'/>"), "expected >= 0");
  refuse(SCENE(POINTS "<TriangularBendingSprings/>"), "no topology");
  refuse(SCENE(SHEET "<TriangularQuadraticSpringsForceField poissonRatio='1'/>"), "(-1, 1)");
  refuse(SCENE(SHEET "<TriangularBiquadraticSpringsForceField youngModulus='-1'/>"),
         "expected >= 0");
  refuse(SCENE(SHEET "<TriangularBiquadraticSpringsForceField dampingRatio='-1'/>"),
         "expected >= 0");
  refuse(SCENE("<MeshTopology position='0 0 0 1 0 0 2 0 0' triangles='0 1 2'/><MechanicalObject/>"
               "<TriangularQuadraticSpringsForceField/>"),
         "has no area at rest");
  refuse(SCENE(POINTS "<PolynomialSpringsForceField polynomialDegree='2'/>"), "too few");
  refuse(SCENE(POINTS "<PolynomialSpringsForceField firstObjectPoints='3' "
                      "secondObjectPoints='1'/>"),
         "point 3 does not exist");
  refuse(SCENE(POINTS "<PolynomialSpringsForceField computeZeroLength='0' zeroLength='0'/>"),
         "expected > 0");
  refuse(SCENE(FRAMES(IDENTITY) "<AngularSpringForceField indices='0 1'/>"), "expected a frame");
  refuse(JOINT("BEGIN_SPRING 0"), "numbers of points");
  refuse(JOINT("SPRING 0 0 END_SPRING"), "expected BEGIN_SPRING");
  refuse(JOINT("BEGIN_SPRING 0 0 KS_X 1 END_SPRING"), "unknown word 'KS_X'");
  refuse(JOINT("BEGIN_SPRING 0 0 KS_T 1 END_SPRING"), "2 numbers behind KS_T");
  refuse(JOINT("BEGIN_SPRING 0 0 KD 1"), "no END_SPRING");
  refuse(JOINT("BEGIN_SPRING 0 1 END_SPRING"), "frame 1 does not exist");
  refuse(JOINT("BEGIN_SPRING 0 0 R_LIM_X 1 0 END_SPRING"), "wrong order");
  refuse(SCENE(FRAMES(IDENTITY) "<GearSpringForceField spring='BEGIN_SPRING 0 0 0 0 RATIO 0 "
                                "END_SPRING'/>"),
         "ratio is 0");
}

/* Each of them pushes at half its length and does not pull at twice its length. */
static void repulsive_springs_push_only(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run,
                 SCENE("<MechanicalObject position='0 0 0 1 0 0 0 2 0 0 0 4'/>"
                       "<RepulsiveSpringForceField name='ff' elongationOnly='1' indices1='0 0 0' "
                       "indices2='1 2 3' stiffness='10' damping='0' lengths='2 1 8'/>"),
                 NULL);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 1);
  const double expected[12] = {-10, 0, -40, 10, 0, 0, 0, 0, 0, 0, 0, 40};
  for (int longer = 0; longer < 2; longer++) {
    double x[12], v[12] = {0}, f[12] = {0};
    for (int i = 0; i < 12; i++) x[i] = (longer ? 4 : 1) * ff->state[0]->position.data[i];
    assert_int_equal(ff_force(ff, &params, x, v, f), SOFA_OK);
    for (int i = 0; i < 12; i++) assert_true(fabs(f[i] - (longer ? 0 : expected[i])) < 1e-12);
  }
  scene_run_close(&run);
}

/* A triangle that is flat when it is first seen has the normal of its rest, one that was seen
 * before that of then: the same here. */
static void a_flat_triangle_has_the_normal_of_its_rest(void **state) {
  static const double seen[9] = {0, 0, 0, 1.8, 0, 0, 0, 1.7, 0},
                      gone[9] = {0, 0, 0, 2, 0, 0, 1, 1e-3, 0};
  (void)state;
  double f[2][9] = {{0}}, other[9] = {0};
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
    SofaForceField *ff = open(
        &run,
        SCENE("<MeshTopology position='0 0 0 2 0 0 0 2 0' triangles='0 1 2'/><MechanicalObject "
              "name='s'/><TriangularBiquadraticSpringsForceField name='ff' youngModulus='1000'/>"),
        NULL);
    if (i) assert_int_equal(ff_force(ff, &p, seen, NULL, other), SOFA_OK);
    assert_int_equal(ff_force(ff, &p, gone, NULL, f[i]), SOFA_OK);
    scene_run_close(&run);
  }
  for (int k = 0; k < 9; k++) assert_true(fabs(f[0][k] - f[1][k]) < 1e-9 * (1 + fabs(f[1][k])));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_grid_has_lines_and_diagonals),
      cmocka_unit_test(bending_springs_cross_inner_edges),
      cmocka_unit_test(held_points_have_the_stiffness_of_their_place),
      cmocka_unit_test(small_turns),
      cmocka_unit_test(quirks_leave_matrices_incomplete),
      cmocka_unit_test(short_bending_springs),
      cmocka_unit_test(fast_bending_stiffness),
      cmocka_unit_test(a_hinge_resists_tilting),
      cmocka_unit_test(a_rest_of_positions),
      cmocka_unit_test(a_gear_counts_turns),
      cmocka_unit_test(a_flipped_triangle_is_pushed_back),
      cmocka_unit_test(a_flat_triangle_has_the_normal_of_its_rest),
      cmocka_unit_test(repulsive_springs_push_only),
      cmocka_unit_test(mistakes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
