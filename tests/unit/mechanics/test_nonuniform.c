/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NonUniformHexahedronFEMForceFieldAndMass and HexahedronCompositeFEMForceFieldAndMass: where all
 * fine cells are full, coarse functions see the same material as without them; composite ones see
 * materials in series. */
#include "tests/support/scene_memory.h"

#include <math.h>
#include <stdio.h>

#define SCENE(fill, finer, force_field)                                                            \
  "<Node name='root' dt='0.02' gravity='0 -10 0'><DefaultAnimationLoop/>"                          \
  "<DefaultVisualManagerLoop/><EulerImplicitSolver/><SparseLDLSolver/>"                            \
  "<SparseGridTopology n='4 3 3' fillWeighted='" fill "' nbVirtualFinerLevels='" finer "' "        \
  "position='0 0 0 3 0 0 3 2 0 0 2 0 0 0 2 3 0 2 3 2 2 0 2 2' "                                    \
  "quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/><MechanicalObject "                    \
  "name='state'/>" force_field "<FixedProjectiveConstraint indices='0 1 2 3 4 5 6 7 8'/></Node>"
#define PLAIN "<HexahedronFEMForceFieldAndMass youngModulus='3000' poissonRatio='0.3' density='2'/>"
#define FINER(levels, how)                                                                         \
  "<NonUniformHexahedronFEMForceFieldAndMass nbVirtualFinerLevels='" levels                        \
  "' youngModulus='3000' poissonRatio='0.3' density='2' " how "/>"

/* Largest difference of positions after some steps. */
static double difference(const char *first, const char *second) {
  SceneRun runs[2];
  double most = 0;
  scene_run_open(&runs[0], first, NULL);
  scene_run_open(&runs[1], second, NULL);
  for (int i = 0; i < 2; i++) scene_run_steps(&runs[i], 8);
  const SofaState *a = scene_run_state(&runs[0], "/state"),
                  *b = scene_run_state(&runs[1], "/state");
  assert_int_equal(a->position.n, b->position.n);
  for (size_t i = 0; i < 3 * a->position.n; i++)
    most = fmax(most, fabs(a->position.data[i] - b->position.data[i]));
  for (int i = 0; i < 2; i++) scene_run_close(&runs[i]);
  return most;
}

static void full_cells_are_uniform(void **state) {
  (void)state;
  assert_true(difference(SCENE("0", "0", PLAIN), SCENE("0", "2", FINER("2", ""))) < 1e-10);
  assert_true(difference(SCENE("0", "0", PLAIN), SCENE("0", "2", FINER("1", ""))) < 1e-10);
  // without finer cells it is the same also where cells count half
  assert_true(difference(SCENE("1", "0", PLAIN), SCENE("1", "0", FINER("0", ""))) < 1e-10);
}

static void half_filled_cells_are_softer(void **state) {
  (void)state;
  assert_true(difference(SCENE("0", "2", FINER("2", "")), SCENE("1", "2", FINER("2", ""))) > 1e-4);
}

static void refused(const char *scene, const char *words) {
  SceneRun run = {.quiet = true};
  scene_run_context(&run, NULL);
  run.quiet = true;
  SofaErr err = sofa_simulation_load_text(run.ctx, scene, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  if (err == SOFA_OK) fail_msg("nothing says '%s'", words);
  if (!strstr(run.all, words)) fail_msg("'%s' does not say '%s'", run.all, words);
  scene_run_close(&run);
}

static void wrong_levels_are_refused(void **state) {
  (void)state;
  refused(SCENE("1", "1", FINER("2", "")), "expected 0 to 1");
  refused(SCENE("1", "1", FINER("1", "updateStiffnessMatrix='1'")), "not supported");
  refused("<Node name='root'><DefaultAnimationLoop/><RegularGridTopology n='3 3 3'/>"
          "<MechanicalObject/>" FINER("0", "") "</Node>",
          "not a sparse grid");
}

/* ---- composite ---- */

/* a block of 1.6 m in a cell of 2 m; its right half is made of something else */
static void write_box(const char *path, double from, double to) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  for (int i = 0; i < 8; i++)
    fprintf(file, "v %g %g %g\n", i & 1 ? to : from, i & 2 ? 1.8 : 0.2, i & 4 ? 1.8 : 0.2);
  fputs("f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 2 4 8 6\nf 4 3 7 8\nf 3 1 5 7\n", file);
  fclose(file);
}

