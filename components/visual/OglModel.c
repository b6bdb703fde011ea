/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglModel: a surface to draw, moved by a mapping. It is a state; drawing is the viewer's. */
#include <math.h>
#include <string.h>

#include "base/files.h"
#include "change/topology_change.h"
#include "components/visual/OglModel.h"
#include "numerics/io/mesh_file.h"
#include "numerics/spatial/vertex_normals.h"
#include "math/quaternion.h"
#include "math/vec.h"

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

static const char *const primitive_types[] = {"DEFAULT", "LINES_ADJACENCY", "PATCHES", "POINTS",
                                              NULL};
static const char *const blend_equations[] = {
    "GL_FUNC_ADD", "GL_FUNC_SUBTRACT", "GL_FUNC_REVERSE_SUBTRACT", "GL_MIN", "GL_MAX", NULL};
static const char *const blend_factors[] = {"GL_ZERO", "GL_ONE", "GL_SRC_ALPHA",
                                            "GL_ONE_MINUS_SRC_ALPHA", NULL};

#define DEFAULT_MATERIAL                                                                           \
  "Default Diffuse 1 0.75 0.75 0.75 1 Ambient 1 0.2 0.2 0.2 1 Specular 0 1 1 1 1 "                 \
  "Emissive 0 0 0 0 0 Shininess 0 45"

