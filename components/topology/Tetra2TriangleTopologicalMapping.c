/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tetra2TriangleTopologicalMapping: the surface of a set of tetrahedra. */
#include "element_mapping.h"
#include "topology_modifier.h"

enum { QUIRK_TETRA_TRIANGLE_EDGES = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_TETRA_TRIANGLE_EDGES, "tetra-triangle-edges",
     "Tetra2TriangleTopologicalMapping gives its output all edges of tetrahedra that are added",
     "test_quirks_sets.topologies"},
};

typedef struct Tetra2TriangleTopologicalMapping {
  SofaBorderMapping border;
  SofaLink modifier;
} Tetra2TriangleTopologicalMapping;

static const SofaLinkRule modifier_rule = {.klass = &sofa_TriangleSetTopologyModifier_class};

static const SofaField fields[] = {
    SOFA_ROW_FLIP_NORMALS,
    SOFA_FIELD(SofaBorderMapping, no_new, "noNewTriangles", "0", "",
               "Makes no triangles when tetrahedra are removed or added.", ),
    SOFA_FIELD(SofaBorderMapping, no_initial, "noInitialTriangles", "0", "",
               "Leaves the output empty at the start.", ),
    SOFA_FIELD(Tetra2TriangleTopologicalMapping, modifier, "modifier", NULL, "",
               "Modifier of the output; the one in its node is used.", .link = &modifier_rule),
};

static SofaErr construct(SofaObject *object) {
  SofaBorderMapping *m = (SofaBorderMapping *)object;
  m->border = SOFA_ELEMENT_TRIANGLE;
  m->volume = SOFA_ELEMENT_TETRA;
  return SOFA_OK;
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  const SofaTopologicalMappingOps *base =
      sofa_class_ops(&sofa_border_mapping_class, SOFA_TOPOLOGICAL_MAPPING);
  return base->map(mapping);
}

/* SOFA passes on all inserted edges, also those inside. */
static SofaErr hand_on(SofaTopologicalMapping *mapping, const SofaTopologyChange *change) {
  const SofaEdges *edges = &mapping->from->mesh.edges;
  return sofa_topology_add(change->edit, mapping->to, SOFA_ELEMENT_EDGE,
                           edges->data[change->ids[0]].v, change->n);
}

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaTopologicalMapping *mapping = (SofaTopologicalMapping *)object;
  const SofaTopologyListenerOps *base =
      sofa_class_ops(&sofa_border_mapping_class, SOFA_TOPOLOGY_LISTENER);
  if (change->kind == SOFA_CHANGE_ADD && sofa_change_of(change, mapping->from, SOFA_ELEMENT_EDGE) &&
      sofa_quirk(object, QUIRK_TETRA_TRIANGLE_EDGES))
    return hand_on(mapping, change);
  return base->listen(object, change);
}

static const SofaTopologicalMappingOps ops = {.map = map};
static const SofaTopologyListenerOps listener = {.listen = listen};

SOFA_CLASS(Tetra2TriangleTopologicalMapping) = {
    SOFA_NAMED(Tetra2TriangleTopologicalMapping),
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Takes the triangles of a tetrahedral mesh that only one tetrahedron has.",
    .base = &sofa_border_mapping_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