#define TWO_MATERIALS(grid, force_field)                                                           \
  "<Node name='root' dt='1' gravity='0 0 0'><DefaultAnimationLoop/><DefaultVisualManagerLoop/>"    \
  "<StaticSolver newtonSolver='@newton'/><NewtonRaphsonSolver name='newton' "                      \
  "maxNbIterationsNewton='20' maxNbIterationsLineSearch='1'/><SparseLDLSolver "                    \
  "template='CompressedRowSparseMatrixMat3x3d'/><SparseGridMultipleTopology name='grid' "          \
  "n='2 2 2' min='0 0 0' max='2 2 2' fillWeighted='0' finestConnectivity='0' " grid                \
  "/><MechanicalObject name='state'/>" force_field                                                 \
  "<FixedProjectiveConstraint indices='0 3 4 7'/>"                                                 \
  "<ConstantForceField indices='1 2 5 6' totalForce='100 0 0'/></Node>"
#define BOXES                                                                                      \
  "fileTopologies='csofa_whole.obj csofa_right.obj' stiffnessCoefs='1 4' massCoefs='1 2' "
#define MATERIAL "youngModulus='1000' poissonRatio='0' density='2' "
#define COMPOSITE(how)                                                                             \
  "<HexahedronCompositeFEMForceFieldAndMass name='fem' nbVirtualFinerLevels='1' " MATERIAL how "/" \
  ">"
#define INTERPOLATED                                                                               \
  "<NonUniformHexahedronFEMForceFieldAndMass nbVirtualFinerLevels='1' " MATERIAL "/>"
#define LEVEL BOXES "nbVirtualFinerLevels='1'"

static double pulled(const char *scene) {
  SceneRun run;
  scene_run_open(&run, scene, NULL);
  scene_run_steps(&run, 1);
  const double x = scene_run_state(&run, "/state")->position.data[3];
  scene_run_close(&run);
  return x - 2;
}

static int write_boxes(void **state) {
  (void)state;
  write_box("csofa_whole.obj", 0.2, 1.8);
  write_box("csofa_right.obj", 1.2, 1.8);
  return 0;
}

static int remove_boxes(void **state) {
  (void)state;
  return remove("csofa_whole.obj") | remove("csofa_right.obj");
}

static void materials_stand_in_series(void **state) {
  (void)state;
  // 100 N on 4 m^2: 25 (1/1000 + 1/4000) m, but 25 * 2 / 2500 with linear functions
  assert_true(fabs(pulled(TWO_MATERIALS(LEVEL, COMPOSITE(""))) - 0.03125) < 2e-4);
  assert_true(fabs(pulled(TWO_MATERIALS(LEVEL, COMPOSITE("finestToCoarse='1'"))) - 0.03125) < 2e-4);
  assert_true(fabs(pulled(TWO_MATERIALS(LEVEL, INTERPOLATED)) - 0.02) < 1e-9);
}

/* Half of the cell has density 2, the other half twice as much. */
static void masses_have_their_own_factors(void **state) {
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    SceneRun run = {.quiet = true};
    const SofaContextOptions options = {.quirks = quirks};
    scene_run_context(&run, &options);
    assert_int_equal(sofa_simulation_load_text(run.ctx,
                                               TWO_MATERIALS(LEVEL, COMPOSITE("lumpedMass='1'")),
                                               &run.simulation),
                     SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    SofaMass *mass = (SofaMass *)scene_run_object(&run, "/fem");
    const SofaMassOps *ops = sofa_ops(&mass->force_field.object, SOFA_MASS);
    double v[24], total;
    for (int i = 0; i < 24; i++) v[i] = i % 3 == 0;
    total = 2 * ops->kinetic_energy(mass, sofa_mass_x(mass), v);
    // SOFA takes 1 and 4 instead of 1 and 2, and 8 x 8 entries of 8/27 of the mass
    const double expected = quirks ? 2 * 4 * (1 + 4) * 64. * 8 / 27 : 2 * 4 * (1 + 2);
    if (!(fabs(total - expected) < 1e-9 * expected)) fail_msg("%g kg, not %g", total, expected);
    scene_run_close(&run);
  }
}

