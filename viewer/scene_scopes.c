/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scopes of a view: the nodes below a ClipPlane or a VisualTransform. */
#include <string.h>

#include "components/visual/ClipPlane.h"
#include "components/visual/VisualTransform.h"
#include "math/quaternion.h"
#include "math/vec.h"
#include "object/data_graph.h"
#include "viewer/scene_view_impl.h"

static bool is_plane(const SofaObject *object) {
  return object->klass == &sofa_ClipPlane_class;
}
static bool is_transform(const SofaObject *object) {
  return object->klass == &sofa_VisualTransform_class;
}

/* Rank of a new scope in one that is there; its list keeps its memory from before. */
static SofaErr new_scope(SceneView *view, size_t node, size_t parent, size_t *out) {
  if (view->n_scopes == view->scopes.n) {
    const SceneScope scope = {.list = {.ctx = view->ctx}};
    SOFA_TRY(SOFA_APPEND(view->ctx, &view->scopes, &scope));
  }
  *out = view->n_scopes++;
  view->scopes.data[*out].node = node;
  view->scopes.data[*out].parent = parent;
  return SOFA_OK;
}

SofaErr scene_view_find_scope(SceneView *view, size_t rank) {
  SceneNode *node = &view->nodes.data[rank];
  bool effects = false, below = false;
  if (rank == 0) SOFA_TRY(new_scope(view, 0, 0, &node->below));
  else node->below = view->nodes.data[node->parent].below;
  node->scope = node->below;
  for (size_t i = 0; i < node->node->objects.n; i++) {
    SofaObject *object = node->node->objects.data[i];
    if (!sofa_valid(object) || (!is_plane(object) && !is_transform(object))) continue;
    SOFA_TRY(SOFA_APPEND(view->ctx, &view->effects, &object));
    effects = true;
    below |= is_plane(object) || ((const VisualTransform *)object)->recursive;
  }
  if (!effects) return SOFA_OK;
  const size_t parent = node->below;
  SOFA_TRY(new_scope(view, rank, parent, &node->scope));
  if (below) SOFA_TRY(new_scope(view, rank, parent, &node->below));
  return SOFA_OK;
}

/* p -> q p + t, of the scope */
static void move(const RenderScope *how, const double *p, double *out) {
  sofa_quat_rotate(how->orientation, p, out);
  sofa_vec3_add(out, how->position, out);
}

static void add_transform(const VisualTransform *v, SceneScope *scope) {
  RenderScope *how = &scope->how;
  double p[3], q[4];
  if (v->transform.n < 1 || !v->visual.enable) return;
  memcpy(q, v->transform.data->v + 3, sizeof q);
  sofa_quat_normalize(q);
  move(how, v->transform.data->v, p);
  sofa_vec3_copy(p, how->position);
  sofa_quat_multiply(how->orientation, q, how->orientation);
  scope->moved = true;
}

static void add_plane(const ClipPlane *c, SceneScope *scope) {
  if (!c->active || !c->visual.enable) return;
  scope->how.planes[c->id].on = true;
  move(&scope->how, c->position.v, scope->how.planes[c->id].position);
  sofa_quat_rotate(scope->how.orientation, c->normal.v, scope->how.planes[c->id].normal);
}

SofaErr scene_view_update_scopes(SceneView *view) {
  static const RenderScope world = {.orientation = {0, 0, 0, 1}};
  for (size_t i = 0; i < view->effects.n; i++)
    SOFA_TRY(sofa_data_pull(view->effects.data[i], NULL));
  for (size_t i = 0; i < view->n_scopes; i++) {
    SceneScope *scope = &view->scopes.data[i];
    const SceneNode *node = &view->nodes.data[scope->node];
    sofa_draw_clear(&scope->list);
    scope->how = i ? view->scopes.data[scope->parent].how : world;
    scope->moved = i && view->scopes.data[scope->parent].moved;
    if (i == 0) continue;
    const bool own = i == node->scope;
    for (size_t j = 0; j < node->node->objects.n; j++) {
      const SofaObject *object = node->node->objects.data[j];
      if (!sofa_valid(object)) continue;
      if (is_plane(object)) add_plane((const ClipPlane *)object, scope);
      else if (is_transform(object) && (own || ((const VisualTransform *)object)->recursive))
        add_transform((const VisualTransform *)object, scope);
    }
  }
  return SOFA_OK;
}

void scene_view_free_scopes(SceneView *view) {
  for (size_t i = 0; i < view->scopes.n; i++) sofa_draw_free(&view->scopes.data[i].list);
  sofa_list_free(view->ctx, &view->scopes);
  sofa_list_free(view->ctx, &view->effects);
}

void scene_scope_box(const SceneScope *scope, const SofaBox *box, SofaBox *grown) {
  for (int corner = 0; corner < 8; corner++) {
    double p[3], q[3];
    for (int k = 0; k < 3; k++) p[k] = corner >> k & 1 ? box->max[k] : box->min[k];
    move(&scope->how, p, q);
    for (int k = 0; k < 3; k++) {
      if (q[k] < grown->min[k]) grown->min[k] = q[k];
      if (q[k] > grown->max[k]) grown->max[k] = q[k];
    }
  }
}
