/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TrailRenderer: the way that points took in the last steps. */
#include <string.h>

#include "behavior/checks.h"
#include "object/checkpoint.h"
#include "components/visual/color_map.h"
#include "components/visual/visual.h"
#include "object/data_graph.h"
#include "object/event.h"

typedef struct TrailRenderer {
  SofaVisual visual;
  SofaCoords position;
  uint32_t n_steps;
  char *color;
  double thickness;
  SofaColorMap map;
  SofaReals past;  /* n_steps x points x 3, a ring */
  size_t n_points; /* of a step of the ring */
  size_t n, next;  /* steps in the ring, where the next one goes */
} TrailRenderer;

typedef TrailRenderer SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(position, "position", NULL, "points whose way is drawn"),
    SOFA_ROW_DISPLAY(n_steps, "nbSteps", "100", "steps that are kept"),
    SOFA_ROW_DISPLAY(color, "color", "0 1 0 1",
                     "colour map along the trail, from the newest: a name or colours"),
    SOFA_ROW_DISPLAY(thickness, "thickness", "1", "width of the lines, pixels"),
};

static SofaErr init(SofaObject *object) {
  TrailRenderer *t = (TrailRenderer *)object;
  return sofa_keep_going(object, sofa_color_map_read(object, "color", t->color, &t->map));
}

static void destroy(SofaObject *object) {
  TrailRenderer *t = (TrailRenderer *)object;
  sofa_color_map_free(object->ctx, &t->map);
  sofa_list_free(object->ctx, &t->past);
}

static SofaErr forget(SofaObject *object) {
  ((TrailRenderer *)object)->n = 0;
  return SOFA_OK;
}

/* Remembers where the points are. Room is made when their number changes. */
static SofaErr remember(TrailRenderer *t) {
  const SofaObject *object = &t->visual.object;
  const unsigned space = sofa_state_kind_info(object->kind)->space;
  if (t->position.n == 0 || t->n_steps == 0) return SOFA_OK;
  if (t->n_points != t->position.n || t->past.n != 3 * t->n_points * t->n_steps) {
    SOFA_TRY(SOFA_RESIZE(object->ctx, &t->past, 3 * t->position.n * (size_t)t->n_steps));
    t->n_points = t->position.n;
    t->n = t->next = 0;
  }
  double *to = t->past.data + 3 * t->n_points * t->next;
  for (size_t i = 0; i < t->n_points; i++)
    for (unsigned k = 0; k < 3; k++)
      to[3 * i + k] = k < space ? t->position.data[i * t->position.width + k] : 0;
  t->next = (t->next + 1) % t->n_steps;
  if (t->n < t->n_steps) t->n++;
  return SOFA_OK;
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  if (event->type != SOFA_EVENT_ANIMATE_END) return SOFA_OK;
  SOFA_TRY(sofa_data_pull(object, NULL));
  return remember((TrailRenderer *)object);
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const TrailRenderer *t = (const TrailRenderer *)object;
  if (!t->visual.enable) return;
  for (size_t s = 0; s + 1 < t->n; s++) {
    const size_t a = (t->next + 2 * t->n_steps - 1 - s) % t->n_steps;
    const size_t b = (t->next + 2 * t->n_steps - 2 - s) % t->n_steps;
    const SofaRgba color = sofa_color_map_at(&t->map, (double)s / (double)t->n);
    for (size_t i = 0; i < t->n_points; i++)
      sofa_draw_line(args->list, t->past.data + 3 * (t->n_points * a + i),
                     t->past.data + 3 * (t->n_points * b + i), t->thickness, color);
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Rigid3d", "Vec1d", "Vec2d", NULL};

static const SofaKeptMember kept[] = {
    SOFA_KEEP_LIST(TrailRenderer, past),
    SOFA_KEEP(TrailRenderer, n_points),
    SOFA_KEEP(TrailRenderer, n),
    SOFA_KEEP(TrailRenderer, next),
};

static const SofaSparedMember spared[] = {
    SOFA_DRAWN(TrailRenderer, past),
    SOFA_DRAWN(TrailRenderer, n_points),
    SOFA_DRAWN(TrailRenderer, n),
    SOFA_DRAWN(TrailRenderer, next),
};

SOFA_CLASS(TrailRenderer) = {
    SOFA_NAMED(TrailRenderer),
    .module = "Sofa.Component.Visual",
    .category = "VisualModel",
    .help = "Draws the way that points took in the last steps.",
    .base = &sofa_visual_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    SOFA_FIELDS(fields),
    .templates = templates,
    .listening = true,
    .init = init,
    .reinit = init,
    .reset = forget,
    .handle_event = handle_event,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
