/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contacts and joints against mechanics: conservation, closed forms, Coulomb's cone, an arch. Most
 * scenes are files of scenes/; docs/contacts.md has the numbers. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "behavior/lagrangian.h"
#include "math/vec.h"

#define assert_near(a, b, tolerance)                                                               \
  do {                                                                                             \
    const double a_ = (a), b_ = (b);                                                               \
    if (!(fabs(a_ - b_) <= (tolerance))) fail_msg("%s is %.15g, not %.15g", #a, a_, b_);           \
  } while (0)

#define PI 3.14159265358979323846
#define PIPELINE                                                                                   \
  "<RequiredPlugin pluginName='Sofa.Component'/>"                                                  \
  "<DefaultVisualManagerLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"
#define SOLVER                                                                                     \
  "<EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-15' threshold='1e-30'/>"

typedef struct Text {
  char data[30000];
  size_t n;
} Text;
#define PUT(t, ...)                                                                                \
  ((t)->n += (size_t)snprintf((t)->data + (t)->n, sizeof(t)->data - (t)->n, __VA_ARGS__))

static void open_file(SceneRun *run, const char *path) {
  memset(run, 0, sizeof *run);
  scene_run_context(run, NULL);
  assert_int_equal(sofa_simulation_load(run->ctx, path, &run->simulation), SOFA_OK);
  assert_int_equal(sofa_simulation_init(run->simulation), SOFA_OK);
}

static double kinetic_energy(SceneRun *run) {
  double kinetic, potential;
  assert_int_equal(sofa_simulation_energies(run->simulation, &kinetic, &potential), SOFA_OK);
  return kinetic;
}

static const double *velocity(SceneRun *run, const char *path) {
  return scene_run_state(run, path)->velocity.data;
}
static const double *position(SceneRun *run, const char *path) {
  return scene_run_state(run, path)->position.data;
}

/* ---- Coulomb's cone ---- */

static size_t outside, touched;

/* The blocks of the last step of all constraint solvers. */
static SofaVisit check_cones(SofaNode *node, void *user) {
  (void)user;
  for (size_t i = 0; i < node->objects.n; i++) {
    if (!sofa_implements(node->objects.data[i], SOFA_CONSTRAINT_SOLVER)) continue;
    const SofaConstraintProblem *p = &((SofaConstraintSolver *)node->objects.data[i])->problem;
    for (size_t k = 0; k < p->blocks.n; k++) {
      const SofaConstraintBlock *b = &p->blocks.data[k];
      const double *f = p->lambda.data + b->first;
      assert_int_equal(b->n, 3);
      touched += f[0] > 0;
      outside += f[0] < 0 || !(hypot(f[1], f[2]) <= b->friction * f[0] * (1 + 1e-14));
    }
  }
  return SOFA_CONTINUE;
}

static void steps_in_the_cone(SceneRun *run, int n) {
  for (int i = 0; i < n; i++) {
    scene_run_steps(run, 1);
    assert_int_equal(sofa_visit(run->simulation->root,
                                &(SofaVisitor){.down = check_cones, .inactive_too = true}),
                     SOFA_OK);
  }
  assert_int_equal(outside, 0);
}

/* Every contact at every step of scenes that slide, stick, fall and stand. */
static void forces_in_the_cone(void **state) {
  (void)state;
  static const char *const files[] = {"scenes/demo/friction.scn", "scenes/contact/incline.scn",
                                      "scenes/contact/masonry_arch.scn",
                                      "scenes/contact/free_balls.scn"};
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    SceneRun run;
    touched = outside = 0;
    open_file(&run, files[i]);
    steps_in_the_cone(&run, 100);
    assert_true(touched > 5);
    assert_int_equal(run.n_problems, 0);
    scene_run_close(&run);
  }
}

/* ---- momentum ---- */

/* Linear momentum, and angular momentum about the origin, of spheres on frames: mass 1, inertia
 * 0.1; and how much of them there is. */
typedef struct Momentum {
  double linear[3], angular[3], size;
} Momentum;

