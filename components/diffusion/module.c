/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Diffusion: the classes of this folder. */
#include "object/factory.h"

#define CLASSES(X) X(TetrahedronDiffusionFEMForceField)

#define DECLARE(name) extern const SofaClass sofa_##name##_class;
CLASSES(DECLARE)
#undef DECLARE

static const SofaClass *const classes[] = {
#define LISTED(name) &sofa_##name##_class,
    CLASSES(LISTED)
#undef LISTED
        NULL};

extern const SofaModule sofa_module_diffusion;
const SofaModule sofa_module_diffusion = {SOFA_ABI, "diffusion", CSOFA_VERSION, classes};
