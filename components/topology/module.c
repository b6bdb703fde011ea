/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topologies: the classes of this folder. */
#include "object/factory.h"

#define CLASSES(X)                                                                                 \
  X(MeshTopology)                                                                                  \
  X(RegularGridTopology)                                                                           \
  X(GridTopology)                                                                                  \
  X(CylinderGridTopology)                                                                          \
  X(SphereGridTopology)                                                                            \
  X(CubeTopology)                                                                                  \
  X(SphereQuadTopology)                                                                            \
  X(SparseGridTopology)                                                                            \
  X(SparseGridMultipleTopology)                                                                    \
  X(SparseGridRamificationTopology)                                                                \
  X(PointSetTopologyContainer)                                                                     \
  X(EdgeSetTopologyContainer)                                                                      \
  X(TriangleSetTopologyContainer)                                                                  \
  X(QuadSetTopologyContainer)                                                                      \
  X(TetrahedronSetTopologyContainer)                                                               \
  X(HexahedronSetTopologyContainer)                                                                \
  X(DynamicSparseGridTopologyContainer)                                                            \
  X(MultilevelHexahedronSetTopologyContainer)                                                      \
  X(PointSetTopologyModifier)                                                                      \
  X(EdgeSetTopologyModifier)                                                                       \
  X(TriangleSetTopologyModifier)                                                                   \
  X(QuadSetTopologyModifier)                                                                       \
  X(TetrahedronSetTopologyModifier)                                                                \
  X(HexahedronSetTopologyModifier)                                                                 \
  X(DynamicSparseGridTopologyModifier)                                                             \
  X(PointSetGeometryAlgorithms)                                                                    \
  X(EdgeSetGeometryAlgorithms)                                                                     \
  X(TriangleSetGeometryAlgorithms)                                                                 \
  X(QuadSetGeometryAlgorithms)                                                                     \
  X(TetrahedronSetGeometryAlgorithms)                                                              \
  X(HexahedronSetGeometryAlgorithms)                                                               \
  X(DynamicSparseGridGeometryAlgorithms)                                                           \
  X(Hexa2TetraTopologicalMapping)                                                                  \
  X(Tetra2TriangleTopologicalMapping)                                                              \
  X(Hexa2QuadTopologicalMapping)                                                                   \
  X(Quad2TriangleTopologicalMapping)                                                               \
  X(Hexa2PrismTopologicalMapping)                                                                  \
  X(Edge2QuadTopologicalMapping)                                                                   \
  X(CenterPointTopologicalMapping)                                                                 \
  X(IdentityTopologicalMapping)                                                                    \
  X(SubsetTopologicalMapping)                                                                      \
  X(Triangle2EdgeTopologicalMapping)                                                               \
  X(TopologicalChangeProcessor)                                                                    \
  X(TopologyBoundingTrasher)                                                                       \
  X(TopologyChecker)

#define DECLARE(name) extern const SofaClass sofa_##name##_class;
CLASSES(DECLARE)
#undef DECLARE

static const SofaClass *const classes[] = {
#define LISTED(name) &sofa_##name##_class,
    CLASSES(LISTED)
#undef LISTED
        NULL};

extern const SofaModule sofa_module_topology;
const SofaModule sofa_module_topology = {SOFA_ABI, "topology", CSOFA_VERSION, classes};
