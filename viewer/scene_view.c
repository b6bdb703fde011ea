/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Views of a simulation: what there is to see, and the order it is drawn in. */
#include "viewer/scene_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/profiler.h"
#include "behavior/draw_state.h"
#include "math/vec.h"
#include "object/data_graph.h"
#include "viewer/scene_view_impl.h"

/* ---- creation ---- */

SofaErr scene_view_create(SofaContext *ctx, SceneView **out) {
  *out = NULL;
  SceneView *view = sofa_alloc(ctx, 1, sizeof *view);
  if (!view) return SOFA_ERR_MEMORY;
  view->ctx = view->extra.ctx = ctx;
  sofa_camera_init(&view->camera);
  const SofaErr err = renderer_create(ctx, &view->renderer);
  if (err != SOFA_OK) scene_view_destroy(&view);
  *out = view;
  return err;
}

void scene_view_destroy(SceneView **out) {
  SceneView *view = *out;
  if (!view) return;
  SofaContext *ctx = view->ctx;
  renderer_destroy(&view->renderer);
  sofa_list_free(view->ctx, &view->nodes);
  sofa_list_free(view->ctx, &view->items);
  sofa_list_free(view->ctx, &view->translucent);
  sofa_list_free(ctx, &view->viewports);
  scene_view_free_scopes(view);
  scene_view_free_shaders(view);
  scene_view_free_passes(view);
  color_field_close(ctx, &view->color);
  sofa_draw_free(&view->extra);
  sofa_free(view->ctx, view);
  *out = NULL;
}

/* ---- collecting ---- */

static size_t rank_of(const SceneView *view, const SofaNode *node) {
  for (size_t i = view->nodes.n; i-- > 0;)
    if (view->nodes.data[i].node == node) return i;
  return 0;
}

static SofaErr collect_object(SceneView *view, SofaObject *object, size_t node) {
  const SceneItem item = {.object = object,
                          .draw = sofa_ops(object, SOFA_DRAW),
                          .surface = sofa_ops(object, SOFA_VISUAL_MODEL),
                          .node = node};
  if (!sofa_valid(object)) return SOFA_OK;
  if (object->klass == &sofa_VisualStyle_class)
    view->nodes.data[node].style = (const VisualStyle *)object;
  if (object->klass == &sofa_BackgroundSetting_class && !view->background)
    view->background = (const BackgroundSetting *)object;
  SOFA_TRY(scene_view_collect_shader(view, object, node));
  SOFA_TRY(scene_view_collect_pass(view, object, node));
  if (object->klass == &sofa_OglViewport_class) {
    OglViewport *viewport = (OglViewport *)object;
    SOFA_TRY(SOFA_APPEND(view->ctx, &view->viewports, &viewport));
  }
  if (object->klass == &sofa_OrderIndependentTransparencyManager_class && !view->transparency)
    view->transparency = (const OrderIndependentTransparencyManager *)object;
  if (object->klass == &sofa_OglRenderingSRGB_class && !view->srgb)
    view->srgb = (const SofaVisual *)object;
  if (object->klass == &sofa_LightManager_class && !view->manager)
    view->manager = (const LightManager *)object;
  if (sofa_class_is_a(object->klass, &sofa_base_camera_class) && !view->recorded &&
      ((const BaseCamera *)object)->activated)
    view->recorded = (const BaseCamera *)object;
  const bool light = sofa_class_is_a(object->klass, &sofa_light_class);
  if (!item.draw && !item.surface && !light && !sofa_implements(object, SOFA_STATE)) return SOFA_OK;
  return SOFA_APPEND(view->ctx, &view->items, &item);
}

static void forget_collected(SceneView *view) {
  view->nodes.n = view->items.n = view->effects.n = view->viewports.n = view->n_scopes = 0;
  view->n_shaders = view->elements.n = 0;
  view->background = NULL;
  view->manager = NULL;
  view->transparency = NULL;
  view->srgb = NULL;
  view->compositing = NULL;
  view->passes.n = 0;
  view->post = (SceneElement){.object = NULL};
  view->pass_reported = false;
  view->recorded = NULL;
}

