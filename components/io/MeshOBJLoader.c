/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshOBJLoader: the loader of Wavefront OBJ files, with texture coordinates and materials. */
#include <string.h>
#include "base/files.h"
#include "base/text.h"
#include "numerics/io/obj_reader.h"

typedef struct MeshOBJLoader {
  SofaMeshLoader loader;
  bool handle_seams, load_material, compute_material_faces;
  SofaMaterial default_material;
  SofaMaterials materials;
  SofaObjData obj;
} MeshOBJLoader;

#define DEFAULT_MATERIAL                                                                           \
  "Default Diffuse 1 0.75 0.75 0.75 1 Ambient 1 0.2 0.2 0.2 1 Specular 0 1 1 1 1 "                 \
  "Emissive 0 0 0 0 0 Shininess 0 45"

#define ROWS(member, xml, help_text)                                                               \
  {                                                                                                \
    .name = (xml), .type = &sofa_type_index_rows, .offset = offsetof(MeshOBJLoader, obj.member),   \
    .unit = "1", .help = (help_text), .flags = SOFA_FIELD_OUTPUT                                   \
  }

typedef MeshOBJLoader SofaSelf; /* of SOFA_ROW */

static const SofaField obj_loader_fields[] = {
    SOFA_ROW(handle_seams, "handleSeams", "0", "",
             "Makes one point per distinct position, texture coordinate and normal."),
    SOFA_ROW(load_material, "loadMaterial", "1", "",
             "Reads the material libraries the file names."),
    SOFA_ROW(default_material, "defaultMaterial", DEFAULT_MATERIAL, "",
             "The first material the file uses.", .flags = SOFA_FIELD_OUTPUT,
             .aliases = "material"),
    {.name = "materials",
     .type = &sofa_type_materials,
     .offset = offsetof(MeshOBJLoader, materials),
     .unit = "",
     .help = "All materials of the libraries.",
     .flags = SOFA_FIELD_OUTPUT},
    ROWS(faces, "faceList", "Vertex of each corner of each face, as in the file."),
    ROWS(face_texcoords, "texcoordsIndex", "Texture coordinate of each corner, -1: none."),
    SOFA_ROW_OUTPUT(obj.positions, "positionsDefinition", "", "Vertices as in the file, m."),
    SOFA_ROW_OUTPUT(obj.texcoords, "texcoordsDefinition", "",
                    "Texture coordinates as in the file."),
    ROWS(face_normals, "normalsIndex", "Normal of each corner, -1: none."),
    SOFA_ROW_OUTPUT(obj.normals, "normalsDefinition", "", "Normals as in the file."),
    SOFA_ROW_OUTPUT(obj.point_texcoords, "texcoords", "", "Texture coordinate of each point."),
    SOFA_ROW(
        compute_material_faces, "computeMaterialFaces", "0", "",
        "Adds fields material_<name>_edgeIndices, ..._triangleIndices and ..._quadIndices with "
        "the elements of each material."),
    SOFA_ROW_OUTPUT(obj.point_position, "vertPosIdx", "",
                    "Vertex of each point where points were split."),
    SOFA_ROW_OUTPUT(obj.point_normal, "vertNormIdx", "",
                    "Number of each point's normal where points that were split share normals."),
};

/* Gives each group the rank of its material; the first one used becomes the default. */
static SofaErr resolve_materials(MeshOBJLoader *obj_loader) {
  const SofaMaterials *materials = &obj_loader->materials;
  size_t used = materials->n;
  for (int kind = 0; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    SofaMeshGroups *groups = &obj_loader->loader.data.groups[kind];
    for (size_t i = 0; i < groups->n; i++) {
      size_t m = 0;
      while (m < materials->n && strcmp(materials->data[m].name, groups->data[i].material) != 0)
        m++;
      groups->data[i].material_id = m < materials->n ? (int)m : -1;
      if (used == materials->n) used = m;
    }
  }
  if (used == materials->n) return SOFA_OK;
  return sofa_type_copy(&sofa_type_material, obj_loader->loader.object.ctx, &materials->data[used],
                        &obj_loader->default_material);
}

static SofaErr obj_loader_read(SofaMeshLoader *loader, const SofaFileBytes *file) {
  MeshOBJLoader *obj_loader = (MeshOBJLoader *)loader;
  const SofaObjOptions options = {
      .faces = {.flip_normals = loader->flip_normals, .triangulate = loader->triangulate},
      .handle_seams = obj_loader->handle_seams};
  SOFA_TRY(sofa_obj_read(loader->object.ctx, file, &options, &loader->data, &obj_loader->obj));
  if (obj_loader->load_material)
    SOFA_TRY(sofa_obj_materials(&loader->object, file->origin, &obj_loader->obj,
                                &obj_loader->materials));
  return resolve_materials(obj_loader);
}

