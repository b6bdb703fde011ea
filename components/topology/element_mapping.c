/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Demands of topological mappings on their topologies, and the border of a set of elements. */
#include "element_mapping.h"

#include "set_container.h"

/* Largest kind of element a topology has: what a container is for, else what is listed. */
static SofaElementKind top_kind(const SofaTopology *topology) {
  if (topology->container == SOFA_CONTAINER_SET) return ((const SofaSetContainer *)topology)->top;
  for (int kind = SOFA_ELEMENT_HEXA; kind > SOFA_ELEMENT_POINT; kind--)
    if (sofa_mesh_elements(&topology->mesh, (SofaElementKind)kind).n) return (SofaElementKind)kind;
  return SOFA_ELEMENT_POINT;
}

SofaErr sofa_mapping_needs(const SofaTopologicalMapping *mapping, SofaElementKind from,
                           SofaElementKind to, const SofaClass *modifier) {
  const SofaObject *object = &mapping->object;
  const SofaElementKind has = top_kind(mapping->from);
  if (from != SOFA_ELEMENT_POINT && has != from)
    return sofa_field_fail(object, "input", SOFA_ERR_ARGUMENT,
                           "'%s' must be a topology of %s, its largest elements are %s",
                           mapping->from->object.name, sofa_element_kind_info(from)->field,
                           sofa_element_kind_info(has)->field);
  if (mapping->to->container != SOFA_CONTAINER_SET || top_kind(mapping->to) != to)
    return sofa_field_fail(object, "output", SOFA_ERR_ARGUMENT,
                           "'%s' (%s) must be a set container of %s", mapping->to->object.name,
                           mapping->to->object.klass->name, sofa_element_kind_info(to)->field);
  if (!sofa_node_find_class(mapping->to->object.node, modifier, SOFA_SEARCH_UP))
    return sofa_field_fail(object, "output", SOFA_ERR_NOT_FOUND,
                           "'%s' has no %s beside it or above", mapping->to->object.name,
                           modifier->name);
  return SOFA_OK;
}

/* Makes the lists of the input that are derived on demand. */
static void derive(SofaTopology *topology, SofaElementKind kind) {
  if (kind == SOFA_ELEMENT_EDGE) (void)sofa_topology_edges(topology);
  if (kind == SOFA_ELEMENT_TRIANGLE) (void)sofa_topology_triangles(topology);
  if (kind == SOFA_ELEMENT_QUAD) (void)sofa_topology_quads(topology);
}

SofaErr sofa_map_border(SofaTopologicalMapping *mapping, SofaElementKind border,
                        SofaElementKind volume, bool flip) {
  SofaTopology *from = mapping->from;
  void *out = sofa_mesh_list(&mapping->to->mesh, border);
  derive(from, border);
  derive(from, volume);
  const SofaAround *around = sofa_topology_around(from, volume, border);
  const SofaElements elements = sofa_mesh_elements(&from->mesh, border);
  if (from->failure != SOFA_OK) return from->failure;
  for (size_t i = 0; i < elements.n; i++) {
    const uint32_t *ids, *v = elements.v + i * elements.width;
    uint32_t turned[4];
    if (sofa_around_row(around, i, &ids) != 1) continue;
    // a triangle keeps its first vertex, a quad does not
    for (unsigned k = 0; k < elements.width; k++)
      turned[k] = v[elements.width == 3 ? (3 - k) % 3 : elements.width - 1 - k];
    SOFA_TRY(
        sofa_list_append(from->object.ctx, out, elements.width * sizeof *v, flip ? turned : v));
  }
  return SOFA_OK;
}
