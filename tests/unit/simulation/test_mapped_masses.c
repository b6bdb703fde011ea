/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masses below mappings under every ODE solver: weight and inertia agree, and where the Jacobian
 * moves the motion is that of the same masses above the mapping. */
#include "tests/unit/simulation/integrators.h"

#include "math/quaternion.h"

typedef struct Case {
  const char *xml;
  int order; /* below mappings whose Jacobian moves; 0: refuses masses below mappings */
} Case;

static const Case cases[] = {
    {"<EulerImplicitSolver/>" LDL, 1},
    {"<EulerImplicitSolver trapezoidalScheme='1'/>" LDL, 1},
    {"<EulerExplicitSolver/>" LDL, 1},
    {"<EulerExplicitSolver symplectic='0'/>" LDL, 1},
    {"<NewmarkImplicitSolver/>" LDL, 1},
    {"<BackwardEulerODESolver newton_iterations='30' correction_tolerance_threshold='-1' "
     "residual_tolerance_threshold='-1' absolute_residual_tolerance_threshold='1e-10'/>" LDLT,
     1},
    {VARIATIONAL, 2},
    {BDF(1), 1},
    {BDF(2), 2},
    {BDF(3), 3},
    {BDF(4), 4},
    {"<BDFIntegrationScheme/>" LDL, 1},
    {"<CentralDifferenceSolver/>", 0},
    {"<RungeKutta2Solver/>", 0},
    {"<RungeKutta4Solver/>", 0},
    {"<DampVelocitySolver/>", 0}, /* no integrator */
};
enum { N_CASES = sizeof cases / sizeof *cases };

static bool has_case(const char *name) {
  for (int i = 0; i < N_CASES; i++)
    if (starts_with_tag(cases[i].xml, name)) return true;
  return false;
}

static void every_solver_has_a_case(void **state) {
  (void)state;
  assert_all_solvers_have_cases(has_case);
}

#define ROOT                                                                                       \
  "<Node name='root' dt='%.17g' gravity='%s'>" PLUGIN "<DefaultAnimationLoop/>"                    \
  "<DefaultVisualManagerLoop/><Node name='body'>%s"

/* ---- constant Jacobians ---- */

static const char above[] =
    ROOT "<MechanicalObject name='state' position='0 0 0'/><UniformMass totalMass='2'/>"
         "<RestShapeSpringsForceField points='0' stiffness='30'/></Node></Node>",
                  below[] =
                      ROOT "<MechanicalObject name='state' position='0 0 0'/>"
                           "<UniformMass totalMass='0.5'/>"
                           "<RestShapeSpringsForceField points='0' stiffness='30'/><Node>"
                           "<MechanicalObject/><UniformMass totalMass='0.7'/><IdentityMapping/>"
                           "<Node><MechanicalObject/><UniformMass totalMass='0.8'/>"
                           "<IdentityMapping/></Node></Node></Node></Node>";

static void height(const char *scene, const char *solver, const char *quirk, double x[2]) {
  char text[4000];
  SceneRun run;
  const SofaContextOptions options = {.quirk_words = quirk};
  snprintf(text, sizeof text, scene, 0.01, "0 -10 0", solver);
  scene_run_open(&run, text, &options);
  scene_run_steps(&run, 40);
  const SofaState *s = scene_run_state(&run, "/body/state");
  x[0] = s->position.data[1];
  x[1] = s->velocity.data[1];
  scene_run_close(&run);
}

static void constant_jacobians(void **state) {
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    double a[2], b[2];
    if (!cases[i].order) continue;
    height(above, cases[i].xml, NULL, a);
    height(below, cases[i].xml, NULL, b);
    if (!(hypot(a[0] - b[0], a[1] - b[1]) < 1e-9 && a[0] < -0.1))
      fail_msg("%s: %g %g instead of %g %g", cases[i].xml, b[0], b[1], a[0], a[1]);
  }
}

