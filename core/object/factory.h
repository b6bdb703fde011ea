/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The factory: modules, their classes by name, other names that scenes may use, defaults. */
#ifndef SOFA_OBJECT_FACTORY_H
#define SOFA_OBJECT_FACTORY_H

#include "object/node.h"

SOFA_BEGIN_DECLS

typedef struct SofaFactory SofaFactory;

/* A name with a text. Lists of rows end with a row without a name. */
typedef struct SofaNameRow {
  const char *name, *text;
} SofaNameRow;

/* The class of the object that is made when a scene has none with the interface. Lists of rows end
 * with a row without an interface. */
typedef struct SofaDefaultClass {
  const SofaInterface *interface;
  const char *template_name; /* NULL: of all templates without a row of their own */
  const char *class_name;
} SofaDefaultClass;

/* A module: classes and names, built in or from a plugin. Each list may be NULL. */
typedef struct SofaModule {
  uint64_t abi;     /* SOFA_ABI (base/abi.h) */
  const char *name; /* name of the module or plugin */
  const char *version;
  const SofaClass *const *classes; /* NULL-terminated */
  const SofaNameRow *renamed;      /* components by old names; text: the present name */
  const SofaNameRow *removed;      /* components that were removed; text: what to write instead */
  const SofaNameRow *deprecated;   /* components that are advised against; text: the advice */
  const SofaNameRow *prefabs;      /* tags that stand for the scene in the text */
  const char *const *stands_for;   /* modules of SOFA that need not be loaded, NULL-terminated */
  const SofaNameRow *elsewhere;    /* components that are not built; text: where SOFA has them */
  const char *const *plugins_elsewhere; /* plugins of SOFA that are not built, NULL-terminated */
  const SofaNameRow *plugins_apart;     /* plugins that are installed apart; text: how */
  const SofaDefaultClass *defaults;     /* of the interfaces that a scene may leave out */
  const SofaNameRow
      *readers; /* scene files by extension ("py"); text: the plugin that reads them */
} SofaModule;

/* Creates a context with the kernels that the options ask for and an empty factory. On failure *out
 * is NULL. */
SofaErr sofa_context_create(const SofaContextOptions *options, SofaContext **out);
/* Attaches an empty factory to a context that has none; the context destroys it. */
SofaErr sofa_factory_create(SofaContext *ctx);

/* Registers a module's classes. The same module twice is harmless; another class of a known name is
 * an error naming both modules. Classes are checked: required ops present, tables sane. */
SofaErr sofa_factory_register(SofaContext *ctx, const SofaModule *module);

size_t sofa_factory_n_classes(const SofaContext *ctx); /* in order of registration */
const SofaClass *sofa_factory_class_at(const SofaContext *ctx, size_t i);
/* By name or alias, or by an old name. *renamed (may be NULL) is set to the
 * new name when the given one is an old one. NULL: unknown. */
const SofaClass *sofa_factory_find(const SofaContext *ctx, const char *name, const char **renamed);
/* "x is deprecated ..." for components SOFA keeps but advises against, else NULL. */
const char *sofa_factory_deprecation(const SofaContext *ctx, const char *name);
/* The scene that a tag stands for, else NULL. */
const char *sofa_factory_prefab(const SofaContext *ctx, const char *tag);
/* The class of the object that is made when a scene has none with the interface, of a template (may
 * be NULL). *out is NULL when no module names one. SOFA_ERR_NOT_FOUND, reported: it is missing. */
SofaErr sofa_factory_default(SofaContext *ctx, const SofaInterface *interface,
                             const char *template_name, const SofaClass **out);
/* Appends to *out why a name is unknown and what to write instead: the advice of a module, or the
 * nearest names. */
SofaErr sofa_factory_explain(const SofaContext *ctx, const char *name, SofaText *out);
/* The plugin that reads scene files of this extension, else NULL. */
const char *sofa_factory_reader_plugin(const SofaContext *ctx, const char *extension);
/* Where SOFA has a component that is not built ("Sofa.Component.Haptics"), else NULL. */
const char *sofa_factory_elsewhere(const SofaContext *ctx, const char *name);
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
/* Is it registered, or a module of SOFA that a registered one stands for? Then RequiredPlugin has
 * nothing to load. */
bool sofa_factory_knows_module(const SofaContext *ctx, const char *name);

/* Loads a plugin by name or path: known module names are accepted at once, others searched as
 * lib<name>.so, <name>.so in the folders of --plugin-path and CSOFA_PLUGIN_PATH, in the user's
 * folder
 * ($XDG_DATA_HOME/csofa/plugins), next to the program and in the installed plugin folder, and, when
 * the scene is trusted, in `folder`; ABI checked before any call. folder: of the scene, may be
 * NULL.
 */
SofaErr sofa_plugin_load(SofaContext *ctx, const char *name, const char *folder,
                         const SofaOrigin *origin);
/* The same for the elements of a scene: paths are refused unless ctx->trust_scene. */
SofaErr sofa_plugin_require(SofaContext *ctx, const char *name, const char *folder,
                            const SofaOrigin *origin);

typedef struct SofaTemplateChoice {
  const char *name; /* one of klass->templates, or "" */
  bool fallback;    /* another than the requested one */
  SofaText why;     /* reasons why templates did not fit; the caller frees it */
} SofaTemplateChoice;
/* Chooses the template for an object of `klass` in `node`: the requested one when the class has it
 * and can_create agrees, else the others in alphabetical order. *out is all-zero on entry.
 * SOFA_ERR_TYPE when none fits. */
SofaErr sofa_factory_template(SofaNode *node, const SofaClass *klass,
                              const struct SofaElement *element, const char *requested,
                              SofaTemplateChoice *out);

SOFA_END_DECLS

#endif
