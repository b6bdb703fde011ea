/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A plugin for another version: it must be refused before its classes are looked at. */
#include <csofa.h>

SOFA_API extern const uint64_t sofa_plugin_abi;
const uint64_t sofa_plugin_abi = SOFA_ABI + 1;

SOFA_API const SofaModule *sofa_plugin_module(void);
const SofaModule *sofa_plugin_module(void) {
  static const SofaModule module = {.abi = SOFA_ABI + 1, .name = "wrong_abi", .version = "1.0"};
  return &module;
}
