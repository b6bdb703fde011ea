/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draw lists: appending points, lines, triangles, spheres and texts. */
#include "draw/faces.h"

#include <math.h>
#include <string.h>

const SofaInterface sofa_draw_interface = {.name = "drawing",
                                           SOFA_REQUIRES(offsetof(SofaDrawOps, draw))};

void sofa_draw_clear(SofaDrawList *list) {
  for (int l = 0; l < SOFA_N_DRAW_LAYERS; l++)
    for (int k = 0; k < SOFA_N_DRAW_KINDS; k++) list->vertices[l][k].n = 0;
  list->translucent.n = list->texts.n = list->characters.n = 0;
  list->layer = SOFA_LAYER_SCENE;
  list->failure = SOFA_OK;
}

void sofa_draw_free(SofaDrawList *list) {
  for (int l = 0; l < SOFA_N_DRAW_LAYERS; l++)
    for (int k = 0; k < SOFA_N_DRAW_KINDS; k++) sofa_list_free(list->ctx, &list->vertices[l][k]);
  sofa_list_free(list->ctx, &list->translucent);
  sofa_list_free(list->ctx, &list->texts);
  sofa_list_free(list->ctx, &list->characters);
}

SofaRgba sofa_rgba(const SofaColor *color) {
  SofaRgba r;
  for (int k = 0; k < 4; k++) r.v[k] = (float)color->rgba[k];
  return r;
}

/* ---- vertices ---- */

static void set_bytes(SofaRgba color, uint8_t rgba[4]) {
  for (int k = 0; k < 4; k++) {
    const float v = color.v[k];
    rgba[k] = (uint8_t)(v >= 1 ? 255 : v > 0 ? v * 255.f + 0.5f : 0);
  }
}

/* Room for n more vertices; NULL when there is none. */
static SofaDrawVertex *grow(SofaDrawList *list, SofaDrawVertices *to, size_t n) {
  if (list->failure != SOFA_OK) return NULL;
  const size_t start = to->n;
  if (start + n > to->capacity) {
    const size_t wanted = 2 * to->capacity > start + n ? 2 * to->capacity : start + n;
    list->failure = SOFA_RESERVE(list->ctx, to, wanted);
    if (list->failure != SOFA_OK) return NULL;
  }
  to->n = start + n;
  return to->data + start;
}

static void put(SofaDrawVertex *v, const double *p, double size, SofaRgba color) {
  for (int k = 0; k < 3; k++) v->p[k] = (float)p[k];
  v->size = (float)size;
  set_bytes(color, v->rgba);
}

void sofa_draw_point(SofaDrawList *list, const double *p, double pixels, SofaRgba color) {
  SofaDrawVertex *v = grow(list, &list->vertices[list->layer][SOFA_DRAW_POINTS], 1);
  if (v) put(v, p, pixels, color);
}

void sofa_draw_line(SofaDrawList *list, const double *a, const double *b, double pixels,
                    SofaRgba color) {
  SofaDrawVertex *v = grow(list, &list->vertices[list->layer][SOFA_DRAW_LINES], 2);
  if (!v) return;
  put(v, a, pixels, color);
  put(v + 1, b, pixels, color);
}

static void triangle(SofaDrawList *list, const double *const p[3], const SofaRgba color[3],
                     double unlit) {
  const bool clear = color[0].v[3] < 1 || color[1].v[3] < 1 || color[2].v[3] < 1;
  SofaDrawVertices *to = clear && list->layer == SOFA_LAYER_SCENE
                             ? &list->translucent
                             : &list->vertices[list->layer][SOFA_DRAW_TRIANGLES];
  SofaDrawVertex *v = grow(list, to, 3);
  for (int i = 0; v && i < 3; i++) put(v + i, p[i], unlit, color[i]);
}

void sofa_draw_triangle(SofaDrawList *list, const double *a, const double *b, const double *c,
                        SofaRgba color) {
  const SofaRgba colors[3] = {color, color, color};
  triangle(list, (const double *const[]){a, b, c}, colors, 0);
}

void sofa_draw_triangle_colors(SofaDrawList *list, const double *const p[3],
                               const SofaRgba color[3]) {
  triangle(list, p, color, 1);
}

void sofa_draw_triangle_shaded(SofaDrawList *list, const double *const p[3],
                               const SofaRgba color[3]) {
  triangle(list, p, color, 0);
}

void sofa_draw_quad(SofaDrawList *list, const double *a, const double *b, const double *c,
                    const double *d, SofaRgba color) {
  sofa_draw_triangle(list, a, b, c, color);
  sofa_draw_triangle(list, a, c, d, color);
}

void sofa_draw_sphere(SofaDrawList *list, const double *center, double radius, SofaRgba color) {
  SofaDrawVertex *v = grow(list, &list->vertices[list->layer][SOFA_DRAW_SPHERES], 1);
  if (v) put(v, center, radius, color);
}

/* ---- text ---- */

static void add_text(SofaDrawList *list, const double *p, double height, bool pixels,
                     SofaRgba color, const char *text) {
  if (list->failure != SOFA_OK || !text || !text[0]) return;
  SofaDrawText item = {.height = (float)height,
                       .pixels = pixels,
                       .layer = list->layer,
                       .start = list->characters.n,
                       .length = strlen(text)};
  for (int k = 0; k < 3; k++) item.p[k] = (float)p[k];
  set_bytes(color, item.rgba);
  list->failure = sofa_text_append(list->ctx, &list->characters, text, item.length);
  if (list->failure == SOFA_OK) list->failure = SOFA_APPEND(list->ctx, &list->texts, &item);
}

void sofa_draw_text(SofaDrawList *list, const double *p, double height, SofaRgba color,
                    const char *text) {
  add_text(list, p, height, false, color, text);
}

void sofa_draw_label(SofaDrawList *list, const double *p, double height, SofaRgba color,
                     const char *text) {
  add_text(list, p, height, true, color, text);
}

void sofa_draw_indices(SofaDrawList *list, const double *points, size_t n, size_t stride,
                       double height, SofaRgba color) {
  for (size_t i = 0; i < n; i++) {
    char digits[24];
    size_t at = sizeof digits - 1, rest = i;
    digits[at] = 0;
    do digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    sofa_draw_text(list, points + i * stride, height, color, digits + at);
  }
}
