/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SaintVenantKirchhoffMaterial: the law that the built-in hyperelastic tetrahedra use, too. */
#include "material/material.h"

static SofaErr construct(SofaObject *object) {
  ((CaribouMaterial *)object)->law = &sofa_st_venant_kirchhoff;
  return SOFA_OK;
}

SOFA_CLASS(SaintVenantKirchhoffMaterial) = {
    .name = "SaintVenantKirchhoffMaterial",
    .module = "SofaCaribou",
    .category = "Material",
    .help = "Hyperelastic material whose stress is linear in the Green strain E.",
    .equations = "W = lambda/2 (tr E)^2 + mu E : E\n"
                 "mu = E/(2 (1 + nu)), lambda = E nu/((1 + nu) (1 - 2 nu))",
    .base = &caribou_material_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    .size = sizeof(CaribouMaterial),
    .construct = construct,
};
