/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SimpleTesselatedTetraTopologicalMapping: eight tetrahedra per tetrahedron. */
#include "components/mapping/tesselated_tetra.h"

#define OUTPUT(member, xml, help_text)                                                             \
  SOFA_FIELD(SofaTesselatedTetra, member, xml, NULL, "", help_text, .flags = SOFA_FIELD_OUTPUT)

static const SofaField fields[] = {
    OUTPUT(made, "tetrahedraMappedFromTetra", "The 8 tetrahedra of each tetrahedron."),
    OUTPUT(source, "tetraSource", "Tetrahedron of the input of each one of the output."),
    OUTPUT(from_point, "pointMappedFromPoint", "Point of the output of each one of the input."),
    OUTPUT(from_edge, "pointMappedFromEdge", "Point in the middle of each edge."),
    OUTPUT(point_source, "pointSource",
           "Where each point is from: point + 1, or - edge - 1, of the input."),
};

static SofaErr check(const SofaTopologicalMapping *mapping) {
  const SofaElements tetras = sofa_mesh_elements(&mapping->from->mesh, SOFA_ELEMENT_TETRA);
  if (tetras.n) return SOFA_OK;
  return sofa_field_fail(&mapping->object, "input", SOFA_ERR_ARGUMENT, "'%s' has no tetrahedra",
                         mapping->from->object.name);
}

static SofaErr make_points(SofaTesselatedTetra *m, const SofaEdges *edges) {
  SofaTopology *from = m->mapping.from, *to = m->mapping.to;
  SofaContext *ctx = to->object.ctx;
  const size_t n = from->n_points;
  SOFA_TRY(SOFA_RESIZE(ctx, &to->mesh.position, n + edges->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->from_point, n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->from_edge, edges->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->point_source, n + edges->n));
  for (size_t i = 0; i < n; i++) {
    sofa_topology_point(from, i, to->mesh.position.data[i].v);
    m->from_point.data[i] = (uint32_t)i;
    m->point_source.data[i] = (int)i + 1;
  }
  for (size_t e = 0; e < edges->n; e++) {
    double a[3], b[3];
    sofa_topology_point(from, edges->data[e].v[0], a);
    sofa_topology_point(from, edges->data[e].v[1], b);
    for (int k = 0; k < 3; k++) to->mesh.position.data[n + e].v[k] = (a[k] + b[k]) / 2;
    m->from_edge.data[e] = (uint32_t)(n + e);
    m->point_source.data[n + e] = -(int)e - 1;
  }
  to->n_points = n + edges->n;
  return SOFA_OK;
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  /* corners 0-3, middles of the edges 4-9 in the order of the numbering table */
  static const uint8_t corner[8][4] = {{0, 4, 5, 6}, {1, 4, 8, 7}, {2, 5, 7, 9}, {3, 6, 9, 8},
                                       {5, 4, 7, 9}, {5, 4, 9, 6}, {8, 4, 9, 7}, {8, 4, 6, 9}};
  SofaTesselatedTetra *m = (SofaTesselatedTetra *)mapping;
  SofaTopology *from = mapping->from, *to = mapping->to;
  SofaContext *ctx = to->object.ctx;
  const SofaTetras *tetras = sofa_topology_tetrahedra(from);
  const SofaEdges *edges = sofa_topology_edges(from);
  unsigned per = 0;
  const uint32_t *sub = sofa_topology_sub(from, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_TETRA, &per);
  if (from->failure != SOFA_OK || !sub) return from->failure;
  sofa_topology_cut_link(to, SOFA_ELEMENT_POINT);
  SOFA_TRY(make_points(m, edges));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->made, tetras->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->source, 8 * tetras->n));
  SOFA_TRY(SOFA_RESIZE(ctx, &to->mesh.tetrahedra, 8 * tetras->n));
  for (size_t i = 0; i < 8 * tetras->n; i++) {
    const size_t t = i / 8;
    for (int k = 0; k < 4; k++) {
      const unsigned c = corner[i % 8][k];
      const uint32_t e = c < 4 ? 0 : sub[per * t + c - 4];
      if (e == SOFA_NO_ELEMENT)
        return sofa_object_fail(&mapping->object, SOFA_ERR_RANGE,
                                "edge %u of tetrahedron %zu is not in the edges of '%s'", c - 4, t,
                                from->object.name);
      to->mesh.tetrahedra.data[i].v[k] = c < 4 ? tetras->data[t].v[c] : m->from_edge.data[e];
    }
    m->made.data[t].v[i % 8] = (uint32_t)i;
    m->source.data[i] = (uint32_t)t;
  }
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    sofa_field_touch(&mapping->object, &fields[i]);
  return SOFA_OK;
}

static const SofaTopologicalMappingOps ops = {.check = check, .map = map};

const SofaClass sofa_SimpleTesselatedTetraTopologicalMapping_class = {
    .name = "SimpleTesselatedTetraTopologicalMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "TopologicalMapping",
    .help = "Cuts each tetrahedron into eight at the middles of its edges.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(SofaTesselatedTetra),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .ops = {[SOFA_TOPOLOGICAL_MAPPING] = &ops},
};
