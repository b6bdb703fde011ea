/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The picture of the scene: drawn when the scene allows it, shown whenever the window is drawn. */
#ifndef VIEWER_WINDOW_PICTURE_H
#define VIEWER_WINDOW_PICTURE_H

#include "base/array.h"

SOFA_LIST(uint8_t, PictureBytes);

typedef struct Picture {
  unsigned framebuffers[2], colors[2], depth; /* with samples; without */
  int width, height, samples;
  PictureBytes read;
} Picture;

/* [GL] Binds the framebuffer, made again when the size changes. false: it cannot be made. */
bool picture_bind(Picture *picture, int width, int height, int samples);
/* [GL] To be called after drawing: makes what is shown. The window's framebuffer is bound then. */
void picture_finish(Picture *picture);
/* [GL] Copies it to the window's framebuffer, lower left corner at (x, y). */
void picture_show(const Picture *picture, int x, int y, int width, int height);
/* [GL] Pixels, rows from the top, 3 bytes each; borrowed until the next call. From the picture, or
 * from the window's back buffer of that size. */
SofaErr picture_read(Picture *picture, SofaContext *ctx, const uint8_t **rgb);
SofaErr picture_read_window(Picture *picture, SofaContext *ctx, int width, int height,
                            const uint8_t **rgb);
void picture_free(Picture *picture, SofaContext *ctx); /* [GL] */

#endif
