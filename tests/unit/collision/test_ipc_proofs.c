/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* IncrementalPotentialContact keeps surfaces apart: after every step no two triangles meet, tested
 * exactly, and the scenes go where they should. With the argument --full the scenes have the sizes
 * of a long run (hours); `--full NAME` runs one of them. */
#include "tests/unit/collision/ipc_scenes.h"

static bool full;

/* Bound of the norm of the last change of all velocities: 1.7 mm/s a point. */
static double accuracy_for(int points) {
  return 0.0017 * sqrt(points);
}

/* Of small rotations: the tangent is exact. Of large ones it is not. */
#define SOLID_BY(method, mass, young)                                                              \
  "<UniformMass totalMass='" mass "'/><HexahedronFEMForceField method='" method                    \
  "' youngModulus='" young "' poissonRatio='0.3'/>"
#define SOLID(mass, young) SOLID_BY("large", mass, young)
/* The forces and tangents of a quadratic function of the strains: Newton converges. */
#define MEMBRANE(mass, young)                                                                      \
  "<UniformMass totalMass='" mass                                                                  \
  "'/><TriangularBiquadraticSpringsForceField youngModulus='" young "' poissonRatio='0.3'/>"

/* Two blocks, 1 m high together, between plates that come to half of the distance. */
static void pressed_bodies(void **state) {
  const int n = full ? 11 : 5, steps = 20, m[3] = {n, n, (n + 1) / 2};
  char lower[600], upper[900];
  IpcText text;
  SceneRun run;
  (void)state;
  ipc_open(&text);
  ipc_head(text.file, &(IpcScene){.dt = 0.05,
                                  .gravity = "0 0 0",
                                  .accuracy = 1e-3,
                                  .iterations = 300,
                                  .contact = "dhat='0.005' friction='0.3'"});
  snprintf(lower, sizeof lower,
           SOLID_BY("small", "1", "1e4") "<BoxROI name='box' box='-1 -1 -0.01 2 2 0.01'/>"
                                         "<FixedProjectiveConstraint indices='@box.indices'/>");
  ipc_block(text.file, "lower", m, (const double[]){0, 0, 0}, (const double[]){1, 1, 0.49}, lower);
  snprintf(
      upper, sizeof upper,
      SOLID_BY("small", "1", "1e4") "<BoxROI name='box' box='-1 -1 0.99 2 2 1.1'/>"
                                    "<LinearMovementProjectiveConstraint indices='@box.indices' "
                                    "keyTimes='0 %g' movements='0 0 0  0 0 -0.5'/>",
      steps * 0.05);
  ipc_block(text.file, "upper", m, (const double[]){0.1, 0.07, 0.51},
            (const double[]){1.1, 1.07, 1}, upper);
  fputs("</Node></Node>", text.file);
  fclose(text.file);
  ipc_run(&run, &text, &(IpcRunRule){.steps = steps, .progress = full});
  const SofaState *s = scene_run_state(&run, "/all/upper/state");
  assert_true(fabs(s->position.data[3 * (s->position.n - 1) + 2] - 0.5) < 1e-9);
  assert_true(ipc_number(&run, "smallestDistance") < 0.005);
  ipc_close(&run, &text);
}

/* The same in short with each of the other solvers: two blocks, in the end 0.15 m lower together.
 */
