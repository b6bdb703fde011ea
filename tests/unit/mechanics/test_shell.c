/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shell elements: patches of constant strain, rigid motions, derivatives against differences of the
 * energy; and what their components refuse. */
#include "tests/support/force_at.h"
#include "tests/support/scene_run.h"

#include <math.h>
#include "math/quaternion.h"
#include "math/vec.h"
#include "math/kernels.h"
#include "numerics/fem/late_blocks.h"
#include "numerics/fem/shell_kernels.h"

enum { PATCH = 8, ELEMENTS = 10 };

static void near(double value, double expected, double tolerance) {
  if (!(fabs(value - expected) <= tolerance))
    fail_msg("%.12g, expected %.12g (difference %.3g)", value, expected, value - expected);
}

/* ---- patches ---- */

/* A rectangle of irregular quads around four inner points (R. H. MacNeal, R. L. Harder, Finite
 * Elem. Anal. Des. 1, 1985); each quad is also split into two triangles. */
static const double places[PATCH][2] = {{0, 0},       {0.24, 0},    {0.24, 0.12}, {0, 0.12},
                                        {0.04, 0.02}, {0.18, 0.03}, {0.16, 0.08}, {0.08, 0.08}};
static const unsigned quads[5][4] = {
    {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}, {4, 5, 6, 7}};

typedef struct Patch {
  unsigned n_nodes, n, v[ELEMENTS][4];
  double rest[PATCH][7], x[PATCH][7], g[PATCH][6];
  SofaShell shell[ELEMENTS];
} Patch;

static void poses_of(const Patch *p, double (*all)[7], unsigned e, const double **poses) {
  for (unsigned n = 0; n < p->n_nodes; n++) poses[n] = all[p->v[e][n]];
}

static void make_patch(Patch *p, unsigned n_nodes) {
  const SofaShellSection section = sofa_shell_section(1e6, 0.25, 0.1, 5. / 6, 0.01);
  const double up[4][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}};
  memset(p, 0, sizeof *p);
  p->n_nodes = n_nodes;
  p->n = n_nodes == 4 ? 5 : 10;
  for (unsigned e = 0; e < p->n; e++)
    for (unsigned n = 0; n < n_nodes; n++)
      p->v[e][n] = n_nodes == 4 ? quads[e][n] : quads[e / 2][n ? (n + e % 2) % 4 : 0];
  for (int i = 0; i < PATCH; i++) {
    p->rest[i][0] = places[i][0];
    p->rest[i][1] = places[i][1];
    p->rest[i][6] = 1;
  }
  memcpy(p->x, p->rest, sizeof p->x);
  for (unsigned e = 0; e < p->n; e++) {
    const double *poses[4];
    poses_of(p, p->rest, e, poses);
    assert_true(sofa_shell_make(n_nodes, poses, up, &section, &p->shell[e]));
  }
}

static void sum_gradient(Patch *p) {
  memset(p->g, 0, sizeof p->g);
  for (unsigned e = 0; e < p->n; e++) {
    const double *poses[4];
    double g[24];
    poses_of(p, p->x, e, poses);
    sofa_shell_gradient(&p->shell[e], poses, g);
    for (unsigned k = 0; k < 6 * p->n_nodes; k++) p->g[p->v[e][k / 6]][k % 6] += g[k];
  }
}

/* The inner points are in balance; *most is the largest force or torque at the others. */
static double inner_forces(Patch *p, double *most) {
  double inner = 0;
  sum_gradient(p);
  *most = 0;
  for (int i = 0; i < PATCH; i++)
    for (int k = 0; k < 6; k++) {
      const double size = fabs(p->g[i][k]);
      if (i < 4) *most = fmax(*most, size);
      else inner = fmax(inner, size);
    }
  return inner;
}

