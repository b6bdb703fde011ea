/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin for another version: it must be refused before its classes are looked at. */
#include <sofa.h>
#include <stdio.h>

__attribute__((constructor)) static void begin(void) {
  fputs("a constructor ran\n", stderr);
}

SOFA_PLUGIN_NOTE(SOFA_ABI + 1)

SOFA_API const SofaModule *sofa_plugin_module(void);
const SofaModule *sofa_plugin_module(void) {
  static const SofaModule module = {.abi = SOFA_ABI + 1, .name = "wrong_abi", .version = "1.0"};
  return &module;
}
