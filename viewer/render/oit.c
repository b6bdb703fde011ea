/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws translucent surfaces in any order. */
#include "viewer/render/oit.h"

#include "viewer/render/renderer_impl.h"

static const SofaOrigin origin = {.emitter = "viewer"};

void oit_destroy(Oit *o) {
  const GLuint textures[] = {o->sum, o->weight};
  glDeleteTextures(2, textures);
  if (o->depth) glDeleteRenderbuffers(1, &o->depth);
  if (o->framebuffer) glDeleteFramebuffers(1, &o->framebuffer);
  *o = (Oit){.framebuffer = 0};
}

static GLuint new_texture(GLint format, GLenum channels, int width, int height, GLenum place) {
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(GL_TEXTURE_2D, name);
  glTexImage2D(GL_TEXTURE_2D, 0, format, width, height, 0, channels, GL_FLOAT, NULL);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glFramebufferTexture2D(GL_FRAMEBUFFER, place, GL_TEXTURE_2D, name, 0);
  return name;
}

bool oit_prepare(SofaContext *ctx, Oit *o, int width, int height) {
  if (o->framebuffer && o->width == width && o->height == height) return !o->refused;
  oit_destroy(o);
  o->width = width;
  o->height = height;
  glGenFramebuffers(1, &o->framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, o->framebuffer);
  o->sum = new_texture(GL_RGBA16F, GL_RGBA, width, height, GL_COLOR_ATTACHMENT0);
  o->weight = new_texture(GL_R16F, GL_RED, width, height, GL_COLOR_ATTACHMENT1);
  glBindTexture(GL_TEXTURE_2D, 0);
  glGenRenderbuffers(1, &o->depth);
  glBindRenderbuffer(GL_RENDERBUFFER, o->depth);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, width, height);
  glBindRenderbuffer(GL_RENDERBUFFER, 0);
  glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, o->depth);
  glDrawBuffers(2, (GLenum[]){GL_COLOR_ATTACHMENT0, GL_COLOR_ATTACHMENT1});
  o->refused = glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE;
  if (o->refused)
    sofa_message(ctx, SOFA_WARNING, &origin,
                 "translucent surfaces are sorted: the graphics card has no room for their sums");
  return !o->refused;
}

bool renderer_oit_begin(Renderer *r) {
  static const float none[4] = {0, 0, 0, 1}, zero[4] = {0, 0, 0, 0};
  const RenderView *v = &r->seen;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &r->framebuffer);
  if (!oit_prepare(r->ctx, &r->oit, v->x + v->width, v->y + v->height)) {
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)r->framebuffer);
    return false;
  }
  glBindFramebuffer(GL_FRAMEBUFFER, r->oit.framebuffer);
  glClear(GL_DEPTH_BUFFER_BIT);
  glClearBufferfv(GL_COLOR, 0, none);
  glClearBufferfv(GL_COLOR, 1, zero);
  // what is opaque leaves its depth
  glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
  return true;
}

void renderer_oit_accumulate(Renderer *r, double depth_scale) {
  r->oit.on = true;
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  const Program *p = render_use(r, PROGRAM_MESH_OIT);
  glUniform2f(p->uniforms[UNIFORM_RANGE], (float)depth_scale, 0);
}

void renderer_oit_end(Renderer *r) {
  r->oit.on = false;
  glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)r->framebuffer);
  renderer_scope(r, NULL);
  const Program *p = render_use(r, PROGRAM_OIT);
  glUniform1i(p->uniforms[UNIFORM_IMAGE], UNIT_IMAGE);
  glUniform1i(p->uniforms[UNIFORM_MOMENTS], UNIT_FIRST_FREE);
  glActiveTexture(GL_TEXTURE0 + UNIT_FIRST_FREE);
  glBindTexture(GL_TEXTURE_2D, r->oit.weight);
  glActiveTexture(GL_TEXTURE0 + UNIT_IMAGE);
  glBindTexture(GL_TEXTURE_2D, r->oit.sum);
  glDisable(GL_DEPTH_TEST);
  glDepthMask(GL_FALSE);
  render_blend(r, true);
  glBindVertexArray(r->empty_array);
  render_arrays(r, GL_TRIANGLES, 3);
  render_blend(r, false);
  glDepthMask(GL_TRUE);
  glEnable(GL_DEPTH_TEST);
  glBindTexture(GL_TEXTURE_2D, 0);
  glActiveTexture(GL_TEXTURE0 + UNIT_FIRST_FREE);
  glBindTexture(GL_TEXTURE_2D, 0);
  glActiveTexture(GL_TEXTURE0 + UNIT_IMAGE);
}
