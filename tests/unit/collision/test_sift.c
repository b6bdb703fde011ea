/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quick tests of intersection methods: the detections of the pairs that they leave are those of all
 * pairs, to the bit, for random and degenerate elements, with and without quirks. */
#include "intersection_test.h"

enum { N = 40, ROUNDS = 60 };

typedef struct Kinds {
  const SofaCollisionKind *first, *second;
} Kinds;

static const char *const methods[] = {
    "NewProximityIntersection alarmDistance='0.2' contactDistance='0.1'",
    "NewProximityIntersection alarmDistance='0.2' contactDistance='0.1' useLineLine='1'",
    "MinProximityIntersection alarmDistance='0.2' contactDistance='0.1'",
    "MinProximityIntersection alarmDistance='0.2' contactDistance='0.1' useSurfaceNormals='1'",
    "LocalMinDistance alarmDistance='0.2' contactDistance='0.1' filterIntersection='0'",
};
static const Kinds kinds[] = {
    {&sofa_collision_triangle, &sofa_collision_triangle},
    {&sofa_collision_triangle, &sofa_collision_point},
    {&sofa_collision_triangle, &sofa_collision_sphere},
    {&sofa_collision_triangle, &sofa_collision_rigid_sphere},
    {&sofa_collision_line, &sofa_collision_line},
};
static const char *const quirks[] = {
    NULL, "elements-without-area", "first-corner-unowned,normal-without-distance",
    "triangle-sphere-edges,elements-without-area", "parallel-line-middles,rigid-sphere-surface"};

/* Elements of size 1 in a box of 4; some without area, some slivers, some equal, some flat and
 * parallel to the axes, some that are not numbers. */
static void randomise(Elements *e, uint64_t *seed, int round) {
  const unsigned n = e->model.kind->corners;
  for (uint32_t i = 0; i < e->model.n; i++) {
    double centre[3];
    for (int k = 0; k < 3; k++) centre[k] = 2 * random_real(seed);
    if (round % 3 == 1) centre[2] = 0.1 * random_real(seed);
    for (unsigned c = 0; c < n; c++)
      for (int k = 0; k < 3; k++) {
        double *x = &elements_corner(e, i, c)[k];
        *x = centre[k] + random_real(seed);
        if (round % 3 == 1 && k == 2) *x = centre[k];
        if (round % 3 == 2) *x = round % 2 ? floor(*x) : floor(4 * *x) / 4;
      }
    if (n > 2 && i % 8 == 3) sofa_vec3_copy(elements_corner(e, i, 0), elements_corner(e, i, 2));
    if (n > 2 && i % 8 == 5)
      for (int k = 0; k < 3; k++) {
        const double *a = elements_corner(e, i, 0), *b = elements_corner(e, i, 1);
        elements_corner(e, i, 2)[k] = 0.3 * a[k] + 0.7 * b[k] + 1e-5 * random_real(seed);
      }
    if (n > 1 && i % 16 == 7) sofa_vec3_copy(elements_corner(e, i, 0), elements_corner(e, i, 1));
    if (i == 11 && round % 5 == 4) elements_corner(e, i, 0)[1] = NAN;
    e->radius[i] = 0.1 + 0.1 * fabs(random_real(seed));
    e->owned[i] = (uint8_t)(*seed >> 20 & 63);
  }
  elements_normals(e);
}

/* Bits of what is defined: there may be padding. */
static void assert_same(const SofaDetection *a, const SofaDetection *b) {
  assert_memory_equal(a->element, b->element, sizeof a->element);
  assert_memory_equal(a->point, b->point, sizeof a->point);
  assert_memory_equal(a->normal, b->normal, sizeof a->normal);
  assert_memory_equal(&a->value, &b->value, sizeof a->value);
  assert_int_equal(a->id, b->id);
}

typedef struct Counts {
  size_t pairs, left, found;
} Counts;

