/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Animation loops: the classes of this folder. */
#include "object/factory.h"

extern const SofaClass sofa_DefaultAnimationLoop_class;
extern const SofaClass sofa_MultiStepAnimationLoop_class;
extern const SofaClass sofa_MultiTagAnimationLoop_class;

static const SofaClass *const classes[] = {&sofa_DefaultAnimationLoop_class,
                                           &sofa_MultiStepAnimationLoop_class,
                                           &sofa_MultiTagAnimationLoop_class, NULL};

extern const SofaModule sofa_module_animationloop;
const SofaModule sofa_module_animationloop = {SOFA_ABI, "animationloop", CSOFA_VERSION, classes};
