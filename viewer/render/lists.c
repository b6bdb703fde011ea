/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws what components put into lists, and texts. */
#include <math.h>
#include <string.h>

#include "viewer/render/renderer_impl.h"

/* ---- draw lists ---- */

static void draw_items(Renderer *r, const SofaDrawVertices *items, SofaDrawKind kind) {
  static const ProgramId programs[] = {PROGRAM_SPRITE, PROGRAM_LINES, PROGRAM_MESH, PROGRAM_SPRITE};
  static const GLenum modes[] = {GL_POINTS, GL_LINES, GL_TRIANGLES, GL_POINTS};
  if (items->n == 0) return;
  const bool sums = r->oit.on && kind == SOFA_DRAW_TRIANGLES;
  const Program *p = render_use(r, sums ? PROGRAM_MESH_OIT : programs[kind]);
  const size_t size = items->n * sizeof *items->data;
  glBindVertexArray(r->items_array);
  glBindBuffer(GL_ARRAY_BUFFER, r->items);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, items->data, GL_STREAM_DRAW);
  if (kind == SOFA_DRAW_TRIANGLES) {
    set_flag(p, UNIFORM_HAS_NORMALS, false);
    set_flag(p, UNIFORM_HAS_COLORS, true);
    set_flag(p, UNIFORM_HAS_IMAGE, false);
    glUniform3f(p->uniforms[UNIFORM_SPECULAR], 0, 0, 0);
    glUniform3f(p->uniforms[UNIFORM_EMISSIVE], 0, 0, 0);
    r->stats.triangles += items->n / 3;
  }
  set_flag(p, UNIFORM_SPHERES, kind == SOFA_DRAW_SPHERES);
  render_arrays(r, modes[kind], items->n);
  r->stats.uploaded_bytes += size;
}

void renderer_list(Renderer *r, const SofaDrawList *list) {
  const SofaDrawVertices *layer = list->vertices[SOFA_LAYER_SCENE];
  draw_items(r, &layer[SOFA_DRAW_TRIANGLES], SOFA_DRAW_TRIANGLES);
  draw_items(r, &layer[SOFA_DRAW_SPHERES], SOFA_DRAW_SPHERES);
  draw_items(r, &layer[SOFA_DRAW_POINTS], SOFA_DRAW_POINTS);
  draw_items(r, &layer[SOFA_DRAW_LINES], SOFA_DRAW_LINES);
}

/* Rectangles of the letters of a text. */
static SofaErr add_letters(Renderer *r, const SofaDrawList *list, const SofaDrawText *text) {
  static const uint8_t corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
  const char *at = list->characters.data + text->start, *end = at + text->length;
  const bool pixels = text->pixels || text->layer == SOFA_LAYER_SCREEN;
  float pen = 0;
  while (at < end) {
    const Glyph *g = font_next(&r->font, &at, end);
    for (int i = 0; i < 6 && g->x1 > g->x0; i++) {
      TextVertex v = {.p = {text->p[0], text->p[1], text->p[2]}, .pixels = pixels};
      v.offset[0] = text->height * (pen + (corners[i][0] ? g->x1 : g->x0));
      v.offset[1] = text->height * (corners[i][1] ? g->y1 : g->y0);
      v.uv[0] = corners[i][0] ? g->u1 : g->u0;
      v.uv[1] = corners[i][1] ? g->v1 : g->v0;
      memcpy(v.rgba, text->rgba, 4);
      if (r->text.n == r->text.capacity)
        SOFA_TRY(SOFA_RESERVE(r->ctx, &r->text, 2 * r->text.capacity + 256));
      r->text.data[r->text.n++] = v;
    }
    pen += g->advance;
  }
  return SOFA_OK;
}

static void draw_texts(Renderer *r, const SofaDrawList *list, SofaDrawLayer layer) {
  r->text.n = 0;
  for (size_t i = 0; i < list->texts.n; i++)
    if (list->texts.data[i].layer == layer && add_letters(r, list, &list->texts.data[i]) != SOFA_OK)
      break;
  if (r->text.n == 0) return;
  render_use(r, PROGRAM_TEXT);
  glBindTexture(GL_TEXTURE_2D, r->font.texture);
  glBindVertexArray(r->text_array);
  glBindBuffer(GL_ARRAY_BUFFER, r->text_buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(r->text.n * sizeof *r->text.data), r->text.data,
               GL_STREAM_DRAW);
  render_blend(r, true);
  glDepthMask(GL_FALSE);
  render_arrays(r, GL_TRIANGLES, r->text.n);
  glDepthMask(GL_TRUE);
  render_blend(r, false);
}

void renderer_list_translucent(Renderer *r, const SofaDrawList *list) {
  render_blend(r, true);
  glDepthMask(GL_FALSE);
  draw_items(r, &list->translucent, SOFA_DRAW_TRIANGLES);
  glDepthMask(GL_TRUE);
  render_blend(r, false);
}

void renderer_list_texts(Renderer *r, const SofaDrawList *list) {
  draw_texts(r, list, SOFA_LAYER_SCENE);
}

bool render_is_empty(const SofaDrawList *list, SofaDrawLayer layer) {
  for (int k = 0; k < SOFA_N_DRAW_KINDS; k++)
    if (list->vertices[layer][k].n) return false;
  for (size_t i = 0; i < list->texts.n; i++)
    if (list->texts.data[i].layer == layer) return false;
  return true;
}

static void draw_layer(Renderer *r, const SofaDrawList *list, SofaDrawLayer layer) {
  render_blend(r, true);
  for (int k = 0; k < SOFA_N_DRAW_KINDS; k++) {
    static const SofaDrawKind order[] = {SOFA_DRAW_TRIANGLES, SOFA_DRAW_SPHERES, SOFA_DRAW_LINES,
                                         SOFA_DRAW_POINTS};
    draw_items(r, &list->vertices[layer][order[k]], order[k]);
  }
  draw_texts(r, list, layer);
}

void renderer_clear_depth(Renderer *r) {
  (void)r;
  glClear(GL_DEPTH_BUFFER_BIT);
}

void renderer_list_front(Renderer *r, const SofaDrawList *list) {
  draw_layer(r, list, SOFA_LAYER_FRONT);
  render_blend(r, false);
}

void renderer_list_screen(Renderer *r, const SofaDrawList *list) {
  const float w = (float)r->seen.width, h = (float)r->seen.height;
  const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const float pixels[16] = {2 / w, 0, 0, 0, 0, -2 / h, 0, 0, 0, 0, 0, 0, -1, 1, 0, 1};
  if (render_is_empty(list, SOFA_LAYER_SCREEN)) return;
  glDisable(GL_DEPTH_TEST);
  renderer_scope(r, NULL);
  render_matrices(r, identity, pixels);
  draw_layer(r, list, SOFA_LAYER_SCREEN);
  render_blend(r, false);
  render_matrices(r, r->view, r->projection);
  glEnable(GL_DEPTH_TEST);
}
