/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What modules say besides their classes: old names, prefabs, defaults; reasons for unknown names.
 */
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "object/factory_impl.h"
#include "object/object_impl.h"

/* ---- rows of modules ---- */

/* The text of a name in the lists at an offset of all modules, or NULL. */
static const char *look_up(const SofaFactory *factory, size_t list, const char *name) {
  for (size_t i = 0; i < factory->modules.n; i++) {
    const SofaNameRow *row;
    memcpy(&row, (const char *)factory->modules.data[i] + list, sizeof row);
    for (; row && row->name; row++)
      if (strcmp(row->name, name) == 0) return row->text;
  }
  return NULL;
}
#define LOOK_UP(factory, list, name) look_up((factory), offsetof(SofaModule, list), (name))

const char *sofa_present_name(const SofaFactory *factory, const char *name) {
  return LOOK_UP(factory, renamed, name);
}

const char *sofa_factory_deprecation(const SofaContext *ctx, const char *name) {
  return LOOK_UP(ctx->factory, deprecated, name);
}

const char *sofa_factory_elsewhere(const SofaContext *ctx, const char *name) {
  const char *now = LOOK_UP(ctx->factory, renamed, name);
  return LOOK_UP(ctx->factory, elsewhere, now ? now : name);
}

bool sofa_factory_is_foreign_plugin(const SofaContext *ctx, const char *name) {
  const SofaFactory *factory = ctx->factory;
  for (size_t i = 0; i < factory->modules.n; i++) {
    const char *const *known = factory->modules.data[i]->plugins_elsewhere;
    for (; known && *known; known++)
      if (strcmp(*known, name) == 0) return true;
  }
  return false;
}

const char *sofa_factory_plugin_apart(const SofaContext *ctx, const char *name) {
  return LOOK_UP(ctx->factory, plugins_apart, name);
}

const char *sofa_factory_prefab(const SofaContext *ctx, const char *tag) {
  return LOOK_UP(ctx->factory, prefabs, tag);
}

const char *sofa_factory_reader_plugin(const SofaContext *ctx, const char *extension) {
  return LOOK_UP(ctx->factory, readers, extension);
}

/* "Sofa.Component.Mapping" stands for all modules below it. */
static bool names_module(const char *name, size_t length, const char *module) {
  if (strncmp(module, name, length) != 0) return false;
  return !module[length] || (module[length] == '.' && strchr(name, '.'));
}

bool sofa_factory_knows_module(const SofaContext *ctx, const char *name) {
  const SofaFactory *factory = ctx->factory;
  const size_t length = strlen(name);
  for (size_t i = 0; length && i < factory->modules.n; i++) {
    const SofaModule *module = factory->modules.data[i];
    if (strcmp(module->name, name) == 0) return true;
    for (const char *const *other = module->stands_for; other && *other; other++)
      if (names_module(name, length, *other)) return true;
  }
  return false;
}

/* ---- defaults ---- */

/* The row of the template, else that of all templates, or NULL. */
static const SofaDefaultClass *
default_row(const SofaFactory *factory, const SofaInterface *interface, const char *template_name) {
  const SofaDefaultClass *general = NULL;
  for (size_t i = 0; i < factory->modules.n; i++) {
    const SofaDefaultClass *row = factory->modules.data[i]->defaults;
    for (; row && row->interface; row++) {
      if (row->interface != interface) continue;
      if (!row->template_name) general = general ? general : row;
      else if (template_name && strcmp(row->template_name, template_name) == 0) return row;
    }
  }
  return general;
}

SofaErr sofa_factory_default(SofaContext *ctx, const SofaInterface *interface,
                             const char *template_name, const SofaClass **out) {
  const SofaDefaultClass *row = default_row(ctx->factory, interface, template_name);
  *out = row ? sofa_factory_find(ctx, row->class_name, NULL) : NULL;
  if (!row || *out) return SOFA_OK;
  return sofa_fail(ctx, SOFA_ERR_NOT_FOUND, NULL, "class %s is not available", row->class_name);
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

/* The three most similar names: a less similar one is another component, not a slip of the pen. */
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
    if (one.similarity >= 0.8 && !klass->abstract) err = SOFA_APPEND(ctx, &near, &one);
  }
  if (near.n > 1) sofa_sort(near.data, near.n, sizeof *near.data, more_similar);
  const size_t n = near.n < 3 ? near.n : 3;
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
  const char *text = LOOK_UP(ctx->factory, removed, name);
  if (text) return sofa_text_printf(ctx, out, "there is no component '%s': %s", name, text);
  const char *now = LOOK_UP(ctx->factory, renamed, name);
  const char *where = sofa_factory_elsewhere(ctx, name);
  if (where) {
    if (now) SOFA_TRY(sofa_text_printf(ctx, out, "it is called '%s' now; ", now));
    return sofa_text_printf(ctx, out, "SOFA has it in %s; csofa does not", where);
  }
  if (now) {
    return sofa_text_printf(ctx, out, "'%s' is now called '%s', which is not built yet", name, now);
  }
  SOFA_TRY(sofa_text_printf(ctx, out, "there is no component '%s'", name));
  return nearest_names(ctx, name, out);
}
