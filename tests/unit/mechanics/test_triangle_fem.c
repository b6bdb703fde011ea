/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Triangles, beams, plates and tensor-mass models against each other, and what they make of bad
 * values and quirks. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include "base/text.h"
#include "behavior/force_field.h"
#include "math/kernels.h"

#define SCENE(topology, state, ff)                                                                 \
  "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>" topology state ff "</"    \
  "Node>"
#define PLANE                                                                                      \
  "<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0 0.9 1.2 0 0.1 -0.8 0' "                       \
  "triangles='0 1 2 1 3 2 1 0 4'/>"
#define SOLID                                                                                      \
  "<MeshTopology position='0 0 0 1.1 0.1 0 0.2 0.9 0.1 0.1 0.2 1.2 0.9 1.1 1.3' "                  \
  "tetrahedra='0 1 2 3 1 2 3 4'/>"
#define STATE "<MechanicalObject name='state'/>"
#define MATERIAL " name='ff' youngModulus='500' poissonRatio='0.3' "

/* Forces at positions that are the rest positions, moved by `most`; in_plane: by x and y only. */
static void force_moved(const char *scene, bool quirks, bool in_plane, double most, size_t n,
                        double *f) {
  SceneRun run = {.quiet = quirks};
  const SofaContextOptions options = {.quirks = quirks};
  scene_run_open(&run, scene, &options);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  const SofaCoords *rest = &ff->state[0]->position;
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  double *x = calloc(n, sizeof *x), *v = calloc(n, sizeof *v);
  assert_int_equal(rest->n * rest->width, n);
  for (size_t i = 0; i < n; i++) {
    const bool moves = !in_plane || i % 3 < 2;
    x[i] = rest->data[i] + (moves ? most * sin((double)(7 * i)) : 0);
  }
  memset(f, 0, n * sizeof *f);
  assert_int_equal(ff_force(ff, &p, x, v, f), SOFA_OK);
  free(x);
  free(v);
  scene_run_close(&run);
}

static void force_of(const char *scene, bool quirks, bool in_plane, size_t n, double *f) {
  force_moved(scene, quirks, in_plane, 0.03, n, f);
}

static void require_same(size_t n, const double *a, const double *b) {
  double size = 0;
  for (size_t i = 0; i < n; i++) size = fmax(size, fabs(a[i]));
  assert_true(size > 1e-3);
  for (size_t i = 0; i < n; i++) {
    if (!(fabs(a[i] - b[i]) <= 1e-12 * size)) fail_msg("real %zu: %.17g and %.17g", i, a[i], b[i]);
  }
}

/* Forces and products at moved positions with an instruction set. */
static void on_isa(const char *isa, const char *scene, size_t n, double *f, double *df) {
  SceneRun run = {0};
  const SofaContextOptions options = {.isa = isa};
  scene_run_open(&run, scene, &options);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  const SofaCoords *rest = &ff->state[0]->position;
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 1);
  double *x = calloc(n + 1, sizeof *x), *v = calloc(n + 1, sizeof *v);
  assert_int_equal(rest->n * rest->width, n);
  for (size_t i = 0; i < n; i++) {
    x[i] = rest->data[i] + 0.03 * sin((double)(7 * i));
    v[i] = cos((double)(5 * i));
  }
  memset(f, 0, n * sizeof *f);
  memset(df, 0, n * sizeof *df);
  assert_int_equal(ff_force(ff, &p, x, v, f), SOFA_OK);
  const double *const at[] = {x}, *const dx[] = {v};
  double *const out[] = {df};
  const SofaPoint point = {.x = at, .v = dx, .n = 1, .id = 0};
  assert_int_equal(sofa_force_field_add_dforce(ff, &p, &point, dx, out), SOFA_OK);
  free(x);
  free(v);
  scene_run_close(&run);
}

