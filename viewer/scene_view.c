/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Views of a simulation: what there is to see, and the order it is drawn in. */
#include "viewer/scene_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/profiler.h"
#include "behavior/draw_state.h"
#include "behavior/visual_model.h"
#include "components/setting/setting.h"
#include "components/visual/VisualStyle.h"
#include "components/visual/base_camera.h"
#include "components/visual/light.h"
#include "math/vec.h"
#include "object/data_graph.h"
#include "viewer/render/renderer.h"

/* An object that is seen, with what its node shows. */
typedef struct SceneItem {
  SofaObject *object;
  const SofaDrawOps *draw;           /* or NULL */
  const SofaVisualModelOps *surface; /* or NULL */
  size_t node;                       /* rank in SceneView.nodes */
  SofaSurface seen;                  /* of this picture; enabled false: not seen */
  double depth;                      /* of its centre, translucent ones */
  bool failed;                       /* was reported */
} SceneItem;
SOFA_LIST(SceneItem, SceneItems);

typedef struct SceneNode {
  SofaNode *node;
  const VisualStyle *style; /* or NULL */
  size_t parent;            /* rank; its own for the root */
  SofaDisplayFlags flags;   /* effective ones */
} SceneNode;
SOFA_LIST(SceneNode, SceneNodes);

struct SceneView {
  SofaContext *ctx;
  Renderer *renderer;
  SofaSimulation *simulation;
  uint64_t graph_version; /* of what was collected */
  bool collected;
  SceneNodes nodes;
  SceneItems items;
  SofaIndices translucent; /* items, the farthest first */
  const BackgroundSetting *background;
  const LightManager *manager;
  const BaseCamera *recorded; /* the camera of the scene, or NULL */
  SofaCamera camera;
  SceneViewOptions options;
  SofaDrawList list, extra;
  SofaBox box;
  SceneViewStats stats;
};

/* ---- creation ---- */

SofaErr scene_view_create(SofaContext *ctx, SceneView **out) {
  *out = NULL;
  SceneView *view = sofa_alloc(ctx, 1, sizeof *view);
  if (!view) return SOFA_ERR_MEMORY;
  view->ctx = view->list.ctx = view->extra.ctx = ctx;
  sofa_camera_init(&view->camera);
  const SofaErr err = renderer_create(ctx, &view->renderer);
  if (err != SOFA_OK) scene_view_destroy(&view);
  *out = view;
  return err;
}

void scene_view_destroy(SceneView **out) {
  SceneView *view = *out;
  if (!view) return;
  renderer_destroy(&view->renderer);
  sofa_list_free(view->ctx, &view->nodes);
  sofa_list_free(view->ctx, &view->items);
  sofa_list_free(view->ctx, &view->translucent);
  sofa_draw_free(&view->list);
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
  if (object->klass == &sofa_LightManager_class && !view->manager)
    view->manager = (const LightManager *)object;
  if (sofa_class_is_a(object->klass, &sofa_base_camera_class) && !view->recorded &&
      ((const BaseCamera *)object)->activated)
    view->recorded = (const BaseCamera *)object;
  const bool light = sofa_class_is_a(object->klass, &sofa_light_class);
  if (!item.draw && !item.surface && !light && !sofa_implements(object, SOFA_STATE)) return SOFA_OK;
  return SOFA_APPEND(view->ctx, &view->items, &item);
}

/* Lists nodes and what is seen of them, when the graph changed. */
static SofaErr collect(SceneView *view) {
  SofaNodes order = {0};
  SofaErr err = SOFA_OK;
  if (view->collected && view->graph_version == view->simulation->graph_version) return SOFA_OK;
  view->nodes.n = view->items.n = 0;
  view->background = NULL;
  view->manager = NULL;
  view->recorded = NULL;
  SOFA_GO(err, done, sofa_node_order(view->simulation->root, &order));
  for (size_t i = 0; i < order.n; i++) {
    SofaNode *node = order.data[i];
    const SceneNode entry = {.node = node, .parent = i ? rank_of(view, sofa_node_parent(node)) : 0};
    SOFA_GO(err, done, SOFA_APPEND(view->ctx, &view->nodes, &entry));
    for (size_t j = 0; j < node->objects.n; j++)
      SOFA_GO(err, done, collect_object(view, node->objects.data[j], i));
  }
  SOFA_GO(err, done, SOFA_RESIZE(view->ctx, &view->translucent, view->items.n));
  view->graph_version = view->simulation->graph_version;
done:
  view->collected = err == SOFA_OK;
  sofa_list_free(view->ctx, &order);
  return err;
}

/* Flags of every node: its parent's, overridden by its own, overridden by the view's. Without a
 * style at the root visual models are shown. */
