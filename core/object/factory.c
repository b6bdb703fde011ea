/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The factory: attached to a context; registration of modules, classes by name. */
#include <dlfcn.h>
#include <inttypes.h>
#include <string.h>
#include "base/abi.h"
#include "math/kernels.h"
#include "object/factory_impl.h"

/* ---- life ---- */

static void destroy(SofaContext *ctx, SofaFactory **pfactory) {
  SofaFactory *factory = *pfactory;
  sofa_list_free(ctx, &factory->modules);
  sofa_list_free(ctx, &factory->entries);
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

static bool has_name(const SofaClass *klass, const char *name) {
  if (strcmp(klass->name, name) == 0) return true;
  for (size_t i = 0; klass->aliases && klass->aliases[i]; i++) {
    if (strcmp(klass->aliases[i], name) == 0) return true;
  }
  return false;
}

static const SofaFactoryEntry *find_entry(const SofaFactory *factory, const char *name) {
  for (size_t i = 0; i < factory->entries.n; i++) {
    if (has_name(factory->entries.data[i].klass, name)) return &factory->entries.data[i];
  }
  return NULL;
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
    SOFA_TRY(check_class(ctx, module, entry.klass));
    SOFA_TRY(SOFA_APPEND(ctx, &ctx->factory->entries, &entry));
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
  const size_t before = factory->entries.n;
  SofaErr err = add_classes(ctx, module);
  if (!err) err = SOFA_APPEND(ctx, &factory->modules, &module);
  if (err) factory->entries.n = before;
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
