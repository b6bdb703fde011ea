/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* For tests of intersection methods: models of elements that are filled by hand, and the detections
 * of a method of a scene. */
#ifndef TESTS_UNIT_COLLISION_INTERSECTION_TEST_H
#define TESTS_UNIT_COLLISION_INTERSECTION_TEST_H

#include <math.h>

#include "tests/support/scene_run.h"
/* after the above */
#include "behavior/collision.h"
#include "math/vec.h"

/* ---- a method ---- */

typedef struct Method {
  SceneRun run;
  SofaIntersection *object;
  SofaDetections found;
} Method;

/* tag: such as "MinProximityIntersection alarmDistance='1' contactDistance='0.5'". quirks: words,
 * or NULL. */
static inline void method_open(Method *m, const char *tag, const char *quirks) {
  const SofaContextOptions options = {.quirk_words = quirks};
  char text[600];
  memset(m, 0, sizeof *m);
  snprintf(text, sizeof text, "<Node><DefaultAnimationLoop/><%s name='method'/></Node>", tag);
  scene_run_open(&m->run, text, &options);
  m->object = (SofaIntersection *)scene_run_object(&m->run, "/method");
}
static inline void method_close(Method *m) {
  sofa_list_free(m->run.ctx, &m->found);
  scene_run_close(&m->run);
}

/* ---- elements ---- */

enum { ELEMENTS_MAX = 64 };

/* Up to 64 elements of a kind; element i has the points i * corners + k. */
typedef struct Elements {
  SofaCollisionModel model;
  SofaState state;
  double x[7 * 4 * ELEMENTS_MAX];
  uint32_t corners[4 * ELEMENTS_MAX];
  double radius[ELEMENTS_MAX], normal[3 * ELEMENTS_MAX];
  uint8_t owned[ELEMENTS_MAX]; /* everything at first */
} Elements;

/* rays: x is the origin; direction and length follow by elements_ray. */
static inline void elements_make(Elements *e, const Method *m, const SofaCollisionKind *kind,
                                 size_t n) {
  const bool has_radius = kind == &sofa_collision_sphere || kind == &sofa_collision_rigid_sphere ||
                          kind == &sofa_collision_ray;
  memset(e, 0, sizeof *e);
  e->model.object.node = m->run.simulation->root;
  e->model.object.ctx = m->run.ctx;
  e->model.kind = kind;
  e->model.state = &e->state;
  e->model.n = e->model.n_triangles = n;
  e->model.corners = e->corners;
  e->model.radius = has_radius ? e->radius : NULL;
  e->model.normal = e->normal;
  e->model.owned = kind == &sofa_collision_triangle ? e->owned : NULL;
  e->state.position.data = e->x;
  e->state.position.width = kind == &sofa_collision_rigid_sphere ? 7 : 3;
  e->state.position.n = n * kind->corners;
  for (uint32_t i = 0; i < n * kind->corners; i++) e->corners[i] = i;
  for (size_t i = 0; i < n; i++) e->owned[i] = 63;
  for (size_t i = 0; i < e->state.position.n && e->state.position.width == 7; i++)
    e->x[7 * i + 6] = 1;
}
static inline double *elements_corner(Elements *e, uint32_t i, unsigned k) {
  return (double *)(uintptr_t)sofa_collision_corner(&e->model, i, k);
}
/* Sets the corners of element i: 3 doubles each. */
static inline void elements_set(Elements *e, uint32_t i, const double *x) {
  for (unsigned k = 0; k < e->model.kind->corners; k++)
    sofa_vec3_copy(x + 3 * (size_t)k, elements_corner(e, i, k));
}
static inline void elements_ray(Elements *e, uint32_t i, const double *direction, double length) {
  sofa_vec3_copy(direction, e->normal + 3 * (size_t)i);
  e->radius[i] = length;
}
/* Normals of triangles. */
static inline void elements_normals(Elements *e) {
  if (e->model.kind != &sofa_collision_triangle) return;
  for (uint32_t i = 0; i < e->model.n; i++) {
    double a[3], b[3], *n = e->normal + 3 * (size_t)i;
    sofa_vec3_sub(elements_corner(e, i, 1), elements_corner(e, i, 0), a);
    sofa_vec3_sub(elements_corner(e, i, 2), elements_corner(e, i, 0), b);
    sofa_vec3_cross(a, b, n);
    sofa_vec3_normalize(n);
  }
}

/* ---- detection ---- */

/* The detections of all pairs of elements, which must be in the order of the method's rule; of one
 * model i < k. Returns false when the method has no test of these kinds. */
static inline bool method_find(Method *m, const SofaCollisionModel *first,
                               const SofaCollisionModel *second) {
  static SofaElementPair pairs[ELEMENTS_MAX * ELEMENTS_MAX];
  size_t n = 0;
  bool swapped;
  const SofaIntersectionRule *rule =
      sofa_intersection_rule(m->object, first->kind, second->kind, &swapped);
  m->found.n = 0;
  if (!rule || swapped || !sofa_intersection_uses(m->object, rule)) return false;
  for (uint32_t i = 0; i < first->n; i++)
    for (uint32_t k = first == second ? i + 1 : 0; k < second->n; k++)
      pairs[n++] = (SofaElementPair){i, k};
  assert_int_equal(rule->find(m->object, first, second, pairs, n, &m->found), SOFA_OK);
  return true;
}
static inline const SofaDetection *method_find_one(Method *m, Elements *first, Elements *second) {
  assert_true(method_find(m, &first->model, &second->model));
  assert_int_equal(m->found.n, 1);
  return &m->found.data[0];
}

/* ---- checks ---- */

static inline void assert_near(const double *a, const double *b, double tolerance) {
  for (int k = 0; k < 3; k++)
    if (!(fabs(a[k] - b[k]) <= tolerance))
      fail_msg("%.17g %.17g %.17g instead of %.17g %.17g %.17g", a[0], a[1], a[2], b[0], b[1],
               b[2]);
}
/* p, q, normal, value: 10 numbers */
static inline void assert_detection(const SofaDetection *d, const double expected[10],
                                    double tolerance) {
  assert_near(d->point[0], expected, tolerance);
  assert_near(d->point[1], expected + 3, tolerance);
  assert_near(d->normal, expected + 6, tolerance);
  if (!(fabs(d->value - expected[9]) <= tolerance))
    fail_msg("value %.17g instead of %.17g", d->value, expected[9]);
}

/* ---- random numbers ---- */

static inline double random_real(uint64_t *seed) { /* in [-1, 1) */
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return (double)(*seed >> 11) * 0x1p-52 - 1;
}

#endif
