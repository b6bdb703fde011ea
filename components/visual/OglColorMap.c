/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglColorMap: the colours of numbers, and their legend. */
#include "components/visual/OglColorMap.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

typedef OglColorMap SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(palette_size, "paletteSize", "256", "number of colours"),
    {.name = "colorScheme",
     .type = &sofa_type_option,
     .offset = offsetof(OglColorMap, scheme),
     .def = "viridis",
     .unit = "",
     .help = "the map: viridis, magma, plasma, inferno, Grey, Cool to Warm or one of SOFA's; "
             "default viridis (SOFA: HSV, whose rainbow shows edges where there are none)",
     .flags = SOFA_FIELD_DISPLAY,
     .options = sofa_color_map_names},
    SOFA_ROW_DISPLAY(show_legend, "showLegend", "0", "draw the legend"),
    SOFA_ROW_DISPLAY(legend_offset, "legendOffset", "10 5",
                     "place of the legend, pixels from the upper left"),
    SOFA_ROW_DISPLAY(legend_title, "legendTitle", NULL, "text above the legend"),
    SOFA_ROW_DISPLAY(legend_size, "legendSize", "11", "height of the legend's text, pixels"),
    SOFA_ROW_DISPLAY(min, "min", "0",
                     "number at the lower end; min and max equal: the range of what is drawn"),
    SOFA_ROW_DISPLAY(max, "max", "0", "number at the upper end"),
    SOFA_ROW_DISPLAY(legend_scale, "legendRangeScale", "1", "factor of the numbers written"),
};

bool sofa_color_map_range(const OglColorMap *map, double *low, double *high) {
  const bool limited = map->max > map->min;
  *low = limited ? map->min : map->low;
  *high = limited ? map->max : map->high;
  return *low <= *high;
}

static SofaErr construct(SofaObject *object) {
  OglColorMap *map = (OglColorMap *)object;
  map->low = map->shared.low = 1;
  return SOFA_OK;
}

/* Pixels of the picture, y down. */
typedef struct Rectangle {
  double x0, y0, x1, y1;
} Rectangle;

static void fill(SofaDrawList *list, Rectangle r, SofaRgba low, SofaRgba high) {
  const double a[3] = {r.x0, r.y1, 0}, b[3] = {r.x1, r.y1, 0};
  const double c[3] = {r.x1, r.y0, 0}, d[3] = {r.x0, r.y0, 0};
  const SofaRgba lower[3] = {low, low, high}, upper[3] = {low, high, high};
  sofa_draw_triangle_colors(list, (const double *const[]){a, b, c}, lower);
  sofa_draw_triangle_colors(list, (const double *const[]){a, c, d}, upper);
}

/* Numbers beside a bar that begins at `top` and is `high` pixels high: five, or one of a range
 * without extent. */
static void draw_numbers(const OglColorMap *m, SofaDrawList *list, double top, double high) {
  enum { NUMBERS = 5 };
  const double size = 1.3 * m->legend_size;
  double low = 0, upper = 0;
  if (!sofa_color_map_range(m, &low, &upper)) return;
  for (int i = 0; i < NUMBERS; i++) {
    char text[40];
    const double t = (double)i / (NUMBERS - 1);
    if (low == upper && i != NUMBERS / 2) continue;
    sofa_print_real(text, m->legend_scale * (low + t * (upper - low)), 3);
    const double p[3] = {m->legend_offset.v[0] + 34, top + high * (1 - t) + 0.35 * size, 0};
    sofa_draw_label(list, p, size, SOFA_RGB(1, 1, 1), text);
  }
}

/* A bar with numbers on a dark ground. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  enum { STEPS = 48 };
  const OglColorMap *m = (const OglColorMap *)object;
  SofaDrawList *list = args->list;
  const SofaRgba ground = SOFA_RGBA(0.05, 0.06, 0.08, 0.55), white = SOFA_RGB(1, 1, 1);
  if (!m->visual.enable || !m->show_legend) return;
  const double size = 1.3 * m->legend_size, x = m->legend_offset.v[0], y = m->legend_offset.v[1];
  const bool titled = m->legend_title && m->legend_title[0];
  const double top = y + 10 + (titled ? 1.6 * size : 0), high = 0.45 * args->height;
  double wide = 38 + 5 * size;
  if (titled && 20 + 0.62 * size * (double)strlen(m->legend_title) > wide)
    wide = 20 + 0.62 * size * (double)strlen(m->legend_title);
  list->layer = SOFA_LAYER_SCREEN;
  fill(list, (Rectangle){x, y, x + wide, top + high + 10}, ground, ground);
  for (int i = 0; i < STEPS; i++) {
    const double y0 = top + high * (STEPS - 1 - i) / STEPS;
    fill(list, (Rectangle){x + 10, y0, x + 28, y0 + high / STEPS},
         sofa_color_scheme_at(m->scheme.index, (double)i / STEPS),
         sofa_color_scheme_at(m->scheme.index, (i + 1.) / STEPS));
  }
  if (titled)
    sofa_draw_label(list, (double[3]){x + 10, y + 6 + size, 0}, 1.15 * size, white,
                    m->legend_title);
  draw_numbers(m, list, top, high);
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(OglColorMap) = {
    SOFA_NAMED(OglColorMap),
    .module = "Sofa.GL.Component.Rendering2D",
    .category = "VisualModel",
    .help = "The colours of numbers, and their legend. DataDisplay takes it.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