static void other_solvers(void **state) {
  static const char *const solvers[] = {
      "<BDFOdeSolver order='2'/>",
      "<StaticSolver/>",
      "<NewmarkImplicitSolver/>",
      "<VariationalSymplecticSolver/>",
      "<StaticODESolver newton_iterations='200' correction_tolerance_threshold='1e-6' "
      "residual_tolerance_threshold='1e-6'/><LDLTSolver/>",
      "<BackwardEulerODESolver newton_iterations='200' correction_tolerance_threshold='1e-6' "
      "residual_tolerance_threshold='1e-6'/><LDLTSolver/>"};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(solvers); i++) {
    IpcText text;
    SceneRun run;
    ipc_open(&text);
    ipc_head(text.file, &(IpcScene){.dt = 0.05,
                                    .gravity = "0 0 0",
                                    .solver = solvers[i],
                                    .accuracy = 1e-5,
                                    .iterations = 200,
                                    .contact = "dhat='0.01' friction='0.1'"});
    const char *const elastic =
        "<UniformMass totalMass='1'/><HexahedronFEMForceField method='small' "
        "youngModulus='1e4' poissonRatio='0.3'/>%s";
    char content[800];
    snprintf(content, sizeof content, elastic,
             "<BoxROI name='box' box='-1 -1 -0.01 2 2 0.01'/>"
             "<FixedProjectiveConstraint indices='@box.indices'/>");
    ipc_block(text.file, "lower", (const int[]){3, 3, 3}, (const double[]){0, 0, 0},
              (const double[]){1, 1, 0.495}, content);
    snprintf(content, sizeof content, elastic,
             "<BoxROI name='box' box='-1 -1 0.99 2 2 1.1'/>"
             "<PartialFixedProjectiveConstraint indices='@box.indices' fixedDirections='1 1 0'/>"
             "<ConstantForceField indices='@box.indices' totalForce='0 0 -1500'/>");
    ipc_block(text.file, "upper", (const int[]){3, 3, 3}, (const double[]){0.02, 0.01, 0.503},
              (const double[]){0.98, 1.03, 1}, content);
    fputs("</Node></Node>", text.file);
    fclose(text.file);
    ipc_run(&run, &text, &(IpcRunRule){.steps = 4});
    assert_true(ipc_number(&run, "smallestDistance") < 0.01);
    ipc_close(&run, &text);
  }
}

/* A cloth falls on an obstacle and stays above the lowest point it can reach. */
static void drop_cloth(const double radius[3], int rings, int n, int steps) {
  IpcText text;
  SceneRun run;
  ipc_open(&text);
  ipc_head(text.file, &(IpcScene){.dt = 0.02,
                                  .gravity = "0 0 -9.81",
                                  .accuracy = accuracy_for(n * n),
                                  .iterations = 200,
                                  .contact = "dhat='0.004' friction='0.2' models='"
                                             "@cloth/surface @/ball/surface'"});
  const IpcSheet sheet = {n, n, {-0.5, -0.5, 0.52}, {{1, 0, 0.001}, {0.0005, 1, 0}}};
  ipc_sheet(text.file, "cloth", &sheet, MEMBRANE("0.2", "2e3"));
  fputs("</Node>", text.file);
  ipc_ball(text.file, "ball", rings, (const double[]){0.01, 0.02, 0.5 - radius[2]}, radius);
  fputs("</Node>", text.file);
  fclose(text.file);
  ipc_run(&run, &text, &(IpcRunRule){.steps = steps, .progress = full});
  const SofaState *s = scene_run_state(&run, "/all/cloth/state");
  double highest = -INFINITY, lowest = INFINITY;
  for (size_t i = 0; i < s->position.n; i++) {
    highest = fmax(highest, s->position.data[3 * i + 2]);
    lowest = fmin(lowest, s->position.data[3 * i + 2]);
  }
  assert_true(highest > 0.45 && lowest < 0.4);
  ipc_close(&run, &text);
}

static void cloth_on_a_sphere(void **state) {
  (void)state;
  drop_cloth((const double[]){0.3, 0.3, 0.3}, full ? 24 : 7, full ? 71 : 11, full ? 30 : 25);
}

static void cloth_on_a_needle(void **state) {
  (void)state;
  drop_cloth((const double[]){0.02, 0.02, 0.4}, full ? 16 : 6, full ? 71 : 11, full ? 30 : 25);
}

