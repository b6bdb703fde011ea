/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What intersection methods leave out: pairs that fields switch off, directions into a body
 * (LocalMinDistance), and fields that make no sense. */
#include "tests/unit/collision/intersection_test.h"

#define P (&sofa_collision_point)
#define L (&sofa_collision_line)
#define T (&sofa_collision_triangle)
#define S (&sofa_collision_sphere)
#define R (&sofa_collision_rigid_sphere)
#define TETRA (&sofa_collision_tetra)
#define RAY (&sofa_collision_ray)

/* ---- pairs ---- */

static const SofaCollisionKind *const kinds[] = {T, L, P, S, R, TETRA, RAY};

/* Pairs that a method finds, such as "TP", in the order of the rules; '-' before those it ignores.
 */
static void pairs_of(const SofaIntersection *method, char *text) {
  static const char letters[] = "TLPSREY"; /* Te is E, Ray is Y */
  for (size_t i = 0; i < SOFA_COUNT(kinds); i++)
    for (size_t k = 0; k < SOFA_COUNT(kinds); k++) {
      bool swapped;
      const SofaIntersectionRule *rule =
          sofa_intersection_rule(method, kinds[i], kinds[k], &swapped);
      if (!rule || swapped) continue;
      if (!sofa_intersection_uses(method, rule)) *text++ = '-';
      *text++ = letters[i];
      *text++ = letters[k];
      *text++ = ' ';
    }
  *text = 0;
}

static void assert_pairs(const char *tag, const char *expected) {
  char text[200];
  Method m;
  method_open(&m, tag, NULL);
  pairs_of(m.object, text);
  assert_string_equal(text, expected);
  method_close(&m);
}

#define MIN "MinProximityIntersection alarmDistance='1' contactDistance='0.5' "
static void pairs(void **state) {
  (void)state;
  assert_pairs("DiscreteIntersection", "TL SS SR RR EP YT -YL -YP YS YR YE ");
  assert_pairs(MIN, "-TT -TL TP TS TR LL LP LS LR PP SP SS SR RP RR EP YT -YL -YP YS YR YE ");
  assert_pairs("NewProximityIntersection alarmDistance='1' contactDistance='0.5'",
               "TT TL TP TS TR LL LP LS LR PP SP SS SR RP RR EP YT -YL -YP YS YR YE ");
  assert_pairs("LocalMinDistance alarmDistance='1' contactDistance='0.5'",
               "-TT -TL TP TS LL LP LS PP SP SS SR RR EP YT -YL -YP YS YR YE ");
  assert_pairs("CCDTightInclusionIntersection alarmDistance='1' contactDistance='0.5'",
               "-TT -TL TP -TS LL -LP -LS -PP -SP -SS SR RR EP -YT -YL -YP -YS YR YE ");
  assert_pairs(MIN "useSphereTriangle='0'",
               "-TT -TL TP -TS -TR LL LP -LS -LR PP -SP SS SR -RP RR EP YT -YL -YP YS YR YE ");
  assert_pairs(MIN "usePointPoint='0' useLinePoint='0' useLineLine='0'",
               "-TT -TL TP TS TR -LL -LP LS LR -PP SP SS SR RP RR EP YT -YL -YP YS YR YE ");
}

/* The switches are read at init, as in SOFA. */
static void switches_are_read_at_init(void **state) {
  char text[200], before[200];
  Method m;
  (void)state;
  method_open(&m, MIN, NULL);
  pairs_of(m.object, before);
  assert_int_equal(sofa_field_set_text(&m.object->object, "usePointPoint", "0", 0), SOFA_OK);
  pairs_of(m.object, text);
  assert_string_equal(text, before);
  method_close(&m);
}

/* ---- bad distances ---- */

