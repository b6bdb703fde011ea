/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Detections of points with triangles and lines, and of bodies with several elements. */
#include "tests/unit/collision/intersection_cases.h"

static void points_and_triangles(void **state) {
  static const Case cases[] = {
      {"above",
       MIN("0.5", "0.2"),
       NULL,
       T,
       P,
       CORNER,
       {1, 1, 0.15},
       NONE,
       NONE,
       1,
       {1, 1, 0, 1, 1, 0.15, 0, 0, 1, -0.05}},
      {"below",
       MIN("0.5", "0.2"),
       NULL,
       T,
       P,
       CORNER,
       {1, 1, -0.15},
       NONE,
       NONE,
       1,
       {1, 1, 0, 1, 1, -0.15, 0, 0, -1, -0.05}},
      {"surface normal",
       MIN("0.5", "0.2") " useSurfaceNormals='1'",
       NULL,
       T,
       P,
       CORNER,
       {1, 1, -0.15},
       NONE,
       NONE,
       1,
       {1, 1, 0, 1, 1, -0.15, 0, 0, 1, -0.05}},
      {"outside", MIN("0.5", "0.2"), NULL, T, P, CORNER, {3, 3, 0.15}, NONE, NONE, 0, {0}},
      {"skins",
       MIN("0.5", "0.2"),
       NULL,
       T,
       P,
       CORNER,
       {1, 1, 0.15},
       NONE,
       {0.1, 0.05},
       1,
       {1, 1, 0, 1, 1, 0.15, 0, 0, 1, -0.2}},
      {"as far as the alarm distance",
       MIN("0.5", "0.25"),
       NULL,
       T,
       P,
       CORNER,
       {1, 1, 0.5},
       NONE,
       NONE,
       0,
       {0}},
      {"just closer",
       MIN("0.5", "0.25"),
       NULL,
       T,
       P,
       CORNER,
       {1, 1, 0.499},
       NONE,
       NONE,
       1,
       {1, 1, 0, 1, 1, 0.499, 0, 0, 1, 0.249}},
      {"skins count for the alarm",
       MIN("0.5", "0.25"),
       NULL,
       T,
       P,
       CORNER,
       {1, 1, 0.6},
       NONE,
       {0.1, 0.05},
       1,
       {1, 1, 0, 1, 1, 0.6, 0, 0, 1, 0.2}},
      {"one side", LMD("0.5", "0.2"), NULL, T, P, CORNER, {1, 1, -0.15}, NONE, NONE, 0, {0}},
      {"its side",
       LMD("0.5", "0.2"),
       NULL,
       T,
       P,
       CORNER,
       {1, 1, 0.15},
       NONE,
       NONE,
       1,
       {1, 1, 0, 1, 1, 0.15, 0, 0, 1, -0.05}},
      {"unfiltered",
       LMD("0.5", "0.2") " filterIntersection='0'",
       NULL,
       T,
       P,
       CORNER,
       {1, 1, -0.15},
       NONE,
       NONE,
       1,
       {1, 1, 0, 1, 1, -0.15, 0, 0, -1, -0.05}},
      {"without filters",
       LMD("0.5", "0.2") " useLMDFilters='1'",
       NULL,
       T,
       P,
       CORNER,
       {1, 1, -0.15},
       NONE,
       NONE,
       1,
       {1, 1, 0, 1, 1, -0.15, 0, 0, -1, -0.05}},
      {"needle",
       MIN("0.5", "0.2"),
       NULL,
       T,
       P,
       {0, 0, 0, 1, 0, 0, 0.5, 1e-5, 0},
       {0.5, 3e-6, 0.15},
       NONE,
       NONE,
       1,
       {0.5, 3e-6, 0, 0.5, 3e-6, 0.15, 0, 0, 1, -0.05}},
      {"beside a needle",
       MIN("0.5", "0.2"),
       NULL,
       T,
       P,
       {0, 0, 0, 1, 0, 0, 0.5, 1e-5, 0},
       {0.5, 1.1e-5, 0.15},
       NONE,
       NONE,
       0,
       {0}},
      {"beyond a corner",
       NEW("0.5", "0.2"),
       NULL,
       T,
       P,
       CORNER,
       {-0.1, -0.1, 0.1},
       NONE,
       NONE,
       1,
       {0, 0, 0, -0.1, -0.1, 0.1, -0.57735027, -0.57735027, 0.57735027, -0.026794919}},
      {"beyond an edge", NEW("0.5", "0.2"), NULL, T, P, CORNER, {1, -0.3, 0.4}, NONE, NONE, 0, {0}},
      {"beyond an edge, closer",
       NEW("0.6", "0.2"),
       NULL,
       T,
       P,
       CORNER,
       {1, -0.3, 0.4},
       NONE,
       NONE,
       1,
       {1, 0, 0, 1, -0.3, 0.4, 0, -0.6, 0.8, 0.3}},
      {"beyond the third edge",
       NEW("0.6", "0.2"),
       NULL,
       T,
       P,
       CORNER,
       {2.1, 2.1, 0},
       NONE,
       NONE,
       1,
       {2, 2, 0, 2.1, 2.1, 0, 0.70710678, 0.70710678, 0, -0.058578644}},
  };
  (void)state;
  check_all(cases, SOFA_COUNT(cases));
}

