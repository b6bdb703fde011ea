/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The factory: registration of modules, classes by name, reasons for unknown names. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "object/factory_impl.h"
#include "object/object_impl.h"
#include "object/renamed.h"

SofaErr sofa_factory_create(SofaContext *ctx, SofaFactory **out) {
  *out = sofa_alloc(ctx, 1, sizeof **out);
  return *out ? SOFA_OK : SOFA_ERR_MEMORY;
}

void sofa_factory_destroy(SofaContext *ctx, SofaFactory **pfactory) {
  SofaFactory *factory = *pfactory;
  if (!factory) return;
  sofa_list_free(ctx, &factory->modules);
  sofa_list_free(ctx, &factory->entries);
  for (size_t i = 0; i < factory->plugins.n; i++) {
    sofa_free(ctx, factory->plugins.data[i].path);
    dlclose(factory->plugins.data[i].handle);
  }
  sofa_list_free(ctx, &factory->plugins);
  sofa_free(ctx, factory);
  *pfactory = NULL;
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
    return sofa_fail(ctx, SOFA_ERR_ABI, &origin, "built for interface %u, this program has %u",
                     module->abi, SOFA_ABI);
  }
  // all of its classes or none
  const size_t before = factory->entries.n;
  SofaErr err = add_classes(ctx, module);
  if (!err) err = SOFA_APPEND(ctx, &factory->modules, &module);
  if (err) factory->entries.n = before;
  return err;
}

SofaErr sofa_register_builtins(SofaContext *ctx) {
  for (size_t i = 0; sofa_builtin_modules[i]; i++) {
    SOFA_TRY(sofa_factory_register(ctx, sofa_builtin_modules[i]));
  }
  return SOFA_OK;
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
  const char *now = sofa_renamed_component(name);
  entry = now ? find_entry(ctx->factory, now) : NULL;
  if (entry && renamed) *renamed = now;
  return entry ? entry->klass : NULL;
}

bool sofa_factory_knows_module(const SofaContext *ctx, const char *name) {
  if (sofa_is_known_module(name)) return true;
  for (size_t i = 0; i < ctx->factory->modules.n; i++) {
    if (strcmp(ctx->factory->modules.data[i]->name, name) == 0) return true;
  }
  return false;
}

/* ---- unknown names ---- */

typedef struct Near {
  const char *name;
  double similarity;
} Near;

static int more_similar(const void *a, const void *b) {
  const Near *x = a, *y = b;
  if (x->similarity > y->similarity) return -1;
  return x->similarity < y->similarity ? 1 : strcmp(x->name, y->name);
}

/* The six most similar names with a likeness of 0.6 at least. */
static SofaErr nearest_names(SofaContext *ctx, const char *name, SofaText *out) {
  const SofaFactory *factory = ctx->factory;
  struct {
    Near *data;
    size_t n, capacity;
  } near = {0};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; !err && i < factory->entries.n; i++) {
    const SofaClass *klass = factory->entries.data[i].klass;
    const Near one = {klass->name, sofa_similarity(name, klass->name)};
    if (one.similarity >= 0.6 && !klass->abstract) err = SOFA_APPEND(ctx, &near, &one);
  }
  if (near.n > 1) qsort(near.data, near.n, sizeof *near.data, more_similar);
  const size_t n = near.n < 6 ? near.n : 6;
  if (!err && n) err = sofa_text_printf(ctx, out, "; did you mean ");
  for (size_t i = 0; !err && i < n; i++) {
    const char *between = !i ? "" : i + 1 < n ? ", " : " or ";
    err = sofa_text_printf(ctx, out, "%s'%s'%s", between, near.data[i].name, i + 1 < n ? "" : "?");
  }
  sofa_list_free(ctx, &near);
  return err;
}

SofaErr sofa_factory_explain(const SofaContext *cctx, const char *name, SofaText *out) {
  // memory counters apart, the context stays as it is
  SofaContext *ctx = (SofaContext *)(uintptr_t)cctx;
  const char *text = sofa_removed_component(name);
  if (text) return sofa_text_printf(ctx, out, "there is no component '%s': %s", name, text);
  const char *now = sofa_renamed_component(name);
  if (now) {
    return sofa_text_printf(ctx, out, "'%s' is now called '%s', which is not built yet", name, now);
  }
  SOFA_TRY(sofa_text_printf(ctx, out, "there is no component '%s'", name));
  return nearest_names(ctx, name, out);
}
