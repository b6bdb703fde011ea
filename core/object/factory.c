/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The factory: attached to a context; registration of modules, classes by name. */
#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>
#include "base/abi.h"
#include "base/text.h"
#include "math/kernels.h"
#include "object/factory_impl.h"

/* ---- life ---- */

static void destroy(SofaContext *ctx, SofaFactory **pfactory) {
  SofaFactory *factory = *pfactory;
  sofa_list_free(ctx, &factory->modules);
  sofa_list_free(ctx, &factory->entries);
  sofa_list_free(ctx, &factory->names);
  sofa_list_free(ctx, &factory->bases);
  for (size_t i = 0; i < factory->plugins.n; i++) {
    sofa_free(ctx, factory->plugins.data[i].path);
    dlclose(factory->plugins.data[i].handle);
  }
  sofa_list_free(ctx, &factory->plugins);
  sofa_free(ctx, factory->scene_arguments);
  sofa_free(ctx, factory);
  *pfactory = NULL;
}

SofaErr sofa_factory_create(SofaContext *ctx) {
  SofaFactory *factory = sofa_alloc(ctx, 1, sizeof *factory);
  if (!factory) return SOFA_ERR_MEMORY;
  ctx->factory = factory;
  ctx->destroy_factory = destroy;
  return SOFA_OK;
}

static SofaErr choose_kernels(SofaContext *ctx, const char *isa) {
  ctx->kernels = sofa_kernels_select(isa);
  if (ctx->kernels) return SOFA_OK;
  return sofa_fail(ctx, SOFA_ERR_ARGUMENT, NULL,
                   "instruction set '%s' is unknown or not available on this processor, "
                   "expected auto, baseline, avx2 or avx512",
                   isa);
}

SofaErr sofa_context_create(const SofaContextOptions *options, SofaContext **out) {
  SofaErr err;
  SOFA_GO(err, done, sofa_context_create_bare(options, out));
  SOFA_GO(err, done, choose_kernels(*out, options ? options->isa : NULL));
  SOFA_GO(err, done, sofa_factory_create(*out));
done:
  if (err) sofa_context_destroy(out);
  return err;
}

/* ---- registration ---- */

/* FNV-1a */
static uint32_t *chain_of(SofaFactory *factory, const char *name) {
  uint32_t hash = 2166136261u;
  for (; *name; name++) hash = (hash ^ (unsigned char)*name) * 16777619u;
  return &factory->chains[(hash ^ hash >> 16) % SOFA_NAME_CHAINS];
}

static const SofaFactoryEntry *find_entry(SofaFactory *factory, const char *name) {
  for (uint32_t at = *chain_of(factory, name); at; at = factory->names.data[at - 1].next) {
    const SofaFactoryName *known = &factory->names.data[at - 1];
    if (sofa_same_word(known->text, name)) return &factory->entries.data[known->entry];
  }
  return NULL;
}

static SofaErr add_name(SofaContext *ctx, const char *name, size_t entry) {
  SofaFactory *factory = ctx->factory;
  uint32_t *chain = chain_of(factory, name);
  const SofaFactoryName row = {name, (uint32_t)entry, *chain};
  SOFA_TRY(SOFA_APPEND(ctx, &factory->names, &row));
  *chain = (uint32_t)factory->names.n;
  return SOFA_OK;
}

/* Forgets names until `n` are left: each is the first of its chain then. */
static void keep_names(SofaFactory *factory, size_t n) {
  while (factory->names.n > n) {
    const SofaFactoryName *last = &factory->names.data[--factory->names.n];
    *chain_of(factory, last->text) = last->next;
  }
}

/* Another class of the same name, or of one of its aliases? */
static SofaErr check_free(SofaContext *ctx, const SofaModule *module, const SofaClass *klass,
                          const char *name) {
  const SofaFactoryEntry *other = find_entry(ctx->factory, name);
  if (!other || other->klass == klass) return SOFA_OK;
  const SofaOrigin origin = {.emitter = module->name};
  return sofa_fail(ctx, SOFA_ERR_ARGUMENT, &origin,
                   "the name '%s' is taken: module '%s' has a class of that name", name,
                   other->module->name);
}

static SofaErr check_class(SofaContext *ctx, const SofaModule *module, const SofaClass *klass) {
  SOFA_TRY(sofa_class_check(ctx, module, klass));
  SOFA_TRY(check_free(ctx, module, klass, klass->name));
  for (size_t i = 0; klass->aliases && klass->aliases[i]; i++) {
    SOFA_TRY(check_free(ctx, module, klass, klass->aliases[i]));
  }
  return SOFA_OK;
}

static SofaErr add_classes(SofaContext *ctx, const SofaModule *module) {
  for (size_t i = 0; module->classes && module->classes[i]; i++) {
    const SofaFactoryEntry entry = {module->classes[i], module};
    const size_t n = ctx->factory->entries.n;
    SOFA_TRY(check_class(ctx, module, entry.klass));
    SOFA_TRY(SOFA_APPEND(ctx, &ctx->factory->entries, &entry));
    SOFA_TRY(add_name(ctx, entry.klass->name, n));
    for (const char *const *alias = entry.klass->aliases; alias && *alias; alias++)
      SOFA_TRY(add_name(ctx, *alias, n));
  }
  return SOFA_OK;
}

SofaErr sofa_factory_register(SofaContext *ctx, const SofaModule *module) {
  SofaFactory *factory = ctx->factory;
  const SofaOrigin origin = {.emitter = module->name};
  for (size_t i = 0; i < factory->modules.n; i++) {
    if (factory->modules.data[i] == module) return SOFA_OK;
  }
  if (module->abi != SOFA_ABI) {
    return sofa_fail(ctx, SOFA_ERR_ABI, &origin,
                     "built for interface %016" PRIx64 ", this program has %016" PRIx64,
                     module->abi, SOFA_ABI);
  }
  // all of its classes or none
  const size_t before = factory->entries.n, bases_before = factory->bases.n;
  const size_t names_before = factory->names.n;
  SofaErr err = add_classes(ctx, module);
  if (!err) err = SOFA_APPEND(ctx, &factory->modules, &module);
  if (!err) return SOFA_OK;
  keep_names(factory, names_before);
  factory->entries.n = before;
  factory->bases.n = bases_before;
  return err;
}

/* ---- look-up ---- */

size_t sofa_factory_n_classes(const SofaContext *ctx) {
  return ctx->factory->entries.n;
}

const SofaClass *sofa_factory_class_at(const SofaContext *ctx, size_t i) {
  return i < ctx->factory->entries.n ? ctx->factory->entries.data[i].klass : NULL;
}

const SofaClass *sofa_factory_find(const SofaContext *ctx, const char *name, const char **renamed) {
  if (renamed) *renamed = NULL;
  const SofaFactoryEntry *entry = find_entry(ctx->factory, name);
  if (entry) return entry->klass;
  const char *now = sofa_present_name(ctx->factory, name);
  entry = now ? find_entry(ctx->factory, now) : NULL;
  if (entry && renamed) *renamed = now;
  return entry ? entry->klass : NULL;
}
