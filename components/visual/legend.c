/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing of legends. */
#include "components/visual/legend.h"

#include <math.h>
#include <string.h>

#include "base/text.h"

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
static void draw_numbers(const SofaLegend *m, SofaDrawList *list, double top, double high) {
  enum { NUMBERS = 5 };
  const double size = 1.3 * m->size;
  if (m->low > m->high) return;
  for (int i = 0; i < NUMBERS; i++) {
    char text[40];
    const double t = (double)i / (NUMBERS - 1);
    if (m->low == m->high && i != NUMBERS / 2) continue;
    sofa_print_real(text, m->scale * (m->low + t * (m->high - m->low)), 3);
    const double p[3] = {m->x + 34, top + high * (1 - t) + 0.35 * size, 0};
    sofa_draw_label(list, p, size, SOFA_RGB(1, 1, 1), text);
  }
}

double sofa_legend_width(const SofaLegend *m) {
  const double size = 1.3 * m->size;
  return fmax(38 + 5 * size, m->title[0] ? 20 + 0.62 * size * (double)strlen(m->title) : 0);
}

/* A bar with numbers on a dark ground. */
void sofa_draw_legend(SofaDrawList *list, const SofaLegend *m, int height) {
  enum { STEPS = 48 };
  const SofaRgba ground = SOFA_RGBA(0.05, 0.06, 0.08, 0.55), white = SOFA_RGB(1, 1, 1);
  const double size = 1.3 * m->size, x = m->x, y = m->y;
  const double top = y + 10 + (m->title[0] ? 1.6 * size : 0), high = 0.45 * height;
  const double wide = sofa_legend_width(m);
  list->layer = SOFA_LAYER_SCREEN;
  fill(list, (Rectangle){x, y, x + wide, top + high + 10}, ground, ground);
  for (int i = 0; i < STEPS; i++) {
    const double y0 = top + high * (STEPS - 1 - i) / STEPS;
    fill(list, (Rectangle){x + 10, y0, x + 28, y0 + high / STEPS},
         sofa_color_scheme_at(m->scheme, (double)i / STEPS),
         sofa_color_scheme_at(m->scheme, (i + 1.) / STEPS));
  }
  if (m->title[0])
    sofa_draw_label(list, (double[3]){x + 10, y + 6 + size, 0}, 1.15 * size, white, m->title);
  draw_numbers(m, list, top, high);
}
