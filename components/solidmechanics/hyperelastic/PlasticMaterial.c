/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PlasticMaterial: two numbers of a material law that no element of SOFA asks for. */
#include "object/object.h"

typedef struct PlasticMaterial {
  SofaObject object;
  double poisson, young;
} PlasticMaterial;

static const SofaField fields[] = {
    SOFA_FIELD(PlasticMaterial, poisson, "poissonRatio", "0.45", "1",
               "no effect: no element takes its law from it", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(PlasticMaterial, young, "youngModulus", "3000", "Pa",
               "no effect: no element takes its law from it", .flags = SOFA_FIELD_NO_EFFECT),
};

SOFA_CLASS(PlasticMaterial) = {
    SOFA_NAMED(PlasticMaterial),
    .module = "Sofa.Component.SolidMechanics.FEM.HyperElastic",
    .category = "_Miscellaneous",
    .help = "Holds two numbers, as in SOFA, where no element uses it. TetrahedronFEMForceField has "
            "plasticity of its own (plasticYieldThreshold).",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
};
