/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every rule on random elements: against closest points found by a slow search that shares nothing
 * with the methods, after an exchange of the elements, after a rigid motion, and on elements
 * without length or area. */
#include "tests/unit/collision/intersection_test.h"

#define P (&sofa_collision_point)
#define L (&sofa_collision_line)
#define T (&sofa_collision_triangle)
#define S (&sofa_collision_sphere)
#define R (&sofa_collision_rigid_sphere)

#define ALARM 0.7
#define CONTACT 0.3
#define DISTANCES " alarmDistance='0.7' contactDistance='0.3'"
#define MIN "MinProximityIntersection" DISTANCES
#define NEW "NewProximityIntersection" DISTANCES
#define LMD "LocalMinDistance filterIntersection='0'" DISTANCES

/* Where closest points count on the first and on the second element: everywhere, or off the border.
 */
typedef struct Rule {
  const char *tag;
  const SofaCollisionKind *first, *second;
  bool inside;
  double alarm, contact; /* of the method */
  bool skins;            /* those of the models count, too */
} Rule;

static const Rule rules[] = {
    {"DiscreteIntersection", S, S, false, 0, 0, false},
    {"DiscreteIntersection", R, R, false, 0, 0, false},
    {"DiscreteIntersection", S, R, false, 0, 0, false},
    {MIN, S, S, false, ALARM, CONTACT, true},
    {MIN, R, R, false, ALARM, CONTACT, true},
    {MIN, S, R, false, ALARM, CONTACT, true},
    {MIN, P, P, false, ALARM, CONTACT, true},
    {MIN, L, P, false, ALARM, CONTACT, true},
    {MIN, L, L, true, ALARM, CONTACT, true},
    {MIN, T, P, true, ALARM, CONTACT, true},
    {MIN, S, P, false, ALARM, CONTACT, true},
    {MIN, R, P, false, ALARM, CONTACT, true},
    {MIN, T, S, true, ALARM, CONTACT, true},
    {MIN, T, R, true, ALARM, CONTACT, true},
    {MIN, L, S, true, ALARM, CONTACT, true},
    {MIN, L, R, true, ALARM, CONTACT, true},
    {NEW, S, S, false, ALARM, CONTACT, true},
    {NEW, R, R, false, ALARM, CONTACT, true},
    {NEW, S, R, false, ALARM, CONTACT, true},
    {NEW, P, P, false, ALARM, CONTACT, true},
    {NEW, L, P, false, ALARM, CONTACT, true},
    {NEW, L, L, true, ALARM, CONTACT, true},
    {NEW, T, P, false, ALARM, CONTACT, true},
    {NEW, S, P, false, ALARM, CONTACT, true},
    {NEW, R, P, false, ALARM, CONTACT, true},
    {NEW, L, S, false, ALARM, CONTACT, true},
    {NEW, L, R, false, ALARM, CONTACT, true},
    {NEW, T, S, false, ALARM, CONTACT, true},
    {NEW, T, R, false, ALARM, CONTACT, true},
    {LMD, S, S, false, ALARM, CONTACT, true},
    {LMD, R, R, false, ALARM, CONTACT, false},
    {LMD, S, R, false, ALARM, CONTACT, false},
    {LMD, S, P, false, ALARM, CONTACT, true},
    {LMD, P, P, false, ALARM, CONTACT, true},
    {LMD, L, L, true, ALARM, CONTACT, true},
    {LMD, L, P, true, ALARM, CONTACT, true},
    {LMD, L, S, true, ALARM, CONTACT, true},
    {LMD, T, P, true, ALARM, CONTACT, true},
    {LMD, T, S, true, ALARM, CONTACT, true},
};

/* ---- closest points by search ---- */

/* The distance of two elements is a convex function of two parameters in [0, 1]: both of a
 * triangle (the second as a share of what the first leaves), or one of each line. */
typedef struct Search {
  const double *a[3], *b[2];
  unsigned corners[2];
  double p[3], q[3];
} Search;

static void place(const double *const *x, unsigned corners, double s, double t, double *p) {
  for (int k = 0; k < 3; k++) {
    p[k] = x[0][k];
    if (corners > 1) p[k] += s * (x[1][k] - x[0][k]);
    if (corners > 2) p[k] += t * (x[2][k] - x[0][k]);
  }
}
static double distance2(Search *f, double s, double t) {
  place(f->a, f->corners[0], s, t, f->p);
  place(f->b, f->corners[1], t, 0, f->q);
  const double d = sofa_vec3_distance(f->p, f->q);
  return d * d;
}

