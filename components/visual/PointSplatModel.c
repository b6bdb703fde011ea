/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PointSplatModel: a sphere at each point of the state. */
#include "components/visual/visual.h"
#include "behavior/draw_state.h"

typedef struct PointSplatModel {
  SofaVisual visual;
  double radius, alpha;
  int texture_size;
  SofaColor color;
  SofaInts data;
} PointSplatModel;

typedef PointSplatModel SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(radius, "radius", "1", "radius of the splats, m"),
    SOFA_ROW_DISPLAY(texture_size, "textureSize", "32", "not used"),
    SOFA_ROW_DISPLAY(alpha, "alpha", "1", "opacity; splats are drawn as opaque spheres"),
    SOFA_ROW_DISPLAY(color, "color", "1 1 1 1", "colour"),
    SOFA_ROW_DISPLAY(data, "pointData", NULL, "not used"),
};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const PointSplatModel *m = (const PointSplatModel *)object;
  const SofaState *state = sofa_node_state(object->node);
  if (!m->visual.enable || !state) return;
  if (sofa_display_shows(args->flags, SOFA_DISPLAY_VISUAL_MODELS))
    sofa_draw_state_points(args->list, state, NULL, m->radius, sofa_rgba(&m->color));
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(PointSplatModel) = {
    SOFA_NAMED(PointSplatModel),
    .module = "Sofa.GL.Component.Rendering3D",
    .category = "VisualModel",
    .help = "A sphere at each point of the state in context.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
