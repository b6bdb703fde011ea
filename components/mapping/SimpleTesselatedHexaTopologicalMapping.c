/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SimpleTesselatedHexaTopologicalMapping: eight hexahedra per hexahedron. */
#include "topology/tuple_map.h"
#include "components/topology/element_mapping.h"

enum { QUIRK_TESSELLATED_HEXA = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_TESSELLATED_HEXA, "tessellated-hexa",
     "SimpleTesselatedHexaTopologicalMapping doubles middles of edges that hexahedra see turned",
     "test_quirks_sets.topologies"},
};

/* Middles of edges, of sides, and the centre: their corners, in the order in which they are
 * numbered. */
static const struct {
  uint8_t n, corner[8];
} middles[19] = {{2, {0, 1}},
                 {2, {1, 2}},
                 {2, {3, 2}},
                 {2, {0, 3}},
                 {2, {0, 4}},
                 {2, {1, 5}},
                 {2, {2, 6}},
                 {2, {3, 7}},
                 {2, {4, 5}},
                 {2, {5, 6}},
                 {2, {7, 6}},
                 {2, {4, 7}},
                 {4, {0, 1, 2, 3}},
                 {4, {0, 1, 5, 4}},
                 {4, {1, 2, 6, 5}},
                 {4, {3, 2, 6, 7}},
                 {4, {0, 3, 7, 4}},
                 {4, {4, 5, 6, 7}},
                 {8, {0, 1, 2, 3, 4, 5, 6, 7}}};

/* Points of the input that a point of the output is in the middle of. */
typedef struct Origin {
  uint32_t n, v[8];
} Origin;
SOFA_LIST(Origin, Origins);

typedef struct SimpleTesselatedHexaTopologicalMapping {
  SofaTopologicalMapping mapping;
  Origins origin; /* of each point of the output */
} SimpleTesselatedHexaTopologicalMapping;

typedef struct Work {
  SimpleTesselatedHexaTopologicalMapping *m;
  SofaTupleMap map;   /* of the vertices around a middle */
  uint32_t point[27]; /* of the hexahedron at hand, by place x + 3 y + 9 z in half steps */
} Work;

/* Sum of the half steps of corners: place of the point between them. */
static unsigned place_of(const uint8_t *corner, unsigned n) {
  static const uint8_t steps[8] = {0, 1, 4, 3, 9, 10, 13, 12};
  unsigned sum = 0;
  for (unsigned k = 0; k < n; k++) sum += steps[corner[k]];
  return 2 * sum / n;
}

/* Places of the points from number `first` on. */
static SofaErr place_points(SimpleTesselatedHexaTopologicalMapping *m, size_t first) {
  SofaVec3s *x = &m->mapping.to->mesh.position;
  SOFA_TRY(SOFA_RESIZE(m->mapping.object.ctx, x, m->origin.n));
  for (size_t i = first; i < m->origin.n; i++) {
    const Origin *o = &m->origin.data[i];
    SofaVec3 p = {{0, 0, 0}};
    for (uint32_t k = 0; k < o->n; k++) {
      double at[3];
      sofa_topology_point(m->mapping.from, o->v[k], at);
      for (int c = 0; c < 3; c++) p.v[c] += at[c];
    }
    for (int c = 0; c < 3; c++) x->data[i].v[c] = p.v[c] / o->n;
  }
  return SOFA_OK;
}

/* The number of the point with this origin; it is `next` where none is known. */
static SofaErr number_of(Work *w, const Origin *o, uint32_t next, uint32_t *id) {
  SofaContext *ctx = w->m->mapping.object.ctx;
  const bool ordered = sofa_quirk(&w->m->mapping.object, QUIRK_TESSELLATED_HEXA);
  *id = next;
  if (o->n == 8) return SOFA_OK;
  SofaTuple key = o->n == 1   ? sofa_tuple2(o->v[0], SOFA_NO_ELEMENT)
                  : o->n == 2 ? sofa_tuple2(o->v[0], o->v[1])
                              : sofa_tuple4(o->v[0], o->v[1], o->v[2], o->v[3]);
  for (uint32_t k = 0; ordered && o->n > 1 && k < o->n; k++) key.v[k] = o->v[k];
  return sofa_tuple_map_add(ctx, &w->map, &key, next, id);
}

