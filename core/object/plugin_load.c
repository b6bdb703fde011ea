/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plugins: search for the shared library, check of its interface, registration. */
#include <dlfcn.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/files.h"
#include "object/factory_impl.h"
#include "object/plugin.h"

/* folder/lib<name>.so, folder/<name>.so, folder/<name>: *out is NULL when there is none. */
static SofaErr find_in(SofaContext *ctx, const char *folder, size_t length, const char *name,
                       char **out) {
  static const char *const forms[][2] = {{"lib", ".so"}, {"", ".so"}, {"", ""}};
  const char *last = sofa_path_name(name);
  for (size_t i = 0; !*out && i < sizeof forms / sizeof *forms; i++) {
    char *path = sofa_format(ctx, "%.*s/%.*s%s%s%s", (int)length, folder, (int)(last - name), name,
                             forms[i][0], last, forms[i][1]);
    if (!path) return SOFA_ERR_MEMORY;
    if (sofa_is_file(path)) *out = path;
    else sofa_free(ctx, path);
  }
  return SOFA_OK;
}

/* Folders relative to that of the program. */
static const char *const beside_program[] = {"", "/plugins", "/../lib", "/../lib/csofa/plugins",
                                             NULL};
/* Folders relative to that of the library: where plugins are installed, wherever that is. */
static const char *const beside_library[] = {"/csofa/plugins", NULL};
/* What is not loaded by its name alone. */
static const char *const optional_beside_library[] = {"/csofa/optional", NULL};
static const char *const optional_beside_program[] = {"/../lib/csofa/optional", NULL};

enum { ROOM = 32 }; /* for these */

/* Tries the folders beside a file. `file` has ROOM more bytes than its text. */
static SofaErr find_beside(SofaContext *ctx, char *file, const char *const *beside,
                           const char *name, char **out) {
  char *slash = strrchr(file, '/');
  for (size_t i = 0; slash && !*out && beside[i]; i++) {
    sofa_copy(slash, beside[i], strlen(beside[i]) + 1);
    SOFA_TRY(find_in(ctx, file, strlen(file), name, out));
  }
  return SOFA_OK;
}

static SofaErr find_near_program(SofaContext *ctx, const char *const *beside, const char *name,
                                 char **out) {
  char program[PATH_MAX + ROOM];
  const ssize_t n = readlink("/proc/self/exe", program, PATH_MAX);
  if (n <= 0) return SOFA_OK;
  program[n] = '\0';
  return find_beside(ctx, program, beside, name, out);
}

/* The file that this code is in: the library. false: not known. path: PATH_MAX bytes. */
static bool library_path(char *path) {
  static const char here = 0;
  Dl_info info;
  return dladdr(&here, &info) && info.dli_fname && realpath(info.dli_fname, path);
}

static SofaErr find_near_library(SofaContext *ctx, const char *const *beside, const char *name,
                                 char **out) {
  char library[PATH_MAX + ROOM];
  return library_path(library) ? find_beside(ctx, library, beside, name, out) : SOFA_OK;
}

/* The user's folder: $XDG_DATA_HOME/csofa/plugins, by default below ~/.local/share. As the XDG
 * rules say, a relative XDG_DATA_HOME does not count. */
static SofaErr find_of_user(SofaContext *ctx, const char *name, char **out) {
  const char *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");
  const bool given = data && sofa_is_absolute(data);
  if (!given && !(home && sofa_is_absolute(home))) return SOFA_OK;
  char *folder = given ? sofa_format(ctx, "%s/csofa/plugins", data)
                       : sofa_format(ctx, "%s/.local/share/csofa/plugins", home);
  if (!folder) return SOFA_ERR_MEMORY;
  const SofaErr err = find_in(ctx, folder, strlen(folder), name, out);
  sofa_free(ctx, folder);
  return err;
}

static SofaErr find_plugin(SofaContext *ctx, const char *name, const char *folder, char **out) {
  const bool path = strchr(name, '/') != NULL;
  *out = NULL;
  if (sofa_is_absolute(name)) return find_in(ctx, "", 0, name + 1, out);
  if (folder && path) SOFA_TRY(find_in(ctx, folder, strlen(folder), name, out));
  for (size_t i = ctx->n_plugin_paths; !*out && i-- > 0;)
    SOFA_TRY(find_in(ctx, ctx->plugin_paths[i], strlen(ctx->plugin_paths[i]), name, out));
  const char *list = getenv("CSOFA_PLUGIN_PATH");
  while (!*out && list && *list) {
    const size_t n = strcspn(list, ":");
    if (n) SOFA_TRY(find_in(ctx, list, n, name, out));
    list += n + (list[n] == ':');
  }
  if (!*out) SOFA_TRY(find_of_user(ctx, name, out));
  if (!*out) SOFA_TRY(find_near_program(ctx, beside_program, name, out));
  if (!*out) SOFA_TRY(find_near_library(ctx, beside_library, name, out));
  // last, so that a scene does not replace an installed plugin by one of its own
  if (!*out && folder && !path && ctx->trust_scene)
    SOFA_TRY(find_in(ctx, folder, strlen(folder), name, out));
  return SOFA_OK;
}

typedef const SofaModule *(*Entry)(void);

