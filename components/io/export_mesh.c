/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects the points and elements that an exporter writes. */
#include "components/io/export_mesh.h"

#include "numerics/fem/element_mesh.h"
#include "numerics/io/quadratic_nodes.h"

static SofaErr collect_points(const ExportSource *source, SofaReals *points) {
  SofaContext *ctx = source->object->ctx;
  SofaTopology *t = source->topology;
  if (source->position && source->position->n) {
    const SofaVec3s *from = source->position;
    SOFA_TRY(SOFA_RESIZE(ctx, points, 3 * from->n));
    sofa_copy(points->data, from->data, from->n * sizeof *from->data);
  } else if (source->state) {
    const SofaCoords *x = &source->state->position;
    const unsigned space = sofa_state_kind_info(source->state->object.kind)->space;
    SOFA_TRY(SOFA_RESIZE(ctx, points, 3 * x->n));
    for (size_t i = 0; i < x->n; i++)
      for (unsigned c = 0; c < 3; c++)
        points->data[3 * i + c] = c < space ? x->data[i * x->width + c] : 0;
  } else {
    SOFA_TRY(SOFA_RESIZE(ctx, points, t ? 3 * t->n_points : 0));
    for (size_t i = 0; t && i < t->n_points; i++) sofa_topology_point(t, i, points->data + 3 * i);
  }
  return SOFA_OK;
}

static void add_cells(ExportMesh *mesh, uint8_t type, unsigned n_vertices, size_t count,
                      const void *vertices) {
  if (count) mesh->cells[mesh->n_cells++] = (VtkCells){type, n_vertices, count, vertices};
}

/* Elements that are not of a topology, with all their nodes. */
static void add_source(const SofaObject *object, ExportMesh *mesh) {
  const SofaElementSourceOps *ops = sofa_ops(object, SOFA_ELEMENT_SOURCE);
  SofaElementKind kind;
  SofaElements list = ops->elements(object, &kind);
  if (ops->nodes) list = ops->nodes(object);
  const SofaShape shape = sofa_shape_of_kind(kind, list.width);
  if (shape < SOFA_N_SHAPES) add_cells(mesh, sofa_vtk_cell_type(shape), list.width, list.n, list.v);
}

static void collect_cells(const ExportSource *source, ExportMesh *mesh) {
  SofaTopology *t = source->topology;
  mesh->n_cells = 0;
  if (source->elements) add_source(source->elements, mesh);
  if (!t) return;
  const SofaEdges *edges = source->edges ? sofa_topology_edges(t) : NULL;
  const SofaTriangles *triangles = source->triangles ? sofa_topology_triangles(t) : NULL;
  const SofaQuads *quads = source->quads ? sofa_topology_quads(t) : NULL;
  if (edges) add_cells(mesh, EXPORT_LINE, 2, edges->n, edges->data);
  if (triangles) add_cells(mesh, EXPORT_TRIANGLE, 3, triangles->n, triangles->data);
  if (quads) add_cells(mesh, EXPORT_QUAD, 4, quads->n, quads->data);
  const SofaTetras *tetras = sofa_topology_tetrahedra(t);
  const SofaHexas *hexas = sofa_topology_hexahedra(t);
  if (source->tetras) add_cells(mesh, EXPORT_TETRA, 4, tetras->n, tetras->data);
  if (source->hexas) add_cells(mesh, EXPORT_HEXA, 8, hexas->n, hexas->data);
}

/* A cell that names a point which is not written would make the file unreadable. */
static SofaErr check_cells(const ExportSource *source, const ExportMesh *mesh) {
  const size_t n_points = mesh->points.n / 3;
  for (size_t i = 0; i < mesh->n_cells; i++)
    for (size_t k = 0; k < mesh->cells[i].n * mesh->cells[i].n_vertices; k++)
      if (mesh->cells[i].vertices[k] >= n_points)
        return sofa_object_fail(source->object, SOFA_ERR_RANGE,
                                "the topology uses point %u, there are %zu points",
                                mesh->cells[i].vertices[k], n_points);
  return SOFA_OK;
}

/* Prisms and pyramids are in none of the formats' choices: said once. */
static void tell_left_out(const ExportSource *source, ExportMesh *mesh) {
  const SofaMesh *m = source->topology ? &source->topology->mesh : NULL;
  if (mesh->told || !m || (!m->prisms.n && !m->pyramids.n)) return;
  mesh->told = true;
  sofa_object_message(source->object, SOFA_WARNING,
                      "%zu prisms and %zu pyramids of the topology are not written", m->prisms.n,
                      m->pyramids.n);
}

SofaErr export_mesh_collect(const ExportSource *source, ExportMesh *mesh) {
  tell_left_out(source, mesh);
  SOFA_TRY(collect_points(source, &mesh->points));
  collect_cells(source, mesh);
  return check_cells(source, mesh);
}

VtkCells export_mesh_cells(const ExportMesh *mesh, uint8_t type) {
  for (size_t i = 0; i < mesh->n_cells; i++)
    if (mesh->cells[i].type == type) return mesh->cells[i];
  return (VtkCells){.type = type};
}

void export_mesh_free(SofaContext *ctx, ExportMesh *mesh) {
  sofa_list_free(ctx, &mesh->points);
}
