/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws pictures: programs, lights and materials; surfaces and draw lists. */
#include "viewer/render/renderer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "math/quaternion.h"
#include "viewer/render/font.h"
#include "viewer/render/mesh.h"
#include "viewer/render/program.h"
#include "viewer/render/texture.h"

SOFA_LIST(Mesh, Meshes);

/* A corner of a letter. */
typedef struct TextVertex {
  float p[3], offset[2], uv[2], pixels;
  uint8_t rgba[4];
} TextVertex;
SOFA_LIST(TextVertex, TextVertices);

struct Renderer {
  SofaContext *ctx;
  Program programs[N_PROGRAMS];
  Font font;
  Textures textures;
  Meshes meshes;
  TextVertices text;
  GLuint items_array, items, text_array, text_buffer, empty_array;
  uint64_t picture;
  RenderFrame frame;
  float view[16], projection[16];
  RenderStats stats;
};

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
}

void renderer_destroy(Renderer **renderer) {
  Renderer *r = *renderer;
  if (!r) return;
  renderer_forget(r);
  sofa_list_free(r->ctx, &r->meshes);
  sofa_list_free(r->ctx, &r->text);
  for (int i = 0; i < N_PROGRAMS; i++) program_destroy(&r->programs[i]);
  font_destroy(&r->font);
  const GLuint arrays[] = {r->empty_array, r->items_array, r->text_array};
  const GLuint buffers[] = {r->items, r->text_buffer};
  glDeleteVertexArrays(3, arrays);
  glDeleteBuffers(2, buffers);
  sofa_free(r->ctx, r);
  *renderer = NULL;
}

/* ---- draw calls: timed, as a software rasteriser works inside them ---- */

static double thread_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void draw_arrays(Renderer *r, GLenum mode, size_t n) {
  const double start = thread_seconds();
  glDrawArrays(mode, 0, (GLsizei)n);
  r->stats.call_seconds += thread_seconds() - start;
}

static void draw_indices(Renderer *r, GLenum mode, size_t first, size_t n) {
  const double start = thread_seconds();
  if (n)
    glDrawElements(mode, (GLsizei)n, GL_UNSIGNED_INT,
                   (const void *)(uintptr_t)(first * sizeof(uint32_t)));
  r->stats.call_seconds += thread_seconds() - start;
}

/* ---- uniforms ---- */

static void set_matrix(const Program *p, Uniform which, const float *m) {
  glUniformMatrix4fv(p->uniforms[which], 1, GL_FALSE, m);
}
static void set_flag(const Program *p, Uniform which, bool flag) {
  glUniform1i(p->uniforms[which], flag);
}

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

