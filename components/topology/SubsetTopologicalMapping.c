/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SubsetTopologicalMapping: which points and elements of a topology are those of a larger one. */
#include <stdlib.h>
#include <string.h>
#include "element_mapping.h"

enum { N_KINDS = 6, WIDEST = 8 };

/* From source (the input) to destination (the output) and back, SOFA_NO_ELEMENT: none. */
typedef struct Pair {
  SofaIndices s2d, d2s;
} Pair;

typedef struct SubsetTopologicalMapping {
  SofaTopologicalMapping mapping;
  bool same_points, handle[N_KINDS]; /* [0] is not used: points */
  Pair pair[N_KINDS];
  SofaIndices coming; /* elements of the input that are inserted into the output now */
} SubsetTopologicalMapping;

static const SofaElementKind kinds[N_KINDS] = {SOFA_ELEMENT_POINT,    SOFA_ELEMENT_EDGE,
                                               SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_QUAD,
                                               SOFA_ELEMENT_TETRA,    SOFA_ELEMENT_HEXA};

#define HANDLE(k, xml, what) SOFA_ROW(handle[k], xml, "0", "", "Finds the " what " of the output.")
#define TABLES(k, xml, what)                                                                       \
  SOFA_ROW_OUTPUT(pair[k].s2d, xml "S2D", "",                                                      \
                  "For each " what " of the input that of the output, 4294967295: none."),         \
      SOFA_ROW_OUTPUT(pair[k].d2s, xml "D2S", "",                                                  \
                      "For each " what " of the output that of the input.")

typedef SubsetTopologicalMapping SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(same_points, "samePoints", "0", "",
             "Both have the same points with the same numbers."),
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
                          "%s %zu of '%s' is not in '%s': the output is not a subset",
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
  sofa_sort(places, from->n_points, sizeof *places, compare_places);
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
  sofa_sort(keys, from->n, sizeof *keys, compare_keys);
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

static SofaErr match_elements(SubsetTopologicalMapping *m, int k) {
  SofaContext *ctx = m->mapping.object.ctx;
  const SofaElements from = sofa_topology_elements(m->mapping.from, kinds[k]);
  const SofaElements to = sofa_topology_elements(m->mapping.to, kinds[k]);
  if (m->mapping.from->failure != SOFA_OK) return m->mapping.from->failure;
  if (m->mapping.to->failure != SOFA_OK) return m->mapping.to->failure;
  SOFA_TRY(resize(ctx, &m->pair[k], from.n, to.n));
  Key *keys = sofa_alloc(ctx, from.n + 1, sizeof *keys);
  if (!keys) return SOFA_ERR_MEMORY;
  const SofaErr err = match_sorted(m, k, &from, &to, keys);
  sofa_free(ctx, keys);
  return err;
}

static void touch_tables(SofaObject *object) {
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i].flags & SOFA_FIELD_OUTPUT) sofa_field_touch(object, &fields[i]);
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  SubsetTopologicalMapping *m = (SubsetTopologicalMapping *)mapping;
  SOFA_TRY(match_points(m));
  for (int k = 1; k < N_KINDS; k++)
    if (m->handle[k]) SOFA_TRY(match_elements(m, k));
  touch_tables(&mapping->object);
  return SOFA_OK;
}

/* ---- changes: each side of the tables is kept when its own topology changes ---- */

static void rename_values(SofaIndices *list, const SofaTopologyChange *change) {
  for (size_t i = 0; i < list->n; i++)
    if (list->data[i] != SOFA_NO_ELEMENT)
      list->data[i] = sofa_change_renamed(change, list->data[i]);
}

/* What goes in the input goes in the output where it is there. */
static SofaErr source_goes(SubsetTopologicalMapping *m, int k, const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  Pair *p = &m->pair[k];
  SofaIndices gone = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < change->n && err == SOFA_OK; i++) {
    const uint32_t id = p->s2d.data[change->ids[i]];
    if (id != SOFA_NO_ELEMENT) err = SOFA_APPEND(ctx, &gone, &id);
  }
  if (err == SOFA_OK)
    err = k ? sofa_topology_remove(change->edit, m->mapping.to, kinds[k], gone.data, gone.n,
                                   SOFA_REMOVE_SUBS)
            : sofa_topological_mapping_remove_points(&m->mapping, change->edit, gone.data, gone.n);
  sofa_list_free(ctx, &gone);
  sofa_change_remove_entries(change, &p->s2d, sizeof *p->s2d.data);
  rename_values(&p->d2s, change);
  return err;
}

/* The number in the output of a point of the input, SOFA_NO_ELEMENT: none. */
static uint32_t point_in_output(const SubsetTopologicalMapping *m, uint32_t point) {
  if (m->same_points) return point;
  return point < m->pair[0].s2d.n ? m->pair[0].s2d.data[point] : SOFA_NO_ELEMENT;
}

