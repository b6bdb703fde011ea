/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Contexts: options, messages, search paths. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api_impl.h"
#include "base/text.h"
#include "components/builtins.h"

#define CSOFA_SAME(code) _Static_assert((int)CSOFA_##code == (int)SOFA_##code, "one list of errors")
CSOFA_SAME(OK);
CSOFA_SAME(ERR_MEMORY);
CSOFA_SAME(ERR_ARGUMENT);
CSOFA_SAME(ERR_PARSE);
CSOFA_SAME(ERR_NOT_FOUND);
CSOFA_SAME(ERR_TYPE);
CSOFA_SAME(ERR_RANGE);
CSOFA_SAME(ERR_IO);
CSOFA_SAME(ERR_SCENE);
CSOFA_SAME(ERR_UNSUPPORTED);
CSOFA_SAME(ERR_CYCLE);
CSOFA_SAME(ERR_ABI);
CSOFA_SAME(ERR_GEOMETRY);
CSOFA_SAME(ERR_NOT_CONVERGED);
CSOFA_SAME(ERR_SINGULAR);
CSOFA_SAME(ERR_NOT_FINITE);
CSOFA_SAME(INFO);
CSOFA_SAME(DEPRECATED);
CSOFA_SAME(WARNING);
CSOFA_SAME(ERROR);
CSOFA_SAME(FATAL);

const char *csofa_err_text(CsofaErr err) {
  return sofa_err_text((SofaErr)err);
}

const char *csofa_version(void) {
  return CSOFA_VERSION;
}

int csofa_api_version(void) {
  return CSOFA_API_VERSION;
}

/* ---- options ---- */

typedef struct Words {
  SofaContextOptions options;
  char isa[16], quirks[1024];
} Words;

static void take_flag(Words *words, const char *word, size_t n, bool *known) {
  struct {
    const char *name;
    bool *flag;
  } flags[] = {
      {"quirks", &words->options.quirks},           {"keep-going", &words->options.keep_going},
      {"strict", &words->options.strict},           {"sandbox", &words->options.sandbox},
      {"trust-scene", &words->options.trust_scene},
  };
  for (size_t i = 0; i < SOFA_COUNT(flags); i++) {
    if (strlen(flags[i].name) != n || strncmp(flags[i].name, word, n) != 0) continue;
    *flags[i].flag = *known = true;
  }
}

static bool copy_value(char *to, size_t size, const char *from, size_t n) {
  if (n == 0 || n >= size) return false;
  memcpy(to, from, n);
  to[n] = '\0';
  return true;
}

/* One word of n characters; false: unknown, or a value that cannot be. */
static bool take_word(Words *words, const char *word, size_t n) {
  char number[16];
  bool known = false;
  const char *equal = memchr(word, '=', n);
  if (!equal) {
    take_flag(words, word, n, &known);
    return known;
  }
  const size_t key = (size_t)(equal - word), rest = n - key - 1;
  if (key == 7 && strncmp(word, "threads", key) == 0) {
    char *end = NULL;
    if (!copy_value(number, sizeof number, equal + 1, rest)) return false;
    const long threads = strtol(number, &end, 10);
    words->options.threads = (int)threads;
    return *end == '\0' && threads >= 1 && threads <= 4096;
  }
  if (key == 3 && strncmp(word, "isa", key) == 0) {
    words->options.isa = words->isa;
    return copy_value(words->isa, sizeof words->isa, equal + 1, rest);
  }
  if (key == 6 && strncmp(word, "quirks", key) == 0) {
    words->options.quirk_words = words->quirks;
    return copy_value(words->quirks, sizeof words->quirks, equal + 1, rest);
  }
  return false;
}

static CsofaErr take_options(Words *words, const char *text) {
  for (const char *at = text ? text : ""; *(at += strspn(at, " \t\n"));) {
    const size_t n = strcspn(at, " \t\n");
    if (!take_word(words, at, n)) {
      fprintf(stderr,
              "csofa_create: '%.*s' is not an option; options are threads=N, isa=NAME, "
              "quirks[=A,B], keep-going, strict, sandbox, trust-scene\n",
              (int)(n < 200 ? n : 200), at);
      return CSOFA_ERR_ARGUMENT;
    }
    at += n;
  }
  return CSOFA_OK;
}

/* ---- messages ---- */

