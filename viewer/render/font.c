/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws the letters of a font into a texture. */
#include "viewer/render/font.h"

#include <math.h>
#include <stdlib.h>

#include "base/files.h"
#include "viewer/render/stb.h"

enum { LINE = 34 }; /* pixels of a line in the texture */

static const char *const places[] = {"/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
                                     "/usr/share/fonts/TTF/DejaVuSans.ttf",
                                     "/usr/share/fonts/dejavu-sans-fonts/DejaVuSans.ttf", NULL};

/* Letters of a TrueType file. false: there is none, or it is not readable. */
static bool bake_truetype(SofaContext *ctx, Font *font, uint8_t *atlas) {
  stbtt_bakedchar baked[FONT_N];
  char *bytes = NULL;
  size_t size = 0;
  bool good = false;
  for (int i = 0; places[i] && !good; i++) {
    if (!sofa_is_file(places[i]) ||
        sofa_read_file(ctx, places[i], (size_t)1 << 26, &bytes, &size) != SOFA_OK)
      continue;
    good = stbtt_BakeFontBitmap((const uint8_t *)bytes, 0, LINE, atlas, FONT_ATLAS, FONT_ATLAS,
                                FONT_FIRST, FONT_N, baked) > 0;
    sofa_free(ctx, bytes);
  }
  for (int i = 0; good && i < FONT_N; i++) {
    const stbtt_bakedchar *b = &baked[i];
    const float w = (float)(b->x1 - b->x0), h = (float)(b->y1 - b->y0);
    font->glyphs[i] = (Glyph){.x0 = b->xoff / LINE,
                              .y0 = -(b->yoff + h) / LINE,
                              .x1 = (b->xoff + w) / LINE,
                              .y1 = -b->yoff / LINE,
                              .u0 = (float)b->x0 / FONT_ATLAS,
                              .v0 = (float)b->y1 / FONT_ATLAS,
                              .u1 = (float)b->x1 / FONT_ATLAS,
                              .v1 = (float)b->y0 / FONT_ATLAS,
                              .advance = b->xadvance / LINE};
  }
  return good;
}

/* One character of the built-in font into the cell at (cx, cy), enlarged. */
static void bake_plain_one(Font *font, uint8_t *atlas, int i, int cx, int cy) {
  enum { SCALE = 2, HIGH = 14 };
  struct {
    float x, y, z;
    uint8_t color[4];
  } corners[400];
  char text[2] = {(char)(FONT_FIRST + i), 0};
  float right = 3;
  const int n = stb_rectangles_of_text(text, corners, (int)sizeof corners);
  for (int r = 0; r < n; r++) {
    const float x0 = corners[4 * r].x, y0 = corners[4 * r].y;
    const float x1 = corners[4 * r + 2].x, y1 = corners[4 * r + 2].y;
    if (x1 > right) right = x1;
    for (int y = (int)(y0 * SCALE); y < (int)(y1 * SCALE); y++)
      for (int x = (int)(x0 * SCALE); x < (int)(x1 * SCALE); x++)
        if (x >= 0 && x < 30 && y >= 0 && y < 30) atlas[(cy + y) * FONT_ATLAS + cx + x] = 255;
  }
  const float u = (float)cx / FONT_ATLAS, v = (float)cy / FONT_ATLAS;
  const float step = (float)SCALE / FONT_ATLAS;
  font->glyphs[i] = (Glyph){.x0 = 0,
                            .y0 = -4.f / HIGH,
                            .x1 = 15.f / HIGH,
                            .y1 = 10.f / HIGH,
                            .u0 = u,
                            .v0 = v + 14 * step,
                            .u1 = u + 15 * step,
                            .v1 = v,
                            .advance = (right + 1.5f) / HIGH};
}

static void bake_plain(Font *font, uint8_t *atlas) {
  for (int i = 0; i < FONT_N; i++) {
    if (i < 95) bake_plain_one(font, atlas, i, 32 * (i % 16), 32 * (i / 16));
    else font->glyphs[i] = font->glyphs['?' - FONT_FIRST];
  }
}

SofaErr font_create(SofaContext *ctx, bool plain, Font *font) {
  uint8_t *atlas = sofa_alloc(ctx, FONT_ATLAS, FONT_ATLAS);
  if (!atlas) return SOFA_ERR_MEMORY;
  if (plain || !bake_truetype(ctx, font, atlas)) {
    sofa_zero(atlas, FONT_ATLAS * FONT_ATLAS);
    bake_plain(font, atlas);
  }
  glGenTextures(1, &font->texture);
  glBindTexture(GL_TEXTURE_2D, font->texture);
  glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
  glTexImage2D(GL_TEXTURE_2D, 0, GL_R8, FONT_ATLAS, FONT_ATLAS, 0, GL_RED, GL_UNSIGNED_BYTE, atlas);
  glGenerateMipmap(GL_TEXTURE_2D);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR_MIPMAP_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 3);
  glBindTexture(GL_TEXTURE_2D, 0);
  sofa_free(ctx, atlas);
  return SOFA_OK;
}

void font_destroy(Font *font) {
  if (font->texture) glDeleteTextures(1, &font->texture);
  font->texture = 0;
}

const Glyph *font_next(const Font *font, const char **text, const char *end) {
  const uint8_t *at = (const uint8_t *)*text;
  unsigned code = *at++;
  if (code >= 0xC0) {
    // two bytes reach Latin-1; longer ones are skipped whole
    const unsigned first = code;
    code = first < 0xE0 && (const char *)at < end ? (first & 0x1F) << 6 | (*at & 0x3F) : '?';
    while ((const char *)at < end && (*at & 0xC0) == 0x80) at++;
  }
  *text = (const char *)at;
  if (code < FONT_FIRST || code >= FONT_FIRST + FONT_N) code = '?';
  return &font->glyphs[code - FONT_FIRST];
}
