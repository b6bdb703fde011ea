/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CylinderVisualModel: a cylinder along each edge of a topology. */
#include "components/visual/visual.h"
#include "behavior/draw_state.h"

typedef struct CylinderVisualModel {
  SofaState state;
  bool enable;
  SofaVec3s rest_position, normal;
  double radius;
  SofaColor color;
  SofaEdges edges;
} CylinderVisualModel;

typedef CylinderVisualModel SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(enable, "enable", "1", "draw it"),
    SOFA_ROW_DISPLAY(rest_position, "restPosition", NULL, "positions at rest"),
    SOFA_ROW_DISPLAY(normal, "normal", NULL, "not used"),
    SOFA_ROW_DISPLAY(radius, "radius", "1", "radius of the cylinders, m"),
    SOFA_ROW_DISPLAY(color, "color", "1 1 1 1", "colour"),
    SOFA_ROW_DISPLAY(edges, "edges", NULL,
                     "edges to draw; default: those of the topology in context"),
};

static SofaErr init(SofaObject *object) {
  CylinderVisualModel *c = (CylinderVisualModel *)object;
  SofaTopology *t = sofa_node_topology(object->node);
  if (c->state.position.n || !t) return SOFA_OK;
  SOFA_TRY(sofa_state_resize(&c->state, t->n_points));
  for (size_t i = 0; i < t->n_points; i++)
    sofa_topology_point(t, i, c->state.position.data + 3 * i);
  return SOFA_OK;
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const CylinderVisualModel *c = (const CylinderVisualModel *)object;
  SofaTopology *t = sofa_node_topology(object->node);
  const SofaEdges *edges = c->edges.n || !t ? &c->edges : sofa_topology_edges(t);
  if (!c->enable || !sofa_display_shows(args->flags, SOFA_DISPLAY_VISUAL_MODELS)) return;
  for (size_t i = 0; i < edges->n; i++) {
    const uint32_t *v = edges->data[i].v;
    if (v[0] >= c->state.position.n || v[1] >= c->state.position.n) continue;
    sofa_draw_tube(args->list, c->state.position.data + 3 * (size_t)v[0],
                   c->state.position.data + 3 * (size_t)v[1], c->radius, c->radius,
                   sofa_rgba(&c->color));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(CylinderVisualModel) = {
    SOFA_NAMED(CylinderVisualModel),
    .module = "Sofa.Component.Visual",
    .category = "VisualModel",
    .help = "A cylinder along each edge.",
    .base = &sofa_state_class,
    SOFA_FIELDS(fields),
    .construct = sofa_visual_state_construct,
    .init = init,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
