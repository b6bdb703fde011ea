/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract mesh loader: its fields, finding and reading the file, finishing the mesh. */
#include "behavior/loader.h"

#include "base/files.h"
#include "behavior/loader_impl.h"
#include "object/data_graph.h"
#include "topology/division.h"
#include "topology/mesh_finish.h"

const SofaInterface sofa_loader_interface = {.name = "mesh loader"};

static const SofaQuirk quirks[] = {
    {SOFA_QUIRK_LOADER_ROUNDING, "loader-rounding",
     "loaders transform points, back and forth again, which shows in their last digit",
     "test_made_meshes.transformed_again"},
};

enum { OUT = SOFA_FIELD_OUTPUT, OPTION = SOFA_FIELD_NO_AUTOLINK };
/* Outputs that the formats read so far never fill. */
enum { NEVER = SOFA_FIELD_OUTPUT | SOFA_FIELD_UNSUPPORTED };

#define LIST(member, xml, help_text, ...)                                                          \
  SOFA_FIELD(SofaMeshLoader, member, xml, NULL, "1", help_text, __VA_ARGS__)
#define GROUPS(member, xml, what)                                                                  \
  {                                                                                                \
    .name = (xml), .type = &sofa_type_mesh_groups, .offset = offsetof(SofaMeshLoader, member),     \
    .unit = "1", .help = "Groups of " what ": name, material, material's rank, first, count.",     \
    .flags = OUT                                                                                   \
  }

static const SofaField loader_fields[] = {
    SOFA_FIELD(SofaMeshLoader, filename, "filename", "", "",
               "Mesh file, relative to the scene or found on the data paths; generated meshes do "
               "not need it.", ),
    SOFA_FIELD(SofaMeshLoader, data.mesh.position, "position", NULL, "m",
               "Positions of the points, transformed.", .flags = OUT),
    {.name = "polylines",
     .type = &sofa_type_index_rows,
     .offset = offsetof(SofaMeshLoader, polylines),
     .unit = "1",
     .help = "Lines of any number of points; only VTK files have them.",
     .flags = OUT},
    LIST(data.mesh.edges, "edges", "Edges, 2 point indices each.", .flags = OUT),
    LIST(data.mesh.triangles, "triangles", "Triangles, 3 point indices each.", .flags = OUT),
    LIST(data.mesh.quads, "quads", "Quads, 4 point indices each.", .flags = OUT),
    LIST(polygons, "polygons", "Polygons; not present in the supported formats.", .flags = NEVER),
    LIST(data.mid_edges, "highOrderEdgePositions",
         "Points in the middle of quadratic edges: point, edge, 1, 1.", .flags = OUT),
    LIST(high_order_triangles, "highOrderTrianglePositions",
         "Points inside high order triangles; not present in the supported formats.",
         .flags = NEVER),
    LIST(high_order_quads, "highOrderQuadPositions",
         "Points inside high order quads; not present in the supported formats.", .flags = NEVER),
    LIST(data.mesh.tetrahedra, "tetrahedra", "Tetrahedra, 4 point indices each.", .flags = OUT,
         .aliases = "tetras"),
    LIST(data.mesh.hexahedra, "hexahedra", "Hexahedra, 8 point indices each.", .flags = OUT,
         .aliases = "hexas"),
    LIST(data.mesh.prisms, "prisms", "Prisms, 6 point indices each.", .flags = OUT,
         .aliases = "pentas pentahedra"),
    LIST(high_order_tetrahedra, "highOrderTetrahedronPositions",
         "Points inside high order tetrahedra; not present in the supported formats.",
         .flags = NEVER),
    LIST(high_order_hexahedra, "highOrderHexahedronPositions",
         "Points inside high order hexahedra; not present in the supported formats.",
         .flags = NEVER),
    LIST(data.mesh.pyramids, "pyramids", "Pyramids, 5 point indices each.", .flags = OUT),
    SOFA_FIELD(SofaMeshLoader, data.normals, "normals", NULL, "1", "Unit normals per point.",
               .flags = OUT),
    GROUPS(data.groups[SOFA_ELEMENT_EDGE], "edgesGroups", "edges"),
    GROUPS(data.groups[SOFA_ELEMENT_TRIANGLE], "trianglesGroups", "triangles"),
    GROUPS(data.groups[SOFA_ELEMENT_QUAD], "quadsGroups", "quads"),
    GROUPS(polygon_groups, "polygonsGroups", "polygons"),
    GROUPS(data.groups[SOFA_ELEMENT_TETRA], "tetrahedraGroups", "tetrahedra"),
    GROUPS(data.groups[SOFA_ELEMENT_HEXA], "hexahedraGroups", "hexahedra"),
    GROUPS(data.groups[SOFA_ELEMENT_PRISM], "prismsGroups", "prisms"),
    GROUPS(data.groups[SOFA_ELEMENT_PYRAMID], "pyramidsGroups", "pyramids"),
    SOFA_FIELD(SofaMeshLoader, flip_normals, "flipNormals", "0", "",
               "Reverses faces that the loader makes itself.", .flags = OPTION),
    SOFA_FIELD(SofaMeshLoader, triangulate, "triangulate", "0", "", "Cuts quads into triangles.",
               .flags = OPTION),
    SOFA_FIELD(SofaMeshLoader, create_subelements, "createSubelements", "0", "",
               "Adds the faces of volumes and the edges of faces that the file does not list.",
               .flags = OPTION),
    SOFA_FIELD(SofaMeshLoader, only_attached_points, "onlyAttachedPoints", "0", "",
               "Drops points that no element uses.", .flags = OPTION),
    SOFA_FIELD(SofaMeshLoader, translation, "translation", "0 0 0", "m", "Moves the points, last.",
               .flags = OPTION),
    SOFA_FIELD(SofaMeshLoader, rotation, "rotation", "0 0 0", "deg",
               "Rotates the points about the x, then y, then z axis.", .flags = OPTION),
    SOFA_FIELD(SofaMeshLoader, scale3d, "scale3d", "1 1 1", "1",
               "Scales the points along the axes, first.", .flags = OPTION),
    SOFA_FIELD(SofaMeshLoader, transformation, "transformation", "1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1",
               "", "4x4 matrix, row major; unless it is the identity it replaces the three above.",
               .flags = OPTION),
    SOFA_FIELD(SofaMeshLoader, scale, "scale", "1", "1", "Multiplies scale3d.",
               .flags = SOFA_FIELD_LEGACY | OPTION),
};