/* All pairs, then those that are left. self: pairs of one model. */
static void compare(Method *m, Elements *first, Elements *second, Counts *counts) {
  static SofaElementPair pairs[N * N];
  static bool may[N * N];
  static SofaDetection expected[15 * N * N];
  bool swapped;
  size_t n = 0, left = 0;
  const SofaIntersectionRule *rule =
      sofa_intersection_rule(m->object, first->model.kind, second->model.kind, &swapped);
  if (!rule || swapped || !sofa_intersection_uses(m->object, rule)) return;
  const SofaSiftPairs sift = sofa_intersection_sift(m->object, rule);
  if (!sift) return;
  for (uint32_t i = 0; i < N; i++)
    for (uint32_t k = first == second ? i + 1 : 0; k < N; k++) pairs[n++] = (SofaElementPair){i, k};
  m->found.n = 0;
  assert_int_equal(rule->find(m->object, &first->model, &second->model, pairs, n, &m->found),
                   SOFA_OK);
  const size_t n_expected = m->found.n;
  assert_true(n_expected <= SOFA_COUNT(expected));
  if (n_expected) memcpy(expected, m->found.data, n_expected * sizeof *expected);
  sift(m->object, &first->model, &second->model, pairs, n, may);
  for (size_t i = 0; i < n; i++)
    if (may[i]) pairs[left++] = pairs[i];
  m->found.n = 0;
  assert_int_equal(rule->find(m->object, &first->model, &second->model, pairs, left, &m->found),
                   SOFA_OK);
  assert_int_equal(m->found.n, n_expected);
  for (size_t i = 0; i < n_expected; i++) assert_same(&m->found.data[i], &expected[i]);
  counts->pairs += n;
  counts->left += left;
  counts->found += n_expected;
}

static void try_kinds(const char *tag, const char *words, const Kinds *of, Counts *counts) {
  static Elements a, b;
  uint64_t seed = 88172645463325252u;
  Method m;
  method_open(&m, tag, words);
  elements_make(&a, &m, of->first, N);
  elements_make(&b, &m, of->second, N);
  for (int round = 0; round < ROUNDS; round++) {
    a.model.contact_distance = round % 4 ? 0 : 0.03;
    randomise(&a, &seed, round);
    randomise(&b, &seed, round);
    compare(&m, &a, &b, counts);
    if (of->first == of->second) compare(&m, &a, &a, counts);
  }
  method_close(&m);
}

static void same_detections(void **state) {
  (void)state;
  Counts counts = {0};
  for (size_t i = 0; i < SOFA_COUNT(methods); i++)
    for (size_t q = 0; q < SOFA_COUNT(quirks); q++)
      for (size_t k = 0; k < SOFA_COUNT(kinds); k++)
        try_kinds(methods[i], quirks[q], &kinds[k], &counts);
  // the tests are sharp: most of the pairs that are left have a detection
  assert_true(counts.found > 10000);
  assert_true(counts.left < counts.pairs / 4);
}

/* Elements whose distance is that of a detection up to rounding. */
static void at_the_distance(void **state) {
  (void)state;
  static Elements a, b;
  Method m;
  Counts counts = {0};
  uint64_t seed = 7;
  method_open(&m, methods[0], NULL);
  elements_make(&a, &m, &sofa_collision_triangle, N);
  elements_make(&b, &m, &sofa_collision_point, N);
  for (int round = 0; round < ROUNDS; round++) {
    randomise(&a, &seed, 0);
    for (uint32_t i = 0; i < N; i++) {
      const double *n = a.normal + 3 * (size_t)i;
      const double far = 0.2 * (1 + 4e-16 * (round % 5 - 2)) * (round % 2 ? 1 : -1);
      for (int k = 0; k < 3; k++)
        b.x[3 * i + (uint32_t)k] = 0.5 * elements_corner(&a, i, 0)[k] +
                                   0.3 * elements_corner(&a, i, 1)[k] +
                                   0.2 * elements_corner(&a, i, 2)[k] + far * n[k];
    }
    compare(&m, &a, &b, &counts);
  }
  assert_true(counts.found > ROUNDS * N / 4);
  method_close(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(same_detections),
      cmocka_unit_test(at_the_distance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
