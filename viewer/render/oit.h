/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Translucent surfaces in any order (McGuire and Bavoil, "Weighted blended order-independent
 * transparency", JCGT 2013): sums of weighted colours and of weights, and what is left of what is
 * behind, in two textures. */
#ifndef VIEWER_RENDER_OIT_H
#define VIEWER_RENDER_OIT_H

#include <epoxy/gl.h>

#include "base/context.h"

typedef struct Oit {
  GLuint framebuffer, sum, weight, depth; /* rgb: sum of weighted colours, a: what is left */
  int width, height;
  bool refused; /* the card cannot do it (was reported) */
  bool on;      /* translucent surfaces go there now */
} Oit;

/* Makes room for pictures of a size, if there is not enough. false: it cannot be done. */
bool oit_prepare(SofaContext *ctx, Oit *oit, int width, int height);
void oit_destroy(Oit *oit);

#endif