static Momentum momentum_of(SceneRun *run, int n) {
  Momentum sum = {{0}, {0}, 0};
  for (int i = 0; i < n; i++) {
    char path[30];
    double turned[3];
    snprintf(path, sizeof path, "/ball%d/state", i);
    const double *x = position(run, path), *v = velocity(run, path);
    sofa_vec3_cross(x, v, turned);
    for (int k = 0; k < 3; k++) {
      sum.linear[k] += v[k];
      sum.angular[k] += turned[k] + 0.1 * v[3 + k];
      sum.size += fabs(v[k]);
    }
  }
  return sum;
}

/* Free bodies that collide with friction and restitution: linear momentum to rounding. Angular
 * momentum as far as gaps at the impacts, which have no arm in the forces, allow. */
static void momentum_of_free_bodies(void **state) {
  (void)state;
  SceneRun run;
  open_file(&run, "scenes/contact/free_balls.scn");
  const Momentum before = momentum_of(&run, 8);
  const double energy = kinetic_energy(&run);
  scene_run_steps(&run, 200);
  const Momentum after = momentum_of(&run, 8);
  for (int k = 0; k < 3; k++) assert_near(after.linear[k], before.linear[k], 1e-13 * before.size);
  for (int k = 0; k < 3; k++) assert_near(after.angular[k], before.angular[k], 0.05 * before.size);
  assert_true(kinetic_energy(&run) < 0.9 * energy);
  scene_run_close(&run);
}

/* ---- Newton's cradle ---- */

static double cradle_momentum(SceneRun *run, double *energy) {
  double sum = 0;
  *energy = 0;
  for (int i = 0; i < 5; i++) {
    char path[30];
    snprintf(path, sizeof path, "/ball%d/state", i);
    const double v = velocity(run, path)[0];
    sum += v;
    *energy += v * v / 2;
  }
  return sum;
}

static void cradle(void **state) {
  (void)state;
  SceneRun run;
  double energy;
  open_file(&run, "scenes/contact/newtons_cradle.scn");
  for (int n = 0; n < 200; n++) {
    scene_run_steps(&run, 1);
    assert_near(cradle_momentum(&run, &energy), 1, 1e-14);
    assert_near(energy, 0.5, 1e-13);
  }
  assert_near(velocity(&run, "/ball4/state")[0], 1, 1e-13);
  scene_run_close(&run);
}

/* Balls that touch are one impact: both laws keep momentum and energy, and let the first ball come
 * back with 3/5 and the others leave with 2/5 of its speed. */
static void touching_cradle(void **state) {
  (void)state;
  for (int poisson = 0; poisson < 2; poisson++) {
    Text t = {.n = 0};
    SceneRun run;
    double energy;
    PUT(&t,
        "<Node dt='0.001' gravity='0 0 0'><FreeMotionAnimationLoop/>" PIPELINE
        "<NonsmoothNewtonConstraintSolver/>"
        "<MinProximityIntersection alarmDistance='0.1' contactDistance='0'/>"
        "<CollisionResponse response='FrictionContactConstraint' "
        "responseParams='restitution=1&amp;restitutionLaw=%s'/>",
        poisson ? "poisson" : "newton");
    for (int i = 0; i < 5; i++)
      PUT(&t,
          "<Node name='ball%d'>" SOLVER
          "<MechanicalObject name='state' position='%.17g 0 0' velocity='%d 0 0'/>"
          "<UniformMass totalMass='1'/><UncoupledConstraintCorrection defaultCompliance='1'/>"
          "<SphereCollisionModel radius='0.5'/></Node>",
          i, i ? i : -0.0105, i == 0);
    PUT(&t, "</Node>");
    scene_run_open(&run, t.data, NULL);
    scene_run_steps(&run, 30);
    assert_near(cradle_momentum(&run, &energy), 1, 1e-13);
    assert_near(energy, 0.5, 1e-10);
    assert_near(velocity(&run, "/ball0/state")[0], -0.6, 1e-10);
    for (int i = 1; i < 5; i++) {
      char path[30];
      snprintf(path, sizeof path, "/ball%d/state", i);
      assert_near(velocity(&run, path)[0], 0.4, 1e-10);
    }
    scene_run_close(&run);
  }
}

/* ---- joints ---- */

static double gap_between(SceneRun *run, const char *one, int i, const char *other, int k) {
  return sofa_vec3_distance(position(run, one) + 3 * i, position(run, other) + 3 * k);
}

