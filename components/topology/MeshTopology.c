/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshTopology: points and elements of all kinds, from fields or a file. */
#include <string.h>
#include "base/files.h"
#include "components/io/gmsh_reader.h"
#include "components/io/obj_reader.h"
#include "mesh_topology.h"

static SofaErr read_obj(SofaTopology *topology, const SofaOrigin *origin, const char *bytes,
                        size_t size, SofaMeshData *data) {
  const SofaObjOptions options = {0};
  SofaObjData obj = {0};
  const SofaErr err =
      sofa_obj_read(topology->object.ctx, origin, bytes, size, &options, data, &obj);
  sofa_obj_data_free(topology->object.ctx, &obj);
  return err;
}

/* Reads the file by its extension; its points and elements are appended to those of the fields. */
static SofaErr read_mesh(SofaTopology *topology, const char *file, SofaMeshData *data) {
  SofaContext *ctx = topology->object.ctx;
  const char *extension = sofa_path_extension(file);
  const bool obj = strcmp(extension, "obj") == 0, msh = strcmp(extension, "msh") == 0;
  if (!obj && !msh)
    return sofa_object_unsupported(&topology->object,
                                   "reading '%s': only .obj and .msh files can be read", file);
  char *bytes = NULL, *path = NULL;
  size_t size = 0;
  SofaErr err;
  SOFA_GO(err, done, sofa_read_file(ctx, file, 0, &bytes, &size));
  path = sofa_object_path(&topology->object);
  const SofaOrigin origin = {.file = file, .path = path, .emitter = topology->object.klass->name};
  err = obj ? read_obj(topology, &origin, bytes, size, data)
            : sofa_gmsh_read(ctx, &origin, bytes, size, data);
done:
  sofa_free(ctx, bytes);
  sofa_free(ctx, path);
  return err;
}

/* Appends the lists of `data` to the topology's. */
static SofaErr append_mesh(SofaTopology *topology, const SofaMeshData *data) {
  SofaContext *ctx = topology->object.ctx;
  for (size_t i = 0; i < data->mesh.position.n; i++)
    SOFA_TRY(SOFA_APPEND(ctx, &topology->mesh.position, &data->mesh.position.data[i]));
  for (int k = SOFA_ELEMENT_EDGE; k < SOFA_N_ELEMENT_KINDS; k++) {
    const SofaElements list = sofa_mesh_elements(&data->mesh, (SofaElementKind)k);
    void *to = sofa_mesh_list(&topology->mesh, (SofaElementKind)k);
    for (size_t i = 0; i < list.n; i++)
      SOFA_TRY(sofa_list_append(ctx, to, list.width * sizeof *list.v, list.v + i * list.width));
  }
  topology->n_points = topology->mesh.position.n;
  sofa_topology_touch(topology, UINT32_MAX);
  return SOFA_OK;
}

static SofaErr load(SofaTopology *topology) {
  if (!topology->filename.text || !*topology->filename.text) return SOFA_OK;
  if (!topology->filename.path)
    return sofa_field_fail(&topology->object, "filename", SOFA_ERR_NOT_FOUND,
                           "mesh file '%s' not found", topology->filename.text);
  SofaMeshData data = {0};
  SofaErr err = read_mesh(topology, topology->filename.path, &data);
  if (err == SOFA_OK) err = append_mesh(topology, &data);
  sofa_mesh_data_free(topology->object.ctx, &data);
  return err;
}

/* Counts points (the positions do not count) and marks what is derived on demand. */
static SofaErr finish(SofaTopology *topology) {
  SOFA_TRY(sofa_topology_check_size(topology));
  if (topology->n_points == 0) topology->n_points = sofa_mesh_vertex_count(&topology->mesh);
  sofa_topology_changed(topology);
  return sofa_mesh_topology_mark((SofaMeshTopology *)topology);
}

static SofaErr mesh_init(SofaObject *object) {
  SofaTopology *topology = (SofaTopology *)object;
  SOFA_TRY(load(topology));
  return finish(topology);
}

/* A linked list changed: count and derive anew. */
static SofaErr mesh_reinit(SofaObject *object) {
  SofaTopology *topology = (SofaTopology *)object;
  SOFA_TRY(sofa_topology_check_size(topology));
  topology->n_points = sofa_mesh_vertex_count(&topology->mesh);
  sofa_topology_changed(topology);
  return SOFA_OK;
}

static const SofaTopologyOps mesh_ops = {.derive = sofa_mesh_topology_derive, .refresh = finish};

extern const SofaClass sofa_MeshTopology_class;
const SofaClass sofa_MeshTopology_class = {
    .name = "MeshTopology",
    .module = "Sofa.Component.Topology.Container.Constant",
    .category = "Topology",
    .help = "Points and elements that do not change. The number of points follows from the "
            "elements; lists that are not given are derived from larger elements.",
    .base = &sofa_mesh_topology_base_class,
    .size = sizeof(SofaMeshTopology),
    .init = mesh_init,
    .reinit = mesh_reinit,
    .ops = {[SOFA_TOPOLOGY] = &mesh_ops},
};
