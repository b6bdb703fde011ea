/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws pictures: programs, lights and materials; surfaces and draw lists. */
#include "viewer/render/renderer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "math/quaternion.h"
#include "math/vec.h"
#include "viewer/render/renderer_impl.h"

static const SofaOrigin origin = {.emitter = "viewer"};

/* ---- creation ---- */

static void attribute(GLuint place, GLint n, GLenum type, bool normalized, size_t stride,
                      size_t offset) {
  glEnableVertexAttribArray(place);
  glVertexAttribPointer(place, n, type, normalized, (GLsizei)stride, (const void *)offset);
}

static void make_arrays(Renderer *r) {
  glGenVertexArrays(1, &r->empty_array);
  glGenVertexArrays(1, &r->items_array);
  glGenBuffers(1, &r->items);
  glBindVertexArray(r->items_array);
  glBindBuffer(GL_ARRAY_BUFFER, r->items);
  const size_t item = sizeof(SofaDrawVertex);
  attribute(ATTRIBUTE_POSITION, 3, GL_FLOAT, false, item, offsetof(SofaDrawVertex, p));
  attribute(ATTRIBUTE_SIZE, 1, GL_FLOAT, false, item, offsetof(SofaDrawVertex, size));
  attribute(ATTRIBUTE_COLOR, 4, GL_UNSIGNED_BYTE, true, item, offsetof(SofaDrawVertex, rgba));

  glGenVertexArrays(1, &r->text_array);
  glGenBuffers(1, &r->text_buffer);
  glBindVertexArray(r->text_array);
  glBindBuffer(GL_ARRAY_BUFFER, r->text_buffer);
  const size_t letter = sizeof(TextVertex);
  attribute(ATTRIBUTE_POSITION, 3, GL_FLOAT, false, letter, offsetof(TextVertex, p));
  attribute(ATTRIBUTE_OFFSET, 2, GL_FLOAT, false, letter, offsetof(TextVertex, offset));
  attribute(ATTRIBUTE_UV, 2, GL_FLOAT, false, letter, offsetof(TextVertex, uv));
  attribute(ATTRIBUTE_SIZE, 1, GL_FLOAT, false, letter, offsetof(TextVertex, pixels));
  attribute(ATTRIBUTE_COLOR, 4, GL_UNSIGNED_BYTE, true, letter, offsetof(TextVertex, rgba));
  glBindVertexArray(0);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
}

SofaErr renderer_create(SofaContext *ctx, Renderer **out) {
  SofaErr err = SOFA_OK;
  *out = NULL;
  const int version = epoxy_gl_version();
  if (version < 33)
    return sofa_fail(ctx, SOFA_ERR_UNSUPPORTED, &origin, "OpenGL is %d.%d, at least 3.3 is needed",
                     version / 10, version % 10);
  Renderer *r = sofa_alloc(ctx, 1, sizeof *r);
  if (!r) return SOFA_ERR_MEMORY;
  r->ctx = ctx;
  r->shadow_layer = -1;
  for (int i = 0; i < N_PROGRAMS; i++)
    SOFA_GO(err, failed, program_create(ctx, &shader_texts[i], &r->programs[i]));
  SOFA_GO(err, failed, font_create(ctx, getenv("CSOFA_PLAIN_FONT") != NULL, &r->font));
  make_arrays(r);
  *out = r;
  return SOFA_OK;
failed:
  renderer_destroy(&r);
  return err;
}

void renderer_forget(Renderer *r) {
  for (size_t i = 0; i < r->meshes.n; i++) mesh_destroy(&r->meshes.data[i]);
  r->meshes.n = 0;
  textures_free(r->ctx, &r->textures);
  user_shaders_free(r->ctx, &r->user);
  targets_free(r->ctx, &r->targets);
  r->shader = NULL;
}

void renderer_destroy(Renderer **renderer) {
  Renderer *r = *renderer;
  if (!r) return;
  renderer_forget(r);
  sofa_list_free(r->ctx, &r->meshes);
  sofa_list_free(r->ctx, &r->text);
  for (int i = 0; i < N_PROGRAMS; i++) program_destroy(&r->programs[i]);
  font_destroy(&r->font);
  shadows_destroy(&r->shadows);
  oit_destroy(&r->oit);
  const GLuint arrays[] = {r->empty_array, r->items_array, r->text_array, r->screen_array};
  const GLuint buffers[] = {r->items, r->text_buffer, r->screen};
  glDeleteVertexArrays(4, arrays);
  glDeleteBuffers(3, buffers);
  sofa_free(r->ctx, r);
  *renderer = NULL;
}

