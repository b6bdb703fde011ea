/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin that returns no module. */
#include <csofa.h>

__attribute__((visibility("default"))) const SofaModule *sofa_plugin_module(void);
const SofaModule *sofa_plugin_module(void) {
  return NULL;
}
