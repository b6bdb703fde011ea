/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SubsetTopologicalMapping: which points and elements of a topology are those of a larger one. */
#include <stdlib.h>
#include <string.h>
#include "behavior/topological_mapping.h"

enum { N_KINDS = 6, WIDEST = 8 };

/* From source (the input) to destination (the output) and back, SOFA_NO_ELEMENT: none. */
typedef struct Pair {
  SofaIndices s2d, d2s;
} Pair;

typedef struct SubsetTopologicalMapping {
  SofaTopologicalMapping mapping;
  bool same_points, handle[N_KINDS]; /* [0] is not used: points */
  Pair pair[N_KINDS];
} SubsetTopologicalMapping;

static const SofaElementKind kinds[N_KINDS] = {SOFA_ELEMENT_POINT,    SOFA_ELEMENT_EDGE,
                                               SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_QUAD,
                                               SOFA_ELEMENT_TETRA,    SOFA_ELEMENT_HEXA};

#define ROW(member, xml, default_text, help_text, ...)                                             \
  SOFA_FIELD(SubsetTopologicalMapping, member, xml, default_text, "", help_text, __VA_ARGS__)
#define HANDLE(k, xml, what) ROW(handle[k], xml, "0", "Finds the " what " of the output.", )
#define TABLES(k, xml, what)                                                                       \
  ROW(pair[k].s2d, xml "S2D", NULL,                                                                \
      "For each " what " of the input that of the output, 4294967295: none.",                      \
      .flags = SOFA_FIELD_OUTPUT),                                                                 \
      ROW(pair[k].d2s, xml "D2S", NULL, "For each " what " of the output that of the input.",      \
          .flags = SOFA_FIELD_OUTPUT)

static const SofaField fields[] = {
    ROW(same_points, "samePoints", "0", "Both have the same points with the same numbers.", ),
    HANDLE(1, "handleEdges", "edges"),
    HANDLE(2, "handleTriangles", "triangles"),
    HANDLE(3, "handleQuads", "quads"),
    HANDLE(4, "handleTetrahedra", "tetrahedra"),
    HANDLE(5, "handleHexahedra", "hexahedra"),
    TABLES(0, "point", "point"),
    TABLES(1, "edge", "edge"),
    TABLES(2, "triangle", "triangle"),
    TABLES(3, "quad", "quad"),
    TABLES(4, "tetrahedron", "tetrahedron"),
    TABLES(5, "hexahedron", "hexahedron"),
};

/* ---- tables ---- */

static SofaErr resize(SofaContext *ctx, Pair *p, size_t n_source, size_t n_destination) {
  SOFA_TRY(SOFA_RESIZE(ctx, &p->s2d, n_source));
  SOFA_TRY(SOFA_RESIZE(ctx, &p->d2s, n_destination));
  for (size_t i = 0; i < n_source; i++) p->s2d.data[i] = SOFA_NO_ELEMENT;
  for (size_t i = 0; i < n_destination; i++) p->d2s.data[i] = SOFA_NO_ELEMENT;
  return SOFA_OK;
}

static void join(Pair *p, uint32_t source, uint32_t destination) {
  p->d2s.data[destination] = source;
  p->s2d.data[source] = destination;
}

static SofaErr missing(const SubsetTopologicalMapping *m, SofaElementKind kind, size_t i) {
  return sofa_object_fail(&m->mapping.object, SOFA_ERR_NOT_FOUND,
                          "%s %zu of '%s' is not in '%s': the output is no subset",
                          sofa_element_kind_info(kind)->name, i, m->mapping.to->object.name,
                          m->mapping.from->object.name);
}

/* ---- points ---- */

typedef struct Place {
  double x[3];
  uint32_t id;
} Place;

/* By coordinates, then by number: of equal places the last counts, as in SOFA. */
static int compare_places(const void *a, const void *b) {
  const Place *p = a, *q = b;
  for (int k = 0; k < 3; k++)
    if (p->x[k] != q->x[k]) return p->x[k] < q->x[k] ? -1 : 1;
  return p->id < q->id ? -1 : p->id > q->id;
}

static SofaErr match_places(SubsetTopologicalMapping *m, Place *places) {
  const SofaTopology *from = m->mapping.from, *to = m->mapping.to;
  for (size_t i = 0; i < from->n_points; i++) {
    sofa_topology_point(from, i, places[i].x);
    places[i].id = (uint32_t)i;
  }
  qsort(places, from->n_points, sizeof *places, compare_places);
  for (size_t i = 0; i < to->n_points; i++) {
    Place wanted = {.id = UINT32_MAX};
    size_t low = 0, high = from->n_points;
    sofa_topology_point(to, i, wanted.x);
    while (low < high) {
      const size_t mid = (low + high) / 2;
      if (compare_places(&places[mid], &wanted) < 0) low = mid + 1;
      else high = mid;
    }
    // equal but for the number, which is the largest of all
    if (low) wanted.id = places[low - 1].id;
    if (!low || compare_places(&places[low - 1], &wanted) != 0)
      return missing(m, SOFA_ELEMENT_POINT, i);
    join(&m->pair[0], places[low - 1].id, (uint32_t)i);
  }
  return SOFA_OK;
}