/* Without the mass of the elements: as a UniformMass; with quirks a share per element. */
static void shares_of_the_mass(void **state) {
  (void)state;
  for (int quirks = 0; quirks < 2; quirks++) {
    SceneRun run;
    const SofaContextOptions options = {.quirks = quirks};
    scene_run_open(&run, SCENE("0", "1", FINER("1", "name='fem' useMass='0' totalMass='6'")),
                   &options);
    SofaMass *mass = (SofaMass *)scene_run_object(&run, "/fem");
    const SofaMassOps *ops = sofa_ops(&mass->force_field.object, SOFA_MASS);
    double product[3 * 36] = {0}, v[3 * 36];
    const size_t n = 3 * scene_run_state(&run, "/state")->position.n;
    assert_int_equal(n, 3 * 36);
    for (size_t i = 0; i < n; i++) v[i] = (double)i;
    assert_int_equal(ops->add_mdx(mass, sofa_mass_x(mass), v, product, 1), SOFA_OK);
    const double share = quirks ? 6. / 12 : 6. / 36;
    for (size_t i = 0; i < n; i++)
      assert_true(fabs(product[i] - share * v[i]) < 1e-12 * (1 + v[i]));
    if (!quirks) assert_true(fabs(ops->total_mass(mass) - 6) < 1e-12);
    scene_run_close(&run);
  }
}

static void wrong_composites_are_refused(void **state) {
  (void)state;
  refused(TWO_MATERIALS("", COMPOSITE("")), "names no file");
  refused(TWO_MATERIALS("fileTopologies='csofa_missing.obj'", COMPOSITE("")), "there is no file");
  refused(TWO_MATERIALS("fileTopologies='csofa_whole.obj' massCoefs='-1' stiffnessCoefs='1'",
                        COMPOSITE("")),
          "entry 0: -1");
  refused(TWO_MATERIALS(BOXES, COMPOSITE("")), "expected 0 to 0");
  refused(TWO_MATERIALS(BOXES "nbVirtualFinerLevels='4'",
                        "<HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='4' "
                        "finestToCoarse='1' " MATERIAL "/>"),
          "at most 3 levels");
  refused(TWO_MATERIALS(LEVEL, FINER("1", "") "<Node><MechanicalObject position='1 1 1'/>"
                                              "<HexahedronCompositeFEMMapping/></Node>"),
          "there is no HexahedronComposite");
}

static void composites_survive_lack_of_memory(void **state) {
  (void)state;
  scene_without_memory(TWO_MATERIALS(LEVEL,
                                     COMPOSITE("") "<Node><MechanicalObject position='1 1 1'/>"
                                                   "<HexahedronCompositeFEMMapping/></Node>"));
}

/* The corners pulled apart and turned: largest difference of two answers of the mapping to them,
 * between which the forces are evaluated elsewhere. */