static void effective_flags(SceneView *view) {
  SofaDisplayFlags start = {{0}};
  for (size_t i = 0; i < view->nodes.n; i++) {
    SceneNode *n = &view->nodes.data[i];
    start.value[SOFA_DISPLAY_VISUAL_MODELS] = i == 0 && !n->style;
    n->flags = i ? view->nodes.data[n->parent].flags : start;
    if (n->style) sofa_display_flags_override(&n->flags, &n->style->flags);
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

/* The box around all states: the positions of bodies and of what shows them. What a kind of state
 * does not have is 0. */
static void measure(SceneView *view) {
  SofaBox box = {{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};
  for (size_t i = 0; i < view->items.n; i++) {
    const SofaObject *object = view->items.data[i].object;
    if (!sofa_implements(object, SOFA_STATE)) continue;
    const SofaState *state = (const SofaState *)object;
    for (size_t j = 0; j < state->position.n; j++) {
      double p[3];
      sofa_state_point(state, j, p);
      for (int k = 0; k < 3; k++) {
        if (p[k] < box.min[k]) box.min[k] = p[k];
        if (p[k] > box.max[k]) box.max[k] = p[k];
      }
    }
  }
  view->box = box;
}

/* ---- simulation and camera ---- */

void scene_view_reset_camera(SceneView *view, int width, int height, bool fit_only) {
  const double aspect = width > 0 && height > 0 ? (double)width / height : 4. / 3;
  if (!view->simulation) return;
  if (!fit_only) {
    sofa_camera_default(&view->camera, &view->box, view->simulation->root->gravity.v);
    return;
  }
  sofa_camera_fit(&view->camera, &view->box, aspect);
}

static void place_camera(SceneView *view) {
  sofa_camera_init(&view->camera);
  if (view->recorded && base_camera_get(view->recorded, &view->camera)) return;
  sofa_camera_default(&view->camera, &view->box, view->simulation->root->gravity.v);
}

SofaErr scene_view_open(SceneView *view, SofaSimulation *simulation, bool keep_camera) {
  renderer_forget(view->renderer);
  view->simulation = simulation;
  view->collected = false;
  view->nodes.n = view->items.n = 0;
  view->background = NULL;
  view->manager = NULL;
  view->recorded = NULL;
  view->options.mark = NULL;
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
    base_camera_record(view->recorded, view->simulation->root->time, &view->camera);
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

/* ---- lights and background ---- */

/* What the view lights a scene with that has no LightManager: from the upper left behind the
 * viewer, and a weaker one from the right. */
static void own_lights(RenderFrame *frame) {
  static const RenderLight lights[] = {
      {.of_eye = true, .position = {-0.4, 0.6, 0.8, 0}, .color = {0.66, 0.66, 0.66}, .cutoff = 180},
      {.of_eye = true, .position = {0.8, -0.1, 0.5, 0}, .color = {0.22, 0.22, 0.25}, .cutoff = 180},
  };
  memcpy(frame->lights, lights, sizeof lights);
  frame->n_lights = 2;
  for (int k = 0; k < 3; k++) frame->ambient[k] = 1;
}

static RenderLight light_of(const SofaLight *light) {
  const SofaClass *klass = light->visual.object.klass;
  RenderLight out = {.cutoff = 180};
  for (int k = 0; k < 3; k++) out.color[k] = light->color.rgba[k];
  if (klass == &sofa_DirectionalLight_class) {
    const DirectionalLight *d = (const DirectionalLight *)light;
    for (int k = 0; k < 3; k++) out.position[k] = -d->direction.v[k];
    return out;
  }
  const PositionalLight *p = (const PositionalLight *)light;
  out.of_eye = p->fixed;
  out.attenuation = p->attenuation;
  sofa_vec3_copy(p->position.v, out.position);
  out.position[3] = 1;
  if (klass != &sofa_SpotLight_class) return out;
  const SpotLight *s = (const SpotLight *)light;
  out.cutoff = s->cutoff;
  out.exponent = s->exponent;
  sofa_vec3_copy(s->direction.v, out.direction);
  if (s->look_at) sofa_vec3_sub(s->direction.v, p->position.v, out.direction);
  return out;
}

static void scene_lights(const SceneView *view, RenderFrame *frame) {
  for (int k = 0; k < 3; k++) frame->ambient[k] = view->manager->ambient.rgba[k];
  for (size_t i = 0; i < view->items.n && frame->n_lights < RENDER_MAX_LIGHTS; i++) {
    const SofaObject *object = view->items.data[i].object;
    if (sofa_class_is_a(object->klass, &sofa_light_class) && ((const SofaVisual *)object)->enable)
      frame->lights[frame->n_lights++] = light_of((const SofaLight *)object);
  }
}

static void set_background(const SceneView *view, RenderFrame *frame) {
  static const double top[3] = {0.42, 0.47, 0.53}, bottom[3] = {0.74, 0.77, 0.80};
  const SceneBackground wanted = view->options.background;
  const BackgroundSetting *b = wanted == SCENE_BACKGROUND_SCENE ? view->background : NULL;
  for (int k = 0; k < 3; k++) {
    frame->top[k] = top[k];
    frame->bottom[k] = bottom[k];
    if (b) frame->top[k] = frame->bottom[k] = b->color.rgba[k];
    if (wanted == SCENE_BACKGROUND_BLACK) frame->top[k] = frame->bottom[k] = 0;
    if (wanted == SCENE_BACKGROUND_WHITE) frame->top[k] = frame->bottom[k] = 1;
  }
  if (b) frame->image = b->image.path;
}

/* ---- filling ---- */

static bool shows(const SceneView *view, const SceneItem *item, SofaDisplayFlag flag) {
  return sofa_display_shows(&view->nodes.data[item->node].flags, flag);
}

/* Lines along the normals of a surface, a fiftieth of the scene long. */
static void draw_normals(SceneView *view, const SofaSurface *s) {
  double d[3];
  sofa_vec3_sub(view->box.max, view->box.min, d);
  const double length = 0.02 * sofa_vec3_norm(d);
  for (size_t i = 0; s->normal && i < s->n_points; i++) {
    double tip[3];
    sofa_vec3_copy(s->position + 3 * i, tip);
    sofa_vec3_axpy(length, s->normal + 3 * i, tip);
    sofa_draw_line(&view->list, s->position + 3 * i, tip, 1, SOFA_RGB(1, 1, 1));
  }
}

static void take_surface(SceneView *view, SceneItem *item) {
  item->seen = (SofaSurface){.enabled = false};
  if (!shows(view, item, SOFA_DISPLAY_VISUAL_MODELS)) return;
  if (item->surface->surface((SofaState *)item->object, &item->seen) != SOFA_OK) {
    item->seen.enabled = false;
    if (!item->failed) sofa_object_message(item->object, SOFA_WARNING, "it cannot be drawn");
    item->failed = true;
    return;
  }
  if (item->seen.enabled && shows(view, item, SOFA_DISPLAY_NORMALS))
    draw_normals(view, &item->seen);
}

/* The view's own marks. */
static void draw_marks(SceneView *view) {
  SofaDrawList *list = &view->list;
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

static SofaErr fill(SceneView *view, int width, int height) {
  sofa_draw_clear(&view->list);
  for (size_t i = 0; i < view->items.n; i++) {
    SceneItem *item = &view->items.data[i];
    if (item->surface) SOFA_TRY(sofa_data_pull(item->object, NULL));
    if (item->surface) take_surface(view, item);
  }

  // what surfaces find out (ranges of numbers) is known to what is drawn beside them
  for (size_t i = 0; i < view->items.n; i++) {
    SceneItem *item = &view->items.data[i];
    if (!item->draw) continue;
    SOFA_TRY(sofa_data_pull(item->object, NULL));
    SofaDrawArgs args = {.list = &view->list,
                         .flags = &view->nodes.data[item->node].flags,
                         .box = &view->box,
                         .width = width,
                         .height = height,
                         .time = view->simulation->root->time};
    sofa_vec3_copy(view->camera.position, args.eye);
    memcpy(args.orientation, view->camera.orientation, sizeof args.orientation);
    view->list.layer = SOFA_LAYER_SCENE;
    item->draw->draw(item->object, &args);
  }
  view->list.layer = SOFA_LAYER_SCENE;
  draw_marks(view);
  return view->list.failure;
}

/* Planes of the camera: around the states and what else is drawn, as far as ten times the size of
 * the scene (lines may be endless). */
static void set_planes(SceneView *view) {
  SofaBox box = view->box;
  double reach = INFINITY, center[3] = {0, 0, 0};
  if (view->recorded && !view->recorded->compute_z_clip) return;
  if (is_valid_box(&box)) {
    reach = 10 * sofa_vec3_distance(box.min, box.max);
    for (int k = 0; k < 3; k++) center[k] = 0.5 * (box.min[k] + box.max[k]);
    if (!(reach > 0)) reach = 10;
  }
  for (int kind = 0; kind < SOFA_N_DRAW_KINDS; kind++) {
    const SofaDrawVertices *v = &view->list.vertices[SOFA_LAYER_SCENE][kind];
    for (size_t i = 0; i < v->n; i++)
      for (int k = 0; k < 3; k++) {
        const double x = v->data[i].p[k];
        if (!(fabs(x - center[k]) < reach)) continue;
        if (x < box.min[k]) box.min[k] = x;
        if (x > box.max[k]) box.max[k] = x;
      }
  }
  for (size_t i = 0; i < view->list.texts.n; i++)
    for (int k = 0; k < 3 && view->list.texts.data[i].layer != SOFA_LAYER_SCREEN; k++) {
      const double x = view->list.texts.data[i].p[k];
      if (!(fabs(x - center[k]) < reach)) continue;
      if (x < box.min[k]) box.min[k] = x;
      if (x > box.max[k]) box.max[k] = x;
    }
  if (is_valid_box(&box)) sofa_camera_clip(&view->camera, &box);
}

/* ---- drawing ---- */

static SofaErr draw_surface(SceneView *view, SceneItem *item, RenderPass pass) {
  return renderer_surface(view->renderer, item->object, &item->seen, pass,
                          shows(view, item, SOFA_DISPLAY_WIREFRAME));
}

/* Distance of the middle of a surface along the view direction. */
static double depth_of(const SceneView *view, const SofaSurface *s) {
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
  sofa_camera_project(&view->camera, 1, 1, middle, &x, &y, &depth);
  return depth;
}

/* Opaque surfaces; the translucent ones are sorted, the farthest first. */
static SofaErr draw_opaque(SceneView *view, size_t *n_translucent) {
  size_t n = 0;
  for (size_t i = 0; i < view->items.n; i++) {
    SceneItem *item = &view->items.data[i];
    if (!item->surface || !item->seen.enabled || item->seen.n_points == 0) continue;
    if (render_has_pass(&item->seen, RENDER_OPAQUE))
      SOFA_TRY(draw_surface(view, item, RENDER_OPAQUE));
    if (!render_has_pass(&item->seen, RENDER_TRANSLUCENT)) continue;
    item->depth = depth_of(view, &item->seen);
    size_t at = n++;
    uint32_t *order = view->translucent.data;
    for (; at > 0 && view->items.data[order[at - 1]].depth < item->depth; at--)
      order[at] = order[at - 1];
    order[at] = (uint32_t)i;
  }
  *n_translucent = n;
  return SOFA_OK;
}

static SofaErr draw_all(SceneView *view) {
  size_t n = 0;
  SOFA_TRY(draw_opaque(view, &n));
  renderer_list(view->renderer, &view->list);
  renderer_list(view->renderer, &view->extra);
  for (size_t i = 0; i < n; i++)
    SOFA_TRY(draw_surface(view, &view->items.data[view->translucent.data[i]], RENDER_TRANSLUCENT));
  renderer_list_translucent(view->renderer, &view->list);
  renderer_list_translucent(view->renderer, &view->extra);
  renderer_list_front(view->renderer, &view->list);
  renderer_list_front(view->renderer, &view->extra);
  return SOFA_OK;
}

SofaErr scene_view_draw(SceneView *view, int width, int height) {
  const double start = sofa_now();
  SofaErr err = SOFA_OK;
  RenderFrame frame = {.width = width, .height = height};
  if (width < 1 || height < 1) return SOFA_OK;
  if (view->simulation) SOFA_TRY(collect(view));
  effective_flags(view);
  if (view->simulation) err = fill(view, width, height);
  set_planes(view);
  frame.camera = view->camera;
  if (view->manager && view->manager->visual.enable) scene_lights(view, &frame);
  else own_lights(&frame);
  set_background(view, &frame);
  renderer_begin(view->renderer, &frame);
  if (err == SOFA_OK) err = draw_all(view);
  renderer_end(view->renderer);
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

SofaErr scene_view_pick_surface(SceneView *view, int width, int height, double x, double y,
                                unsigned what, PickHit *hit) {
  PickRay ray = {.what = what, .wants = is_seen, .user = view, .least = view->camera.z_near};
  *hit = (PickHit){.state = NULL};
  if (!view->simulation || width < 1 || height < 1) return SOFA_OK;
  sofa_camera_ray(&view->camera, width, height, x, y, ray.origin, ray.direction);
  return pick_ray(view->simulation->root, &ray, hit);
}

void scene_view_pick(SceneView *view, int width, int height, double x, double y, double radius,
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
      if (!sofa_camera_project(&view->camera, width, height, p, &px, &py, &depth)) continue;
      const double d = hypot(px - x, py - y);
      if (d > radius) continue;
      // in front of the others; a pixel off counts as much as a pixel behind
      const double pixel = depth / height;
      const double far = depth + d * pixel;
      if (out->state && far >= nearest) continue;
      nearest = far;
      *out = (ScenePick){.state = state, .point = j, .depth = depth};
      sofa_vec3_copy(p, out->position);
    }
  }
}
