/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin with a class of a name that is built in. */
#include <sofa.h>

static const SofaClass taken_class = {
    .name = "MechanicalObject",
    .module = "taken_name",
    .category = "Other",
    .help = "Not the built-in one.",
    .base = &sofa_object_class,
    .size = sizeof(SofaObject),
};

SOFA_PLUGIN("taken_name", "1.0", &taken_class)