static SofaErr match_points(SubsetTopologicalMapping *m) {
  SofaContext *ctx = m->mapping.object.ctx;
  const SofaTopology *from = m->mapping.from, *to = m->mapping.to;
  if (m->same_points) return SOFA_OK;
  SOFA_TRY(resize(ctx, &m->pair[0], from->n_points, to->n_points));
  if (sofa_topology_has_positions(from) && sofa_topology_has_positions(to)) {
    Place *places = sofa_alloc(ctx, from->n_points + 1, sizeof *places);
    if (!places) return SOFA_ERR_MEMORY;
    const SofaErr err = match_places(m, places);
    sofa_free(ctx, places);
    return err;
  }
  if (from->n_points != to->n_points)
    return sofa_object_fail(&m->mapping.object, SOFA_ERR_RANGE,
                            "'%s' has %zu points, '%s' %zu, and not both have positions to find "
                            "them by",
                            from->object.name, from->n_points, to->object.name, to->n_points);
  for (uint32_t i = 0; i < to->n_points; i++) join(&m->pair[0], i, i);
  return SOFA_OK;
}

/* ---- elements ---- */

typedef struct Key {
  uint32_t v[WIDEST], id;
} Key;

static int compare_keys(const void *a, const void *b) {
  const Key *p = a, *q = b;
  for (int k = 0; k < WIDEST; k++)
    if (p->v[k] != q->v[k]) return p->v[k] < q->v[k] ? -1 : 1;
  return p->id < q->id ? -1 : p->id > q->id;
}

/* The sorted vertices of an element, renumbered when there is a table. */
static Key key_of(const SofaElements *e, size_t i, const SofaIndices *rename) {
  Key key = {.id = (uint32_t)i};
  for (unsigned k = 0; k < e->width; k++) {
    uint32_t v = e->v[i * e->width + k];
    if (rename && rename->n) v = v < rename->n ? rename->data[v] : SOFA_NO_ELEMENT;
    unsigned at = k;
    for (; at > 0 && key.v[at - 1] > v; at--) key.v[at] = key.v[at - 1];
    key.v[at] = v;
  }
  return key;
}

static SofaErr match_sorted(SubsetTopologicalMapping *m, int k, const SofaElements *from,
                            const SofaElements *to, Key *keys) {
  for (size_t i = 0; i < from->n; i++) keys[i] = key_of(from, i, NULL);
  qsort(keys, from->n, sizeof *keys, compare_keys);
  for (size_t i = 0; i < to->n; i++) {
    Key wanted = key_of(to, i, &m->pair[0].d2s);
    size_t low = 0, high = from->n;
    wanted.id = UINT32_MAX;
    while (low < high) {
      const size_t mid = (low + high) / 2;
      if (compare_keys(&keys[mid], &wanted) < 0) low = mid + 1;
      else high = mid;
    }
    if (!low || memcmp(keys[low - 1].v, wanted.v, sizeof wanted.v) != 0)
      return missing(m, kinds[k], i);
    join(&m->pair[k], keys[low - 1].id, (uint32_t)i);
  }
  return SOFA_OK;
}

static SofaElements list_of(SofaTopology *t, SofaElementKind kind) {
  if (kind == SOFA_ELEMENT_EDGE) sofa_topology_edges(t);
  if (kind == SOFA_ELEMENT_TRIANGLE) sofa_topology_triangles(t);
  if (kind == SOFA_ELEMENT_QUAD) sofa_topology_quads(t);
  return sofa_mesh_elements(&t->mesh, kind);
}

static SofaErr match_elements(SubsetTopologicalMapping *m, int k) {
  SofaContext *ctx = m->mapping.object.ctx;
  const SofaElements from = list_of(m->mapping.from, kinds[k]);
  const SofaElements to = list_of(m->mapping.to, kinds[k]);
  if (m->mapping.from->failure != SOFA_OK) return m->mapping.from->failure;
  if (m->mapping.to->failure != SOFA_OK) return m->mapping.to->failure;
  SOFA_TRY(resize(ctx, &m->pair[k], from.n, to.n));
  Key *keys = sofa_alloc(ctx, from.n + 1, sizeof *keys);
  if (!keys) return SOFA_ERR_MEMORY;
  const SofaErr err = match_sorted(m, k, &from, &to, keys);
  sofa_free(ctx, keys);
  return err;
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  SubsetTopologicalMapping *m = (SubsetTopologicalMapping *)mapping;
  SOFA_TRY(match_points(m));
  for (int k = 1; k < N_KINDS; k++)
    if (m->handle[k]) SOFA_TRY(match_elements(m, k));
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i].flags & SOFA_FIELD_OUTPUT) sofa_field_touch(&mapping->object, &fields[i]);
  return SOFA_OK;
}

static const SofaTopologicalMappingOps ops = {.map = map, .keeps_output = true};

extern const SofaClass sofa_SubsetTopologicalMapping_class;
const SofaClass sofa_SubsetTopologicalMapping_class = {
    .name = "SubsetTopologicalMapping",
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Finds the points and elements of the output, which has them already, in the input: "
            "points by their places, elements by their points.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(SubsetTopologicalMapping),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .ops = {[SOFA_TOPOLOGICAL_MAPPING] = &ops},
};
