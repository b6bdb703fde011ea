/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where shadow maps look, and the textures they are drawn into. */
#include "viewer/render/shadow.h"

#include <math.h>
#include <string.h>

#include "math/quaternion.h"
#include "math/vec.h"
#include "viewer/render/renderer_impl.h"

static const SofaOrigin origin = {.emitter = "viewer"};
static const double radians = 3.14159265358979323846 / 180;

/* Pixels of a map where none are asked for; border of the sides of a cube, for the filters. */
enum { USUAL_SIZE = 1024, BORDER = 5 };

/* ---- where they look ---- */

static bool box_is_empty(const SofaBox *box) {
  return !(box->min[0] <= box->max[0] && box->min[1] <= box->max[1] && box->min[2] <= box->max[2]);
}

/* Axes that look along a direction: rows x, y, z, the direction is -z. */
static void look_along(const double *direction, double axes[3][3]) {
  const double y[3] = {0, 1, 0}, z[3] = {0, 0, 1};
  for (int k = 0; k < 3; k++) axes[2][k] = -direction[k];
  if (!(sofa_vec3_normalize(axes[2]) > 0)) axes[2][2] = 1;
  sofa_vec3_cross(fabs(axes[2][1]) < 0.99 ? y : z, axes[2], axes[0]);
  sofa_vec3_normalize(axes[0]);
  sofa_vec3_cross(axes[2], axes[0], axes[1]);
}

/* The matrix of p -> axes * (p - from). */
static void rigid(double axes[3][3], const double *from, float *m) {
  memset(m, 0, 16 * sizeof *m);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) m[4 * k + i] = (float)axes[i][k];
    m[12 + i] = (float)-sofa_vec3_dot(axes[i], from);
  }
  m[15] = 1;
}

/* The box in the axes of a light. */
static void box_in(const SofaBox *box, double axes[3][3], const double *from, double min[3],
                   double max[3]) {
  for (int corner = 0; corner < 8; corner++) {
    double p[3];
    for (int k = 0; k < 3; k++) p[k] = (corner >> k & 1 ? box->max[k] : box->min[k]) - from[k];
    for (int i = 0; i < 3; i++) {
      const double v = sofa_vec3_dot(axes[i], p);
      if (corner == 0 || v < min[i]) min[i] = v;
      if (corner == 0 || v > max[i]) max[i] = v;
    }
  }
}

/* Parallel light: a box around the scene in the axes of the light. */
static void look_parallel(ShadowLight *s, const RenderLight *l, const SofaBox *box) {
  double axes[3][3], min[3], max[3], direction[3], widest = 0;
  const double from[3] = {0, 0, 0};
  for (int k = 0; k < 3; k++) direction[k] = -l->position[k];
  look_along(direction, axes);
  box_in(box, axes, from, min, max);
  for (int k = 0; k < 3; k++) widest = fmax(widest, max[k] - min[k]);
  memset(s->projection, 0, sizeof s->projection);
  for (int k = 0; k < 3; k++) {
    const double margin = 0.02 * widest + 1e-9;
    min[k] -= margin;
    max[k] += margin;
    const double sign = k < 2 ? 1 : -1;
    s->projection[5 * k] = (float)(sign * 2 / (max[k] - min[k]));
    s->projection[12 + k] = (float)(-sign * (max[k] + min[k]) / (max[k] - min[k]));
  }
  s->projection[15] = 1;
  rigid(axes, from, s->world);
  s->z_near = (float)-max[2];
  s->z_far = (float)-min[2];
  s->texel = (float)(fmax(max[0] - min[0], max[1] - min[1]) / s->size);
}

/* A perspective of half angle atan(tangent). */
static void perspective(ShadowLight *s, double tangent) {
  const double n = s->z_near, f = s->z_far;
  memset(s->projection, 0, sizeof s->projection);
  s->projection[0] = s->projection[5] = (float)(1 / tangent);
  s->projection[10] = (float)(-(f + n) / (f - n));
  s->projection[11] = -1;
  s->projection[14] = (float)(-2 * f * n / (f - n));
  s->texel = (float)(2 * tangent / s->size);
}

