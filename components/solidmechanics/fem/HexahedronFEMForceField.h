/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedronFEMForceField, for the class that adds a mass to it. */
#ifndef SOFA_FEM_HEXAHEDRON_FEM_FORCE_FIELD_H
#define SOFA_FEM_HEXAHEDRON_FEM_FORCE_FIELD_H

#include "components/solidmechanics/fem/polar_frame.h"
#include "numerics/fem/element_batch.h"
#include "numerics/fem/linear_fem.h"

typedef struct HexahedronFEMForceField {
  SofaLinearFem fem;
  char *method;
  bool update_stiffness_matrix, consistent;
  SofaReals stiffness_matrices;
  SofaVec3s initial_points;
  /* drawing and the like */
  char *gather_point, *gather_size;
  bool drawing;
  double draw_percentage;
  /* state */
  bool straight;   /* quirk: elements near a parallelepiped are computed as one */
  bool mean_edges; /* set at construction: 'polar' is that of the mean edges */
  SofaElementBatch batch;
  uint32_t revision; /* of the topology that batch was made of */
} HexahedronFEMForceField;

/* Quirk of the classes that list its row. */
enum { QUIRK_HEXA_NODE_ROTATIONS = 1 << 22, QUIRK_HEXA_PARALLELEPIPED = 1 << 24 };
#define QUIRK_HEXA_PARALLELEPIPED_ROW                                                              \
  {                                                                                                \
    QUIRK_HEXA_PARALLELEPIPED, "hexa-parallelepiped",                                              \
        "HexahedronFEMForceField computes elements within 0.1 % of a parallelepiped as one",       \
        "test_fem_statics.patches_of_nearly_straight_hexahedra"                                    \
  }
#define QUIRK_HEXA_NODE_ROTATIONS_ROW                                                              \
  {                                                                                                \
    QUIRK_HEXA_NODE_ROTATIONS, "hexa-node-rotations",                                              \
        "HexahedronFEMForceField gives preconditioners rotations of points the wrong way round",   \
        "test_quirks_elements.node_rotations"                                                      \
  }

extern const SofaClass sofa_HexahedronFEMForceField_class;

/* The elastic forces. */
SofaErr hexahedron_fem_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f);
SofaErr hexahedron_fem_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                  const SofaPoint *at, const double *const *dx, double *const *df);
SofaErr hexahedron_fem_add_k(SofaForceField *ff, const SofaMechParams *params, const SofaPoint *at,
                             const SofaTangent *tangent);
SofaErr hexahedron_fem_potential_energy(SofaForceField *ff, const SofaMechParams *params,
                                        const SofaPoint *at, double *energy);
const SofaApproximation *hexahedron_fem_approximation(const SofaForceField *ff);
bool hexahedron_fem_constant(const SofaForceField *ff);

#endif