/* Rings in each other, the first held, hang down as a chain. */
static void chain_of_rings(void **state) {
  const int rings = full ? 10 : 3, n = full ? 20 : 12, steps = full ? 60 : 25;
  IpcText text;
  SceneRun run;
  (void)state;
  ipc_open(&text);
  ipc_head(text.file, &(IpcScene){.dt = 0.02,
                                  .gravity = "0 0 -9.81",
                                  .accuracy = accuracy_for(4 * n * rings),
                                  .iterations = 200,
                                  .contact = "dhat='0.004'"});
  for (int i = 0; i < rings; i++) {
    char name[20];
    snprintf(name, sizeof name, "ring%d", i);
    ipc_ring(text.file, name, n, i % 2, (const double[]){0.003 * i, 0.002, -1.4 * 0.2 * i},
             (const double[]){0.2, 0.03},
             i ? SOLID("1", "1e6") : SOLID("1", "1e6") "<FixedProjectiveConstraint fixAll='1'/>");
  }
  fputs("</Node></Node>", text.file);
  fclose(text.file);
  ipc_run(&run, &text, &(IpcRunRule){.steps = steps, .progress = full});
  char path[40];
  snprintf(path, sizeof path, "/all/ring%d/state", rings - 1);
  const SofaState *s = scene_run_state(&run, path);
  double z = 0;
  for (size_t i = 0; i < s->position.n; i++)
    z += s->position.data[3 * i + 2] / (double)s->position.n;
  /* a ring hangs at most its diameter below the one above */
  assert_true(z < -0.3 * (rings - 1) && z > -0.45 * (rings - 1));
  ipc_close(&run, &text);
}

/* A mat with springs at both ends, whose far ends turn against each other. */
enum { TURNING_STEPS = 25 };
typedef struct Mat {
  int n, m;         /* points along it and across */
  double turns;     /* of one end against the other */
  double turned[2]; /* angles of both ends */
} Mat;
static Mat mat;

/* Follows the direction from the first to the last point of an end; in a step it turns by far less
 * than half a turn. */
static void follow_end(const double *x, int end) {
  const double *first = x + 3 * (size_t)(end ? (mat.n - 1) * mat.m : 0);
  const double *last = first + 3 * (size_t)(mat.m - 1);
  const double angle = atan2(last[2] - first[2], last[1] - first[1]);
  mat.turned[end] += remainder(angle - mat.turned[end], 2 * M_PI);
}

static void follow_ends(SceneRun *run) {
  const double *x = scene_run_state(run, "/all/mat/state")->position.data;
  for (int end = 0; end < 2; end++) follow_end(x, end);
}

static void turn_anchors(SceneRun *run, int step) {
  follow_ends(run);
  SofaState *anchors = scene_run_state(run, "/anchors");
  const double *rest = scene_run_state(run, "/all/mat/state")->rest_position.data;
  const size_t n = anchors->position.n;
  for (size_t i = 0; i < n; i++) {
    const double angle = (rest[3 * i] < 0 ? -1 : 1) * M_PI * mat.turns * (step + 1) /
                         (full ? 4 * TURNING_STEPS : TURNING_STEPS);
    const double *p = rest + 3 * i;
    double *x = anchors->position.data + 3 * i;
    x[0] = p[0];
    x[1] = cos(angle) * p[1] - sin(angle) * p[2];
    x[2] = sin(angle) * p[1] + cos(angle) * p[2];
  }
}

