/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The engines. */
#include "object/factory.h"

extern const SofaClass sofa_BoxROI_class, sofa_IndexValueMapper_class, sofa_SphereROI_class,
    sofa_TransformEngine_class;

static const SofaClass *const classes[] = {
    &sofa_BoxROI_class,
    &sofa_IndexValueMapper_class,
    &sofa_SphereROI_class,
    &sofa_TransformEngine_class,
    NULL,
};

extern const SofaModule sofa_module_engine;
const SofaModule sofa_module_engine = {SOFA_ABI, "engine", CSOFA_VERSION, classes};
