/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the hyperelastic materials share. */
#include "material/material.h"

#include <math.h>

static const SofaField fields[] = {
    SOFA_FIELD(CaribouMaterial, young, "young_modulus", "1000", "Pa", "Young's modulus",
               .range = SOFA_FINITE_ABOVE(0)),
    SOFA_FIELD(CaribouMaterial, poisson, "poisson_ratio", "0.3", "1", "Poisson's ratio",
               .range = SOFA_BETWEEN(-1, 0.5)),
};

static SofaErr law_of(SofaObject *object, SofaSolidLaw *law) {
  const CaribouMaterial *material = (const CaribouMaterial *)object;
  const double young = material->young, poisson = material->poisson;
  // the material may not be initialised yet
  SOFA_TRY(sofa_object_check_ranges(object));
  const double mu = young / (2 * (1 + poisson));
  const double lambda = young * poisson / ((1 + poisson) * (1 - 2 * poisson));
  *law = (SofaSolidLaw){.material = material->law, .p = {mu, lambda}};
  return SOFA_OK;
}

static const SofaSolidMaterialOps ops = {.law = law_of};

const SofaClass caribou_material_class = {
    .name = "HyperelasticMaterial",
    .module = "SofaCaribou",
    .category = "Material",
    .help = "The law of a hyperelastic material.",
    .base = &sofa_object_class,
    .size = sizeof(CaribouMaterial),
    SOFA_FIELDS(fields),
    .abstract = true,
    SOFA_IMPLEMENTS({SOFA_SOLID_MATERIAL, &ops}),
};