/* ---- draw calls: timed, as a software rasteriser works inside them ---- */

static double thread_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void render_arrays(Renderer *r, GLenum mode, size_t n) {
  const double start = thread_seconds();
  glDrawArrays(mode, 0, (GLsizei)n);
  r->stats.call_seconds += thread_seconds() - start;
}

void render_indices(Renderer *r, GLenum mode, size_t first, size_t n) {
  const double start = thread_seconds();
  if (n)
    glDrawElements(mode, (GLsizei)n, GL_UNSIGNED_INT,
                   (const void *)(uintptr_t)(first * sizeof(uint32_t)));
  r->stats.call_seconds += thread_seconds() - start;
}

/* ---- uniforms ---- */

/* A direction or point of a light in the camera's axes. */
static void to_eye(const SofaCamera *camera, bool of_eye, const double *p, bool point, float *out) {
  double v[3];
  sofa_vec3_copy(p, v);
  if (!of_eye) {
    if (point) sofa_vec3_sub(v, camera->position, v);
    sofa_quat_rotate_inverse(camera->orientation, v, v);
  }
  for (int k = 0; k < 3; k++) out[k] = (float)v[k];
}

void render_light_to_eye(const Renderer *r, int light, float position[4], float direction[3]) {
  const RenderLight *l = &r->frame.lights[light];
  double d[3];
  sofa_vec3_copy(l->direction, d);
  sofa_vec3_normalize(d);
  to_eye(&r->seen.camera, l->of_eye, l->position, l->position[3] > 0, position);
  position[3] = (float)l->position[3];
  to_eye(&r->seen.camera, l->of_eye, d, false, direction);
}

static void set_lights(const Renderer *r, const Program *p) {
  float position[MAX_LIGHTS][4], direction[MAX_LIGHTS][3], color[MAX_LIGHTS][3],
      spot[MAX_LIGHTS][3];
  const int n = r->frame.n_lights;
  for (int i = 0; i < n; i++) {
    const RenderLight *l = &r->frame.lights[i];
    render_light_to_eye(r, i, position[i], direction[i]);
    for (int k = 0; k < 3; k++) color[i][k] = (float)l->color[k];
    spot[i][0] = l->cutoff < 180 ? (float)cos(l->cutoff * 3.14159265358979323846 / 180) : -1.f;
    spot[i][1] = (float)l->exponent;
    spot[i][2] = (float)l->attenuation;
  }
  glUniform1i(p->uniforms[UNIFORM_N_LIGHTS], n);
  if (n == 0) return;
  glUniform4fv(p->uniforms[UNIFORM_LIGHT_POSITION], n, position[0]);
  glUniform3fv(p->uniforms[UNIFORM_LIGHT_COLOR], n, color[0]);
  glUniform3fv(p->uniforms[UNIFORM_LIGHT_DIRECTION], n, direction[0]);
  glUniform3fv(p->uniforms[UNIFORM_LIGHT_SPOT], n, spot[0]);
}

/* ---- matrices: column-major ---- */

void matrix_product(const float *a, const float *b, float *out) {
  float m[16];
  for (int j = 0; j < 4; j++)
    for (int i = 0; i < 4; i++) {
      m[4 * j + i] = 0;
      for (int k = 0; k < 4; k++) m[4 * j + i] += a[4 * k + i] * b[4 * j + k];
    }
  memcpy(out, m, sizeof m);
}

void matrix_inverse_rigid(const float *m, float *out) {
  float r[16] = {0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) {
      r[4 * k + i] = m[4 * i + k];
      r[12 + i] -= m[4 * i + k] * m[12 + k];
    }
  r[15] = 1;
  memcpy(out, r, sizeof r);
}