/* ---- masses that are not diagonal ---- */

/* Damping by the mass: a body in steady motion slows down alike, whatever its mass matrix is. */
static void consistent_masses_slow_down_alike(void **state) {
  static const char *const solvers[] = {
      "<EulerImplicitSolver rayleighMass='3'/>" LDL,
      "<NewmarkImplicitSolver rayleighMass='3'/>" LDL,
      "<VariationalSymplecticSolver rayleighMass='3'/>" LDL,
      "<BDFOdeSolver order='2' rayleighMass='3'/>" EXACT_NEWTON LDL};
  static const char *const masses[] = {"<UniformMass totalMass='1'/>",
                                       "<MeshMatrixMass totalMass='1'/>"};
  (void)state;
  for (size_t k = 0; k < sizeof solvers / sizeof *solvers; k++) {
    double v[2];
    for (int i = 0; i < 2; i++) {
      char text[2000];
      SceneRun run;
      snprintf(text, sizeof text,
               "<Node name='root' dt='0.05' gravity='0 0 0'><DefaultAnimationLoop/>"
               "<DefaultVisualManagerLoop/>%s<TetrahedronSetTopologyContainer "
               "position='0 0 0 1 0 0 0 1 0 0 0 1' tetrahedra='0 1 2 3'/>"
               "<TetrahedronSetGeometryAlgorithms/><MechanicalObject name='state' "
               "position='0 0 0 1 0 0 0 1 0 0 0 1' "
               "velocity='1 0 0 1 0 0 1 0 0 1 0 0'/>%s</Node>",
               solvers[k], masses[i]);
      scene_run_open(&run, text, NULL);
      scene_run_steps(&run, 4);
      v[i] = scene_run_state(&run, "/state")->velocity.data[0];
      scene_run_close(&run);
    }
    if (!(fabs(v[0] - v[1]) < 1e-12 && v[0] < 0.7))
      fail_msg("%s: %.15g and %.15g", solvers[k], v[0], v[1]);
  }
}

/* ---- rigid bodies ---- */

/* A body with the moments 0.2, 0.3, 0.4 and 1 kg carries points of 0.5 kg at the ends of a rod that
 * is not centred; or a frame with a mass of its own, which carries the points. */
static const double own[3] = {0.2, 0.3, 0.4}, rod[2][3] = {{0.6, 0.2, 0.3}, {-0.4, 0.3, 0.5}},
                    start_q[4] = {0.1, -0.3, 0.2, 0.9273618495495704},
                    start_w[3] = {0.6, 1.9, -0.8}, start_v[3] = {0.3, -0.2, 0.5};

#define RIGID                                                                                      \
  "<MechanicalObject name='state' template='Rigid3' position='0 0 0 %.17g %.17g %.17g %.17g' "     \
  "velocity='%.17g %.17g %.17g %.17g %.17g %.17g'/>"
#define POINTS                                                                                     \
  "<Node><MechanicalObject position='0.6 0.2 0.3 -0.4 0.3 0.5'/><UniformMass vertexMass='0.5'/>"   \
  "<RigidMapping/></Node>"
static const char on_body[] =
    ROOT RIGID "<UniformMass vertexMass='1 1 [0.2 0 0,0 0.3 0,0 0 0.4]'/>" POINTS "</Node></Node>";
static const char on_frame[] =
    ROOT RIGID "<UniformMass vertexMass='0.5 1 [0.2 0 0,0 0.4 0,0 0 0.2]'/>"
               "<Node><MechanicalObject template='Rigid3' position='0 0 0 0 0 0 1'/>"
               "<UniformMass vertexMass='0.5 1 [0.2 0 0,0 0.2 0,0 0 0.6]'/>"
               "<RigidMapping template='Rigid3,Rigid3'/>" POINTS "</Node></Node></Node>";
