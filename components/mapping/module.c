/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Mappings: the classes of this folder. */
#include "object/factory.h"

extern const SofaClass sofa_BarycentricMapping_class, sofa_IdentityMapping_class;

static const SofaClass *const classes[] = {
    &sofa_BarycentricMapping_class,
    &sofa_IdentityMapping_class,
    NULL,
};

extern const SofaModule sofa_module_mapping;
const SofaModule sofa_module_mapping = {SOFA_ABI, "mapping", CSOFA_VERSION, classes};
