/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SimpleTesselatedTetraTopologicalMapping: eight tetrahedra per tetrahedron. */
#include "components/mapping/tesselated_tetra.h"
#include "components/topology/element_mapping.h"

typedef SofaTesselatedTetra SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_OUTPUT(made, "tetrahedraMappedFromTetra", "", "The 8 tetrahedra of each tetrahedron."),
    SOFA_ROW_OUTPUT(source, "tetraSource", "",
                    "Tetrahedron of the input of each one of the output."),
    SOFA_ROW_OUTPUT(from_point, "pointMappedFromPoint", "",
                    "Point of the output of each one of the input."),
    SOFA_ROW_OUTPUT(from_edge, "pointMappedFromEdge", "", "Point in the middle of each edge."),
    SOFA_ROW_OUTPUT(point_source, "pointSource", "",
                    "Where each point is from: point + 1, or - edge - 1, of the input."),
};

static SofaErr check(const SofaTopologicalMapping *mapping) {
  const SofaTopology *from = mapping->from;
  const SofaElements tetras = sofa_mesh_elements(&from->mesh, SOFA_ELEMENT_TETRA);
  SofaElementKind kind;
  size_t element;
  if (!sofa_mesh_check(&from->mesh, from->n_points, &kind, &element))
    return sofa_field_fail(&mapping->object, "input", SOFA_ERR_RANGE,
                           "elements of '%s' name points that it does not have: it has %zu",
                           from->object.name, from->n_points);
  if (tetras.n) return SOFA_OK;
  return sofa_field_fail(&mapping->object, "input", SOFA_ERR_ARGUMENT, "'%s' has no tetrahedra",
                         mapping->from->object.name);
}

/* corners 0-3, middles of the edges 4-9 in the order of the numbering table */
static const uint8_t corner[8][4] = {{0, 4, 5, 6}, {1, 4, 8, 7}, {2, 5, 7, 9}, {3, 6, 9, 8},
                                     {5, 4, 7, 9}, {5, 4, 9, 6}, {8, 4, 9, 7}, {8, 4, 6, 9}};

/* Places of the points from number `first` on. */
static SofaErr place_points(SofaTesselatedTetra *m, size_t first) {
  SofaTopology *from = m->mapping.from;
  SofaVec3s *x = &m->mapping.to->mesh.position;
  const SofaEdges *edges = sofa_topology_edges(from);
  SOFA_TRY(SOFA_RESIZE(m->mapping.object.ctx, x, m->point_source.n));
  for (size_t i = first; i < x->n; i++) {
    const int source = m->point_source.data[i];
    double a[3], b[3];
    if (source > 0) {
      sofa_topology_point(from, (size_t)source - 1, x->data[i].v);
      continue;
    }
    const uint32_t *v = edges->data[-source - 1].v;
    sofa_topology_point(from, v[0], a);
    sofa_topology_point(from, v[1], b);
    for (int k = 0; k < 3; k++) x->data[i].v[k] = (a[k] + b[k]) / 2;
  }
  return SOFA_OK;
}

/* The tables that follow from point_source and the number of tetrahedra. */
static SofaErr make_tables(SofaTesselatedTetra *m, size_t n_points, size_t n_edges,
                           size_t n_tetras) {
  SofaContext *ctx = m->mapping.object.ctx;
  SOFA_TRY(SOFA_RESIZE(ctx, &m->from_point, n_points));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->from_edge, n_edges));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->made, n_tetras));
  SOFA_TRY(SOFA_RESIZE(ctx, &m->source, 8 * n_tetras));
  for (uint32_t i = 0; i < m->point_source.n; i++) {
    const int source = m->point_source.data[i];
    if (source > 0) m->from_point.data[source - 1] = i;
    else m->from_edge.data[-source - 1] = i;
  }
  for (uint32_t i = 0; i < 8 * n_tetras; i++) {
    m->made.data[i / 8].v[i % 8] = i;
    m->source.data[i] = i / 8;
  }
  return SOFA_OK;
}

/* Appends the 8 tetrahedra of one of the input. */
static SofaErr cut(const SofaTesselatedTetra *m, uint32_t tetra, SofaTetras *out) {
  SofaTopology *from = m->mapping.from;
  unsigned per = 0;
  const uint32_t *sub = sofa_topology_sub(from, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_TETRA, &per);
  const uint32_t *v = from->mesh.tetrahedra.data[tetra].v;
  if (from->failure != SOFA_OK || !sub) return from->failure;
  for (int i = 0; i < 8; i++) {
    SofaTetra part;
    for (int k = 0; k < 4; k++) {
      const unsigned c = corner[i][k];
      const uint32_t e = c < 4 ? 0 : sub[(size_t)per * tetra + c - 4];
      if (e == SOFA_NO_ELEMENT)
        return sofa_object_fail(&m->mapping.object, SOFA_ERR_RANGE,
                                "edge %u of tetrahedron %u is not in the edges of '%s'", c - 4,
                                tetra, from->object.name);
      part.v[k] = c < 4 ? m->from_point.data[v[c]] : m->from_edge.data[e];
    }
    SOFA_TRY(SOFA_APPEND(m->mapping.object.ctx, out, &part));
  }
  return SOFA_OK;
}

