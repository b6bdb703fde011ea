/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The flat arrays of points, edges and triangles of all models. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ipc.h"
#include "math/vec.h"
#include "numerics/contact/exact.h"

void ipc_surface_free(SofaContext *ctx, IpcSurface *s) {
  SofaIndices *lists[] = {&s->state, &s->index,          &s->point_model, &s->edge_model,
                          &s->edge,  &s->triangle_model, &s->triangle};
  for (size_t i = 0; i < SOFA_COUNT(lists); i++) sofa_list_free(ctx, lists[i]);
  sofa_list_free(ctx, &s->length2);
  sofa_list_free(ctx, &s->moves);
  sofa_list_free(ctx, &s->apart);
}

/* While the arrays are made. */
typedef struct Making {
  Ipc *c;
  uint32_t model, state;
  SofaIndices number; /* of the points of the model's state: 1 + the number here, 0: none yet */
} Making;

static uint32_t state_of(const Ipc *c, const SofaState *state) {
  uint32_t k = 0;
  while (c->force_field.state[k] != state) k++;
  return k;
}

/* The number of point i of the model's state. */
static SofaErr point_of(Making *m, uint32_t i, uint32_t *out) {
  IpcSurface *s = &m->c->surface;
  SofaContext *ctx = m->c->force_field.object.ctx;
  if (!m->number.data[i]) {
    SOFA_TRY(SOFA_APPEND(ctx, &s->state, &m->state));
    SOFA_TRY(SOFA_APPEND(ctx, &s->index, &i));
    SOFA_TRY(SOFA_APPEND(ctx, &s->point_model, &m->model));
    m->number.data[i] = (uint32_t)s->state.n;
  }
  *out = m->number.data[i] - 1;
  return SOFA_OK;
}

/* Points that other models of the state have already. */
static SofaErr begin_model(Making *m, uint32_t model) {
  const IpcSurface *s = &m->c->surface;
  const SofaState *state = m->c->models.data[model]->state;
  m->model = model;
  m->state = state_of(m->c, state);
  SOFA_TRY(SOFA_RESIZE(state->object.ctx, &m->number, sofa_state_size(state)));
  sofa_zero(m->number.data, m->number.n * sizeof *m->number.data);
  for (size_t i = 0; i < s->state.n; i++)
    if (s->state.data[i] == m->state) m->number.data[s->index.data[i]] = (uint32_t)i + 1;
  return SOFA_OK;
}

static SofaErr add_edge(Making *m, uint32_t a, uint32_t b) {
  IpcSurface *s = &m->c->surface;
  SofaContext *ctx = m->c->force_field.object.ctx;
  const uint32_t low = a < b ? a : b, high = a < b ? b : a;
  if (a == b) return SOFA_OK;
  SOFA_TRY(SOFA_APPEND(ctx, &s->edge, &low));
  SOFA_TRY(SOFA_APPEND(ctx, &s->edge, &high));
  return SOFA_APPEND(ctx, &s->edge_model, &m->model);
}

static SofaErr add_model(Making *m, uint32_t number) {
  const SofaCollisionModel *model = m->c->models.data[number];
  SofaContext *ctx = m->c->force_field.object.ctx;
  IpcSurface *s = &m->c->surface;
  const unsigned n = model->kind->corners;
  uint32_t p[3];
  SOFA_TRY(begin_model(m, number));
  for (uint32_t i = 0; i < model->n; i++) {
    for (unsigned k = 0; k < n; k++)
      SOFA_TRY(point_of(m, model->corners ? model->corners[n * i + k] : i, &p[k]));
    if (n > 1)
      for (unsigned k = 0; k < n - (n == 2); k++) SOFA_TRY(add_edge(m, p[k], p[(k + 1) % n]));
    if (n < 3) continue;
    for (unsigned k = 0; k < 3; k++) SOFA_TRY(SOFA_APPEND(ctx, &s->triangle, &p[k]));
    SOFA_TRY(SOFA_APPEND(ctx, &s->triangle_model, &m->model));
  }
  return SOFA_OK;
}

/* ---- edges once ---- */

typedef struct Edge {
  uint32_t point[2], model, place;
} Edge;

static int compare(const void *a, const void *b) {
  const Edge *e = a, *f = b;
  for (int k = 0; k < 2; k++)
    if (e->point[k] != f->point[k]) return e->point[k] < f->point[k] ? -1 : 1;
  return e->place < f->place ? -1 : e->place > f->place;
}

/* Sorted by their points, the first of equal ones stays. */
static SofaErr unite_edges(SofaContext *ctx, IpcSurface *s) {
  const size_t n = s->edge_model.n;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Edge *all = SOFA_SCRATCH(ctx, Edge, n + 1);
  if (!all) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < n; i++)
    all[i] =
        (Edge){{s->edge.data[2 * i], s->edge.data[2 * i + 1]}, s->edge_model.data[i], (uint32_t)i};
  sofa_sort(all, n, sizeof *all, compare);
  s->n_edges = 0;
  for (size_t i = 0; i < n; i++) {
    if (i && all[i].point[0] == all[i - 1].point[0] && all[i].point[1] == all[i - 1].point[1])
      continue;
    memcpy(s->edge.data + 2 * s->n_edges, all[i].point, sizeof all[i].point);
    s->edge_model.data[s->n_edges++] = all[i].model;
  }
  sofa_scratch_release(ctx, mark);
  return SOFA_OK;
}

