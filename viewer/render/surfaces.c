/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draws surfaces: faces in their materials, edges, points. */
#include <math.h>
#include <string.h>

#include "viewer/render/renderer_impl.h"

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

Mesh *render_mesh(Renderer *r, const void *key) {
  for (size_t i = 0; i < r->meshes.n; i++)
    if (r->meshes.data[i].key == key) return &r->meshes.data[i];
  const Mesh mesh = {.key = key};
  if (SOFA_APPEND(r->ctx, &r->meshes, &mesh) != SOFA_OK) return NULL;
  return &r->meshes.data[r->meshes.n - 1];
}

float render_material(const Renderer *r, const SofaMaterial *m, float c[4][4]) {
  static const SofaMaterial plain = {.use = {true, true},
                                     .color = {{0.75, 0.75, 0.75, 1}, {0.2, 0.2, 0.2, 1}}};
  if (!m) m = &plain;
  for (int t = 0; t < 4; t++)
    for (int k = 0; k < 4; k++) c[t][k] = m->use[t] ? (float)m->color[t][k] : k == 3 ? 1.f : 0.f;
  for (int k = 0; k < 3; k++) c[AMBIENT][k] *= (float)r->frame.ambient[k];
  const double hardness = m->shininess > 128 ? 128 : m->shininess;
  const bool shines = m->use[SHININESS] && hardness > 0;
  if (!shines) c[SPECULAR][0] = c[SPECULAR][1] = c[SPECULAR][2] = 0;
  return (float)hardness;
}

static void set_material(const Renderer *r, const Program *p, const SofaMaterial *m) {
  float c[4][4];
  const float hardness = render_material(r, m, c);
  glUniform4fv(p->uniforms[UNIFORM_DIFFUSE], 1, c[DIFFUSE]);
  glUniform3fv(p->uniforms[UNIFORM_AMBIENT], 1, c[AMBIENT]);
  glUniform3fv(p->uniforms[UNIFORM_SPECULAR], 1, c[SPECULAR]);
  glUniform3fv(p->uniforms[UNIFORM_EMISSIVE], 1, c[EMISSIVE]);
  glUniform1f(p->uniforms[UNIFORM_SHININESS], hardness);
}

/* Faces of a part: its triangles, its quads. Translucent ones: those turned away first. */
static void draw_part(Renderer *r, const Mesh *mesh, const SofaSurface *s,
                      const SofaSurfacePart *part, bool clear, GLenum mode) {
  const size_t quads = 3 * mesh->n_triangles;
  for (int side = clear ? 0 : 1; side < 2; side++) {
    if (clear || s->cull_face) glEnable(GL_CULL_FACE);
    if (clear) glCullFace(side == 0 ? GL_FRONT : GL_BACK);
    if (s->cull_face) glCullFace(s->cull_face == 1 ? GL_BACK : GL_FRONT);
    if (s->cull_face && clear && side == 0) continue;
    render_indices(r, mode, 3 * part->first_triangle, 3 * part->n_triangles);
    render_indices(r, mode, quads + 6 * part->first_quad, 6 * part->n_quads);
  }
  glDisable(GL_CULL_FACE);
}

/* Program, image and flags of the built-in shading. */
static const Program *begin_builtin(Renderer *r, const Mesh *mesh, const SofaSurface *s,
                                    bool textured) {
  const Program *p = render_use(r, r->oit.on ? PROGRAM_MESH_OIT : PROGRAM_MESH);
  set_flag(p, UNIFORM_HAS_NORMALS, mesh->has_normals);
  set_flag(p, UNIFORM_HAS_COLORS, mesh->has_colors);
  set_flag(p, UNIFORM_HAS_IMAGE, textured);
  const double *scale = s->image_scale, *move = s->image_translation;
  glUniform4f(p->uniforms[UNIFORM_IMAGE_TRANSFORM], scale[0] != 0 ? (float)scale[0] : 1.f,
              scale[1] != 0 ? (float)scale[1] : 1.f, (float)move[0], (float)move[1]);
  glVertexAttrib1f(ATTRIBUTE_SIZE, 0);
  return p;
}

static void draw_faces(Renderer *r, const Mesh *mesh, const SofaSurface *s, RenderPass pass) {
  const Texture *image = NULL;
  if (s->texture && mesh->has_uv)
    image = texture_of(r->ctx, &r->textures, s->texture, s->srgb_texture);
  const bool textured = image && image->name, clear = pass == RENDER_TRANSLUCENT;
  const SofaSurfacePart whole = {s->material, 0, mesh->n_triangles, 0, mesh->n_quads};
  const Program *p = NULL;
  r->surface_colors = mesh->has_colors;
  const UserProgram *user = user_shader_begin(r, r->oit.on ? NULL : r->shader, mesh);
  if (!user) p = begin_builtin(r, mesh, s, textured);
  if (textured) glBindTexture(GL_TEXTURE_2D, image->name);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->faces);
  render_blend(r, clear);
  glDepthMask(!clear || (s->write_z && !r->oit.on));
  for (size_t i = 0; i < (s->n_parts ? s->n_parts : 1); i++) {
    const SofaSurfacePart *part = s->n_parts ? &s->parts[i] : &whole;
    if (is_translucent(part->material) != clear) continue;
    if (part->first_triangle + part->n_triangles > mesh->n_triangles ||
        part->first_quad + part->n_quads > mesh->n_quads)
      continue;
    if (user) user_shader_material(r, part->material);
    else set_material(r, p, part->material);
    draw_part(r, mesh, s, part, clear, user && user->patches ? GL_PATCHES : GL_TRIANGLES);
    r->stats.triangles += part->n_triangles + 2 * part->n_quads;
  }
  if (user) user_shader_end(r, r->shader);
}

/* Edges or points in the material's colour. */
static void draw_thin(Renderer *r, const Mesh *mesh, const SofaSurface *s, bool points,
                      size_t first, size_t n) {
  const Program *p = render_use(r, points ? PROGRAM_SPRITE : PROGRAM_LINES);
  const SofaMaterial *m = s->material;
  const double size = points ? s->point_size : s->line_width;
  if (m && m->use[DIFFUSE])
    glVertexAttrib4f(ATTRIBUTE_COLOR, (float)m->color[0][0], (float)m->color[0][1],
                     (float)m->color[0][2], (float)m->color[0][3]);
  else glVertexAttrib4f(ATTRIBUTE_COLOR, 0.75f, 0.75f, 0.75f, 1);
  glVertexAttrib1f(ATTRIBUTE_SIZE, size > 0 ? (float)size : 1.f);
  set_flag(p, UNIFORM_SPHERES, false);
  glBindBuffer(GL_ELEMENT_ARRAY_BUFFER, mesh->lines);
  if (points) render_arrays(r, GL_POINTS, n);
  else render_indices(r, GL_LINES, first, n);
}

SofaErr renderer_surface(Renderer *r, const void *key, const SofaSurface *s, RenderPass pass,
                         bool wireframe) {
  if (!s->enabled || s->n_points == 0) return SOFA_OK;
  Mesh *mesh = render_mesh(r, key);
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
  render_blend(r, false);
  glDepthMask(GL_TRUE);
  return SOFA_OK;
}
