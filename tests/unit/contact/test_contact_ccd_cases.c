/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Continuous detection of chosen cases: meetings built exactly, degenerate elements, limits, parts
 * of the motion, translations, and steps that keep triangles apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ccd_queries.h"
#include "numerics/contact/exact.h"

/* A point moves onto a chosen place of a moving triangle, or two edges onto one point, at a chosen
 * time: corners and borders too, and degenerate elements. All numbers are exact. */
static Moving moving_meeting(Random *r, int n, int64_t time, int64_t parts) {
  Moving m = {.kind = n & 1 ? SOFA_CCD_EDGE_EDGE : SOFA_CCD_POINT_TRIANGLE};
  const int64_t e = n % 3 ? 1000 : 2;
  Integers d[4];
  for (int i = 0; i < 4; i++) {
    m.start[i] = integers_random(r, e); /* at the time of the collision, times 8 parts */
    d[i] = integers_random(r, e);
  }
  int64_t u = (random_integer(r, 8) + 8) / 2, v = (random_integer(r, 8) + 8) / 2;
  if (m.kind == SOFA_CCD_POINT_TRIANGLE && u + v > 8) v = 8 - u;
  for (int k = 0; k < 3; k++) {
    const int64_t x1 = m.start[1].v[k], x2 = m.start[2].v[k], x3 = m.start[3].v[k];
    int64_t on = (8 - u - v) * x1 + u * x2 + v * x3; /* the place of point 0, times 8 */
    if (m.kind == SOFA_CCD_EDGE_EDGE && u < 8) {     /* of (8 - u) x0 + u x1 = (8 - v) x2 + v x3 */
      u = v <= 4 ? 0 : 4;
      on = ((8 - v) * x2 + v * x3) * 8 / (8 - u) - u * x1 * 8 / (8 - u);
    } else if (m.kind == SOFA_CCD_EDGE_EDGE) {
      on = 8 * m.start[0].v[k];
      m.start[1].v[k] = x2; /* the ends x1 and x2 coincide */
    }
    m.start[0].v[k] = on * parts;
    for (int i = 1; i < 4; i++) m.start[i].v[k] *= 8 * parts;
    for (int i = 0; i < 4; i++) {
      const int64_t speed = 8 * parts * d[i].v[k], x = m.start[i].v[k];
      m.start[i].v[k] = x - speed / parts * time;
      m.end[i].v[k] = x + speed / parts * (parts - time);
    }
  }
  return m;
}

static void a_known_collision_is_found(void **state) {
  (void)state;
  Random r = {17};
  int inside = 0;
  for (int n = 0; n < 30000; n++) {
    const int64_t parts = INT64_C(1) << n % 12, time = llabs(random_integer(&r, parts));
    Moving m = moving_meeting(&r, n, time, parts);
    moving_reals(&m, 0x1p-30, 0);
    double size;
    const double t = (double)time / (double)parts;
    assert_true(distance_at(&m, t, &size) <= 1e-15 * size);
    for (int k = 0; k < 3; k++) {
      const SofaCcdOptions o = {0, k ? 1e-7 : 0, 1, k == 2 ? 3 : 200};
      const SofaCcdResult got = detect(&m, &o);
      assert_true(got.hit && got.time <= t);
      if (got.complete) check_distance(&m, &o, &got);
      inside += got.complete;
    }
  }
  assert_true(inside > 45000);
}

/* ---- chosen cases ---- */

typedef struct Chosen {
  const char *name;
  SofaCcdKind kind;
  int64_t x[2][4][3]; /* in eighths */
  double time;        /* 2: no collision */
  uint32_t boxes;     /* most */
} Chosen;

#define PT SOFA_CCD_POINT_TRIANGLE
#define EE SOFA_CCD_EDGE_EDGE
#define FLOOR                                                                                      \
  {-8, -8, 0}, {16, -8, 0}, {                                                                      \
    -8, 16, 0                                                                                      \
  }