static double change_of_answer(const char *method, bool quirks) {
  SceneRun run;
  char scene[4000];
  snprintf(scene, sizeof scene,
           TWO_MATERIALS(LEVEL,
                         "<HexahedronCompositeFEMForceFieldAndMass name='fem' "
                         "nbVirtualFinerLevels='1' " MATERIAL "method='%s'/><Node name='points'>"
                         "<MechanicalObject name='state' position='1 1 1  1.5 0.5 0.7'/>"
                         "<HexahedronCompositeFEMMapping name='map'/></Node>"),
           method);
  scene_run_open(&run, scene, &(SofaContextOptions){.quirks = quirks});
  SofaMapping *map = (SofaMapping *)scene_run_object(&run, "/points/map");
  SofaForceField *fem = (SofaForceField *)scene_run_object(&run, "/fem");
  const SofaState *in = scene_run_state(&run, "/state");
  const size_t n = 3 * sofa_state_size(in);
  double x[2][24], f[24] = {0}, out[4][6], zero[24] = {0}, *force = f, most = 0;
  assert_int_equal(n, 24);
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 2; k++)
      x[k][i] = in->position.data[i] + (k ? 0.3 : 0.2) * sin(7.0 * (double)i + k);
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 0);
  const double *a[1] = {x[0]}, *b[1] = {x[1]}, *still[1] = {zero};
  const SofaPoint here = {.x = a, .v = still, .n = 1, .id = sofa_point_id(run.ctx)};
  const SofaPoint there = {.x = b, .v = still, .n = 1, .id = sofa_point_id(run.ctx)};
  for (int turn = 0; turn < 2; turn++) {
    assert_int_equal(sofa_mapping_apply(map, &here, out[2 * turn]), SOFA_OK);
    assert_int_equal(sofa_mapping_apply_j(map, &here, b, out[2 * turn + 1]), SOFA_OK);
    const SofaPoint again = {.x = b, .v = still, .n = 1, .id = sofa_point_id(run.ctx)};
    assert_int_equal(sofa_force_field_add_force(fem, &p, turn ? &again : &there, &force), SOFA_OK);
  }
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < 6; i++) most = fmax(most, fabs(out[k][i] - out[k + 2][i]));
  scene_run_close(&run);
  return most;
}

/* A block of cells and a point in it; the corners of the block are moved by `by`, 24 numbers. */
typedef struct Moved {
  SceneRun run;
  SofaMapping *map;
  SofaForceField *fem;
  double x[24], still[24];
  SofaPoint at;
  const double *positions[1], *velocities[1];
} Moved;

static void moved_open(Moved *m, const char *words, const char *method, const double *by) {
  char scene[4000];
  *m = (Moved){0};
  snprintf(scene, sizeof scene,
           TWO_MATERIALS(LEVEL,
                         "<HexahedronCompositeFEMForceFieldAndMass name='fem' "
                         "nbVirtualFinerLevels='1' " MATERIAL "method='%s'/><Node name='points'>"
                         "<MechanicalObject name='state' position='1 1 1'/>"
                         "<HexahedronCompositeFEMMapping name='map'/></Node>"),
           method);
  scene_run_open(&m->run, scene, &(SofaContextOptions){.quirk_words = words});
  m->map = (SofaMapping *)scene_run_object(&m->run, "/points/map");
  m->fem = (SofaForceField *)scene_run_object(&m->run, "/fem");
  const SofaState *in = scene_run_state(&m->run, "/state");
  assert_int_equal(sofa_state_size(in), 8);
  for (int i = 0; i < 24; i++) m->x[i] = in->position.data[i] + by[i];
  m->positions[0] = m->x;
  m->velocities[0] = m->still;
  m->at =
      (SofaPoint){.x = m->positions, .v = m->velocities, .n = 1, .id = sofa_point_id(m->run.ctx)};
}

/* The frames of apply hold for J and its transpose, also when the forces turn the cells between. */
static void frames_of_apply(void **state) {
  (void)state;
  double by[24], there[24], v[3], f[3] = {1, -2, 3}, power[2] = {0, 0};
  Moved m;
  for (int i = 0; i < 24; i++) by[i] = 0.2 * sin(7.0 * i);
  moved_open(&m, "composite-late-frames", "large", by);
  for (int i = 0; i < 24; i++) there[i] = m.x[i] + 0.5 * cos(5.0 * i);
  double force[2][24] = {{0}}, *forces[2] = {force[0], force[1]}, inner[24] = {0};
  const double *elsewhere[1] = {there}, *speeds[1] = {by};
  double *inner_force = inner;
  const SofaMechParams p = sofa_mech_params(0.01, 0, 0, 0, 0);
  assert_int_equal(sofa_mapping_apply(m.map, &m.at, v), SOFA_OK);
  for (int turn = 0; turn < 2; turn++) {
    assert_int_equal(sofa_mapping_apply_j(m.map, &m.at, speeds, v), SOFA_OK);
    assert_int_equal(sofa_mapping_apply_jt(m.map, &m.at, f, &forces[turn]), SOFA_OK);
    for (int i = 0; i < 3; i++) power[turn] += v[i] * f[i];
    for (int i = 0; i < 24; i++) power[turn] -= by[i] * force[turn][i];
    const SofaPoint other = {
        .x = elsewhere, .v = m.velocities, .n = 1, .id = sofa_point_id(m.run.ctx)};
    assert_int_equal(sofa_force_field_add_force(m.fem, &p, &other, &inner_force), SOFA_OK);
  }
  assert_memory_equal(force[0], force[1], sizeof force[0]);
  for (int turn = 0; turn < 2; turn++) assert_true(fabs(power[turn]) < 1e-12);
  scene_run_close(&m.run);
}