/* x = R U X with a large uniform stretch U: one Green strain in all points. */
static void membrane_patch(void **state) {
  (void)state;
  const double turn[4] = {0.2, -0.4, 0.4, 0.8}, u[2][2] = {{1.3, 0.2}, {0.2, 0.9}};
  const double green[3] = {(1.3 * 1.3 + 0.2 * 0.2 - 1) / 2, (0.2 * 0.2 + 0.9 * 0.9 - 1) / 2,
                           0.2 * (1.3 + 0.9)};
  for (unsigned n_nodes = 3; n_nodes < 5; n_nodes++) {
    Patch p;
    double most;
    make_patch(&p, n_nodes);
    for (int i = 0; i < PATCH; i++) {
      const double *r = p.rest[i];
      const double moved[3] = {u[0][0] * r[0] + u[0][1] * r[1], u[1][0] * r[0] + u[1][1] * r[1], 0};
      sofa_quat_rotate(turn, moved, p.x[i]);
      memcpy(p.x[i] + 3, turn, sizeof turn);
    }
    const double inner = inner_forces(&p, &most);
    assert_true(most > 1);
    near(inner, 0, 1e-12 * most);
    for (unsigned e = 0; e < p.n; e++) {
      const double *poses[4];
      double strain[SOFA_SHELL_STRAINS];
      poses_of(&p, p.x, e, poses);
      sofa_shell_strain(&p.shell[e], poses, 0, strain);
      // invariants: axes differ from element to element
      near(strain[0] + strain[1], green[0] + green[1], 1e-13);
      near(strain[0] * strain[1] - strain[2] * strain[2] / 4,
           green[0] * green[1] - green[2] * green[2] / 4, 1e-13);
      for (int k = 3; k < SOFA_SHELL_STRAINS; k++) near(strain[k], 0, 1e-13);
    }
  }
}

/* w = c (x^2 + x y + y^2) / 2 with the rotations of its slopes: constant curvature, no shear. */
static void bending_patch(void **state) {
  (void)state;
  const double c = 1e-8;
  for (unsigned n_nodes = 3; n_nodes < 5; n_nodes++) {
    Patch p;
    double most;
    make_patch(&p, n_nodes);
    for (int i = 0; i < PATCH; i++) {
      const double x = places[i][0], y = places[i][1];
      const double angles[3] = {c * (x / 2 + y), -c * (x + y / 2), 0};
      p.x[i][2] = c * (x * x + x * y + y * y) / 2;
      for (int k = 0; k < 3; k++) p.x[i][3 + k] = angles[k] / 2;
    }
    const double inner = inner_forces(&p, &most);
    assert_true(most > 1e-8);
    near(inner, 0, 1e-5 * most);
    for (unsigned e = 0; e < p.n; e++) {
      const double *poses[4];
      double strain[SOFA_SHELL_STRAINS];
      poses_of(&p, p.x, e, poses);
      sofa_shell_strain(&p.shell[e], poses, p.n_nodes - 1, strain);
      near(strain[3] + strain[4], -2 * c, 1e-5 * c);
      near(strain[3] * strain[4] - strain[5] * strain[5] / 4, 0.75 * c * c, 1e-5 * c * c);
      near(hypot(strain[6], strain[7]), 0, 1e-5 * c);
    }
  }
}

/* u = c x y at the corners of one rectangle of 2 x 1 without frames that turn: E h c^2/2 int y^2 dA
 * alone, but for the drilling. */
static void bending_in_the_plane(void **state) {
  (void)state;
  const SofaShellSection section = sofa_shell_section(1000, 0, 0.1, 5. / 6, 1e-9);
  const double up[4][3] = {{0, 0, 1}, {0, 0, 1}, {0, 0, 1}, {0, 0, 1}}, c = 1e-5;
  double x[4][7] = {{-1, -0.5, 0, 0, 0, 0, 1},
                    {1, -0.5, 0, 0, 0, 0, 1},
                    {1, 0.5, 0, 0, 0, 0, 1},
                    {-1, 0.5, 0, 0, 0, 0, 1}};
  const double *poses[4] = {x[0], x[1], x[2], x[3]}, energy = 1000 * 0.1 * c * c / 2 * 2 / 12;
  SofaShell shell;
  assert_true(sofa_shell_make(4, poses, up, &section, &shell));
  for (int n = 0; n < 4; n++) x[n][0] += c * x[n][0] * x[n][1];
  near(sofa_shell_energy(&shell, poses), energy, 1e-4 * energy);
}

