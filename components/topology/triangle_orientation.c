/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Turning triangles: along shared edges, or by the first triangle's normal as SOFA does. */
#include "triangle_orientation.h"

#include "behavior/draw_state.h"
#include "math/vec.h"

typedef struct Walk {
  const SofaObject *object;
  SofaTopology *topology;
  SofaTriangles *list;
  SofaBools seen;
  SofaIndices queue;
} Walk;

static SofaErr begin(Walk *w) {
  (void)sofa_topology_triangles(w->topology);
  w->list = &w->topology->mesh.triangles;
  SOFA_TRY(w->topology->failure);
  return SOFA_RESIZE(w->object->ctx, &w->seen, w->list->n);
}

static void end(Walk *w) {
  sofa_list_free(w->object->ctx, &w->seen);
  sofa_list_free(w->object->ctx, &w->queue);
}

static void turn(SofaTriangle *t) {
  const uint32_t second = t->v[1];
  t->v[1] = t->v[2];
  t->v[2] = second;
}

static SofaErr visit(Walk *w, uint32_t triangle) {
  if (w->seen.data[triangle]) return SOFA_OK;
  w->seen.data[triangle] = true;
  return SOFA_APPEND(w->object->ctx, &w->queue, &triangle);
}

/* Does the triangle run from a to b? */
static bool runs(const SofaTriangle *t, uint32_t a, uint32_t b) {
  for (int k = 0; k < 3; k++)
    if (t->v[k] == a && t->v[(k + 1) % 3] == b) return true;
  return false;
}

/* ---- along edges ---- */

/* Triangles that share an edge with one that is right. Neighbourhoods know sets of points, so
 * turned triangles do not change them. */
static SofaErr orient_neighbours(Walk *w, uint32_t triangle, size_t *conflicts) {
  unsigned per;
  const uint32_t *edges =
      sofa_topology_sub(w->topology, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_TRIANGLE, &per);
  const SofaAround *around =
      sofa_topology_around(w->topology, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_EDGE);
  SOFA_TRY(w->topology->failure);
  for (unsigned k = 0; edges && k < per; k++) {
    const uint32_t id = edges[(size_t)per * triangle + k], *users = NULL;
    if (id == SOFA_NO_ELEMENT) continue;
    const uint32_t *v = w->topology->mesh.edges.data[id].v;
    const bool forward = runs(&w->list->data[triangle], v[0], v[1]);
    const size_t n = sofa_around_row(around, id, &users);
    for (size_t i = 0; i < n; i++) {
      const uint32_t other = users[i];
      if (other == triangle) continue;
      const bool agrees = runs(&w->list->data[other], v[0], v[1]) != forward;
      if (w->seen.data[other]) *conflicts += !agrees;
      else if (!agrees) turn(&w->list->data[other]);
      SOFA_TRY(visit(w, other));
    }
  }
  return SOFA_OK;
}

static SofaErr orient_all(Walk *w, bool flip, size_t *conflicts) {
  for (uint32_t first = 0; first < w->list->n; first++) {
    if (w->seen.data[first]) continue;
    if (flip) turn(&w->list->data[first]);
    w->queue.n = 0;
    SOFA_TRY(visit(w, first));
    for (size_t i = 0; i < w->queue.n; i++)
      SOFA_TRY(orient_neighbours(w, w->queue.data[i], conflicts));
  }
  return SOFA_OK;
}

SofaErr sofa_orient_triangles(const SofaObject *object, SofaTopology *topology, bool flip) {
  Walk w = {.object = object, .topology = topology};
  size_t conflicts = 0;
  SofaErr err = begin(&w);
  if (err == SOFA_OK) err = orient_all(&w, flip, &conflicts);
  if (err == SOFA_OK && conflicts)
    sofa_object_message(object, SOFA_WARNING,
                        "the triangles of '%s' cannot all agree: it has only one side, or edges "
                        "with more than two triangles",
                        topology->object.name);
  end(&w);
  sofa_topology_cut_link(topology, SOFA_ELEMENT_TRIANGLE);
  sofa_topology_changed(topology);
  sofa_topology_touch(topology, 1u << SOFA_ELEMENT_TRIANGLE);
  return err;
}

/* ---- by normals ---- */

static void normal_of(const Walk *w, const SofaState *state, uint32_t triangle, double n[3]) {
  double p[3][3], a[3], b[3];
  for (int k = 0; k < 3; k++) {
    const uint32_t v = w->list->data[triangle].v[k];
    if (state && v < state->position.n) sofa_state_point(state, v, p[k]);
    else sofa_topology_point(w->topology, v, p[k]);
  }
  sofa_vec3_sub(p[1], p[0], a);
  sofa_vec3_sub(p[2], p[0], b);
  sofa_vec3_cross(a, b, n);
  sofa_vec3_normalize(n);
}

/* All triangles around the points of one. */
static SofaErr visit_around(Walk *w, uint32_t triangle) {
  const SofaAround *around =
      sofa_topology_around(w->topology, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_POINT);
  SOFA_TRY(w->topology->failure);
  for (int k = 0; k < 3; k++) {
    const uint32_t *ids = NULL;
    const size_t n = sofa_around_row(around, w->list->data[triangle].v[k], &ids);
    for (size_t i = 0; i < n; i++) SOFA_TRY(visit(w, ids[i]));
  }
  return SOFA_OK;
}

SofaErr sofa_orient_triangles_by_normals(const SofaObject *object, SofaTopology *topology,
                                         const SofaState *state, bool flip) {
  Walk w = {.object = object, .topology = topology};
  double first[3], n[3];
  SofaErr err = begin(&w);
  if (err == SOFA_OK && w.list->n) {
    normal_of(&w, state, 0, first);
    if (flip) sofa_vec3_scale(-1, first, first);
    err = visit(&w, 0);
  }
  for (size_t i = 0; i < w.queue.n && err == SOFA_OK; i++) err = visit_around(&w, w.queue.data[i]);
  // a lone triangle has no neighbour to turn it
  for (size_t i = 0; w.queue.n > 1 && i < w.queue.n && err == SOFA_OK; i++) {
    normal_of(&w, state, w.queue.data[i], n);
    if (sofa_vec3_dot(first, n) < 0.15) turn(&w.list->data[w.queue.data[i]]);
  }
  end(&w);
  sofa_topology_cut_link(topology, SOFA_ELEMENT_TRIANGLE);
  sofa_topology_changed(topology);
  sofa_topology_touch(topology, 1u << SOFA_ELEMENT_TRIANGLE);
  return err;
}
