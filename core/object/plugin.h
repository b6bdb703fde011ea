/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The entry of a plugin: its module, and the interface it was built for. */
#ifndef SOFA_OBJECT_PLUGIN_H
#define SOFA_OBJECT_PLUGIN_H

#include "base/abi.h"
#include "base/api.h"
#include "object/factory.h"

/* A plugin exports these symbols; they are looked up after dlopen, no constructor runs code. The
 * second is data, compared with SOFA_ABI before the first is called. */
#define SOFA_PLUGIN_SYMBOL "sofa_plugin_module"
#define SOFA_PLUGIN_ABI_SYMBOL "sofa_plugin_abi"

/* Defines both, with the classes' addresses. csofa_add_plugin() of the CMake package writes it for
 * plugins that declare their classes by SOFA_CLASS. */
#define SOFA_PLUGIN(plugin_name, plugin_version, ...)                                              \
  SOFA_API extern const uint64_t sofa_plugin_abi;                                                  \
  const uint64_t sofa_plugin_abi = SOFA_ABI;                                                       \
  SOFA_API const SofaModule *sofa_plugin_module(void);                                             \
  const SofaModule *sofa_plugin_module(void) {                                                     \
    static const SofaClass *const classes[] = {__VA_ARGS__, NULL};                                 \
    static const SofaModule module = {                                                             \
        .abi = SOFA_ABI, .name = plugin_name, .version = plugin_version, .classes = classes};      \
    return &module;                                                                                \
  }

#endif
