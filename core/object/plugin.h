/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The entry of a plugin: its module, and the interface it was built for. */
#ifndef SOFA_OBJECT_PLUGIN_H
#define SOFA_OBJECT_PLUGIN_H

#include "base/abi.h"
#include "base/api.h"
#include "object/factory.h"

/* A plugin exports this function. It is called after the note in the file was compared with
 * SOFA_ABI; without the note the file is not opened. */
#define SOFA_PLUGIN_SYMBOL "sofa_plugin_module"

/* The note (ELF, PT_NOTE): the interface that the plugin was built for. */
#define SOFA_PLUGIN_NOTE_NAME "csofa"
#define SOFA_PLUGIN_NOTE_TYPE 1u
typedef struct SofaPluginNote {
  uint32_t name_size, value_size, type;
  char name[8];
  uint32_t abi[2]; /* the halves as they stand in memory */
} SofaPluginNote;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define SOFA_PLUGIN_HALVES(abi)                                                                    \
  { (uint32_t)((abi)&0xffffffffu), (uint32_t)((abi) >> 32) }
#else
#define SOFA_PLUGIN_HALVES(abi)                                                                    \
  { (uint32_t)((abi) >> 32), (uint32_t)((abi)&0xffffffffu) }
#endif
#define SOFA_PLUGIN_NOTE(abi_value)                                                                \
  __attribute__((used, section(".note.csofa"),                                                     \
                 aligned(4))) static const SofaPluginNote sofa_plugin_note = {                     \
      sizeof SOFA_PLUGIN_NOTE_NAME, sizeof(uint64_t), SOFA_PLUGIN_NOTE_TYPE,                       \
      SOFA_PLUGIN_NOTE_NAME, SOFA_PLUGIN_HALVES(abi_value)};

/* Defines both, with the classes' addresses. csofa_add_plugin() of the CMake package writes it for
 * plugins that declare their classes by SOFA_CLASS. */
#define SOFA_PLUGIN(plugin_name, plugin_version, ...)                                              \
  SOFA_PLUGIN_NOTE(SOFA_ABI)                                                                       \
  SOFA_EXTERN SOFA_API const SofaModule *sofa_plugin_module(void);                                 \
  const SofaModule *sofa_plugin_module(void) {                                                     \
    static const SofaClass *const classes[] = {__VA_ARGS__, NULL};                                 \
    static const SofaModule module = {                                                             \
        .abi = SOFA_ABI, .name = plugin_name, .version = plugin_version, .classes = classes};      \
    return &module;                                                                                \
  }

#endif
