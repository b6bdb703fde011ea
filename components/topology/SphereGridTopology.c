/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SphereGridTopology: a grid of points in a sphere. */
#include <math.h>
#include "math/vec.h"
#include "round_grid.h"

static const SofaField sphere_fields[] = {
    SOFA_ROUND_GRID_ROWS,
};

static void sphere_point(const SofaTopology *topology, size_t i, double *p) {
  const SofaRoundGrid *grid = (const SofaRoundGrid *)topology;
  const int *n = grid->grid.n.v;
  double at[3], q[3] = {0, 0, 0};
  sofa_grid_place(&grid->grid, i, at);
  for (int k = 0; k < 2; k++) q[k] = sofa_round_coordinate(at[k], n[k], grid->radius);
  q[2] = sofa_round_coordinate(at[2], n[2], grid->radius);
  // a cube around the centre becomes the sphere that touches it
  const double length = sofa_vec3_norm(q);
  if (length > 1e-7) sofa_vec3_scale(fmax(fmax(fabs(q[0]), fabs(q[1])), fabs(q[2])) / length, q, q);
  sofa_round_to_world(grid, q, p);
}

static const SofaTopologyOps sphere_ops = {.has_positions = sofa_grid_has_positions,
                                           .point = sphere_point,
                                           .counts = sofa_grid_counts,
                                           .derive = sofa_mesh_topology_derive};

SOFA_CLASS(SphereGridTopology) = {
    .name = "SphereGridTopology",
    .module = "Sofa.Component.Topology.Container.Grid",
    .category = "Topology",
    .help = "A grid of points in a sphere: the cubes around its centre become spheres.",
    .base = &sofa_grid_base_class,
    .size = sizeof(SofaRoundGrid),
    SOFA_FIELDS(sphere_fields),
    .init = sofa_round_grid_init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY, &sphere_ops}),
};