/* A group and a part of one. avx2 and avx512 give the same bits. */
static void triangles_agree_on_instruction_sets(void **state) {
  (void)state;
  enum { N = 3 * 4 * 3 };
  static const char *const scenes[] = {
#define SHEET "<RegularGridTopology n='4 3 1' min='0 0 0' max='3 2 0'/>"
      SCENE(SHEET, STATE, "<TriangularFEMForceField method='large'" MATERIAL "/>"),
      SCENE(SHEET, STATE, "<TriangularFEMForceField method='small'" MATERIAL "/>"),
      SCENE(SHEET, STATE, "<TriangularFEMForceFieldOptim" MATERIAL "/>"),
      SCENE(SHEET, STATE, "<TriangleFEMForceField" MATERIAL "/>")};
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    double f[3][N], df[3][N];
    on_isa("baseline", scenes[k], N, f[0], df[0]);
    if (!sofa_kernels_select("avx2")) continue;
    on_isa("avx2", scenes[k], N, f[1], df[1]);
    require_same(N, f[0], f[1]);
    require_same(N, df[0], df[1]);
    if (!sofa_kernels_select("avx512")) continue;
    on_isa("avx512", scenes[k], N, f[2], df[2]);
    assert_memory_equal(f[1], f[2], sizeof f[1]);
    assert_memory_equal(df[1], df[2], sizeof df[1]);
  }
}

static void small_triangles_agree(void **state) {
  (void)state;
  double f[15], g[15];
  force_of(SCENE(PLANE, STATE, "<TriangularFEMForceField method='small'" MATERIAL "/>"), false,
           true, 15, f);
  force_of(SCENE(PLANE, STATE, "<TriangularTensorMassForceField" MATERIAL "/>"), false, true, 15,
           g);
  require_same(15, f, g);
  force_of(SCENE(PLANE, STATE, "<TriangleFEMForceField method='small'" MATERIAL "/>"), false, true,
           15, g);
  require_same(15, f, g);
}

static void large_triangles_agree(void **state) {
  (void)state;
  double f[15], g[15];
  force_of(SCENE(PLANE, STATE, "<TriangularFEMForceField" MATERIAL "/>"), false, false, 15, f);
  force_of(SCENE(PLANE, STATE, "<TriangleFEMForceField thickness='1'" MATERIAL "/>"), false, false,
           15, g);
  require_same(15, f, g);
  /* E across = E: isotropic, whatever the direction of the fibres */
  force_of(SCENE(PLANE, STATE,
                 "<TriangularAnisotropicFEMForceField fiberAngle='33' "
                 "transverseYoungModulus='500'" MATERIAL "/>"),
           false, false, 15, g);
  require_same(15, f, g);
}

/* In a triangle with orthogonal edges of 1 m and sqrt 2 m whose centre is a third of their sum away
 * from the fibres' centre, what is across that sum is 2 times the first edge less the second. */
static void round_fibres_run_around_their_centre(void **state) {
  (void)state;
  SceneRun run = {0};
  SofaText text = {0};
  scene_run_open(&run,
                 SCENE("<MeshTopology position='0 0 0 1 0 0 0 1 1' triangles='0 1 2'/>", STATE,
                       "<TriangularAnisotropicFEMForceField fiberCenter='0 0 0' "
                       "transverseYoungModulus='50'" MATERIAL "/>"),
                 NULL);
  SofaObject *ff = scene_run_object(&run, "/ff");
  const SofaField *field = sofa_class_field(ff->klass, "localFiberDirection");
  assert_int_equal(sofa_field_print(ff, field, &text), SOFA_OK);
  const char *at = text.data;
  double a = 0, b = 0;
  assert_true(sofa_read_real(&at, &a) && sofa_read_real(&at, &b));
  assert_true(fabs(a * a + b * b - 1) < 1e-14 && fabs(a + 2 * b) < 1e-14);
  sofa_list_free(run.ctx, &text);
  scene_run_close(&run);
}

static void small_tetrahedra_agree(void **state) {
  (void)state;
  double f[15], g[15];
  force_of(SCENE(SOLID, STATE, "<TetrahedronFEMForceField method='small'" MATERIAL "/>"), false,
           false, 15, f);
  force_of(SCENE(SOLID, STATE, "<TetrahedralTensorMassForceField" MATERIAL "/>"), false, false, 15,
           g);
  require_same(15, f, g);
}