static void twisted_mat(void **state) {
  const int n = full ? 41 : 21, m = full ? 17 : 7;
  IpcText text;
  SceneRun run;
  (void)state;
  mat = (Mat){.n = n, .m = m, .turns = full ? 4 : 2};
  ipc_open(&text);
  ipc_head(text.file, &(IpcScene){.dt = 0.04,
                                  .gravity = "0 0 0",
                                  .accuracy = accuracy_for(n * m),
                                  .iterations = 200,
                                  .contact = "dhat='0.003'"});
  char content[4000];
  const IpcSheet sheet = {n, m, {-0.5, -0.2, 0}, {{1, 0, 0}, {0, 0.4, 0}}};
  int used = snprintf(content, sizeof content,
                      MEMBRANE("0.1", "1e4") "<RestShapeSpringsForceField stiffness='100' "
                                             "external_rest_shape='@/anchors' points='");
  for (int i = 0; i < 2 * m; i++)
    used +=
        snprintf(content + used, sizeof content - (size_t)used, "%d ", i < m ? i : (n - 2) * m + i);
  used += snprintf(content + used, sizeof content - (size_t)used, "' external_points='");
  for (int i = 0; i < 2 * m; i++)
    used +=
        snprintf(content + used, sizeof content - (size_t)used, "%d ", i < m ? i : (n - 2) * m + i);
  snprintf(content + used, sizeof content - (size_t)used, "'/>");
  ipc_sheet(text.file, "mat", &sheet, content);
  fprintf(text.file, "</Node><MechanicalObject name='anchors' position='");
  for (int i = 0; i < n * m; i++) fputs("0 0 0 ", text.file);
  fputs("'/></Node>", text.file);
  fclose(text.file);
  const int steps = full ? 4 * TURNING_STEPS : TURNING_STEPS;
  const double least =
      ipc_run(&run, &text, &(IpcRunRule){.steps = steps, .move = turn_anchors, .progress = full});
  follow_ends(&run);
  /* the ends did turn, by half of the turns each; how the mat folds between them depends on
   * rounding */
  for (int end = 0; end < 2; end++)
    assert_true(fabs(mat.turned[end] - (end ? 1 : -1) * M_PI * mat.turns) < 0.1 * M_PI * mat.turns);
  assert_true(least < 0.003);
  ipc_close(&run, &text);
}

static void shoot(SceneRun *run, int step) {
  SofaState *s = scene_run_state(run, "/all/body/state");
  for (size_t i = 0; step == 0 && i < s->velocity.n; i++) s->velocity.data[3 * i + 2] = -1000;
}

/* A block of 0.2 m at 1000 m/s: 10 m per step, at a sheet 1 m before it that is held at its border.
 */
static void shot_at_a_sheet(void **state) {
  const int n = full ? 31 : 11, m = full ? 5 : 3;
  IpcText text;
  SceneRun run;
  (void)state;
  ipc_open(&text);
  ipc_head(text.file, &(IpcScene){.dt = 0.01,
                                  .gravity = "0 0 0",
                                  .accuracy = 0.1,
                                  .iterations = 200,
                                  .contact = "dhat='0.005'"});
  const IpcSheet sheet = {n, n, {-1, -1, 0}, {{2, 0, 0}, {0, 2, 0}}};
  ipc_sheet(text.file, "sheet", &sheet,
            MEMBRANE("1", "1e7") "<BoxROI name='west' box='-1.1 -1.1 -1  -0.99 1.1 1'/>"
                                 "<BoxROI name='east' box='0.99 -1.1 -1  1.1 1.1 1'/>"
                                 "<FixedProjectiveConstraint indices='@west.indices'/>"
                                 "<FixedProjectiveConstraint indices='@east.indices'/>");
  ipc_block(text.file, "body", (const int[]){m, m, m}, (const double[]){-0.11, -0.12, 1},
            (const double[]){0.09, 0.08, 1.2}, SOLID("0.1", "1e6"));
  fputs("</Node></Node>", text.file);
  fclose(text.file);
  ipc_run(&run, &text, &(IpcRunRule){.steps = 20, .move = shoot, .progress = full});
  const SofaState *s = scene_run_state(&run, "/all/body/state");
  double speed = 0;
  for (size_t i = 0; i < s->velocity.n; i++)
    speed += s->velocity.data[3 * i + 2] / (double)s->velocity.n;
  assert_true(speed > -300); /* the sheet stopped it */
  ipc_close(&run, &text);
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(other_solvers),     cmocka_unit_test(pressed_bodies),
      cmocka_unit_test(cloth_on_a_sphere), cmocka_unit_test(cloth_on_a_needle),
      cmocka_unit_test(chain_of_rings),    cmocka_unit_test(twisted_mat),
      cmocka_unit_test(shot_at_a_sheet),
  };
  full = argc > 1 && strcmp(argv[1], "--full") == 0;
  if (argc > 2) cmocka_set_test_filter(argv[2]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
