/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* State containers: the classes of this folder. */
#include "object/factory.h"

extern const SofaClass sofa_MechanicalObject_class, sofa_MappedObject_class;

static const SofaClass *const classes[] = {&sofa_MechanicalObject_class, &sofa_MappedObject_class,
                                           NULL};

extern const SofaModule sofa_module_statecontainer;
const SofaModule sofa_module_statecontainer = {SOFA_ABI, "statecontainer", CSOFA_VERSION, classes};