static void quirks_change_forces(void **state) {
  (void)state;
#define TILTED "<MeshTopology position='0 0 0 1 0 1 0 1 0.5' triangles='0 1 2'/>"
#define UPRIGHT "<MeshTopology position='0 0 0 0 2 0 0 2 1 0 0 1' quads='0 1 2 3'/>"
  static const char *const scenes[] = {
      SCENE(TILTED, STATE, "<TriangularFEMForceField method='small'" MATERIAL "/>"),
      SCENE(TILTED, STATE, "<TriangleFEMForceField method='small'" MATERIAL "/>"),
      SCENE(TILTED, STATE,
            "<TriangularAnisotropicFEMForceField transverseYoungModulus='50'" MATERIAL "/>"),
      SCENE(UPRIGHT, STATE, "<QuadBendingFEMForceField" MATERIAL "/>"),
  };
  for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++) {
    double f[12], g[12], difference = 0;
    const size_t n = k == 3 ? 12 : 9;
    force_of(scenes[k], false, false, n, f);
    force_of(scenes[k], true, false, n, g);
    for (size_t i = 0; i < n; i++) {
      difference = fmax(difference, fabs(f[i] - g[i]));
      /* in world axes nothing acts along z on a triangle */
      if (k < 2 && i % 3 == 2) assert_true(g[i] == 0);
    }
    assert_true(difference > 1e-3);
  }
}

/* Also along the axes of the world, which no edge has. */
static void no_force_at_rest(void **state) {
  (void)state;
  static const char *const scenes[] = {
      SCENE(PLANE, STATE, "<TriangularFEMForceField method='small'" MATERIAL "/>"),
      SCENE(PLANE, STATE, "<TriangleFEMForceField method='small'" MATERIAL "/>"),
  };
  for (size_t k = 0; k < 4; k++) {
    double f[15];
    force_moved(scenes[k / 2], k % 2, false, 0, 15, f);
    for (size_t i = 0; i < 15; i++) assert_true(fabs(f[i]) < 1e-12);
  }
}

static const double half_l = 1, half_h = 0.5, plate_young = 700, plate_nu = 0.3, plate_t = 0.02;

/* The work of the forces of a rectangle of half sides l and h in a displacement from rest. */
static double work_of_plate(const double *u) {
  SceneRun run;
  scene_run_open(&run,
                 "<Node name='root'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"
                 "<MeshTopology position='-1 -0.5 0 1 -0.5 0 1 0.5 0 -1 0.5 0' quads='0 1 2 3'/>"
                 "<MechanicalObject/><QuadBendingFEMForceField name='ff' method='small' "
                 "youngModulus='700' poissonRatio='0.3' thickness='0.02'/></Node>",
                 NULL);
  SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/ff");
  double x[12], f[12] = {0}, work = 0;
  for (int i = 0; i < 12; i++) x[i] = ff->state[0]->position.data[i] + u[i];
  const SofaMechParams params = sofa_mech_params(0.01, 0, 0, 0, 0);
  assert_int_equal(ff_force(ff, &params, x, NULL, f), SOFA_OK);
  for (int i = 0; i < 12; i++) work -= f[i] * u[i];
  scene_run_close(&run);
  return work;
}

/* u_x = a x y in its plane has the energy
 * t / 2 (E / (1 - nu^2) a^2 4 l h^3 / 3 + E / (2 (1 + nu)) a^2 4 l^3 h / 3); a slope a or b across
 * it 5/6 of G t / 2 (a^2 + b^2) 4 l h; strains that of plane stress. */
