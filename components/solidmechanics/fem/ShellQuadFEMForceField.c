/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ShellQuadFEMForceField: shells of quadrilaterals between frames. */
#include "behavior/draw_state.h"
#include "components/solidmechanics/fem/shell_fem.h"

typedef struct ShellQuadFEMForceField {
  SofaShellFem shell;
} ShellQuadFEMForceField;

static SofaErr construct(SofaObject *object) {
  ((ShellQuadFEMForceField *)object)->shell.kind = SOFA_ELEMENT_QUAD;
  return SOFA_OK;
}

static const char *const templates[] = {"Rigid3d", NULL};

SOFA_CLASS(ShellQuadFEMForceField) = {
    SOFA_NAMED(ShellQuadFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help =
        "Elastic shells of four-node quadrilaterals between frames (MITC4): membrane, bending, "
        "shear across and a small stiffness against turns about the normal. Displacements and "
        "rotations may be large; the law is linear between Green strains and stresses of the "
        "shape at rest. The elements do not lock in shear when thin, nor by the shear of "
        "bilinear displacements in their plane; there, one element across a strip is too stiff by "
        "the Poisson effect. Force and tangent are the exact derivatives of the energy; the matrix "
        "is the "
        "symmetric second derivative.",
    .base = &sofa_shell_fem_class,
    .templates = templates,
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_DRAW, &sofa_draw_field_quads}),
};