/* Is the file a plugin for this interface? Nothing of it runs. */
static SofaErr check_note(SofaContext *ctx, const char *path, const SofaOrigin *origin) {
  uint64_t abi = 0;
  bool found = false;
  SOFA_TRY(sofa_plugin_note_read(ctx, path, &abi, &found));
  if (!found)
    return sofa_fail(ctx, SOFA_ERR_ABI, origin,
                     "'%s' is not a csofa plugin: it has no note of csofa (SOFA_PLUGIN writes it); "
                     "it was not opened",
                     path);
  if (abi != SOFA_ABI)
    return sofa_fail(ctx, SOFA_ERR_ABI, origin,
                     "plugin '%s' was built with other headers of csofa (interface %016" PRIx64
                     ", this program has %016" PRIx64 "); build it again",
                     path, abi, SOFA_ABI);
  return SOFA_OK;
}

static SofaErr read_module(SofaContext *ctx, void *handle, const char *path,
                           const SofaOrigin *origin, const SofaModule **out) {
  void *symbol = dlsym(handle, SOFA_PLUGIN_SYMBOL);
  if (!symbol)
    return sofa_fail(ctx, SOFA_ERR_ABI, origin, "'%s' is not a csofa plugin: it exports no '%s'",
                     path, SOFA_PLUGIN_SYMBOL);
  Entry entry = NULL;
  memcpy(&entry, &symbol, sizeof entry);
  *out = entry();
  if (*out && (*out)->name) return SOFA_OK;
  return sofa_fail(ctx, SOFA_ERR_ABI, origin, "plugin '%s' gives no module", path);
}

static SofaErr open_plugin(SofaContext *ctx, const char *path, const SofaOrigin *origin) {
  SofaFactory *factory = ctx->factory;
  SofaPluginHandle plugin = {0};
  const SofaModule *module = NULL;
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < factory->plugins.n; i++) {
    if (strcmp(factory->plugins.data[i].path, path) == 0) return SOFA_OK;
  }
  SOFA_TRY(check_note(ctx, path, origin));
  plugin.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!plugin.handle) {
    return sofa_fail(ctx, SOFA_ERR_IO, origin, "cannot load plugin '%s': %s", path, dlerror());
  }
  SOFA_GO(err, fail, read_module(ctx, plugin.handle, path, origin, &module));
  plugin.path = sofa_strdup(ctx, path);
  if (!plugin.path) SOFA_GO(err, fail, SOFA_ERR_MEMORY);
  // room first: a library whose classes are registered must stay open
  SOFA_GO(err, fail, SOFA_RESERVE(ctx, &factory->plugins, factory->plugins.n + 1));
  SOFA_GO(err, fail, sofa_factory_register(ctx, module));
  factory->plugins.data[factory->plugins.n++] = plugin;
  if (!module->classes || !module->classes[0]) {
    sofa_message(ctx, SOFA_WARNING, origin, "plugin '%s' registers no component", module->name);
  }
  return SOFA_OK;
fail:
  sofa_free(ctx, plugin.path);
  dlclose(plugin.handle);
  return err;
}

static SofaErr not_found(SofaContext *ctx, const char *name, const SofaOrigin *origin) {
  char *optional = NULL;
  const char *apart = sofa_factory_plugin_apart(ctx, name);
  SOFA_TRY(find_near_library(ctx, optional_beside_library, name, &optional));
  if (!optional) SOFA_TRY(find_near_program(ctx, optional_beside_program, name, &optional));
  const SofaErr err =
      optional
          ? sofa_fail(ctx, SOFA_ERR_NOT_FOUND, origin,
                      "plugin '%s' is loaded on request only, as usual builds of SOFA do not have "
                      "it: --load %s",
                      name, optional)
      : apart ? sofa_fail(ctx, SOFA_ERR_NOT_FOUND, origin, "plugin '%s' is not installed: %s", name,
                          apart)
      : sofa_factory_is_foreign_plugin(ctx, name)
          ? sofa_fail(ctx, SOFA_ERR_NOT_FOUND, origin,
                      "plugin '%s' is one of SOFA; csofa does not have it", name)
          : sofa_fail(
                ctx, SOFA_ERR_NOT_FOUND, origin,
                "plugin '%s' was not found: no file lib%s.so or %s.so on CSOFA_PLUGIN_PATH, in "
                "the user's folder (~/.local/share/csofa/plugins), next to the program or in "
                "csofa/plugins next to the library",
                name, sofa_path_name(name), sofa_path_name(name));
  sofa_free(ctx, optional);
  return err;
}

SofaErr sofa_plugin_load(SofaContext *ctx, const char *name, const char *folder,
                         const SofaOrigin *origin) {
  char *path = NULL;
  if (sofa_factory_knows_module(ctx, name)) return SOFA_OK;
  SofaErr err = find_plugin(ctx, name, folder, &path);
  if (!err && !path) err = not_found(ctx, name, origin);
  if (!err) err = open_plugin(ctx, path, origin);
  sofa_free(ctx, path);
  return err;
}

/* Code in the folder of a scene does not run because the scene says so. */
SofaErr sofa_plugin_require(SofaContext *ctx, const char *name, const char *folder,
                            const SofaOrigin *origin) {
  if (ctx->trust_scene || !strchr(name, '/')) return sofa_plugin_load(ctx, name, folder, origin);
  return sofa_fail(ctx, SOFA_ERR_NOT_FOUND, origin,
                   "plugin '%s' is a path, and was not loaded: a scene names plugins, which are "
                   "searched in the installed folders, CSOFA_PLUGIN_PATH and --plugin-path. --load "
                   "loads a path, --trust-scene allows them in scenes",
                   name);
}
