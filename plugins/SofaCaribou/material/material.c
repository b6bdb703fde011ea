/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the hyperelastic materials share. */
#include "material/material.h"

#include <math.h>

static const SofaField fields[] = {
    SOFA_FIELD(CaribouMaterial, young, "young_modulus", "1000", "Pa", "Young's modulus, > 0"),
    SOFA_FIELD(CaribouMaterial, poisson, "poisson_ratio", "0.3", "1",
               "Poisson's ratio, between -1 and 0.5, both excluded"),
};

SofaErr caribou_material_law(const CaribouMaterial *material, SofaSolidLaw *law) {
  const double young = material->young, poisson = material->poisson;
  if (!(young > 0) || !isfinite(young))
    return sofa_field_fail(&material->object, "young_modulus", SOFA_ERR_RANGE,
                           "%g, expected a number > 0", young);
  if (!(poisson > -1 && poisson < 0.5))
    return sofa_field_fail(&material->object, "poisson_ratio", SOFA_ERR_RANGE,
                           "%g, expected a number between -1 and 0.5, both excluded", poisson);
  const double mu = young / (2 * (1 + poisson));
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  *law = (SofaSolidLaw){.material = material->law, .p = {mu, lambda}};
  return SOFA_OK;
}

static SofaErr material_init(SofaObject *object) {
  SofaSolidLaw law;
  return caribou_material_law((const CaribouMaterial *)object, &law);
}

const SofaClass caribou_material_class = {
    .name = "HyperelasticMaterial",
    .module = "SofaCaribou",
    .category = "Material",
    .help = "The law of a hyperelastic material.",
    .base = &sofa_object_class,
    .size = sizeof(CaribouMaterial),
    SOFA_FIELDS(fields),
    .abstract = true,
    .init = material_init,
};