typedef OglModel SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(enable, "enable", "1", "draw the model", .aliases = "isEnabled"),
    SOFA_ROW_DISPLAY(rest_position, "restPosition", NULL, "positions at rest"),
    SOFA_ROW_DISPLAY(normal, "normal", NULL, "unit normals, one per vertex"),
    SOFA_ROW_DISPLAY(init_rest, "initRestPositions", "0",
                     "take the rest positions from the positions"),
    SOFA_ROW_DISPLAY(use_normals, "useNormals", "1", "keep normals that are given"),
    SOFA_ROW_DISPLAY(update_normals, "updateNormals", "1",
                     "recompute normals when the vertices moved"),
    SOFA_ROW_DISPLAY(compute_tangents, "computeTangents", "0", "compute tangents"),
    SOFA_ROW_DISPLAY(update_tangents, "updateTangents", "1",
                     "recompute tangents when the vertices moved"),
    SOFA_ROW_DISPLAY(compute_texcoords, "computeTextureCoordinates", "0",
                     "texture coordinates by projection on a sphere"),
    SOFA_ROW_DISPLAY(dynamic_topology, "handleDynamicTopology", "1", "follow topological changes"),
    SOFA_ROW_DISPLAY(fix_seams, "fixMergedUVSeams", "1", "repair seams of texture coordinates"),
    SOFA_ROW_DISPLAY(keep_lines, "keepLines", "0", "keep the edges of a mesh file"),
    SOFA_ROW_DISPLAY(vertices, "vertices", NULL, "positions when vertices have several normals"),
    SOFA_ROW_DISPLAY(texcoords, "texcoords", NULL, "texture coordinates, one per vertex"),
    SOFA_ROW_DISPLAY(tangents, "tangents", NULL, "tangents, one per vertex"),
    SOFA_ROW_DISPLAY(bitangents, "bitangents", NULL, "bitangents, one per vertex"),
    SOFA_ROW_DISPLAY(edges, "edges", NULL, "lines to draw"),
    SOFA_ROW_DISPLAY(triangles, "triangles", NULL, "triangles to draw"),
    SOFA_ROW_DISPLAY(quads, "quads", NULL, "quads to draw"),
    SOFA_ROW_DISPLAY(vertex_position_index, "vertPosIdx", NULL, "position of each vertex"),
    SOFA_ROW_DISPLAY(vertex_normal_index, "vertNormIdx", NULL, "normal of each vertex"),
    SOFA_ROW(filename, "filename", NULL, "", "mesh file to load directly", .aliases = "fileMesh"),
    SOFA_ROW_DISPLAY(texture, "texturename", NULL, "image on the surface"),
    SOFA_ROW(translation, "translation", "0 0 0", "m",
             "translation of the initial vertices, applied last"),
    SOFA_ROW(rotation, "rotation", "0 0 0", "degree",
             "rotation of the initial vertices: Euler angles, x first"),
    SOFA_ROW(scale3d, "scale3d", "1 1 1", "1", "scale of the initial vertices, applied first"),
    SOFA_ROW_DISPLAY(texture_scale, "scaleTex", "1 1", "scale of texture coordinates"),
    SOFA_ROW_DISPLAY(texture_translation, "translationTex", "0 0",
                     "translation of texture coordinates"),
    SOFA_ROW_DISPLAY(material, "material", DEFAULT_MATERIAL, "colours and shininess"),
    SOFA_ROW_DISPLAY(only_texcoords, "putOnlyTexCoords", "0",
                     "give shaders the texture coordinates only"),
    SOFA_ROW_DISPLAY(srgb, "srgbTexturing", "0", "textures are sRGB"),
    {.name = "materials",
     .type = &sofa_type_materials,
     .offset = offsetof(OglModel, materials),
     .unit = "",
     .help = "materials of groups of faces",
     .flags = SOFA_FIELD_DISPLAY},
    SOFA_ROW_DISPLAY(groups, "groups", NULL, "groups of faces"),
    SOFA_ROW_DISPLAY(blend, "blendTranslucency", "1", "blend translucent surfaces"),
    SOFA_ROW_DISPLAY(premultiplied, "premultipliedAlpha", "0", "colours are multiplied by alpha"),
    SOFA_ROW_DISPLAY(write_z, "writeZTransparent", "0",
                     "translucent surfaces hide the objects behind them"),
    SOFA_ROW_DISPLAY(alpha_blend, "alphaBlend", "0", "use blendEquation, sfactor, dfactor"),
    SOFA_ROW_DISPLAY(depth_test, "depthTest", "1", "hidden surfaces stay hidden"),
    SOFA_ROW_DISPLAY(cull_face, "cullFace", "0", "0 none, 1 back, 2 front faces are not drawn"),
    SOFA_ROW_DISPLAY(line_width, "lineWidth", "1", "width of lines, pixels"),
    SOFA_ROW_DISPLAY(point_size, "pointSize", "1", "size of points, pixels"),
    SOFA_ROW_DISPLAY(line_smooth, "lineSmooth", "0", "smooth lines"),
    SOFA_ROW_DISPLAY(point_smooth, "pointSmooth", "0", "round points"),
    SOFA_ROW_DISPLAY(primitive_type, "primitiveType", "DEFAULT", "parts of the surface to draw",
                     .options = primitive_types),
    SOFA_ROW_DISPLAY(blend_equation, "blendEquation", "GL_FUNC_ADD", "how colours are blended",
                     .options = blend_equations),
    SOFA_ROW_DISPLAY(source_factor, "sfactor", "GL_SRC_ALPHA", "factor of the new colour",
                     .options = blend_factors),
    SOFA_ROW_DISPLAY(destination_factor, "dfactor", "GL_ONE_MINUS_SRC_ALPHA",
                     "factor of the old colour", .options = blend_factors),
    SOFA_ROW(topology, "topology", NULL, "",
             "topology with points and faces, when the model has none", .link = &topology_rule),
    SOFA_ROW_LEGACY(color, "color", NULL, "", "colour of the material"),
    SOFA_ROW_LEGACY(flip, "flip", NULL, "", "reverse the orientation of faces (present or not)"),
    SOFA_ROW_LEGACY(normals, "normals", NULL, "", "use the normals given"),
    SOFA_ROW_LEGACY(cast_shadow, "castshadow", NULL, "", "cast shadows, which it does unless 0"),
    SOFA_ROW_LEGACY(scale, "scale", NULL, "", "the same scale on each axis"),
    SOFA_ROW_LEGACY(s[0], "sx", NULL, "", "scale along x"),
    SOFA_ROW_LEGACY(s[1], "sy", NULL, "", "scale along y"),
    SOFA_ROW_LEGACY(s[2], "sz", NULL, "", "scale along z"),
    SOFA_ROW_LEGACY(r[0], "rx", NULL, "", "rotation about x, degrees"),
    SOFA_ROW_LEGACY(r[1], "ry", NULL, "", "rotation about y, degrees"),
    SOFA_ROW_LEGACY(r[2], "rz", NULL, "", "rotation about z, degrees"),
    SOFA_ROW_LEGACY(d[0], "dx", NULL, "", "translation along x"),
    SOFA_ROW_LEGACY(d[1], "dy", NULL, "", "translation along y"),
    SOFA_ROW_LEGACY(d[2], "dz", NULL, "", "translation along z"),
    SOFA_ROW_LEGACY(uv[0], "su", NULL, "", "scale of u"),
    SOFA_ROW_LEGACY(uv[1], "sv", NULL, "", "scale of v"),
    SOFA_ROW_LEGACY(uv[2], "du", NULL, "", "translation of u"),
    SOFA_ROW_LEGACY(uv[3], "dv", NULL, "", "translation of v"),
};