static void quads_have_the_energy_of_plates(void **state) {
  const double a = 1e-6, b = 2e-6, l = half_l, h = half_h, t = plate_t, area = 4 * l * h;
  const double plane = plate_young / (1 - plate_nu * plate_nu);
  const double shear = plate_young / (2 * (1 + plate_nu));
  const double expected[6] = {t * a * a * 4 / 3 * l * h * (plane * h * h + shear * l * l),
                              5 / 6. * shear * t * area * a * a,
                              5 / 6. * shear * t * area * b * b,
                              5 / 6. * shear * t * area * (a * a + b * b),
                              plane * t * area * (a * a + b * b + 2 * plate_nu * a * b),
                              shear * t * area * (a + b) * (a + b)};
  (void)state;
  for (int k = 0; k < 6; k++) {
    double u[12] = {0};
    for (int n = 0; n < 4; n++) {
      const double x = n == 1 || n == 2 ? l : -l, y = n > 1 ? h : -h;
      double *to = u + 3 * n;
      if (k == 0) to[0] = a * x * y;
      if (k == 1 || k == 3) to[2] += a * x;
      if (k == 2 || k == 3) to[2] += b * y;
      if (k == 4) to[0] = a * x, to[1] = b * y;
      if (k == 5) to[0] = a * y, to[1] = b * x;
    }
    const double work = work_of_plate(u);
    if (!(fabs(work / expected[k] - 1) < 1e-5))
      fail_msg("field %d: %g instead of %g", k, work, expected[k]);
  }
}

/* Loads and initialises a scene with a mistake; the message must contain the words. */
static void refuse(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.last, words)) fail_msg("expected \"%s\" in \"%s\"", words, run.last);
  scene_run_close(&run);
}

/* A unit square pulled by 2 N along x: sigma = 2 Pa, so that x grows by 2 / E and y shrinks by
 * nu 2 / E. In plane stress nu may lie between 1/2 and 1, and between -1 and 0. */
static void patch_test(const char *force_field, double nu) {
  char text[2000];
  SceneRun run = {0};
  snprintf(text, sizeof text,
           "<Node name='root' gravity='0 0 0' dt='1'><DefaultAnimationLoop/>"
           "<DefaultVisualManagerLoop/><StaticSolver/><SparseLDLSolver/>"
           "<MeshTopology position='0 0 0 1 0 0 1 1 0 0 1 0' triangles='0 1 2 0 2 3'/>"
           "<MechanicalObject name='state'/>"
           "<PartialFixedProjectiveConstraint indices='0 1 2 3' fixedDirections='0 0 1'/>"
           "<PartialFixedProjectiveConstraint indices='0 3' fixedDirections='1 0 0'/>"
           "<PartialFixedProjectiveConstraint indices='0 1' fixedDirections='0 1 0'/>"
           "<ConstantForceField indices='1 2' forces='1 0 0'/>"
           "<%s name='ff' youngModulus='100' poissonRatio='%g'/></Node>",
           force_field, nu);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, 1);
  const double *x = scene_run_state(&run, "/state")->position.data;
  if (!(fabs(x[6] - 1.02) < 1e-9 && fabs(x[7] - 1 + 0.02 * nu) < 1e-9))
    fail_msg("%s, nu %g: the corner is at %.12g %.12g", force_field, nu, x[6], x[7]);
  scene_run_close(&run);
}

static void membranes_of_any_poisson_ratio(void **state) {
  static const char *const membranes[] = {"TriangularFEMForceField method='small'",
                                          "TriangleFEMForceField method='small'",
                                          "TriangularTensorMassForceField"};
  static const double ratios[] = {-0.5, 0.3, 0.5, 0.7, 0.95};
  (void)state;
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 5; k++) patch_test(membranes[i], ratios[k]);
}