void sofa_mesh_data_free(SofaContext *ctx, SofaMeshData *data) {
  sofa_mesh_free(ctx, &data->mesh);
  sofa_list_free(ctx, &data->normals);
  sofa_list_free(ctx, &data->mid_edges);
  for (int kind = 0; kind < SOFA_N_ELEMENT_KINDS; kind++)
    sofa_mesh_groups_free(ctx, &data->groups[kind]);
  for (int list = 0; list < SOFA_N_QUADRATIC_LISTS; list++)
    sofa_list_free(ctx, &data->quadratic[list]);
}

/* Every index of the file must name one of its points. */
static SofaErr check(SofaMeshLoader *loader) {
  SofaElementKind kind;
  size_t element;
  const SofaMesh *mesh = &loader->data.mesh;
  if (sofa_mesh_check(mesh, mesh->position.n, &kind, &element)) return SOFA_OK;
  const SofaElementKindInfo *info = sofa_element_kind_info(kind);
  return sofa_object_fail(&loader->object, SOFA_ERR_RANGE,
                          "%s: %s %zu names a point that does not exist; the file has %zu points",
                          loader->filename.path, info->name, element, mesh->position.n);
}

/* Lists that the scene gives would stand in front of those of the file. */
static void drop_given(SofaMeshLoader *loader) {
  const SofaObject *object = &loader->object;
  for (size_t i = 0; i < sizeof loader_fields / sizeof *loader_fields; i++) {
    const SofaField *field = &loader_fields[i];
    if (!(field->flags & SOFA_FIELD_OUTPUT) || !sofa_field_is_set(object, field->name)) continue;
    sofa_object_message(object, SOFA_WARNING,
                        "field '%s': it comes from the mesh; the value of the scene is not used",
                        field->name);
  }
  sofa_mesh_data_free(object->ctx, &loader->data);
}

