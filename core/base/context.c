/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Creation and destruction of contexts, and allocation through them. */
#include "base/context.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include "base/profiler.h"
#include "base/provenance.h"
#include "base/scratch.h"
#include "base/team.h"
#include "base/text.h"

/* ---- allocation ---- */

enum { CACHE_LINE = 64, LARGE = 4096 };

/* A block that begins with a line of the cache, with the bytes of `block` (NULL: none), which it
 * replaces; where there is no memory for a second one, the block itself. */
static void *on_line(void *block, size_t size) {
  void *moved = NULL;
  if (block && (uintptr_t)block % CACHE_LINE == 0) return block;
  if (posix_memalign(&moved, CACHE_LINE, size)) return block;
  if (block) sofa_copy(moved, block, size);
  free(block);
  return moved;
}

/* Large blocks begin with a line of the cache: a register of 64 bytes that lies across two lines
 * takes two loads. */
static void *c_allocate(void *user, void *block, size_t size) {
  (void)user;
  if (size == 0) {
    free(block);
    return NULL;
  }
  if (size < LARGE) return realloc(block, size);
  if (!block) return on_line(NULL, size);
  void *resized = realloc(block, size);
  return resized ? on_line(resized, size) : NULL;
}

static void *allocate(SofaContext *ctx, void *block, size_t n, size_t size) {
  // a block of zero bytes is a block of one, so that NULL always means failure
  const bool overflow = size && n > (size_t)PTRDIFF_MAX / size;
  const size_t bytes = overflow ? 0 : n * size;
  void *result = NULL;
  if (!overflow) {
    ctx->n_allocations++;
    result = ctx->allocate(ctx->allocate_user, block, bytes ? bytes : 1);
  }
  if (!result) {
    sofa_message(ctx, SOFA_ERROR, NULL, "out of memory: %zu entries of %zu bytes", n, size);
  }
  return result;
}

void *sofa_alloc(SofaContext *ctx, size_t n, size_t size) {
  void *block = allocate(ctx, NULL, n, size);
  if (block && n) sofa_zero(block, n * size);
  return block;
}

void *sofa_realloc(SofaContext *ctx, void *block, size_t n, size_t size) {
  return allocate(ctx, block, n, size);
}

void sofa_free(SofaContext *ctx, void *block) {
  if (block) ctx->allocate(ctx->allocate_user, block, 0);
}

/* ---- strings ---- */

char *sofa_strndup(SofaContext *ctx, const char *text, size_t n) {
  if (!text) return NULL;
  n = strnlen(text, n);
  char *copy = allocate(ctx, NULL, n + 1, 1);
  if (!copy) return NULL;
  sofa_copy(copy, text, n);
  copy[n] = '\0';
  return copy;
}

char *sofa_strdup(SofaContext *ctx, const char *text) {
  return text ? sofa_strndup(ctx, text, strlen(text)) : NULL;
}

char *sofa_format(SofaContext *ctx, const char *format, ...) {
  char *text = NULL;
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const int n = sofa_vprint(NULL, 0, format, args);
  if (n >= 0) text = allocate(ctx, NULL, (size_t)n + 1, 1);
  if (text) sofa_vprint(text, (size_t)n + 1, format, again);
  va_end(again);
  va_end(args);
  return text;
}

/* ---- context ---- */

SofaErr sofa_context_create_bare(const SofaContextOptions *options, SofaContext **out) {
  static const SofaContextOptions defaults = {0};
  *out = NULL;
  if (!options) options = &defaults;
  // a context on the stack reports what goes wrong before there is one
  SofaContext start = {
      .allocate = options->allocate ? options->allocate : c_allocate,
      .allocate_user = options->allocate_user,
      .sink = options->sink,
      .sink_user = options->sink_user,
      .threads = options->threads > 0 ? options->threads : 1,
      .quirks = options->quirks,
      .keep_going = options->keep_going,
      .strict = options->strict,
      .trust_scene = options->trust_scene && !options->sandbox,
      .sandbox = options->sandbox,
      .discard_outputs = options->discard_outputs,
      .assembles_always = options->assembles_always,
      .provenance = {.wanted = options->provenance},
  };
  if (options->threads < 0) {
    return sofa_fail(&start, SOFA_ERR_ARGUMENT, NULL, "threads=%d, expected 0 or more",
                     options->threads);
  }
  SofaContext *ctx = sofa_alloc(&start, 1, sizeof *ctx);
  if (!ctx) return SOFA_ERR_MEMORY;
  *ctx = start;
  ctx->quirk_words = sofa_strdup(ctx, options->quirk_words);
  ctx->output_folder = sofa_strdup(ctx, options->output_folder);
  if ((options->quirk_words && !ctx->quirk_words) ||
      (options->output_folder && !ctx->output_folder)) {
    sofa_context_destroy(&ctx);
    return SOFA_ERR_MEMORY;
  }
  *out = ctx;
  return SOFA_OK;
}