static void points_and_lines(void **state) {
  static const Case cases[] = {
      {"at the end",
       MIN("1", "0.6"),
       NULL,
       L,
       P,
       {0, 0, 0, 1, 0, 0},
       {1.3, 0.4, 0},
       NONE,
       NONE,
       1,
       {1, 0, 0, 1.3, 0.4, 0, 0.6, 0.8, 0, -0.1}},
      {"at the start",
       MIN("1", "0.6"),
       NULL,
       L,
       P,
       {0, 0, 0, 1, 0, 0},
       {-0.3, 0.4, 0},
       NONE,
       NONE,
       1,
       {0, 0, 0, -0.3, 0.4, 0, -0.6, 0.8, 0, -0.1}},
      {"between the ends alone",
       LMD("1", "0.6") " filterIntersection='0'",
       NULL,
       L,
       P,
       {0, 0, 0, 1, 0, 0},
       {1.3, 0.4, 0},
       NONE,
       NONE,
       0,
       {0}},
      {"between the ends",
       LMD("1", "0.6"),
       NULL,
       L,
       P,
       {0, 0, 0, 1, 0, 0},
       {0.25, 0.4, 0},
       NONE,
       NONE,
       1,
       {0.25, 0, 0, 0.25, 0.4, 0, 0, 1, 0, -0.2}},
      {"points",
       NEW("1", "0.5"),
       NULL,
       P,
       P,
       {0, 0, 0},
       {0, 0.6, 0.8 - 1e-7},
       NONE,
       NONE,
       1,
       {0, 0, 0, 0, 0.6, 0.8, 0, 0.6, 0.8, 0.5}},
      {"crossing",
       MIN("0.5", "0.2"),
       NULL,
       L,
       L,
       {0.25, -0.5, 0.1, 0.25, 0.5, 0.1},
       {0, 0, 0, 1, 0, 0},
       NONE,
       NONE,
       1,
       {0.25, 0, 0.1, 0.25, 0, 0, 0, 0, -1, -0.1}},
      {"crossing beyond an end",
       MIN("0.5", "0.2"),
       NULL,
       L,
       L,
       {-0.25, -0.5, 0.1, -0.25, 0.5, 0.1},
       {0, 0, 0, 1, 0, 0},
       NONE,
       NONE,
       0,
       {0}},
  };
  (void)state;
  check_all(cases, SOFA_COUNT(cases));
}

/* ---- several elements ---- */

/* of the square of two triangles, the second owns only what the first has not */
static void set_square(Elements *t) {
  static const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};
  for (uint32_t i = 0; i < 2; i++) elements_set(t, i, x + 9 * i);
  t->owned[1] = SOFA_OWNS_CORNER(2) | SOFA_OWNS_EDGE(0) | SOFA_OWNS_EDGE(1);
  elements_normals(t);
}

