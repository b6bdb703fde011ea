/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The masses. */
#include "object/factory.h"

extern const SofaClass uniform_mass_class, diagonal_mass_class, mesh_matrix_mass_class;

static const SofaClass *const classes[] = {
    &uniform_mass_class,
    &diagonal_mass_class,
    &mesh_matrix_mass_class,
    NULL,
};

extern const SofaModule sofa_module_mass;
const SofaModule sofa_module_mass = {SOFA_ABI, "Sofa.Component.Mass", CSOFA_VERSION, classes};