/* Lists nodes and what is seen of them, when the graph changed. */
static SofaErr collect(SceneView *view) {
  SofaNodes order = {0};
  SofaErr err = SOFA_OK;
  if (view->collected && view->graph_version == view->simulation->graph_version) return SOFA_OK;
  forget_collected(view);
  SOFA_GO(err, done, sofa_node_order(view->simulation->root, &order));
  for (size_t i = 0; i < order.n; i++) {
    SofaNode *node = order.data[i];
    const SceneNode entry = {.node = node, .parent = i ? rank_of(view, sofa_node_parent(node)) : 0};
    SOFA_GO(err, done, SOFA_APPEND(view->ctx, &view->nodes, &entry));
    SOFA_GO(err, done, scene_view_find_scope(view, i));
    for (size_t j = 0; j < node->objects.n; j++)
      SOFA_GO(err, done, collect_object(view, node->objects.data[j], i));
  }
  SOFA_GO(err, done, SOFA_RESIZE(view->ctx, &view->translucent, view->items.n));
  scene_view_link_shaders(view);
  view->graph_version = view->simulation->graph_version;
done:
  view->collected = err == SOFA_OK;
  sofa_list_free(view->ctx, &order);
  return err;
}

/* A body in colours is not covered by what the scene shows of it. */
static void hide_below(SofaDisplayFlags *flags) {
  flags->value[SOFA_DISPLAY_VISUAL_MODELS] = flags->value[SOFA_DISPLAY_BEHAVIOR_MODELS] =
      flags->value[SOFA_DISPLAY_FORCE_FIELDS] = -1;
}

void scene_view_flags(SceneView *view) {
  const SofaNode *colored = view->color.state ? view->color.state->object.node : NULL;
  SofaDisplayFlags start = {{0}};
  for (size_t i = 0; i < view->nodes.n; i++) {
    SceneNode *n = &view->nodes.data[i];
    start.value[SOFA_DISPLAY_VISUAL_MODELS] = i == 0 && !n->style;
    n->flags = i ? view->nodes.data[n->parent].flags : start;
    if (n->style) sofa_display_flags_override(&n->flags, &n->style->flags);
    n->colored = colored && (n->node == colored || (i && view->nodes.data[n->parent].colored));
    if (n->colored) hide_below(&n->flags);
    sofa_display_flags_override(&n->flags, &view->options.flags);
  }
}

/* Is there anything in it? */
static bool is_valid_box(const SofaBox *box) {
  for (int k = 0; k < 3; k++)
    if (!(box->min[k] <= box->max[k]) || !isfinite(box->min[k]) || !isfinite(box->max[k]))
      return false;
  return true;
}

/* n points, `stride` numbers apart; numbers that are none are left out. */
static void take_points(SofaBox *box, const double *x, size_t n, size_t stride) {
  double low[3], high[3];
  memcpy(low, box->min, sizeof low);
  memcpy(high, box->max, sizeof high);
  for (size_t i = 0; i < n; i++, x += stride)
    for (int k = 0; k < 3; k++) {
      low[k] = x[k] < low[k] ? x[k] : low[k];
      high[k] = x[k] > high[k] ? x[k] : high[k];
    }
  memcpy(box->min, low, sizeof low);
  memcpy(box->max, high, sizeof high);
}

/* The same of points side by side, two at once, so that none waits for the one before. */
static void take_pairs(SofaBox *box, const double *x, size_t n) {
  enum { GROUP = 2, N = 3 * GROUP };
  double low[N], high[N];
  for (int k = 0; k < N; k++) low[k] = box->min[k % 3], high[k] = box->max[k % 3];
  for (size_t i = 0; i < n / GROUP; i++, x += N) {
#pragma GCC unroll 6
    for (int k = 0; k < N; k++) {
      low[k] = x[k] < low[k] ? x[k] : low[k];
      high[k] = x[k] > high[k] ? x[k] : high[k];
    }
  }
  take_points(box, low, GROUP, 3);
  take_points(box, high, GROUP, 3);
  take_points(box, x, n % GROUP, 3);
}