static void touch_tables(SofaObject *object) {
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) sofa_field_touch(object, &fields[i]);
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  SofaTesselatedTetra *m = (SofaTesselatedTetra *)mapping;
  SofaTopology *from = mapping->from, *to = mapping->to;
  const size_t n = from->n_points, n_tetras = from->mesh.tetrahedra.n;
  const SofaEdges *edges = sofa_topology_edges(from);
  SOFA_TRY(from->failure);
  sofa_topology_cut_link(to, SOFA_ELEMENT_POINT);
  SOFA_TRY(SOFA_RESIZE(to->object.ctx, &m->point_source, n + edges->n));
  for (size_t i = 0; i < m->point_source.n; i++)
    m->point_source.data[i] = i < n ? (int)i + 1 : (int)n - (int)i - 1;
  SOFA_TRY(place_points(m, 0));
  to->n_points = n + edges->n;
  SOFA_TRY(make_tables(m, n, edges->n, n_tetras));
  for (uint32_t t = 0; t < n_tetras; t++) SOFA_TRY(cut(m, t, &to->mesh.tetrahedra));
  touch_tables(&mapping->object);
  return SOFA_OK;
}

/* ---- changes: tetrahedron i is cut into 8 i ... 8 i + 7 ---- */

/* Number of the source of an output point among the points (or edges) of the input; none: of the
 * other kind. */
static uint32_t rank_of(int source, bool edges) {
  if (edges == (source > 0)) return SOFA_NO_ELEMENT;
  return (uint32_t)(edges ? -source - 1 : source - 1);
}

static SofaErr sources_go(SofaTesselatedTetra *m, const SofaTopologyChange *change, bool edges) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaInts *source = &m->point_source;
  SofaIndices gone = {0};
  SofaErr err = SOFA_OK;
  for (uint32_t i = (uint32_t)source->n; i-- > 0 && err == SOFA_OK;) {
    const uint32_t rank = rank_of(source->data[i], edges);
    if (rank == SOFA_NO_ELEMENT) continue;
    const uint32_t now = sofa_change_renamed(change, rank);
    if (now == SOFA_NO_ELEMENT) err = SOFA_APPEND(ctx, &gone, &i);
    else source->data[i] = edges ? -(int)now - 1 : (int)now + 1;
  }
  if (err == SOFA_OK)
    err = sofa_topological_mapping_remove_points(&m->mapping, change->edit, gone.data, gone.n);
  for (size_t i = 0; i < gone.n; i++) source->data[gone.data[i]] = source->data[--source->n];
  sofa_list_free(ctx, &gone);
  if (err != SOFA_OK) return err;
  const size_t now = change->n_before - change->n;
  return make_tables(m, edges ? m->from_point.n : now, edges ? now : m->from_edge.n, m->made.n);
}

static SofaErr sources_come(SofaTesselatedTetra *m, const SofaTopologyChange *change, bool edges) {
  const size_t before = m->point_source.n, now = change->n_before + change->n;
  for (size_t i = 0; i < change->n; i++) {
    const int id = (int)change->ids[i], source = edges ? -id - 1 : id + 1;
    SOFA_TRY(SOFA_APPEND(m->mapping.object.ctx, &m->point_source, &source));
  }
  SOFA_TRY(sofa_topological_mapping_add_points(&m->mapping, change->edit, change->n, NULL));
  SOFA_TRY(place_points(m, before));
  return make_tables(m, edges ? m->from_point.n : now, edges ? now : m->from_edge.n, m->made.n);
}

static SofaErr tetras_come(SofaTesselatedTetra *m, const SofaTopologyChange *change) {
  SofaTetras made = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < change->n && err == SOFA_OK; i++) err = cut(m, change->ids[i], &made);
  if (err == SOFA_OK)
    err = sofa_topology_add(change->edit, m->mapping.to, SOFA_ELEMENT_TETRA,
                            made.n ? made.data->v : NULL, made.n);
  sofa_list_free(m->mapping.object.ctx, &made);
  return err;
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaTesselatedTetra *m = (SofaTesselatedTetra *)object;
  const bool goes = change->kind == SOFA_CHANGE_REMOVE;
  for (int edges = 0; edges < 2; edges++)
    if (sofa_change_of(change, m->mapping.from, edges ? SOFA_ELEMENT_EDGE : SOFA_ELEMENT_POINT))
      return goes ? sources_go(m, change, edges) : sources_come(m, change, edges);
  if (change->kind == SOFA_CHANGE_DONE) touch_tables(object);
  if (!sofa_change_of(change, m->mapping.from, SOFA_ELEMENT_TETRA)) return SOFA_OK;
  SOFA_TRY(goes ? sofa_mapping_blocks_go(&m->mapping, change, SOFA_ELEMENT_TETRA, 8)
                : tetras_come(m, change));
  return make_tables(m, m->from_point.n, m->from_edge.n,
                     goes ? change->n_before - change->n : change->n_before + change->n);
}

static const SofaTopologyListenerOps listener = {.listen = listen};
static const SofaTopologicalMappingOps ops = {.check = check, .map = map};

SOFA_CLASS(SimpleTesselatedTetraTopologicalMapping) = {
    .name = "SimpleTesselatedTetraTopologicalMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "TopologicalMapping",
    .help = "Cuts each tetrahedron into eight at the middles of its edges.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(SofaTesselatedTetra),
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
