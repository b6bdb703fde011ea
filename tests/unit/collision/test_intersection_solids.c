/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Rays, tetrahedra, and lines through triangles on random elements, against slow searches and exact
 * signs; and the elements and ids of detections in models of several elements. */
#include "numerics/contact/closest.h"
#include "numerics/contact/exact.h"
#include "tests/unit/collision/intersection_test.h"

#define P (&sofa_collision_point)
#define L (&sofa_collision_line)
#define T (&sofa_collision_triangle)
#define S (&sofa_collision_sphere)
#define R (&sofa_collision_rigid_sphere)
#define TETRA (&sofa_collision_tetra)
#define RAY (&sofa_collision_ray)

#define DISCRETE "DiscreteIntersection"
#define MIN "MinProximityIntersection alarmDistance='0.7' contactDistance='0.3'"
#define NEW "NewProximityIntersection alarmDistance='0.7' contactDistance='0.3'"
#define LMD "LocalMinDistance alarmDistance='0.7' contactDistance='0.3' filterIntersection='0'"

static void random_point(uint64_t *seed, double *p) {
  for (int k = 0; k < 3; k++) p[k] = random_real(seed);
}
static void random_direction(uint64_t *seed, double *d) {
  random_point(seed, d);
  sofa_vec3_normalize(d);
}
static void randomise(Elements *e, uint64_t *seed) {
  for (unsigned k = 0; k < e->model.kind->corners; k++)
    random_point(seed, elements_corner(e, 0, k));
  elements_normals(e);
}
static const SofaDetection *find(Method *m, Elements *a, Elements *b) {
  assert_true(method_find(m, &a->model, &b->model));
  assert_in_range(m->found.n, 0, 1);
  return m->found.n ? m->found.data : NULL;
}

/* ---- lines and rays through triangles ---- */

static bool meets(Elements *triangle, const double *p, const double *q) {
  const double *t[3];
  for (unsigned k = 0; k < 3; k++) t[k] = elements_corner(triangle, 0, k);
  return sofa_segment_meets_triangle(p, q, t);
}
/* On the line and in the plane of the triangle. */
static void assert_common(Elements *triangle, const double *p, const double *q, const double *x) {
  SofaClosest c;
  const double *t[3];
  for (unsigned k = 0; k < 3; k++) t[k] = elements_corner(triangle, 0, k);
  sofa_closest_point_segment(x, p, q, &c);
  assert_true(c.d2 < 1e-18);
  sofa_closest_point_triangle(x, t, &c);
  assert_true(c.d2 < 1e-18);
}

static void through_triangles(void **state) {
  static const char *const tags[] = {DISCRETE, MIN, LMD, NEW};
  static Elements t, l, ray;
  uint64_t seed = 17;
  (void)state;
  for (size_t i = 0; i < 2; i++) {
    int n_found = 0;
    Method m;
    method_open(&m, tags[i], NULL);
    elements_make(&t, &m, T, 1);
    elements_make(&l, &m, L, 1);
    elements_make(&ray, &m, RAY, 1);
    for (int k = 0; k < 1000; k++) {
      double d[3], end[3];
      randomise(&t, &seed);
      randomise(&l, &seed);
      randomise(&ray, &seed);
      random_direction(&seed, d);
      elements_ray(&ray, 0, d, 1.5);
      for (int c = 0; c < 3; c++) end[c] = ray.x[c] + 1.5 * d[c];
      const SofaDetection *found = find(&m, &ray, &t);
      assert_int_equal(found != NULL, meets(&t, ray.x, end));
      n_found += found != NULL;
      if (found) {
        assert_common(&t, ray.x, end, found->point[0]);
        assert_near(found->point[1], found->point[0], 0);
        for (int c = 0; c < 3; c++) assert_true(found->normal[c] == -t.normal[c]);
        assert_true(found->value == 0);
      }
      if (i > 0) continue;
      found = find(&m, &t, &l);
      assert_int_equal(found != NULL, meets(&t, l.x, l.x + 3));
      if (!found) continue;
      assert_common(&t, l.x, l.x + 3, found->point[0]);
      assert_near(found->point[1], found->point[0], 0);
      assert_near(found->normal, t.normal, 0);
      assert_true(found->value == 0);
    }
    assert_true(n_found > 30);
    method_close(&m);
  }
}

/* ---- rays near triangles ---- */

/* The distance of a point of the ray from the triangle is convex along the ray. */
static double ray_distance(const Elements *ray, const double *const t[3], double *p, double *q) {
  double low = 0, high = ray->radius[0];
  SofaClosest c;
  for (int i = 0; i < 200; i++) {
    const double s[2] = {low + (high - low) / 3, high - (high - low) / 3};
    double d2[2];
    for (int k = 0; k < 2; k++) {
      for (int j = 0; j < 3; j++) p[j] = ray->x[j] + s[k] * ray->normal[j];
      sofa_closest_point_triangle(p, t, &c);
      d2[k] = c.d2;
    }
    if (d2[0] < d2[1]) high = s[1];
    else low = s[0];
  }
  sofa_vec3_copy(c.q, q);
  return sqrt(c.d2);
}