/* Planes of a light at a point: those asked for, else around the scene. */
static void set_planes(ShadowLight *s, const RenderLight *l, double nearest, double farthest) {
  const double f = l->shadow.z_far > 0 ? l->shadow.z_far : 1.05 * farthest;
  double n = l->shadow.z_near > 0 ? l->shadow.z_near : fmax(0.9 * nearest, 0.005 * f);
  if (!(n < f)) n = 0.5 * f;
  s->z_near = (float)n;
  s->z_far = (float)f;
}

static void look_cone(ShadowLight *s, const RenderLight *l, const SofaBox *box) {
  double axes[3][3], min[3], max[3];
  look_along(l->direction, axes);
  box_in(box, axes, l->position, min, max);
  rigid(axes, l->position, s->world);
  if (!(min[2] < 0)) s->kind = SHADOW_NONE; // shines away from the scene
  if (s->kind == SHADOW_NONE) return;
  set_planes(s, l, -max[2], -min[2]);
  perspective(s, tan(fmin(l->cutoff + 1, 80) * radians));
}

static void look_around(ShadowLight *s, const RenderLight *l, const SofaBox *box) {
  double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, min[3], max[3], farthest = 0;
  box_in(box, axes, l->position, min, max);
  for (int k = 0; k < 3; k++) farthest = fmax(farthest, fmax(fabs(min[k]), fabs(max[k])));
  rigid(axes, l->position, s->world);
  if (!(farthest > 0)) s->kind = SHADOW_NONE;
  if (s->kind == SHADOW_NONE) return;
  set_planes(s, l, 0, farthest);
  perspective(s, 1. / (1 - 2. * BORDER / s->size));
}

static void look(ShadowLight *s, const RenderLight *asked, const RenderFrame *frame, int largest) {
  RenderLight l = *asked;
  unsigned size = l.shadow.size ? l.shadow.size : USUAL_SIZE;
  if (size > (unsigned)largest) size = (unsigned)largest;
  *s = (ShadowLight){.soft = l.shadow.soft, .size = size < 4 * BORDER ? 4 * BORDER : (int)size};
  if (!l.shadow.on || box_is_empty(&frame->box)) return;
  if (l.of_eye) {
    sofa_quat_rotate(frame->camera.orientation, l.position, l.position);
    sofa_quat_rotate(frame->camera.orientation, l.direction, l.direction);
    if (l.position[3] > 0) sofa_vec3_add(l.position, frame->camera.position, l.position);
  }
  s->kind = !(l.position[3] > 0) ? SHADOW_PARALLEL : l.cutoff < 90 ? SHADOW_CONE : SHADOW_CUBE;
  if (s->kind == SHADOW_PARALLEL) look_parallel(s, &l, &frame->box);
  else if (s->kind == SHADOW_CONE) look_cone(s, &l, &frame->box);
  else look_around(s, &l, &frame->box);
}

/* ---- textures ---- */