static void set_lights(const Renderer *r, const Program *p) {
  float position[MAX_LIGHTS][4], direction[MAX_LIGHTS][3], color[MAX_LIGHTS][3],
      spot[MAX_LIGHTS][3];
  const int n = r->frame.n_lights;
  for (int i = 0; i < n; i++) {
    const RenderLight *l = &r->frame.lights[i];
    double d[3];
    sofa_vec3_copy(l->direction, d);
    sofa_vec3_normalize(d);
    to_eye(&r->frame.camera, l->of_eye, l->position, l->position[3] > 0, position[i]);
    position[i][3] = (float)l->position[3];
    to_eye(&r->frame.camera, l->of_eye, d, false, direction[i]);
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

/* Uniforms that are the same for the whole picture. */
static void set_frame(const Renderer *r, const float *view, const float *projection) {
  for (int i = 0; i < N_PROGRAMS; i++) {
    const Program *p = &r->programs[i];
    glUseProgram(p->name);
    set_matrix(p, UNIFORM_VIEW, view);
    set_matrix(p, UNIFORM_PROJECTION, projection);
    glUniform2f(p->uniforms[UNIFORM_VIEWPORT], (float)r->frame.width, (float)r->frame.height);
    glUniform1i(p->uniforms[UNIFORM_IMAGE], 0);
    if (p->uniforms[UNIFORM_N_LIGHTS] >= 0) set_lights(r, p);
  }
}

static const Program *use(const Renderer *r, ProgramId id) {
  glUseProgram(r->programs[id].name);
  return &r->programs[id];
}

/* ---- begin and end ---- */

static void draw_background(Renderer *r) {
  const RenderFrame *f = &r->frame;
  const Texture *image = f->image ? texture_of(r->ctx, &r->textures, f->image) : NULL;
  const Program *p = use(r, PROGRAM_BACKGROUND);
  const bool shown = image && image->name;
  glUniform4f(p->uniforms[UNIFORM_TOP], (float)f->top[0], (float)f->top[1], (float)f->top[2], 1);
  glUniform4f(p->uniforms[UNIFORM_BOTTOM], (float)f->bottom[0], (float)f->bottom[1],
              (float)f->bottom[2], 1);
  set_flag(p, UNIFORM_HAS_IMAGE, shown);
  if (shown) {
    glBindTexture(GL_TEXTURE_2D, image->name);
    glUniform4f(p->uniforms[UNIFORM_IMAGE_TRANSFORM], (float)f->width / (float)image->width,
                (float)f->height / (float)image->height, 0, 0);
  }
  glDisable(GL_DEPTH_TEST);
  glDepthMask(GL_FALSE);
  glBindVertexArray(r->empty_array);
  draw_arrays(r, GL_TRIANGLES, 3);
  glDepthMask(GL_TRUE);
  glEnable(GL_DEPTH_TEST);
}

void renderer_begin(Renderer *r, const RenderFrame *frame) {
  double view[16], projection[16];
  r->frame = *frame;
  r->stats = (RenderStats){0};
  r->picture++;
  sofa_camera_matrices(&frame->camera, (double)frame->width / frame->height, view, projection);
  for (int i = 0; i < 16; i++) {
    r->view[i] = (float)view[i];
    r->projection[i] = (float)projection[i];
  }
  glViewport(0, 0, frame->width, frame->height);
  glDisable(GL_SCISSOR_TEST);
  glDisable(GL_CULL_FACE);
  glDisable(GL_BLEND);
  glEnable(GL_MULTISAMPLE);
  glDepthFunc(GL_LEQUAL);
  glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
  glDepthMask(GL_TRUE);
  glClearColor((float)frame->bottom[0], (float)frame->bottom[1], (float)frame->bottom[2], 1);
  glClear(GL_COLOR_BUFFER_BIT | GL_DEPTH_BUFFER_BIT);
  glActiveTexture(GL_TEXTURE0);
  set_frame(r, r->view, r->projection);
  draw_background(r);
}

static void blend(bool on) {
  if (on) {
    glEnable(GL_BLEND);
    glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  } else {
    glDisable(GL_BLEND);
  }
}

void renderer_end(Renderer *r) {
  blend(false);
  glDepthMask(GL_TRUE);
  glBindVertexArray(0);
  glBindBuffer(GL_ARRAY_BUFFER, 0);
  glBindTexture(GL_TEXTURE_2D, 0);
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

/* ---- surfaces ---- */

enum { DIFFUSE, AMBIENT, SPECULAR, EMISSIVE, SHININESS };

static bool is_translucent(const SofaMaterial *material) {
  return material && material->use[DIFFUSE] && material->color[DIFFUSE][3] < 1;
}

bool render_has_pass(const SofaSurface *s, RenderPass pass) {
  if (s->n_parts == 0) return is_translucent(s->material) == (pass == RENDER_TRANSLUCENT);
  for (size_t i = 0; i < s->n_parts; i++)
    if (is_translucent(s->parts[i].material) == (pass == RENDER_TRANSLUCENT)) return true;
  return false;
}

static Mesh *mesh_of(Renderer *r, const void *key) {
  for (size_t i = 0; i < r->meshes.n; i++)
    if (r->meshes.data[i].key == key) return &r->meshes.data[i];
  const Mesh mesh = {.key = key};
  if (SOFA_APPEND(r->ctx, &r->meshes, &mesh) != SOFA_OK) return NULL;
  return &r->meshes.data[r->meshes.n - 1];
}

/* Terms of a material that are not used are black. */
static void set_material(const Renderer *r, const Program *p, const SofaMaterial *m) {
  static const SofaMaterial plain = {.use = {true, true},
                                     .color = {{0.75, 0.75, 0.75, 1}, {0.2, 0.2, 0.2, 1}}};
  float c[4][4] = {{0, 0, 0, 1}};
  if (!m) m = &plain;
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < 4 && m->use[t]; k++) c[t][k] = (float)m->color[t][k];
  for (int k = 0; k < 3; k++) c[AMBIENT][k] *= (float)r->frame.ambient[k];
  const double hardness = m->shininess > 128 ? 128 : m->shininess;
  const bool shines = m->use[SHININESS] && hardness > 0;
  if (!shines) c[SPECULAR][0] = c[SPECULAR][1] = c[SPECULAR][2] = 0;
  glUniform4fv(p->uniforms[UNIFORM_DIFFUSE], 1, c[DIFFUSE]);
  glUniform3fv(p->uniforms[UNIFORM_AMBIENT], 1, c[AMBIENT]);
  glUniform3fv(p->uniforms[UNIFORM_SPECULAR], 1, c[SPECULAR]);
  glUniform3fv(p->uniforms[UNIFORM_EMISSIVE], 1, c[EMISSIVE]);
  glUniform1f(p->uniforms[UNIFORM_SHININESS], (float)hardness);
}

/* Faces of a part: its triangles, its quads. Translucent ones: those turned away first. */
static void draw_part(Renderer *r, const Mesh *mesh, const SofaSurface *s,
                      const SofaSurfacePart *part, bool clear) {
  const size_t quads = 3 * mesh->n_triangles;
  for (int side = clear ? 0 : 1; side < 2; side++) {
    if (clear || s->cull_face) glEnable(GL_CULL_FACE);
    if (clear) glCullFace(side == 0 ? GL_FRONT : GL_BACK);
    if (s->cull_face) glCullFace(s->cull_face == 1 ? GL_BACK : GL_FRONT);
    if (s->cull_face && clear && side == 0) continue;
    draw_indices(r, GL_TRIANGLES, 3 * part->first_triangle, 3 * part->n_triangles);
    draw_indices(r, GL_TRIANGLES, quads + 6 * part->first_quad, 6 * part->n_quads);
  }
  glDisable(GL_CULL_FACE);
}

static void draw_faces(Renderer *r, const Mesh *mesh, const SofaSurface *s, RenderPass pass) {
  const Program *p = use(r, PROGRAM_MESH);
  const Texture *image = NULL;
  if (s->texture && mesh->has_uv) image = texture_of(r->ctx, &r->textures, s->texture);
  const bool textured = image && image->name, clear = pass == RENDER_TRANSLUCENT;
  const SofaSurfacePart whole = {s->material, 0, mesh->n_triangles, 0, mesh->n_quads};
  set_flag(p, UNIFORM_HAS_NORMALS, mesh->has_normals);
  set_flag(p, UNIFORM_HAS_COLORS, mesh->has_colors);
  set_flag(p, UNIFORM_HAS_IMAGE, textured);
  if (textured) glBindTexture(GL_TEXTURE_2D, image->name);
  const double *scale = s->image_scale, *move = s->image_translation;
  glUniform4f(p->uniforms[UNIFORM_IMAGE_TRANSFORM], scale[0] != 0 ? (float)scale[0] : 1.f,
              scale[1] != 0 ? (float)scale[1] : 1.f, (float)move[0], (float)move[1]);
  glVertexAttrib1f(ATTRIBUTE_SIZE, 0);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->faces);
  blend(clear);
  glDepthMask(!clear || s->write_z);
  for (size_t i = 0; i < (s->n_parts ? s->n_parts : 1); i++) {
    const SofaSurfacePart *part = s->n_parts ? &s->parts[i] : &whole;
    if (is_translucent(part->material) != clear) continue;
    if (part->first_triangle + part->n_triangles > mesh->n_triangles ||
        part->first_quad + part->n_quads > mesh->n_quads)
      continue;
    set_material(r, p, part->material);
    draw_part(r, mesh, s, part, clear);
    r->stats.triangles += part->n_triangles + 2 * part->n_quads;
  }
}

/* Edges or points in the material's colour. */
static void draw_thin(Renderer *r, const Mesh *mesh, const SofaSurface *s, bool points,
                      size_t first, size_t n) {
  const Program *p = use(r, points ? PROGRAM_SPRITE : PROGRAM_LINES);
  const SofaMaterial *m = s->material;
  const double size = points ? s->point_size : s->line_width;
  if (m && m->use[DIFFUSE])
    glVertexAttrib4f(ATTRIBUTE_COLOR, (float)m->color[0][0], (float)m->color[0][1],
                     (float)m->color[0][2], (float)m->color[0][3]);
  else glVertexAttrib4f(ATTRIBUTE_COLOR, 0.75f, 0.75f, 0.75f, 1);
  glVertexAttrib1f(ATTRIBUTE_SIZE, size > 0 ? (float)size : 1.f);
  set_flag(p, UNIFORM_SPHERES, false);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->lines);
  if (points) draw_arrays(r, GL_POINTS, n);
  else draw_indices(r, GL_LINES, first, n);
}

