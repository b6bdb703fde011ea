/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contacts without a detection: a test gives a contact manager the detections itself. */
#ifndef TESTS_SUPPORT_CONTACT_TOUCH_H
#define TESTS_SUPPORT_CONTACT_TOUCH_H

#include "behavior/collision.h"
#include "math/vec.h"
#include "tests/support/scene_run.h"

/* Gives the manager the detections of some pairs of models. */
static inline void contact_respond(SofaNode *root, const SofaIntersection *method,
                                   SofaModelContact *pairs, size_t n) {
  SofaModelContact *list[8];
  assert_true(n <= 8);
  for (size_t i = 0; i < n; i++) list[i] = &pairs[i];
  SofaContactManager *manager =
      (SofaContactManager *)sofa_node_find(root, SOFA_CONTACT_MANAGER, SOFA_SEARCH_DOWN);
  assert_non_null(manager);
  for (size_t i = 0; i < n; i++)
    for (int k = 0; k < 2; k++)
      assert_int_equal(pairs[i].model[k]->ops->update(pairs[i].model[k]), SOFA_OK);
  const SofaModelContacts contacts = {.data = list, .n = n};
  assert_int_equal(manager->ops->respond(manager, root, method, &contacts), SOFA_OK);
}

/* The contact object of a pair of models by its name, or NULL. */
static inline SofaForceField *contact_find(SofaNode *node, const char *name) {
  SofaObject *object = sofa_node_object(node, name);
  for (size_t i = 0; i < node->children.n && !object; i++)
    object = (SofaObject *)contact_find(node->children.data[i], name);
  return (SofaForceField *)object;
}

/* A detection of two elements with points in space; the normal is the direction between them. */
static inline SofaDetection contact_detection(uint32_t first, uint32_t second, const double p[3],
                                              const double q[3], double contact_distance) {
  SofaDetection d = {.element = {first, second}};
  sofa_vec3_copy(p, d.point[0]);
  sofa_vec3_copy(q, d.point[1]);
  sofa_vec3_sub(q, p, d.normal);
  d.value = sofa_vec3_normalize(d.normal) - contact_distance;
  return d;
}

/* ---- two models that touch with all elements ---- */

/* A place inside an element, on the surface of a sphere of a frame towards `to`. */
static inline void contact_inside(const SofaCollisionModel *m, uint32_t i, double out[3]) {
  const double weights[] = {0.2, 0.5, 0.3, 0};
  sofa_vec3_set(out, 0, 0, 0);
  double sum = 0;
  for (unsigned k = 0; k < m->kind->corners; k++) sum += weights[k];
  for (unsigned k = 0; k < m->kind->corners; k++)
    sofa_vec3_axpy(weights[k] / sum, sofa_collision_corner(m, i, k), out);
}

static inline void contact_collect(SofaNode *node, SofaCollisionModel *models[2], int *n) {
  for (size_t i = 0; i < node->objects.n && *n < 2; i++)
    if (sofa_implements(node->objects.data[i], SOFA_COLLISION_MODEL))
      models[(*n)++] = (SofaCollisionModel *)node->objects.data[i];
  for (size_t i = 0; i < node->children.n; i++) contact_collect(node->children.data[i], models, n);
}

/* The first two models of the graph, or the only one with itself, touch with all their elements,
 * with a contact distance that is larger than the bodies. Nothing happens without a manager. */
static inline void contact_touch_all(SceneRun *run) {
  SofaNode *root = run->simulation->root;
  SofaCollisionModel *m[2] = {NULL, NULL};
  SofaDetection found[64];
  int n_models = 0;
  size_t n = 0;
  if (!sofa_node_find(root, SOFA_CONTACT_MANAGER, SOFA_SEARCH_DOWN)) return;
  contact_collect(root, m, &n_models);
  assert_true(n_models > 0);
  if (n_models == 1) m[1] = m[0];
  const SofaIntersection method = {.alarm_distance = 20, .contact_distance = 10};
  for (int k = 0; k < 2; k++) assert_int_equal(m[k]->ops->update(m[k]), SOFA_OK);
  for (uint32_t i = 0; i < m[0]->n; i++)
    for (uint32_t j = m[0] == m[1] ? i + 1 : 0; j < m[1]->n; j++) {
      double p[3], q[3];
      assert_true(n < 64);
      contact_inside(m[0], i, p);
      contact_inside(m[1], j, q);
      for (int c = 0; c < 3; c++) p[c] += 0.1 * (c + 1) * sofa_collision_radius(m[0], i);
      for (int c = 0; c < 3; c++) q[c] -= 0.2 * (3 - c) * sofa_collision_radius(m[1], j);
      found[n] = contact_detection(i, j, p, q, 10);
      found[n].id = (int64_t)n;
      n++;
    }
  assert_true(n > 0);
  SofaModelContact pair = {.model = {m[0], m[1]}, .detections = {.data = found, .n = n}};
  contact_respond(root, &method, &pair, 1);
}

#endif
