/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tables of pairs of elements with the detections that are right for them. */
#ifndef TESTS_UNIT_COLLISION_INTERSECTION_CASES_H
#define TESTS_UNIT_COLLISION_INTERSECTION_CASES_H

#include "tests/unit/collision/intersection_test.h"

#define MIN(alarm, contact)                                                                        \
  "MinProximityIntersection alarmDistance='" alarm "' contactDistance='" contact "'"
#define NEW(alarm, contact)                                                                        \
  "NewProximityIntersection alarmDistance='" alarm "' contactDistance='" contact "'"
#define LMD(alarm, contact)                                                                        \
  "LocalMinDistance alarmDistance='" alarm "' contactDistance='" contact "'"

typedef struct Case {
  const char *name, *tag, *quirks;
  const SofaCollisionKind *first, *second;
  double a[12], b[12]; /* corners of the one element of each */
  double radii[2];     /* of spheres */
  double skins[2];     /* contactDistance of the models */
  int n;               /* detections */
  double expected[10]; /* point, point, normal, value */
} Case;

#define P (&sofa_collision_point)
#define L (&sofa_collision_line)
#define T (&sofa_collision_triangle)
#define S (&sofa_collision_sphere)
#define R (&sofa_collision_rigid_sphere)
#define TETRA (&sofa_collision_tetra)
#define RAY (&sofa_collision_ray)
#define CORNER                                                                                     \
  { 0, 0, 0, 4, 0, 0, 0, 4, 0 }
#define NONE                                                                                       \
  { 0, 0 }

static inline void check(const Case *c) {
  static Elements first, second;
  Method m;
  method_open(&m, c->tag, c->quirks);
  elements_make(&first, &m, c->first, 1);
  elements_make(&second, &m, c->second, 1);
  elements_set(&first, 0, c->a);
  elements_set(&second, 0, c->b);
  if (c->first == RAY) elements_ray(&first, 0, c->a + 3, c->a[6]);
  else first.radius[0] = c->radii[0];
  second.radius[0] = c->radii[1];
  first.model.contact_distance = c->skins[0];
  second.model.contact_distance = c->skins[1];
  elements_normals(&first);
  elements_normals(&second);
  if (!method_find(&m, &first.model, &second.model)) fail_msg("%s: no such rule", c->name);
  if (m.found.n != (size_t)c->n) fail_msg("%s: %zu detections", c->name, m.found.n);
  if (c->n) {
    assert_detection(&m.found.data[0], c->expected, 1e-6);
    assert_int_equal(m.found.data[0].id, 0);
  }
  method_close(&m);
}

static inline void check_all(const Case *cases, size_t n) {
  for (size_t i = 0; i < n; i++) check(&cases[i]);
}

#endif