static void bad_values_are_refused(void **state) {
  (void)state;
#define FLAT "<MeshTopology position='0 0 0 1 0 0 2 0 0' triangles='0 1 2' edges='0 1'/>"
#define BEYOND "<MeshTopology position='0 0 0 1 0 0 0 1 0' triangles='0 1 7' edges='0 1'/>"
#define RIGID                                                                                      \
  "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 2 0 0 0 0 0 1'/>"
  refuse(SCENE(FLAT, STATE, "<TriangularFEMForceField" MATERIAL "/>"),
         "triangle 0 (vertices 0 1 2) has no area");
  refuse(SCENE(BEYOND, "<MechanicalObject position='0 0 0 1 0 0 0 1 0'/>",
               "<TriangularFEMForceFieldOptim" MATERIAL "/>"),
         "has vertex 7");
  refuse(SCENE("<MeshTopology position='0 0 0'/>", STATE, "<TriangleFEMForceField" MATERIAL "/>"),
         "no triangles");
  refuse(SCENE(PLANE, STATE, "<TriangleFEMForceField thickness='-1'" MATERIAL "/>"), "thickness");
  refuse(
      SCENE(PLANE, STATE, "<TriangularFEMForceField rotatedInitialElements='0 0 0'" MATERIAL "/>"),
      "rotatedInitialElements");
  refuse(SCENE(PLANE, STATE, "<TriangularFEMForceFieldOptim restScale='0'" MATERIAL "/>"),
         "restScale");
  refuse(SCENE(PLANE, STATE, "<TriangularFEMForceFieldOptim method='small'" MATERIAL "/>"),
         "large");
  refuse(SCENE(PLANE, STATE,
               "<TriangularAnisotropicFEMForceField transverseYoungModulus='1e6'" MATERIAL "/>"),
         "unstable");
  refuse(SCENE(PLANE, STATE, "<TriangularTensorMassForceField poissonRatio='1'/>"), "poissonRatio");
  refuse(SCENE(PLANE, STATE, "<TriangularFEMForceField poissonRatio='1' youngModulus='1'/>"),
         "'poissonRatio': entry 0: 1, expected in (-1, 1)");
  refuse(SCENE(PLANE, STATE,
               "<TriangleFEMForceField planeStrain='1' poissonRatio='0.7' youngModulus='1'/>"),
         "'poissonRatio': entry 0: 0.7, expected < 0.5 in plane strain");
  refuse(SCENE(SOLID, STATE, "<TetrahedronFEMForceField poissonRatio='0.7' youngModulus='1'/>"),
         "'poissonRatio': entry 0: 0.7, expected in (-1, 0.5)");
  refuse(SCENE(PLANE, STATE,
               "<LinearSmallStrainFEMForceField template='Vec3d,Triangle' poissonRatio='0.7' "
               "youngModulus='1'/>"),
         "'poissonRatio': entry 0: 0.7, expected < 0.5 in space");
  refuse(SCENE(SOLID, STATE, "<TetrahedralTensorMassForceField youngModulus='-1'/>"),
         "youngModulus");
  refuse(SCENE(FLAT, RIGID, "<BeamFEMForceField radius='0'" MATERIAL "/>"), "radius");
  refuse(SCENE(FLAT, RIGID, "<BeamFEMForceField radius='1' radiusInner='1'" MATERIAL "/>"),
         "radiusInner");
  refuse(SCENE(FLAT, RIGID, "<BeamFEMForceField radius='1' listSegment='9'" MATERIAL "/>"),
         "'listSegment': index 9 is not an edge of the topology");
  refuse(SCENE(PLANE, STATE, "<TrianglePressureForceField pressure='0 0 1' triangleList='0 999'/>"),
         "'triangleList': index 999 is not a triangle of the topology");
  refuse(SCENE(PLANE, STATE, "<ConstantForceField forces='0 0 1' indices='999'/>"),
         "'indices': index 999 is not a point of the state");
  refuse(SCENE(PLANE, STATE, "<QuadBendingFEMForceField" MATERIAL "/>"), "no quads");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(triangles_agree_on_instruction_sets),
      cmocka_unit_test(small_triangles_agree),
      cmocka_unit_test(large_triangles_agree),
      cmocka_unit_test(small_tetrahedra_agree),
      cmocka_unit_test(quirks_change_forces),
      cmocka_unit_test(no_force_at_rest),
      cmocka_unit_test(membranes_of_any_poisson_ratio),
      cmocka_unit_test(quads_have_the_energy_of_plates),
      cmocka_unit_test(bad_values_are_refused),
      cmocka_unit_test(round_fibres_run_around_their_centre),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
