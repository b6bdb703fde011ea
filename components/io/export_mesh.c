/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Collects the points and elements that an exporter writes. */
#include "components/io/export_mesh.h"

#include "components/io/whole_mesh.h"
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
  mesh->solids = (VtkCells){.type = EXPORT_TETRA, .n_vertices = 4};
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
  mesh->solids.n = tetras->n;
  mesh->solids.vertices = (const uint32_t *)(const void *)tetras->data;
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

/* ---- meshes that are divided among processes ---- */

static const SofaDivision *division_of(const ExportSource *source) {
  const SofaField *field = sofa_class_field(source->object->klass, "position");
  if (field && source->position && source->position->n)
    return sofa_field_division(source->object, field);
  if (source->state) return sofa_state_division(source->state);
  return source->topology ? sofa_topology_division(source->topology) : NULL;
}

/* Adds the whole of one list where there are any. */
static SofaErr gather_list(const ExportSource *source, const PartOfCells *part, uint8_t type,
                           size_t at, ExportMesh *mesh) {
  SofaIndices *whole = &mesh->whole[at];
  SOFA_TRY(whole_mesh_cells(source->object->ctx, part, whole));
  add_cells(mesh, type, (unsigned)part->list.width, whole->n / part->list.width, whole->data);
  return SOFA_OK;
}

static SofaErr gather_source(const ExportSource *source, const SofaDivision *division,
                             ExportMesh *mesh) {
  const SofaObject *object = source->elements;
  const SofaElementSourceOps *ops = sofa_ops(object, SOFA_ELEMENT_SOURCE);
  const SofaField *field = sofa_class_field(object->klass, "indices");
  PartOfCells part = {.division = division,
                      .cells = field ? sofa_field_division(object, field) : NULL};
  part.list = ops->elements(object, &part.kind);
  if (ops->nodes) part.list = ops->nodes(object);
  const SofaShape shape = sofa_shape_of_kind(part.kind, (unsigned)part.list.width);
  if (!part.cells || shape >= SOFA_N_SHAPES ||
      part.list.n != sofa_division_n_local(part.cells, part.kind))
    return sofa_object_undivided(source->object,
                                 "elements of another object that are no list of a loader, on a "
                                 "mesh that is divided among processes");
  return gather_list(source, &part, sofa_vtk_cell_type(shape), 0, mesh);
}

static SofaErr gather_topology(const ExportSource *source, const SofaDivision *division,
                               ExportMesh *mesh) {
  static const struct {
    SofaElementKind kind;
    uint8_t type;
  } kinds[] = {{SOFA_ELEMENT_EDGE, EXPORT_LINE},
               {SOFA_ELEMENT_TRIANGLE, EXPORT_TRIANGLE},
               {SOFA_ELEMENT_QUAD, EXPORT_QUAD},
               {SOFA_ELEMENT_TETRA, EXPORT_TETRA},
               {SOFA_ELEMENT_HEXA, EXPORT_HEXA}};
  const bool chosen[] = {source->edges, source->triangles, source->quads, true, source->hexas};
  SofaTopology *t = source->topology;
  for (size_t k = 0; t && k < SOFA_COUNT(kinds); k++) {
    const PartOfCells part = {.division = division,
                              .cells = sofa_topology_list_division(t, kinds[k].kind),
                              .kind = kinds[k].kind,
                              .list = sofa_mesh_elements(&t->mesh, kinds[k].kind)};
    if (!chosen[k]) continue;
    SOFA_TRY(gather_list(source, &part, kinds[k].type, 1 + k, mesh));
    if (kinds[k].kind != SOFA_ELEMENT_TETRA) continue;
    mesh->solids.n = mesh->whole[1 + k].n / 4;
    mesh->solids.vertices = mesh->whole[1 + k].data;
    if (mesh->solids.n && !source->tetras) mesh->n_cells--;
  }
  return SOFA_OK;
}

SofaErr export_mesh_gather(const ExportSource *source, ExportMesh *mesh) {
  const SofaDivision *division = division_of(source);
  SofaContext *ctx = source->object->ctx;
  SofaReals local = {0};
  if (!division) return SOFA_OK;
  SOFA_TRY(sofa_list_copy(ctx, &local, &mesh->points, sizeof *local.data));
  const SofaErr err = whole_mesh_points(ctx, division, local.data, &mesh->points);
  sofa_list_free(ctx, &local);
  SOFA_TRY(err);
  mesh->n_cells = 0;
  if (source->elements) SOFA_TRY(gather_source(source, division, mesh));
  return gather_topology(source, division, mesh);
}

VtkCells export_mesh_cells(const ExportMesh *mesh, uint8_t type) {
  for (size_t i = 0; i < mesh->n_cells; i++)
    if (mesh->cells[i].type == type) return mesh->cells[i];
  return (VtkCells){.type = type};
}

void export_mesh_free(SofaContext *ctx, ExportMesh *mesh) {
  sofa_list_free(ctx, &mesh->points);
  for (size_t i = 0; i < SOFA_COUNT(mesh->whole); i++) sofa_list_free(ctx, &mesh->whole[i]);
}