SofaErr renderer_surface(Renderer *r, const void *key, const SofaSurface *s, RenderPass pass,
                         bool wireframe) {
  if (!s->enabled || s->n_points == 0) return SOFA_OK;
  Mesh *mesh = mesh_of(r, key);
  if (!mesh) return SOFA_ERR_MEMORY;
  const SofaErr err = mesh_update(r->ctx, mesh, s, wireframe, &r->stats.uploaded_bytes);
  mesh->seen = r->picture;
  if (err != SOFA_OK) return err;
  glBindVertexArray(mesh->array);
  if (s->no_depth_test) glDisable(GL_DEPTH_TEST);
  const bool points = s->points_only, thin = pass == RENDER_OPAQUE || wireframe;
  if (!wireframe && !points) draw_faces(r, mesh, s, pass);
  if (points && thin) draw_thin(r, mesh, s, true, 0, mesh->n_points);
  else if (thin) draw_thin(r, mesh, s, false, 0, wireframe ? mesh->n_lines : 2 * mesh->n_edges);
  if (s->no_depth_test) glEnable(GL_DEPTH_TEST);
  blend(false);
  glDepthMask(GL_TRUE);
  return SOFA_OK;
}

/* ---- draw lists ---- */

static void draw_items(Renderer *r, const SofaDrawVertices *items, SofaDrawKind kind) {
  static const ProgramId programs[] = {PROGRAM_SPRITE, PROGRAM_LINES, PROGRAM_MESH, PROGRAM_SPRITE};
  static const GLenum modes[] = {GL_POINTS, GL_LINES, GL_TRIANGLES, GL_POINTS};
  if (items->n == 0) return;
  const Program *p = use(r, programs[kind]);
  const size_t size = items->n * sizeof *items->data;
  glBindVertexArray(r->items_array);
  glBindBuffer(GL_ARRAY_BUFFER, r->items);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)size, items->data, GL_STREAM_DRAW);
  if (kind == SOFA_DRAW_TRIANGLES) {
    set_flag(p, UNIFORM_HAS_NORMALS, false);
    set_flag(p, UNIFORM_HAS_COLORS, true);
    set_flag(p, UNIFORM_HAS_IMAGE, false);
    glUniform3f(p->uniforms[UNIFORM_SPECULAR], 0, 0, 0);
    glUniform3f(p->uniforms[UNIFORM_EMISSIVE], 0, 0, 0);
    r->stats.triangles += items->n / 3;
  }
  set_flag(p, UNIFORM_SPHERES, kind == SOFA_DRAW_SPHERES);
  draw_arrays(r, modes[kind], items->n);
  r->stats.uploaded_bytes += size;
}