/* the points below a copy: a constant Jacobian behind one that moves */
static const char on_copy[] = ROOT RIGID
    "<UniformMass vertexMass='1 1 [0.2 0 0,0 0.3 0,0 0 0.4]'/><Node><MechanicalObject "
    "position='0.6 0.2 0.3 -0.4 0.3 0.5'/><UniformMass vertexMass='0.1'/><RigidMapping/><Node>"
    "<MechanicalObject/><UniformMass vertexMass='0.4'/><IdentityMapping/></Node></Node></Node>"
    "</Node>";

typedef struct Body {
  double x[3], q[4], w[3];
} Body;

/* The body of all masses: its centre and its inertia about it, in its axes. */
static void sum_up(double *centre, double *inertia) {
  memset(centre, 0, 3 * sizeof *centre);
  memset(inertia, 0, 9 * sizeof *inertia);
  for (int i = 0; i < 2; i++) sofa_vec3_axpy(0.5 / 2, rod[i], centre); /* of 2 kg */
  for (int k = 0; k < 3; k++) inertia[4 * k] = own[k];
  for (int i = -1; i < 2; i++) {
    double r[3];
    sofa_vec3_scale(-1, centre, r);
    if (i >= 0) sofa_vec3_add(r, rod[i], r);
    const double mass = i < 0 ? 1 : 0.5, square = sofa_vec3_dot(r, r);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) inertia[3 * a + b] += mass * ((a == b) * square - r[a] * r[b]);
  }
}

/* q' = 1/2 w q, I w' = -w x I w */
static void rate(const double *in_body, const Body *b, Body *d) {
  double r[9], inertia[9], l[3], half[4] = {0.5 * b->w[0], 0.5 * b->w[1], 0.5 * b->w[2], 0};
  sofa_quat_multiply(half, b->q, d->q);
  sofa_quat_to_matrix(b->q, r);
  sofa_mat3_mul(r, in_body, inertia);
  sofa_mat3_mul_nt(inertia, r, inertia);
  sofa_mat3_apply(inertia, b->w, l);
  sofa_vec3_cross(l, b->w, l);
  assert_true(sofa_mat3_inverse(inertia, inertia, NULL));
  sofa_mat3_apply(inertia, l, d->w);
}

static Body moved(const Body *b, double h, const Body *d) {
  Body r = *b;
  for (int k = 0; k < 4; k++) r.q[k] = b->q[k] + h * d->q[k];
  for (int k = 0; k < 3; k++) r.w[k] = b->w[k] + h * d->w[k];
  return r;
}

/* The frame of the body after the span, by the method of Runge and Kutta. */
static Body reference(double span) {
  const int n = 20000;
  const double h = span / n;
  double centre[3], inertia[9], arm[3], v[3];
  Body b = {.x = {0, 0, 0}};
  memcpy(b.q, start_q, sizeof b.q);
  memcpy(b.w, start_w, sizeof b.w);
  sum_up(centre, inertia);
  sofa_quat_rotate(b.q, centre, arm);
  sofa_vec3_cross(b.w, arm, v);
  sofa_vec3_add(v, start_v, v);
  sofa_vec3_copy(arm, b.x);
  sofa_vec3_axpy(span, v, b.x); /* the centre at the end */
  for (int i = 0; i < n; i++) {
    Body k[4], at = b;
    for (int s = 0; s < 4; s++) {
      rate(inertia, &at, &k[s]);
      at = moved(&b, s == 2 ? h : h / 2, &k[s]);
    }
    for (int s = 0; s < 4; s++) b = moved(&b, h / (s % 3 ? 3 : 6), &k[s]);
  }
  sofa_quat_rotate(b.q, centre, arm);
  sofa_vec3_sub(b.x, arm, b.x);
  return b;
}

