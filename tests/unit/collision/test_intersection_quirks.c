/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quirks of the intersection methods, each on and off. */
#include "tests/unit/collision/intersection_test.h"

#define P (&sofa_collision_point)
#define L (&sofa_collision_line)
#define T (&sofa_collision_triangle)
#define S (&sofa_collision_sphere)
#define R (&sofa_collision_rigid_sphere)
#define RAY (&sofa_collision_ray)

#define MIN "MinProximityIntersection alarmDistance='1' contactDistance='0.2'"
#define NEW "NewProximityIntersection alarmDistance='1' contactDistance='0.2'"
#define LMD "LocalMinDistance alarmDistance='1' contactDistance='0.2' filterIntersection='0'"

/* One element of each kind; without and with the quirk: the detections, and the first of them. */
typedef struct Case {
  const char *tag;
  const SofaCollisionKind *first, *second;
  double a[9], b[9], radii[2];
  uint8_t owned; /* by a triangle that comes first */
  int n[2];
  double expected[2][10];
} Case;

static void check_one(const Case *c, const char *quirk, int with) {
  static Elements first, second;
  Method m;
  method_open(&m, c->tag, with ? quirk : NULL);
  elements_make(&first, &m, c->first, 1);
  elements_make(&second, &m, c->second, 1);
  elements_set(&first, 0, c->a);
  elements_set(&second, 0, c->b);
  if (c->first == RAY) elements_ray(&first, 0, c->a + 3, c->a[6]);
  else first.radius[0] = c->radii[0];
  second.radius[0] = c->radii[1];
  if (c->owned) first.owned[0] = c->owned;
  elements_normals(&first);
  elements_normals(&second);
  assert_true(method_find(&m, &first.model, &second.model));
  if (m.found.n != (size_t)c->n[with])
    fail_msg("%s, %s with %s: %zu detections %s %s", c->tag, c->first->name, c->second->name,
             m.found.n, with ? "with" : "without", quirk);
  if (c->n[with]) assert_detection(&m.found.data[0], c->expected[with], 1e-6);
  method_close(&m);
}

static void check_all(const char *quirk, const Case *cases, size_t n) {
  for (size_t i = 0; i < n; i++)
    for (int with = 0; with < 2; with++) check_one(&cases[i], quirk, with);
}

/* The middle of the overlap, or nothing; with the quirk the middles of both. */
static void parallel_lines(void **state) {
#define MIDDLES                                                                                    \
  { 1, 0, 0.1, 0.5, 0, 0, -0.98058068, 0, -0.19611614, 0.30990195 }
#define ALONG                                                                                      \
  {0, 0, 0.1, 2, 0, 0.1}, {                                                                        \
    0, 0, 0, 1, 0, 0                                                                               \
  }
  static const Case cases[] = {
      {MIN, L, L, ALONG, {0}, 0, {1, 1}, {{0.5, 0, 0.1, 0.5, 0, 0, 0, 0, -1, -0.1}, MIDDLES}},
      {NEW, L, L, ALONG, {0}, 0, {1, 1}, {{0.5, 0, 0.1, 0.5, 0, 0, 0, 0, -1, -0.1}, MIDDLES}},
      {LMD, L, L, ALONG, {0}, 0, {1, 1}, {{0.5, 0, 0.1, 0.5, 0, 0, 0, 0, -1, -0.1}, MIDDLES}},
      {MIN,
       L,
       L,
       {1.1, 0, 0.1, 1.5, 0, 0.1},
       {0, 0, 0, 1, 0, 0},
       {0},
       0,
       {0, 1},
       {{0}, {1.3, 0, 0.1, 0.5, 0, 0, -0.99227788, 0, -0.12403473, 0.60622577}}},
  };
  (void)state;
  check_all("parallel-line-middles", cases, SOFA_COUNT(cases));
}

/* NaN in a place compares as unequal, so these are compared by hand. */
static size_t count_found(const char *tag, const char *quirk, const SofaCollisionKind *first,
                          const double *a, SofaDetection *out) {
  static const double q[3] = {0.5, 0.3, 0};
  static Elements e, p;
  Method m;
  method_open(&m, tag, quirk);
  elements_make(&e, &m, first, 1);
  elements_make(&p, &m, P, 1);
  elements_set(&e, 0, a);
  elements_set(&p, 0, q);
  assert_true(method_find(&m, &e.model, &p.model));
  const size_t n = m.found.n;
  if (n) *out = m.found.data[0];
  method_close(&m);
  return n;
}

