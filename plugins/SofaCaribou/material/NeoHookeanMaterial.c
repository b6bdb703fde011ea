/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NeoHookeanMaterial: the law that the built-in hyperelastic tetrahedra use, too. */
#include "material/material.h"

static SofaErr construct(SofaObject *object) {
  ((CaribouMaterial *)object)->law = &sofa_neo_hookean;
  return SOFA_OK;
}

SOFA_CLASS(NeoHookeanMaterial) = {
    .name = "NeoHookeanMaterial",
    .module = "SofaCaribou",
    .category = "Material",
    .help = "Compressible neo-Hookean material, not defined for J <= 0.",
    .equations = "W = mu/2 (tr C - 3) - mu ln J + lambda/2 (ln J)^2\n"
                 "mu = E/(2 (1 + nu)), lambda = E nu/((1 + nu) (1 - 2 nu))",
    .base = &caribou_material_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    .size = sizeof(CaribouMaterial),
    .construct = construct,
};
