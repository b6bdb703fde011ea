/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Writes surfaces to the graphics card. */
#include "viewer/render/mesh.h"

#include <string.h>

#include "viewer/render/program.h"

static const SofaOrigin origin = {.emitter = "viewer"};

/* Storage of n bytes for writing; the driver gives a fresh piece while the old one is in use. NULL:
 * there is none (reported). */
static void *map_buffer(SofaContext *ctx, GLenum target, size_t n, bool resize) {
  if (resize) glBufferData(target, (GLsizeiptr)n, NULL, GL_STREAM_DRAW);
  void *data =
      glMapBufferRange(target, 0, (GLsizeiptr)n, GL_MAP_WRITE_BIT | GL_MAP_INVALIDATE_BUFFER_BIT);
  if (!data)
    sofa_message(ctx, SOFA_ERROR, &origin, "the graphics card has no room for %zu bytes", n);
  return data;
}

static void attribute(GLuint place, GLint n, GLenum type, bool normalized, size_t stride,
                      size_t offset) {
  glEnableVertexAttribArray(place);
  glVertexAttribPointer(place, n, type, normalized, (GLsizei)stride, (const void *)offset);
}

/* Storage that stays where it is, so that its pages are there already. */
static float *map_points(SofaContext *ctx, Mesh *mesh, size_t size) {
  const int turn = mesh->turn = !mesh->turn;
  glBindBuffer(GL_ARRAY_BUFFER, mesh->points[turn]);
  if (mesh->room[turn] != size)
    return map_buffer(ctx, GL_ARRAY_BUFFER, mesh->room[turn] = size, true);
  float *to = glMapBufferRange(GL_ARRAY_BUFFER, 0, (GLsizeiptr)size, GL_MAP_WRITE_BIT);
  if (!to)
    sofa_message(ctx, SOFA_ERROR, &origin, "the graphics card gives no access to its memory");
  return to;
}

/* Positions and normals side by side, as floats. */
static SofaErr write_points(SofaContext *ctx, Mesh *mesh, const SofaSurface *s, size_t *bytes) {
  const bool normals = s->normal != NULL;
  const size_t per = normals ? 6 : 3, size = s->n_points * per * sizeof(float);
  float *to = map_points(ctx, mesh, size);
  if (!to) return SOFA_ERR_MEMORY;
  const double *x = s->position, *normal = s->normal;
  for (size_t i = 0; i < s->n_points; i++, to += per, x += 3) {
    for (int k = 0; k < 3; k++) to[k] = (float)x[k];
    if (!normals) continue;
    for (int k = 0; k < 3; k++) to[3 + k] = (float)normal[k];
    normal += 3;
  }
  glUnmapBuffer(GL_ARRAY_BUFFER);
  *bytes += size;
  attribute(ATTRIBUTE_POSITION, 3, GL_FLOAT, false, per * sizeof(float), 0);
  if (normals) attribute(ATTRIBUTE_NORMAL, 3, GL_FLOAT, false, per * sizeof(float), 12);
  else glDisableVertexAttribArray(ATTRIBUTE_NORMAL);
  mesh->has_normals = normals;
  return SOFA_OK;
}

static void write_colors(Mesh *mesh, const SofaSurface *s, size_t *bytes) {
  mesh->has_colors = s->color != NULL;
  if (!s->color) {
    glDisableVertexAttribArray(ATTRIBUTE_COLOR);
    return;
  }
  glBindBuffer(GL_ARRAY_BUFFER, mesh->colors);
  glBufferData(GL_ARRAY_BUFFER, (GLsizeiptr)(4 * s->n_points), s->color, GL_STREAM_DRAW);
  attribute(ATTRIBUTE_COLOR, 4, GL_UNSIGNED_BYTE, true, 4, 0);
  *bytes += 4 * s->n_points;
}

static SofaErr write_uv(SofaContext *ctx, Mesh *mesh, const SofaSurface *s, size_t *bytes) {
  mesh->has_uv = s->texcoords && s->texcoords->n == s->n_points;
  if (!mesh->has_uv) {
    glDisableVertexAttribArray(ATTRIBUTE_UV);
    return SOFA_OK;
  }
  glBindBuffer(GL_ARRAY_BUFFER, mesh->uv);
  float *to = map_buffer(ctx, GL_ARRAY_BUFFER, 2 * s->n_points * sizeof(float), true);
  if (!to) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < s->n_points; i++)
    for (int k = 0; k < 2; k++) *to++ = (float)s->texcoords->data[i].v[k];
  glUnmapBuffer(GL_ARRAY_BUFFER);
  attribute(ATTRIBUTE_UV, 2, GL_FLOAT, false, 8, 0);
  *bytes += 8 * s->n_points;
  return SOFA_OK;
}

