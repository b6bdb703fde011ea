/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract topology: its fields, access to points and lists, lazily derived ones included. */
#include "topology/division.h"
#include "topology/element_source.h"
#include "topology/topology.h"
#include "object/checkpoint.h"

#include <string.h>
#include "topology/topology_cache_impl.h"

const SofaInterface sofa_topology_interface = {
    .name = "topology", .slot = true, .last_counts = true};
const SofaInterface sofa_element_source_interface = {
    .name = "element source", SOFA_REQUIRES(offsetof(SofaElementSourceOps, elements))};

static SofaErr topology_construct(SofaObject *object) {
  ((SofaTopology *)object)->revision = 1;
  return SOFA_OK;
}

static void topology_destroy(SofaObject *object) {
  SofaTopology *topology = (SofaTopology *)object;
  // mappings also fill lists that are not fields of the class
  sofa_mesh_free(object->ctx, &topology->mesh);
  if (topology->division) sofa_division_free(object->ctx, topology->division);
  sofa_free(object->ctx, topology->division);
  if (!topology->cache) return;
  sofa_topology_cache_clear(object->ctx, topology->cache);
  sofa_free(object->ctx, topology->cache);
  topology->cache = NULL;
}

static const SofaField topology_fields[] = {
    SOFA_FIELD(SofaTopology, mesh.position, "position", NULL, "m", "Positions of the points.",
               .aliases = "points"),
};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(SofaTopology, lazy),
    SOFA_KEEP(SofaTopology, derived),
};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(SofaTopology, lazy),
    SOFA_REMADE(SofaTopology, derived),
};

const SofaClass sofa_topology_class = {
    .name = "Topology",
    .module = "Sofa.Core",
    .category = "Topology",
    .help = "Points and elements that other components work on.",
    .base = &sofa_object_class,
    SOFA_SPARES(spared),
    SOFA_KEEPS(kept),
    .size = sizeof(SofaTopology),
    SOFA_FIELDS(topology_fields),
    .abstract = true,
    .construct = topology_construct,
    .destroy = topology_destroy,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY, SOFA_NO_OPS}),
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

bool sofa_topology_counts(const SofaTopology *topology, int n[3]) {
  const SofaTopologyOps *ops = sofa_topology_ops(topology);
  if (!ops || !ops->counts) return false;
  ops->counts(topology, n);
  return true;
}

bool sofa_topology_factors(const SofaTopology *topology, const double **stiffness,
                           const double **mass) {
  const SofaTopologyOps *ops = sofa_topology_ops(topology);
  *stiffness = *mass = NULL;
  return ops && ops->factors && ops->factors(topology, stiffness, mass);
}

/* Makes a list that the class derives lazily. */
static void make_list(SofaTopology *topology, SofaElementKind kind) {
  const SofaTopologyOps *ops = sofa_topology_ops(topology);
  if (!(topology->lazy & 1u << kind)) return;
  topology->lazy &= ~(1u << kind);
  topology->derived |= 1u << kind;
  if (!ops || !ops->derive) return;
  const SofaErr err = ops->derive(topology, kind);
  if (err != SOFA_OK) topology->failure = err;
  sofa_topology_touch(topology, 1u << kind);
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

SofaElements sofa_topology_elements(SofaTopology *topology, SofaElementKind kind) {
  make_list(topology, kind);
  return sofa_mesh_elements(&topology->mesh, kind);
}

SofaTopology *sofa_node_topology(const SofaNode *node) {
  return (SofaTopology *)sofa_node_slot_up(node, SOFA_TOPOLOGY);
}

SofaErr sofa_topology_clear(SofaTopology *topology, bool positions) {
  SofaContext *ctx = topology->object.ctx;
  for (int kind = SOFA_ELEMENT_EDGE; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    void *list = sofa_mesh_list(&topology->mesh, (SofaElementKind)kind);
    const size_t width = sofa_element_kind_info((SofaElementKind)kind)->width;
    SOFA_TRY(sofa_list_resize(ctx, list, width * sizeof(uint32_t), 0));
  }
  if (positions) SOFA_TRY(SOFA_RESIZE(ctx, &topology->mesh.position, 0));
  sofa_topology_changed(topology);
  return SOFA_OK;
}

void sofa_topology_touch(SofaTopology *topology, uint32_t kinds) {
  for (int kind = 0; kind < SOFA_N_ELEMENT_KINDS; kind++) {
    const char *name = sofa_element_kind_info((SofaElementKind)kind)->field;
    const SofaField *field = sofa_class_field(topology->object.klass, name);
    if (kinds & 1u << kind && field) sofa_field_touch(&topology->object, field);
  }
}

void sofa_topology_cut_link(SofaTopology *topology, SofaElementKind kind) {
  const char *name = sofa_element_kind_info(kind)->field;
  const SofaField *field = sofa_class_field(topology->object.klass, name);
  SofaFieldState *state = field ? sofa_field_state(&topology->object, field) : NULL;
  if (state) state->source = NULL, state->source_field = NULL;
}

/* Points beyond the positions would be at the origin. */
static SofaErr check_positions(const SofaTopology *topology) {
  const SofaMesh *mesh = &topology->mesh;
  SofaElementKind kind;
  size_t i;
  if (mesh->position.n == 0 || sofa_mesh_check(mesh, mesh->position.n, &kind, &i)) return SOFA_OK;
  const SofaElements list = sofa_mesh_elements(mesh, kind);
  const uint32_t *points = list.v + i * list.width;
  unsigned k = 0;
  while (points[k] < mesh->position.n) k++;
  const SofaErr err = sofa_field_fail(
      &topology->object, sofa_element_kind_info(kind)->field, SOFA_ERR_RANGE,
      "entry %zu names point %u, and 'position' has %zu points", i, points[k], mesh->position.n);
  return topology->object.ctx->keep_going ? SOFA_OK : err;
}

SofaErr sofa_topology_check_size(SofaTopology *topology) {
  const size_t count = sofa_mesh_vertex_count(&topology->mesh);
  if (count <= INT32_MAX) return check_positions(topology);
  // others look at the lists before the scene is refused
  SOFA_TRY(sofa_topology_clear(topology, false));
  return sofa_object_fail(&topology->object, SOFA_ERR_RANGE,
                          "an element names point %zu: a mesh cannot have so many", count - 1);
}

void sofa_topology_changed(SofaTopology *topology) {
  topology->revision++;
}
