/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin that returns no module. */
#include <sofa.h>

SOFA_PLUGIN_NOTE(SOFA_ABI)

SOFA_API const SofaModule *sofa_plugin_module(void);
const SofaModule *sofa_plugin_module(void) {
  return NULL;
}