enum { SHRINKS = 74 };
#define GOLDEN 0.61803398874989484

/* Minimum over t by golden section; *t gets its place. */
static double search_t(Search *f, double s, double *t) {
  double low = 0, high = f->corners[0] > 2 ? 1 - s : 1;
  for (int i = 0; i < SHRINKS; i++) {
    const double left = high - GOLDEN * (high - low), right = low + GOLDEN * (high - low);
    if (distance2(f, s, left) < distance2(f, s, right)) high = right;
    else low = left;
  }
  *t = (low + high) / 2;
  return distance2(f, s, *t);
}
static double search(Search *f, double *s, double *t) {
  double low = 0, high = f->corners[0] > 1 ? 1 : 0;
  for (int i = 0; i < SHRINKS && high > 0; i++) {
    const double left = high - GOLDEN * (high - low), right = low + GOLDEN * (high - low);
    if (search_t(f, left, t) < search_t(f, right, t)) high = right;
    else low = left;
  }
  *s = (low + high) / 2;
  return sqrt(search_t(f, *s, t));
}

/* Share of the nearest border, 0 at it; of elements without one, 1. */
static double margin(const Search *f, double s, double t) {
  double m = 1;
  if (f->corners[0] > 1) m = fmin(s, 1 - s);
  if (f->corners[0] > 2) m = fmin(fmin(s, t), 1 - s - t);
  if (f->corners[1] > 1) m = fmin(m, fmin(t, 1 - t));
  return m;
}

/* ---- elements ---- */

typedef struct Pair {
  Method method;
  Elements first, second;
  double alarm, contact; /* with skins and radii */
} Pair;

static void randomise(Elements *e, uint64_t *seed, double size) {
  double x[12];
  for (int i = 0; i < 12; i++) x[i] = size * random_real(seed);
  elements_set(e, 0, x);
  for (int i = 3; i < 7 && e->state.position.width == 7; i++) e->x[i] = random_real(seed);
  elements_normals(e);
}

static void pair_open(Pair *p, const Rule *r) {
  method_open(&p->method, r->tag, NULL);
  elements_make(&p->first, &p->method, r->first, 1);
  elements_make(&p->second, &p->method, r->second, 1);
  p->first.radius[0] = 0.25;
  p->second.radius[0] = 0.125;
  p->first.model.contact_distance = 0.03;
  p->second.model.contact_distance = 0.02;
  const double more = (p->first.model.radius ? 0.25 : 0) + (p->second.model.radius ? 0.125 : 0) +
                      (r->skins ? 0.05 : 0);
  p->alarm = r->alarm + more;
  p->contact = r->contact + more;
}

static double slow_distance(Pair *p, Search *f, double *m) {
  double s, t;
  f->corners[0] = p->first.model.kind->corners;
  f->corners[1] = p->second.model.kind->corners;
  for (unsigned k = 0; k < f->corners[0]; k++) f->a[k] = elements_corner(&p->first, 0, k);
  for (unsigned k = 0; k < f->corners[1]; k++) f->b[k] = elements_corner(&p->second, 0, k);
  const double d = search(f, &s, &t);
  *m = margin(f, s, t);
  return d;
}

/* ---- against the search ---- */

static void check_found(const Pair *p, const Search *f, double distance) {
  const SofaDetection *d = &p->method.found.data[0];
  double along[3];
  assert_near(d->point[0], f->p, 1e-6);
  assert_near(d->point[1], f->q, 1e-6);
  assert_true(fabs(d->value - (distance - p->contact)) < 1e-10);
  for (int k = 0; k < 3; k++) along[k] = d->point[0][k] + distance * d->normal[k];
  assert_near(along, d->point[1], 1e-10);
  assert_true(fabs(sofa_vec3_norm(d->normal) - 1) < 1e-12);
  assert_int_equal(d->id, 0);
}