/* Points come to the output when all their ancestors are there. */
static SofaErr source_points_come(SubsetTopologicalMapping *m, const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  const SofaAncestors *a = change->ancestors;
  SofaAncestors made = {.start = {0}};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < change->n; i++) {
    bool inside = true;
    const uint32_t begin = a ? a->start.data[i] : 0, end = a ? a->start.data[i + 1] : 0;
    for (uint32_t k = begin; k < end; k++)
      inside = inside && (a->weights.data[k] == 0 ||
                          point_in_output(m, a->points.data[k]) != SOFA_NO_ELEMENT);
    if (!inside) continue;
    const uint32_t first = (uint32_t)made.points.n;
    SOFA_GO(err, done, SOFA_APPEND(ctx, &made.start, &first));
    SOFA_GO(err, done, SOFA_APPEND(ctx, &m->coming, &change->ids[i]));
    for (uint32_t k = begin; k < end; k++) {
      const uint32_t point = point_in_output(m, a->points.data[k]);
      if (point == SOFA_NO_ELEMENT) continue;
      SOFA_GO(err, done, SOFA_APPEND(ctx, &made.points, &point));
      SOFA_GO(err, done, SOFA_APPEND(ctx, &made.weights, &a->weights.data[k]));
    }
  }
  const uint32_t last = (uint32_t)made.points.n;
  SOFA_GO(err, done, SOFA_APPEND(ctx, &made.start, &last));
  err = sofa_topological_mapping_add_points(&m->mapping, change->edit, m->coming.n, &made);
done:
  sofa_list_free(ctx, &made.start);
  sofa_list_free(ctx, &made.points);
  sofa_list_free(ctx, &made.weights);
  return err;
}

/* Elements come to the output when all their points are there. */
static SofaErr source_elements_come(SubsetTopologicalMapping *m, int k,
                                    const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  const SofaElements from = sofa_mesh_elements(&m->mapping.from->mesh, kinds[k]);
  SofaIndices made = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < change->n && err == SOFA_OK; i++) {
    uint32_t v[WIDEST];
    bool inside = true;
    for (unsigned c = 0; c < from.width; c++) {
      v[c] = point_in_output(m, from.v[change->ids[i] * (size_t)from.width + c]);
      inside = inside && v[c] != SOFA_NO_ELEMENT;
    }
    if (!inside) continue;
    err = SOFA_APPEND(ctx, &m->coming, &change->ids[i]);
    for (unsigned c = 0; c < from.width && err == SOFA_OK; c++)
      err = SOFA_APPEND(ctx, &made, &v[c]);
  }
  if (err == SOFA_OK)
    err = sofa_topology_add(change->edit, m->mapping.to, kinds[k], made.data, m->coming.n);
  sofa_list_free(ctx, &made);
  return err;
}

static SofaErr source_comes(SubsetTopologicalMapping *m, int k, const SofaTopologyChange *change) {
  const uint32_t none = SOFA_NO_ELEMENT;
  for (size_t i = 0; i < change->n; i++)
    SOFA_TRY(SOFA_APPEND(m->mapping.object.ctx, &m->pair[k].s2d, &none));
  m->coming.n = 0;
  const SofaErr err = k ? source_elements_come(m, k, change) : source_points_come(m, change);
  m->coming.n = 0;
  return err;
}

/* The output changes: an answer, or by itself. */
static SofaErr destination_changes(SubsetTopologicalMapping *m, int k,
                                   const SofaTopologyChange *change) {
  Pair *p = &m->pair[k];
  if (change->kind == SOFA_CHANGE_REMOVE) {
    sofa_change_remove_entries(change, &p->d2s, sizeof *p->d2s.data);
    rename_values(&p->s2d, change);
    return SOFA_OK;
  }
  for (size_t i = 0; i < change->n; i++) {
    const uint32_t source = m->coming.n == change->n ? m->coming.data[i] : SOFA_NO_ELEMENT;
    if (source != SOFA_NO_ELEMENT) p->s2d.data[source] = change->ids[i];
    SOFA_TRY(SOFA_APPEND(m->mapping.object.ctx, &p->d2s, &source));
  }
  return SOFA_OK;
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  SubsetTopologicalMapping *m = (SubsetTopologicalMapping *)object;
  if (change->kind == SOFA_CHANGE_DONE) touch_tables(object);
  if (m->same_points && sofa_change_of(change, m->mapping.from, SOFA_ELEMENT_POINT))
    return sofa_mapping_follow_points(&m->mapping, change);
  for (int k = m->same_points ? 1 : 0; k < N_KINDS; k++) {
    if (k && !m->handle[k]) continue;
    if (sofa_change_of(change, m->mapping.to, kinds[k])) return destination_changes(m, k, change);
    if (!sofa_change_of(change, m->mapping.from, kinds[k])) continue;
    return change->kind == SOFA_CHANGE_REMOVE ? source_goes(m, k, change)
                                              : source_comes(m, k, change);
  }
  return SOFA_OK;
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((SubsetTopologicalMapping *)object)->coming);
}

static const SofaTopologyListenerOps listener = {.listen = listen};

static const SofaTopologicalMappingOps ops = {.map = map, .keeps_output = true};

SOFA_CLASS(SubsetTopologicalMapping) = {
    SOFA_NAMED(SubsetTopologicalMapping),
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Finds the points and elements of the output, which has them already, in the input: "
            "points by their places, elements by their points.",
    .base = &sofa_topological_mapping_class,
    SOFA_FIELDS(fields),
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
