/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quad2TriangleTopologicalMapping: two triangles per quad. */
#include "behavior/state_division.h"
#include "element_mapping.h"
#include "topology_modifier.h"

typedef struct Quad2TriangleTopologicalMapping {
  SofaTopologicalMapping mapping;
  bool swapping;
} Quad2TriangleTopologicalMapping;

static const SofaField fields[] = {
    SOFA_FIELD(Quad2TriangleTopologicalMapping, swapping, "swapping", "1", "",
               "Cuts every other quad along its other diagonal.", ),
};

static SofaErr check(const SofaTopologicalMapping *mapping) {
  return sofa_mapping_needs(mapping, SOFA_ELEMENT_QUAD, SOFA_ELEMENT_TRIANGLE,
                            &sofa_TriangleSetTopologyModifier_class);
}

/* Quads per row, by which the diagonals alternate. */
static size_t row_length(const SofaTopology *topology) {
  int n[3];
  if (!sofa_topology_counts(topology, n)) return 2;
  const size_t nx = (size_t)n[0] - 1, ny = (size_t)n[1] - 1;
  return nx ? nx : ny;
}

/* Quads that a topology derives from its part are on several processes. */
static SofaErr check_part(const SofaTopologicalMapping *mapping, const SofaDivision *division) {
  if (division || !sofa_topology_division(mapping->from)) return SOFA_OK;
  return sofa_object_undivided(
      &mapping->object,
      "quads that are derived from others, on a mesh which is divided among processes");
}

static SofaErr map(SofaTopologicalMapping *mapping) {
  static const uint8_t plain[6] = {1, 2, 0, 3, 0, 2}, swapped[6] = {0, 1, 3, 2, 3, 1};
  const bool swapping = ((const Quad2TriangleTopologicalMapping *)mapping)->swapping;
  SofaTopology *to = mapping->to;
  const SofaQuads *quads = sofa_topology_quads(mapping->from);
  const size_t row = row_length(mapping->from);
  SOFA_TRY(mapping->from->failure);
  const SofaDivision *division = sofa_topology_list_division(mapping->from, SOFA_ELEMENT_QUAD);
  SOFA_TRY(check_part(mapping, division));
  SOFA_TRY(SOFA_RESERVE(to->object.ctx, &to->mesh.triangles, 2 * quads->n));
  for (size_t i = 0; i < quads->n; i++) {
    const uint32_t *v = quads->data[i].v;
    const size_t at = division ? division->elements[SOFA_ELEMENT_QUAD].data[i] : i;
    const uint8_t *p = swapping && row && ((at % row ^ at / row) & 1) ? swapped : plain;
    for (int k = 0; k < 6; k += 3) {
      const SofaTriangle triangle = {{v[p[k]], v[p[k + 1]], v[p[k + 2]]}};
      SOFA_TRY(SOFA_APPEND(to->object.ctx, &to->mesh.triangles, &triangle));
    }
  }
  if (!division) return SOFA_OK;
  return sofa_topological_mapping_divide_each(mapping, SOFA_ELEMENT_TRIANGLE, division,
                                              SOFA_ELEMENT_QUAD, 2);
}

/* ---- changes: the triangles of quad i are 2 i and 2 i + 1 ---- */

static SofaErr listen(SofaObject *object, const SofaTopologyChange *change) {
  static const uint8_t pattern[6] = {0, 1, 2, 0, 2, 3};
  return sofa_mapping_follow_blocks((SofaTopologicalMapping *)object, change, SOFA_ELEMENT_QUAD,
                                    SOFA_ELEMENT_TRIANGLE, pattern, 6);
}

static const SofaTopologyListenerOps listener = {.listen = listen};
static const SofaTopologicalMappingOps ops = {.check = check, .map = map};

SOFA_CLASS(Quad2TriangleTopologicalMapping) = {
    SOFA_NAMED(Quad2TriangleTopologicalMapping),
    .module = "Sofa.Component.Topology.Mapping",
    .category = "TopologicalMapping",
    .help = "Cuts each quad into two triangles.",
    .base = &sofa_topological_mapping_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_TOPOLOGICAL_MAPPING, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener}),
};
