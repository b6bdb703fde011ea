/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RequiredPlugin: loads plugins while the scene is read, before the elements that follow. */
#include "base/files.h"
#include "object/factory.h"

typedef struct RequiredPlugin {
  SofaObject object;
  SofaStrings plugin_name, suffix_map, loaded_plugins;
  bool stop_after_first_name, stop_after_first_suffix, require_one, require_all;
} RequiredPlugin;

static const SofaField fields[] = {
    SOFA_FIELD(RequiredPlugin, plugin_name, "pluginName", NULL, "",
               "names of modules or plugins, or paths of plugins"),
    SOFA_FIELD(RequiredPlugin, suffix_map, "suffixMap", NULL, "",
               "suffixes SOFA puts behind library names", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(RequiredPlugin, stop_after_first_name, "stopAfterFirstNameFound", "0", "",
               "stop at the first name that could be loaded"),
    SOFA_FIELD(RequiredPlugin, stop_after_first_suffix, "stopAfterFirstSuffixFound", "1", "",
               "stop at the first suffix that could be loaded", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(RequiredPlugin, require_one, "requireOne", "0", "",
               "an error when no plugin of the list could be loaded"),
    SOFA_FIELD(RequiredPlugin, require_all, "requireAll", "1", "",
               "an error when one of the names could not be loaded"),
    SOFA_FIELD(RequiredPlugin, loaded_plugins, "loadedPlugins", NULL, "",
               "names that were loaded or are built in", .flags = SOFA_FIELD_OUTPUT),
};

static SofaErr construct(SofaObject *object) {
  object->print_log = true;
  return SOFA_OK;
}

static SofaErr keep(RequiredPlugin *plugin, const char *name) {
  SofaContext *ctx = plugin->object.ctx;
  char *copy = sofa_strdup(ctx, name);
  if (!copy) return SOFA_ERR_MEMORY;
  const SofaErr err = SOFA_APPEND(ctx, &plugin->loaded_plugins, &copy);
  if (err != SOFA_OK) sofa_free(ctx, copy);
  return err;
}

/* One name. What the loader finds wrong with it, it reports itself. */
static SofaErr load(RequiredPlugin *plugin, const char *name, const char *folder, bool *loaded) {
  const SofaObject *object = &plugin->object;
  const SofaOrigin origin = {.file = object->file, .line = object->line};
  const SofaErr err = sofa_plugin_require(object->ctx, name, folder, &origin);
  *loaded = err == SOFA_OK;
  if (*loaded) return keep(plugin, name);
  // what is wrong inside of a plugin does not say who asked for it
  if (err != SOFA_ERR_NOT_FOUND && err != SOFA_ERR_IO && err != SOFA_ERR_ABI)
    sofa_object_message(object, SOFA_ERROR, "plugin '%s' was not loaded", name);
  return err == SOFA_ERR_MEMORY ? err : SOFA_OK;
}

static SofaErr load_all(RequiredPlugin *plugin, char *const *names, size_t n, const char *folder) {
  for (size_t i = 0; i < n; i++) {
    bool loaded = false;
    SOFA_TRY(load(plugin, names[i], folder, &loaded));
    if (loaded && plugin->stop_after_first_name) break;
  }
  return SOFA_OK;
}

static SofaErr parsed(SofaObject *object) {
  RequiredPlugin *plugin = (RequiredPlugin *)object;
  SofaContext *ctx = object->ctx;
  char *folder = NULL;
  char *const *names = plugin->plugin_name.data;
  size_t n = plugin->plugin_name.n;

  // old scenes say it with the name
  if (n == 0 && !sofa_field_is_set(object, "pluginName")) {
    sofa_object_message(object, SOFA_DEPRECATED,
                        "the plugin is named by 'name'; write pluginName=\"%s\"", object->name);
    names = &object->name;
    n = 1;
  }
  if (object->file) {
    folder = sofa_path_folder(ctx, object->file);
    if (!folder) return SOFA_ERR_MEMORY;
  }
  const SofaErr err = load_all(plugin, names, n, folder);
  sofa_free(ctx, folder);
  return err;
}

SOFA_CLASS(RequiredPlugin) = {
    SOFA_NAMED(RequiredPlugin),
    .module = "Sofa.Simulation.Core",
    .category = "Setting",
    .help = "Loads plugins before the elements that follow. Names of SOFA's modules are accepted: "
            "their components are built in.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_FIELDS(fields),
    .construct = construct,
    .parsed = parsed,
};
