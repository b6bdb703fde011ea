/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Letters in a texture: DejaVu Sans where it is installed, else a plain built-in font. */
#ifndef VIEWER_RENDER_FONT_H
#define VIEWER_RENDER_FONT_H

#include <epoxy/gl.h>

#include "base/context.h"

enum { FONT_FIRST = 32, FONT_N = 224, FONT_ATLAS = 512 };

typedef struct Glyph {
  float x0, y0, x1, y1; /* rectangle from the pen on the base line, y up, in heights of a line */
  float u0, v0, u1, v1;
  float advance;
} Glyph;

typedef struct Font {
  GLuint texture;
  Glyph glyphs[FONT_N]; /* of the characters of Latin-1 from the space on */
} Font;

/* plain: the built-in font in any case, for the same pictures on every machine. */
SofaErr font_create(SofaContext *ctx, bool plain, Font *font);
void font_destroy(Font *font);
/* The next character of UTF-8 text and its glyph; what the font does not have is a '?'. */
const Glyph *font_next(const Font *font, const char **text, const char *end);

#endif
