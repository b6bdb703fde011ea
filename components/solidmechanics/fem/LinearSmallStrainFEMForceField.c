/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LinearSmallStrainFEMForceField: linear elasticity without rotations. */
#include "components/solidmechanics/fem/element_fem.h"

/* The rotation is that of an object as it is created: the identity. */
static SofaErr linear_small_strain_init(SofaObject *object) {
  return sofa_element_fem_make((SofaElementFem *)object);
}

static const char *const templates[] = {SOFA_FIRST_ORDER_TEMPLATES, "Vec1d,Edge",
                                        SOFA_SECOND_ORDER_TEMPLATES, NULL};

SOFA_CLASS(LinearSmallStrainFEMForceField) = {
    .name = "LinearSmallStrainFEMForceField",
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "ForceField",
    .help = "Linear elastic elements for small strains and small rotations. The template names the "
            "kind of state and the shape of the elements.",
    .equations =
        "f = -K (x - X)\n"
        "K = int B^T D B dV\n"
        "\"f: forces of an element, x and X: its positions and rest positions, D: Hooke's law\"",
    .base = &sofa_element_fem_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    .size = sizeof(SofaElementFem),
    .templates = templates,
    .init = linear_small_strain_init,
    .reinit = linear_small_strain_init,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &sofa_element_fem_ops}),
};