/* ---- one curved element ---- */

static const double rest_poses[4][7] = {{0, 0, 0, 0, 0, 0, 1},
                                        {1, 0, 0.1, 0, 0, 0.6, 0.8},
                                        {1.2, 1.5, -0.1, 0.6, 0, 0, 0.8},
                                        {0, 1, 0.3, 0, 1, 0, 0}};

static void make_curved(unsigned n_nodes, SofaShell *shell) {
  const SofaShellSection section = sofa_shell_section(100, 0.3, 0.3, 5. / 6, 0.2);
  const double *poses[4];
  double directors[4][3], x[4][3];
  for (int n = 0; n < 4; n++) {
    poses[n] = rest_poses[n];
    sofa_vec3_copy(poses[n], x[n]);
  }
  for (unsigned n = 0; n < n_nodes; n++)
    assert_true(sofa_shell_normal(n_nodes, (const double(*)[3])x, n, directors[n]));
  assert_true(sofa_shell_make(n_nodes, poses, (const double(*)[3])directors, &section, shell));
}

/* Poses at rest moved by h d along rotation vectors. */
static void moved_by(const double *d, double h, double (*out)[7]) {
  for (int n = 0; n < 4; n++) {
    double turn[4] = {0, 0, 0, 1};
    const double *w = d + 6 * n + 3, angle = h * sofa_vec3_norm(w);
    for (int i = 0; i < 3; i++) out[n][i] = rest_poses[n][i] + h * d[6 * n + i];
    if (angle != 0) sofa_quat_from_axis_angle(w, angle, turn);
    sofa_quat_multiply(turn, rest_poses[n] + 3, out[n] + 3);
  }
}

static void addresses(double (*poses)[7], const double **out) {
  for (int n = 0; n < 4; n++) out[n] = poses[n];
}

static void random_direction(uint32_t *seed, double *d) {
  for (int i = 0; i < 24; i++) {
    *seed = *seed * 1664525u + 1013904223u;
    d[i] = (double)(*seed >> 8) / (1 << 23) - 1;
  }
}

/* A rigid motion leaves the energy as it is and turns the forces. */
static void rigid_motions(void **state) {
  (void)state;
  double motion[7] = {3, -2, 1, 0.5, -0.5, 0.1, 0};
  motion[6] = sqrt(1 - 0.51);
  for (unsigned n_nodes = 3; n_nodes < 5; n_nodes++) {
    SofaShell shell;
    uint32_t seed = 5;
    make_curved(n_nodes, &shell);
    for (int deformed = 0; deformed < 2; deformed++) {
      double d[24], now[4][7], moved[4][7], g[24], h[24];
      const double *a[4], *b[4];
      random_direction(&seed, d);
      moved_by(d, deformed ? 0.4 : 0, now);
      for (int n = 0; n < 4; n++) sofa_rigid3_multiply(motion, now[n], moved[n]);
      addresses(now, a);
      addresses(moved, b);
      const double energy = sofa_shell_energy(&shell, a);
      assert_true(deformed ? energy > 1 : energy < 1e-25);
      near(sofa_shell_energy(&shell, b), energy, 1e-12 * (1 + energy));
      sofa_shell_gradient(&shell, a, g);
      sofa_shell_gradient(&shell, b, h);
      for (unsigned k = 0; k < 6 * n_nodes; k += 3) {
        sofa_quat_rotate(motion + 3, g + k, g + k);
        for (unsigned i = k; i < k + 3; i++) near(h[i], g[i], 1e-11);
      }
    }
  }
}

/* g . d and d . H d against differences of the energy, at rest and deformed. The rotations by which
 * poses are moved compose from the rest: so do the differences, along one axis each. */
