/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Options of contacts with friction: restitution, rolling, spinning, ellipses of friction; the
 * correction of positions after a step. */
#include "tests/support/scene_run.h"

#include <math.h>

#include "behavior/lagrangian.h"

#define assert_near(a, b, tolerance)                                                               \
  do {                                                                                             \
    const double a_ = (a), b_ = (b);                                                               \
    if (!(fabs(a_ - b_) <= (tolerance))) fail_msg("%s is %.15g, not %.15g", #a, a_, b_);           \
  } while (0)

#define PIPELINE                                                                                   \
  "<RequiredPlugin pluginName='Sofa.Component'/>"                                                  \
  "<DefaultVisualManagerLoop/><CollisionPipeline/><BruteForceBroadPhase/><BVHNarrowPhase/>"        \
  "<MinProximityIntersection alarmDistance='0.3' contactDistance='0.01'/>"
#define SOLVER                                                                                     \
  "<EulerImplicitSolver/><CGLinearSolver iterations='20' tolerance='1e-15' threshold='1e-30'/>"
#define FLOOR                                                                                      \
  "<Node name='floor'><MeshTopology position='-50 0 -50  50 0 -50  0 0 80' triangles='0 2 1'/>"    \
  "<MechanicalObject/><TriangleCollisionModel simulated='0' moving='0'/></Node>"
#define BALL(name, x, v, m, c)                                                                     \
  "<Node name='" name "'>" SOLVER "<MechanicalObject name='s' position='" x "' velocity='" v "'/>" \
  "<UniformMass totalMass='" m "'/><UncoupledConstraintCorrection defaultCompliance='" c "'/>"     \
  "<SphereCollisionModel radius='0.5'/></Node>"
/* mass 2, radius 0.5, inertia 2/5 m r^2 = 0.2 */
#define RIGID_BALL(x, v)                                                                           \
  "<Node name='ball'>" SOLVER "<MechanicalObject name='s' template='Rigid3d' position='" x         \
  " 0 0 0 1' velocity='" v "'/><UniformMass vertexMass='2 1 [0.1 0 0,0 0.1 0,0 0 0.1]'/>"          \
  "<UncoupledConstraintCorrection/><SphereCollisionModel radius='0.5'/></Node>"

static const char *const solvers[] = {
    "<BlockGaussSeidelConstraintSolver tolerance='1e-15' maxIterations='5000'/>",
    "<NNCGConstraintSolver tolerance='1e-15' maxIterations='5000'/>",
    "<ImprovedJacobiConstraintSolver tolerance='1e-15' maxIterations='5000'/>",
    "<UnbuiltGaussSeidelConstraintSolver tolerance='1e-15' maxIterations='5000'/>",
    "<LCPConstraintSolver tolerance='1e-15' maxIt='5000'/>",
    "<LCPConstraintSolver tolerance='1e-15' maxIt='5000' build_lcp='0'/>",
    "<NonsmoothNewtonConstraintSolver/>",
};
enum { SOLVERS = sizeof solvers / sizeof *solvers };

/* A scene of one loop, one solver, a response with options, and bodies. */
static void open_scene(SceneRun *run, const char *loop, size_t solver, const char *options,
                       const char *rest) {
  char text[6000], gravity[40] = "0 0 0";
  if (strstr(rest, "<Gravity")) sscanf(rest, "<Gravity gravity='%39[^']", gravity);
  snprintf(text, sizeof text,
           "<Node dt='0.01' gravity='%s'><FreeMotionAnimationLoop %s/>" PIPELINE "%s"
           "<CollisionResponse response='FrictionContactConstraint' responseParams='%s'/>%s</Node>",
           gravity, loop, solvers[solver], options, rest);
  scene_run_open(run, text, NULL);
}

static const double *velocity(SceneRun *run, const char *path) {
  return scene_run_state(run, path)->velocity.data;
}
static const double *position(SceneRun *run, const char *path) {
  return scene_run_state(run, path)->position.data;
}

/* ---- restitution ---- */

/* Two balls of 1 kg and 3 kg: they part at e times the speed at which they met. */
static void two_balls_bounce(void **state) {
  (void)state;
  static const char *const laws[] = {"newton", "poisson"};
  static const double e[] = {0.3, 0.75, 1};
  for (size_t i = 0; i < 2 * 2 * SOLVERS * 3; i++) {
    const double r = e[i % 3];
    char options[100];
    SceneRun run;
    snprintf(options, sizeof options, "restitution=%g&amp;restitutionLaw=%s&amp;mu=0.2", r,
             laws[i / 3 % 2]);
    open_scene(&run, i / 6 % 2 ? "solveVelocityConstraintFirst='1'" : "", i / 12, options,
               BALL("a", "0 0 0", "2 0 0", "1", "1")
                   BALL("b", "1.0731 0 0", "-1 0 0", "3", "0.33333333333333333"));
    scene_run_steps(&run, 10);
    const double va = velocity(&run, "/a/s")[0], vb = velocity(&run, "/b/s")[0];
    assert_near(va + 3 * vb, -1, 1e-13);
    assert_near(vb - va, 3 * r, 1e-12);
    scene_run_close(&run);
  }
}

/* A ball that rests does not bounce. One that falls comes back from the floor with e of its speed:
 * higher and higher powers of e, until it rests, too. */
static void balls_on_the_floor(void **state) {
  (void)state;
  for (int law = 0; law < 2; law++)
    for (int order = 0; order < 2; order++) {
      SceneRun run;
      double highest = 0, fastest = 0;
      open_scene(&run, order ? "solveVelocityConstraintFirst='1'" : "", 0,
                 law ? "restitution=0.8&amp;restitutionLaw=poisson" : "restitution=0.8",
                 "<Gravity gravity='0 -10 0'/>" FLOOR BALL("rest", "0 0.51 0", "0 0 0", "1", "1")
                     BALL("fall", "2 1.51 0", "0 0 0", "1", "1"));
      for (int n = 0; n < 100; n++) {
        scene_run_steps(&run, 1);
        if (velocity(&run, "/fall/s")[1] > 0) highest = fmax(highest, position(&run, "/fall/s")[1]);
        fastest = fmax(fastest, velocity(&run, "/fall/s")[1]);
        assert_near(velocity(&run, "/rest/s")[1], 0, 1e-13);
        assert_near(position(&run, "/rest/s")[1], 0.51, 1e-13);
      }
      assert_near(fastest, 0.8 * sqrt(20), 0.12); // the step is 0.1 m/s of fall
      assert_near(highest, 0.51 + 0.64, 0.06);
      scene_run_steps(&run, 400);
      assert_near(velocity(&run, "/fall/s")[1], 0, 1e-12);
      assert_near(position(&run, "/fall/s")[1], 0.51, 1e-12);
      scene_run_close(&run);
    }
}

/* ---- rolling and spinning ---- */

/* A ball that slides begins to roll, with 5/7 of its speed; with the quirk it slides on. */
static void spheres_roll(void **state) {
  (void)state;
  for (int order = 0; order < 2; order++) {
    SceneRun run;
    open_scene(&run, order ? "solveVelocityConstraintFirst='1'" : "", 0, "mu=0.5",
               "<Gravity gravity='0 -10 0'/>" FLOOR RIGID_BALL("0 0.51 0", "1 0 0 0 0 0"));
    scene_run_steps(&run, 20);
    const double *v = velocity(&run, "/ball/s");
    assert_near(v[0], 5 / 7.0, 1e-9);
    assert_near(v[5], -10 / 7.0, 1e-9);
    scene_run_close(&run);
  }
  char text[4000];
  SceneRun run;
  snprintf(text, sizeof text,
           "<Node dt='0.01' gravity='0 -10 0'><FreeMotionAnimationLoop/>" PIPELINE
           "<BlockGaussSeidelConstraintSolver/><CollisionResponse "
           "response='FrictionContactConstraint' responseParams='mu=0.05'/>" FLOOR RIGID_BALL(
               "0 0.51 0", "1 0 0 0 0 0") "</Node>");
  scene_run_open(&run, text, &(SofaContextOptions){.quirk_words = "contact-sphere-arms"});
  scene_run_steps(&run, 10);
  assert_near(velocity(&run, "/ball/s")[0], 0.95, 1e-9);
  assert_near(velocity(&run, "/ball/s")[5], 0, 1e-12);
  scene_run_close(&run);
}

/* A ball that rolls slows down with muRolling g / (1.4 r), one that spins with
 * muSpinning m g / (0.4 m r^2), until they stand. */
static void rolls_to_a_stop(void **state) {
  (void)state;
  for (size_t i = 0; i < 2 * SOLVERS; i++) {
    SceneRun run;
    open_scene(&run, i / SOLVERS ? "solveVelocityConstraintFirst='1'" : "", i % SOLVERS,
               "mu=0.7&amp;muRolling=0.02&amp;muSpinning=0.01",
               "<Gravity gravity='0 -10 0'/>" FLOOR RIGID_BALL("0 0.51 0", "1 0 0 0 3 -2"));
    const double slow = 0.02 * 10 / (1.4 * 0.5), brake = 0.01 * 10 / (0.4 * 0.25);
    scene_run_steps(&run, 100);
    const double *v = velocity(&run, "/ball/s");
    assert_near(v[0], 1 - slow, 1e-9);
    assert_near(v[5], -2 * (1 - slow), 1e-9);
    assert_near(v[4], 3 - brake, 1e-9);
    scene_run_steps(&run, 400);
    for (int k = 0; k < 6; k++) assert_near(v[k], 0, 1e-10);
    scene_run_close(&run);
  }
}

/* On a slope of the tangent 0.04 a ball stands if and only if muRolling / r is as large. */
static void stands_on_a_slope(void **state) {
  (void)state;
  for (int stands = 0; stands < 2; stands++) {
    SceneRun run;
    open_scene(&run, "", 0, stands ? "muRolling=0.0201" : "muRolling=0.0199",
               "<Gravity gravity='0.4 -10 0'/>" FLOOR RIGID_BALL("0 0.51 0", "0 0 0 0 0 0"));
    scene_run_steps(&run, 100);
    const double g = 0.4 - 0.0199 / 0.5 * 10;
    assert_near(velocity(&run, "/ball/s")[0], stands ? 0 : g / 1.4, 1e-9);
    scene_run_close(&run);
  }
}

/* ---- ellipses ---- */

/* A body slides against the force that dissipates most: -N mu_i^2 v_i / sqrt(sum of mu_k^2 v_k^2),
 * in the axes of the ellipse, which are turned by the angle of (3, 4). */
static void slides_on_an_ellipse(void **state) {
  (void)state;
  static const char body[] =
      "<Gravity gravity='0 -10 0'/>" FLOOR "<Node name='a'>" SOLVER
      "<MechanicalObject name='s' position='0 0.01 0' "
      "velocity='2 0 1'/><UniformMass totalMass='2'/>"
      "<UncoupledConstraintCorrection defaultCompliance='0.5'/><PointCollisionModel/></Node>";
  for (size_t i = 0; i < 2 * SOLVERS; i++) {
    SceneRun run;
    double before[2];
    open_scene(&run, i / SOLVERS ? "solveVelocityConstraintFirst='1'" : "", i % SOLVERS,
               "mu=0.6&amp;muSecond=0.2&amp;frictionDirection=3 0 4", body);
    for (int n = 0; n < 20; n++) {
      const double *v = velocity(&run, "/a/s");
      before[0] = v[0], before[1] = v[2];
      scene_run_steps(&run, 1);
      v = velocity(&run, "/a/s");
      const double along = 0.6 * v[0] + 0.8 * v[2], across = 0.8 * v[0] - 0.6 * v[2];
      const double size = hypot(0.6 * along, 0.2 * across);
      const double f[2] = {-10 * 0.36 * along / size, -10 * 0.04 * across / size};
      assert_near(v[0] - before[0], 0.01 * (0.6 * f[0] + 0.8 * f[1]), 1e-9);
      assert_near(v[2] - before[1], 0.01 * (0.8 * f[0] - 0.6 * f[1]), 1e-9);
    }
    scene_run_close(&run);
  }
}

/* Without friction across, nothing slows that motion; the axes of the first model turn with it. */
static void rails(void **state) {
  (void)state;
  SceneRun run;
  open_scene(&run, "", 0, "mu=0.6&amp;muSecond=0&amp;frictionDirection=1 0 0&amp;frictionAxes=body",
             "<Gravity gravity='0 -10 0'/>"
             "<Node name='floor'><MechanicalObject name='s' template='Rigid3d' "
             "position='0 -100 0 0 0.70710678118654752 0 0.70710678118654752'/>"
             "<SphereCollisionModel name='A' radius='100' simulated='0' moving='0'/></Node>"
             "<Node name='a'>" SOLVER
             "<MechanicalObject name='s' position='0 0.51 0' velocity='0.1 0 0.1'/>"
             "<UniformMass totalMass='2'/>"
             "<UncoupledConstraintCorrection defaultCompliance='0.5'/>"
             "<SphereCollisionModel radius='0.5'/></Node>");
  scene_run_steps(&run, 10);
  assert_near(velocity(&run, "/a/s")[2], 0, 1e-12);
  assert_near(velocity(&run, "/a/s")[0], 0.1, 1e-4); // the floor is a large ball
  scene_run_close(&run);
}

/* ---- positions after the step ---- */

static double energy_of(SceneRun *run) {
  static const char *const paths[] = {"/a/s", "/b/s", "/c/s"};
  double sum = 0;
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) sum += (i + 1) * pow(velocity(run, paths[i])[k], 2) / 2;
  return sum;
}

