/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin whose class has the name of another one. */
#include "object/plugin.h"

static const SofaClass other_class = {.name = "Other",
                                      .help = "Is registered by nobody else.",
                                      .base = &sofa_object_class,
                                      .size = sizeof(SofaObject)};
static const SofaClass thing_class = {.name = "Object1",
                                      .help = "Has an alias of the test's class as name.",
                                      .base = &sofa_object_class,
                                      .size = sizeof(SofaObject)};

SOFA_PLUGIN("Clash", "1.0", &other_class, &thing_class)
