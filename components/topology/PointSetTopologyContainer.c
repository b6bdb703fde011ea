/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PointSetTopologyContainer, and the life of all set containers: counting points, making the lists
 * of smaller elements that the own elements imply. */
#include "change/topology_change.h"
#include "set_container.h"

static const SofaField point_set_fields[] = {
    SOFA_FIELD(SofaSetContainer, topology.filename, "filename", "", "",
               "Not used: the elements come from the fields.", .flags = SOFA_FIELD_NO_EFFECT,
               .aliases = "fileTopology"),
    SOFA_FIELD(SofaSetContainer, check_topology, "checkTopology", "0", "",
               "Asks for checks of the tables; they are always consistent here.",
               .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(SofaSetContainer, nb_points, "nbPoints", "0", "1",
               "Number of points, when neither positions nor elements give it.",
               .range = SOFA_AT_LEAST(0)),
};

SofaErr sofa_set_container_top(SofaObject *object, SofaElementKind top) {
  ((SofaSetContainer *)object)->top = top;
  return SOFA_OK;
}

static SofaErr set_construct(SofaObject *object) {
  ((SofaTopology *)object)->container = SOFA_CONTAINER_SET;
  return sofa_set_container_top(object, SOFA_ELEMENT_POINT);
}

/* Positions decide when they are given (or linked), else the elements, else nbPoints. */
static void count_points(SofaSetContainer *set) {
  SofaTopology *topology = &set->topology;
  if (sofa_field_is_set(&topology->object, "position")) {
    topology->n_points = topology->mesh.position.n;
    return;
  }
  const size_t used = sofa_mesh_vertex_count(&topology->mesh);
  if (topology->n_points < set->nb_points) topology->n_points = set->nb_points;
  if (topology->n_points < used) topology->n_points = used;
}

/* The list of a kind was derived for one that was empty. */
static void set_derived(SofaTopology *topology, SofaElementKind kind) {
  topology->derived |= 1u << kind;
  sofa_topology_cut_link(topology, kind);
  sofa_topology_touch(topology, 1u << kind);
}

static SofaErr derive_edges(SofaSetContainer *set) {
  SofaTopology *topology = &set->topology;
  SofaContext *ctx = topology->object.ctx;
  SofaMesh *mesh = &topology->mesh;
  SofaErr err;
  switch (set->top) {
  case SOFA_ELEMENT_TETRA:
    err = sofa_derive_tetra_edges(ctx, mesh, &mesh->edges);
    break;
  case SOFA_ELEMENT_HEXA:
    err = sofa_derive_hexa_edges(ctx, mesh, &mesh->edges);
    break;
  default:
    err = sofa_derive_surface_edges(ctx, mesh, &mesh->edges);
  }
  if (err != SOFA_OK) return err;
  set_derived(topology, SOFA_ELEMENT_EDGE);
  return SOFA_OK;
}

/* Edges that were given must contain every edge of the triangles. */
static SofaErr check_edges(SofaTopology *topology) {
  unsigned per;
  const uint32_t *ids = sofa_topology_sub(topology, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_TRIANGLE, &per);
  if (!ids) return topology->failure;
  for (size_t i = 0; i < topology->mesh.triangles.n * per; i++) {
    if (ids[i] != SOFA_NO_ELEMENT) continue;
    topology->object.component_state.index = SOFA_INVALID;
    return sofa_object_fail(&topology->object, SOFA_ERR_RANGE,
                            "edge %zu of triangle %zu is not in the given edges", i % per, i / per);
  }
  return SOFA_OK;
}

/* The lists below the own elements. */
static SofaErr make_lists(SofaSetContainer *set) {
  SofaTopology *topology = &set->topology;
  SofaContext *ctx = topology->object.ctx;
  SofaMesh *mesh = &topology->mesh;
  if (set->top == SOFA_ELEMENT_POINT || set->top == SOFA_ELEMENT_EDGE ||
      sofa_mesh_elements(mesh, set->top).n == 0)
    return SOFA_OK;
  const bool given = mesh->edges.n > 0;
  if (!given) SOFA_TRY(derive_edges(set));
  if (given && set->top == SOFA_ELEMENT_TRIANGLE) return check_edges(topology);
  if (set->top == SOFA_ELEMENT_TETRA && mesh->triangles.n == 0) {
    SOFA_TRY(sofa_derive_triangles(ctx, &mesh->tetrahedra, &mesh->triangles));
    set_derived(topology, SOFA_ELEMENT_TRIANGLE);
  }
  if (set->top == SOFA_ELEMENT_HEXA && mesh->quads.n == 0) {
    SOFA_TRY(sofa_derive_quads(ctx, &mesh->hexahedra, &mesh->quads));
    set_derived(topology, SOFA_ELEMENT_QUAD);
  }
  return SOFA_OK;
}

static SofaErr refresh(SofaTopology *topology) {
  SofaSetContainer *set = (SofaSetContainer *)topology;
  const SofaErr err = sofa_topology_check_size(topology);
  count_points(set); // of one that is refused, too
  if (err != SOFA_OK) return err;
  sofa_topology_changed(topology);
  return make_lists(set);
}

static SofaErr set_init(SofaObject *object) {
  return refresh((SofaTopology *)object);
}

/* A linked list changed: what was derived from the old elements stays only where it was given. */
static SofaErr set_reinit(SofaObject *object) {
  ((SofaTopology *)object)->n_points = 0;
  return refresh((SofaTopology *)object);
}

static const SofaTopologyOps set_ops = {.refresh = refresh};

SOFA_CLASS(PointSetTopologyContainer) = {
    .name = "PointSetTopologyContainer",
    .module = "Sofa.Component.Topology.Container.Dynamic",
    .category = "TopologyObject",
    .help = "A set of points.",
    .base = &sofa_changing_topology_class,
    .divided = SOFA_DIVIDED_LOCAL,
    .size = sizeof(SofaSetContainer),
    SOFA_FIELDS(point_set_fields),
    .construct = set_construct,
    .init = set_init,
    .reinit = set_reinit,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY, &set_ops}),
};