static void same_as_search(void **state) {
  static Pair p;
  uint64_t seed = 88172645463325252;
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rules); i++) {
    const Rule *r = &rules[i];
    int n_found = 0, n_none = 0;
    pair_open(&p, r);
    for (int k = 0; k < 200; k++) {
      Search f;
      double m;
      randomise(&p.first, &seed, 1);
      randomise(&p.second, &seed, 1);
      const double distance = slow_distance(&p, &f, &m);
      if (fabs(distance - p.alarm) < 1e-6 || (r->inside && m > 1e-8 && m < 1e-4)) continue;
      const bool expected = distance < p.alarm && (!r->inside || m >= 1e-4);
      assert_true(method_find(&p.method, &p.first.model, &p.second.model));
      if (p.method.found.n != expected)
        fail_msg("%s, %s with %s: %zu detections at distance %g, %g from the border", r->tag,
                 r->first->name, r->second->name, p.method.found.n, distance, m);
      if (expected) check_found(&p, &f, distance);
      n_found += expected;
      n_none += !expected;
    }
    assert_true(n_found > 3 && n_none > 3);
    method_close(&p.method);
  }
}

/* ---- exchange ---- */

static void turned_around(const SofaDetection *d, SofaDetection *out) {
  *out = *d;
  for (int s = 0; s < 2; s++) sofa_vec3_copy(d->point[1 - s], out->point[s]);
  sofa_vec3_scale(-1, d->normal, out->normal);
}
static void assert_same(const SofaDetection *a, const SofaDetection *b, double tolerance) {
  for (int s = 0; s < 2; s++) assert_near(a->point[s], b->point[s], tolerance);
  assert_near(a->normal, b->normal, 10 * tolerance);
  assert_true(fabs(a->value - b->value) < tolerance);
}

static void equal_kinds_may_be_exchanged(void **state) {
  static Pair p;
  uint64_t seed = 362436069;
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rules); i++) {
    if (rules[i].first != rules[i].second) continue;
    pair_open(&p, &rules[i]);
    for (int k = 0; k < 150; k++) {
      SofaDetection expected;
      randomise(&p.first, &seed, 0.7);
      randomise(&p.second, &seed, 0.7);
      assert_true(method_find(&p.method, &p.first.model, &p.second.model));
      const size_t n = p.method.found.n;
      if (n) turned_around(&p.method.found.data[0], &expected);
      assert_true(method_find(&p.method, &p.second.model, &p.first.model));
      assert_int_equal(p.method.found.n, n);
      if (n) assert_same(&p.method.found.data[0], &expected, 1e-9);
    }
    method_close(&p.method);
  }
}

/* ---- rigid motion ---- */

static const double turn[9] = {2 / 3.,  -1 / 3., 2 / 3., 2 / 3., 2 / 3.,
                               -1 / 3., -1 / 3., 2 / 3., 2 / 3.};
static const double shift[3] = {0.5, -2, 3};

static void move_point(double *x) {
  sofa_mat3_apply(turn, x, x);
  sofa_vec3_add(x, shift, x);
}
static void move_elements(Elements *e) {
  for (unsigned k = 0; k < e->model.kind->corners; k++) move_point(elements_corner(e, 0, k));
  elements_normals(e);
}

static void moved_elements_have_moved_detections(void **state) {
  static Pair p;
  uint64_t seed = 521288629;
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rules); i++) {
    pair_open(&p, &rules[i]);
    for (int k = 0; k < 200; k++) {
      SofaDetection expected;
      randomise(&p.first, &seed, 0.7);
      randomise(&p.second, &seed, 0.7);
      assert_true(method_find(&p.method, &p.first.model, &p.second.model));
      const size_t n = p.method.found.n;
      if (n) {
        expected = p.method.found.data[0];
        for (int s = 0; s < 2; s++) move_point(expected.point[s]);
        sofa_mat3_apply(turn, expected.normal, expected.normal);
      }
      move_elements(&p.first);
      move_elements(&p.second);
      assert_true(method_find(&p.method, &p.first.model, &p.second.model));
      assert_int_equal(p.method.found.n, n);
      if (n) assert_same(&p.method.found.data[0], &expected, 1e-9);
    }
    method_close(&p.method);
  }
}

/* ---- elements without length or area ---- */

/* Corners of a grid of 2 x 2 x 2: they often coincide, edges are often parallel. */
static void coarse(Elements *e, uint64_t *seed) {
  double x[12];
  for (int i = 0; i < 12; i++) x[i] = random_real(seed) < 0 ? 0 : 0.5;
  elements_set(e, 0, x);
  elements_normals(e);
}