/* Three balls that overlap: they are moved apart, at rest; without the option they fly apart. */
static void overlaps_without_energy(void **state) {
  (void)state;
  static const char balls[] =
      BALL("a", "0 0 0", "0 0 0", "1", "1") BALL("b", "0.9 0 0", "0 0 0", "2", "0.5")
          BALL("c", "0.5 0.7 0", "0 0 0", "3", "0.33333333333333333");
  for (size_t i = 0; i < 2 * SOLVERS; i++) {
    const bool velocities = i / SOLVERS;
    SceneRun run;
    open_scene(&run,
               velocities ? "postStabilisation='2' solveVelocityConstraintFirst='1'"
                          : "postStabilisation='2'",
               i % SOLVERS, "mu=0.5", balls);
    scene_run_steps(&run, 2);
    assert_near(energy_of(&run), 0, 1e-28);
    const double *a = position(&run, "/a/s"), *b = position(&run, "/b/s"),
                 *c = position(&run, "/c/s");
    assert_true(hypot(b[0] - a[0], b[1] - a[1]) >= 1.01 - 1e-9);
    assert_true(hypot(c[0] - a[0], c[1] - a[1]) >= 1.01 - 1e-9);
    assert_true(hypot(b[0] - c[0], b[1] - c[1]) >= 1.01 - 1e-9);
    assert_near(a[0] + 2 * b[0] + 3 * c[0], 2 * 0.9 + 3 * 0.5, 1e-12);
    scene_run_close(&run);
    open_scene(&run, "", i % SOLVERS, "mu=0.5", balls);
    scene_run_steps(&run, 1);
    assert_true(energy_of(&run) > 10);
    scene_run_close(&run);
  }
}