static double error_of(const char *scene, const char *solver, const char *quirk, int n,
                       const Body *exact, double span) {
  char text[6000];
  SceneRun run;
  double a[7], b[7], d[6], sum = 0;
  const SofaContextOptions options = {.quirk_words = quirk};
  snprintf(text, sizeof text, scene, span / n, "0 0 0", solver, start_q[0], start_q[1], start_q[2],
           start_q[3], start_v[0], start_v[1], start_v[2], start_w[0], start_w[1], start_w[2]);
  scene_run_open(&run, text, &options);
  scene_run_steps(&run, n);
  memcpy(a, scene_run_state(&run, "/body/state")->position.data, sizeof a);
  sofa_vec3_copy(exact->x, b);
  memcpy(b + 3, exact->q, sizeof exact->q);
  sofa_rigid3_difference(a, b, d);
  for (int k = 0; k < 6; k++) sum += d[k] * d[k];
  scene_run_close(&run);
  return sqrt(sum);
}

static int orders_of(const char *scene, const Case *c, const Body *exact, double span) {
  const int n = c->order == 1 ? 400 : c->order == 2 ? 200 : 100;
  const double e = error_of(scene, c->xml, NULL, n, exact, span);
  const double half = error_of(scene, c->xml, NULL, 2 * n, exact, span), order = log2(e / half);
  fprintf(stderr, "%-60.60s %9.2e %9.2e order %.2f\n", c->xml, e, half, order);
  return !(order > c->order - 0.25 && e < 0.05);
}

static void bodies_with_masses_on_their_points(void **state) {
  static const char *const scenes[] = {on_body, on_frame, on_copy};
  const double span = 0.8;
  const Body exact = reference(span);
  int failures = 0;
  (void)state;
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < N_CASES; i++)
      if (cases[i].order) failures += orders_of(scenes[k], &cases[i], &exact, span);
  assert_int_equal(failures, 0);
}

/* A frame with half of the mass, below a constant Jacobian, turns with its body. */
static void frames_below_a_copy_turn(void **state) {
  static const char
      whole[] =
          ROOT RIGID "<UniformMass vertexMass='2 1 [0.2 0 0,0 0.3 0,0 0 0.4]'/></Node></Node>",
      halves[] = ROOT RIGID
      "<UniformMass vertexMass='1 1 [0.2 0 0,0 0.3 0,0 0 0.4]'/><Node><MechanicalObject "
      "template='Rigid3' position='0 0 0 0 0 0 1'/><UniformMass vertexMass='1 1 [0.2 0 0,0 0.3 "
      "0,0 0 0.4]'/><IdentityMapping template='Rigid3,Rigid3'/></Node></Node></Node>";
  const Body origin = {.q = {0, 0, 0, 1}};
  (void)state;
  const double a = error_of(whole, BDF(2), NULL, 50, &origin, 0.8);
  const double b = error_of(halves, BDF(2), NULL, 50, &origin, 0.8);
  if (!(fabs(a - b) < 1e-9 && a > 0.1)) fail_msg("moves by %.12g, not %.12g", b, a);
}

/* ---- one number ---- */

/* y = x^2 has the mass 0.5 kg, x 1 kg: (1 + 4 0.5 x^2) v^2 is constant. */
static const char square[] = ROOT
    "<MechanicalObject name='state' template='Vec1' position='0.7' velocity='1.5'/>"
    "<UniformMass vertexMass='1'/><Node><MechanicalObject template='Vec1' position='0'/>"
    "<UniformMass vertexMass='0.5'/><SquareMapping template='Vec1,Vec1'/></Node></Node></Node>";

static double speed_error(const char *solver, int n) {
  char text[3000];
  SceneRun run;
  snprintf(text, sizeof text, square, 0.5 / n, "0 0 0", solver);
  scene_run_open(&run, text, NULL);
  scene_run_steps(&run, n);
  /* by the area below sqrt(1 + 2 x^2), whose rate is constant */
  const double x = scene_run_state(&run, "/body/state")->position.data[0], r = sqrt(2);
  const double end = x * sqrt(1 + 2 * x * x) / 2 + asinh(r * x) / (2 * r);
  const double begin = 0.7 * sqrt(1 + 2 * 0.49) / 2 + asinh(r * 0.7) / (2 * r);
  scene_run_close(&run);
  return fabs(end - begin - 0.5 * 1.5 * sqrt(1 + 2 * 0.49));
}