/* A triangle that is a segment: its edges, where the method tests borders; else nothing. */
static void elements_without_area(void **state) {
  static const char *const tags[] = {MIN, NEW, LMD};
  static const double triangle[9] = {0, 0, 0, 1, 0, 0, 2, 0, 0}, line[6] = {0};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(tags); i++) {
    SofaDetection d;
    assert_int_equal(count_found(tags[i], NULL, T, triangle, &d), i == 1);
    if (i == 1) assert_detection(&d, (double[]){0.5, 0, 0, 0.5, 0.3, 0, 0, 1, 0, 0.1}, 1e-12);
    assert_int_equal(
        count_found(tags[i], "elements-without-area,normal-without-distance", T, triangle, &d), 1);
    assert_true(isnan(d.point[0][0]) && isnan(d.value));
    if (i == 0) assert_near(d.normal, (double[]){1, 0, 0}, 0);
    else assert_true(isnan(d.normal[0]));
    if (i == 2) continue; /* nothing on a line that is so short */
    assert_int_equal(count_found(tags[i], NULL, L, line, &d), 1);
    assert_near(d.point[0], line, 0);
    assert_int_equal(count_found(tags[i], "elements-without-area", L, line, &d), 1);
    assert_true(isnan(d.point[0][0]));
  }
}

static void elements_without_distance(void **state) {
  static const struct {
    const char *tag, *quirk;
    const SofaCollisionKind *first, *second;
    bool differs;
  } cases[] = {
      {MIN, "normal-without-distance", P, P, false},
      {NEW, "normal-without-distance", P, P, true},
      {LMD, "normal-without-distance", P, P, true},
      {NEW, "normal-without-distance", S, S, true},
      {LMD, "normal-without-distance", S, S, true},
      {NEW, "normal-without-distance", T, P, true},
      {NEW, "normal-without-distance", T, S, false},
      {LMD, "normal-without-distance", L, P, true},
      {NEW, "normal-without-distance", L, P, true},
      {LMD, "normal-without-distance", T, P, true},
      {MIN, "spheres-without-distance", S, S, true},
      {MIN, "spheres-without-distance", S, P, false},
      {MIN, "spheres-without-distance", R, R, true},
      {LMD, "spheres-without-distance", S, R, true},
      {"DiscreteIntersection", "spheres-without-distance", S, S, true},
  };
  static const double triangle[9] = {-1, -1, 0, 3, -1, 0, -1, 3, 0}, line[6] = {-1, 0, 0, 1, 0, 0};
  static const double origin[3] = {0};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(cases); i++)
    for (int with = 0; with < 2; with++) {
      static Elements a, b;
      Method m;
      method_open(&m, cases[i].tag, with ? cases[i].quirk : NULL);
      elements_make(&a, &m, cases[i].first, 1);
      elements_make(&b, &m, cases[i].second, 1);
      elements_set(&a, 0, cases[i].first == T ? triangle : cases[i].first == L ? line : origin);
      a.radius[0] = b.radius[0] = 0.5;
      assert_true(method_find(&m, &a.model, &b.model));
      assert_int_equal(m.found.n, 1);
      const double *n = m.found.data[0].normal;
      if (with && cases[i].differs) assert_true(isnan(n[0]));
      else assert_near(n, (double[]){1, 0, 0}, 0);
      method_close(&m);
    }
}

