/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StrainEnergyMaterial: any strain energy density as an object. */
#include "components/solidmechanics/hyperelastic/energy_fields.h"
#include "numerics/material/solid_material.h"

typedef struct StrainEnergyMaterial {
  SofaObject object;
  SofaEnergyFields energy;
} StrainEnergyMaterial;

typedef StrainEnergyMaterial SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ENERGY_ROWS(SOFA_FIELD_REQUIRED),
    SOFA_ENERGY_LINKS_ROW,
};

static SofaErr law_of(SofaObject *object, SofaSolidLaw *law) {
  SofaEnergyLaw energy;
  SOFA_TRY(sofa_object_check_ranges(object));
  SOFA_TRY(sofa_energy_law(object, &((StrainEnergyMaterial *)object)->energy, &energy));
  *law = (SofaSolidLaw){.material = energy.material};
  sofa_copy(law->p, energy.p, sizeof law->p);
  return SOFA_OK;
}

static const SofaSolidMaterialOps ops = {.law = law_of};

SOFA_CLASS(StrainEnergyMaterial) = {
    SOFA_NAMED(StrainEnergyMaterial),
    .module = "csofa",
    .category = "Material",
    .help = "A strain energy density for finite elements that take a material.",
    .equations = "E = 1/2 (F^T F - I), S = dW/dE, tau = F S F^T\n"
                 "\"W: materialName with ParameterSet; S: second Piola-Kirchhoff stress, tau: "
                 "Kirchhoff stress\"",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_SOLID_MATERIAL, &ops}),
};
