/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Settings: the classes of this folder. */
#include "object/factory.h"

extern const SofaClass sofa_RequiredPlugin_class;

static const SofaClass *const classes[] = {&sofa_RequiredPlugin_class, NULL};

extern const SofaModule sofa_module_setting;
const SofaModule sofa_module_setting = {SOFA_ABI, "setting", CSOFA_VERSION, classes};
