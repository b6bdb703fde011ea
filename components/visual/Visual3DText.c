/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Visual3DText: a line of text at a place in the scene. */
#include "components/visual/visual.h"

typedef struct Visual3DText {
  SofaVisual visual;
  char *text;
  SofaVec3 position;
  double scale;
  SofaColor color;
  bool depth_test;
} Visual3DText;

typedef Visual3DText SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(text, "text", "", "the text"),
    SOFA_ROW_DISPLAY(position, "position", "0 0 0", "left end of its base line, m"),
    SOFA_ROW_DISPLAY(scale, "scale", "1", "height of a line, m"),
    SOFA_ROW_DISPLAY(color, "color", "1 1 1 1", "colour"),
    SOFA_ROW_DISPLAY(depth_test, "depthTest", "1", "objects in front hide it"),
};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const Visual3DText *t = (const Visual3DText *)object;
  if (!t->visual.enable) return;
  if (!t->depth_test) args->list->layer = SOFA_LAYER_FRONT;
  sofa_draw_text(args->list, t->position.v, t->scale, sofa_rgba(&t->color), t->text);
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(Visual3DText) = {
    SOFA_NAMED(Visual3DText),
    .module = "Sofa.Component.Visual",
    .category = "VisualModel",
    .help = "A line of text at a place in the scene, turned to the viewer.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