void render_matrices(const Renderer *r, const float *view, const float *projection) {
  for (int i = 0; i < N_PROGRAMS; i++) {
    const Program *p = &r->programs[i];
    if (p->uniforms[UNIFORM_VIEW] < 0 && p->uniforms[UNIFORM_PROJECTION] < 0) continue;
    glUseProgram(p->name);
    set_matrix(p, UNIFORM_VIEW, view);
    set_matrix(p, UNIFORM_PROJECTION, projection);
  }
}

/* Uniforms that are the same for the whole view. */
static void set_view(const Renderer *r) {
  for (int i = 0; i < N_PROGRAMS; i++) {
    const Program *p = &r->programs[i];
    glUseProgram(p->name);
    glUniform2f(p->uniforms[UNIFORM_VIEWPORT], (float)r->seen.width, (float)r->seen.height);
    glUniform1i(p->uniforms[UNIFORM_IMAGE], UNIT_IMAGE);
    if (p->uniforms[UNIFORM_N_LIGHTS] < 0) continue;
    set_lights(r, p);
    shadows_set(&r->shadows, &r->frame, p, r->view);
  }
  render_matrices(r, r->view, r->projection);
}

const Program *render_use(const Renderer *r, ProgramId id) {
  glUseProgram(r->programs[id].name);
  return &r->programs[id];
}

/* ---- scopes ---- */

/* The matrix of p -> q p + t. */
static void motion(const double *t, const double *q, float m[16]) {
  double rows[9];
  sofa_quat_to_matrix(q, rows);
  memset(m, 0, 16 * sizeof *m);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) m[4 * k + i] = (float)rows[3 * i + k];
    m[12 + i] = (float)t[i];
  }
  m[15] = 1;
}

/* Planes in the axes of a view: of what is left of it, dot(plane, p) >= 0. */
static void set_planes(const Renderer *r, const RenderScope *scope, const float *view) {
  float planes[RENDER_MAX_PLANES][4] = {{0}};
  for (int i = 0; i < RENDER_MAX_PLANES; i++) {
    if (!(r->planes >> i & 1)) continue;
    const double *n = scope->planes[i].normal, *p = scope->planes[i].position;
    double normal[3], position[3];
    for (int k = 0; k < 3; k++) {
      normal[k] = position[k] = 0;
      for (int j = 0; j < 3; j++) {
        normal[k] += (double)view[4 * j + k] * n[j];
        position[k] += (double)view[4 * j + k] * p[j];
      }
      position[k] += (double)view[12 + k];
    }
    for (int k = 0; k < 3; k++) planes[i][k] = (float)normal[k];
    planes[i][3] = (float)-sofa_vec3_dot(normal, position);
  }
  for (int i = 0; i < N_PROGRAMS; i++) {
    if (r->programs[i].uniforms[UNIFORM_PLANES] < 0) continue;
    glUseProgram(r->programs[i].name);
    glUniform4fv(r->programs[i].uniforms[UNIFORM_PLANES], RENDER_MAX_PLANES, planes[0]);
  }
}

void renderer_scope(Renderer *r, const RenderScope *scope) {
  const unsigned before = r->planes;
  memcpy(r->model_view, r->view, sizeof r->view);
  r->planes = 0;
  if (scope) {
    float moved[16];
    motion(scope->position, scope->orientation, moved);
    matrix_product(r->view, moved, r->model_view);
    for (unsigned i = 0; i < RENDER_MAX_PLANES; i++)
      if (scope->planes[i].on) r->planes |= 1u << i;
  }
  render_matrices(r, r->model_view, r->projection);
  if (before || r->planes) set_planes(r, scope, r->model_view);
  for (unsigned i = 0; i < RENDER_MAX_PLANES; i++) {
    if (r->planes >> i & 1) glEnable(GL_CLIP_DISTANCE0 + i);
    else if (before >> i & 1) glDisable(GL_CLIP_DISTANCE0 + i);
  }
}

/* ---- begin and end ---- */

