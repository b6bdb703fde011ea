/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DynamicSparseGridTopologyContainer: voxels of an image as hexahedra that may go. */
#include "components/io/loaders.h"
#include "set_container.h"
#include "voxel_numbers.h"

typedef struct DynamicSparseGrid {
  SofaSetContainer set;
  SofaInts3 resolution;
  SofaVec3 voxel_size;
  SofaInts in_grid, in_topology; /* values, 0 to 255 */
  SofaIndices numbers;           /* of each hexahedron in the grid */
  SofaIndices hexahedron_of;     /* pairs: number in the grid, hexahedron; ascending */
} DynamicSparseGrid;

typedef DynamicSparseGrid SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(resolution, "resolution", "0 0 0", "1", "voxels of the image along x, y, z",
             .flags = SOFA_FIELD_REQUIRED),
    SOFA_ROW(in_grid, "valuesIndexedInRegularGrid", NULL, "1",
             "255 for each voxel of the image that is a hexahedron, else 0",
             .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(in_topology, "valuesIndexedInTopology", NULL, "1",
             "value in the image of each hexahedron, from the VoxelGridLoader in the node or above",
             .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(numbers, "idxInRegularGrid", NULL, "1",
             "number of each hexahedron in the image, x fastest", .flags = SOFA_FIELD_REQUIRED),
    SOFA_ROW(hexahedron_of, "idInRegularGrid2IndexInTopo", NULL, "1",
             "pairs of a number in the image and the hexahedron there, ascending",
             .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(voxel_size, "voxelSize", "1 1 1", "m", "edges of a voxel; no effect: positions say it",
             .flags = SOFA_FIELD_NO_EFFECT),
};

static void touch_outputs(SofaObject *object) {
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i].flags & SOFA_FIELD_OUTPUT) sofa_field_touch(object, &fields[i]);
}

/* The pairs, by way of the whole grid. */
static SofaErr list_pairs(DynamicSparseGrid *g) {
  SofaContext *ctx = g->set.topology.object.ctx;
  uint32_t *at = sofa_alloc(ctx, g->in_grid.n, sizeof *at);
  SofaErr err = at ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; err == SOFA_OK && i < g->numbers.n; i++)
    if (g->numbers.data[i] != SOFA_NO_VOXEL) at[g->numbers.data[i]] = (uint32_t)i + 1;
  g->hexahedron_of.n = 0;
  for (uint32_t i = 0; err == SOFA_OK && i < g->in_grid.n; i++) {
    if (!at[i]) continue;
    const uint32_t hexa = at[i] - 1;
    err = SOFA_APPEND(ctx, &g->hexahedron_of, &i);
    if (err == SOFA_OK) err = SOFA_APPEND(ctx, &g->hexahedron_of, &hexa);
  }
  sofa_free(ctx, at);
  return err;
}

/* Values of the voxels that the loader has read. */
static SofaErr take_values(DynamicSparseGrid *g, const SofaObject *loader) {
  SofaContext *ctx = g->set.topology.object.ctx;
  const SofaIndices *number =
      sofa_field_value(loader, sofa_class_field(loader->klass, "idxInRegularGrid"));
  const SofaInts *value = sofa_field_value(loader, sofa_class_field(loader->klass, "voxelValues"));
  SOFA_TRY(SOFA_RESIZE(ctx, &g->in_topology, g->numbers.n));
  for (size_t i = 0; i < g->in_grid.n; i++) g->in_grid.data[i] = 0;
  for (size_t i = 0; i < number->n && i < value->n; i++)
    if (number->data[i] < g->in_grid.n) g->in_grid.data[number->data[i]] = value->data[i];
  for (size_t i = 0; i < g->numbers.n; i++)
    g->in_topology.data[i] = g->in_grid.data[g->numbers.data[i]];
  for (size_t i = 0; i < g->in_grid.n; i++) g->in_grid.data[i] = 0;
  for (size_t i = 0; i < g->numbers.n; i++) g->in_grid.data[g->numbers.data[i]] = 255;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  DynamicSparseGrid *g = (DynamicSparseGrid *)object;
  const int *n = g->resolution.v;
  const SofaObject *loader =
      sofa_node_find_class(object->node, &sofa_VoxelGridLoader_class, SOFA_SEARCH_UP);
  SOFA_TRY(sofa_voxel_numbers_check(&g->set.topology, &g->resolution, &g->numbers));
  if (!loader)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no VoxelGridLoader in this node or above");
  SOFA_TRY(SOFA_RESIZE(object->ctx, &g->in_grid, (size_t)n[0] * (size_t)n[1] * (size_t)n[2]));
  SOFA_TRY(take_values(g, loader));
  SOFA_TRY(list_pairs(g));
  touch_outputs(object);
  return SOFA_OK;
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  DynamicSparseGrid *g = (DynamicSparseGrid *)object;
  const bool goes = change->kind == SOFA_CHANGE_REMOVE;
  const int nothing = 0;
  bool mine = change->topology == &g->set.topology && change->element == SOFA_ELEMENT_HEXA;
  for (size_t i = 0; mine && goes && i < change->n; i++) {
    const uint32_t number = g->numbers.data[change->ids[i]];
    if (number != SOFA_NO_VOXEL) g->in_grid.data[number] = 0;
  }
  SOFA_TRY(sofa_voxel_numbers_follow(&g->set.topology, change, &g->numbers, &mine));
  if (!mine) return SOFA_OK;
  if (goes) sofa_change_remove_entries(change, &g->in_topology, sizeof *g->in_topology.data);
  while (g->in_topology.n < g->numbers.n)
    SOFA_TRY(SOFA_APPEND(object->ctx, &g->in_topology, &nothing));
  SOFA_TRY(list_pairs(g));
  touch_outputs(object);
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = listen};

SOFA_CLASS(DynamicSparseGridTopologyContainer) = {
    .name = "DynamicSparseGridTopologyContainer",
    .module = "Sofa.Component.Topology.Container.Dynamic",
    .category = "TopologyObject",
    .help =
        "The hexahedra of a VoxelGridLoader. It keeps their voxels through topological changes.",
    .base = &sofa_HexahedronSetTopologyContainer_class,
    .divided = SOFA_DIVIDED_NOT,
    .size = sizeof(DynamicSparseGrid),
    SOFA_FIELDS(fields),
    .init = init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}),
};
