/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract topology: its fields, access to points and lists, lazily derived ones included. */
#include "behavior/topology.h"

#include <string.h>
#include "behavior/topology_cache.h"

static SofaErr topology_construct(SofaObject *object) {
  ((SofaTopology *)object)->revision = 1;
  return SOFA_OK;
}

static void topology_destroy(SofaObject *object) {
  SofaTopology *topology = (SofaTopology *)object;
  if (!topology->cache) return;
  sofa_topology_cache_clear(object->ctx, topology->cache);
  sofa_free(object->ctx, topology->cache);
  topology->cache = NULL;
}

static const SofaField topology_fields[] = {
    SOFA_FIELD(SofaTopology, filename, "filename", "", "", "Mesh file the topology is read from.",
               .aliases = "fileTopology"),
    SOFA_FIELD(SofaTopology, mesh.position, "position", NULL, "m", "Positions of the points.",
               .aliases = "points"),
};

const SofaClass sofa_topology_class = {
    .name = "Topology",
    .module = "Sofa.Core",
    .category = "Topology",
    .help = "Points and elements that other components work on.",
    .size = sizeof(SofaTopology),
    .fields = topology_fields,
    .n_fields = sizeof topology_fields / sizeof *topology_fields,
    .abstract = true,
    .construct = topology_construct,
    .destroy = topology_destroy,
};

bool sofa_topology_has_positions(const SofaTopology *topology) {
  const SofaTopologyOps *ops = sofa_topology_ops(topology);
  if (ops && ops->has_positions) return ops->has_positions(topology);
  return topology->mesh.position.n > 0;
}

void sofa_topology_point(const SofaTopology *topology, size_t i, double p[3]) {
  const SofaTopologyOps *ops = sofa_topology_ops(topology);
  if (ops && ops->point) {
    ops->point(topology, i, p);
  } else if (i < topology->mesh.position.n) {
    memcpy(p, topology->mesh.position.data[i].v, 3 * sizeof *p);
  } else {
    memset(p, 0, 3 * sizeof *p);
  }
}

bool sofa_topology_grid(const SofaTopology *topology, int n[3], double p0[3], double dx[3],
                        double dy[3], double dz[3]) {
  const SofaTopologyOps *ops = sofa_topology_ops(topology);
  if (!ops || !ops->grid) return false;
  int count[3];
  double frame[4][3];
  if (!ops->grid(topology, count, frame[0], frame[1], frame[2], frame[3])) return false;
  if (n) memcpy(n, count, sizeof count);
  if (p0) memcpy(p0, frame[0], sizeof frame[0]);
  if (dx) memcpy(dx, frame[1], sizeof frame[1]);
  if (dy) memcpy(dy, frame[2], sizeof frame[2]);
  if (dz) memcpy(dz, frame[3], sizeof frame[3]);
  return true;
}

/* Makes a list that the class derives lazily. */
static void make_list(SofaTopology *topology, SofaElementKind kind) {
  const SofaTopologyOps *ops = sofa_topology_ops(topology);
  if (!(topology->lazy & 1u << kind)) return;
  topology->lazy &= ~(1u << kind);
  if (!ops || !ops->derive) return;
  const SofaErr err = ops->derive(topology, kind);
  if (err != SOFA_OK) topology->failure = err;
  sofa_field_touch_name(&topology->object, sofa_element_kind_info(kind)->field);
}

const SofaEdges *sofa_topology_edges(SofaTopology *topology) {
  make_list(topology, SOFA_ELEMENT_EDGE);
  return &topology->mesh.edges;
}

const SofaTriangles *sofa_topology_triangles(SofaTopology *topology) {
  make_list(topology, SOFA_ELEMENT_TRIANGLE);
  return &topology->mesh.triangles;
}

const SofaQuads *sofa_topology_quads(SofaTopology *topology) {
  make_list(topology, SOFA_ELEMENT_QUAD);
  return &topology->mesh.quads;
}

SofaTopology *sofa_node_topology(const SofaNode *node) {
  return (SofaTopology *)sofa_node_slot_up(node, SOFA_TOPOLOGY);
}

void sofa_topology_changed(SofaTopology *topology) {
  topology->revision++;
}