static void rays_near_triangles(void **state) {
  static const char *const tags[] = {NEW, LMD};
  static Elements t, ray;
  uint64_t seed = 29;
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(tags); i++) {
    int n_found = 0, n_none = 0;
    Method m;
    method_open(&m, tags[i], NULL);
    elements_make(&t, &m, T, 1);
    elements_make(&ray, &m, RAY, 1);
    for (int k = 0; k < 400; k++) {
      const double *corners[3];
      double d[3], p[3], q[3];
      randomise(&t, &seed);
      randomise(&ray, &seed);
      random_direction(&seed, d);
      elements_ray(&ray, 0, d, 0.75);
      for (unsigned c = 0; c < 3; c++) corners[c] = elements_corner(&t, 0, c);
      const double distance = ray_distance(&ray, corners, p, q);
      const SofaDetection *found = find(&m, &ray, &t);
      if (fabs(distance - 0.7) < 1e-6) continue;
      assert_int_equal(found != NULL, distance < 0.7);
      n_found += found != NULL;
      n_none += found == NULL;
      if (!found) continue;
      assert_near(found->point[0], p, 1e-6);
      assert_near(found->point[1], q, 1e-6);
      assert_true(fabs(found->value - (distance - 0.7)) < 1e-7);
      for (int c = 0; c < 3; c++) assert_true(found->normal[c] == -t.normal[c]);
    }
    assert_true(n_found > 50 && n_none > 50);
    method_close(&m);
  }
}

/* ---- tetrahedra ---- */

static bool is_inside(Elements *tetra, const double *p) {
  const double *x[4];
  for (unsigned k = 0; k < 4; k++) x[k] = elements_corner(tetra, 0, k);
  const int sign = sofa_orient3d(x[0], x[1], x[2], x[3]);
  return sofa_orient3d(p, x[1], x[2], x[3]) == sign && sofa_orient3d(x[0], p, x[2], x[3]) == sign &&
         sofa_orient3d(x[0], x[1], p, x[3]) == sign && sofa_orient3d(x[0], x[1], x[2], p) == sign;
}

/* Between s0 and s1 along o + s d: where `inside` changes. */
static double border(Elements *tetra, const double *o, const double *d, double s0, double s1) {
  double p[3];
  for (int k = 0; k < 3; k++) p[k] = o[k] + s0 * d[k];
  const bool first = is_inside(tetra, p);
  for (int i = 0; i < 60; i++) {
    const double s = (s0 + s1) / 2;
    for (int k = 0; k < 3; k++) p[k] = o[k] + s * d[k];
    if (is_inside(tetra, p) == first) s0 = s;
    else s1 = s;
  }
  return s0;
}

static void points_leave_against_their_normal(void **state) {
  static Elements tetra, point;
  uint64_t seed = 5;
  int n_found = 0;
  Method m;
  (void)state;
  method_open(&m, NEW, NULL);
  elements_make(&tetra, &m, TETRA, 1);
  elements_make(&point, &m, P, 1);
  for (int i = 0; i < 3000; i++) {
    double out[3];
    randomise(&tetra, &seed);
    randomise(&point, &seed);
    random_direction(&seed, point.normal);
    const bool inside = is_inside(&tetra, point.x);
    const SofaDetection *d = find(&m, &tetra, &point);
    assert_int_equal(d != NULL, inside);
    if (!d) continue;
    n_found++;
    sofa_vec3_scale(-1, point.normal, out);
    const double length = border(&tetra, point.x, out, 0, 4);
    assert_true(fabs(d->value + length) < 1e-9);
    assert_near(d->normal, out, 0);
    assert_near(d->point[1], point.x, 0);
    for (int k = 0; k < 3; k++) out[k] = point.x[k] + length * out[k];
    assert_near(d->point[0], out, 1e-9);
  }
  assert_true(n_found > 30);
  method_close(&m);
}

static void rays_enter_tetrahedra(void **state) {
  enum { SAMPLES = 500 };
  static Elements tetra, ray;
  uint64_t seed = 7;
  int n_found = 0;
  Method m;
  (void)state;
  method_open(&m, DISCRETE, NULL);
  elements_make(&tetra, &m, TETRA, 1);
  elements_make(&ray, &m, RAY, 1);
  for (int i = 0; i < 500; i++) {
    double d[3], p[3];
    int first = -1;
    randomise(&tetra, &seed);
    randomise(&ray, &seed);
    random_direction(&seed, d);
    elements_ray(&ray, 0, d, 1.5);
    for (int s = 0; s <= SAMPLES && first < 0; s++) {
      for (int k = 0; k < 3; k++) p[k] = ray.x[k] + 1.5 * s / SAMPLES * d[k];
      if (is_inside(&tetra, p)) first = s;
    }
    const SofaDetection *found = find(&m, &ray, &tetra);
    if (first < 0) continue; /* it may pass a corner between two samples */
    assert_non_null(found);
    n_found++;
    const double step = 1.5 / SAMPLES,
                 s = first ? border(&tetra, ray.x, d, step * (first - 1), step * first) : 0;
    for (int k = 0; k < 3; k++) p[k] = ray.x[k] + s * d[k];
    assert_near(found->point[0], p, 1e-9);
    assert_near(found->point[1], p, 1e-9);
    assert_near(found->normal, d, 0);
    assert_true(found->value == 0);
  }
  assert_true(n_found > 30);
  method_close(&m);
}