/* Also with solvers that remember: velocities of steps before, accelerations, momenta. */
static void overlaps_with_every_ode_solver(void **state) {
  (void)state;
  static const char *const odes[] = {
      "EulerImplicitSolver",     "NewmarkImplicitSolver",  "VariationalSymplecticSolver",
      "EulerExplicitSolver",     "RungeKutta2Solver",      "RungeKutta4Solver",
      "CentralDifferenceSolver", "BDFOdeSolver order='1'", "BDFOdeSolver order='2'"};
  for (size_t i = 0; i < sizeof odes / sizeof *odes; i++) {
    char body[2000];
    SceneRun run;
    int n = 0;
    for (int k = 0; k < 2; k++)
      n += snprintf(body + n, sizeof body - (size_t)n,
                    "<Node name='%c'><%s/>%s<CGLinearSolver iterations='20' tolerance='1e-15' "
                    "threshold='1e-30'/><MechanicalObject name='s' position='%g 0 0'/>"
                    "<UniformMass totalMass='1'/>"
                    "<UncoupledConstraintCorrection defaultCompliance='1'/>"
                    "<SphereCollisionModel radius='0.5'/></Node>",
                    'a' + k, odes[i], strstr(odes[i], "BDF") ? "<NewtonRaphsonSolver/>" : "",
                    0.8 * k);
    open_scene(&run, "postStabilisation='2'", 0, "mu=0.5", body);
    scene_run_steps(&run, 5);
    assert_near(position(&run, "/b/s")[0] - position(&run, "/a/s")[0], 1.01, 1e-9);
    assert_near(velocity(&run, "/b/s")[0], 0, 1e-14);
    scene_run_close(&run);
  }
}