/* The box around all states: the positions of bodies and of what shows them. What a kind of state
 * does not have is 0. */
static void measure(SceneView *view) {
  SofaBox box = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
  for (size_t i = 0; i < view->items.n; i++) {
    const SofaObject *object = view->items.data[i].object;
    if (!sofa_implements(object, SOFA_STATE)) continue;
    const SofaState *state = (const SofaState *)object;
    const size_t width = state->position.width;
    if (width == 3) take_pairs(&box, state->position.data, state->position.n);
    if (width > 3) take_points(&box, state->position.data, state->position.n, width);
    for (size_t j = 0; width < 3 && j < state->position.n; j++) {
      double p[3];
      sofa_state_point(state, j, p);
      take_points(&box, p, 1, 3);
    }
  }
  view->box = box;
}

/* ---- simulation and camera ---- */

/* Scenes that say how they are shown were made for the camera of SOFA. */
static void default_camera(SceneView *view) {
  const double *gravity = view->simulation->root->gravity.v;
  bool styled = view->recorded != NULL;
  for (size_t i = 0; i < view->nodes.n; i++) styled |= view->nodes.data[i].style != NULL;
  if (styled) sofa_camera_default(&view->camera, &view->box, gravity);
  else sofa_camera_three_quarters(&view->camera, &view->box, gravity);
}

void scene_view_reset_camera(SceneView *view, int width, int height, bool fit_only) {
  const double aspect = width > 0 && height > 0 ? (double)width / height : 4. / 3;
  if (!view->simulation) return;
  if (!fit_only) {
    default_camera(view);
    return;
  }
  sofa_camera_fit(&view->camera, &view->box, aspect);
}

static void place_camera(SceneView *view) {
  sofa_camera_init(&view->camera);
  if (view->recorded && sofa_base_camera_get(view->recorded, &view->camera)) return;
  default_camera(view);
}

SofaErr scene_view_open(SceneView *view, SofaSimulation *simulation, bool keep_camera) {
  renderer_forget(view->renderer);
  view->simulation = simulation;
  view->collected = view->plain_said = false;
  forget_collected(view);
  view->options.mark = NULL;
  color_field_close(view->ctx, &view->color);
  view->box = (SofaBox){{1, 1, 1}, {-1, -1, -1}};
  sofa_draw_clear(&view->extra);
  if (!simulation) return SOFA_OK;
  SOFA_TRY(collect(view));
  measure(view);
  if (!keep_camera) place_camera(view);
  return scene_view_update(view);
}

SofaErr scene_view_update(SceneView *view) {
  if (!view->simulation) return SOFA_OK;
  SOFA_TRY(collect(view));
  measure(view);
  if (view->recorded)
    sofa_base_camera_record(view->recorded, view->simulation->root->time, &view->camera);
  return SOFA_OK;
}

SofaCamera *scene_view_camera(SceneView *view) {
  return &view->camera;
}
SceneViewOptions *scene_view_options(SceneView *view) {
  return &view->options;
}
SofaDrawList *scene_view_extra(SceneView *view) {
  return &view->extra;
}
const SofaBox *scene_view_box(const SceneView *view) {
  return &view->box;
}
SceneViewStats scene_view_stats(const SceneView *view) {
  return view->stats;
}

/* ---- background ---- */

static void set_background(const SceneView *view, RenderView *out) {
  static const double top[3] = {0.42, 0.47, 0.53}, bottom[3] = {0.74, 0.77, 0.80};
  const SceneBackground wanted = view->options.background;
  const BackgroundSetting *b = wanted == SCENE_BACKGROUND_SCENE ? view->background : NULL;
  for (int k = 0; k < 3; k++) {
    out->top[k] = top[k];
    out->bottom[k] = bottom[k];
    if (b) out->top[k] = out->bottom[k] = b->color.rgba[k];
    if (wanted == SCENE_BACKGROUND_BLACK) out->top[k] = out->bottom[k] = 0;
    if (wanted == SCENE_BACKGROUND_WHITE) out->top[k] = out->bottom[k] = 1;
  }
  if (b) out->image = b->image.path;
}