/* The centre, as of spheres on points; with the quirk the surface. */
static void rigid_spheres(void **state) {
#define TRIANGLE                                                                                   \
  { 0, 0, 0, 4, 0, 0, 0, 4, 0 }
  static const Case cases[] = {
      {MIN,
       R,
       R,
       {0},
       {1.9, 0, 0},
       {0.5, 0.5},
       0,
       {1, 1},
       {{0, 0, 0, 1.9, 0, 0, 1, 0, 0, 0.7}, {0.5, 0, 0, 1.4, 0, 0, 1, 0, 0, 0.7}}},
      {MIN,
       S,
       R,
       {0},
       {1.9, 0, 0},
       {0.5, 0.5},
       0,
       {1, 1},
       {{0, 0, 0, 1.9, 0, 0, 1, 0, 0, 0.7}, {0, 0, 0, 1.4, 0, 0, 1, 0, 0, 0.7}}},
      {"DiscreteIntersection",
       R,
       R,
       {0},
       {0.75, 0, 0},
       {0.5, 0.5},
       0,
       {1, 1},
       {{0, 0, 0, 0.75, 0, 0, 1, 0, 0, -0.25}, {0.5, 0, 0, 0.25, 0, 0, 1, 0, 0, -0.25}}},
      {LMD,
       R,
       R,
       {0},
       {1.9, 0, 0},
       {0.5, 0.5},
       0,
       {1, 1},
       {{0, 0, 0, 1.9, 0, 0, 1, 0, 0, 0.7}, {0.5, 0, 0, 1.4, 0, 0, 1, 0, 0, 0.7}}},
      {MIN,
       R,
       P,
       {0},
       {0, 1.2, 0},
       {0.5, 0},
       0,
       {1, 1},
       {{0, 0, 0, 0, 1.2, 0, 0, 1, 0, 0.5}, {0, 0.5, 0, 0, 1.2, 0, 0, 1, 0, 0.5}}},
      {MIN,
       T,
       R,
       TRIANGLE,
       {1, 1, 0.75},
       {0, 0.5},
       0,
       {1, 1},
       {{1, 1, 0, 1, 1, 0.75, 0, 0, 1, 0.05}, {1, 1, 0, 1, 1, 0.25, 0, 0, 1, 0.05}}},
      {NEW,
       T,
       R,
       TRIANGLE,
       {1, 1, 0.75},
       {0, 0.5},
       0,
       {1, 1},
       {{1, 1, 0, 1, 1, 0.75, 0, 0, 1, 0.05}, {1, 1, 0, 1, 1, 0.25, 0, 0, 1, 0.05}}},
      {MIN,
       L,
       R,
       {0, 0, 0, 2, 0, 0},
       {1, 0, 0.75},
       {0, 0.5},
       0,
       {1, 1},
       {{1, 0, 0, 1, 0, 0.75, 0, 0, 1, 0.05}, {1, 0, 0, 1, 0, 0.25, 0, 0, 1, 0.05}}},
      {MIN,
       RAY,
       R,
       {0, 0, 0, 1, 0, 0, 9},
       {5, 0.25, 0},
       {0, 0.5},
       0,
       {1, 1},
       {{5, 0, 0, 5, 0.25, 0, 0, 1, 0, -0.25}, {5, 0, 0, 5, -0.25, 0, 0, 1, 0, -0.25}}},
  };
  (void)state;
  check_all("rigid-sphere-surface", cases, SOFA_COUNT(cases));
}

static void rays(void **state) {
  static const Case cases[] = {
      {NEW,
       RAY,
       R,
       {1, 0, 0, 1, 0, 0, 10},
       {5, 0.6, 0},
       {0, 1},
       0,
       {2, 2},
       {{4.2, 0, 0, 4.2, 0, 0, -0.8, -0.6, 0, 0},
        {4.52, 0, 0, 4.52, 0, 0, -0.48, -0.6, 0, 0}}}, /* 1 + 11 * 3.2 / 10 */
      {"DiscreteIntersection",
       RAY,
       S,
       {0, 0, 0, 1, 0, 0, 4.5},
       {5, 0.5, 0},
       {0, 3},
       0,
       {1, 1},
       {{4.5, 0, 0, 5, 0.5, 0, 0.70710678, 0.70710678, 0, 0.70710678 - 3},
        {4.5, 0, 0, 5, 0.5, 0, 0.22360680, 0.22360680, 0, 2.2360680 - 3}}},
  };
  (void)state;
  check_all("ray-ends", cases, SOFA_COUNT(cases));
}