/* ---- attributes ---- */

static void take_group(const SofaObject *object, const char *const names[3], const SofaFloat v[3],
                       double missing, SofaVec3 *to) {
  bool any = false;
  for (int i = 0; i < 3; i++) any |= sofa_field_is_set(object, names[i]);
  if (!any) return;
  for (int i = 0; i < 3; i++) to->v[i] = sofa_field_is_set(object, names[i]) ? v[i].value : missing;
}

/* Diffuse, specular, emissive are the colour, ambient a fifth of it. */
static void set_color(OglModel *o, const double rgba[4]) {
  SofaMaterial *m = &o->material;
  if (!m->use[0]) m->use[0] = m->use[1] = true;
  for (int k = 0; k < 4; k++) {
    m->color[0][k] = m->color[2][k] = m->color[3][k] = rgba[k];
    m->color[1][k] = k < 3 ? 0.2 * rgba[k] : rgba[k];
  }
}

static SofaErr take_color(OglModel *o) {
  SofaContext *ctx = o->state.object.ctx;
  SofaText why = {0};
  SofaColor color = {{1, 1, 1, 1}};
  if (!o->color || !o->color[0]) return SOFA_OK;
  const SofaParse parse = {.ctx = ctx, .kind = SOFA_NO_KIND, .why = &why};
  SofaErr err = sofa_type_parse(&sofa_type_color, &parse, o->color, &color);
  if (err == SOFA_ERR_PARSE) {
    sofa_object_message(&o->state.object, SOFA_INFO, "colour '%s' is unreadable: white", o->color);
    color = (SofaColor){{1, 1, 1, 1}};
    err = SOFA_OK;
  }
  sofa_list_free(ctx, &why);
  o->colored = true;
  o->own_color = color;
  set_color(o, color.rgba);
  return err;
}

static SofaErr parsed(SofaObject *object) {
  OglModel *o = (OglModel *)object;
  if (sofa_field_is_set(object, "scale"))
    o->scale3d = (SofaVec3){{o->scale.value, o->scale.value, o->scale.value}};
  take_group(object, (const char *const[]){"sx", "sy", "sz"}, o->s, 1, &o->scale3d);
  take_group(object, (const char *const[]){"rx", "ry", "rz"}, o->r, 0, &o->rotation);
  take_group(object, (const char *const[]){"dx", "dy", "dz"}, o->d, 0, &o->translation);
  if (sofa_field_is_set(object, "su")) o->texture_scale.v[0] = o->uv[0].value;
  if (sofa_field_is_set(object, "sv")) o->texture_scale.v[1] = o->uv[1].value;
  if (sofa_field_is_set(object, "du")) o->texture_translation.v[0] = o->uv[2].value;
  if (sofa_field_is_set(object, "dv")) o->texture_translation.v[1] = o->uv[3].value;
  if (sofa_field_is_set(object, "normals")) o->use_normals = o->normals;
  return take_color(o);
}

/* ---- geometry ---- */

static SofaErr copy_points(OglModel *o, const double *from, size_t n) {
  SOFA_TRY(sofa_state_resize(&o->state, n));
  if (n) sofa_copy(o->state.position.data, from, 3 * n * sizeof *from);
  return SOFA_OK;
}