/* ---- filling ---- */

static bool shows(const SceneView *view, const SceneItem *item, SofaDisplayFlag flag) {
  return sofa_display_shows(&view->nodes.data[item->node].flags, flag);
}

static SceneScope *scope_of(const SceneView *view, const SceneItem *item) {
  return &view->scopes.data[view->nodes.data[item->node].scope];
}

/* Lines along the normals of a surface, a fiftieth of the scene long. */
static void draw_normals(const SceneView *view, SofaDrawList *list, const SofaSurface *s) {
  double d[3];
  sofa_vec3_sub(view->box.max, view->box.min, d);
  const double length = 0.02 * sofa_vec3_norm(d);
  for (size_t i = 0; s->normal && i < s->n_points; i++) {
    double tip[3];
    sofa_vec3_copy(s->position + 3 * i, tip);
    sofa_vec3_axpy(length, s->normal + 3 * i, tip);
    sofa_draw_line(list, s->position + 3 * i, tip, 1, SOFA_RGB(1, 1, 1));
  }
}

static SofaErr take_surface(SceneView *view, SceneItem *item) {
  item->seen = (SofaSurface){.enabled = false};
  SOFA_TRY(sofa_data_pull(item->object, NULL));
  if (!shows(view, item, SOFA_DISPLAY_VISUAL_MODELS)) return SOFA_OK;
  if (item->surface->surface((SofaState *)item->object, &item->seen) == SOFA_OK) return SOFA_OK;
  item->seen.enabled = false;
  if (!item->failed) sofa_object_message(item->object, SOFA_WARNING, "it cannot be drawn");
  item->failed = true;
  return SOFA_OK;
}

/* The view's own marks. */
static void draw_marks(SceneView *view) {
  SofaDrawList *list = &view->scopes.data[0].list;
  if (view->options.box && is_valid_box(&view->box))
    sofa_draw_box(list, view->box.min, view->box.max, 1, SOFA_RGB(1, 1, 0));
  if (view->options.mark) {
    SofaBox box = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
    const SofaErr err = sofa_object_bounding_box(view->options.mark, &box);
    if (err == SOFA_OK && is_valid_box(&box))
      sofa_draw_box(list, box.min, box.max, 2, SOFA_RGB(1, 0.6, 0));
  }
  for (int axis = 0; view->options.axes && axis < 3; axis++) {
    double a[3] = {0, 0, 0}, b[3] = {0, 0, 0};
    const double reach = fabs(view->camera.distance) * 1e3;
    a[axis] = -reach;
    b[axis] = reach;
    sofa_draw_line(list, a, b, 1, SOFA_RGB(axis == 0, axis == 1, axis == 2));
  }
}

static SofaErr take_surfaces(SceneView *view) {
  SOFA_TRY(scene_view_measure_colors(view));
  for (size_t i = 0; i < view->items.n; i++)
    if (view->items.data[i].surface) SOFA_TRY(take_surface(view, &view->items.data[i]));
  return SOFA_OK;
}

static bool is_below(const SceneView *view, size_t node, const SofaNode *top) {
  for (;; node = view->nodes.data[node].parent) {
    if (view->nodes.data[node].node == top) return true;
    if (node == 0) return false;
  }
}

/* What a viewport or a pass shows: its node and those below; with tags, what has one of them. */
static void choose(SceneView *view, const SofaObject *v) {
  for (size_t i = 0; i < view->items.n; i++) {
    SceneItem *item = &view->items.data[i];
    item->here = true;
    if (!v) continue;
    item->here = is_below(view, item->node, v->node) &&
                 (!v->tags.words.n || scene_have_common_tag(&v->tags, &item->object->tags));
  }
}

/* The body in colours, moved and cut with its node, and its legend. */
static void draw_colored(SceneView *view, const RenderView *seen) {
  if (!view->color.state) return;
  const SceneNode *node = &view->nodes.data[rank_of(view, view->color.state->object.node)];
  const bool edges = sofa_display_shows(&node->flags, SOFA_DISPLAY_WIREFRAME);
  color_field_draw(&view->color, &view->scopes.data[node->scope].list, edges);
  SofaDrawList *world = &view->scopes.data[0].list;
  color_field_draw_legend(&view->color, world, seen->width, seen->height);
  world->layer = SOFA_LAYER_SCENE;
}

