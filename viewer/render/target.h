/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Textures that views are drawn into, for shaders to read. */
#ifndef VIEWER_RENDER_TARGET_H
#define VIEWER_RENDER_TARGET_H

#include <epoxy/gl.h>

#include "base/array.h"

typedef struct Target {
  const void *key;
  GLuint framebuffer, color, depth;
  int width, height;
  bool refused; /* the card has no room (was reported) */
} Target;
SOFA_LIST(Target, Targets);

/* The target of an object; NULL: there is none. */
const Target *target_find(const Targets *targets, const void *key);
void targets_free(SofaContext *ctx, Targets *targets);

#endif