void renderer_list(Renderer *r, const SofaDrawList *list) {
  const SofaDrawVertices *layer = list->vertices[SOFA_LAYER_SCENE];
  draw_items(r, &layer[SOFA_DRAW_TRIANGLES], SOFA_DRAW_TRIANGLES);
  draw_items(r, &layer[SOFA_DRAW_SPHERES], SOFA_DRAW_SPHERES);
  draw_items(r, &layer[SOFA_DRAW_POINTS], SOFA_DRAW_POINTS);
  draw_items(r, &layer[SOFA_DRAW_LINES], SOFA_DRAW_LINES);
}

void renderer_list_translucent(Renderer *r, const SofaDrawList *list) {
  blend(true);
  glDepthMask(GL_FALSE);
  draw_items(r, &list->translucent, SOFA_DRAW_TRIANGLES);
  glDepthMask(GL_TRUE);
  blend(false);
}

/* Rectangles of the letters of a text. */
static SofaErr add_letters(Renderer *r, const SofaDrawList *list, const SofaDrawText *text) {
  static const uint8_t corners[6][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 0}, {1, 1}, {0, 1}};
  const char *at = list->characters.data + text->start, *end = at + text->length;
  const bool pixels = text->pixels || text->layer == SOFA_LAYER_SCREEN;
  float pen = 0;
  while (at < end) {
    const Glyph *g = font_next(&r->font, &at, end);
    for (int i = 0; i < 6 && g->x1 > g->x0; i++) {
      TextVertex v = {.p = {text->p[0], text->p[1], text->p[2]}, .pixels = pixels};
      v.offset[0] = text->height * (pen + (corners[i][0] ? g->x1 : g->x0));
      v.offset[1] = text->height * (corners[i][1] ? g->y1 : g->y0);
      v.uv[0] = corners[i][0] ? g->u1 : g->u0;
      v.uv[1] = corners[i][1] ? g->v1 : g->v0;
      memcpy(v.rgba, text->rgba, 4);
      if (r->text.n == r->text.capacity)
        SOFA_TRY(SOFA_RESERVE(r->ctx, &r->text, 2 * r->text.capacity + 256));
      r->text.data[r->text.n++] = v;
    }
    pen += g->advance;
  }
  return SOFA_OK;
}