/* What components draw, as it is seen by a camera. Surfaces are there: what they find out (ranges
 * of numbers) is known to what is drawn beside them. */
static SofaErr fill(SceneView *view, const RenderView *seen) {
  SOFA_TRY(scene_view_update_scopes(view));
  for (size_t i = 0; i < view->items.n; i++) {
    SceneItem *item = &view->items.data[i];
    SofaDrawList *list = &scope_of(view, item)->list;
    if (!item->here) continue;
    if (item->seen.enabled && item->surface && shows(view, item, SOFA_DISPLAY_NORMALS))
      draw_normals(view, list, &item->seen);
    if (!item->draw) continue;
    SOFA_TRY(sofa_data_pull(item->object, NULL));
    SofaDrawArgs args = {.list = list,
                         .flags = &view->nodes.data[item->node].flags,
                         .box = &view->box,
                         .width = seen->width,
                         .height = seen->height,
                         .time = view->simulation->root->time};
    sofa_vec3_copy(seen->camera.position, args.eye);
    memcpy(args.orientation, seen->camera.orientation, sizeof args.orientation);
    list->layer = SOFA_LAYER_SCENE;
    item->draw->draw(item->object, &args);
    list->layer = SOFA_LAYER_SCENE;
  }
  draw_colored(view, seen);
  draw_marks(view);
  for (size_t i = 0; i < view->n_scopes; i++) SOFA_TRY(view->scopes.data[i].list.failure);
  return SOFA_OK;
}

/* Grows a box by points, but not farther than `reach` from the middle of the scene. */
static void grow(SofaBox *box, const double *center, double reach, const float p[3]) {
  for (int k = 0; k < 3; k++) {
    const double x = p[k];
    if (!(fabs(x - center[k]) < reach)) continue;
    if (x < box->min[k]) box->min[k] = x;
    if (x > box->max[k]) box->max[k] = x;
  }
}

/* The box around the states and what else is drawn, as far as ten times the size of the scene
 * (lines may be endless). */
static SofaBox drawn_box(const SceneView *view) {
  SofaBox box = view->box;
  double reach = INFINITY, center[3] = {0, 0, 0};
  if (is_valid_box(&box)) {
    reach = 10 * sofa_vec3_distance(box.min, box.max);
    for (int k = 0; k < 3; k++) center[k] = 0.5 * (box.min[k] + box.max[k]);
    if (!(reach > 0)) reach = 10;
  }
  for (size_t s = 0; s < view->n_scopes; s++) {
    const SofaDrawList *list = &view->scopes.data[s].list;
    for (int kind = 0; kind < SOFA_N_DRAW_KINDS; kind++) {
      const SofaDrawVertices *v = &list->vertices[SOFA_LAYER_SCENE][kind];
      for (size_t i = 0; i < v->n; i++) grow(&box, center, reach, v->data[i].p);
    }
    for (size_t i = 0; i < list->texts.n; i++)
      if (list->texts.data[i].layer != SOFA_LAYER_SCREEN)
        grow(&box, center, reach, list->texts.data[i].p);
  }
  return box;
}

/* The same with what is moved, where it is moved to. */
static SofaBox moved_box(const SceneView *view, SofaBox box) {
  SofaBox grown = box;
  for (size_t s = 0; s < view->n_scopes && is_valid_box(&box); s++)
    if (view->scopes.data[s].moved) scene_scope_box(&view->scopes.data[s], &box, &grown);
  return grown;
}

/* ---- drawing ---- */

static bool is_drawn(const SceneItem *item) {
  return item->here && item->surface && item->seen.enabled && item->seen.n_points > 0;
}