/* A model without geometry of its own shows the topology in context. */
static SofaErr take_topology(OglModel *o) {
  SofaContext *ctx = o->state.object.ctx;
  SofaTopology *t = (SofaTopology *)o->topology.target;
  if (!t) return SOFA_OK;
  if (!o->from_topology && (o->triangles.n || o->quads.n || o->edges.n)) return SOFA_OK;
  o->from_topology = true;
  o->revision = t->revision;
  const SofaTriangles *triangles = sofa_topology_triangles(t);
  const SofaQuads *quads = sofa_topology_quads(t);
  if (triangles) SOFA_TRY(sofa_list_copy(ctx, &o->triangles, triangles, sizeof *triangles->data));
  if (quads) SOFA_TRY(sofa_list_copy(ctx, &o->quads, quads, sizeof *quads->data));
  if (o->state.position.n) return SOFA_OK;
  SOFA_TRY(sofa_state_resize(&o->state, t->n_points));
  for (size_t i = 0; i < t->n_points; i++)
    sofa_topology_point(t, i, o->state.position.data + 3 * i);
  return SOFA_OK;
}

/* Moves the mesh of an OBJ file into the model. */
static SofaErr take_mesh(OglModel *o, SofaMeshData *mesh, SofaObjData *obj) {
  SofaContext *ctx = o->state.object.ctx;
  if (!o->only_texcoords) {
    SOFA_TRY(copy_points(o, mesh->mesh.position.n ? mesh->mesh.position.data->v : NULL,
                         mesh->mesh.position.n));
    SOFA_TRY(sofa_list_copy(ctx, &o->triangles, &mesh->mesh.triangles, sizeof(SofaTriangle)));
    SOFA_TRY(sofa_list_copy(ctx, &o->quads, &mesh->mesh.quads, sizeof(SofaQuad)));
    if (o->keep_lines)
      SOFA_TRY(sofa_list_copy(ctx, &o->edges, &mesh->mesh.edges, sizeof(SofaEdge)));
    // the groups move over; the mesh keeps empty ones
    for (int i = 0; i < 2; i++) {
      SofaMeshGroups *from = &mesh->groups[i ? SOFA_ELEMENT_QUAD : SOFA_ELEMENT_TRIANGLE];
      sofa_mesh_groups_free(ctx, &o->part_groups[i]);
      o->part_groups[i] = *from;
      *from = (SofaMeshGroups){0};
    }
  }
  return sofa_list_copy(ctx, &o->texcoords, &obj->point_texcoords, sizeof(SofaVec2));
}

static SofaErr read_file(OglModel *o) {
  SofaObject *object = &o->state.object;
  SofaContext *ctx = object->ctx;
  SofaMeshData mesh = {0};
  SofaObjData obj = {0};
  SofaErr err = SOFA_OK;
  if (!o->filename.text || !o->filename.text[0]) return SOFA_OK;
  SOFA_GO(err, done, sofa_mesh_read_file(object, "filename", &o->filename, &mesh, &obj));
  const SofaOrigin origin = {.file = o->filename.path, .emitter = object->klass->name};
  SOFA_GO(err, done, sofa_obj_materials(object, &origin, &obj, &o->materials));
  err = take_mesh(o, &mesh, &obj);
done:
  sofa_mesh_data_free(ctx, &mesh);
  sofa_obj_data_free(ctx, &obj);
  return err;
}

/* The initial transform happens once; the fields then say that nothing is left to do. */
static void transform(OglModel *o) {
  SofaCoords *x = &o->state.position;
  double q[4], p[3];
  sofa_quat_from_euler_degrees(o->rotation.v, q);
  for (size_t i = 0; i < x->n; i++) {
    double *to = x->data + 3 * i;
    for (int c = 0; c < 3; c++) p[c] = to[c] * o->scale3d.v[c];
    sofa_quat_rotate(q, p, to);
    for (int c = 0; c < 3; c++) to[c] += o->translation.v[c];
  }
  o->translation = o->rotation = (SofaVec3){{0, 0, 0}};
  o->scale3d = (SofaVec3){{1, 1, 1}};
}