/* Knows the points that there are. */
static SofaErr begin(Work *w) {
  uint32_t id;
  for (uint32_t i = 0; i < w->m->origin.n; i++)
    SOFA_TRY(number_of(w, &w->m->origin.data[i], i, &id));
  return SOFA_OK;
}

/* Numbers of the 27 points of a hexahedron; those that are not there are made. */
static SofaErr find_points(Work *w, const uint32_t *v) {
  SofaContext *ctx = w->m->mapping.object.ctx;
  for (uint8_t k = 0; k < 8; k++)
    SOFA_TRY(number_of(w, &(const Origin){1, {v[k]}}, SOFA_NO_ELEMENT, &w->point[place_of(&k, 1)]));
  for (int i = 0; i < 19; i++) {
    const uint32_t next = (uint32_t)w->m->origin.n;
    Origin o = {middles[i].n, {0}};
    uint32_t *id = &w->point[place_of(middles[i].corner, middles[i].n)];
    for (uint32_t k = 0; k < o.n; k++) o.v[k] = v[middles[i].corner[k]];
    SOFA_TRY(number_of(w, &o, next, id));
    if (*id == next) SOFA_TRY(SOFA_APPEND(ctx, &w->m->origin, &o));
  }
  return SOFA_OK;
}

/* Appends the 8 parts of a hexahedron: corner c of part k is half-way between the corners k and c.
 */
static SofaErr add_parts(Work *w, const SofaHexa *hexa, SofaHexas *out) {
  SOFA_TRY(find_points(w, hexa->v));
  for (uint8_t k = 0; k < 8; k++) {
    SofaHexa part;
    for (uint8_t c = 0; c < 8; c++) part.v[c] = w->point[place_of((const uint8_t[]){k, c}, 2)];
    SOFA_TRY(SOFA_APPEND(w->m->mapping.object.ctx, out, &part));
  }
  return SOFA_OK;
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  SimpleTesselatedHexaTopologicalMapping *m = (SimpleTesselatedHexaTopologicalMapping *)mapping;
  SofaTopology *from = mapping->from, *to = mapping->to;
  const SofaHexas *hexas = sofa_topology_hexahedra(from);
  Work w = {.m = m};
  SofaErr err = SOFA_OK;
  sofa_topology_cut_link(to, SOFA_ELEMENT_POINT);
  m->origin.n = 0;
  for (uint32_t i = 0; i < from->n_points; i++)
    SOFA_GO(err, done, SOFA_APPEND(to->object.ctx, &m->origin, &((const Origin){1, {i}})));
  SOFA_GO(err, done, begin(&w));
  for (size_t i = 0; i < hexas->n; i++)
    SOFA_GO(err, done, add_parts(&w, &hexas->data[i], &to->mesh.hexahedra));
  SOFA_GO(err, done, place_points(m, 0));
  to->n_points = m->origin.n;
done:
  sofa_tuple_map_free(to->object.ctx, &w.map);
  return err;
}

/* ---- changes: hexahedron i is cut into 8 i ... 8 i + 7 ---- */

/* Points of the output go; ids descend. */
static SofaErr forget(SimpleTesselatedHexaTopologicalMapping *m, SofaTopologyEdit *edit,
                      const SofaIndices *ids) {
  SOFA_TRY(sofa_topological_mapping_remove_points(&m->mapping, edit, ids->data, ids->n));
  for (size_t i = 0; i < ids->n; i++) m->origin.data[ids->data[i]] = m->origin.data[--m->origin.n];
  return SOFA_OK;
}