static SofaErr draw_surface(SceneView *view, SceneItem *item, RenderPass pass) {
  if (view->n_scopes > 1) renderer_scope(view->renderer, &scope_of(view, item)->how);
  if (view->n_shaders) renderer_shader(view->renderer, scene_view_shader(view, item));
  return renderer_surface(view->renderer, item->object, &item->seen, pass,
                          shows(view, item, SOFA_DISPLAY_WIREFRAME));
}

/* Distance of the middle of a surface along the view direction. */
static double depth_of(const RenderView *seen, const SofaSurface *s) {
  double min[3], max[3], middle[3], x, y, depth = 0;
  sofa_vec3_copy(s->position, min);
  sofa_vec3_copy(s->position, max);
  for (size_t i = 1; i < s->n_points; i++)
    for (int k = 0; k < 3; k++) {
      const double v = s->position[3 * i + (size_t)k];
      if (v < min[k]) min[k] = v;
      if (v > max[k]) max[k] = v;
    }
  for (int k = 0; k < 3; k++) middle[k] = 0.5 * (min[k] + max[k]);
  sofa_camera_project(&seen->camera, (SofaViewport){1, 1}, middle, &x, &y, &depth);
  return depth;
}

/* Opaque surfaces; the translucent ones are sorted, the farthest first. */
static SofaErr draw_opaque(SceneView *view, const RenderView *seen, size_t *n_translucent) {
  size_t n = 0;
  for (size_t i = 0; i < view->items.n; i++) {
    SceneItem *item = &view->items.data[i];
    if (!is_drawn(item)) continue;
    if (render_has_pass(&item->seen, RENDER_OPAQUE))
      SOFA_TRY(draw_surface(view, item, RENDER_OPAQUE));
    if (!render_has_pass(&item->seen, RENDER_TRANSLUCENT)) continue;
    item->depth = depth_of(seen, &item->seen);
    size_t at = n++;
    uint32_t *order = view->translucent.data;
    for (; at > 0 && view->items.data[order[at - 1]].depth < item->depth; at--)
      order[at] = order[at - 1];
    order[at] = (uint32_t)i;
  }
  *n_translucent = n;
  return SOFA_OK;
}

/* A function of the renderer for the lists of all scopes, then the world again. */
static void draw_lists(SceneView *view, void (*draw)(Renderer *, const SofaDrawList *)) {
  for (size_t i = view->n_scopes; i-- > 0;) {
    if (view->n_scopes > 1) renderer_scope(view->renderer, &view->scopes.data[i].how);
    draw(view->renderer, &view->scopes.data[i].list);
  }
  draw(view->renderer, &view->extra);
}

static bool has_front(const SceneView *view) {
  bool any = !render_is_empty(&view->extra, SOFA_LAYER_FRONT);
  for (size_t i = 0; i < view->n_scopes; i++)
    any |= !render_is_empty(&view->scopes.data[i].list, SOFA_LAYER_FRONT);
  return any;
}

/* The n translucent surfaces that draw_opaque found, and such triangles. */
static SofaErr draw_translucent(SceneView *view, const RenderView *seen, size_t n) {
  const OrderIndependentTransparencyManager *m = view->transparency;
  const bool sums = m && m->visual.enable && renderer_oit_begin(view->renderer);
  SofaErr err = SOFA_OK;
  if (sums) {
    err = draw_opaque(view, seen, &n);
    draw_lists(view, renderer_list);
    renderer_oit_accumulate(view->renderer, m->depth_scale);
  }
  for (size_t i = 0; i < n && err == SOFA_OK; i++)
    err = draw_surface(view, &view->items.data[view->translucent.data[i]], RENDER_TRANSLUCENT);
  draw_lists(view, renderer_list_translucent);
  if (sums) renderer_oit_end(view->renderer);
  return err;
}

static SofaErr draw_view(SceneView *view, const RenderView *seen, bool main) {
  size_t n = 0;
  renderer_view(view->renderer, seen);
  SOFA_TRY(draw_opaque(view, seen, &n));
  draw_lists(view, renderer_list);
  SOFA_TRY(draw_translucent(view, seen, n));
  draw_lists(view, renderer_list_texts);
  if (has_front(view)) renderer_clear_depth(view->renderer); // else the depths are of use
  draw_lists(view, renderer_list_front);
  if (!main) return SOFA_OK;
  if (view->manager && view->manager->debug) renderer_show_shadows(view->renderer);
  draw_lists(view, renderer_list_screen);
  return SOFA_OK;
}

