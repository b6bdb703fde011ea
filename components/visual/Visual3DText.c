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

#define ROW(member, xml, def, help_text, ...)                                                      \
  SOFA_VISUAL_FIELD(Visual3DText, member, xml, def, help_text, __VA_ARGS__)

static const SofaField fields[] = {
    ROW(text, "text", "", "the text", .aliases = NULL),
    ROW(position, "position", "0 0 0", "left end of its base line, m", .aliases = NULL),
    ROW(scale, "scale", "1", "height of a line, m", .aliases = NULL),
    ROW(color, "color", "1 1 1 1", "colour", .aliases = NULL),
    ROW(depth_test, "depthTest", "1", "objects in front hide it", .aliases = NULL),
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
