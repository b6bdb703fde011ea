/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin built for another interface: calling it would be fatal. */
#include <stdlib.h>
#include "object/factory.h"

__attribute__((visibility("default"))) extern const unsigned sofa_plugin_abi;
const unsigned sofa_plugin_abi = SOFA_ABI + 1;
__attribute__((visibility("default"))) const SofaModule *sofa_plugin_module(void);
const SofaModule *sofa_plugin_module(void) {
  abort();
}