static void draw_background(Renderer *r) {
  const RenderView *v = &r->seen;
  const Texture *image = v->image ? texture_of(r->ctx, &r->textures, v->image, false) : NULL;
  const Program *p = render_use(r, PROGRAM_BACKGROUND);
  const bool shown = image && image->name;
  glUniform4f(p->uniforms[UNIFORM_TOP], (float)v->top[0], (float)v->top[1], (float)v->top[2], 1);
  glUniform4f(p->uniforms[UNIFORM_BOTTOM], (float)v->bottom[0], (float)v->bottom[1],
              (float)v->bottom[2], 1);
  set_flag(p, UNIFORM_HAS_IMAGE, shown);
  if (shown) {
    glBindTexture(GL_TEXTURE_2D, image->name);
    glUniform4f(p->uniforms[UNIFORM_IMAGE_TRANSFORM], (float)v->width / (float)image->width,
                (float)v->height / (float)image->height, 0, 0);
  }
  glDisable(GL_DEPTH_TEST);
  glDepthMask(GL_FALSE);
  glBindVertexArray(r->empty_array);
  render_arrays(r, GL_TRIANGLES, 3);
  glDepthMask(GL_TRUE);
  glEnable(GL_DEPTH_TEST);
}

/* The framebuffer encodes what is written, if it can. */
static void use_srgb(Renderer *r) {
  GLint bound = 0, encoding = GL_LINEAR;
  glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &bound);
  glGetFramebufferAttachmentParameteriv(GL_DRAW_FRAMEBUFFER,
                                        bound ? GL_COLOR_ATTACHMENT0 : GL_BACK_LEFT,
                                        GL_FRAMEBUFFER_ATTACHMENT_COLOR_ENCODING, &encoding);
  if (encoding == GL_SRGB) {
    glEnable(GL_FRAMEBUFFER_SRGB);
    return;
  }
  if (!r->srgb_reported)
    sofa_message(r->ctx, SOFA_WARNING, &origin,
                 "colours are not converted: the target of the drawing cannot store sRGB");
  r->srgb_reported = true;
}

void renderer_begin(Renderer *r, const RenderFrame *frame) {
  r->frame = *frame;
  r->stats = (RenderStats){0};
  r->picture++;
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  glEnable(GL_MULTISAMPLE);
  glEnable(GL_DEPTH_TEST);
  glDepthFunc(GL_LEQUAL);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glDepthMask(GL_TRUE);
  if (frame->srgb) use_srgb(r);
  glActiveTexture(GL_TEXTURE0 + UNIT_IMAGE);
  shadows_prepare(r->ctx, &r->shadows, frame);
  if (r->shadows.n_layers) glGetIntegerv(GL_DRAW_FRAMEBUFFER_BINDING, &r->framebuffer);
}

void renderer_view(Renderer *r, const RenderView *v) {
  double view[16], projection[16];
  r->seen = *v;
  sofa_camera_matrices(&v->camera, (double)v->width / v->height, view, projection);
  for (int i = 0; i < 16; i++) {
    r->view[i] = (float)view[i];
    r->projection[i] = (float)projection[i];
  }
  glViewport(v->x, v->y, v->width, v->height);
  glScissor(v->x, v->y, v->width, v->height);
  glEnable(GL_SCISSOR_TEST);
  glClearColor((float)v->bottom[0], (float)v->bottom[1], (float)v->bottom[2], 1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glActiveTexture(GL_TEXTURE0 + UNIT_SHADOW_DEPTH);
  glBindTexture(GL_TEXTURE_2D_ARRAY, r->shadows.depth);
  glActiveTexture(GL_TEXTURE0 + UNIT_SHADOW_MOMENTS);
  glBindTexture(GL_TEXTURE_2D_ARRAY, r->shadows.moments);
  glActiveTexture(GL_TEXTURE0 + UNIT_IMAGE);
  set_view(r);
  renderer_scope(r, NULL);
  draw_background(r);
}

void render_blend(const Renderer *r, bool on) {
  if (!on) {
    glDisable(GL_BLEND);
    return;
  }
  glEnable(GL_BLEND);
  // sums of colours; alpha: what is left of what is behind
  if (r->oit.on) glBlendFuncSeparate(GL_ONE, GL_ONE, GL_ZERO, GL_ONE_MINUS_SRC_ALPHA);
  else glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
}

void renderer_shader(Renderer *r, const RenderShader *shader) {
  r->shader = shader;
}

void renderer_end(Renderer *r) {
  r->shader = NULL;
  renderer_scope(r, NULL);
  render_blend(r, false);
  glDepthMask(GL_TRUE);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_FRAMEBUFFER_SRGB);
  glBindVertexArray(0);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  for (GLenum unit = UNIT_FIRST_FREE; unit-- > 0;) {
    glActiveTexture(GL_TEXTURE0 + unit);
    glBindTexture(unit == UNIT_IMAGE ? GL_TEXTURE_2D : GL_TEXTURE_2D_ARRAY, 0);
  }
  glUseProgram(0);
  size_t kept = 0;
  for (size_t i = 0; i < r->meshes.n; i++) {
    if (r->meshes.data[i].seen == r->picture) r->meshes.data[kept++] = r->meshes.data[i];
    else mesh_destroy(&r->meshes.data[i]);
  }
  r->meshes.n = kept;
}