static bool is_finite(const SofaDetection *d) {
  double sum = d->value;
  for (int k = 0; k < 3; k++) sum += d->point[0][k] + d->point[1][k] + d->normal[k];
  return isfinite(sum);
}

static void degenerate_elements_give_numbers(void **state) {
  static Pair p;
  uint64_t seed = 1234567;
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rules); i++) {
    const Rule *r = &rules[i];
    pair_open(&p, r);
    for (int k = 0; k < 150; k++) {
      Search f;
      double m;
      coarse(&p.first, &seed);
      coarse(&p.second, &seed);
      const double distance = slow_distance(&p, &f, &m);
      assert_true(method_find(&p.method, &p.first.model, &p.second.model));
      for (size_t j = 0; j < p.method.found.n; j++) {
        const SofaDetection *d = &p.method.found.data[j];
        assert_true(is_finite(d));
        assert_true(fabs(sofa_vec3_norm(d->normal) - 1) < 1e-12);
        assert_true(fabs(d->value - (distance - p.contact)) < 1e-9);
      }
      if (!r->inside && fabs(distance - p.alarm) > 1e-9)
        assert_int_equal(p.method.found.n, distance < p.alarm);
    }
    method_close(&p.method);
  }
}

/* Needles: the closest points are as accurate as those of other triangles. */
static void needles_are_accurate(void **state) {
  static Pair p;
  uint64_t seed = 7654321;
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(rules); i++) {
    const Rule *r = &rules[i];
    if (r->first != T && r->second != L) continue;
    pair_open(&p, r);
    for (int k = 0; k < 200; k++) {
      const double thin = pow(10, -3 - 4 * fabs(random_real(&seed)));
      Search f;
      double m, *c = elements_corner(&p.first, 0, 2);
      randomise(&p.first, &seed, 1);
      randomise(&p.second, &seed, 1);
      if (r->first == T) {
        for (int d = 0; d < 3; d++)
          c[d] = elements_corner(&p.first, 0, 1)[d] + thin * random_real(&seed);
      } else {
        for (unsigned e = 0; e < 2; e++)
          for (int d = 0; d < 3; d++)
            elements_corner(&p.second, 0, e)[d] =
                elements_corner(&p.first, 0, e)[d] + 0.3 * (d == 1) + thin * random_real(&seed);
      }
      const double distance = slow_distance(&p, &f, &m);
      assert_true(method_find(&p.method, &p.first.model, &p.second.model));
      if (p.method.found.n)
        assert_true(fabs(p.method.found.data[0].value - (distance - p.contact)) < 1e-9);
      else assert_true(r->inside || distance >= p.alarm - 1e-9);
    }
    method_close(&p.method);
  }
}

/* ---- several detections of a pair ---- */

/* NewProximityIntersection: the corners of each triangle with the other, and, as asked for, edges
 * with edges. */
