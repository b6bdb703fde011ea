/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin that returns no module. */
#include <csofa.h>

__attribute__((visibility("default"))) extern const unsigned sofa_plugin_abi;
const unsigned sofa_plugin_abi = SOFA_ABI;

__attribute__((visibility("default"))) const SofaModule *sofa_plugin_module(void);
const SofaModule *sofa_plugin_module(void) {
  return NULL;
}