/* Balls that collide and overlap: the kinetic energy never grows. */
static void energy_never_grows(void **state) {
  (void)state;
  for (int bounce = 0; bounce < 2; bounce++) {
    SceneRun run;
    open_scene(&run, "postStabilisation='1'", 0, bounce ? "mu=0.3&amp;restitution=0.9" : "mu=0.3",
               BALL("a", "0 0 0", "1 0.3 0", "1", "1")
                   BALL("b", "0.95 0.1 0", "-2 0.2 0.1", "2", "0.5")
                       BALL("c", "0.5 0.9 0.1", "0 -3 0", "3", "0.33333333333333333"));
    double before = energy_of(&run);
    for (int n = 0; n < 100; n++) {
      scene_run_steps(&run, 1);
      const double now = energy_of(&run);
      assert_true(now <= before * (1 + 1e-12));
      before = now;
    }
    scene_run_close(&run);
  }
}

/* A bounce out of an overlap has the speed of the law alone. */
static void bounces_out_of_an_overlap(void **state) {
  (void)state;
  for (int i = 0; i < 4; i++) {
    SceneRun run;
    open_scene(&run,
               i % 2 ? "postStabilisation='1' solveVelocityConstraintFirst='1'"
                     : "postStabilisation='1'",
               0, i / 2 ? "restitution=0.5&amp;restitutionLaw=poisson" : "restitution=0.5",
               BALL("a", "0 0 0", "1 0 0", "1", "1") BALL("b", "0.9 0 0", "-1 0 0", "1", "1"));
    scene_run_steps(&run, 3);
    assert_near(velocity(&run, "/b/s")[0], 0.5, 1e-12);
    assert_near(velocity(&run, "/a/s")[0], -0.5, 1e-12);
    scene_run_close(&run);
  }
}