static void bad_fields(void **state) {
  static const struct {
    const char *tag, *message; /* NULL: none */
  } cases[] = {
      {"MinProximityIntersection alarmDistance='0.1' contactDistance='0.5'", "smaller than"},
      {"NewProximityIntersection alarmDistance='0.1' contactDistance='0.5'", "smaller than"},
      {"LocalMinDistance alarmDistance='0.1' contactDistance='0.5'", "smaller than"},
      {"CCDTightInclusionIntersection alarmDistance='0' contactDistance='0.5'", NULL},
      {"LocalMinDistance alarmDistance='0.5' contactDistance='0.5'", NULL},
      {"LocalMinDistance alarmDistance='0.5' contactDistance='-0.5'", "contactDistance"},
      {"LocalMinDistance alarmDistance='inf' contactDistance='0.5'", "alarmDistance"},
      {"NewProximityIntersection contactDistance='0.5'", "alarmDistance"},
      {"NewProximityIntersection alarmDistance='0.5'", "contactDistance"},
      {"CCDTightInclusionIntersection alarmDistance='1' contactDistance='0.5' maxIterations='0'",
       "maxIterations"},
      {"CCDTightInclusionIntersection alarmDistance='1' contactDistance='0.5' tolerance='-1'",
       "tolerance"},
      {"CCDTightInclusionIntersection alarmDistance='1' contactDistance='0.5' "
       "continuousCollisionType='inertia'",
       "Inertia"},
  };
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++) {
    SceneRun run = {.quiet = true};
    char text[300];
    scene_run_context(&run, NULL);
    snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/>\n<%s/></Node>", cases[i].tag);
    if (sofa_simulation_load_text(run.ctx, text, &run.simulation) == SOFA_OK)
      (void)sofa_simulation_init(run.simulation);
    assert_int_equal(run.n_problems > 0, cases[i].message != NULL);
    if (cases[i].message && !strstr(run.all, cases[i].message))
      fail_msg("'%s' is not in: %s", cases[i].message, run.all);
    scene_run_close(&run);
  }
}

/* ---- a convex body ---- */

/* A cube of 12 triangles that face outwards. */
#define CUBE                                                                                       \
  "<MeshTopology position='-1 -1 -1 1 -1 -1 1 1 -1 -1 1 -1 -1 -1 1 1 -1 1 1 1 1 -1 1 1' "          \
  "triangles='0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7'/>"          \
  "<MechanicalObject/>"
#define MODELS(fields)                                                                             \
  "<TriangleCollisionModel name='t' " fields "/><LineCollisionModel name='l' " fields              \
  "/><PointCollisionModel name='p' " fields "/>"

typedef struct Body {
  Method m;
  SofaCollisionModel *models[3]; /* triangles, lines, points */
  Elements probe;                /* a point of a node without lines */
} Body;

static void body_open(Body *b, const char *method, const char *body) {
  static const char *const names[] = {"/body/t", "/body/l", "/body/p"};
  char text[1000];
  memset(&b->m, 0, sizeof b->m);
  snprintf(text, sizeof text,
           "<Node><DefaultAnimationLoop/><LocalMinDistance name='method' contactDistance='0.1' "
           "%s/><Node name='body'>%s</Node></Node>",
           method, body);
  scene_run_open(&b->m.run, text, NULL);
  b->m.object = (SofaIntersection *)scene_run_object(&b->m.run, "/method");
  for (int k = 0; k < 3; k++) {
    b->models[k] = (SofaCollisionModel *)scene_run_object(&b->m.run, names[k]);
    assert_int_equal(b->models[k]->ops->update(b->models[k]), SOFA_OK);
  }
  elements_make(&b->probe, &b->m, P, 1);
}
/* Number of detections of models first .. last with a point, and the smallest value. */
static size_t body_find(Body *b, const double p[3], int first, int last, double *least) {
  size_t n = 0;
  *least = INFINITY;
  elements_set(&b->probe, 0, p);
  for (int k = first; k <= last; k++) {
    assert_true(method_find(&b->m, b->models[k], &b->probe.model));
    n += b->m.found.n;
    for (size_t i = 0; i < b->m.found.n; i++) *least = fmin(*least, b->m.found.data[i].value);
  }
  return n;
}