static const Chosen chosen[] = {
    {"a point falls onto a triangle", PT, {{{0, 0, 8}, FLOOR}, {{0, 0, -8}, FLOOR}}, 0.5, 70},
    {"beside it", PT, {{{9, 9, 8}, FLOOR}, {{9, 9, -8}, FLOOR}}, 2, 70},
    {"onto its corner", PT, {{{16, -8, 8}, FLOOR}, {{16, -8, -24}, FLOOR}}, 0.25, 70},
    {"onto its border", PT, {{{4, 4, 8}, FLOOR}, {{4, 4, -8}, FLOOR}}, 0.5, 70},
    {"it touches at the end", PT, {{{0, 0, 8}, FLOOR}, {{1, 1, 0}, FLOOR}}, 1, 70},
    {"it rests on it", PT, {{{0, 0, 0}, FLOOR}, {{0, 0, 0}, FLOOR}}, 0, 70},
    {"it lifts off", PT, {{{0, 0, 0}, FLOOR}, {{0, 0, 8}, FLOOR}}, 0, 70},
    {"it stays above", PT, {{{0, 0, 1}, FLOOR}, {{0, 0, 1}, FLOOR}}, 2, 0},
    {"it slides above", PT, {{{-8, 0, 1}, FLOOR}, {{8, 8, 1}, FLOOR}}, 2, 0},
    {"it slides in the plane", PT, {{{-24, 0, 0}, FLOOR}, {{8, 0, 0}, FLOOR}}, 0.5, 70},
    {"it passes in the plane", PT, {{{-24, -9, 0}, FLOOR}, {{24, -9, 0}, FLOOR}}, 2, 70},
    {"onto a triangle without area",
     PT,
     {{{0, 0, 8}, {-8, 0, 0}, {8, 0, 0}, {0, 0, 0}},
      {{0, 0, -8}, {-8, 0, 0}, {8, 0, 0}, {0, 0, 0}}},
     0.5,
     70},
    {"onto a triangle that is a point",
     PT,
     {{{0, 0, 8}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {{0, 0, -8}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}},
     0.5,
     70},
    {"edges cross",
     EE,
     {{{-8, 0, 8}, {8, 0, 8}, {0, -8, 0}, {0, 8, 0}},
      {{-8, 0, -8}, {8, 0, -8}, {0, -8, 0}, {0, 8, 0}}},
     0.5,
     70},
    {"parallel edges meet",
     EE,
     {{{-8, 0, 8}, {8, 0, 8}, {-4, 0, 0}, {12, 0, 0}},
      {{-8, 0, -8}, {8, 0, -8}, {-4, 0, 0}, {12, 0, 0}}},
     0.5,
     70},
    {"tilted parallel edges meet",
     EE,
     {{{-8, 8, 8}, {8, 24, 24}, {-8, -8, -7}, {16, 16, 17}},
      {{-8, -8, -8}, {8, 8, 8}, {-8, -8, -7}, {16, 16, 17}}},
     2,
     70},
    {"parallel edges pass",
     EE,
     {{{-8, 0, 8}, {8, 0, 8}, {9, 0, 0}, {12, 0, 0}},
      {{-8, 0, -8}, {8, 0, -8}, {9, 0, 0}, {12, 0, 0}}},
     2,
     70},
    {"parallel edges slide above each other",
     EE,
     {{{-8, 0, 1}, {8, 0, 1}, {-8, 0, 0}, {8, 0, 0}},
      {{0, 0, 1}, {16, 0, 1}, {-8, 0, 0}, {8, 0, 0}}},
     2,
     0},
    {"edges on a line run into each other",
     EE,
     {{{-16, 0, 0}, {-8, 0, 0}, {8, 0, 0}, {16, 0, 0}},
      {{0, 0, 0}, {8, 0, 0}, {-8, 0, 0}, {0, 0, 0}}},
     0.5,
     70},
    {"edges in a plane",
     EE,
     {{{-8, 16, 0}, {8, 16, 0}, {0, -8, 0}, {0, 8, 0}},
      {{-8, 0, 0}, {8, 0, 0}, {0, -8, 0}, {0, 8, 0}}},
     0.5,
     70},
    {"edges graze with their ends",
     EE,
     {{{-8, 0, 8}, {0, 0, 8}, {0, 0, 0}, {0, 8, 0}},
      {{-8, 0, -8}, {0, 0, -8}, {0, 0, 0}, {0, 8, 0}}},
     0.5,
     70},
    {"an edge without length",
     EE,
     {{{0, 0, 8}, {0, 0, 8}, {0, -8, 0}, {0, 8, 0}},
      {{0, 0, -8}, {0, 0, -8}, {0, -8, 0}, {0, 8, 0}}},
     0.5,
     70},
    {"a sheared edge",
     EE,
     {{{-8, -32, 8}, {8, 32, 8}, {0, -8, 0}, {1, 8, 0}},
      {{-8, 32, -8}, {8, -32, -8}, {0, -8, 0}, {1, 8, 0}}},
     0.5,
     70},
    {"an edge turns over",
     EE,
     {{{-8, 0, 8}, {8, 0, 8}, {0, -8, 0}, {0, 8, 0}},
      {{8, 0, -8}, {-8, 0, -8}, {0, -8, 0}, {0, 8, 0}}},
     0.5,
     70},
};

static void chosen_cases(void **state) {
  (void)state;
  for (size_t i = 0; i < sizeof chosen / sizeof *chosen; i++) {
    const Chosen *c = &chosen[i];
    Moving m = {.kind = c->kind};
    for (int p = 0; p < 24; p++)
      m.x[p / 12][p / 3 % 4][p % 3] = 0.125 * (double)c->x[p / 12][p / 3 % 4][p % 3];
    const SofaCcdOptions o = {0, 1e-6, 1, 100000};
    const SofaCcdResult got = detect(&m, &o);
    const bool good = got.hit == (c->time <= 1) && got.complete && got.boxes <= c->boxes &&
                      (!got.hit || (got.time <= c->time && got.time > c->time - 1e-12));
    if (!good)
      print_message("%s: %d %.17g after %u boxes\n", c->name, got.hit, got.time, got.boxes);
    assert_true(good);
  }
}

/* ---- limits ---- */

/* With any number of boxes the time is a lower bound, and more boxes bring it closer. */
static void limits_are_conservative(void **state) {
  (void)state;
  Moving m = {.kind = SOFA_CCD_EDGE_EDGE, /* one edge shrinks to an end of the other */
              .start = {{{-1, 0, 1}}, {{0, 0, 0}}, {{-1, 1, 1}}, {{0, 1, 0}}},
              .end = {{{1, 1, -1}}, {{1, 1, -1}}, {{-1, 0, 1}}, {{1, 1, -1}}}};
  moving_reals(&m, 1, 0);
  double before = 0;
  bool full = false;
  for (uint32_t boxes = 0; boxes < 10000; boxes = 2 * boxes + 1) {
    const SofaCcdOptions o = {0, 1e-6, 1, boxes};
    const SofaCcdResult got = detect(&m, &o);
    assert_true(got.hit && !got.complete && got.boxes <= boxes);
    assert_true(got.time >= before && got.time <= 1);
    before = got.time;
    full = full || got.boxes < boxes;
  }
  assert_true(full && before > 0.999); /* the queue was full */
}

/* Times at `until` or later are not asked for, and do not change earlier ones. */
static void until_a_time(void **state) {
  (void)state;
  Random r = {61};
  int hits = 0;
  for (int n = 0; n < 20000; n++) {
    Moving m = moving_random(&r, n);
    moving_reals(&m, 1, 0);
    const SofaCcdResult all = detect(&m, &usual);
    SofaCcdOptions o = usual;
    o.until = 0.5;
    const SofaCcdResult some = detect(&m, &o);
    assert_int_equal(some.hit, all.hit && all.time < 0.5);
    assert_true(some.time == (some.hit ? all.time : 0.5));
    hits += some.hit;
  }
  assert_true(hits > 1000);
}

/* A translation that is exact does not change a bit, nor does a change of the unit. */
static void translation_and_unit(void **state) {
  (void)state;
  Random r = {62};
  for (int n = 0; n < 20000; n++) {
    Moving m = moving_random(&r, n);
    SofaCcdOptions o = usual;
    moving_reals(&m, 1, 0);
    const SofaCcdResult here = detect(&m, &o);
    moving_reals(&m, 1, 123456789);
    const SofaCcdResult there = detect(&m, &o);
    o.tolerance *= 0x1p-20;
    moving_reals(&m, 0x1p-20, 0);
    const SofaCcdResult small = detect(&m, &o);
    assert_true(there.hit == here.hit && there.time == here.time && there.boxes == here.boxes);
    assert_true(small.hit == here.hit && small.time == here.time && small.boxes == here.boxes);
  }
}

/* ---- steps ---- */

enum { TRIANGLES = 60, PAIRS = TRIANGLES * (TRIANGLES - 1) / 2 * 15 };

typedef struct Soup {
  double start[9 * TRIANGLES], end[9 * TRIANGLES], at[9 * TRIANGLES];
  SofaCcdPair pairs[PAIRS];
  size_t count;
} Soup;

static void pair_add(Soup *s, SofaCcdKind kind, const uint32_t p[4]) {
  SofaCcdPair *pair = &s->pairs[s->count++];
  pair->kind = kind;
  memcpy(pair->point, p, sizeof pair->point);
}
static void pairs_of(Soup *s, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < 3; i++) {
    const uint32_t pa = 3 * a + i, pb = 3 * b + i, qa = 3 * a + (i + 1) % 3;
    pair_add(s, SOFA_CCD_POINT_TRIANGLE, (uint32_t[4]){pa, 3 * b, 3 * b + 1, 3 * b + 2});
    pair_add(s, SOFA_CCD_POINT_TRIANGLE, (uint32_t[4]){pb, 3 * a, 3 * a + 1, 3 * a + 2});
    for (uint32_t j = 0; j < 3; j++)
      pair_add(s, SOFA_CCD_EDGE_EDGE, (uint32_t[4]){pa, qa, 3 * b + j, 3 * b + (j + 1) % 3});
  }
}
static bool soup_meets(const double *x) {
  for (int a = 0; a < TRIANGLES; a++) {
    for (int b = 0; b < a; b++) {
      const double *const ta[3] = {x + 9 * a, x + 9 * a + 3, x + 9 * a + 6};
      const double *const tb[3] = {x + 9 * b, x + 9 * b + 3, x + 9 * b + 6};
      if (sofa_triangles_meet(ta, tb, 0)) return true;
    }
  }
  return false;
}
/* Small triangles on a grid, which do not meet, and a random motion that makes them meet. */
static void soup_make(Soup *s, Random *r) {
  s->count = 0;
  for (uint32_t a = 0; a < TRIANGLES; a++) {
    const double centre[3] = {a % 4, a / 4 % 4, a / 16};
    for (uint32_t k = 0; k < 9; k++) {
      s->start[9 * a + k] = centre[k % 3] + 0.45 * random_real(r);
      s->end[9 * a + k] = s->start[9 * a + k] + 2 * random_real(r);
    }
    for (uint32_t b = 0; b < a; b++) pairs_of(s, a, b);
  }
}