/* All corners moved by 0.1: so is the point, or by the nearest number of single precision along z,
 * and its velocity along all axes. */
static void displacements_in_single_precision(void **state) {
  (void)state;
  for (int quirk = 0; quirk < 2; quirk++) {
    const double expected = quirk ? (double)0.1F : 0.1;
    double by[24], out[3], v[3];
    const double *speeds[1] = {by};
    Moved m;
    for (int i = 0; i < 24; i++) by[i] = 0.1;
    moved_open(&m, quirk ? "composite-floats" : NULL, "small", by);
    assert_int_equal(sofa_mapping_apply(m.map, &m.at, out), SOFA_OK);
    assert_int_equal(sofa_mapping_apply_j(m.map, &m.at, speeds, v), SOFA_OK);
    for (int k = 0; k < 3; k++) {
      assert_true(fabs(out[k] - 1 - (k == 2 ? expected : 0.1)) < 1e-12);
      assert_true(fabs(v[k] - expected) < 1e-12);
    }
    scene_run_close(&m.run);
  }
}

#define INSIDE                                                                                     \
  "0.5 0.5 0.5 1 0.5 0.5 1.5 0.5 0.5 0.5 1.5 0.5 1 1.5 0.5 1.5 1.5 0.5 0.5 0.5 1.5 1 0.5 1.5 "     \
  "1.5 0.5 1.5 0.5 1.5 1.5 1 1.5 1.5 1.5 1.5 1.5 1 1 1"

/* Displacement at p: the end at x = 2 is pulled by 0.1, of which the softer half takes four fifths;
 * or a rigid one, linear in the angles. */
static void displacement(bool rigid, const double *p, double *u) {
  const double x = p[0], along = x < 1 ? 0.8 * x : 0.8 + 0.2 * (x - 1);
  u[0] = rigid ? 0.2 + 0.3 * p[1] - 0.1 * p[2] : 0.1 * along;
  u[1] = rigid ? -0.1 - 0.3 * p[0] + 0.4 * p[2] : 0;
  u[2] = rigid ? 0.3 + 0.1 * p[0] - 0.4 * p[1] : 0;
}

/* Points inside go where their forces vanish: those of a bar of two materials in series along all
 * of it, where faces stay plane; as a rigid body, where only the corners are held. */
static void check_inside(const char *how, bool rigid) {
  SceneRun run;
  char scene[4000];
  double x[24], out[39], u[3];
  snprintf(scene, sizeof scene,
           TWO_MATERIALS(LEVEL, "<HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='1' "
                                "method='small' " MATERIAL "%s/><Node name='points'>"
                                "<MechanicalObject position='" INSIDE "'/>"
                                "<HexahedronCompositeFEMMapping name='map'/></Node>"),
           how);
  scene_run_open(&run, scene, NULL);
  SofaMapping *map = (SofaMapping *)scene_run_object(&run, "/points/map");
  const double *in = scene_run_state(&run, "/state")->position.data;
  const double *inside = map->out->position.data;
  for (int i = 0; i < 24; i++) {
    displacement(rigid, in + i - i % 3, u);
    x[i] = in[i] + u[i % 3];
  }
  const double *a[1] = {x};
  const SofaPoint at = {.x = a, .v = a, .n = 1, .id = sofa_point_id(run.ctx)};
  assert_int_equal(sofa_mapping_apply(map, &at, out), SOFA_OK);
  for (int i = 0; i < 39; i++) {
    displacement(rigid, inside + i - i % 3, u);
    // linear along the edges of the cell: 3 % off at its centre
    if (!(fabs(out[i] - inside[i] - u[i % 3]) < (rigid ? 1e-9 : i < 36 ? 1e-4 : 3e-3)))
      fail_msg("%s: coordinate %d moves by %g, not %g", how, i, out[i] - inside[i], u[i % 3]);
  }
  scene_run_close(&run);
}