static void derivatives(void **state) {
  (void)state;
  for (unsigned n_nodes = 3; n_nodes < 5; n_nodes++) {
    SofaShell shell;
    uint32_t seed = 3;
    make_curved(n_nodes, &shell);
    for (int k = 0; k < 300; k++) {
      double d[24], from[4][7], near_by[3][4][7], g[24], h[576], slope = 0, curve = 0, size = 0;
      double energy[3];
      const double *a[4], step = 1e-4;
      random_direction(&seed, d);
      const double start = k % 3 * 0.4; // at rest, and further along d
      for (int i = 0; i < 3; i++) {
        moved_by(d, start + (i - 1) * step, near_by[i]);
        addresses(near_by[i], a);
        energy[i] = sofa_shell_energy(&shell, a);
      }
      moved_by(d, start, from);
      addresses(from, a);
      sofa_shell_gradient(&shell, a, g);
      sofa_shell_hessian(&shell, a, h);
      const unsigned n = 6 * n_nodes;
      for (unsigned i = 0; i < n; i++) slope += g[i] * d[i];
      for (unsigned i = 0; i < n * n; i++) {
        curve += d[i / n] * h[i] * d[i % n];
        size += fabs(d[i / n] * h[i] * d[i % n]);
        assert_true(h[i] == h[n * (i % n) + i / n]);
      }
      near((energy[2] - energy[0]) / (2 * step), slope, 1e-6 * size);
      near((energy[2] - 2 * energy[1] + energy[0]) / (step * step), curve, 1e-5 * size);
    }
  }
}

/* ---- components ---- */

#define SQUARE                                                                                     \
  "position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 1 1 0 0 0 0 1 0 1 0 0 0 0 1' template='Rigid3d'"

static void refused(const char *mesh, const char *shell, const char *message) {
  SceneRun run = {.quiet = true};
  char text[2000];
  snprintf(text, sizeof text,
           "<Node name='root'><DefaultAnimationLoop/><MeshTopology %s/><MechanicalObject " SQUARE
           "/><%s youngModulus='1' poissonRatio='0'/></Node>",
           mesh, shell);
  scene_run_context(&run, NULL);
  SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
  if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
  assert_int_not_equal(err, SOFA_OK);
  if (!strstr(run.all, message)) fail_msg("'%s' is not in '%s'", message, run.all);
  scene_run_close(&run);
}

static void bad_shells_are_refused(void **state) {
  (void)state;
  refused("quads='0 1 2 3'", "ShellQuadFEMForceField thickness='0'", "'thickness'");
  refused("quads='0 2 1 3'", "ShellQuadFEMForceField thickness='1'", "is not convex");
  refused("quads='0 1 2 7'", "ShellQuadFEMForceField thickness='1'", "7");
  refused("triangles='0 1 1'", "ShellTriangleFEMForceField thickness='1'", "has no area at rest");
  refused("triangles='0 1 2'", "ShellQuadFEMForceField thickness='1'", "quads");
  refused("quads='0 1 2 3'", "ShellQuadFEMForceField thickness='1' normals='0 0 1'",
          "expected one for each of the 4 points");
  refused("quads='0 1 2 3'",
          "ShellQuadFEMForceField thickness='1' normals='0 0 1 0 0 1 1 0 0.1 0 0 1'",
          "that of point 2 is more than 60 degrees away");
}

static const void *output(SceneRun *run, const char *name) {
  SofaObject *shell = scene_run_object(run, "/shell");
  const SofaField *field = sofa_class_field(shell->klass, name);
  assert_non_null(field);
  assert_int_equal(sofa_field_compute(shell, field), SOFA_OK);
  return sofa_field_value(shell, field);
}

#define BENT(attributes)                                                                           \
  "<Node name='root'><DefaultAnimationLoop/><MeshTopology quads='0 1 2 3'/>"                       \
  "<MechanicalObject template='Rigid3d' position='0 0 0 0 0 0 1 1.01 0 0 0 "                       \
  "0.004999979166692708 0 0.9999875000260416 1.01 1 0 0 0.004999979166692708 0 "                   \
  "0.9999875000260416 0 1 0 0 0 0 1' rest_position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 1 1 "              \
  "0 0 0 0 1 0 1 0 0 0 0 1'/><ShellQuadFEMForceField name='shell' "                                \
  "youngModulus='1000' poissonRatio='0' thickness='0.1' " attributes "/></Node>"