static void triangles_own_corners_and_edges(void **state) {
  static const double places[][3] = {{-0.1, -0.1, 0.1}, {0.5, 0.5, 0.1}, {0.2, 1.1, 0.1},
                                     {-0.1, 1.1, 0.1},  {0.2, 0.7, 0.1}, {1.1, 0.5, 0.1}};
  static const uint32_t triangle[] = {0, 0, 1, 1, 1, 0};
  static Elements t, p;
  Method m;
  (void)state;
  method_open(&m, NEW("0.3", "0.2"), NULL);
  elements_make(&t, &m, T, 2);
  set_square(&t);
  for (size_t i = 0; i < SOFA_COUNT(places); i++) {
    elements_make(&p, &m, P, 1);
    elements_set(&p, 0, places[i]);
    const SofaDetection *d = method_find_one(&m, &t, &p);
    assert_int_equal(d->element[0], triangle[i]);
    elements_make(&p, &m, S, 1);
    elements_set(&p, 0, places[i]);
    assert_int_equal(method_find_one(&m, &t, &p)->element[0], triangle[i]);
  }
  method_close(&m);
}

static void triangle_and_triangle(void **state) {
  static const double a[] = {0.5, 0.5, 0.1, 0.5, 0.5, 1.1, 1.5, 0.5, 1.1};
  static const double b[] = {0, 0, 0, 2, 0, 0, 0, 2, 0};
  static Elements first, second;
  Method m;
  (void)state;
  method_open(&m, NEW("0.3", "0.2"), NULL);
  elements_make(&first, &m, T, 1);
  elements_make(&second, &m, T, 1);
  elements_set(&first, 0, a);
  elements_set(&second, 0, b);
  const SofaDetection *d = method_find_one(&m, &first, &second);
  assert_detection(d, (double[]){0.5, 0.5, 0.1, 0.5, 0.5, 0, 0, 0, -1, -0.1}, 1e-12);
  assert_int_equal(d->id, 0);
  /* the other way round it is a point of the second: id 3 n + 12 i + corner */
  d = method_find_one(&m, &second, &first);
  assert_detection(d, (double[]){0.5, 0.5, 0, 0.5, 0.5, 0.1, 0, 0, 1, -0.1}, 1e-12);
  assert_int_equal(d->id, 3);
  /* triangles of one model that share a point do not meet */
  elements_make(&first, &m, T, 2);
  elements_set(&first, 0, a);
  elements_set(&first, 1, b);
  assert_int_equal(method_find_one(&m, &first, &first)->id, 0);
  first.corners[3] = 0;
  assert_true(method_find(&m, &first.model, &first.model));
  assert_int_equal(m.found.n, 0);
  method_close(&m);
}

/* useLineLine: edges cross, ids 3 n + 12 i + 3 + 3 e + f */
static void edges_of_triangles(void **state) {
  static const double a[] = {0.5, -1, 0.1, 0.5, 3, 0.1, 0.5, 1, 9};
  static const double b[] = {0, 0, 0, 2, 0, 0, 0, 2, 0};
  static Elements first, second, line;
  Method m;
  (void)state;
  method_open(&m, NEW("0.3", "0.2"), NULL);
  elements_make(&first, &m, T, 1);
  elements_make(&second, &m, T, 1);
  elements_make(&line, &m, L, 1);
  elements_set(&first, 0, a);
  elements_set(&second, 0, b);
  elements_set(&line, 0, a);
  assert_true(method_find(&m, &first.model, &second.model));
  assert_int_equal(m.found.n, 0);
  assert_true(method_find(&m, &second.model, &line.model));
  assert_int_equal(m.found.n, 0);
  method_close(&m);
  method_open(&m, NEW("0.3", "0.2") " useLineLine='1'", NULL);
  assert_true(method_find(&m, &first.model, &second.model));
  assert_int_equal(m.found.n, 2);
  assert_int_equal(m.found.data[0].id, 6);
  assert_int_equal(m.found.data[1].id, 7);
  assert_detection(&m.found.data[0], (double[]){0.5, 0, 0.1, 0.5, 0, 0, 0, 0, -1, -0.1}, 1e-12);
  assert_detection(&m.found.data[1], (double[]){0.5, 1.5, 0.1, 0.5, 1.5, 0, 0, 0, -1, -0.1}, 1e-12);
  assert_true(method_find(&m, &second.model, &line.model));
  assert_int_equal(m.found.n, 2);
  assert_int_equal(m.found.data[0].id, 0);
  assert_detection(&m.found.data[1], (double[]){0.5, 1.5, 0, 0.5, 1.5, 0.1, 0, 0, 1, -0.1}, 1e-12);
  second.owned[0] = SOFA_OWNS_EDGE(0);
  assert_int_equal(method_find_one(&m, &first, &second)->id, 7);
  assert_detection(method_find_one(&m, &second, &line),
                   (double[]){0.5, 1.5, 0, 0.5, 1.5, 0.1, 0, 0, 1, -0.1}, 1e-12);
  method_close(&m);
}