static void points_inside_follow(void **state) {
  (void)state;
  check_inside("", false);
  check_inside("finestToCoarse='1'", false);
  check_inside("completeInterpolation='1'", true);
  check_inside("finestToCoarse='1' completeInterpolation='1'", true);
}

static void frames_of_the_forces(void **state) {
  (void)state;
  assert_true(change_of_answer("large", false) == 0);
  assert_true(change_of_answer("polar", false) == 0);
  assert_true(change_of_answer("large", true) > 1e-3);
}

static void survives_lack_of_memory(void **state) {
  (void)state;
  scene_without_memory(SCENE("1", "1", FINER("1", "")));
}

/* Weights through several levels carry a translation of the corners as it is. */
static void translations_through_levels(void **state) {
  static const char *const levels[] = {"1", "2", "3"};
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    SceneRun run;
    char scene[2000];
    double *x, before[6], after[6];
    snprintf(scene, sizeof scene,
             "<Node name='root'><DefaultAnimationLoop/><SparseGridTopology n='3 3 3' "
             "nbVirtualFinerLevels='%s' position='0 0 0 2 0 0 2 1 0 0 1 0 0 0 1 2 0 1 2 1 1 0 1 1' "
             "quads='0 3 2 1 4 5 6 7 0 1 5 4 1 2 6 5 2 3 7 6 3 0 4 7'/><MechanicalObject "
             "name='state'/><HexahedronCompositeFEMForceFieldAndMass nbVirtualFinerLevels='%s' "
             "youngModulus='5' poissonRatio='0.3' density='1'/><Node name='points'>"
             "<MechanicalObject position='0.3 0.4 0.2  1.5 0.5 0.7'/>"
             "<HexahedronCompositeFEMMapping name='map'/></Node></Node>",
             levels[i], levels[i]);
    scene_run_open(&run, scene, NULL);
    SofaMapping *map = (SofaMapping *)scene_run_object(&run, "/points/map");
    const SofaState *in = scene_run_state(&run, "/state");
    const size_t n = 3 * sofa_state_size(in);
    assert_non_null(x = calloc(2 * n, sizeof *x));
    memcpy(x, in->position.data, n * sizeof *x);
    const double *at[1] = {x}, *still[1] = {x + n};
    const SofaPoint here = {.x = at, .v = still, .n = 1, .id = sofa_point_id(run.ctx)};
    assert_int_equal(sofa_mapping_apply(map, &here, before), SOFA_OK);
    for (size_t k = 0; k < n; k++) x[k] += (double)(k % 3) - 0.7;
    const SofaPoint there = {.x = at, .v = still, .n = 1, .id = sofa_point_id(run.ctx)};
    assert_int_equal(sofa_mapping_apply(map, &there, after), SOFA_OK);
    for (int k = 0; k < 6; k++) assert_true(fabs(after[k] - before[k] - (k % 3 - 0.7)) < 1e-9);
    free(x);
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(translations_through_levels),
      cmocka_unit_test(full_cells_are_uniform),
      cmocka_unit_test(half_filled_cells_are_softer),
      cmocka_unit_test(wrong_levels_are_refused),
      cmocka_unit_test(survives_lack_of_memory),
      cmocka_unit_test(materials_stand_in_series),
      cmocka_unit_test(masses_have_their_own_factors),
      cmocka_unit_test(shares_of_the_mass),
      cmocka_unit_test(wrong_composites_are_refused),
      cmocka_unit_test(composites_survive_lack_of_memory),
      cmocka_unit_test(frames_of_the_forces),
      cmocka_unit_test(frames_of_apply),
      cmocka_unit_test(displacements_in_single_precision),
      cmocka_unit_test(points_inside_follow),
  };
  return cmocka_run_group_tests(tests, write_boxes, remove_boxes);
}
