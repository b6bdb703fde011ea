/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ...SetTopologyModifier classes. A modifier lets the container in its node change and says how
 * far the change goes. */
#include "topology_modifier.h"

#include "set_container.h"

static const SofaField point_fields[] = {
    SOFA_FIELD(
        SofaTopologyModifier, propagate_to_dof, "propagateToDOF", "1", "",
        "Points are also inserted into and removed from the mechanical state of the node.", ),
};
static const SofaField triangle_fields[] = {
    SOFA_FIELD(SofaTopologyModifier, list_out, "list_Out", NULL, "1",
               "Points whose triangles are removed when the field changes in a running scene.",
               .flags = SOFA_FIELD_REINIT),
};
static const SofaField volume_fields[] = {
    SOFA_FIELD(SofaTopologyModifier, remove_isolated, "removeIsolated", "1", "",
               "Points are removed with the last volume they belong to.", ),
};

/* ---- removal by list_Out ---- */

static bool contains(const SofaIndices *list, uint32_t id) {
  for (size_t i = 0; i < list->n; i++)
    if (list->data[i] == id) return true;
  return false;
}

/* All triangles with a listed point go; in containers of tetrahedra they cannot go alone. */
static SofaErr reinit(SofaObject *object) {
  const SofaTopologyModifier *m = (const SofaTopologyModifier *)object;
  SofaTopology *t = (SofaTopology *)sofa_node_find(object->node, SOFA_TOPOLOGY, SOFA_SEARCH_LOCAL);
  SofaIndices gone = {0};
  SofaTopologyEdit edit;
  if (!t || !m->list_out.n || !t->object.initialised) return SOFA_OK;
  if (t->container != SOFA_CONTAINER_SET ||
      ((const SofaSetContainer *)t)->top != SOFA_ELEMENT_TRIANGLE)
    return sofa_field_fail(object, "list_Out", SOFA_ERR_ARGUMENT,
                           "%s '%s' is not a container of triangles: they cannot be removed alone",
                           t->object.klass->name, t->object.name);
  SofaErr err = SOFA_OK;
  for (uint32_t i = 0; i < t->mesh.triangles.n && err == SOFA_OK; i++)
    for (int k = 0; k < 3 && err == SOFA_OK; k++) {
      if (!contains(&m->list_out, t->mesh.triangles.data[i].v[k])) continue;
      err = SOFA_APPEND(object->ctx, &gone, &i);
      break;
    }
  if (err == SOFA_OK && gone.n) err = sofa_topology_edit_begin(sofa_node_root(object->node), &edit);
  if (err == SOFA_OK && gone.n) {
    err = sofa_topology_remove(&edit, t, SOFA_ELEMENT_TRIANGLE, gone.data, gone.n,
                               SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS);
    const SofaErr ended = sofa_topology_edit_end(&edit, err != SOFA_OK);
    if (err == SOFA_OK) err = ended;
  }
  sofa_list_free(object->ctx, &gone);
  return err;
}

#define MODIFIER_CLASS(kind, base_class, table, count, text, again)                                \
  const SofaClass sofa_##kind##_class = {.name = #kind,                                            \
                                         .module = "Sofa.Component.Topology.Container.Dynamic",    \
                                         .category = "TopologyObject",                             \
                                         .help = text,                                             \
                                         .base = (base_class),                                     \
                                         .divided = SOFA_DIVIDED_NEUTRAL,                          \
                                         .size = sizeof(SofaTopologyModifier),                     \
                                         .fields = (table),                                        \
                                         .n_fields = (count),                                      \
                                         .reinit = (again)}

static const SofaClass modifier_class = {
    .name = "TopologyModifier",
    .module = "csofa",
    .category = "TopologyObject",
    .help = "Changes a topology: inserts and removes its elements and points.",
    .base = &sofa_object_class,
    .size = sizeof(SofaTopologyModifier),
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_MODIFIER, SOFA_NO_OPS})};

MODIFIER_CLASS(PointSetTopologyModifier, &modifier_class, point_fields, 1,
               "Changes a set of points.", NULL);
MODIFIER_CLASS(EdgeSetTopologyModifier, &sofa_PointSetTopologyModifier_class, NULL, 0,
               "Changes a set of edges.", NULL);
MODIFIER_CLASS(TriangleSetTopologyModifier, &sofa_EdgeSetTopologyModifier_class, triangle_fields, 1,
               "Changes a set of triangles.", reinit);
MODIFIER_CLASS(QuadSetTopologyModifier, &sofa_EdgeSetTopologyModifier_class, NULL, 0,
               "Changes a set of quads.", NULL);
MODIFIER_CLASS(TetrahedronSetTopologyModifier, &sofa_TriangleSetTopologyModifier_class,
               volume_fields, 1, "Changes a set of tetrahedra.", NULL);
MODIFIER_CLASS(HexahedronSetTopologyModifier, &sofa_QuadSetTopologyModifier_class, volume_fields, 1,
               "Changes a set of hexahedra.", NULL);

const SofaClass *sofa_modifier_class(SofaElementKind kind) {
  static const SofaClass *const classes[SOFA_N_ELEMENT_KINDS] = {
      [SOFA_ELEMENT_POINT] = &sofa_PointSetTopologyModifier_class,
      [SOFA_ELEMENT_EDGE] = &sofa_EdgeSetTopologyModifier_class,
      [SOFA_ELEMENT_TRIANGLE] = &sofa_TriangleSetTopologyModifier_class,
      [SOFA_ELEMENT_QUAD] = &sofa_QuadSetTopologyModifier_class,
      [SOFA_ELEMENT_TETRA] = &sofa_TetrahedronSetTopologyModifier_class,
      [SOFA_ELEMENT_HEXA] = &sofa_HexahedronSetTopologyModifier_class};
  return classes[kind];
}

SofaErr sofa_modifier_check(const SofaObject *caller, const SofaTopology *topology,
                            SofaElementKind kind, unsigned *flags) {
  const char *name = sofa_element_kind_info(kind)->field;
  const bool volume = kind == SOFA_ELEMENT_TETRA || kind == SOFA_ELEMENT_HEXA;
  const SofaClass *klass = sofa_modifier_class(kind);
  const SofaTopologyModifier *modifier = NULL;
  *flags = 0;
  if (!sofa_topology_may_change(topology))
    return sofa_object_fail(caller, SOFA_ERR_ARGUMENT,
                            "%s '%s' cannot change: expected a ...SetTopologyContainer with a "
                            "...SetTopologyModifier in the same node",
                            topology->object.klass->name, topology->object.name);
  if (klass)
    modifier = (const SofaTopologyModifier *)sofa_node_find_class(topology->object.node, klass,
                                                                  SOFA_SEARCH_LOCAL);
  if (!modifier)
    return sofa_object_fail(caller, SOFA_ERR_NOT_FOUND, "'%s' has no modifier of %s in its node",
                            topology->object.name, name);
  const SofaElementKind top = ((const SofaSetContainer *)topology)->top;
  if (kind != SOFA_ELEMENT_POINT && top != kind)
    return sofa_object_unsupported(caller, "a change of %s of a container of %s", name,
                                   sofa_element_kind_info(top)->field);
  *flags = volume && !modifier->remove_isolated ? SOFA_REMOVE_SUBS
                                                : SOFA_REMOVE_SUBS | SOFA_REMOVE_POINTS;
  return SOFA_OK;
}
