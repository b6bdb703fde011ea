/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mesh2PointTopologicalMapping: points at given places in each element of a topology. */
#include <string.h>
#include "components/mapping/locator.h"
#include "components/mapping/mesh_to_points.h"
#include "math/vec.h"

#define ROW(member, xml, default_text, help_text)                                                  \
  SOFA_FIELD(SofaMeshToPoints, member, xml, default_text, "", help_text, )

static const SofaField fields[] = {
    ROW(coords[0], "pointBaryCoords", "", "Offsets from each point, m."),
    ROW(coords[1], "edgeBaryCoords", "", "Places on each edge: (fx, -, -)."),
    ROW(coords[2], "triangleBaryCoords", "", "Places in each triangle: (fx, fy, -)."),
    ROW(coords[3], "quadBaryCoords", "",
        "Places in each quad: (fx, fy, -), with vertex 2 at (0, 1) and vertex 3 at (1, 1)."),
    ROW(coords[4], "tetraBaryCoords", "", "Places in each tetrahedron: (fx, fy, fz)."),
    ROW(coords[5], "hexaBaryCoords", "", "Places in each hexahedron: (fx, fy, fz)."),
    ROW(copy_edges, "copyEdges", "0", "The output has the input's edges; needs pointBaryCoords."),
    ROW(copy_triangles, "copyTriangles", "0",
        "The output has the input's triangles; needs pointBaryCoords."),
    ROW(copy_tetrahedra, "copyTetrahedra", "0",
        "The output has the input's tetrahedra; needs pointBaryCoords."),
};

const SofaElementKind sofa_mesh_to_points_kinds[SOFA_MESH_TO_POINTS_KINDS] = {
    SOFA_ELEMENT_POINT, SOFA_ELEMENT_EDGE,  SOFA_ELEMENT_TRIANGLE,
    SOFA_ELEMENT_QUAD,  SOFA_ELEMENT_TETRA, SOFA_ELEMENT_HEXA};

SofaElements sofa_mesh_to_points_elements(const SofaMeshToPoints *m, int k) {
  SofaTopology *from = m->mapping.from;
  const SofaElementKind kind = sofa_mesh_to_points_kinds[k];
  if (kind == SOFA_ELEMENT_POINT) return (SofaElements){NULL, from->n_points, 1};
  if (kind == SOFA_ELEMENT_EDGE) sofa_topology_edges(from);
  if (kind == SOFA_ELEMENT_TRIANGLE) sofa_topology_triangles(from);
  if (kind == SOFA_ELEMENT_QUAD) sofa_topology_quads(from);
  return sofa_mesh_elements(&from->mesh, kind);
}

unsigned sofa_mesh_to_points_weights(const SofaMeshToPoints *m, int k, size_t j, double w[8]) {
  const double *f = m->coords[k].data[j].v;
  const SofaElementKind kind = sofa_mesh_to_points_kinds[k];
  w[0] = 1;
  if (kind == SOFA_ELEMENT_POINT) return 1;
  const unsigned n = sofa_element_weights(kind, f, w);
  if (kind == SOFA_ELEMENT_QUAD) {
    const double last = w[2];
    w[2] = w[3];
    w[3] = last;
  }
  return n;
}

/* The points of all elements of a kind. */
static SofaErr add_points(SofaMeshToPoints *m, int k) {
  SofaTopology *from = m->mapping.from, *to = m->mapping.to;
  const SofaElements e = sofa_mesh_to_points_elements(m, k);
  if (from->failure != SOFA_OK) return from->failure;
  m->first[k] = to->mesh.position.n;
  m->count[k] = m->coords[k].n ? e.n : 0;
  for (size_t i = 0; i < m->count[k]; i++)
    for (size_t j = 0; j < m->coords[k].n; j++) {
      double w[8];
      SofaVec3 p = {{0, 0, 0}};
      const unsigned n = sofa_mesh_to_points_weights(m, k, j, w);
      for (unsigned c = 0; c < n; c++) {
        double x[3];
        sofa_topology_point(from, e.v ? e.v[n * i + c] : i, x);
        sofa_vec3_axpy(w[c], x, p.v);
      }
      if (k == 0) sofa_vec3_add(p.v, m->coords[0].data[j].v, p.v);
      SOFA_TRY(SOFA_APPEND(to->object.ctx, &to->mesh.position, &p));
    }
  return SOFA_OK;
}

/* Elements of the input between the first points that their vertices have in the output. */
static SofaErr copy(const SofaMeshToPoints *m, int k) {
  SofaTopology *to = m->mapping.to;
  const SofaElements e = sofa_mesh_to_points_elements(m, k);
  void *list = sofa_mesh_list(&to->mesh, sofa_mesh_to_points_kinds[k]);
  for (size_t i = 0; i < e.n; i++) {
    uint32_t v[8];
    for (unsigned c = 0; c < e.width; c++)
      v[c] = (uint32_t)(m->first[0] + m->coords[0].n * e.v[e.width * i + c]);
    SOFA_TRY(sofa_list_append(to->object.ctx, list, e.width * sizeof *v, v));
  }
  return SOFA_OK;
}

static SofaErr check(const SofaTopologicalMapping *mapping) {
  const SofaMeshToPoints *m = (const SofaMeshToPoints *)mapping;
  static const char *const names[] = {"copyEdges", "copyTriangles", "copyTetrahedra"};
  const bool copies[] = {m->copy_edges, m->copy_triangles, m->copy_tetrahedra};
  for (int k = 0; k < 3; k++)
    if (copies[k] && !m->coords[0].n)
      return sofa_field_fail(&mapping->object, names[k], SOFA_ERR_ARGUMENT,
                             "needs at least one entry in pointBaryCoords");
  return SOFA_OK;
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  SofaMeshToPoints *m = (SofaMeshToPoints *)mapping;
  SofaTopology *to = mapping->to;
  sofa_topology_cut_link(to, SOFA_ELEMENT_POINT);
  SOFA_TRY(SOFA_RESIZE(to->object.ctx, &to->mesh.position, 0));
  for (int k = 0; k < SOFA_MESH_TO_POINTS_KINDS; k++) SOFA_TRY(add_points(m, k));
  to->n_points = to->mesh.position.n;
  if (m->copy_edges) SOFA_TRY(copy(m, 1));
  if (m->copy_triangles) SOFA_TRY(copy(m, 2));
  return m->copy_tetrahedra ? copy(m, 4) : SOFA_OK;
}

static const SofaTopologicalMappingOps ops = {.check = check, .map = map};

const SofaClass sofa_Mesh2PointTopologicalMapping_class = {
    .name = "Mesh2PointTopologicalMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "TopologicalMapping",
    .help = "Makes points at given places in each point, edge, triangle, quad, tetrahedron and "
            "hexahedron of the input.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(SofaMeshToPoints),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .ops = {[SOFA_TOPOLOGICAL_MAPPING] = &ops},
};
