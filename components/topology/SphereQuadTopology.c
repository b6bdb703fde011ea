/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SphereQuadTopology: the surface of a box blown up to a sphere. */
#include "cube_surface.h"
#include "math/vec.h"

typedef struct SphereQuadTopology {
  SofaCubeTopology cube;
  SofaVec3 center;
  double radius;
} SphereQuadTopology;

static const SofaField sphere_fields[] = {
    SOFA_FIELD(SphereQuadTopology, center, "center", "0 0 0", "m", "Centre of the sphere.", ),
    SOFA_FIELD(SphereQuadTopology, radius, "radius", "0", "m", "Radius of the sphere.", ),
};

static void sphere_point(const SofaTopology *topology, size_t i, double *p) {
  const SphereQuadTopology *s = (const SphereQuadTopology *)topology;
  const int n[3] = {s->cube.nx, s->cube.ny, s->cube.nz};
  int at[3];
  double q[3];
  sofa_cube_place(&s->cube, i, at);
  for (int k = 0; k < 3; k++) q[k] = n[k] > 1 ? 2. * at[k] / (n[k] - 1) - 1 : 0;
  sofa_vec3_normalize(q);
  for (int k = 0; k < 3; k++) p[k] = s->center.v[k] + s->radius * q[k];
}

static const SofaTopologyOps sphere_ops = {.has_positions = sofa_cube_has_positions,
                                           .point = sphere_point};

SOFA_CLASS(SphereQuadTopology) = {
    SOFA_NAMED(SphereQuadTopology),
    .module = "Sofa.Component.Topology.Container.Constant",
    .category = "Topology",
    .help = "The quads of the surface of a box, with their points moved to a sphere.",
    .base = &sofa_CubeTopology_class,
    SOFA_FIELDS(sphere_fields),
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY, &sphere_ops}),
};