static void linkage(void **state) {
  (void)state;
  SceneRun run;
  double widest = 0, turns = 0, last = 0, energy = INFINITY;
  open_file(&run, "scenes/constraint/four_bar_linkage.scn");
  for (int n = 0; n < 10000; n++) {
    scene_run_steps(&run, 1);
    const double now = kinetic_energy(&run);
    assert_true(now <= energy * (1 + 1e-9));
    energy = now;
    const double gaps[] = {gap_between(&run, "/ground/state", 0, "/crank/ends/state", 0),
                           gap_between(&run, "/crank/ends/state", 1, "/coupler/ends/state", 0),
                           gap_between(&run, "/coupler/ends/state", 1, "/rocker/ends/state", 0),
                           gap_between(&run, "/rocker/ends/state", 1, "/ground/state", 1)};
    for (int k = 0; k < 4; k++) widest = fmax(widest, gaps[k]);
    const double *tip = position(&run, "/crank/ends/state") + 3;
    const double angle = atan2(tip[1], tip[0]);
    turns += n ? remainder(angle - last, 2 * PI) / (2 * PI) : 0;
    last = angle;
  }
  if (!(widest < 1e-10)) fail_msg("a gap of %g m", widest);
  assert_true(fabs(turns) > 1);
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
}

/* A quarter of the period of a rod of 1 m from 60 degrees, by the arithmetic-geometric mean. */
static double quarter_period(void) {
  double a = 1, b = cos(PI / 6);
  for (int i = 0; i < 10; i++) {
    const double mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
  }
  return PI / (2 * a) * sqrt(2 / (3 * 9.81));
}

/* The time at which the rod passes the vertical. */
static double time_to_vertical(const char *loop, double dt) {
  Text t = {.n = 0};
  SceneRun run;
  double before = 0, now = 0, time = 0;
  PUT(&t,
      "<Node dt='%.17g' gravity='0 -9.81 0'><RequiredPlugin pluginName='Sofa.Component'/>"
      "<DefaultVisualManagerLoop/><FreeMotionAnimationLoop %s/><NonsmoothNewtonConstraintSolver/>"
      "<Node name='ground'><MechanicalObject name='state' position='0 0 0'/></Node>"
      "<Node name='rod'>" SOLVER "<MechanicalObject name='state' template='Rigid3d' "
      "position='%.17g %.17g 0 0 0 %.17g %.17g'/>"
      "<UniformMass vertexMass='1 1 [0.001 0 0,0 %.17g 0,0 0 %.17g]'/>"
      "<UncoupledConstraintCorrection/><Node name='ends'>"
      "<MechanicalObject name='state' position='-0.5 0 0'/><RigidMapping/></Node></Node>"
      "<BilateralLagrangianConstraint object1='@ground/state' object2='@rod/ends/state' "
      "first_point='0' second_point='0'/></Node>",
      dt, loop, sin(PI / 3) / 2, -cos(PI / 3) / 2, sin(-PI / 12), cos(-PI / 12), 1 / 12.0,
      1 / 12.0);
  scene_run_open(&run, t.data, NULL);
  for (now = 1; now > 0; time += dt) {
    before = now;
    scene_run_steps(&run, 1);
    now = position(&run, "/rod/state")[0];
  }
  scene_run_close(&run);
  return time - dt + dt * before / (before - now);
}

/* The error of the period falls with the step, of first order, with and without the correction of
 * positions. */
static void pendulum(void **state) {
  (void)state;
  const double exact = quarter_period();
  for (int stabilised = 0; stabilised < 2; stabilised++) {
    double errors[4];
    for (int i = 0; i < 4; i++)
      errors[i] = fabs(
          time_to_vertical(stabilised ? "postStabilisation='2'" : "", 0.008 / (1 << i)) - exact);
    for (int i = 0; i < 3; i++) {
      const double order = log2(errors[i] / errors[i + 1]);
      if (!(order > 0.9 && order < 2.2))
        fail_msg("errors %g and %g: order %g", errors[i], errors[i + 1], order);
    }
    assert_true(errors[3] < 2e-3);
  }
}

/* ---- Painleve's rod ---- */

/* A rod slides on its end at 60 degrees with mu = 2: 1 + 3 cos a (cos a - mu sin a) < 0, and no
 * finite force is possible. A step finds an impulse, which stops the end: every solver gives
 * numbers, no energy, and says so where it does not converge. */