SofaErr scene_view_draw_part(SceneView *view, const RenderView *seen, const SofaObject *chooser,
                             bool main) {
  choose(view, chooser);
  SOFA_TRY(fill(view, seen));
  return draw_view(view, seen, main);
}

/* What lies over the picture, of all objects. */
static SofaErr draw_screen(SceneView *view, const RenderView *seen) {
  choose(view, NULL);
  SOFA_TRY(fill(view, seen));
  draw_lists(view, renderer_list_screen);
  return SOFA_OK;
}

/* The main view: in passes, if the scene asks for them. What is filled is of all objects. */
static SofaErr draw_main(SceneView *view, const RenderView *seen) {
  bool drawn = false;
  SOFA_TRY(scene_view_draw_passes(view, seen, &drawn));
  return drawn ? draw_screen(view, seen) : draw_view(view, seen, true);
}

static SofaErr draw_shadows(SceneView *view) {
  const int n = renderer_shadow_layers(view->renderer);
  SofaErr err = SOFA_OK;
  for (int layer = 0; layer < n; layer++) {
    renderer_shadow_layer(view->renderer, layer);
    for (size_t i = 0; i < view->items.n && err == SOFA_OK; i++) {
      const SceneItem *item = &view->items.data[i];
      if (!is_drawn(item) || item->seen.no_shadow || !render_has_pass(&item->seen, RENDER_OPAQUE))
        continue;
      if (view->n_scopes > 1) renderer_scope(view->renderer, &scope_of(view, item)->how);
      err = renderer_shadow_surface(view->renderer, item->object, &item->seen);
    }
  }
  if (n) renderer_shadow_end(view->renderer);
  return err;
}

static bool is_shown(const SceneView *view, const OglViewport *v) {
  if (!v->visual.enable || !v->enabled || v->size.v[0] < 1 || v->size.v[1] < 1) return false;
  for (size_t i = 0; i < view->nodes.n && v->advanced; i++)
    if (view->nodes.data[i].node == v->visual.object.node)
      return sofa_display_shows(&view->nodes.data[i].flags, SOFA_DISPLAY_ADVANCED_RENDERING);
  return true;
}

/* The further views; the main one was `seen`, the camera of the view is what swapped ones show. */
static SofaErr draw_viewports(SceneView *view, const RenderView *seen) {
  for (size_t i = 0; i < view->viewports.n; i++) {
    const OglViewport *v = view->viewports.data[i];
    if (!is_shown(view, v)) continue;
    RenderView part = *seen;
    const int all[2] = {seen->width, seen->height};
    part.x = v->position.v[0] + (v->position.v[0] < 0 ? all[0] : 0);
    part.y = v->position.v[1] + (v->position.v[1] < 0 ? all[1] : 0);
    part.width = v->size.v[0];
    part.height = v->size.v[1];
    const SofaBox box = moved_box(view, view->box);
    if (v->swap) part.camera = view->camera;
    else sofa_ogl_viewport_camera(v, &box, &part.camera);
    SOFA_TRY(scene_view_draw_part(view, &part, &v->visual.object, false));
  }
  return SOFA_OK;
}

/* The camera of the main view: a viewport's that took its place, else the view's own. */
static SofaErr main_camera(SceneView *view, RenderView *seen) {
  seen->camera = view->camera;
  for (size_t i = 0; i < view->viewports.n; i++) {
    OglViewport *v = view->viewports.data[i];
    SOFA_TRY(sofa_data_pull(&v->visual.object, NULL));
    const SofaBox box = moved_box(view, view->box);
    if (is_shown(view, v) && v->swap) sofa_ogl_viewport_camera(v, &box, &seen->camera);
  }
  return SOFA_OK;
}

