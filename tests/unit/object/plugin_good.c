/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin with one class, for the test of the factory. */
#include "object/plugin.h"

static const SofaClass plugged_class = {.name = "Plugged",
                                        .help = "Comes from a plugin.",
                                        .base = &sofa_object_class,
                                        .size = sizeof(SofaObject)};

SOFA_PLUGIN("Good", "1.0", &plugged_class)
