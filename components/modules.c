/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Makes the table of built-in modules from the list in modules.h. */
#include "object/factory.h"

#define SOFA_MODULE(symbol) extern const SofaModule symbol;
#include "components/modules.h"
#undef SOFA_MODULE

const SofaModule *const sofa_builtin_modules[] = {
#define SOFA_MODULE(symbol) &symbol,
#include "components/modules.h"
#undef SOFA_MODULE
    NULL};