static double cube_distance(const double p[3]) {
  double r[3];
  for (int k = 0; k < 3; k++) r[k] = fmax(fabs(p[k]) - 1, 0);
  return sofa_vec3_norm(r);
}

/* Without widened cones the distance from a convex body has one local minimum, and none from
 * within. */
static void one_minimum_outside(void **state) {
  static Body b;
  uint64_t seed = 31415926535;
  int n_outside = 0;
  double least;
  (void)state;
  body_open(&b, "alarmDistance='2' coneFactor='0'", CUBE MODELS(""));
  for (int i = 0; i < 3000; i++) {
    const double p[3] = {2 * random_real(&seed), 2 * random_real(&seed), 2 * random_real(&seed)};
    const double distance = cube_distance(p);
    const size_t n = body_find(&b, p, 0, 2, &least);
    assert_int_equal(n, distance > 0);
    if (n) assert_true(fabs(least - (distance - 0.1)) < 1e-12);
    n_outside += distance > 0;
  }
  assert_true(n_outside > 1000);
  method_close(&b.m);
}

/* With the default cones there may be more, but the closest is among them, and none within. */
static void cones_add_directions(void **state) {
  static Body b;
  uint64_t seed = 2718281828;
  double least;
  (void)state;
  body_open(&b, "alarmDistance='2'", CUBE MODELS(""));
  for (int i = 0; i < 1000; i++) {
    const double p[3] = {2 * random_real(&seed), 2 * random_real(&seed), 2 * random_real(&seed)};
    const double distance = cube_distance(p);
    const size_t n = body_find(&b, p, 0, 2, &least);
    if (distance > 0) assert_true(n >= 1 && fabs(least - (distance - 0.1)) < 1e-12);
  }
  method_close(&b.m);
  body_open(&b, "alarmDistance='0.25'", CUBE MODELS(""));
  /* at an edge of the cube the mean normal and the side are at 45 degrees: the sine of the widened
   * angle is 0.5 cos 45 */
  for (int k = 0; k < 2; k++) {
    const double sine = 0.35355339 + (k ? 1e-3 : -1e-3);
    const double p[3] = {0.3, 1 - 0.2 * sine, 1 + 0.2 * sqrt(1 - sine * sine)};
    assert_int_equal(body_find(&b, p, 1, 1, &least), k == 0);
  }
  /* the five triangles at the corner have the mean normal (2, 1, 2) / 3 */
  for (int k = 0; k < 2; k++) {
    const double sine = 0.5 * 2 / 3 + (k ? 1e-3 : -1e-3);
    const double p[3] = {1 - 0.2 * sine, 1, 1 + 0.2 * sqrt(1 - sine * sine)};
    assert_int_equal(body_find(&b, p, 2, 2, &least), k == 0);
  }
  method_close(&b.m);
}

/* angleCone: the sine of the angle by which the free directions are widened */
static void angle_cone(void **state) {
  static const char *const flat =
      "<MeshTopology position='-1 0 0 1 0 0 0 1 0 0 -1 0' triangles='0 1 2 1 0 3'/>"
      "<MechanicalObject/>" MODELS("");
  static Body b;
  double least;
  (void)state;
  body_open(&b, "alarmDistance='0.25' coneFactor='0' angleCone='0.3'", flat);
  for (int side = -1; side < 2; side += 2)
    for (int k = 0; k < 2; k++) {
      const double sine = k ? 0.31 : 0.29;
      const double p[3] = {0.1, 0.2 * sine * side, 0.2 * sqrt(1 - sine * sine)};
      assert_int_equal(body_find(&b, p, 1, 1, &least), k == 0);
    }
  const double below[3] = {0.1, 0, -0.2}; /* the mean normal is not widened */
  assert_int_equal(body_find(&b, below, 0, 2, &least), 0);
  method_close(&b.m);
}