static void lines_and_spheres(void **state) {
  static const Case cases[] = {
      {"MinProximityIntersection alarmDistance='1' contactDistance='0.5'",
       L,
       S,
       {0, 0, 0, 1, 0, 0},
       {0.2, 0.5, 0},
       {0, 0.1},
       0,
       {1, 1},
       {{0.2, 0, 0, 0.2, 0.5, 0, 0, 1, 0, -0.1},
        {0.8, 0, 0, 0.2, 0.5, 0, -0.768221, 0.640184, 0, 0.181025}}},
  };
  (void)state;
  check_all("mirrored-line-sphere", cases, SOFA_COUNT(cases));
}

/* A triangle that owns nothing, above another: the contacts of its corners are another's. */
static void first_corner(void **state) {
  static const Case cases[] = {
      {NEW,
       T,
       T,
       {0.5, 0.5, 0.5, 5, 5, 5, 4, 5, 5},
       {0, 0, 0, 2, 0, 0, 0, 2, 0},
       {0},
       SOFA_OWNS_EDGE(0),
       {0, 1},
       {{0}, {0.5, 0.5, 0.5, 0.5, 0.5, 0, 0, 0, -1, 0.3}}},
      {NEW,
       T,
       T,
       {5, 5, 5, 0.5, 0.5, 0.5, 4, 5, 5},
       {0, 0, 0, 2, 0, 0, 0, 2, 0},
       {0},
       SOFA_OWNS_EDGE(0),
       {0, 0},
       {{0}}},
      {NEW,
       T,
       T,
       {0.5, 0.5, 0.5, 5, 5, 5, 4, 5, 5},
       {0, 0, 0, 2, 0, 0, 0, 2, 0},
       {0},
       SOFA_OWNS_CORNER(0),
       {2, 2},
       {{0.5, 0.5, 0.5, 0.5, 0.5, 0, 0, 0, -1, 0.3}, {0.5, 0.5, 0.5, 0.5, 0.5, 0, 0, 0, -1, 0.3}}},
  };
  (void)state;
  check_all("first-corner-unowned", cases, SOFA_COUNT(cases));
}

/* An edge needs its own bit; with the quirk edge 02 that of 01, edge 12 that of 02. */
static void triangles_and_spheres(void **state) {
#define OFF_02                                                                                     \
  { -0.5, 1, 0 }
#define AT_02                                                                                      \
  { 0, 1, 0, -0.5, 1, 0, -1, 0, 0, 0.3 }
#define OFF_12                                                                                     \
  { 2.25, 2.25, 0 }
#define AT_12                                                                                      \
  { 2, 2, 0, 2.25, 2.25, 0, 0.70710678, 0.70710678, 0, 0.15355339 }
#define OFF_01                                                                                     \
  { 1, -0.5, 0 }
#define AT_01                                                                                      \
  { 1, 0, 0, 1, -0.5, 0, 0, -1, 0, 0.3 }
  static const Case cases[] = {
      {NEW, T, S, TRIANGLE, OFF_02, {0}, SOFA_OWNS_EDGE(1), {1, 0}, {AT_02, {0}}},
      {NEW, T, S, TRIANGLE, OFF_02, {0}, SOFA_OWNS_EDGE(2), {0, 1}, {{0}, AT_02}},
      {NEW, T, S, TRIANGLE, OFF_12, {0}, SOFA_OWNS_EDGE(0), {1, 0}, {AT_12, {0}}},
      {NEW, T, S, TRIANGLE, OFF_12, {0}, SOFA_OWNS_EDGE(1), {0, 1}, {{0}, AT_12}},
      {NEW, T, S, TRIANGLE, OFF_01, {0}, SOFA_OWNS_EDGE(2), {1, 1}, {AT_01, AT_01}},
      /* off the first corner of a blunt triangle, before the first edge: on the second edge */
      {NEW,
       T,
       S,
       {0, 0, 0, 1, 0, 0, -1, 1, 0},
       {-0.2, -0.1, 0},
       {0},
       63,
       {1, 1},
       {{-0.05, 0.05, 0, -0.2, -0.1, 0, -0.70710678, -0.70710678, 0, 0.01213203},
        {-0.2, 0, 0, -0.2, -0.1, 0, 0, -1, 0, -0.1}}},
      /* near the first corner, by 5e-7 of the second edge: the corner, or that edge */
      {NEW,
       T,
       S,
       TRIANGLE,
       {-0.5, 2e-6, 0},
       {0},
       SOFA_OWNS_CORNER(0),
       {1, 0},
       {{0, 0, 0, -0.5, 2e-6, 0, -1, 4e-6, 0, 0.3}, {0}}},
  };
  (void)state;
  check_all("triangle-sphere-edges", cases, SOFA_COUNT(cases));
}