static void painleve(void **state) {
  (void)state;
  static const char *const solvers[] = {
      "<BlockGaussSeidelConstraintSolver name='solver' tolerance='1e-10'/>",
      "<NNCGConstraintSolver name='solver' tolerance='1e-10'/>",
      "<UnbuiltGaussSeidelConstraintSolver name='solver' tolerance='1e-10'/>",
      "<LCPConstraintSolver name='solver' tolerance='1e-10'/>",
      "<NonsmoothNewtonConstraintSolver name='solver'/>"};
  for (size_t i = 0; i < sizeof solvers / sizeof *solvers; i++) {
    Text t = {.n = 0};
    SceneRun run = {.quiet = true};
    PUT(&t,
        "<Node dt='0.001' gravity='0 -9.81 0'><FreeMotionAnimationLoop/>" PIPELINE "%s"
        "<MinProximityIntersection alarmDistance='0.2' contactDistance='0.01'/>"
        "<CollisionResponse response='FrictionContactConstraint' responseParams='mu=2'/>"
        "<Node name='floor'><MeshTopology position='-50 0 -50  50 0 -50  0 0 80' "
        "triangles='0 2 1'/><MechanicalObject/><TriangleCollisionModel simulated='0' moving='0'/>"
        "</Node><Node name='rod'>" SOLVER "<MechanicalObject name='state' template='Rigid3d' "
        "position='%.17g %.17g 0 0 0 0.5 %.17g' velocity='-5 0 0 0 0 0'/>"
        "<UniformMass vertexMass='1 1 [0.001 0 0,0 %.17g 0,0 0 %.17g]'/>"
        "<UncoupledConstraintCorrection/><Node name='ends'>"
        "<MechanicalObject name='state' position='-1 0 0'/><PointCollisionModel/><RigidMapping/>"
        "</Node></Node></Node>",
        solvers[i], 0.5, 0.01 + sqrt(0.75), sqrt(0.75), 1 / 3.0, 1 / 3.0);
    scene_run_context(&run, NULL);
    run.quiet = true;
    assert_int_equal(sofa_simulation_load_text(run.ctx, t.data, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    double height = 0.01 + sqrt(0.75), energy = kinetic_energy(&run) + 9.81 * height;
    for (int n = 0; n < 300; n++) {
      scene_run_steps(&run, 1);
      height = position(&run, "/rod/state")[1];
      const double now = kinetic_energy(&run) + 9.81 * height;
      assert_true(now <= energy * (1 + 1e-6));
      energy = now;
      if (n == 0) assert_true(energy < 20); // of 21: the end has stopped
    }
    assert_true(run.n_problems == 0 || strstr(run.all, "did not converge"));
    scene_run_close(&run);
  }
}

/* ---- the arch ---- */

/* The scene of scenes/contact/masonry_arch.scn with another thickness: its geometry is the file's,
 * the states alone are read. */
static void arch_stands(void **state) {
  (void)state;
  SceneRun run;
  double first[10][7];
  open_file(&run, "scenes/contact/masonry_arch.scn");
  for (int n = 0; n < 101; n++) {
    for (int k = 0; k < 10; k++) {
      char path[30];
      snprintf(path, sizeof path, "/v%d/state", k);
      const double *x = position(&run, path);
      if (n == 0) memcpy(first[k], x, sizeof first[k]);
      for (int i = 0; i < 7; i++) assert_near(x[i], first[k][i], 1e-9);
    }
    scene_run_steps(&run, 1);
  }
  assert_int_equal(run.n_problems, 0);
  scene_run_close(&run);
}

static void thin_arch_falls(void **state) {
  (void)state;
  SceneRun run;
  open_file(&run, "scenes/contact/masonry_arch_thin.scn");
  const double before = position(&run, "/v4/state")[1];
  scene_run_steps(&run, 60);
  assert_true(before - position(&run, "/v4/state")[1] > 0.1);
  scene_run_close(&run);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(forces_in_the_cone),
      cmocka_unit_test(momentum_of_free_bodies),
      cmocka_unit_test(cradle),
      cmocka_unit_test(touching_cradle),
      cmocka_unit_test(linkage),
      cmocka_unit_test(pendulum),
      cmocka_unit_test(painleve),
      cmocka_unit_test(arch_stands),
      cmocka_unit_test(thin_arch_falls),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