static void the_square_of_a_number(void **state) {
  int failures = 0;
  (void)state;
  for (int i = 0; i < N_CASES; i++) {
    if (!cases[i].order) continue;
    const int n = cases[i].order == 1 ? 400 : cases[i].order == 2 ? 200 : 50;
    const double e = speed_error(cases[i].xml, n), half = speed_error(cases[i].xml, 2 * n);
    fprintf(stderr, "%-60.60s %9.2e %9.2e order %.2f\n", cases[i].xml, e, half, log2(e / half));
    failures += !(log2(e / half) > cases[i].order - 0.3 || half < 1e-9);
  }
  assert_int_equal(failures, 0);
}

/* ---- inputs without velocities ---- */

#define BELOW_A_SHAPE(shape)                                                                       \
  "<Node name='root' dt='0.01' gravity='0 -9.81 0'><DefaultAnimationLoop/>"                        \
  "<DefaultVisualManagerLoop/><Node name='shape'>" shape "</Node><Node name='body'>"               \
  "<EulerImplicitSolver/>" LDL "<MechanicalObject template='Rigid3d' name='state' "                \
  "position='0 0 0 0 0 0 1' velocity='0 0 0 0 0 1'/><UniformMass totalMass='5'/>"                  \
  "<Node name='points'><MechanicalObject name='world'/><DeformableOnRigidFrameMapping "            \
  "input1='@/shape/state' input2='@../state' output='@world'/><UniformMass totalMass='1'/></Node>" \
  "</Node></Node>"
#define PLACES "name='state' position='1 0 0  0 1 0  0 0 1'/>"

/* The points of a visual model stay, as those of a state that nothing moves do. */
static void points_of_a_visual_model(void **state) {
  static const char *const scenes[] = {BELOW_A_SHAPE("<VisualModelImpl " PLACES),
                                       BELOW_A_SHAPE("<MechanicalObject " PLACES)};
  double x[2][7];
  (void)state;
  for (int i = 0; i < 2; i++) {
    SceneRun run;
    scene_run_open(&run, scenes[i], NULL);
    scene_run_steps(&run, 20);
    memcpy(x[i], scene_run_state(&run, "/body/state")->position.data, sizeof x[i]);
    scene_run_close(&run);
  }
  assert_true(x[0][1] < -0.1 && x[0][5] > 0.05);
  assert_memory_equal(x[0], x[1], sizeof x[0]);
}

/* ---- the quirk ---- */

static void quirk_leaves_out_inertia(void **state) {
  const double span = 0.8;
  const Body exact = reference(span);
  double x[2], right[2];
  (void)state;
  /* 0.5 kg with the weight of 2 kg: the iterations alone converge to that */
  height(below, "<VariationalSymplecticSolver/>" LDL, NULL, right);
  height(below, "<VariationalSymplecticSolver/>" LDL, "mapped-inertia", x);
  assert_true(fabs(x[0] - right[0]) > 0.1);
  /* the error stays however small the steps are */
  const double e = error_of(on_body, cases[0].xml, "mapped-inertia", 400, &exact, span);
  const double half = error_of(on_body, cases[0].xml, "mapped-inertia", 800, &exact, span);
  assert_true(e > 0.05 && fabs(e / half - 1) < 0.1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_solver_has_a_case),
      cmocka_unit_test(constant_jacobians),
      cmocka_unit_test(consistent_masses_slow_down_alike),
      cmocka_unit_test(bodies_with_masses_on_their_points),
      cmocka_unit_test(frames_below_a_copy_turn),
      cmocka_unit_test(the_square_of_a_number),
      cmocka_unit_test(points_of_a_visual_model),
      cmocka_unit_test(quirk_leaves_out_inertia),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