static void reverse_faces(OglModel *o) {
  for (size_t i = 0; i < o->triangles.n; i++) {
    uint32_t *v = o->triangles.data[i].v, kept = v[1];
    v[1] = v[2];
    v[2] = kept;
  }
  for (size_t i = 0; i < o->quads.n; i++) {
    uint32_t *v = o->quads.data[i].v, kept = v[1];
    v[1] = v[3];
    v[3] = kept;
  }
}

/* Parts of the faces whose material the file names; the others are drawn in the model's own. */
static SofaErr make_parts(OglModel *o) {
  SofaContext *ctx = o->state.object.ctx;
  bool own = false;
  o->parts.n = 0;
  if (o->materials.n == 0) return SOFA_OK;
  for (int kind = 0; kind < 2; kind++) {
    const size_t n = kind ? o->quads.n : o->triangles.n;
    const SofaMeshGroups *groups = &o->part_groups[kind];
    size_t done = 0;
    for (size_t g = 0; g <= groups->n; g++) {
      const size_t first = g < groups->n ? groups->data[g].first : n;
      const size_t count = g < groups->n ? groups->data[g].n : 0;
      size_t m = 0;
      if (first < done || first + count > n) continue;
      while (g < groups->n && m < o->materials.n &&
             strcmp(o->materials.data[m].name, groups->data[g].material) != 0)
        m++;
      const bool known = g < groups->n && m < o->materials.n;
      SofaSurfacePart gap = {.material = &o->material}, part = gap;
      *(kind ? &gap.first_quad : &gap.first_triangle) = done;
      *(kind ? &gap.n_quads : &gap.n_triangles) = first - done;
      if (known) part.material = &o->materials.data[m];
      *(kind ? &part.first_quad : &part.first_triangle) = first;
      *(kind ? &part.n_quads : &part.n_triangles) = count;
      if (first > done) SOFA_TRY(SOFA_APPEND(ctx, &o->parts, &gap));
      if (count) SOFA_TRY(SOFA_APPEND(ctx, &o->parts, &part));
      own |= known;
      done = first + count;
    }
  }
  if (!own) o->parts.n = 0;
  return SOFA_OK;
}

/* Texture coordinates on the unit sphere around the middle of the model: u along the equator, v
 * from pole to pole. */
static SofaErr project_on_sphere(OglModel *o) {
  const SofaCoords *x = &o->state.position;
  double middle[3] = {0, 0, 0};
  SOFA_TRY(SOFA_RESIZE(o->state.object.ctx, &o->texcoords, x->n));
  for (size_t i = 0; i < x->n; i++) sofa_vec3_axpy(1. / (double)x->n, x->data + 3 * i, middle);
  for (size_t i = 0; i < x->n; i++) {
    static const double pi = 3.14159265358979323846;
    double d[3];
    sofa_vec3_sub(x->data + 3 * i, middle, d);
    const double r = sofa_vec3_normalize(d);
    o->texcoords.data[i].v[0] = 0.5 + atan2(d[1], d[0]) / (2 * pi);
    o->texcoords.data[i].v[1] = r > 0 ? 1 - acos(d[2]) / pi : 0.5;
  }
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  OglModel *o = (OglModel *)object;
  if (o->vertices.n && !o->state.position.n)
    SOFA_TRY(copy_points(o, o->vertices.data->v, o->vertices.n));
  SOFA_TRY(read_file(o));
  SOFA_TRY(take_topology(o));
  transform(o);
  if (sofa_field_is_set(object, "flip")) reverse_faces(o);
  if (o->compute_texcoords) SOFA_TRY(project_on_sphere(o));
  SOFA_TRY(make_parts(o));
  if (o->texture.text && o->texture.text[0] && !o->texture.path)
    sofa_object_message(object, SOFA_WARNING, "texturename: no file '%s'; drawn without",
                        o->texture.text);
  if (o->init_rest) {
    SOFA_TRY(SOFA_RESIZE(object->ctx, &o->rest_position, o->state.position.n));
    if (o->rest_position.n)
      sofa_copy(o->rest_position.data, o->state.position.data,
                o->rest_position.n * sizeof *o->rest_position.data);
  }
  sofa_state_touch(&o->state);
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  OglModel *o = (OglModel *)object;
  for (int i = 0; i < 2; i++) sofa_mesh_groups_free(object->ctx, &o->part_groups[i]);
  sofa_list_free(object->ctx, &o->parts);
}