static GLuint new_texture(GLenum target, GLint format, int side, int layers, GLenum channels) {
  GLuint name = 0;
  glGenTextures(1, &name);
  glBindTexture(target, name);
  if (target == GL_TEXTURE_2D_ARRAY)
    glTexImage3D(target, 0, format, side, side, layers, 0, channels, GL_FLOAT, NULL);
  else glTexImage2D(target, 0, format, side, side, 0, channels, GL_FLOAT, NULL);
  glTexParameteri(target, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  glTexParameteri(target, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
  glTexParameteri(target, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(target, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  return name;
}

void shadows_destroy(Shadows *s) {
  const GLuint textures[] = {s->depth, s->moments, s->blurred};
  glDeleteTextures(3, textures);
  if (s->framebuffer) glDeleteFramebuffers(1, &s->framebuffer);
  *s = (Shadows){.framebuffer = 0};
}

static void make_room(SofaContext *ctx, Shadows *s, int side, int layers, bool soft) {
  ShadowLight lights[RENDER_MAX_LIGHTS];
  while (glGetError() != GL_NO_ERROR) continue; // earlier ones are not ours
  memcpy(lights, s->lights, sizeof lights);
  shadows_destroy(s);
  memcpy(s->lights, lights, sizeof lights);
  s->side = side;
  s->n_kept = layers;
  s->soft_kept = soft;
  s->depth =
      new_texture(GL_TEXTURE_2D_ARRAY, GL_DEPTH_COMPONENT24, side, layers, GL_DEPTH_COMPONENT);
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
  if (soft) {
    s->moments = new_texture(GL_TEXTURE_2D_ARRAY, GL_RG32F, side, layers, GL_RG);
    s->blurred = new_texture(GL_TEXTURE_2D, GL_RG32F, side, 1, GL_RG);
  }
  glBindTexture(GL_TEXTURE_2D_ARRAY, 0);
  glBindTexture(GL_TEXTURE_2D, 0);
  glGenFramebuffers(1, &s->framebuffer);
  s->refused = glGetError() != GL_NO_ERROR;
  if (s->refused)
    sofa_message(ctx, SOFA_WARNING, &origin,
                 "no shadows: the graphics card has no room for %d maps of %d x %d pixels", layers,
                 side, side);
}

void shadows_prepare(SofaContext *ctx, Shadows *s, const RenderFrame *frame) {
  GLint largest = 0;
  int side = 0, layers = 0;
  bool soft = false;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &largest);
  for (int i = 0; i < RENDER_MAX_LIGHTS; i++) {
    ShadowLight *l = &s->lights[i];
    l->kind = SHADOW_NONE;
    if (i < frame->n_lights) look(l, &frame->lights[i], frame, largest);
    if (l->kind == SHADOW_NONE) continue;
    l->first = layers;
    layers += l->kind == SHADOW_CUBE ? 6 : 1;
    if (l->size > side) side = l->size;
    soft |= l->soft;
  }
  if (layers && (side != s->side || layers > s->n_kept || (soft && !s->soft_kept)))
    make_room(ctx, s, side, layers, soft);
  s->n_layers = s->refused ? 0 : layers;
  for (int i = 0; i < RENDER_MAX_LIGHTS && s->refused; i++) s->lights[i].kind = SHADOW_NONE;
}

/* ---- drawing into them ---- */

const ShadowLight *shadows_light(const Shadows *s, int layer) {
  for (int i = RENDER_MAX_LIGHTS - 1; i > 0; i--)
    if (s->lights[i].kind != SHADOW_NONE && s->lights[i].first <= layer) return &s->lights[i];
  return &s->lights[0];
}

/* The sides of a cube: side 2a looks along the axis a, 2a + 1 against it; x is the axis a + 1, y
 * the axis a + 2. The shaders know. */
void shadows_view(const Shadows *s, int layer, float view[16]) {
  const ShadowLight *l = shadows_light(s, layer);
  memcpy(view, l->world, sizeof l->world);
  if (l->kind != SHADOW_CUBE) return;
  const int side = layer - l->first, a = side / 2;
  float turn[16] = {0};
  turn[4 * ((a + 1) % 3)] = 1;
  turn[4 * ((a + 2) % 3) + 1] = 1;
  turn[4 * a + 2] = side % 2 ? 1 : -1;
  turn[15] = 1;
  matrix_product(turn, view, view);
}

void shadows_bind(const Shadows *s, int layer) {
  static const float far_away[4] = {1, 1, 1, 1};
  const ShadowLight *l = shadows_light(s, layer);
  glBindFramebuffer(GL_FRAMEBUFFER, s->framebuffer);
  glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, s->depth, 0, layer);
  glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, l->soft ? s->moments : 0, 0,
                            l->soft ? layer : 0);
  glDrawBuffer(l->soft ? GL_COLOR_ATTACHMENT0 : GL_NONE);
  glReadBuffer(GL_NONE);
  glViewport(0, 0, s->side, s->side);
  glClear(GL_DEPTH_BUFFER_BIT);
  if (l->soft) glClearBufferfv(GL_COLOR, 0, far_away);
  glViewport(0, 0, l->size, l->size);
}

/* Along x into the texture of one layer, and back along y. */
void shadows_blur(const Shadows *s, int layer, const Program *blur) {
  const ShadowLight *l = shadows_light(s, layer);
  glUseProgram(blur->name);
  glUniform1i(blur->uniforms[UNIFORM_IMAGE], UNIT_IMAGE);
  glUniform1i(blur->uniforms[UNIFORM_MOMENTS], UNIT_SHADOW_MOMENTS);
  glActiveTexture(GL_TEXTURE0 + UNIT_SHADOW_MOMENTS);
  glBindTexture(GL_TEXTURE_2D_ARRAY, s->moments);
  glActiveTexture(GL_TEXTURE0 + UNIT_IMAGE);
  glDisable(GL_DEPTH_TEST);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_TEXTURE_2D, 0, 0);
  for (int pass = 0; pass < 2; pass++) {
    if (pass == 0)
      glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, s->blurred, 0);
    else glFramebufferTextureLayer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, s->moments, 0, layer);
    glBindTexture(GL_TEXTURE_2D, pass == 0 ? 0 : s->blurred);
    glUniform4f(blur->uniforms[UNIFORM_BLUR], (float)pass, (float)layer, (float)l->size, 0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
  }
  glBindTexture(GL_TEXTURE_2D, 0);
  glEnable(GL_DEPTH_TEST);
}

