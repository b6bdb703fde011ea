/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mesh2PointTopologicalMapping: points at given places in each element of a topology. */
#include <string.h>
#include "numerics/spatial/locator.h"
#include "components/mapping/mesh_to_points.h"
#include "math/vec.h"

typedef SofaMeshToPoints SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(coords[0], "pointBaryCoords", "", "", "Offsets from each point, m."),
    SOFA_ROW(coords[1], "edgeBaryCoords", "", "", "Places on each edge: (fx, -, -)."),
    SOFA_ROW(coords[2], "triangleBaryCoords", "", "", "Places in each triangle: (fx, fy, -)."),
    SOFA_ROW(coords[3], "quadBaryCoords", "", "",
             "Places in each quad: (fx, fy, -), with vertex 2 at (0, 1) and vertex 3 at (1, 1)."),
    SOFA_ROW(coords[4], "tetraBaryCoords", "", "", "Places in each tetrahedron: (fx, fy, fz)."),
    SOFA_ROW(coords[5], "hexaBaryCoords", "", "", "Places in each hexahedron: (fx, fy, fz)."),
    SOFA_ROW(copy_edges, "copyEdges", "0", "",
             "The output has the input's edges; needs pointBaryCoords."),
    SOFA_ROW(copy_triangles, "copyTriangles", "0", "",
             "The output has the input's triangles; needs pointBaryCoords."),
    SOFA_ROW(copy_tetrahedra, "copyTetrahedra", "0", "",
             "The output has the input's tetrahedra; needs pointBaryCoords."),
};

const SofaElementKind sofa_mesh_to_points_kinds[SOFA_MESH_TO_POINTS_KINDS] = {
    SOFA_ELEMENT_POINT, SOFA_ELEMENT_EDGE,  SOFA_ELEMENT_TRIANGLE,
    SOFA_ELEMENT_QUAD,  SOFA_ELEMENT_TETRA, SOFA_ELEMENT_HEXA};

