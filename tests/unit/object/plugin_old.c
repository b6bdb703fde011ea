/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin built for another interface: calling it would be fatal. */
#include <stdlib.h>
#include "object/plugin.h"

SOFA_PLUGIN_NOTE(SOFA_ABI + 1)
SOFA_API const SofaModule *sofa_plugin_module(void);
const SofaModule *sofa_plugin_module(void) {
  abort();
}