/* A strip under tension and bending: N = E h e, M = E h^3/12 k, the side where they add up. */
static void outputs(void **state) {
  (void)state;
  SceneRun run;
  scene_run_open(&run, BENT(""), NULL);
  // longer by 1 % and turned by 0.01 about y
  const double green = (1.01 * 1.01 - 1) / 2, force = 1000 * 0.1 * green;
  const double moment = 1000 * 0.001 / 12 * 1.01 * sin(0.01);
  const SofaVec3s *n = output(&run, "membraneForces"), *m = output(&run, "bendingMoments");
  const SofaReals *von_mises = output(&run, "vonMisesPerElement");
  const SofaReals *membrane = output(&run, "membraneEnergyPerElement");
  assert_true(n->n == 1 && m->n == 1 && von_mises->n == 1 && membrane->n == 1);
  near(n->data[0].v[0], force, 1e-12);
  near(m->data[0].v[0], moment, 1e-12);
  near(von_mises->data[0], force / 0.1 + 6 * moment / 0.01, 1e-10);
  near(membrane->data[0], force * green / 2, 1e-12);
  scene_run_close(&run);
}

/* A unit square that leans by w = g x has the energy k G h g^2 / 2 of transverse shear, and one
 * whose frames turn by a about its normal f G h a^2 / 2. */
static void factors_of_sections(void **state) {
  static const char *const shells[] = {
      "<MeshTopology quads='0 1 2 3'/><ShellQuadFEMForceField name='shell'",
      "<MeshTopology triangles='0 1 2 0 2 3'/><ShellTriangleFEMForceField name='shell'"};
  static const double factors[][2] = {{1, 0.01}, {0.5, 0.01}, {0.5, 0.04}};
  const double small = 1e-3, square = 500 * 0.1 * small * small / 2;
  (void)state;
  for (size_t k = 0; k < SOFA_COUNT(shells); k++)
    for (size_t i = 0; i < SOFA_COUNT(factors); i++) {
      char text[900];
      SceneRun run;
      snprintf(text, sizeof text,
               "<Node><DefaultAnimationLoop/><MechanicalObject name='s' template='Rigid3d' "
               "position='0 0 0 0 0 0 1 1 0 0 0 0 0 1 1 1 0 0 0 0 1 0 1 0 0 0 0 1'/>%s "
               "youngModulus='1000' poissonRatio='0' thickness='0.1' shearFactor='%g' "
               "drillingFactor='%g'/></Node>",
               shells[k], factors[i][0], factors[i][1]);
      scene_run_open(&run, text, NULL);
      SofaForceField *ff = (SofaForceField *)scene_run_object(&run, "/shell");
      const double *rest = scene_run_state(&run, "/s")->position.data;
      double x[28], energy = 0;
      memcpy(x, rest, sizeof x);
      x[7 + 2] = x[14 + 2] = small;
      assert_int_equal(ff_energy(ff, &(SofaMechParams){0}, x, &energy), SOFA_OK);
      near(energy, factors[i][0] * square, 1e-5 * square);
      memcpy(x, rest, sizeof x);
      for (int n = 0; n < 4; n++) x[7 * n + 5] = sin(small / 2), x[7 * n + 6] = cos(small / 2);
      assert_int_equal(ff_energy(ff, &(SofaMechParams){0}, x, &energy), SOFA_OK);
      near(energy, factors[i][1] * square, 1e-5 * square);
      scene_run_close(&run);
    }
}

/* Normals that are given may be on either side: the moments are those of the mean normals. */
static void normals_have_no_side(void **state) {
  (void)state;
  const double moment = 1000 * 0.001 / 12 * 1.01 * sin(0.01);
  static const char *const scenes[] = {BENT("normals='0 0 1 0 0 1 0 0 1 0 0 1'"),
                                       BENT("normals='0 0 -1 0 0 2 0 0 -3 0 0 -1'")};
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    scene_run_open(&run, scenes[i], NULL);
    const SofaVec3s *m = output(&run, "bendingMoments");
    assert_int_equal(m->n, 1);
    near(m->data[0].v[0], moment, 1e-12);
    near(m->data[0].v[1], 0, 1e-12);
    scene_run_close(&run);
  }
}

