/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The masses. */
#include "object/factory.h"

extern const SofaClass sofa_UniformMass_class, sofa_DiagonalMass_class, sofa_MeshMatrixMass_class,
    sofa_FEMMass_class, sofa_NodalMassDensity_class;

static const SofaClass *const classes[] = {
    &sofa_UniformMass_class, &sofa_DiagonalMass_class,     &sofa_MeshMatrixMass_class,
    &sofa_FEMMass_class,     &sofa_NodalMassDensity_class, NULL,
};

extern const SofaModule sofa_module_mass;
const SofaModule sofa_module_mass = {SOFA_ABI, "Sofa.Component.Mass", CSOFA_VERSION, classes};