SofaElements sofa_mesh_to_points_elements(const SofaMeshToPoints *m, int k) {
  SofaTopology *from = m->mapping.from;
  const SofaElementKind kind = sofa_mesh_to_points_kinds[k];
  if (kind == SOFA_ELEMENT_POINT) return (SofaElements){NULL, from->n_points, 1};
  return sofa_topology_elements(from, kind);
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

/* Where a point is. */
static SofaVec3 place_of(const SofaMeshToPoints *m, const SofaPointOrigin *o) {
  const SofaElements e = sofa_mesh_to_points_elements(m, (int)o->kind);
  SofaVec3 p = {{0, 0, 0}};
  double w[8];
  const unsigned n = sofa_mesh_to_points_weights(m, (int)o->kind, o->place, w);
  for (unsigned c = 0; c < n; c++) {
    double x[3];
    sofa_topology_point(m->mapping.from, e.v ? e.v[(size_t)n * o->element + c] : o->element, x);
    sofa_vec3_axpy(w[c], x, p.v);
  }
  if (o->kind == 0) sofa_vec3_add(p.v, m->coords[0].data[o->place].v, p.v);
  return p;
}

/* The points of an element. */
static SofaErr add_origins(SofaMeshToPoints *m, int k, uint32_t element) {
  for (uint32_t j = 0; j < m->coords[k].n; j++) {
    const SofaPointOrigin o = {(uint32_t)k, element, j};
    SOFA_TRY(SOFA_APPEND(m->mapping.object.ctx, &m->origin, &o));
  }
  return SOFA_OK;
}

/* Places of the points from number `first` on. */
static SofaErr place_points(SofaMeshToPoints *m, size_t first) {
  SofaVec3s *x = &m->mapping.to->mesh.position;
  SOFA_TRY(SOFA_RESIZE(m->mapping.object.ctx, x, m->origin.n));
  for (size_t i = first; i < m->origin.n; i++) x->data[i] = place_of(m, &m->origin.data[i]);
  return SOFA_OK;
}

/* Appends elements of kind k of the input, between the first points that their vertices have in the
 * output. */
static SofaErr copy(const SofaMeshToPoints *m, int k, const uint32_t *ids, size_t n,
                    SofaIndices *out) {
  SofaContext *ctx = m->mapping.object.ctx;
  const SofaElements e = sofa_mesh_to_points_elements(m, k);
  SofaIndices first = {0}; /* point of the output of each point of the input */
  SofaErr err = SOFA_RESIZE(ctx, &first, m->mapping.from->n_points);
  for (uint32_t i = 0; i < m->origin.n && err == SOFA_OK; i++) {
    const SofaPointOrigin *o = &m->origin.data[i];
    if (o->kind == 0 && o->place == 0 && o->element < first.n) first.data[o->element] = i;
  }
  for (size_t i = 0; i < n * e.width && err == SOFA_OK; i++) {
    const size_t id = ids ? ids[i / e.width] : i / e.width;
    const uint32_t v = e.v[id * e.width + i % e.width];
    if (v >= first.n)
      err = sofa_object_fail(&m->mapping.object, SOFA_ERR_RANGE,
                             "element %zu of '%s' has the point %u of %zu", id,
                             m->mapping.from->object.name, v, first.n);
    else err = SOFA_APPEND(ctx, out, &first.data[v]);
  }
  sofa_list_free(ctx, &first);
  return err;
}

/* Does the output have the elements of kind k? */
static bool copies(const SofaMeshToPoints *m, int k) {
  return (k == 1 && m->copy_edges) || (k == 2 && m->copy_triangles) ||
         (k == 4 && m->copy_tetrahedra);
}

/* ---- topological changes ---- */

/* Points of removed elements are removed, too. */
static SofaErr points_go(SofaMeshToPoints *m, int k, const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaIndices gone = {0};
  SofaErr err = SOFA_OK;
  for (uint32_t i = (uint32_t)m->origin.n; i-- > 0 && err == SOFA_OK;) {
    SofaPointOrigin *o = &m->origin.data[i];
    if (o->kind != (uint32_t)k) continue;
    o->element = sofa_change_renamed(change, o->element);
    if (o->element == SOFA_NO_ELEMENT) err = SOFA_APPEND(ctx, &gone, &i);
  }
  if (err == SOFA_OK)
    err = sofa_topological_mapping_remove_points(&m->mapping, change->edit, gone.data, gone.n);
  for (size_t i = 0; i < gone.n; i++) m->origin.data[gone.data[i]] = m->origin.data[--m->origin.n];
  sofa_list_free(ctx, &gone);
  return err;
}

static SofaErr points_come(SofaMeshToPoints *m, int k, const SofaTopologyChange *change) {
  const size_t before = m->origin.n;
  for (size_t i = 0; i < change->n; i++) SOFA_TRY(add_origins(m, k, change->ids[i]));
  SOFA_TRY(
      sofa_topological_mapping_add_points(&m->mapping, change->edit, m->origin.n - before, NULL));
  return place_points(m, before);
}

static SofaErr copies_change(SofaMeshToPoints *m, int k, const SofaTopologyChange *change) {
  const SofaElementKind kind = sofa_mesh_to_points_kinds[k];
  SofaTopology *to = m->mapping.to;
  SofaIndices made = {0};
  if (change->kind == SOFA_CHANGE_REMOVE)
    return sofa_topology_remove(change->edit, to, kind, change->ids, change->n,
                                k == 1 || m->copy_edges ? 0 : SOFA_REMOVE_SUBS);
  SofaErr err = copy(m, k, change->ids, change->n, &made);
  if (err == SOFA_OK) err = sofa_topology_add(change->edit, to, kind, made.data, change->n);
  sofa_list_free(m->mapping.object.ctx, &made);
  return err;
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaMeshToPoints *m = (SofaMeshToPoints *)object;
  for (int k = 0; k < SOFA_MESH_TO_POINTS_KINDS; k++) {
    if (!sofa_change_of(change, m->mapping.from, sofa_mesh_to_points_kinds[k])) continue;
    if (copies(m, k)) SOFA_TRY(copies_change(m, k, change));
    if (m->coords[k].n)
      return change->kind == SOFA_CHANGE_ADD ? points_come(m, k, change) : points_go(m, k, change);
  }
  return SOFA_OK;
}

/* ---- the mapping ---- */

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

static SofaErr copy_all(const SofaMeshToPoints *m, int k) {
  SofaTopology *to = m->mapping.to;
  const SofaElementKind kind = sofa_mesh_to_points_kinds[k];
  const unsigned width = sofa_element_kind_info(kind)->width;
  SofaIndices made = {0};
  SofaErr err = copy(m, k, NULL, sofa_mesh_to_points_elements(m, k).n, &made);
  for (size_t i = 0; i < made.n && err == SOFA_OK; i += width)
    err = sofa_list_append(to->object.ctx, sofa_mesh_list(&to->mesh, kind),
                           width * sizeof(uint32_t), &made.data[i]);
  sofa_list_free(to->object.ctx, &made);
  return err;
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  SofaMeshToPoints *m = (SofaMeshToPoints *)mapping;
  SofaTopology *to = mapping->to;
  sofa_topology_cut_link(to, SOFA_ELEMENT_POINT);
  SOFA_TRY(SOFA_RESIZE(to->object.ctx, &to->mesh.position, 0));
  m->origin.n = 0;
  for (int k = 0; k < SOFA_MESH_TO_POINTS_KINDS; k++) {
    const SofaElements e = sofa_mesh_to_points_elements(m, k);
    SOFA_TRY(mapping->from->failure);
    for (uint32_t i = 0; i < e.n; i++) SOFA_TRY(add_origins(m, k, i));
  }
  SOFA_TRY(place_points(m, 0));
  to->n_points = to->mesh.position.n;
  for (int k = 0; k < SOFA_MESH_TO_POINTS_KINDS; k++)
    if (copies(m, k)) SOFA_TRY(copy_all(m, k));
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((SofaMeshToPoints *)object)->origin);
}

static const SofaTopologyListenerOps listener = {.listen = listen};
static const SofaTopologicalMappingOps ops = {.check = check, .map = map};

SOFA_CLASS(Mesh2PointTopologicalMapping) = {
    .name = "Mesh2PointTopologicalMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "TopologicalMapping",
    .help = "Makes points at given places in each point, edge, triangle, quad, tetrahedron and "
            "hexahedron of the input.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(SofaMeshToPoints),
    SOFA_FIELDS(fields),
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