static double least_distance(const Soup *s, const double *x) {
  double least = INFINITY;
  for (size_t i = 0; i < s->count; i++) {
    const uint32_t *p = s->pairs[i].point;
    const double *const y[4] = {x + 3 * p[0], x + 3 * p[1], x + 3 * p[2], x + 3 * p[3]};
    SofaClosest c;
    if (s->pairs[i].kind == SOFA_CCD_EDGE_EDGE) sofa_closest_segments(y, y + 2, &c);
    else sofa_closest_point_triangle(y[0], y + 1, &c);
    least = fmin(least, sqrt(c.d2));
  }
  return least;
}

static void steps_keep_triangles_apart(void **state) {
  (void)state;
  static Soup s;
  static SofaCcdWork work;
  Random r = {8};
  for (int n = 0; n < 20; n++) {
    soup_make(&s, &r);
    assert_false(soup_meets(s.start));
    const SofaCcdMotion motion = {s.start, s.end};
    const SofaCcdStepRule rule = {n % 2 ? 1e-4 : 0, n % 4 < 2 ? 0.1 : 0, 1e-6, 2000};
    double step = 0;
    for (int k = 0; k < 3; k++) {
      if (rule.separation > 0 && least_distance(&s, s.start) <= rule.separation) break;
      step = sofa_ccd_step(&motion, s.pairs, s.count, &rule, &work);
      assert_true(step > 0 && step < 1);
      const size_t half = s.count / 3;
      const double one = sofa_ccd_step(&motion, s.pairs, half, &rule, &work);
      const double two = sofa_ccd_step(&motion, s.pairs + half, s.count - half, &rule, &work);
      assert_true(fmin(one, two) == step);
      /* nothing has met up to 0.999 of the step; with a share to keep, up to the whole */
      const double part = rule.keep > 0 ? step : 0.999 * step;
      for (int i = 0; i < 9 * TRIANGLES; i++) s.at[i] = (1 - part) * s.start[i] + part * s.end[i];
      assert_false(soup_meets(s.at));
      assert_true(least_distance(&s, s.at) >= rule.separation);
      memcpy(s.start, s.at, sizeof s.at);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_known_collision_is_found), cmocka_unit_test(chosen_cases),
      cmocka_unit_test(limits_are_conservative),    cmocka_unit_test(until_a_time),
      cmocka_unit_test(translation_and_unit),       cmocka_unit_test(steps_keep_triangles_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