/* A line that ends at a corner of a triangle of the same state. */
static void triangles_and_lines(void **state) {
  static const double x[] = {0, 0, 0, 2, 0, 0, 0, 2, 0, 1, 1, 0.5};
  (void)state;
  for (int with = 0; with < 2; with++)
    for (uint32_t end = 0; end < 2; end++) {
      static Elements t, l;
      Method m;
      method_open(&m, NEW, with ? "triangle-line-corners" : NULL);
      elements_make(&t, &m, T, 1);
      elements_make(&l, &m, L, 1);
      memcpy(t.x, x, sizeof x);
      t.state.position.n = 4;
      l.model.state = &t.state;
      l.corners[end] = 1;
      l.corners[1 - end] = 3;
      assert_true(method_find(&m, &t.model, &l.model));
      assert_int_equal(m.found.n > 0, with);
      l.corners[end] = 3; /* no common corner */
      assert_true(method_find(&m, &t.model, &l.model));
      assert_true(m.found.n > 0);
      method_close(&m);
    }
}

/* ---- quads ---- */

/* Places around a strip of two quads, or of a triangle and a quad: one contact each. */
static void quads(void **state) {
  static const char *const bodies[] = {"quads='0 1 4 3 1 2 5 4'",
                                       "triangles='0 1 4 0 4 3' quads='1 2 5 4'"};
  static const double places[][3] = {
      {-0.1, -0.1, 0.1}, {1, -0.1, 0.1},   {2.1, -0.1, 0.1}, {2.1, 1.1, 0.1},  {1, 1.1, 0.1},
      {-0.1, 1.1, 0.1},  {-0.1, 0.5, 0.1}, {2.1, 0.5, 0.1},  {0.5, -0.1, 0.1}, {1.5, -0.1, 0.1},
      {0.5, 1.1, 0.1},   {1.5, 1.1, 0.1},  {1, 0.5, 0.1},    {0.5, 0.5, 0.1},  {1.5, 0.5, 0.1},
      {0.7, 0.2, 0.1},   {1.2, 0.7, 0.1}};
  (void)state;
  for (size_t i = 0; i < 4; i++) {
    const bool with = i % 2;
    const SofaContextOptions options = {.quirk_words = with ? "quads-own-nothing" : NULL};
    char text[700];
    static Elements p;
    size_t n_none = 0;
    Method m = {0};
    snprintf(text, sizeof text,
             "<Node><DefaultAnimationLoop/><NewProximityIntersection name='method' "
             "alarmDistance='0.19' contactDistance='0.1'/><MeshTopology position='0 0 0 1 0 0 2 0 "
             "0 0 1 0 1 1 0 2 1 0' %s/><MechanicalObject/><TriangleCollisionModel "
             "name='model'/></Node>",
             bodies[i / 2]);
    scene_run_open(&m.run, text, &options);
    m.object = (SofaIntersection *)scene_run_object(&m.run, "/method");
    SofaCollisionModel *model = (SofaCollisionModel *)scene_run_object(&m.run, "/model");
    assert_int_equal(model->ops->update(model), SOFA_OK);
    for (size_t k = 0; k < SOFA_COUNT(places); k++) {
      elements_make(&p, &m, P, 1);
      elements_set(&p, 0, places[k]);
      assert_true(method_find(&m, model, &p.model));
      if (!with) assert_int_equal(m.found.n, 1);
      n_none += m.found.n == 0;
    }
    assert_int_equal(n_none, with ? (i < 2 ? 15 : 6) : 0);
    method_close(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(parallel_lines),
      cmocka_unit_test(elements_without_area),
      cmocka_unit_test(elements_without_distance),
      cmocka_unit_test(rigid_spheres),
      cmocka_unit_test(rays),
      cmocka_unit_test(lines_and_spheres),
      cmocka_unit_test(first_corner),
      cmocka_unit_test(triangles_and_spheres),
      cmocka_unit_test(triangles_and_lines),
      cmocka_unit_test(quads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