static SofaErr read_file(SofaMeshLoader *loader, const SofaLoaderOps *ops) {
  SofaContext *ctx = loader->object.ctx;
  char *bytes = NULL, *path = NULL;
  size_t size = 0;
  SofaErr err;
  drop_given(loader);
  SOFA_GO(err, done, sofa_read_file(ctx, loader->filename.path, 0, &bytes, &size));
  path = sofa_object_path(&loader->object);
  const SofaOrigin origin = {
      .file = loader->filename.path, .path = path, .emitter = loader->object.klass->name};
  SOFA_GO(err, done, ops->read(loader, &(SofaFileBytes){&origin, bytes, size}));
  err = check(loader);
done:
  sofa_free(ctx, bytes);
  sofa_free(ctx, path);
  if (err != SOFA_OK) {
    sofa_mesh_data_free(ctx, &loader->data);
    loader->object.component_state.index = SOFA_INVALID;
  }
  return err;
}

static bool is_linked(const SofaMeshLoader *loader, const SofaField *field) {
  const SofaFieldState *state = sofa_field_state(&loader->object, field);
  return state && (state->source || state->link_path);
}

/* Is one of the options fed by another object, so that its value is known at init only? */
static bool options_linked(const SofaMeshLoader *loader) {
  for (size_t i = 0; i < sizeof loader_fields / sizeof *loader_fields; i++)
    if ((loader_fields[i].flags & OPTION) && is_linked(loader, &loader_fields[i])) return true;
  return false;
}

/* Their nodes between corners are dropped with the points that no element of first order uses. */
static void drop_quadratic(SofaMeshLoader *loader) {
  size_t n = 0;
  for (int list = 0; list < SOFA_N_QUADRATIC_LISTS; list++) {
    n += loader->data.quadratic[list].n;
    loader->data.quadratic[list].n = 0;
  }
  if (n)
    sofa_object_message(&loader->object, SOFA_WARNING,
                        "onlyAttachedPoints leaves out elements of second order");
}

void sofa_mesh_loader_transform(const SofaMeshLoader *loader, SofaVec3s *position) {
  SofaMat4 m = loader->transformation, back;
  if (sofa_mat4_is_identity(&m))
    sofa_mesh_matrix(&loader->translation, &loader->rotation, &loader->scale3d, &m);
  if (sofa_mat4_is_identity(&m)) return;
  sofa_mesh_transform(position, &m);
  if (!sofa_quirk(&loader->object, SOFA_QUIRK_LOADER_ROUNDING)) return;
  if (!sofa_mesh_matrix_inverse(&m, &back)) return;
  sofa_mesh_transform(position, &back);
  sofa_mesh_transform(position, &m);
}

static SofaErr finish(SofaMeshLoader *loader) {
  SofaContext *ctx = loader->object.ctx;
  SofaMesh *mesh = &loader->data.mesh;
  loader->finished = true;
  loader->kept_points.n = 0;
  sofa_mesh_loader_transform(loader, &mesh->position);
  if (loader->triangulate) SOFA_TRY(sofa_mesh_triangulate(ctx, mesh, loader->flip_normals));
  if (loader->create_subelements) SOFA_TRY(sofa_mesh_add_subelements(ctx, mesh));
  if (loader->only_attached_points) drop_quadratic(loader);
  if (loader->only_attached_points)
    SOFA_TRY(sofa_mesh_drop_unused(ctx, mesh, &loader->kept_points));
  if (loader->data.normals.n != mesh->position.n)
    SOFA_TRY(sofa_mesh_normals(ctx, mesh, &loader->data.normals));
  SOFA_TRY(sofa_mesh_trim(ctx, mesh));
  sofa_object_touch_outputs(&loader->object);
  return SOFA_OK;
}

