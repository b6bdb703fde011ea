/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeshTopology: points and elements of all kinds, from fields or a file. */
#include "numerics/io/mesh_file.h"
#include "mesh_topology.h"

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

/* The points and elements of the file are appended to those of the fields. */
static SofaErr load(SofaTopology *topology) {
  if (!topology->filename.text || !*topology->filename.text) return SOFA_OK;
  SofaMeshData data = {0};
  SofaErr err =
      sofa_mesh_read_file(&topology->object, "filename", &topology->filename, &data, NULL);
  if (err == SOFA_OK) err = append_mesh(topology, &data);
  sofa_mesh_data_free(topology->object.ctx, &data);
  return err;
}

/* Counts points (the positions do not count) and marks what is derived on demand. */
static SofaErr finish(SofaTopology *topology) {
  const SofaErr err = sofa_topology_check_size(topology);
  // one that is refused is counted, too: what others say of it is then true
  if (topology->n_points == 0) topology->n_points = sofa_mesh_vertex_count(&topology->mesh);
  if (err != SOFA_OK) return err;
  sofa_topology_changed(topology);
  return sofa_mesh_topology_mark((SofaMeshTopology *)topology);
}

static SofaErr mesh_init(SofaObject *object) {
  SofaTopology *topology = (SofaTopology *)object;
  SOFA_TRY(load(topology));
  return finish(topology);
}

/* A linked list changed: count and derive again. */
static SofaErr mesh_reinit(SofaObject *object) {
  SofaTopology *topology = (SofaTopology *)object;
  SOFA_TRY(sofa_topology_check_size(topology));
  topology->n_points = sofa_mesh_vertex_count(&topology->mesh);
  sofa_topology_changed(topology);
  return SOFA_OK;
}

static const SofaTopologyOps mesh_ops = {.derive = sofa_mesh_topology_derive, .refresh = finish};

SOFA_CLASS(MeshTopology) = {
    .name = "MeshTopology",
    .module = "Sofa.Component.Topology.Container.Constant",
    .category = "Topology",
    .help = "Points and elements, which change only with a topology they are linked to or by a "
            "topological mapping. The number of points follows from the elements; lists that are "
            "not given are derived from larger elements.",
    .base = &sofa_mesh_topology_base_class,
    .divided = SOFA_DIVIDED_LOCAL,
    .size = sizeof(SofaMeshTopology),
    .init = mesh_init,
    .reinit = mesh_reinit,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY, &mesh_ops}),
};