static void draw_texts(Renderer *r, const SofaDrawList *list, SofaDrawLayer layer) {
  r->text.n = 0;
  for (size_t i = 0; i < list->texts.n; i++)
    if (list->texts.data[i].layer == layer && add_letters(r, list, &list->texts.data[i]) != SOFA_OK)
      break;
  if (r->text.n == 0) return;
  use(r, PROGRAM_TEXT);
  glBindTexture(GL_TEXTURE_2D, r->font.texture);
  glBindVertexArray(r->text_array);
  glBindBuffer(GL_ARRAY_BUFFER, r->text_buffer);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(r->text.n * sizeof *r->text.data), r->text.data,
               GL_STREAM_DRAW);
  blend(true);
  glDepthMask(GL_FALSE);
  draw_arrays(r, GL_TRIANGLES, r->text.n);
  glDepthMask(GL_TRUE);
  blend(false);
}

static void draw_layer(Renderer *r, const SofaDrawList *list, SofaDrawLayer layer) {
  blend(true);
  for (int k = 0; k < SOFA_N_DRAW_KINDS; k++) {
    static const SofaDrawKind order[] = {SOFA_DRAW_TRIANGLES, SOFA_DRAW_SPHERES, SOFA_DRAW_LINES,
                                         SOFA_DRAW_POINTS};
    draw_items(r, &list->vertices[layer][order[k]], order[k]);
  }
  draw_texts(r, list, layer);
}

void renderer_list_front(Renderer *r, const SofaDrawList *list) {
  const float w = (float)r->frame.width, h = (float)r->frame.height;
  const float identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const float screen[16] = {2 / w, 0, 0, 0, 0, -2 / h, 0, 0, 0, 0, 0, 0, -1, 1, 0, 1};
  draw_texts(r, list, SOFA_LAYER_SCENE);

  // the front layer hides itself, but nothing of the scene hides it
  glClear(GL_DEPTH_BUFFER_BIT);
  draw_layer(r, list, SOFA_LAYER_FRONT);
  glDisable(GL_DEPTH_TEST);
  set_frame(r, identity, screen);
  draw_layer(r, list, SOFA_LAYER_SCREEN);
  glEnable(GL_DEPTH_TEST);
  set_frame(r, r->view, r->projection);
}
