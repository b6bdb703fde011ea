/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Controllers: the classes of this folder. */
#include "object/factory.h"

#define CLASSES(X) X(MechanicalStateController)

#define DECLARE(name) extern const SofaClass sofa_##name##_class;
CLASSES(DECLARE)
#undef DECLARE

static const SofaClass *const classes[] = {
#define LISTED(name) &sofa_##name##_class,
    CLASSES(LISTED)
#undef LISTED
        NULL};

extern const SofaModule sofa_module_controller;
const SofaModule sofa_module_controller = {SOFA_ABI, "controller", CSOFA_VERSION, classes};
