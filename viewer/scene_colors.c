/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The colours of numbers in a view: the ranges that displays and maps share, and the body that the
 * user wants to see in colours. */
#include "object/data_graph.h"
#include "viewer/scene_view_impl.h"

SofaErr scene_view_measure_colors(SceneView *view) {
  for (size_t i = 0; i < view->items.n; i++)
    if (view->items.data[i].object->klass == &sofa_OglColorMap_class)
      sofa_color_map_forget(view->items.data[i].object);
  for (size_t i = 0; i < view->items.n; i++) {
    SceneItem *item = &view->items.data[i];
    if (item->object->klass != &sofa_DataDisplay_class) continue;
    SOFA_TRY(sofa_data_pull(item->object, NULL));
    const SofaDisplayFlags *flags = &view->nodes.data[item->node].flags;
    if (sofa_display_shows(flags, SOFA_DISPLAY_VISUAL_MODELS))
      sofa_data_display_measure(item->object);
  }
  return SOFA_OK;
}

void scene_view_rescale(SceneView *view) {
  for (size_t i = 0; i < view->items.n; i++)
    if (view->items.data[i].object->klass == &sofa_DataDisplay_class)
      sofa_data_display_rescale(view->items.data[i].object);
  view->color.used = (SofaColorRange){1, 0};
}

SofaErr scene_view_measure_ranges(SceneView *view, SofaContext *ctx, SofaColorRanges *ranges) {
  size_t n = 0;
  SOFA_TRY(scene_view_update(view));
  SOFA_TRY(color_field_refresh(view->simulation, &view->color));
  scene_view_flags(view);
  SOFA_TRY(scene_view_measure_colors(view));
  for (size_t i = 0; i < view->items.n; i++) {
    const SofaColorRange none = {1, 0};
    const SofaObject *object = view->items.data[i].object;
    if (!sofa_has_colors(object)) continue;
    if (n == ranges->n) SOFA_TRY(SOFA_APPEND(ctx, ranges, &none));
    sofa_color_range_widen(object, &ranges->data[n++]);
  }
  if (!color_field_is_open(&view->color)) return SOFA_OK;
  // its own range only grows
  if (n == ranges->n) return SOFA_APPEND(ctx, ranges, &view->color.used);
  ranges->data[n] = view->color.used;
  return SOFA_OK;
}

void scene_view_share_ranges(SceneView *view, const SofaColorRanges *ranges) {
  size_t n = 0;
  const bool colored = color_field_is_open(&view->color);
  for (size_t i = 0; i < view->items.n; i++) n += sofa_has_colors(view->items.data[i].object);
  if (n + colored != ranges->n) return;
  if (colored) view->color.shared = ranges->data[n];
  for (size_t i = view->items.n; i-- > 0;)
    if (sofa_has_colors(view->items.data[i].object))
      sofa_color_range_share(view->items.data[i].object, &ranges->data[--n]);
}

void scene_view_report_ranges(const SceneView *view) {
  for (size_t i = 0; i < view->items.n; i++)
    if (view->items.data[i].object->klass == &sofa_DataDisplay_class)
      sofa_data_display_report(view->items.data[i].object);
}

SofaErr scene_view_color(SceneView *view, const char *text, SofaColorRange range) {
  ColorField made = {.state = NULL};
  if (text && view->simulation) SOFA_TRY(color_field_open(view->simulation, text, range, &made));
  color_field_close(view->ctx, &view->color);
  view->color = made;
  return SOFA_OK;
}

bool scene_view_color_range(const SceneView *view, double *low, double *high) {
  return color_field_is_open(&view->color) && color_field_range(&view->color, low, high);
}
