/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Framebuffers of the picture. */
#include "viewer/window/picture.h"

#include <epoxy/gl.h>

static void drop(Picture *p) {
  glDeleteFramebuffers(2, p->framebuffers);
  glDeleteRenderbuffers(2, p->colors);
  glDeleteRenderbuffers(1, &p->depth);
  p->width = p->height = 0;
}

static bool make(Picture *p, int width, int height, int samples) {
  GLint most = 0;
  glGetIntegerv(GL_MAX_SAMPLES, &most);
  if (samples > most) samples = most;
  if (samples < 2) samples = 0;
  glGenFramebuffers(2, p->framebuffers);
  glGenRenderbuffers(2, p->colors);
  glGenRenderbuffers(1, &p->depth);
  for (int i = 0; i < 2; i++) {
    const int n = i == 0 ? samples : 0;
    glBindRenderbuffer(GL_RENDERBUFFER, p->colors[i]);
    // stored and copied as it is written, unless GL_FRAMEBUFFER_SRGB is on
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, n, GL_SRGB8_ALPHA8, width, height);
    glBindFramebuffer(GL_FRAMEBUFFER, p->framebuffers[i]);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, p->colors[i]);
    if (i == 1) continue;
    glBindRenderbuffer(GL_RENDERBUFFER, p->depth);
    glRenderbufferStorageMultisample(GL_RENDERBUFFER, n, GL_DEPTH_COMPONENT24, width, height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, p->depth);
  }
  glBindRenderbuffer(GL_RENDERBUFFER, 0);
  glBindFramebuffer(GL_FRAMEBUFFER, p->framebuffers[0]);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
  p->width = width;
  p->height = height;
  p->samples = samples;
  return true;
}

bool picture_bind(Picture *p, int width, int height, int samples) {
  if (p->width == width && p->height == height) {
    glBindFramebuffer(GL_FRAMEBUFFER, p->framebuffers[0]);
    return true;
  }
  drop(p);
  if (make(p, width, height, samples)) return true;
  drop(p);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  return false;
}

void picture_finish(Picture *p) {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, p->framebuffers[0]);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, p->framebuffers[1]);
  glBlitFramebuffer(0, 0, p->width, p->height, 0, 0, p->width, p->height, GL_COLOR_BUFFER_BIT,
                    GL_NEAREST);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

void picture_show(const Picture *p, int x, int y, int width, int height) {
  if (!p->width) return;
  glBindFramebuffer(GL_READ_FRAMEBUFFER, p->framebuffers[1]);
  glBindFramebuffer(GL_DRAW_FRAMEBUFFER, 0);
  glBlitFramebuffer(0, 0, p->width, p->height, x, y, x + width, y + height, GL_COLOR_BUFFER_BIT,
                    width == p->width && height == p->height ? GL_NEAREST : GL_LINEAR);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
}

/* OpenGL's rows go from the bottom to the top. */
static void flip(uint8_t *rgb, uint8_t *row, int width, int height) {
  const size_t n = 3 * (size_t)width;
  for (int i = 0; i < height / 2; i++) {
    uint8_t *a = rgb + (size_t)i * n, *b = rgb + (size_t)(height - 1 - i) * n;
    sofa_copy(row, a, n);
    sofa_copy(a, b, n);
    sofa_copy(b, row, n);
  }
}

SofaErr picture_read_window(Picture *p, SofaContext *ctx, int width, int height,
                            const uint8_t **rgb) {
  const size_t n = 3 * (size_t)width * (size_t)height;
  *rgb = NULL;
  SOFA_TRY(SOFA_RESIZE(ctx, &p->read, n + 3 * (size_t)width));
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGB, GL_UNSIGNED_BYTE, p->read.data);
  flip(p->read.data, p->read.data + n, width, height);
  *rgb = p->read.data;
  return SOFA_OK;
}

SofaErr picture_read(Picture *p, SofaContext *ctx, const uint8_t **rgb) {
  glBindFramebuffer(GL_READ_FRAMEBUFFER, p->framebuffers[1]);
  const SofaErr err = picture_read_window(p, ctx, p->width, p->height, rgb);
  glBindFramebuffer(GL_FRAMEBUFFER, 0);
  return err;
}

void picture_free(Picture *p, SofaContext *ctx) {
  drop(p);
  sofa_list_free(ctx, &p->read);
}