static void keep_error(void *user, const SofaMessage *message) {
  CsofaContext *context = user;
  const SofaOrigin *o = &message->origin;
  if (message->severity < SOFA_ERROR || context->errors.n > 8000) return;
  SofaContext *ctx = context->ctx;
  if (context->errors.n) sofa_text_printf(ctx, &context->errors, "\n");
  if (o->file) sofa_text_printf(ctx, &context->errors, "%s:", o->file);
  if (o->file && o->line > 0) sofa_text_printf(ctx, &context->errors, "%d:", o->line);
  if (o->path) sofa_text_printf(ctx, &context->errors, "%s%s:", o->file ? " " : "", o->path);
  sofa_text_printf(ctx, &context->errors, "%s%s", o->file || o->path ? " " : "", message->text);
}

static void pass_on(void *user, const SofaMessage *message) {
  const CsofaContext *context = user;
  const SofaOrigin *o = &message->origin;
  if (context->on_message)
    context->on_message(context->user, (int)message->severity, message->text, o->file, o->line,
                        o->path, o->emitter);
}

void csofa_on_message(CsofaContext *context, CsofaMessageFn function, void *user) {
  context->ctx->sink = pass_on;
  context->ctx->sink_user = context;
  context->on_message = function;
  context->user = user;
}

const char *csofa_last_error(const CsofaContext *context) {
  return context->last_error.data ? context->last_error.data : "";
}

void csofa_begin(CsofaContext *context) {
  context->errors.n = 0;
}

CsofaErr csofa_end(CsofaContext *context, SofaErr err) {
  if (err == SOFA_OK) return CSOFA_OK;
  SofaText *last = &context->last_error;
  last->n = 0;
  sofa_text_printf(context->ctx, last, "%s",
                   context->errors.n ? context->errors.data : sofa_err_text(err));
  return (CsofaErr)err;
}

CsofaErr csofa_fail(CsofaContext *context, SofaErr err, const char *format, ...) {
  const SofaOrigin origin = {.emitter = "csofa"};
  va_list args;
  va_start(args, format);
  sofa_message_va(context->ctx, SOFA_ERROR, &origin, format, args);
  va_end(args);
  return csofa_end(context, err);
}

const char *csofa_lend(CsofaContext *context, const char *text) {
  if (!text) return NULL;
  context->text.n = 0;
  const SofaErr err = sofa_text_printf(context->ctx, &context->text, "%s", text);
  return err == SOFA_OK ? context->text.data : NULL;
}

void csofa_listen(CsofaContext *context) {
  context->tap = (SofaMessageTap){.read = keep_error, .user = context};
  sofa_message_add_tap(context->ctx, &context->tap);
}

void csofa_free_texts(CsofaContext *context) {
  sofa_message_remove_tap(context->ctx, &context->tap);
  sofa_list_free(context->ctx, &context->scenes);
  sofa_list_free(context->ctx, &context->errors);
  sofa_list_free(context->ctx, &context->last_error);
  sofa_list_free(context->ctx, &context->text);
}

/* ---- creation ---- */

CsofaErr csofa_create(const char *options, CsofaContext **out) {
  Words words = {0};
  *out = NULL;
  words.options.provenance = true;
  const CsofaErr wrong = take_options(&words, options);
  if (wrong != CSOFA_OK) return wrong;
  CsofaContext *context = calloc(1, sizeof *context);
  if (!context) return CSOFA_ERR_MEMORY;
  SofaErr err = sofa_context_create_with_builtins(&words.options, &context->ctx);
  if (err == SOFA_OK) err = csofa_register(context->ctx);
  if (err != SOFA_OK) {
    sofa_context_destroy(&context->ctx);
    free(context);
    return (CsofaErr)err;
  }
  csofa_listen(context);
  *out = context;
  return CSOFA_OK;
}

void csofa_destroy(CsofaContext *context) {
  if (!context) return;
  while (context->scenes.n) csofa_destroy_scene(context->scenes.data[context->scenes.n - 1]);
  csofa_free_texts(context);
  sofa_context_destroy(&context->ctx);
  free(context);
}

/* ---- paths and plugins ---- */

CsofaErr csofa_add_data_path(CsofaContext *context, const char *folders) {
  csofa_begin(context);
  return csofa_end(context, sofa_context_add_data_paths(context->ctx, folders));
}

CsofaErr csofa_add_plugin_path(CsofaContext *context, const char *folders) {
  csofa_begin(context);
  return csofa_end(context, sofa_context_add_plugin_paths(context->ctx, folders));
}

CsofaErr csofa_load_plugin(CsofaContext *context, const char *name) {
  const SofaOrigin origin = {.emitter = "csofa"};
  csofa_begin(context);
  return csofa_end(context, sofa_plugin_load(context->ctx, name, ".", &origin));
}

int csofa_has_class(CsofaContext *context, const char *name) {
  const SofaClass *klass = sofa_factory_find(context->ctx, name, NULL);
  return klass && !klass->abstract;
}