void sofa_context_destroy(SofaContext **pctx) {
  SofaContext *ctx = pctx ? *pctx : NULL;
  if (!ctx) return;
  if (ctx->factory) ctx->destroy_factory(ctx, &ctx->factory);
  sofa_team_destroy(ctx);
  sofa_profiler_destroy(ctx);
  sofa_scratch_destroy(ctx);
  for (size_t i = 0; i < ctx->n_data_paths; i++) sofa_free(ctx, ctx->data_paths[i]);
  sofa_free(ctx, ctx->data_paths);
  for (size_t i = 0; i < ctx->n_plugin_paths; i++) sofa_free(ctx, ctx->plugin_paths[i]);
  for (size_t i = 0; i < ctx->settings.n; i++) {
    sofa_free(ctx, ctx->settings.data[i].path);
    sofa_free(ctx, ctx->settings.data[i].field);
    sofa_free(ctx, ctx->settings.data[i].value);
  }
  sofa_free(ctx, ctx->settings.data);
  sofa_free(ctx, ctx->plugin_paths);
  sofa_free(ctx, ctx->handles.data);
  sofa_free(ctx, ctx->quirk_words);
  sofa_free(ctx, ctx->processes);
  sofa_free(ctx, ctx->output_folder);
  sofa_provenance_free(ctx);
  sofa_free(ctx, (void *)(uintptr_t)ctx->quirks_announced);
  sofa_free(ctx, ctx);
  *pctx = NULL;
}

static char ***list_of(SofaContext *ctx, SofaPaths which, size_t **n) {
  *n = which == SOFA_PATHS_DATA ? &ctx->n_data_paths : &ctx->n_plugin_paths;
  return which == SOFA_PATHS_DATA ? &ctx->data_paths : &ctx->plugin_paths;
}

static SofaErr add_path(SofaContext *ctx, SofaPaths which, const char *path, size_t length) {
  size_t *n;
  char ***list = list_of(ctx, which, &n);
  char **paths = sofa_realloc(ctx, *list, *n + 1, sizeof *paths);
  if (!paths) return SOFA_ERR_MEMORY;
  *list = paths;
  char *copy = sofa_strndup(ctx, path, length);
  if (!copy) return SOFA_ERR_MEMORY;
  paths[(*n)++] = copy;
  return SOFA_OK;
}

SofaErr sofa_context_add_path(SofaContext *ctx, SofaPaths which, const char *folder) {
  return add_path(ctx, which, folder, strlen(folder));
}

void sofa_context_remove_path(SofaContext *ctx, SofaPaths which, const char *folder) {
  size_t *n;
  char **paths = *list_of(ctx, which, &n);
  size_t i = *n;
  while (i > 0 && strcmp(paths[i - 1], folder) != 0) i--;
  if (i == 0) return;
  sofa_free(ctx, paths[i - 1]);
  sofa_move(paths + i - 1, paths + i, (*n - i) * sizeof *paths);
  (*n)--;
}

static SofaErr add_paths(SofaContext *ctx, SofaPaths which, const char *paths) {
  while (paths && *paths) {
    const size_t n = strcspn(paths, ":");
    if (n) SOFA_TRY(add_path(ctx, which, paths, n));
    paths += n + (paths[n] == ':');
  }
  return SOFA_OK;
}

SofaErr sofa_context_add_data_paths(SofaContext *ctx, const char *paths) {
  return add_paths(ctx, SOFA_PATHS_DATA, paths);
}

SofaErr sofa_context_add_plugin_paths(SofaContext *ctx, const char *paths) {
  return add_paths(ctx, SOFA_PATHS_PLUGINS, paths);
}
