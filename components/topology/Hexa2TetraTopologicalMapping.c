/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hexa2TetraTopologicalMapping: six tetrahedra per hexahedron. */
#include "behavior/state_division.h"
#include "element_mapping.h"

typedef struct Hexa2TetraTopologicalMapping {
  SofaTopologicalMapping mapping;
  bool swapping;
} Hexa2TetraTopologicalMapping;

static const SofaField hexa2tetra_fields[] = {
    SOFA_FIELD(Hexa2TetraTopologicalMapping, swapping, "swapping", "0", "",
               "Mirrors every other hexahedron, so that the diagonals alternate.", ),
};

static SofaErr check_part(const SofaTopologicalMapping *mapping, const SofaDivision *division) {
  if (division || !sofa_topology_division(mapping->from)) return SOFA_OK;
  return sofa_object_undivided(
      &mapping->object,
      "hexahedra that are made of others, on a mesh which is divided among processes");
}

static SofaErr hexa2tetra_map(SofaTopologicalMapping *mapping) {
  const SofaDivision *division = sofa_topology_list_division(mapping->from, SOFA_ELEMENT_HEXA);
  const SofaHexas *hexas = sofa_topology_hexahedra(mapping->from);
  SofaTopology *to = mapping->to;
  const bool swapping = ((Hexa2TetraTopologicalMapping *)mapping)->swapping;
  SofaContext *ctx = to->object.ctx;
  size_t nx = 2, ny = 1;
  int n[3];
  if (sofa_topology_counts(mapping->from, n)) nx = (size_t)n[0] - 1, ny = (size_t)n[1] - 1;
  SOFA_TRY(check_part(mapping, division));
  SOFA_TRY(SOFA_RESERVE(ctx, &to->mesh.tetrahedra, 6 * hexas->n));
  for (size_t i = 0; i < hexas->n; i++) {
    uint32_t swapped[8];
    const uint32_t *v = hexas->data[i].v;
    const uint8_t(*pattern)[4] = sofa_hexa_tetras;
    if (swapping) {
      // an odd number of mirrors turns the tetrahedra inside out: use the mirrored pattern
      const size_t number = division ? division->elements[SOFA_ELEMENT_HEXA].data[i] : i;
      if (sofa_hexa_swapped(&hexas->data[i], number, nx, ny, swapped))
        pattern = sofa_hexa_tetras_mirrored;
      v = swapped;
    }
    for (int k = 0; k < 6; k++) {
      const uint8_t *p = pattern[k];
      const SofaTetra tetra = {{v[p[0]], v[p[1]], v[p[2]], v[p[3]]}};
      SOFA_TRY(SOFA_APPEND(ctx, &to->mesh.tetrahedra, &tetra));
    }
  }
  if (!division) return SOFA_OK;
  return sofa_topological_mapping_divide_each(mapping, SOFA_ELEMENT_TETRA, division,
                                              SOFA_ELEMENT_HEXA, 6);
}

/* ---- changes: the tetrahedra of hexahedron i are 6 i to 6 i + 5 ---- */

static SofaErr hexa2tetra_listen(SofaObject *object, const SofaTopologyChange *change) {
  return sofa_mapping_follow_blocks((SofaTopologicalMapping *)object, change, SOFA_ELEMENT_HEXA,
                                    SOFA_ELEMENT_TETRA, sofa_hexa_tetras[0], 24);
}

static bool hexa2tetra_can_listen(const SofaObject *object, const char **why) {
  const SofaTopology *to = ((const SofaTopologicalMapping *)object)->to;
  *why = "is about to change, and the node of the output has no modifier of tetrahedra";
  return to && sofa_topology_may_change(to);
}

static const SofaTopologyListenerOps listener = {.listen = hexa2tetra_listen,
                                                 .can_listen = hexa2tetra_can_listen};
static const SofaTopologicalMappingOps hexa2tetra_ops = {.map = hexa2tetra_map};

SOFA_CLASS(Hexa2TetraTopologicalMapping) = {
    SOFA_NAMED(Hexa2TetraTopologicalMapping),
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Cuts each hexahedron into six tetrahedra.",
    .base = &sofa_topological_mapping_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(hexa2tetra_fields),
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &hexa2tetra_ops},
                    {SOFA_TOPOLOGY_LISTENER, &listener}),
};
