/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SimpleTesselatedHexaTopologicalMapping: eight hexahedra per hexahedron. */
#include "base/quirks.h"
#include "behavior/topological_mapping.h"
#include "behavior/tuple_map.h"

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

typedef struct Work {
  SofaTopologicalMapping *mapping;
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

static SofaErr add_point(SofaTopologicalMapping *m, const uint32_t *v, const uint8_t *corner,
                         unsigned n) {
  SofaVec3 p = {{0, 0, 0}};
  for (unsigned k = 0; k < n; k++) {
    double x[3];
    sofa_topology_point(m->from, v[corner[k]], x);
    for (int c = 0; c < 3; c++) p.v[c] += x[c];
  }
  for (int c = 0; c < 3; c++) p.v[c] /= n;
  return SOFA_APPEND(m->to->object.ctx, &m->to->mesh.position, &p);
}

/* Number of a middle; it is made unless another hexahedron has made it. */
static SofaErr find_middle(Work *w, const uint32_t *v, int i, uint32_t *id) {
  SofaContext *ctx = w->mapping->to->object.ctx;
  const uint8_t *c = middles[i].corner;
  const uint32_t next = (uint32_t)w->mapping->to->mesh.position.n;
  const bool ordered = sofa_quirk(ctx, SOFA_QUIRK_TESSELLATED_HEXA);
  *id = next;
  if (middles[i].n < 8) {
    SofaTuple key = middles[i].n == 2 ? sofa_tuple2(v[c[0]], v[c[1]])
                                      : sofa_tuple4(v[c[0]], v[c[1]], v[c[2]], v[c[3]]);
    for (unsigned k = 0; ordered && k < middles[i].n; k++) key.v[k] = v[c[k]];
    SOFA_TRY(sofa_tuple_map_add(ctx, &w->map, &key, next, id));
  }
  return *id == next ? add_point(w->mapping, v, c, middles[i].n) : SOFA_OK;
}

static SofaErr add_hexas(Work *w, const SofaHexa *hexa) {
  SofaTopology *to = w->mapping->to;
  for (uint8_t k = 0; k < 8; k++) w->point[place_of(&k, 1)] = hexa->v[k];
  for (int i = 0; i < 19; i++)
    SOFA_TRY(find_middle(w, hexa->v, i, &w->point[place_of(middles[i].corner, middles[i].n)]));
  // corner c of part k is half-way between the corners k and c
  for (uint8_t k = 0; k < 8; k++) {
    SofaHexa part;
    for (uint8_t c = 0; c < 8; c++) part.v[c] = w->point[place_of((const uint8_t[]){k, c}, 2)];
    SOFA_TRY(SOFA_APPEND(to->object.ctx, &to->mesh.hexahedra, &part));
  }
  return SOFA_OK;
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  SofaTopology *from = mapping->from, *to = mapping->to;
  const SofaHexas *hexas = sofa_topology_hexahedra(from);
  Work w = {.mapping = mapping};
  SofaErr err = SOFA_OK;
  sofa_topology_cut_link(to, SOFA_ELEMENT_POINT);
  SOFA_GO(err, done, SOFA_RESIZE(to->object.ctx, &to->mesh.position, from->n_points));
  for (size_t i = 0; i < from->n_points; i++)
    sofa_topology_point(from, i, to->mesh.position.data[i].v);
  for (size_t i = 0; i < hexas->n; i++) SOFA_GO(err, done, add_hexas(&w, &hexas->data[i]));
  to->n_points = to->mesh.position.n;
done:
  sofa_tuple_map_free(to->object.ctx, &w.map);
  return err;
}

static const SofaTopologicalMappingOps ops = {.map = map};

extern const SofaClass sofa_SimpleTesselatedHexaTopologicalMapping_class;
const SofaClass sofa_SimpleTesselatedHexaTopologicalMapping_class = {
    .name = "SimpleTesselatedHexaTopologicalMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "TopologicalMapping",
    .help = "Cuts each hexahedron into eight at the middles of its edges and sides.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(SofaTopologicalMapping),
    .ops = {[SOFA_TOPOLOGICAL_MAPPING] = &ops},
};
