/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "numerics/material/solid_material.h"

const SofaInterface sofa_solid_material_interface = {
    .name = "solid material", SOFA_REQUIRES(offsetof(SofaSolidMaterialOps, law))};

SofaErr sofa_solid_material_law(SofaObject *material, SofaSolidLaw *out) {
  const SofaSolidMaterialOps *ops = sofa_ops(material, SOFA_SOLID_MATERIAL);
  return ops->law(material, out);
}