/* Bending moments of two quads with a fold of 50 degrees between them, whose common edge moves. */
static void moments_of_fold(const char *crease, SofaVec3 *moments) {
  SceneRun run;
  char scene[1200];
  const double c = cos(50 * acos(-1.0) / 180), s = sin(50 * acos(-1.0) / 180);
  char ends[200], rest[400];
  snprintf(ends, sizeof ends, "%.17g 0 %.17g 0 0 0 1 %.17g 1 %.17g 0 0 0 1", 1 + c, s, 1 + c, s);
  snprintf(rest, sizeof rest, "0 0 0 0 0 0 1 1 0 0 0 0 0 1 1 1 0 0 0 0 1 0 1 0 0 0 0 1 %s", ends);
  snprintf(scene, sizeof scene,
           "<Node name='root'><DefaultAnimationLoop/><MeshTopology quads='0 1 2 3 1 4 5 2'/>"
           "<MechanicalObject template='Rigid3d' rest_position='%s' position='0 0 0 0 0 0 1 1 0 "
           "0.1 0 0 0 1 1 1 0.1 0 0 0 1 0 1 0 0 0 0 1 %s'/><ShellQuadFEMForceField name='shell' "
           "youngModulus='1000' poissonRatio='0' thickness='0.1' creaseAngle='%s'/></Node>",
           rest, ends, crease);
  scene_run_open(&run, scene, NULL);
  const SofaVec3s *m = output(&run, "bendingMoments");
  assert_int_equal(m->n, 2);
  memcpy(moments, m->data, 2 * sizeof *moments);
  scene_run_close(&run);
}

/* Elements share a normal where the fold between them is below the crease angle, and only there. */
static void folds(void **state) {
  (void)state;
  SofaVec3 sharp[2], below[2], above[2], smooth[2];
  moments_of_fold("1", sharp);
  moments_of_fold("49.9", below);
  moments_of_fold("50.1", above);
  moments_of_fold("89", smooth);
  assert_memory_equal(below, sharp, sizeof sharp);
  assert_memory_equal(above, smooth, sizeof smooth);
  assert_true(fabs(sharp[0].v[0] - smooth[0].v[0]) > 1e-6);
}

/* ---- elements side by side ---- */

/* Elements of a turned and bent patch in two groups; lane 5 of the second one is repeated. */
static size_t make_groups(Patch *p, unsigned n_nodes, SofaShellGroup *groups) {
  make_patch(p, n_nodes);
  for (int i = 0; i < PATCH; i++) {
    const double x = places[i][0], y = places[i][1];
    const double turned[7] = {x, y - 0.3 * x * x, 0.4 * x * y, 0.1 + x, 0.2 - y, 0.3 * x, 1.1};
    memcpy(p->x[i], turned, sizeof turned);
  }
  for (size_t l = 0; l < 2 * SOFA_LANES; l++) {
    const size_t e = l < p->n ? l : p->n - 1;
    sofa_shell_group_set(&groups[l / SOFA_LANES], l % SOFA_LANES, p->v[e], &p->shell[e]);
  }
  return p->n;
}