/* ---- what is drawn ---- */

static uint32_t version_of(const OglModel *o, const char *name) {
  const SofaObject *object = &o->state.object;
  return sofa_field_state(object, sofa_class_field(object->klass, name))->version;
}

/* Grows when anything but the positions changed. */
static void look_at_elements(OglModel *o) {
  static const char *const names[] = {"triangles", "quads",      "edges",
                                      "texcoords", "vertPosIdx", "vertNormIdx"};
  uint64_t version = o->revision + o->state.position.n;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) version += version_of(o, names[i]);
  if (version == o->elements_version) return;
  o->elements_version = version;
}

/* Points that a seam has split have one normal together. */
static SofaErr join_normals(OglModel *o) {
  SofaContext *ctx = o->state.object.ctx;
  const SofaIndices *joined = &o->vertex_normal_index;
  if (joined->n != o->normal.n || joined->n == 0) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  double *sum = SOFA_SCRATCH(ctx, double, 3 * o->normal.n);
  if (!sum) return SOFA_ERR_MEMORY;
  sofa_zero(sum, 3 * o->normal.n * sizeof *sum);
  for (size_t i = 0; i < joined->n; i++)
    if (joined->data[i] < joined->n)
      sofa_vec3_axpy(1, o->normal.data[i].v, sum + 3 * (size_t)joined->data[i]);
  for (size_t i = 0; i < joined->n; i++)
    if (joined->data[i] < joined->n)
      sofa_vec3_copy(sum + 3 * (size_t)joined->data[i], o->normal.data[i].v);
  sofa_scratch_release(ctx, mark);
  return SOFA_OK;
}

/* Normals: per vertex the normalised sum of the cross products of its triangles and quad corners.
 */
static SofaErr compute_normals(OglModel *o) {
  SofaContext *ctx = o->state.object.ctx;
  SOFA_TRY(SOFA_RESIZE(ctx, &o->normal, o->state.position.n));
  if (!o->normal.n) return SOFA_OK;
  const SofaFaces faces = {.x = o->state.position.data,
                           .n_points = o->normal.n,
                           .triangles = o->triangles.n ? o->triangles.data->v : NULL,
                           .n_triangles = o->triangles.n,
                           .quads = o->quads.n ? o->quads.data->v : NULL,
                           .n_quads = o->quads.n};
  sofa_vertex_areas(ctx, &faces, o->normal.data->v);
  SOFA_TRY(join_normals(o));
  sofa_normalize_all(ctx, o->normal.data->v, o->normal.n);
  return SOFA_OK;
}

static SofaErr update_normals(OglModel *o, uint32_t version) {
  const bool missing = o->normal.n != o->state.position.n;
  const bool moved = version != o->normals_version;
  if (!missing && !(moved && o->update_normals)) return SOFA_OK;
  /* normals that came with the mesh are kept for the initial positions */
  if (missing || o->normals_version || !o->use_normals) SOFA_TRY(compute_normals(o));
  o->normals_version = version;
  return SOFA_OK;
}

