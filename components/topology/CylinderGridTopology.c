/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CylinderGridTopology: a grid of points in a cylinder. */
#include <math.h>
#include "round_grid.h"

static const SofaField cylinder_fields[] = {
    SOFA_ROUND_GRID_ROWS,
    SOFA_FIELD(SofaRoundGrid, length, "length", "1", "m", "Length along the axis.", ),
};

static void cylinder_point(const SofaTopology *topology, size_t i, double *p) {
  const SofaRoundGrid *grid = (const SofaRoundGrid *)topology;
  const int *n = grid->grid.n.v;
  double at[3], q[3] = {0, 0, 0};
  sofa_grid_place(&grid->grid, i, at);
  for (int k = 0; k < 2; k++) q[k] = sofa_round_coordinate(at[k], n[k], grid->radius);
  const double length = hypot(q[0], q[1]);
  // a square around the axis becomes the circle that touches it
  if (length > 1e-7) {
    const double f = fmax(fabs(q[0]), fabs(q[1])) / length;
    q[0] *= f;
    q[1] *= f;
  }
  q[2] = n[2] > 1 ? at[2] * grid->length / (n[2] - 1) : 0;
  sofa_round_to_world(grid, q, p);
}

static const SofaTopologyOps cylinder_ops = {.has_positions = sofa_grid_has_positions,
                                             .point = cylinder_point,
                                             .counts = sofa_grid_counts,
                                             .derive = sofa_mesh_topology_derive};

SOFA_CLASS(CylinderGridTopology) = {
    .name = "CylinderGridTopology",
    .module = "Sofa.Component.Topology.Container.Grid",
    .category = "Topology",
    .help = "A grid of points in a cylinder: the squares around its axis become circles.",
    .base = &sofa_grid_base_class,
    .size = sizeof(SofaRoundGrid),
    SOFA_FIELDS(cylinder_fields),
    .init = sofa_round_grid_init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY, &cylinder_ops}),
};