/* ---- reading them ---- */

void shadows_set(const Shadows *s, const RenderFrame *frame, const Program *p, const float *view) {
  GLint kind[RENDER_MAX_LIGHTS] = {0};
  float matrix[RENDER_MAX_LIGHTS][16], map[RENDER_MAX_LIGHTS][4], tune[RENDER_MAX_LIGHTS][4],
      size[RENDER_MAX_LIGHTS][3], eye[16];
  const int n = frame->n_lights;
  glUniform1i(p->uniforms[UNIFORM_SHADOW_DEPTH], UNIT_SHADOW_DEPTH);
  glUniform1i(p->uniforms[UNIFORM_SHADOW_MOMENTS], UNIT_SHADOW_MOMENTS);
  if (n == 0) return;
  matrix_inverse_rigid(view, eye);
  for (int i = 0; i < n; i++) {
    const ShadowLight *l = &s->lights[i];
    const RenderShadow *asked = &frame->lights[i].shadow;
    kind[i] = (GLint)l->kind;
    matrix_product(l->world, eye, matrix[i]);
    if (l->kind != SHADOW_CUBE) matrix_product(l->projection, matrix[i], matrix[i]);
    memcpy(map[i],
           (float[]){(float)l->first, s->side ? (float)l->size / (float)s->side : 0, l->z_near,
                     l->z_far},
           sizeof map[i]);
    memcpy(tune[i],
           (float[]){l->soft, (float)asked->darkness, (float)asked->bleeding,
                     (float)asked->least_variance},
           sizeof tune[i]);
    memcpy(size[i], (float[]){l->texel, 1.f / (float)(s->side ? s->side : 1), l->projection[0]},
           sizeof size[i]);
  }
  glUniform1iv(p->uniforms[UNIFORM_SHADOW_KIND], n, kind);
  glUniformMatrix4fv(p->uniforms[UNIFORM_SHADOW_MATRIX], n, GL_FALSE, matrix[0]);
  glUniform4fv(p->uniforms[UNIFORM_SHADOW_MAP], n, map[0]);
  glUniform4fv(p->uniforms[UNIFORM_SHADOW_TUNE], n, tune[0]);
  glUniform3fv(p->uniforms[UNIFORM_SHADOW_SIZE], n, size[0]);
}
