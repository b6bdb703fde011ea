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
    SofaPluginHandle *data;
    size_t n, capacity;
  } plugins;
};

/* Checks the tables of a class and reports errors. */
SofaErr sofa_class_check(SofaContext *ctx, const SofaModule *module, const SofaClass *klass);

#endif
