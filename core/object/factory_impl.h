/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shared by the files of the factory. */
#ifndef SOFA_OBJECT_FACTORY_IMPL_H
#define SOFA_OBJECT_FACTORY_IMPL_H

#include "object/factory.h"

typedef struct SofaPluginHandle {
  char *path;   /* of the file, owned */
  void *handle; /* of dlopen */
} SofaPluginHandle;

/* A class and its module. */
typedef struct SofaFactoryEntry {
  const SofaClass *klass;
  const SofaModule *module;
} SofaFactoryEntry;

enum { SOFA_NAME_CHAINS = 512 };

/* A name or alias of a class, in the chain of its hash. */
typedef struct SofaFactoryName {
  const char *text;
  uint32_t entry, next; /* next: place of the name + 1; 0: none */
} SofaFactoryName;

struct SofaFactory {
  struct {
    const SofaModule **data;
    size_t n, capacity;
  } modules;
  struct {
    SofaFactoryEntry *data;
    size_t n, capacity;
  } entries;
  struct {
    SofaFactoryName *data;
    size_t n, capacity;
  } names;
  uint32_t chains[SOFA_NAME_CHAINS]; /* place of the last name + 1; 0: none */
  struct {
    const SofaClass **data;
    size_t n, capacity;
  } bases; /* checked with the first class that has them, not registered themselves */
  struct {
    SofaPluginHandle *data;
    size_t n, capacity;
  } plugins;
  char *scene_arguments; /* "A,B" (scene/reader.h), owned; NULL: none */
};

/* The present name of a component that was renamed, or NULL. */
const char *sofa_present_name(const SofaFactory *factory, const char *name);

/* Reads the interface that a plugin was built for from its file, without opening the library. Not
 * found: it is not a plugin. An unreadable file has none. */
SofaErr sofa_plugin_note_read(SofaContext *ctx, const char *path, uint64_t *abi, bool *found);

/* Checks the tables of a class and reports errors. */
SofaErr sofa_class_check(SofaContext *ctx, const SofaModule *module, const SofaClass *klass);

/* Is it a plugin of SOFA that is not built? */
bool sofa_factory_is_foreign_plugin(const SofaContext *ctx, const char *name);
/* How a plugin is installed that is not part of every build, or NULL. */
const char *sofa_factory_plugin_apart(const SofaContext *ctx, const char *name);

#endif