/* Middles go with the last hexahedron around them. */
static SofaErr hexas_go(SimpleTesselatedHexaTopologicalMapping *m,
                        const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaIndices gone = {0};
  SOFA_TRY(sofa_mapping_blocks_go(&m->mapping, change, SOFA_ELEMENT_HEXA, 8));
  const SofaAround *around =
      sofa_topology_around(m->mapping.to, SOFA_ELEMENT_HEXA, SOFA_ELEMENT_POINT);
  SofaErr err = m->mapping.to->failure;
  for (uint32_t i = (uint32_t)m->origin.n; i-- > 0 && err == SOFA_OK;) {
    const uint32_t *ids = NULL;
    if (m->origin.data[i].n > 1 && !sofa_around_row(around, i, &ids))
      err = SOFA_APPEND(ctx, &gone, &i);
  }
  if (err == SOFA_OK) err = forget(m, change->edit, &gone);
  sofa_list_free(ctx, &gone);
  return err;
}

static SofaErr hexas_come(SimpleTesselatedHexaTopologicalMapping *m,
                          const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaTopology *to = m->mapping.to;
  const size_t before = m->origin.n;
  SofaHexas made = {0};
  Work w = {.m = m};
  SofaErr err = begin(&w);
  for (size_t i = 0; i < change->n && err == SOFA_OK; i++)
    err = add_parts(&w, &m->mapping.from->mesh.hexahedra.data[change->ids[i]], &made);
  if (err == SOFA_OK)
    err =
        sofa_topological_mapping_add_points(&m->mapping, change->edit, m->origin.n - before, NULL);
  if (err == SOFA_OK) err = place_points(m, before);
  if (err == SOFA_OK)
    err = sofa_topology_add(change->edit, to, SOFA_ELEMENT_HEXA, made.n ? made.data->v : NULL,
                            made.n);
  sofa_list_free(ctx, &made);
  sofa_tuple_map_free(ctx, &w.map);
  return err;
}

static SofaErr points_go(SimpleTesselatedHexaTopologicalMapping *m,
                         const SofaTopologyChange *change) {
  SofaContext *ctx = m->mapping.object.ctx;
  SofaIndices gone = {0};
  SofaErr err = SOFA_OK;
  for (uint32_t i = (uint32_t)m->origin.n; i-- > 0 && err == SOFA_OK;) {
    Origin *o = &m->origin.data[i];
    for (uint32_t k = 0; k < o->n; k++) o->v[k] = sofa_change_renamed(change, o->v[k]);
    if (o->v[0] == SOFA_NO_ELEMENT) err = SOFA_APPEND(ctx, &gone, &i);
  }
  if (err == SOFA_OK) err = forget(m, change->edit, &gone);
  sofa_list_free(ctx, &gone);
  return err;
}

static SofaErr points_come(SimpleTesselatedHexaTopologicalMapping *m,
                           const SofaTopologyChange *change) {
  const size_t before = m->origin.n;
  for (size_t i = 0; i < change->n; i++) {
    const Origin o = {1, {change->ids[i]}};
    SOFA_TRY(SOFA_APPEND(m->mapping.object.ctx, &m->origin, &o));
  }
  SOFA_TRY(sofa_topological_mapping_add_points(&m->mapping, change->edit, change->n, NULL));
  return place_points(m, before);
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  SimpleTesselatedHexaTopologicalMapping *m = (SimpleTesselatedHexaTopologicalMapping *)object;
  const bool goes = change->kind == SOFA_CHANGE_REMOVE;
  if (sofa_change_of(change, m->mapping.from, SOFA_ELEMENT_POINT))
    return goes ? points_go(m, change) : points_come(m, change);
  if (!sofa_change_of(change, m->mapping.from, SOFA_ELEMENT_HEXA)) return SOFA_OK;
  return goes ? hexas_go(m, change) : hexas_come(m, change);
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((SimpleTesselatedHexaTopologicalMapping *)object)->origin);
}

static const SofaTopologyListenerOps listener = {.listen = listen};
static const SofaTopologicalMappingOps ops = {.map = map};

SOFA_CLASS(SimpleTesselatedHexaTopologicalMapping) = {
    SOFA_NAMED(SimpleTesselatedHexaTopologicalMapping),
    .module = "Sofa.Component.Mapping.Linear",
    .category = "TopologicalMapping",
    .help = "Cuts each hexahedron into eight at the middles of its edges and sides.",
    .base = &sofa_topological_mapping_class,
    SOFA_QUIRKS(quirks),
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
