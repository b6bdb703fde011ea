/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglSceneFrame: the directions of the axes, in a corner of the picture. */
#include "components/visual/visual.h"
#include "math/quaternion.h"

typedef struct OglSceneFrame {
  SofaVisual visual;
  bool shown;
  SofaOption style, alignment;
  int size;
} OglSceneFrame;

static const char *const styles[] = {"Arrows", "Cylinders", "CubeCones", NULL};
static const char *const corners[] = {"BottomLeft", "BottomRight", "TopRight", "TopLeft", NULL};

typedef OglSceneFrame SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(shown, "draw", "1", "draw it"),
    SOFA_ROW_DISPLAY(style, "style", "Cylinders", "shape of the axes", .options = styles),
    SOFA_ROW_DISPLAY(alignment, "alignment", "BottomRight", "corner of the picture",
                     .options = corners),
    SOFA_ROW_DISPLAY(size, "viewportSize", "150", "side of the square it is drawn in, pixels"),
};

/* The axes as lines on the screen, the farthest first. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const OglSceneFrame *f = (const OglSceneFrame *)object;
  static const char *const names[] = {"x", "y", "z"};
  const double half = 0.5 * f->size, length = 0.32 * f->size;
  double axes[3][3];
  int order[3] = {0, 1, 2};
  if (!f->visual.enable || !f->shown) return;
  for (int i = 0; i < 3; i++) {
    const double unit[3] = {i == 0, i == 1, i == 2};
    sofa_quat_rotate_inverse(args->orientation, unit, axes[i]);
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2 - i; j++)
      if (axes[order[j]][2] > axes[order[j + 1]][2]) {
        const int kept = order[j];
        order[j] = order[j + 1];
        order[j + 1] = kept;
      }
  const bool right = f->alignment.index == 1 || f->alignment.index == 2;
  const bool top = f->alignment.index >= 2;
  const double center[3] = {right ? args->width - half : half, top ? half : args->height - half, 0};
  args->list->layer = SOFA_LAYER_SCREEN;
  for (int i = 0; i < 3; i++) {
    const double *a = axes[order[i]];
    const SofaRgba color = SOFA_RGB(order[i] == 0, order[i] == 1, order[i] == 2);
    const double tip[3] = {center[0] + length * a[0], center[1] - length * a[1], 0};
    const double place[3] = {center[0] + 1.2 * length * a[0] - 4,
                             center[1] - 1.2 * length * a[1] + 4, 0};
    sofa_draw_line(args->list, center, tip, f->style.index == 0 ? 2 : 4, color);
    sofa_draw_point(args->list, tip, f->style.index == 0 ? 6 : 9, color);
    sofa_draw_label(args->list, place, 16, color, names[order[i]]);
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(OglSceneFrame) = {
    SOFA_NAMED(OglSceneFrame),
    .module = "Sofa.GL.Component.Rendering3D",
    .category = "VisualModel",
    .help = "Shows the directions of the axes in a corner of the picture.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