static SofaErr surface(SofaState *visual, SofaSurface *out) {
  OglModel *o = (OglModel *)visual;
  const SofaTopology *t = (const SofaTopology *)o->topology.target;
  if (o->from_topology && o->dynamic_topology && t && t->revision != o->revision)
    SOFA_TRY(take_topology(o));
  // a material that came over a link again is coloured again
  if (o->colored) set_color(o, o->own_color.rgba);
  look_at_elements(o);
  const uint32_t version = version_of(o, "position");
  SOFA_TRY(update_normals(o, version));
  *out = (SofaSurface){
      .position = o->state.position.data,
      .normal = o->normal.n ? o->normal.data->v : NULL,
      .n_points = o->state.position.n,
      .edges = &o->edges,
      .triangles = &o->triangles,
      .quads = &o->quads,
      .texcoords = &o->texcoords,
      .material = &o->material,
      .parts = o->parts.data,
      .n_parts = o->parts.n,
      .texture = o->texture.path,
      .image_scale = {o->texture_scale.v[0], o->texture_scale.v[1]},
      .image_translation = {o->texture_translation.v[0], o->texture_translation.v[1]},
      .line_width = o->line_width,
      .point_size = o->point_size,
      .cull_face = o->cull_face,
      .enabled = o->enable,
      .points_only = o->primitive_type.index == 3,
      .no_depth_test = !o->depth_test,
      .write_z = o->write_z,
      .srgb_texture = o->srgb,
      .no_shadow = sofa_field_is_set(&o->state.object, "castshadow") && !o->cast_shadow,
      .points_version = version + (uint64_t)version_of(o, "normal"),
      .elements_version = o->elements_version,
  };
  return SOFA_OK;
}

static SofaErr bounding_box(SofaObject *object, SofaBox *box) {
  const SofaCoords *x = &((OglModel *)object)->state.position;
  for (size_t i = 0; i < x->n; i++)
    for (int k = 0; k < 3; k++) {
      const double v = x->data[3 * i + (size_t)k];
      if (v < box->min[k]) box->min[k] = v;
      if (v > box->max[k]) box->max[k] = v;
    }
  return SOFA_OK;
}

/* ---- topological changes ---- */

/* Faces with a removed vertex go; the others get the new numbers. */
static void follow_faces(const SofaTopologyChange *change, void *list, unsigned width) {
  SofaIndices *faces = list;
  for (size_t i = 0; i < faces->n;) {
    uint32_t *v = faces->data + i * width;
    bool stays = true;
    for (unsigned c = 0; c < width; c++) {
      v[c] = v[c] < change->n_before ? sofa_change_renamed(change, v[c]) : SOFA_NO_ELEMENT;
      stays = stays && v[c] != SOFA_NO_ELEMENT;
    }
    if (stays) i++;
    else sofa_move(v, faces->data + --faces->n * width, width * sizeof *v);
  }
}

static SofaErr follow_points(OglModel *o, const SofaTopologyChange *change) {
  SOFA_TRY(sofa_state_listen(&o->state.object, change));
  sofa_change_remove_entries(change, &o->rest_position, sizeof *o->rest_position.data);
  sofa_change_remove_entries(change, &o->texcoords, sizeof *o->texcoords.data);
  o->normal.n = 0; // made again
  if (change->kind != SOFA_CHANGE_REMOVE) return SOFA_OK;
  follow_faces(change, &o->edges, 2);
  follow_faces(change, &o->triangles, 3);
  follow_faces(change, &o->quads, 4);
  return SOFA_OK;
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  OglModel *o = (OglModel *)object;
  const SofaTopology *t = (SofaTopology *)o->topology.target;
  if (!o->dynamic_topology) return SOFA_OK;
  if (sofa_change_moves(change, &o->state)) SOFA_TRY(follow_points(o, change));
  if (change->kind != SOFA_CHANGE_DONE) return SOFA_OK;
  if (t && o->from_topology) {
    o->triangles.n = o->quads.n = 0;
    SOFA_TRY(take_topology(o));
    if (sofa_field_is_set(object, "flip")) reverse_faces(o);
  }
  o->normal.n = 0;
  sofa_state_touch(&o->state);
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = listen};
static const SofaVisualModelOps ops = {.surface = surface};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(OglModel) = {
    SOFA_NAMED(OglModel),
    .module = "Sofa.GL.Component.Rendering3D",
    .category = "VisualModel",
    .help = "A surface to draw. Mappings move its vertices; it has no effect on a simulation.",
    .base = &sofa_state_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_FIELDS(fields),
    .templates = templates,
    .parsed = parsed,
    .init = init,
    .destroy = destroy,
    .bounding_box = bounding_box,
    SOFA_IMPLEMENTS({SOFA_VISUAL_MODEL, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