/* ---- bad input ---- */

typedef struct BadCase {
  const char *options, *message;
} BadCase;

static void bad_options(void **state) {
  (void)state;
  static const BadCase cases[] = {
      {"restitution=1.5", "restitution"},
      {"mu=-1", "mu"},
      {"muRolling=-1", "muRolling"},
      {"restitutionLaw=moreau", "restitutionLaw"},
      {"muSecond=0.3", "needs a frictionDirection"},
      {"mu=0&amp;muSecond=0.3&amp;frictionDirection=1 0 0", "needs a coefficient mu above 0"},
      {"muSecond=0.3&amp;frictionDirection=1 0 0&amp;frictionAxes=body",
       "is body, which needs spheres"},
      {"muRolling=0.1", "needs spheres on frames"},
      {"muSpinning=0.1", "needs spheres on frames"},
      {"restituton=0.5", "did you mean 'restitution'?"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[4000];
    SceneRun run = {.quiet = true};
    snprintf(text, sizeof text,
             "<Node dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/>" PIPELINE
             "<BlockGaussSeidelConstraintSolver/><CollisionResponse "
             "response='FrictionContactConstraint' responseParams='%s'/>" FLOOR BALL(
                 "a", "0 0.5 0", "0 0 0", "1", "1") "</Node>",
             cases[i].options);
    scene_run_context(&run, NULL);
    SofaErr err = sofa_simulation_load_text(run.ctx, text, &run.simulation);
    if (err == SOFA_OK) err = sofa_simulation_init(run.simulation);
    if (err == SOFA_OK) err = sofa_simulation_step(run.simulation, 0);
    if (err == SOFA_OK || run.n_problems < 1 || !strstr(run.all, cases[i].message))
      fail_msg("%s: %s", cases[i].options, run.all);
    scene_run_close(&run);
  }
}

/* With the quirk LCPConstraintSolver counts rows by threes: it refuses what has others. */
static void counted_rows(void **state) {
  (void)state;
  static const char *const options[] = {"muRolling=0.1", "muSecond=0.3&amp;frictionDirection=1 0 0",
                                        "restitution=0.5&amp;restitutionLaw=poisson"};
  for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
    char text[4000];
    SceneRun run = {.quiet = true};
    snprintf(text, sizeof text,
             "<Node dt='0.01' gravity='0 0 0'><FreeMotionAnimationLoop/>" PIPELINE
             "<LCPConstraintSolver/><CollisionResponse response='FrictionContactConstraint' "
             "responseParams='%s'/>" FLOOR RIGID_BALL("0 0.515 0", "0 -1 0 0 0 0") "</Node>",
             options[i]);
    scene_run_context(&run, &(SofaContextOptions){.quirk_words = "lcp-friction"});
    assert_int_equal(sofa_simulation_load_text(run.ctx, text, &run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_init(run.simulation), SOFA_OK);
    assert_int_equal(sofa_simulation_step(run.simulation, 0), SOFA_ERR_UNSUPPORTED);
    assert_non_null(strstr(run.all, "leave the quirk out"));
    scene_run_close(&run);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_balls_bounce),
      cmocka_unit_test(balls_on_the_floor),
      cmocka_unit_test(spheres_roll),
      cmocka_unit_test(rolls_to_a_stop),
      cmocka_unit_test(stands_on_a_slope),
      cmocka_unit_test(slides_on_an_ellipse),
      cmocka_unit_test(rails),
      cmocka_unit_test(overlaps_without_energy),
      cmocka_unit_test(overlaps_with_every_ode_solver),
      cmocka_unit_test(energy_never_grows),
      cmocka_unit_test(bounces_out_of_an_overlap),
      cmocka_unit_test(bad_options),
      cmocka_unit_test(counted_rows),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