/* Of the rest positions, where the state has them, else of the current ones. */
static SofaErr measure_edges(const Ipc *c, IpcSurface *s) {
  SOFA_TRY(SOFA_RESIZE(c->force_field.object.ctx, &s->length2, s->n_edges));
  for (size_t i = 0; i < s->n_edges; i++) {
    const double *p[2];
    double d[3];
    for (int k = 0; k < 2; k++) {
      const uint32_t point = s->edge.data[2 * i + (size_t)k];
      const SofaState *state = c->force_field.state[s->state.data[point]];
      const bool rest = state->rest_position.n == state->position.n && !state->mapped;
      p[k] = (rest ? state->rest_position.data : state->position.data) +
             3 * (size_t)s->index.data[point];
    }
    sofa_vec3_sub(p[1], p[0], d);
    s->length2.data[i] = sofa_vec3_dot(d, d);
  }
  return SOFA_OK;
}

/* ---- which models meet ---- */

/* Different models that share a group do not; a model meets itself. */
static bool share_group(const SofaCollisionModel *a, const SofaCollisionModel *b) {
  for (size_t i = 0; a != b && i < a->group.n; i++)
    for (size_t k = 0; k < b->group.n; k++)
      if (a->group.data[i] == b->group.data[k]) return true;
  return false;
}

/* selfCollision="0" in the scene, not its default, of all models of a state lets the surfaces of
 * the state pass through each other and themselves. */
static bool pass_self(const Ipc *c, const SofaState *state) {
  for (size_t i = 0; i < c->models.n; i++) {
    const SofaCollisionModel *m = c->models.data[i];
    if (m->state != state) continue;
    if (m->self_collision || !sofa_field_is_set(&m->object, "selfCollision")) return false;
  }
  return true;
}

static SofaErr note_models(Ipc *c) {
  SofaContext *ctx = c->force_field.object.ctx;
  IpcSurface *s = &c->surface;
  const size_t n = c->models.n;
  SOFA_TRY(SOFA_RESIZE(ctx, &s->apart, n * n));
  SOFA_TRY(SOFA_RESIZE(ctx, &s->moves, c->force_field.n_states));
  for (size_t i = 0; i < n * n; i++) {
    const SofaCollisionModel *a = c->models.data[i / n], *b = c->models.data[i % n];
    s->apart.data[i] = !a->active || !b->active || !(a->simulated || b->simulated) ||
                       share_group(a, b) || (a->state == b->state && pass_self(c, a->state));
  }
  for (size_t k = 0; k < c->force_field.n_states; k++)
    s->moves.data[k] = c->force_field.state[k]->mechanics != NULL;
  return SOFA_OK;
}

/* ---- all ---- */

static SofaErr make(Ipc *c) {
  SofaContext *ctx = c->force_field.object.ctx;
  IpcSurface *s = &c->surface;
  Making m = {.c = c};
  SofaErr err = SOFA_OK;
  SofaIndices *lists[] = {&s->state, &s->index,          &s->point_model, &s->edge_model,
                          &s->edge,  &s->triangle_model, &s->triangle};
  for (size_t i = 0; i < SOFA_COUNT(lists); i++) lists[i]->n = 0;
  for (uint32_t i = 0; i < c->models.n; i++) SOFA_GO(err, done, add_model(&m, i));
  SOFA_GO(err, done, unite_edges(ctx, s));
  s->n_points = s->state.n;
  s->n_triangles = s->triangle_model.n;
  SOFA_GO(err, done, measure_edges(c, s));
  SOFA_GO(err, done, note_models(c));
done:
  sofa_list_free(ctx, &m.number);
  return err;
}

SofaErr ipc_surface_update(Ipc *c, bool *changed) {
  uint64_t revisions = 0;
  for (size_t i = 0; i < c->models.n; i++) {
    SofaCollisionModel *model = c->models.data[i];
    if (model->ops->changed(model)) SOFA_TRY(model->ops->update(model));
    revisions += model->revision;
  }
  *changed = revisions != c->surface.revisions || !c->surface.n_points;
  for (size_t k = 0; k < c->surface.moves.n; k++)
    *changed |= c->surface.moves.data[k] != (c->force_field.state[k]->mechanics != NULL);
  if (!*changed) return SOFA_OK;
  c->surface.revisions = revisions;
  return make(c);
}

void ipc_gather(const Ipc *c, const double *const *states, double *x) {
  const IpcSurface *s = &c->surface;
  for (size_t i = 0; i < s->n_points; i++)
    sofa_vec3_copy(states[s->state.data[i]] + 3 * (size_t)s->index.data[i], x + 3 * i);
}

