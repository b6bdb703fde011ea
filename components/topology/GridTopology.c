/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GridTopology: the elements of a grid of points that have no places. */
#include <string.h>
#include "grid_topology.h"

static SofaErr grid_init(SofaObject *object) {
  return sofa_grid_fill((SofaGridTopology *)object);
}

/* A grid without a shape: all points are at the origin. */
static void grid_point(const SofaTopology *topology, size_t i, double *p) {
  (void)topology, (void)i;
  memset(p, 0, 3 * sizeof *p);
}

static const SofaTopologyOps grid_ops = {.has_positions = sofa_grid_has_positions,
                                         .point = grid_point,
                                         .counts = sofa_grid_counts,
                                         .derive = sofa_mesh_topology_derive};

SOFA_CLASS(GridTopology) = {
    .name = "GridTopology",
    .module = "Sofa.Component.Topology.Container.Grid",
    .category = "Topology",
    .help = "The hexahedra, quads, triangles and edges of a grid of points, x fastest; the points "
            "have no places.",
    .base = &sofa_grid_base_class,
    .size = sizeof(SofaGridTopology),
    .init = grid_init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY, &grid_ops}),
};