/* The index in the model with strictly more elements, else in the second; points and spheres on
 * triangles and lines: theirs. */
static void ids(void **state) {
  static Elements many, few;
  Method m;
  (void)state;
  method_open(&m, MIN("1", "0.5"), NULL);
  elements_make(&many, &m, P, 3);
  elements_make(&few, &m, P, 2);
  for (uint32_t i = 0; i < 3; i++) elements_set(&many, i, (double[]){10 + 10 * i, 0, 0});
  elements_set(&few, 1, (double[]){30, 0.5, 0});
  assert_int_equal(method_find_one(&m, &many, &few)->id, 2);
  assert_int_equal(method_find_one(&m, &few, &many)->id, 2);
  many.model.n = 2;
  elements_set(&few, 1, (double[]){10, 0.5, 0});
  assert_int_equal(method_find_one(&m, &many, &few)->id, 1);
  assert_int_equal(method_find_one(&m, &few, &many)->id, 0);
  method_close(&m);
}

static void self_contact_of_spheres(void **state) {
  static Elements s;
  Method m;
  (void)state;
  method_open(&m, "DiscreteIntersection", NULL);
  elements_make(&s, &m, S, 3);
  for (uint32_t i = 0; i < 3; i++) s.radius[i] = 0.3;
  elements_set(&s, 1, (double[]){0.5, 0, 0});
  elements_set(&s, 2, (double[]){2, 0, 0});
  const SofaDetection *d = method_find_one(&m, &s, &s);
  assert_int_equal(d->id, 1);
  assert_detection(d, (double[]){0, 0, 0, 0.5, 0, 0, 1, 0, 0, -0.1}, 1e-12);
  method_close(&m);
}

/* Detections stand in the order of the pairs behind those that are there, and the list keeps its
 * memory. */
static void detections_are_appended(void **state) {
  static Elements a, b;
  SofaElementPair pairs[4];
  bool swapped;
  Method m;
  (void)state;
  method_open(&m, MIN("9", "0.5"), NULL);
  elements_make(&a, &m, P, 2);
  elements_make(&b, &m, P, 2);
  elements_set(&b, 1, (double[]){1, 0, 0});
  for (uint32_t i = 0; i < 4; i++) pairs[i] = (SofaElementPair){1 - i / 2, i % 2};
  const SofaIntersectionRule *rule = sofa_intersection_rule(m.object, P, P, &swapped);
  for (int pass = 0; pass < 2; pass++) {
    assert_int_equal(rule->find(m.object, &a.model, &b.model, pairs, 4, &m.found), SOFA_OK);
    for (size_t i = 0; i < 4; i++)
      for (int s = 0; s < 2; s++)
        assert_int_equal(m.found.data[4 * (size_t)pass + i].element[s],
                         s ? pairs[i].second : pairs[i].first);
  }
  const SofaDetection *memory = m.found.data;
  m.found.n = 0;
  assert_int_equal(rule->find(m.object, &a.model, &b.model, pairs, 4, &m.found), SOFA_OK);
  assert_ptr_equal(memory, m.found.data);
  method_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_and_triangles),
      cmocka_unit_test(points_and_lines),
      cmocka_unit_test(triangles_own_corners_and_edges),
      cmocka_unit_test(triangle_and_triangle),
      cmocka_unit_test(edges_of_triangles),
      cmocka_unit_test(ids),
      cmocka_unit_test(self_contact_of_spheres),
      cmocka_unit_test(detections_are_appended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