SofaErr sofa_mesh_loader_load(SofaMeshLoader *loader, const char *path) {
  SofaContext *ctx = loader->object.ctx;
  const SofaLoaderOps *ops = (const SofaLoaderOps *)sofa_ops(&loader->object, SOFA_LOADER);
  char *copy = sofa_strdup(ctx, path);
  if (!copy) return SOFA_ERR_MEMORY;
  sofa_free(ctx, loader->filename.path);
  loader->filename.path = copy;
  sofa_mesh_data_free(ctx, &loader->data);
  SOFA_TRY(read_file(loader, ops));
  return finish(loader);
}

static SofaErr make(SofaMeshLoader *loader, const SofaLoaderOps *ops) {
  drop_given(loader);
  const SofaErr err = ops->make(loader);
  loader->loaded = err == SOFA_OK;
  loader->object.component_state.index = loader->loaded ? SOFA_VALID : SOFA_INVALID;
  if (loader->loaded) return finish(loader);
  sofa_mesh_data_free(loader->object.ctx, &loader->data);
  return err;
}

/* The file is read with the scene, so that objects behind the loader find its mesh at once. */
static SofaErr loader_parsed(SofaObject *object) {
  SofaMeshLoader *loader = (SofaMeshLoader *)object;
  const SofaLoaderOps *ops = (const SofaLoaderOps *)sofa_ops(object, SOFA_LOADER);
  if (!ops || (!ops->read && !ops->make)) return SOFA_OK;
  for (int k = 0; k < 3; k++) loader->scale3d.v[k] *= loader->scale.value;
  if (is_linked(loader, sofa_class_field(object->klass, "filename")))
    SOFA_TRY(sofa_data_pull(object, NULL));
  if (ops->make) return sofa_object_has_linked_inputs(object) ? SOFA_OK : make(loader, ops);
  if (!loader->filename.path) {
    object->component_state.index = SOFA_INVALID;
    return sofa_field_fail(object, "filename", SOFA_ERR_NOT_FOUND, "mesh file '%s' not found",
                           loader->filename.text ? loader->filename.text : "");
  }
  loader->waits = ops->has_slices && !options_linked(loader) && sofa_mesh_loader_has_slices(loader);
  if (!loader->waits) SOFA_TRY(read_file(loader, ops));
  loader->loaded = true;
  object->component_state.index = SOFA_VALID;
  return loader->waits || options_linked(loader) ? SOFA_OK : finish(loader);
}

SofaErr sofa_mesh_loader_complete(SofaMeshLoader *loader) {
  if (!loader->waits) return SOFA_OK;
  loader->waits = false;
  SOFA_TRY(read_file(loader, (const SofaLoaderOps *)sofa_ops(&loader->object, SOFA_LOADER)));
  return finish(loader);
}

static SofaErr loader_init(SofaObject *object) {
  SofaMeshLoader *loader = (SofaMeshLoader *)object;
  const SofaLoaderOps *ops = (const SofaLoaderOps *)sofa_ops(object, SOFA_LOADER);
  if (!loader->loaded && ops && ops->make) return make(loader, ops);
  if (loader->waits) return sofa_mesh_loader_complete(loader);
  return loader->loaded && !loader->finished ? finish(loader) : SOFA_OK;
}

static void loader_destroy(SofaObject *object) {
  SofaMeshLoader *loader = (SofaMeshLoader *)object;
  sofa_list_free(object->ctx, &loader->kept_points);
  if (loader->division) sofa_division_free(object->ctx, loader->division);
  sofa_free(object->ctx, loader->division);
}

const SofaClass sofa_mesh_loader_class = {
    .name = "MeshLoader",
    .module = "Sofa.Core",
    .category = "Loader",
    .help = "Reads a mesh file and offers its points and elements as fields.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    .size = sizeof(SofaMeshLoader),
    SOFA_FIELDS(loader_fields),
    SOFA_QUIRKS(quirks),
    .abstract = true,
    .parsed = loader_parsed,
    .init = loader_init,
    .destroy = loader_destroy,
    SOFA_IMPLEMENTS({SOFA_LOADER, SOFA_NO_OPS}),
};