RenderStats renderer_stats(const Renderer *r) {
  return r->stats;
}

/* ---- shadow maps ---- */

int renderer_shadow_layers(const Renderer *r) {
  return r->shadows.n_layers;
}

static void finish_layer(Renderer *r) {
  if (r->shadow_layer < 0) return;
  glDisable(GL_POLYGON_OFFSET_FILL);
  if (shadows_light(&r->shadows, r->shadow_layer)->soft) {
    glBindVertexArray(r->empty_array);
    shadows_blur(&r->shadows, r->shadow_layer, &r->programs[PROGRAM_BLUR]);
  }
  r->shadow_layer = -1;
}

void renderer_shadow_layer(Renderer *r, int layer) {
  finish_layer(r);
  const ShadowLight *l = shadows_light(&r->shadows, layer);
  r->shadow_layer = layer;
  shadows_bind(&r->shadows, layer);
  shadows_view(&r->shadows, layer, r->view);
  memcpy(r->projection, l->projection, sizeof r->projection);
  renderer_scope(r, NULL);
  const Program *p = render_use(r, PROGRAM_DEPTH);
  glUniform2f(p->uniforms[UNIFORM_RANGE], l->z_near, l->z_far);
  glEnable(GL_POLYGON_OFFSET_FILL);
  glPolygonOffset(1.5f, 4);
}

SofaErr renderer_shadow_surface(Renderer *r, const void *key, const SofaSurface *s) {
  if (!s->enabled || s->n_points == 0 || s->points_only) return SOFA_OK;
  Mesh *mesh = render_mesh(r, key);
  if (!mesh) return SOFA_ERR_MEMORY;
  SOFA_TRY(mesh_update(r->ctx, mesh, s, false, &r->stats.uploaded_bytes));
  render_use(r, PROGRAM_DEPTH);
  glBindVertexArray(mesh->array);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->faces);
  render_indices(r, GL_TRIANGLES, 0, 3 * mesh->n_triangles + 6 * mesh->n_quads);
  return SOFA_OK;
}

void renderer_shadow_end(Renderer *r) {
  finish_layer(r);
  renderer_scope(r, NULL);
  glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)r->framebuffer);
}

void renderer_show_shadows(Renderer *r) {
  const Shadows *s = &r->shadows;
  const int n = s->n_layers, room = r->seen.width / (n > 4 ? n : 4), size = room - 4;
  if (n == 0 || size < 1) return;
  const Program *p = render_use(r, PROGRAM_MAP);
  glBindVertexArray(r->empty_array);
  glDisable(GL_DEPTH_TEST);
  glActiveTexture(GL_TEXTURE0 + UNIT_SHADOW_DEPTH);
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_MODE, GL_NONE);
  for (int i = 0; i < n; i++) {
    const ShadowLight *l = shadows_light(s, i);
    const int x = r->seen.x + i * room + 2, y = r->seen.y + 2;
    glUniform1i(p->uniforms[UNIFORM_MOMENTS], l->soft ? UNIT_SHADOW_MOMENTS : UNIT_SHADOW_DEPTH);
    glUniform4f(p->uniforms[UNIFORM_BLUR], (float)x, (float)y, (float)i, (float)size);
    glUniform2f(p->uniforms[UNIFORM_RANGE], (float)l->size, (float)s->side);
    glScissor(x, y, size, size);
    render_arrays(r, GL_TRIANGLES, 3);
  }
  glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
  glActiveTexture(GL_TEXTURE0 + UNIT_IMAGE);
  glScissor(r->seen.x, r->seen.y, r->seen.width, r->seen.height);
  glEnable(GL_DEPTH_TEST);
}