static void triangles_by_their_parts(void **state) {
  static Elements a, b, part, other;
  uint64_t seed = 99991;
  Method m;
  size_t n_all = 0;
  (void)state;
  method_open(&m, NEW " useLineLine='1'", NULL);
  elements_make(&a, &m, T, 1);
  elements_make(&b, &m, T, 1);
  for (int k = 0; k < 500; k++) {
    SofaDetection all[15];
    randomise(&a, &seed, 0.8);
    randomise(&b, &seed, 0.8);
    a.owned[0] = (uint8_t)(32 * (random_real(&seed) + 1));
    b.owned[0] = (uint8_t)(32 * (random_real(&seed) + 1));
    assert_true(method_find(&m, &a.model, &b.model));
    const size_t n = m.found.n;
    assert_true(n <= 15);
    if (n) memcpy(all, m.found.data, n * sizeof *all);
    size_t at = 0;
    for (int side = 0; side < 2; side++) /* corners of a with b, then of b with a */
      for (unsigned c = 0; c < 3; c++) {
        Elements *with = side ? &a : &b, *of = side ? &b : &a;
        if (!(of->owned[0] & SOFA_OWNS_CORNER(c))) continue;
        elements_make(&part, &m, P, 1);
        elements_set(&part, 0, elements_corner(of, 0, c));
        assert_true(method_find(&m, &with->model, &part.model));
        for (size_t j = 0; j < m.found.n; j++, at++) {
          SofaDetection d = m.found.data[j];
          if (side == 0) turned_around(&m.found.data[j], &d);
          assert_true(at < n);
          assert_same(&all[at], &d, 1e-15);
          assert_int_equal(all[at].id, 3 * side + (int)c);
        }
      }
    for (unsigned e = 0; e < 9; e++) { /* edges 01, 12, 20 */
      const unsigned i = e / 3, j = e % 3;
      if (!(a.owned[0] & SOFA_OWNS_EDGE((i + 2) % 3) && b.owned[0] & SOFA_OWNS_EDGE((j + 2) % 3)))
        continue;
      elements_make(&part, &m, L, 1);
      elements_make(&other, &m, L, 1);
      for (unsigned c = 0; c < 2; c++) {
        sofa_vec3_copy(elements_corner(&a, 0, (i + c) % 3), elements_corner(&part, 0, c));
        sofa_vec3_copy(elements_corner(&b, 0, (j + c) % 3), elements_corner(&other, 0, c));
      }
      assert_true(method_find(&m, &part.model, &other.model));
      if (m.found.n == 0) continue;
      assert_true(at < n);
      assert_same(&all[at], &m.found.data[0], 1e-15);
      assert_int_equal(all[at++].id, 6 + (int)e);
    }
    assert_int_equal(at, n);
    n_all += n;
  }
  assert_true(n_all > 500);
  method_close(&m);
}

/* Corners of the triangle with the line, ends of the line with the triangle, edges with the line.
 */
static void triangles_and_lines_by_their_parts(void **state) {
  static Elements t, l, part;
  uint64_t seed = 4711;
  Method m;
  size_t n_all = 0;
  (void)state;
  method_open(&m, NEW " useLineLine='1'", NULL);
  elements_make(&t, &m, T, 1);
  elements_make(&l, &m, L, 1);
  for (int k = 0; k < 500; k++) {
    SofaDetection all[8];
    size_t at = 0;
    randomise(&t, &seed, 0.8);
    randomise(&l, &seed, 0.8);
    t.owned[0] = (uint8_t)(32 * (random_real(&seed) + 1));
    assert_true(method_find(&m, &t.model, &l.model));
    const size_t n = m.found.n;
    assert_true(n <= 8);
    if (n) memcpy(all, m.found.data, n * sizeof *all);
    for (unsigned c = 0; c < 8; c++) {
      SofaDetection expected;
      const bool is_corner = c < 3, is_end = c == 3 || c == 4;
      if (is_corner && !(t.owned[0] & SOFA_OWNS_CORNER(c))) continue;
      if (!is_corner && !is_end && !(t.owned[0] & SOFA_OWNS_EDGE((c - 5 + 2) % 3))) continue;
      elements_make(&part, &m, is_corner || is_end ? P : L, 1);
      if (is_corner) elements_set(&part, 0, elements_corner(&t, 0, c));
      else if (is_end) elements_set(&part, 0, elements_corner(&l, 0, c - 3));
      for (unsigned j = 0; !is_corner && !is_end && j < 2; j++)
        sofa_vec3_copy(elements_corner(&t, 0, (c - 5 + j) % 3), elements_corner(&part, 0, j));
      if (is_corner) assert_true(method_find(&m, &l.model, &part.model));
      else if (is_end) assert_true(method_find(&m, &t.model, &part.model));
      else assert_true(method_find(&m, &part.model, &l.model));
      if (m.found.n == 0) continue;
      if (is_corner) turned_around(&m.found.data[0], &expected);
      else expected = m.found.data[0];
      assert_true(at < n);
      assert_same(&all[at++], &expected, 1e-15);
    }
    assert_int_equal(at, n);
    n_all += n;
  }
  assert_true(n_all > 500);
  method_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_as_search),
      cmocka_unit_test(equal_kinds_may_be_exchanged),
      cmocka_unit_test(moved_elements_have_moved_detections),
      cmocka_unit_test(degenerate_elements_give_numbers),
      cmocka_unit_test(needles_are_accurate),
      cmocka_unit_test(triangles_by_their_parts),
      cmocka_unit_test(triangles_and_lines_by_their_parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
