/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tetra2TriangleTopologicalMapping: the surface of a set of tetrahedra. */
#include "element_mapping.h"
#include "topology_modifier.h"

typedef struct Tetra2TriangleTopologicalMapping {
  SofaTopologicalMapping mapping;
  bool flip_normals, no_new_triangles, no_initial_triangles;
  SofaLink modifier;
} Tetra2TriangleTopologicalMapping;

static const SofaLinkRule modifier_rule = {.interface = -1,
                                           .klass = &sofa_TriangleSetTopologyModifier_class};

static const SofaField fields[] = {
    SOFA_ROW_FLIP_NORMALS(Tetra2TriangleTopologicalMapping),
    SOFA_FIELD(Tetra2TriangleTopologicalMapping, no_new_triangles, "noNewTriangles", "0", "",
               "Makes no triangles when tetrahedra are removed, which nothing does yet.", ),
    SOFA_FIELD(Tetra2TriangleTopologicalMapping, no_initial_triangles, "noInitialTriangles", "0",
               "", "Leaves the output empty at the start.", ),
    SOFA_FIELD(Tetra2TriangleTopologicalMapping, modifier, "modifier", NULL, "",
               "Modifier of the output; without one later changes could not be followed.",
               .link = &modifier_rule),
};

static SofaErr map(SofaTopologicalMapping *mapping) {
  const Tetra2TriangleTopologicalMapping *m = (const Tetra2TriangleTopologicalMapping *)mapping;
  if (m->no_initial_triangles) return SOFA_OK;
  return sofa_map_border(mapping, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_TETRA, m->flip_normals);
}

static const SofaTopologicalMappingOps ops = {.map = map};

extern const SofaClass sofa_Tetra2TriangleTopologicalMapping_class;
const SofaClass sofa_Tetra2TriangleTopologicalMapping_class = {
    .name = "Tetra2TriangleTopologicalMapping",
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Takes the triangles of a tetrahedral mesh that only one tetrahedron has.",
    .base = &sofa_topological_mapping_class,
    .size = sizeof(Tetra2TriangleTopologicalMapping),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .ops = {[SOFA_TOPOLOGICAL_MAPPING] = &ops},
};