/* Both sides of a sheet. */
static void both_sides(void **state) {
  static const double below[3] = {0.05, 0.2, -0.5}, edge[3] = {0, 0, -0.5},
                      corner[3] = {-1.1, 0, -0.1};
#define SHEET                                                                                      \
  "<MeshTopology position='-1 0 0 1 0 0 0 1 0 0 -1 0' triangles='0 1 2 1 0 "                       \
  "3'/><MechanicalObject/>"
  static Body b;
  double least;
  (void)state;
  for (int both = 0; both < 2; both++) {
    body_open(&b, "alarmDistance='0.6' coneFactor='0'",
              both ? SHEET MODELS("bothSide='1'") : SHEET MODELS(""));
    assert_int_equal(body_find(&b, below, 0, 0, &least), both);
    assert_int_equal(body_find(&b, edge, 1, 1, &least), both);
    assert_int_equal(body_find(&b, corner, 2, 2, &least), both);
    method_close(&b.m);
  }
}

/* Points without lines in their node or above are not filtered. */
static void points_alone(void **state) {
  static const double inside[3] = {0.8, 0.8, 0.8};
  static Body b;
  double least;
  (void)state;
  body_open(&b, "alarmDistance='0.5'", CUBE MODELS(""));
  assert_int_equal(body_find(&b, inside, 2, 2, &least), 0);
  b.models[2]->object.node = b.m.run.simulation->root;
  assert_int_equal(body_find(&b, inside, 2, 2, &least), 1);
  b.models[2]->object.node = b.models[1]->object.node;
  method_close(&b.m);
}

/* A line of no surface, and points of no topology: nothing is filtered. */
static void bare_lines_and_points(void **state) {
  static const char *const rope = "<MeshTopology position='-1 0 0 1 0 0' "
                                  "edges='0 1'/><MechanicalObject/>" MODELS("");
  static const double above[3] = {0, 0.1, 0.3}, end[3] = {-1.2, 0, 0.1}, over[3] = {-0.8, 0, 0.1};
  static Body b;
  double least;
  (void)state;
  body_open(&b, "alarmDistance='0.6' coneFactor='0'", rope);
  assert_int_equal(body_find(&b, above, 1, 1, &least), 1);
  assert_int_equal(body_find(&b, end, 2, 2, &least), 1);
  assert_int_equal(body_find(&b, over, 2, 2, &least), 0); /* the line has it */
  method_close(&b.m);
}

/* Points of a node without a topology of its own have that above, which may be of more points. */
static void points_of_a_larger_topology(void **state) {
  static const double above[3] = {-1, 0, 0.3}, out[3] = {-1.3, 0, 0};
  static Body b;
  double least;
  (void)state;
  memset(&b.m, 0, sizeof b.m);
  scene_run_open(
      &b.m.run,
      "<Node><DefaultAnimationLoop/><LocalMinDistance name='method' contactDistance='0.1' "
      "alarmDistance='0.6' coneFactor='0'/><Node name='body'>" SHEET
      "<LineCollisionModel/><Node name='part'><MechanicalObject position='-1 0 0 1 0 0'/>"
      "<PointCollisionModel name='p' computeNormals='1'/></Node></Node></Node>",
      NULL);
  b.m.object = (SofaIntersection *)scene_run_object(&b.m.run, "/method");
  b.models[2] = (SofaCollisionModel *)scene_run_object(&b.m.run, "/body/part/p");
  assert_int_equal(b.models[2]->ops->update(b.models[2]), SOFA_OK);
  elements_make(&b.probe, &b.m, P, 1);
  assert_int_equal(body_find(&b, out, 2, 2, &least), 1);
  assert_true(fabs(least - 0.2) < 1e-12);
  assert_int_equal(body_find(&b, above, 2, 2, &least), 1);
  method_close(&b.m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pairs),
      cmocka_unit_test(switches_are_read_at_init),
      cmocka_unit_test(bad_fields),
      cmocka_unit_test(one_minimum_outside),
      cmocka_unit_test(cones_add_directions),
      cmocka_unit_test(angle_cone),
      cmocka_unit_test(both_sides),
      cmocka_unit_test(points_alone),
      cmocka_unit_test(bare_lines_and_points),
      cmocka_unit_test(points_of_a_larger_topology),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