/* ---- elements and ids in models of several elements ---- */

/* Shapes that are close to each other; tetrahedra and rays, too. */
static const double shapes[][12] = {
    {0, 0, 0, 4, 0, 0, 0, 4, 0},                     /* triangle */
    {0.9, 0.9, 0.1, 1.1, 1.3, -0.1},                 /* line */
    {1, 1.1, 0.05},                                  /* point */
    {1.01, 1.02, 0.2},                               /* sphere */
    {1.02, 1.01, 0.3},                               /* sphere on a frame */
    {0.5, 0.5, -1, 3, 0.5, -1, 0.5, 3, -1, 1, 1, 2}, /* tetrahedron */
    {1, 1, 1},                                       /* ray */
};
static const SofaCollisionKind *const kinds[] = {T, L, P, S, R, TETRA, RAY};
enum { N_KINDS = 7 };

/* n elements, of which `at` is the shape; the others are far away and apart, also from those of
 * another number. */
static void one_of_several(Elements *e, const Method *m, size_t kind, uint32_t n, uint32_t at) {
  const double away = 1000 * (1 + (double)n);
  elements_make(e, m, kinds[kind], n);
  for (uint32_t i = 0; i < n; i++) {
    double x[12];
    for (size_t k = 0; k < 12; k++) x[k] = shapes[kind][k] + (i == at ? 0 : away + 100 * i);
    elements_set(e, i, x);
    if (kind == 6) elements_ray(e, i, (double[]){0, 0, -1}, 3);
    else e->radius[i] = 0.5;
    if (kind == 2) sofa_vec3_set(e->normal + 3 * (size_t)i, 0, 0, 1);
  }
  elements_normals(e);
}

/* The id of a detection between element i of n and k of m, and the alone it has among one and one.
 */
static int64_t expected_id(size_t a, size_t b, const uint32_t at[2], const uint32_t n[2],
                           int64_t alone) {
  const bool spheres = (a == 3 || a == 4) && (b == 2 || b == 3 || b == 4);
  if (a == 0 && b == 0) return alone < 3 ? 3 * at[0] + alone : 3 * n[0] + 12 * at[1] + alone - 3;
  if (a == 6) return at[0];
  if (a == b || spheres) return n[0] > n[1] ? at[0] : at[1];
  return at[1];
}

static void check_kinds(Method *m, size_t a, size_t b, const uint32_t at[2], const uint32_t n[2]) {
  static Elements first, second;
  SofaDetection alone[15];
  one_of_several(&first, m, a, 1, 0);
  one_of_several(&second, m, b, 1, 0);
  if (!method_find(m, &first.model, &second.model)) return;
  const size_t n_alone = m->found.n;
  assert_in_range(n_alone, 1, 15);
  memcpy(alone, m->found.data, n_alone * sizeof *alone);
  one_of_several(&first, m, a, n[0], at[0]);
  one_of_several(&second, m, b, n[1], at[1]);
  assert_true(method_find(m, &first.model, &second.model));
  assert_int_equal(m->found.n, n_alone);
  for (size_t i = 0; i < n_alone; i++) {
    const SofaDetection *d = &m->found.data[i], *e = &alone[i];
    const bool hits = m->object->object.klass->name[0] == 'N' && a == 6 && b == 4;
    for (int s = 0; s < 2; s++) {
      assert_int_equal(d->element[s], at[s]);
      assert_near(d->point[s], e->point[s], 0);
    }
    assert_near(d->normal, e->normal, 0);
    assert_true(d->value == e->value);
    assert_int_equal(d->id, hits ? 0 : expected_id(a, b, at, n, e->id));
  }
}

static void elements_and_ids(void **state) {
  static const char *const tags[] = {
      DISCRETE, MIN, NEW " useLineLine='1'", LMD,
      "CCDTightInclusionIntersection alarmDistance='0.7' contactDistance='0.3'"};
  static const uint32_t sizes[][4] = {{2, 1, 4, 3}, {1, 2, 3, 4}, {2, 0, 3, 1}};
  (void)state;
  for (size_t i = 0; i < SOFA_COUNT(tags); i++) {
    Method m;
    method_open(&m, tags[i], NULL);
    for (size_t a = 0; a < N_KINDS; a++)
      for (size_t b = 0; b < N_KINDS; b++)
        for (size_t s = 0; s < SOFA_COUNT(sizes); s++)
          check_kinds(&m, a, b, sizes[s], sizes[s] + 2);
    method_close(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(through_triangles),
      cmocka_unit_test(rays_near_triangles),
      cmocka_unit_test(points_leave_against_their_normal),
      cmocka_unit_test(rays_enter_tetrahedra),
      cmocka_unit_test(elements_and_ids),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
