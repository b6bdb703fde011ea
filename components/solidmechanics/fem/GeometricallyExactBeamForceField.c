/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* GeometricallyExactBeamForceField: beams of Reissner and Simo between frames. */
#include "components/solidmechanics/fem/BeamFEMForceField.h"

typedef struct GeometricallyExactBeamForceField {
  BeamFEMForceField base;
} GeometricallyExactBeamForceField;

static SofaErr construct(SofaObject *object) {
  BeamFEMForceField *beams = &((GeometricallyExactBeamForceField *)object)->base;
  beams->exact = true;
  beams->shear = true;
  return SOFA_OK;
}

static const char *const templates[] = {"Rigid3d", NULL};

SOFA_CLASS(GeometricallyExactBeamForceField) = {
    SOFA_NAMED(GeometricallyExactBeamForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Geometrically exact elastic beams along the edges of a topology: strains, and not "
            "rotations alone, may be large. A beam has the strains of its middle and the constant "
            "curvature between the orientations of its ends, which may turn against each other by "
            "less than half a turn; a rigid motion gives no strain. Displacements converge with "
            "the square of the beams' length. The section is a ring, or given by A, Iy, Iz, J and "
            "the shear areas; shear is always on. Force and tangent are the exact derivatives of "
            "the energy; the matrix is the symmetric second derivative.",
    .equations = "theta = log(R_a^T R_b), M = R_a exp(theta/2)\n"
                 "Gamma = M^T (x_b - x_a)/L - e_x, kappa = theta/L\n"
                 "W = (L/2) (E A Gamma_x^2 + G A_y Gamma_y^2 + G A_z Gamma_z^2 + G J kappa_x^2 + "
                 "E I_y kappa_y^2 + E I_z kappa_z^2)",
    .base = &sofa_BeamFEMForceField_class,
    .templates = templates,
    .construct = construct,
};
