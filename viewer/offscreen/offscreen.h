/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures without a display: an OpenGL context of EGL without any surface, and a framebuffer. */
#ifndef VIEWER_OFFSCREEN_OFFSCREEN_H
#define VIEWER_OFFSCREEN_OFFSCREEN_H

#include "base/context.h"

typedef struct Offscreen Offscreen;

/* Makes a context and makes it current. SOFA_ERR_UNSUPPORTED with a message when there is no EGL or
 * no OpenGL 3.3. */
SofaErr offscreen_create(SofaContext *ctx, Offscreen **out);
void offscreen_destroy(Offscreen **offscreen); /* NULL-safe */

/* Binds a framebuffer of that size (made when the size changes) with 4 samples per pixel where
 * there are so many. */
SofaErr offscreen_bind(Offscreen *offscreen, int width, int height);
/* Reads what was drawn: rows from the top, 3 bytes r g b per pixel, no padding. Borrowed until the
 * next call. */
SofaErr offscreen_read(Offscreen *offscreen, const uint8_t **rgb);

#endif
