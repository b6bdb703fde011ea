/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What is drawn of a scene that would show nothing: surfaces of topologies, springs, points. */
#include "behavior/draw_state.h"
#include "behavior/force_field.h"
#include "viewer/scene_view_impl.h"

/* Did surfaces or components draw anything? */
static bool is_empty(const SceneView *view) {
  for (size_t i = 0; i < view->items.n; i++) {
    const SceneItem *item = &view->items.data[i];
    if (item->surface && item->seen.enabled && item->seen.n_points > 0) return false;
  }
  for (size_t i = 0; i < view->n_scopes; i++)
    for (int layer = 0; layer < SOFA_N_DRAW_LAYERS; layer++)
      if (!render_is_empty(&view->scopes.data[i].list, (SofaDrawLayer)layer)) return false;
  return true;
}

static bool hides(const SofaDisplayFlags *flags) {
  for (int flag = 0; flag < SOFA_DISPLAY_OPTIONS; flag++)
    if (flags->value[flag] < 0) return true;
  return false;
}

/* Does the scene or the user hide anything? Then nothing may be what is wanted. */
static bool is_hidden(const SceneView *view) {
  for (size_t i = 0; i < view->nodes.n; i++)
    if (view->nodes.data[i].style && hides(&view->nodes.data[i].style->flags)) return true;
  return hides(&view->options.flags);
}

/* ---- topologies ---- */

/* The state that gives the points of a topology their places, or NULL. */
static const SofaState *places_of(const SofaObject *object) {
  const SofaState *state = sofa_node_state(object->node);
  if (!sofa_valid(object) || !sofa_implements(object, SOFA_TOPOLOGY) || !state) return NULL;
  const size_t n = sofa_mesh_vertex_count(&((const SofaTopology *)object)->mesh);
  if (n == 0 || n > state->position.n) return NULL;
  return sofa_state_kind_info(state->object.kind)->space >= 2 ? state : NULL;
}

/* The edges are drawn over the faces, so that the shape of the elements shows. */
static void draw_kind(SofaDrawList *list, const SofaState *state, const SofaMesh *mesh,
                      SofaElementKind kind) {
  const SofaElements e = sofa_mesh_elements(mesh, kind);
  const SofaRgba body = SOFA_RGB(0.86, 0.69, 0.42), edge = SOFA_RGB(0.25, 0.22, 0.18);
  SofaDrawElements how = {.x = state->position.data,
                          .n_points = state->position.n,
                          .stride = state->position.width,
                          .space = sofa_state_kind_info(state->object.kind)->space,
                          .shrink = 1,
                          .color = {body, body, body, body}};
  const bool lines = kind == SOFA_ELEMENT_EDGE, quads = kind == SOFA_ELEMENT_QUAD;
  if (!lines) sofa_draw_elements(list, &how, e.v, e.n, e.width, quads);
  for (int i = 0; i < 4; i++) how.color[i] = edge;
  how.wireframe = true;
  sofa_draw_elements(list, &how, e.v, e.n, e.width, quads);
}

/* The solids, else the faces, else the edges. */
static void draw_topology(SofaDrawList *list, const SofaState *state, const SofaMesh *mesh) {
  static const SofaElementKind kinds[] = {
      SOFA_ELEMENT_TETRA,    SOFA_ELEMENT_PYRAMID, SOFA_ELEMENT_PRISM, SOFA_ELEMENT_HEXA,
      SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_QUAD,    SOFA_ELEMENT_EDGE};
  size_t drawn = 0;
  for (size_t i = 0; i < SOFA_COUNT(kinds); i++) {
    if (drawn && (kinds[i] == SOFA_ELEMENT_TRIANGLE || kinds[i] == SOFA_ELEMENT_EDGE)) return;
    draw_kind(list, state, mesh, kinds[i]);
    drawn += sofa_mesh_elements(mesh, kinds[i]).n;
  }
}

static void draw_topologies(SceneView *view) {
  for (size_t i = 0; i < view->nodes.n; i++) {
    const SofaObjects *objects = &view->nodes.data[i].node->objects;
    for (size_t k = 0; k < objects->n; k++) {
      const SofaState *state = places_of(objects->data[k]);
      SofaDrawList *list = &view->scopes.data[view->nodes.data[i].scope].list;
      if (state) draw_topology(list, state, &((const SofaTopology *)objects->data[k])->mesh);
    }
  }
}

/* ---- springs and points ---- */

static bool has_topology(const SceneView *view, const SofaState *state) {
  for (size_t i = 0; i < view->nodes.n; i++) {
    const SofaObjects *objects = &view->nodes.data[i].node->objects;
    for (size_t k = 0; k < objects->n; k++)
      if (places_of(objects->data[k]) == state) return true;
  }
  return false;
}

/* Force fields on points: the elements of the others are drawn. */
static void draw_springs(const SceneView *view, const SceneItem *item, const RenderView *seen) {
  const SofaForceField *ff = (const SofaForceField *)item->object;
  SofaDisplayFlags flags = {{0}};
  if (!item->draw || !sofa_implements(item->object, SOFA_FORCE_FIELD) || !ff->state[0]) return;
  if (has_topology(view, ff->state[0]) && !sofa_implements(item->object, SOFA_INTERACTION)) return;
  flags.value[SOFA_DISPLAY_FORCE_FIELDS] = flags.value[SOFA_DISPLAY_INTERACTION_FORCE_FIELDS] = 1;
  const SofaDrawArgs args = {.list = &view->scopes.data[view->nodes.data[item->node].scope].list,
                             .flags = &flags,
                             .box = &view->box,
                             .width = seen->width,
                             .height = seen->height,
                             .orientation = {0, 0, 0, 1},
                             .time = view->simulation->root->time};
  item->draw->draw(item->object, &args);
}

static void draw_points(const SceneView *view, const SceneItem *item) {
  const SofaState *state = (const SofaState *)item->object;
  if (!sofa_implements(item->object, SOFA_MECHANICAL_STATE) || has_topology(view, state)) return;
  sofa_draw_state_points(&view->scopes.data[view->nodes.data[item->node].scope].list, state, NULL,
                         0, SOFA_RGB(0.75, 0.15, 0.1));
}

/* ---- all ---- */

void scene_view_fill_plain(SceneView *view, const RenderView *seen) {
  const SofaOrigin origin = {.file = view->simulation->file};
  if (is_hidden(view) || !is_empty(view)) return;
  draw_topologies(view);
  for (size_t i = 0; i < view->items.n; i++) {
    draw_springs(view, &view->items.data[i], seen);
    draw_points(view, &view->items.data[i]);
  }
  if (!view->plain_said && !is_empty(view))
    sofa_message(
        view->ctx, SOFA_INFO, &origin,
        "nothing in the scene is shown: the elements of its topologies, springs and points "
        "are drawn; add for instance <VisualStyle displayFlags=\"showForceFields\"/> or an "
        "<OglModel/>");
  view->plain_said = true;
}
