/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws views into textures, and shaders over whole pictures. */
#include "viewer/render/target.h"

#include <string.h>

#include "viewer/render/renderer_impl.h"

static const SofaOrigin origin = {.emitter = "viewer"};

const Target *target_find(const Targets *targets, const void *key) {
  for (size_t i = 0; i < targets->n; i++)
    if (targets->data[i].key == key) return &targets->data[i];
  return NULL;
}

static void drop(Target *t) {
  const GLuint textures[] = {t->color, t->depth};
  glDeleteTextures(2, textures);
  if (t->framebuffer) glDeleteFramebuffers(1, &t->framebuffer);
  t->framebuffer = t->color = t->depth = 0;
}

void targets_free(SofaContext *ctx, Targets *targets) {
  for (size_t i = 0; i < targets->n; i++) drop(&targets->data[i]);
  sofa_list_free(ctx, targets);
}

static GLuint new_texture(GLint format, GLenum channels, const Target *t, GLenum place) {
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(GL_TEXTURE_2D, name);
  glTexImage2D(GL_TEXTURE_2D, 0, format, t->width, t->height, 0, channels, GL_FLOAT, NULL);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  glFramebufferTexture2D(GL_FRAMEBUFFER, place, GL_TEXTURE_2D, name, 0);
  glBindTexture(GL_TEXTURE_2D, 0);
  return name;
}

static void make(SofaContext *ctx, Target *t, int width, int height) {
  drop(t);
  t->width = width;
  t->height = height;
  glGenFramebuffers(1, &t->framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, t->framebuffer);
  t->color = new_texture(GL_RGBA8, GL_RGBA, t, GL_COLOR_ATTACHMENT0);
  t->depth = new_texture(GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, t, GL_DEPTH_ATTACHMENT);
  t->refused = glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE;
  if (t->refused)
    sofa_message(ctx, SOFA_WARNING, &origin,
                 "a pass is left out: the graphics card has no room for %d x %d pixels", width,
                 height);
}

bool renderer_target_begin(Renderer *r, const void *key, int width, int height) {
  size_t i = 0;
  while (i < r->targets.n && r->targets.data[i].key != key) i++;
  const Target fresh = {.key = key};
  if (i == r->targets.n && SOFA_APPEND(r->ctx, &r->targets, &fresh) != SOFA_OK) return false;
  Target *t = &r->targets.data[i];
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &r->outer);
  if (width < 1) width = 1;
  if (height < 1) height = 1;
  if (!t->framebuffer || t->width != width || t->height != height) make(r->ctx, t, width, height);
  glBindFramebuffer(GL_FRAMEBUFFER, t->refused ? (GLuint)r->outer : t->framebuffer);
  return !t->refused;
}

void renderer_target_end(Renderer *r) {
  glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)r->outer);
}

/* A triangle that covers the picture; its corners have the coordinates of the image. */
static void make_screen(Renderer *r) {
  static const float corners[3][4] = {{-1, -1, 0, 0}, {3, -1, 2, 0}, {-1, 3, 0, 2}};
  glGenVertexArrays(1, &r->screen_array);
  glGenBuffers(1, &r->screen);
  glBindVertexArray(r->screen_array);
  glBindBuffer(GL_ARRAY_BUFFER, r->screen);
  glBufferData(GL_ARRAY_BUFFER, sizeof corners, corners, GL_STATIC_DRAW);
  glEnableVertexAttribArray(ATTRIBUTE_POSITION);
  glVertexAttribPointer(ATTRIBUTE_POSITION, 2, GL_FLOAT, GL_FALSE, 16, NULL);
  glEnableVertexAttribArray(ATTRIBUTE_UV);
  glVertexAttribPointer(ATTRIBUTE_UV, 2, GL_FLOAT, GL_FALSE, 16, (const void *)(uintptr_t)8);
}

bool renderer_screen(Renderer *r, const RenderShader *shader) {
  static const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  float kept[2][16];
  if (!r->screen_array) make_screen(r);
  glBindVertexArray(r->screen_array);
  const UserProgram *program = user_shader_begin(r, shader, NULL);
  if (program && program->patches) user_shader_end(r, shader);
  if (!program || program->patches) return false;
  memcpy(kept[0], r->model_view, sizeof kept[0]);
  memcpy(kept[1], r->projection, sizeof kept[1]);
  memcpy(r->model_view, identity, sizeof identity);
  memcpy(r->projection, identity, sizeof identity);
  r->surface_colors = false;
  user_shader_material(r, NULL);
  glDisable(GL_DEPTH_TEST);
  render_arrays(r, GL_TRIANGLES, 3);
  glEnable(GL_DEPTH_TEST);
  user_shader_end(r, shader);
  memcpy(r->model_view, kept[0], sizeof kept[0]);
  memcpy(r->projection, kept[1], sizeof kept[1]);
  return true;
}
