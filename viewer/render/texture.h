/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Images as textures, kept by file name. */
#ifndef VIEWER_RENDER_TEXTURE_H
#define VIEWER_RENDER_TEXTURE_H

#include <epoxy/gl.h>

#include "base/array.h"

typedef struct Texture {
  char *path;  /* owned */
  GLuint name; /* 0: it could not be read (that was reported) */
  int width, height;
  bool srgb; /* shaders get linear light */
} Texture;
SOFA_LIST(Texture, Textures);

/* The image of a file; read when first asked for. A file that cannot be read is reported once and
 * gives a texture with name 0. NULL only when memory runs out. Borrowed until the next call. */
const Texture *texture_of(SofaContext *ctx, Textures *textures, const char *path, bool srgb);
void textures_free(SofaContext *ctx, Textures *textures);

#endif
