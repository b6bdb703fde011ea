/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the ...SetTopologyContainer classes share. Each adds the fields of its elements to those of
 * its base class; `top` tells which elements it is about. */
#ifndef SOFA_TOPOLOGY_SET_CONTAINER_H
#define SOFA_TOPOLOGY_SET_CONTAINER_H

#include "topology/topology.h"

typedef struct SofaSetContainer {
  SofaTopology topology;
  uint32_t nb_points;
  bool check_topology, check_connexity, create_triangle_array, create_quad_array;
  SofaElementKind top;
} SofaSetContainer;

extern const SofaClass sofa_PointSetTopologyContainer_class, sofa_EdgeSetTopologyContainer_class,
    sofa_TriangleSetTopologyContainer_class, sofa_QuadSetTopologyContainer_class,
    sofa_HexahedronSetTopologyContainer_class, sofa_DynamicSparseGridTopologyContainer_class,
    sofa_MultilevelHexahedronSetTopologyContainer_class;

/* Sets `top`; for the construct functions. */
SofaErr sofa_set_container_top(SofaObject *object, SofaElementKind top);

#endif
