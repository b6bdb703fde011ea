/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The single-file libraries stb_image (pictures) and stb_truetype (fonts), compiled in stb.c. */
#ifndef VIEWER_RENDER_STB_H
#define VIEWER_RENDER_STB_H

#if defined __clang__
#pragma clang system_header
#else
#pragma GCC system_header
#endif
#include <stb/stb_image.h>
#include <stb/stb_truetype.h>

/* ASCII text as rectangles (stb_easy_font): writes up to n_bytes of vertices (x, y, z floats and 4
 * bytes of colour), four per rectangle; returns the number of rectangles. */
int stb_rectangles_of_text(char *text, void *vertices, int n_bytes);

#endif
