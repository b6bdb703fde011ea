/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The factory: classes by name, modules, renamed and removed names. */
#ifndef SOFA_OBJECT_FACTORY_H
#define SOFA_OBJECT_FACTORY_H

#include "object/node.h"

typedef struct SofaFactory SofaFactory;

/* A module: an array of classes, built in or from a plugin. */
typedef struct SofaModule {
  unsigned abi;     /* SOFA_ABI */
  const char *name; /* name of the module or plugin */
  const char *version;
  const SofaClass *const *classes; /* NULL-terminated */
} SofaModule;

/* A plugin exports these symbols; they are looked up after dlopen, no constructor runs code. The
 * second is data, compared with SOFA_ABI before the first is called. */
#define SOFA_PLUGIN_SYMBOL "sofa_plugin_module"
#define SOFA_PLUGIN_ABI_SYMBOL "sofa_plugin_abi"
#define SOFA_PLUGIN(plugin_name, plugin_version, ...)                                              \
  __attribute__((visibility("default"))) extern const unsigned sofa_plugin_abi;                    \
  const unsigned sofa_plugin_abi = SOFA_ABI;                                                       \
  __attribute__((visibility("default"))) const SofaModule *sofa_plugin_module(void);               \
  const SofaModule *sofa_plugin_module(void) {                                                     \
    static const SofaClass *const classes[] = {__VA_ARGS__, NULL};                                 \
    static const SofaModule module = {SOFA_ABI, plugin_name, plugin_version, classes};             \
    return &module;                                                                                \
  }

SofaErr sofa_factory_create(SofaContext *ctx, SofaFactory **out);
void sofa_factory_destroy(SofaContext *ctx, SofaFactory **factory);

/* Registers a module's classes. The same module twice is harmless; another class of a known name is
 * an error naming both modules. Classes are checked: required ops present, tables sane. */
SofaErr sofa_factory_register(SofaContext *ctx, const SofaModule *module);
/* All built-in modules (components/modules.c). */
SofaErr sofa_register_builtins(SofaContext *ctx);

/* The built-in modules, NULL-terminated: components/modules.c, made from components/modules.h. */
extern const SofaModule *const sofa_builtin_modules[];

size_t sofa_factory_n_classes(const SofaContext *ctx); /* in order of registration */
const SofaClass *sofa_factory_class_at(const SofaContext *ctx, size_t i);
/* By name or alias, following the table of renamed components. *renamed (may be NULL) is set to the
 * new name when the given one is an old one. NULL: unknown. */
const SofaClass *sofa_factory_find(const SofaContext *ctx, const char *name, const char **renamed);
/* "x is deprecated ..." for components SOFA keeps but advises against, else NULL. */
const char *sofa_factory_deprecation(const char *name);
/* Why a name is unknown, and what to write instead: text of the removed-components table, or
 * nearest names. Appended to *out. */
SofaErr sofa_factory_explain(const SofaContext *ctx, const char *name, SofaText *out);
/* Quirks of the registered classes and their bases, a row per word and class that has it in its own
 * table, sorted by word. The list is the caller's. */
typedef struct SofaQuirkUse {
  const SofaQuirk *quirk;
  const SofaClass *klass;
} SofaQuirkUse;
SOFA_LIST(SofaQuirkUse, SofaQuirkUses);
SofaErr sofa_factory_quirks(SofaContext *ctx, SofaQuirkUses *out);
/* Every quirk the context names (quirk_words) is known to a registered class: else an error that
 * names the nearest one. Called when a scene is loaded, with the plugins it asks for. */
SofaErr sofa_factory_check_quirks(SofaContext *ctx);
/* Is it a module SOFA has (so that RequiredPlugin accepts it)? */
bool sofa_factory_knows_module(const SofaContext *ctx, const char *name);

/* Loads a plugin by name or path (spec: RequiredPlugin): known module names are accepted at once,
 * others searched as lib<name>.so, <name>.so on CSOFA_PLUGIN_PATH, next to the program, and in the
 * installed plugin folder; ABI checked before any call. folder: of the scene, may be NULL. */
SofaErr sofa_plugin_load(SofaContext *ctx, const char *name, const char *folder,
                         const SofaOrigin *origin);

/* Chooses the template for an object of `klass` in `node`: the requested one when the class has it
 * and can_create agrees, else the others in alphabetical order. *out is one of klass->templates (or
 * ""). SOFA_ERR_TYPE with reasons in *why when none fits. *fallback: another than the requested. */
SofaErr sofa_factory_template(SofaNode *node, const SofaClass *klass,
                              const struct SofaElement *element, const char *requested,
                              const char **out, bool *fallback, SofaText *why);

#endif
