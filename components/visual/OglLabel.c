/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglLabel: a line of text in the picture. */
#include "components/visual/visual.h"

typedef struct OglLabel {
  SofaVisual visual;
  char *prefix, *label, *suffix;
  uint32_t x, y, font_size, every;
  SofaColor color;
  bool contrast;
} OglLabel;

typedef OglLabel SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(prefix, "prefix", "", "text before"),
    SOFA_ROW_DISPLAY(label, "label", "", "the text; often linked to a value"),
    SOFA_ROW_DISPLAY(suffix, "suffix", "", "text behind"),
    SOFA_ROW_DISPLAY(x, "x", "10", "from the left side, pixels"),
    SOFA_ROW_DISPLAY(y, "y", "10", "from the upper side, pixels"),
    SOFA_ROW_DISPLAY(font_size, "fontsize", "14", "height of a line, pixels"),
    SOFA_ROW_DISPLAY(color, "color", "0.5 0.5 0.5 1", "colour"),
    SOFA_ROW_DISPLAY(contrast, "selectContrastingColor", "0",
                     "black or white, whatever is behind; not used"),
    SOFA_ROW_DISPLAY(every, "updateLabelEveryNbSteps", "0",
                     "steps between changes of the text; it always shows the value"),
};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const OglLabel *l = (const OglLabel *)object;
  const char *parts[] = {l->prefix, l->label, l->suffix};
  char text[256];
  size_t n = 0;
  if (!l->visual.enable) return;
  for (int i = 0; i < 3; i++)
    for (const char *at = parts[i] ? parts[i] : ""; *at && n + 1 < sizeof text; at++)
      text[n++] = *at;
  text[n] = 0;
  args->list->layer = SOFA_LAYER_SCREEN;
  const double p[3] = {l->x, (double)l->y + l->font_size, 0};
  sofa_draw_label(args->list, p, 1.25 * l->font_size, sofa_rgba(&l->color), text);
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(OglLabel) = {
    SOFA_NAMED(OglLabel),
    .module = "Sofa.GL.Component.Rendering2D",
    .category = "VisualModel",
    .help = "A line of text in the picture: prefix, label, suffix.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