/* ---- elements of materials as fields ---- */

typedef struct MaterialFaces {
  const SofaMeshGroups *groups; /* of one kind of element */
  const char *material;
  SofaField row;
} MaterialFaces;
SOFA_LIST(MaterialFaces, MaterialLists);

static SofaErr add_list(MeshOBJLoader *l, SofaElementKind kind, size_t group, MaterialLists *out) {
  static const char *const words[SOFA_N_ELEMENT_KINDS] = {[SOFA_ELEMENT_EDGE] = "edge",
                                                          [SOFA_ELEMENT_TRIANGLE] = "triangle",
                                                          [SOFA_ELEMENT_QUAD] = "quad"};
  SofaContext *ctx = l->loader.object.ctx;
  const SofaMeshGroups *groups = &l->loader.data.groups[kind];
  const char *material = groups->data[group].material;
  for (size_t i = 0; i < out->n; i++)
    if (out->data[i].groups == groups && strcmp(out->data[i].material, material) == 0)
      return SOFA_OK;
  char *name = sofa_format(ctx, "material_%s_%sIndices", material, words[kind]);
  if (!name) return SOFA_ERR_MEMORY;
  for (char *c = name; *c; c++)
    if (strchr("./@", *c)) *c = '_';
  const MaterialFaces list = {groups,
                              material,
                              {.name = name,
                               .type = &sofa_type_indices,
                               .unit = "1",
                               .help = "elements of the material",
                               .flags = SOFA_FIELD_OUTPUT}};
  const SofaErr err = SOFA_APPEND(ctx, out, &list);
  if (err != SOFA_OK) sofa_free(ctx, name);
  return err;
}

static SofaErr fill_list(SofaContext *ctx, const MaterialFaces *list, SofaIndices *out) {
  for (size_t g = 0; g < list->groups->n; g++) {
    const SofaMeshGroup *group = &list->groups->data[g];
    if (strcmp(group->material, list->material) != 0) continue;
    for (uint32_t i = group->first; i < group->first + group->n; i++)
      SOFA_TRY(SOFA_APPEND(ctx, out, &i));
  }
  return SOFA_OK;
}

static SofaErr add_fields(MeshOBJLoader *l, const MaterialLists *lists) {
  SofaObject *object = &l->loader.object;
  SofaField *rows = sofa_alloc(object->ctx, lists->n, sizeof *rows);
  if (!rows) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < lists->n; i++) rows[i] = lists->data[i].row;
  SofaErr err = sofa_object_add_fields(object, rows, lists->n);
  for (size_t i = 0; err == SOFA_OK && i < lists->n; i++)
    err = fill_list(object->ctx, &lists->data[i],
                    sofa_field_value(object, &object->klass->fields[i]));
  sofa_free(object->ctx, rows);
  return err;
}

static SofaErr obj_loader_parsed(SofaObject *object) {
  MeshOBJLoader *l = (MeshOBJLoader *)object;
  MaterialLists lists = {0};
  SofaErr err = SOFA_OK;
  if (!l->compute_material_faces) return SOFA_OK;
  for (int kind = SOFA_ELEMENT_EDGE; kind <= SOFA_ELEMENT_QUAD; kind++)
    for (size_t g = 0; err == SOFA_OK && g < l->loader.data.groups[kind].n; g++)
      if (l->loader.data.groups[kind].data[g].n)
        err = add_list(l, (SofaElementKind)kind, g, &lists);
  if (err == SOFA_OK) err = add_fields(l, &lists);
  for (size_t i = 0; i < lists.n; i++)
    sofa_free(object->ctx, (char *)(uintptr_t)lists.data[i].row.name);
  sofa_list_free(object->ctx, &lists);
  return err;
}

static void obj_loader_destroy(SofaObject *object) {
  sofa_strings_free(object->ctx, &((MeshOBJLoader *)object)->obj.libraries);
}

static const SofaLoaderOps obj_loader_ops = {.read = obj_loader_read};

SOFA_CLASS(MeshOBJLoader) = {
    SOFA_NAMED(MeshOBJLoader),
    .module = "Sofa.Component.IO.Mesh",
    .category = "Loader",
    .help = "Reads a mesh from a Wavefront OBJ file.",
    .base = &sofa_mesh_loader_class,
    SOFA_FIELDS(obj_loader_fields),
    .parsed = obj_loader_parsed,
    .destroy = obj_loader_destroy,
    SOFA_IMPLEMENTS({SOFA_LOADER, &obj_loader_ops}),
};