/* An element with a point that does not exist becomes a dot of point 0 with no area. */
static void put_index(uint32_t **to, const uint32_t *v, const int *order, int n, int width,
                      size_t n_points) {
  bool good = true;
  for (int i = 0; i < width; i++) good &= v[i] < n_points;
  for (int i = 0; i < n; i++) *(*to)++ = good ? v[order[i]] : 0;
}

static const int triangle_corners[] = {0, 1, 2}, quad_corners[] = {0, 1, 2, 0, 2, 3},
                 triangle_edges[] = {0, 1, 1, 2, 2, 0}, quad_edges[] = {0, 1, 1, 2, 2, 3, 3, 0};

static SofaErr write_faces(SofaContext *ctx, Mesh *mesh, const SofaSurface *s, size_t *bytes) {
  const size_t n = 3 * mesh->n_triangles + 6 * mesh->n_quads;
  if (n == 0) return SOFA_OK;
  glBindBuffer(GL_ARRAY_BUFFER, mesh->faces);
  uint32_t *to = map_buffer(ctx, GL_ARRAY_BUFFER, n * sizeof *to, true);
  if (!to) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < mesh->n_triangles; i++)
    put_index(&to, s->triangles->data[i].v, triangle_corners, 3, 3, s->n_points);
  for (size_t i = 0; i < mesh->n_quads; i++)
    put_index(&to, s->quads->data[i].v, quad_corners, 6, 4, s->n_points);
  glUnmapBuffer(GL_ARRAY_BUFFER);
  *bytes += n * sizeof *to;
  return SOFA_OK;
}

/* The model's own edges first, then those of the faces. */
static SofaErr write_lines(SofaContext *ctx, Mesh *mesh, const SofaSurface *s, bool faces,
                           size_t *bytes) {
  static const int edge[] = {0, 1};
  mesh->n_lines = 2 * mesh->n_edges;
  if (faces) mesh->n_lines += 6 * mesh->n_triangles + 8 * mesh->n_quads;
  mesh->has_lines = faces;
  if (mesh->n_lines == 0) return SOFA_OK;
  glBindBuffer(GL_ARRAY_BUFFER, mesh->lines);
  uint32_t *to = map_buffer(ctx, GL_ARRAY_BUFFER, mesh->n_lines * sizeof *to, true);
  if (!to) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < mesh->n_edges; i++)
    put_index(&to, s->edges->data[i].v, edge, 2, 2, s->n_points);
  for (size_t i = 0; faces && i < mesh->n_triangles; i++)
    put_index(&to, s->triangles->data[i].v, triangle_edges, 6, 3, s->n_points);
  for (size_t i = 0; faces && i < mesh->n_quads; i++)
    put_index(&to, s->quads->data[i].v, quad_edges, 8, 4, s->n_points);
  glUnmapBuffer(GL_ARRAY_BUFFER);
  *bytes += mesh->n_lines * sizeof *to;
  return SOFA_OK;
}

static void make_buffers(Mesh *mesh) {
  GLuint names[6];
  glGenVertexArrays(1, &mesh->array);
  glGenBuffers(6, names);
  mesh->points[0] = names[0];
  mesh->points[1] = names[5];
  mesh->colors = names[1];
  mesh->uv = names[2];
  mesh->faces = names[3];
  mesh->lines = names[4];
}

SofaErr mesh_update(SofaContext *ctx, Mesh *mesh, const SofaSurface *s, bool lines, size_t *bytes) {
  SofaErr err = SOFA_OK;
  if (!mesh->array) make_buffers(mesh);
  glBindVertexArray(mesh->array);
  const bool elements = !mesh->known || s->elements_version != mesh->elements_version ||
                        s->n_points != mesh->n_points;
  const bool points = elements || s->points_version != mesh->points_version;
  if (points) SOFA_GO(err, done, write_points(ctx, mesh, s, bytes));
  if (points) write_colors(mesh, s, bytes);
  if (elements) {
    mesh->n_triangles = s->triangles ? s->triangles->n : 0;
    mesh->n_quads = s->quads ? s->quads->n : 0;
    mesh->n_edges = s->edges ? s->edges->n : 0;
    SOFA_GO(err, done, write_uv(ctx, mesh, s, bytes));
    SOFA_GO(err, done, write_faces(ctx, mesh, s, bytes));
  }
  if (elements || (lines && !mesh->has_lines))
    SOFA_GO(err, done, write_lines(ctx, mesh, s, lines, bytes));
  mesh->n_points = s->n_points;
  mesh->points_version = s->points_version;
  mesh->elements_version = s->elements_version;
done:
  mesh->known = err == SOFA_OK;
  return err;
}

void mesh_destroy(Mesh *mesh) {
  if (!mesh->array) return;
  const GLuint names[] = {mesh->points[0], mesh->points[1], mesh->colors,
                          mesh->uv,        mesh->faces,     mesh->lines};
  glDeleteBuffers(6, names);
  glDeleteVertexArrays(1, &mesh->array);
  memset(mesh, 0, sizeof *mesh);
}
