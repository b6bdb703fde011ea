/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ShellTriangleFEMForceField: shells of triangles between frames. */
#include "behavior/draw_state.h"
#include "components/solidmechanics/fem/shell_fem.h"

typedef struct ShellTriangleFEMForceField {
  SofaShellFem shell;
} ShellTriangleFEMForceField;

static SofaErr construct(SofaObject *object) {
  ((ShellTriangleFEMForceField *)object)->shell.kind = SOFA_ELEMENT_TRIANGLE;
  return SOFA_OK;
}

static const char *const templates[] = {"Rigid3d", NULL};

SOFA_CLASS(ShellTriangleFEMForceField) = {
    SOFA_NAMED(ShellTriangleFEMForceField),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help =
        "Elastic shells of three-node triangles between frames (MITC3): membrane, bending, shear "
        "across and a small stiffness against turns about the normal. Displacements and rotations "
        "may be large; the law is linear between Green strains and stresses of the shape at rest. "
        "The strain in the surface is constant in an element, so bending in the plane of the shell "
        "needs fine meshes: quadrilaterals are more accurate. Force and tangent are the exact "
        "derivatives of the energy; the matrix is the symmetric second derivative.",
    .base = &sofa_shell_fem_class,
    .templates = templates,
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_DRAW, &sofa_draw_field_triangles}),
};