/* Blocks of nodes at places in reverse, each third one transposed, all of them added twice. */
static void check_blocks(const SofaShellKernels *kernels, unsigned n_nodes,
                         const double (*k)[SOFA_LANES], size_t count) {
  const size_t n_pairs = n_nodes * (n_nodes + 1) / 2, n = n_pairs * SOFA_LANES;
  static double blocks[10 * SOFA_LANES][36];
  uint32_t slots[10 * SOFA_LANES];
  for (int twice = 0; twice < 2; twice++) {
    for (uint32_t i = 0; i < n; i++)
      slots[i] = ((uint32_t)n - 1 - i) << SOFA_PLACE_SHIFT | (twice ? 0 : SOFA_PLACE_FIRST) |
                 (i % 3 == 0 ? SOFA_PLACE_TURNED : 0);
    kernels->spread(n_nodes, k, slots, count, NULL, blocks[0]);
  }
  for (size_t a = 0, p = 0; a < n_nodes; a++) {
    for (size_t b = a; b < n_nodes; b++, p++) {
      for (size_t e = 0; e < 36 * count; e++) {
        const size_t l = e / 36, i = p * SOFA_LANES + l, r = e % 36 / 6, c = e % 6;
        const size_t row = 6 * a + (i % 3 ? r : c), column = 6 * b + (i % 3 ? c : r);
        const size_t high = row > column ? row : column, low = row > column ? column : row;
        assert_true(blocks[n - 1 - i][e % 36] == 2 * k[high * (high + 1) / 2 + low][l]);
      }
    }
  }
}

/* Force and tangent of a group and what they are of single elements. */
static void compare_group(const SofaShellKernels *kernels, const Patch *p, size_t group,
                          const SofaShellGroup *g, double (*out)[SOFA_LANES]) {
  const size_t size = 6 * p->n_nodes;
  double(*f)[SOFA_LANES] = out, (*k)[SOFA_LANES] = out + size;
  kernels->force(p->n_nodes, g, p->x[0], f);
  kernels->tangent(p->n_nodes, g, p->x[0], k);
  check_blocks(kernels, p->n_nodes, (const double(*)[SOFA_LANES])k, group ? 3 : SOFA_LANES);
  for (size_t l = 0; l < SOFA_LANES; l++) {
    const size_t e = group * SOFA_LANES + l < p->n ? group * SOFA_LANES + l : p->n - 1;
    const double *poses[4];
    double one[24], full[576], most = 0;
    for (unsigned n = 0; n < p->n_nodes; n++) poses[n] = p->x[p->v[e][n]];
    sofa_shell_gradient(&p->shell[e], poses, one);
    sofa_shell_hessian(&p->shell[e], poses, full);
    for (size_t i = 0; i < size * size; i++) most = fmax(most, fabs(full[i]));
    for (size_t i = 0; i < size; i++) {
      for (size_t j = 0; j <= i; j++)
        near(k[i * (i + 1) / 2 + j][l], -full[size * i + j], 1e-14 * most);
      near(f[i][l], -one[i], 1e-14 * most);
    }
  }
}

/* Lanes are single elements with every instruction set; the two larger ones have the same bits. */
static void elements_side_by_side(void **state) {
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  (void)state;
  for (unsigned n_nodes = 3; n_nodes <= 4; n_nodes++) {
    static double numbers[3][2][400][SOFA_LANES];
    SofaShellGroup groups[2] = {{.v = {{0}}}};
    bool done[3] = {false};
    Patch p;
    assert_true(make_groups(&p, n_nodes, groups) < 2 * SOFA_LANES);
    for (int s = 0; s < 3; s++) {
      const SofaContextOptions options = {.isa = isas[s]};
      SofaContext *ctx;
      if (!sofa_kernels_select(isas[s])) continue;
      assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
      const SofaShellKernels *kernels = sofa_shell_kernels(ctx);
      assert_string_equal(kernels->name, isas[s]);
      for (size_t g = 0; g < 2; g++) compare_group(kernels, &p, g, &groups[g], numbers[s][g]);
      done[s] = true;
      sofa_context_destroy(&ctx);
    }
    if (done[1] && done[2]) assert_memory_equal(numbers[1], numbers[2], sizeof numbers[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(membrane_patch),
      cmocka_unit_test(bending_patch),
      cmocka_unit_test(bending_in_the_plane),
      cmocka_unit_test(rigid_motions),
      cmocka_unit_test(derivatives),
      cmocka_unit_test(bad_shells_are_refused),
      cmocka_unit_test(elements_side_by_side),
      cmocka_unit_test(outputs),
      cmocka_unit_test(factors_of_sections),
      cmocka_unit_test(normals_have_no_side),
      cmocka_unit_test(folds),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