/* ---- what the solver cannot guard ---- */

SofaErr ipc_check_moved(Ipc *c) {
  const size_t n = 3 * c->surface.n_points;
  double share = 1;
  if (sofa_compare(c->x_end.data, c->x_start.data, n * sizeof(double)) == 0) return SOFA_OK;
  sofa_copy(c->x_from.data, c->x_end.data, n * sizeof(double));
  SOFA_TRY(ipc_limit(c, c->x_start.data, &share));
  if (share >= 1) return SOFA_OK;
  return sofa_object_fail(&c->force_field.object, SOFA_ERR_RANGE,
                          "surfaces were moved through each other since the last step, not by the "
                          "solver: only %.3g of that motion is possible",
                          share);
}

SofaErr ipc_check_solver(const Ipc *c) {
  const SofaMechanics *m = NULL;
  for (size_t k = 0; k < c->force_field.n_states; k++) {
    const SofaState *state = c->force_field.state[k];
    if (!m) m = state->mechanics;
    if (!state->mechanics || state->mechanics == m) continue;
    char *path = sofa_object_path(&state->object);
    const SofaErr err = sofa_object_fail(
        &c->force_field.object, SOFA_ERR_UNSUPPORTED,
        "'%s' is moved by another ODE solver than the states before it: one solver must move all "
        "of them, in the node of the contact or above",
        path ? path : state->object.name);
    sofa_free(state->object.ctx, path);
    return err;
  }
  return SOFA_OK;
}

/* ---- a start without intersections ---- */

static SofaErr report(const Ipc *c, uint32_t edge, uint32_t triangle) {
  const IpcSurface *s = &c->surface;
  const SofaCollisionModel *models[2] = {c->models.data[s->edge_model.data[edge]],
                                         c->models.data[s->triangle_model.data[triangle]]};
  const uint32_t *e = s->edge.data + 2 * (size_t)edge;
  const uint32_t *t = s->triangle.data + 3 * (size_t)triangle;
  char *path[2] = {sofa_object_path(&models[0]->object), sofa_object_path(&models[1]->object)};
  const SofaErr err = sofa_object_fail(
      &c->force_field.object, SOFA_ERR_RANGE,
      "the surfaces meet at the start: edge %u %u of '%s' passes through triangle %u %u %u of "
      "'%s'; this contact keeps bodies apart that are apart, it cannot separate them",
      s->index.data[e[0]], s->index.data[e[1]], path[0] ? path[0] : "", s->index.data[t[0]],
      s->index.data[t[1]], s->index.data[t[2]], path[1] ? path[1] : "");
  for (int k = 0; k < 2; k++) sofa_free(c->force_field.object.ctx, path[k]);
  return err;
}

/* Lines have no inside: they may only touch. */
static SofaErr check_distances(const Ipc *c, const double *x) {
  for (size_t i = 0; i < c->near.n; i++) {
    const IpcPair *p = &c->near.data[i];
    double points[12], d2;
    for (int k = 0; k < 4; k++) sofa_vec3_copy(x + 3 * (size_t)p->point[k], points + 3 * k);
    sofa_pair_region(p->kind, points, &d2);
    if (!(d2 > 0))
      return sofa_object_fail(
          &c->force_field.object, SOFA_ERR_RANGE,
          "the surfaces touch at the start: points %u, %u, %u and %u of the "
          "states have the distance 0",
          c->surface.index.data[p->point[0]], c->surface.index.data[p->point[1]],
          c->surface.index.data[p->point[2]], c->surface.index.data[p->point[3]]);
  }
  return SOFA_OK;
}

SofaErr ipc_check_free(Ipc *c, const double *x) {
  const IpcSurface *s = &c->surface;
  SofaContext *ctx = c->force_field.object.ctx;
  c->found.n = 0;
  SOFA_TRY(sofa_bounding_tree_pairs(ctx, &c->tree[IPC_EDGES], &c->tree[IPC_TRIANGLES], 0, &c->work,
                                    &c->found));
  for (size_t i = 0; i < c->found.n; i++) {
    const SofaElementPair p = c->found.data[i];
    const uint32_t *e = s->edge.data + 2 * (size_t)p.first;
    const uint32_t *t = s->triangle.data + 3 * (size_t)p.second;
    const uint32_t models[2] = {s->edge_model.data[p.first], s->triangle_model.data[p.second]};
    bool shares = s->apart.data[models[0] * c->models.n + models[1]];
    for (int k = 0; k < 6; k++) shares |= e[k / 3] == t[k % 3];
    if (!s->moves.data[s->state.data[e[0]]] && !s->moves.data[s->state.data[t[0]]]) continue;
    const double *const corners[3] = {x + 3 * (size_t)t[0], x + 3 * (size_t)t[1],
                                      x + 3 * (size_t)t[2]};
    if (!shares && sofa_segment_meets_triangle(x + 3 * (size_t)e[0], x + 3 * (size_t)e[1], corners))
      return report(c, p.first, p.second);
  }
  return check_distances(c, x);
}