static SofaErr draw_picture(SceneView *view, RenderView *seen) {
  RenderFrame frame = {.n_lights = 0};
  SofaErr err = SOFA_OK;
  if (view->simulation) {
    choose(view, NULL);
    err = take_surfaces(view);
    if (err == SOFA_OK) err = scene_view_update_shaders(view);
    if (err == SOFA_OK) err = fill(view, seen);
    if (err == SOFA_OK) scene_view_fill_plain(view, seen);
  }
  const SofaBox box = moved_box(view, drawn_box(view));
  if (is_valid_box(&box) && !(view->recorded && !view->recorded->compute_z_clip))
    sofa_camera_clip(&view->camera, &box);
  if (err == SOFA_OK) err = main_camera(view, seen);
  const SofaBox casting = moved_box(view, view->box);
  scene_view_lights(view, &casting, &frame);
  frame.camera = seen->camera;
  frame.srgb = view->srgb && view->srgb->enable;
  renderer_begin(view->renderer, &frame);
  if (err == SOFA_OK) err = draw_shadows(view);
  if (err == SOFA_OK) err = draw_main(view, seen);
  else renderer_view(view->renderer, seen);
  if (err == SOFA_OK) err = draw_viewports(view, seen);
  renderer_end(view->renderer);
  return err;
}

SofaErr scene_view_draw(SceneView *view, int width, int height) {
  const double start = sofa_now();
  if (width < 1 || height < 1) return SOFA_OK;
  RenderView seen = {.width = width, .height = height, .camera = view->camera};
  if (view->simulation) {
    SOFA_TRY(collect(view));
    SOFA_TRY(color_field_refresh(view->simulation, &view->color));
  }
  scene_view_flags(view);
  set_background(view, &seen);
  const SofaErr err = draw_picture(view, &seen);
  sofa_draw_clear(&view->extra);
  const RenderStats drawn = renderer_stats(view->renderer);
  view->stats = (SceneViewStats){.seconds = sofa_now() - start,
                                 .call_seconds = drawn.call_seconds,
                                 .triangles = drawn.triangles,
                                 .uploaded_bytes = drawn.uploaded_bytes};
  return err;
}

/* ---- picking ---- */

static bool is_seen(void *user, const SofaObject *object) {
  const SceneView *view = user;
  if (!sofa_implements(object, SOFA_VISUAL_MODEL)) return true;
  for (size_t i = 0; i < view->items.n; i++)
    if (view->items.data[i].object == object) return view->items.data[i].seen.enabled;
  return false;
}

SofaErr scene_view_pick_surface(SceneView *view, SofaViewport viewport, double x, double y,
                                unsigned what, PickHit *hit) {
  PickRay ray = {.what = what, .wants = is_seen, .user = view, .least = view->camera.z_near};
  *hit = (PickHit){.state = NULL};
  if (!view->simulation || viewport.width < 1 || viewport.height < 1) return SOFA_OK;
  sofa_camera_ray(&view->camera, viewport, x, y, ray.origin, ray.direction);
  return pick_ray(view->simulation->root, &ray, hit);
}

void scene_view_pick(SceneView *view, SofaViewport viewport, double x, double y, double radius,
                     ScenePick *out) {
  double nearest = 0;
  *out = (ScenePick){.state = NULL};
  for (size_t i = 0; view->simulation && i < view->nodes.n; i++) {
    SofaState *state = (SofaState *)sofa_node_slot(view->nodes.data[i].node, SOFA_MECHANICAL_STATE);
    if (!state || state->object.kind == SOFA_NO_KIND) continue;
    const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
    for (size_t j = 0; kind->space >= 3 && j < state->position.n; j++) {
      const double *p = state->position.data + j * kind->coord;
      double px, py, depth;
      if (!sofa_camera_project(&view->camera, viewport, p, &px, &py, &depth)) continue;
      const double d = hypot(px - x, py - y);
      if (d > radius) continue;
      // in front of the others; a pixel off counts as much as a pixel behind
      const double pixel = depth / viewport.height;
      const double far = depth + d * pixel;
      if (out->state && far >= nearest) continue;
      nearest = far;
      *out = (ScenePick){.state = state, .point = j, .depth = depth};
      sofa_vec3_copy(p, out->position);
    }
  }
}
