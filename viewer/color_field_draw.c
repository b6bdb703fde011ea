/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Drawing of coloured fields, and of their legend. */
#include <string.h>

#include "behavior/draw_state.h"
#include "components/visual/legend.h"
#include "draw/faces.h"
#include "viewer/color_field.h"

static SofaRgba color_at(const ColorField *c, const BoundaryFace *face, int corner) {
  const size_t i = c->nodal ? face->v[corner] : face->element;
  return i < c->colors.n ? c->colors.data[i] : SOFA_RGB(0, 0, 0);
}

static void draw_face(const ColorField *c, SofaDrawList *list, const BoundaryFace *face,
                      bool edges) {
  const int n = face->v[3] == SOFA_NO_ELEMENT ? 3 : 4;
  const SofaRgba dark = SOFA_RGB(0.12, 0.12, 0.14);
  double p[4][3];
  SofaRgba color[4];
  for (int k = 0; k < n; k++) {
    sofa_state_point(c->places, face->v[k], p[k]);
    color[k] = color_at(c, face, k);
  }
  for (int k = 2; k < n; k++)
    sofa_draw_triangle_shaded(list, (const double *const[]){p[0], p[k - 1], p[k]},
                              (const SofaRgba[]){color[0], color[k - 1], color[k]});
  for (int k = 0; edges && k < n; k++) sofa_draw_line(list, p[k], p[(k + 1) % n], 1, dark);
}

/* A line in pieces of one colour each. */
static void draw_edge(const ColorField *c, SofaDrawList *list, const uint32_t *v, size_t element) {
  enum { PIECES = 8 };
  double a[3], b[3], from[3], to[3];
  if (v[0] >= c->state->position.n || v[1] >= c->state->position.n) return;
  sofa_state_point(c->places, v[0], a);
  sofa_state_point(c->places, v[1], b);
  const SofaRgba ends[2] = {c->colors.data[c->nodal ? v[0] : element],
                            c->colors.data[c->nodal ? v[1] : element]};
  for (int i = 0; i < PIECES; i++) {
    const float s = ((float)i + 0.5f) / PIECES;
    SofaRgba color = ends[0];
    for (int k = 0; k < 4; k++) color.v[k] = (1 - s) * ends[0].v[k] + s * ends[1].v[k];
    for (int k = 0; k < 3; k++) {
      from[k] = a[k] + (b[k] - a[k]) * i / PIECES;
      to[k] = a[k] + (b[k] - a[k]) * (i + 1) / PIECES;
    }
    sofa_draw_line(list, from, to, 4, color);
  }
}

void color_field_draw(const ColorField *c, SofaDrawList *list, bool edges) {
  if (!c->state) return;
  for (size_t i = 0; !c->n_lists && i < c->values.n; i++) {
    double p[3];
    sofa_state_point(c->places, i, p);
    sofa_draw_point(list, p, 10, c->colors.data[i]);
  }
  for (size_t i = 0; i < c->faces.n && c->n_lists; i++)
    draw_face(c, list, &c->faces.data[i], edges);
  for (size_t i = 0; i < c->n_lists; i++)
    for (size_t e = 0; c->kinds[i] == SOFA_ELEMENT_EDGE && e < c->lists[i].n; e++)
      draw_edge(c, list, c->lists[i].v + 2 * e, e);
}

void color_field_draw_legend(const ColorField *c, SofaDrawList *list, int width, int height) {
  SofaLegend legend = {.scale = 1, .title = c->title, .size = height < 600 ? 9 : 12, .y = 10};
  if (!c->state || !color_field_range(c, &legend.low, &legend.high)) return;
  legend.x = width - sofa_legend_width(&legend) - 10;
  if (legend.x < 0) legend.x = 0;
  sofa_draw_legend(list, &legend, height);
}
