/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values that are words: strings, lists of them, tags, file names, options. */
#include <string.h>
#include "base/files.h"
#include "object/type_impl.h"

static SofaErr set_string(SofaContext *ctx, char **target, const char *text) {
  char *copy = sofa_strdup(ctx, text);
  if (text && !copy) return SOFA_ERR_MEMORY;
  sofa_free(ctx, *target);
  *target = copy;
  return SOFA_OK;
}

static SofaErr append_text(SofaContext *ctx, SofaText *out, const char *text) {
  return text ? sofa_text_append(ctx, out, text, strlen(text)) : SOFA_OK;
}

/* "a, b or c" of a field's options. */
static SofaErr list_options(SofaContext *ctx, const char *const *options, SofaText *out) {
  for (size_t i = 0; options[i]; i++) {
    const char *between = !i ? "" : options[i + 1] ? ", " : " or ";
    SOFA_TRY(sofa_text_printf(ctx, out, "%s'%s'", between, options[i]));
  }
  return SOFA_OK;
}

static SofaErr refuse_option(const SofaParse *parse, const char *text) {
  const char *const *options = parse->field->options;
  size_t n = 0;
  while (options[n]) n++;
  SOFA_TRY(sofa_text_printf(parse->ctx, parse->why, "expected "));
  SOFA_TRY(list_options(parse->ctx, options, parse->why));
  const size_t i = sofa_nearest_word(text, options, n);
  if (i < n) {
    SOFA_TRY(sofa_text_printf(parse->ctx, parse->why, "; did you mean '%s'?", options[i]));
  }
  return SOFA_ERR_PARSE;
}

static size_t find_option(const char *const *options, const char *text) {
  size_t i = 0;
  while (options[i] && strcmp(options[i], text) != 0) i++;
  return i;
}

/* ---- string ---- */

SofaErr sofa_parse_string(const SofaType *type, const SofaParse *parse, const char *text,
                          void *value) {
  (void)type;
  const SofaField *field = parse->field;
  if (!field || !field->options) return set_string(parse->ctx, value, text);
  // one of a set: an unknown one falls back to the first
  const bool known = field->options[find_option(field->options, text)] != NULL;
  if (known || !*text) {
    return *text || !*(char **)value ? set_string(parse->ctx, value, text) : SOFA_OK;
  }
  SOFA_TRY(set_string(parse->ctx, value, field->options[0]));
  return refuse_option(parse, text);
}

SofaErr sofa_print_string(const SofaType *type, SofaContext *ctx, const SofaField *field,
                          const void *value, SofaText *out) {
  (void)type;
  (void)field;
  return append_text(ctx, out, *(char *const *)value);
}

SofaErr sofa_copy_string(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  (void)type;
  return set_string(ctx, to, *(char *const *)from);
}

void sofa_free_string(SofaContext *ctx, void *value) {
  sofa_free(ctx, *(char **)value);
  *(char **)value = NULL;
}

/* ---- list of strings ---- */

/* ["a", "b"], with either kind of quote. */
static SofaErr parse_quoted(const SofaParse *parse, const char *p, SofaStrings *list) {
  for (;;) {
    while (sofa_at_end(&p), *p == ',') p++;
    if (*p == ']') return SOFA_OK;
    if (*p != '"' && *p != '\'') {
      return sofa_refuse(parse, "expected a quoted word or ']', found '%.*s'", sofa_word_length(p),
                         p);
    }
    const char *end = strchr(p + 1, *p);
    if (!end) return sofa_refuse(parse, "the quote %.*s is not closed", sofa_word_length(p), p);
    SOFA_TRY(sofa_strings_append(parse->ctx, list, p + 1, (size_t)(end - p - 1)));
    p = end + 1;
  }
}

static SofaErr parse_words(SofaContext *ctx, const char *p, SofaStrings *list) {
  const char *word = NULL;
  size_t n = 0;
  while (sofa_read_word(&p, &word, &n)) SOFA_TRY(sofa_strings_append(ctx, list, word, n));
  return SOFA_OK;
}

SofaErr sofa_parse_strings(const SofaType *type, const SofaParse *parse, const char *text,
                           void *value) {
  (void)type;
  sofa_strings_free(parse->ctx, value);
  const char *p = text;
  sofa_at_end(&p);
  return *p == '[' ? parse_quoted(parse, p + 1, value) : parse_words(parse->ctx, p, value);
}

SofaErr sofa_print_strings(const SofaType *type, SofaContext *ctx, const SofaField *field,
                           const void *value, SofaText *out) {
  const SofaStrings *list = value;
  (void)type;
  (void)field;
  SOFA_TRY(sofa_text_append(ctx, out, "[", 1));
  for (size_t i = 0; i < list->n; i++) {
    const char quote = strchr(list->data[i], '"') ? '\'' : '"';
    SOFA_TRY(sofa_text_printf(ctx, out, "%s%c%s%c", i ? ", " : "", quote, list->data[i], quote));
  }
  return sofa_text_append(ctx, out, "]", 1);
}

SofaErr sofa_copy_strings(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  const SofaStrings *source = from;
  SofaStrings copy = {0};
  (void)type;
  for (size_t i = 0; i < source->n; i++) {
    const SofaErr err = sofa_strings_append(ctx, &copy, source->data[i], strlen(source->data[i]));
    if (err) {
      sofa_strings_free(ctx, &copy);
      return err;
    }
  }
  sofa_strings_free(ctx, to);
  *(SofaStrings *)to = copy;
  return SOFA_OK;
}

void sofa_free_strings(SofaContext *ctx, void *value) {
  sofa_strings_free(ctx, value);
}

/* ---- tags ---- */

SofaErr sofa_parse_tags(const SofaType *type, const SofaParse *parse, const char *text,
                        void *value) {
  SofaTags *tags = value;
  (void)type;
  sofa_strings_free(parse->ctx, &tags->words);
  return parse_words(parse->ctx, text, &tags->words);
}

SofaErr sofa_print_tags(const SofaType *type, SofaContext *ctx, const SofaField *field,
                        const void *value, SofaText *out) {
  const SofaTags *tags = value;
  (void)type;
  (void)field;
  for (size_t i = 0; i < tags->words.n; i++) {
    SOFA_TRY(sofa_text_printf(ctx, out, "%s%s", i ? " " : "", tags->words.data[i]));
  }
  return SOFA_OK;
}

SofaErr sofa_copy_tags(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  return sofa_copy_strings(type, ctx, &((const SofaTags *)from)->words, &((SofaTags *)to)->words);
}

void sofa_free_tags(SofaContext *ctx, void *value) {
  sofa_strings_free(ctx, &((SofaTags *)value)->words);
}

/* ---- file name ---- */

SofaErr sofa_parse_filename(const SofaType *type, const SofaParse *parse, const char *text,
                            void *value) {
  SofaFileName *name = value;
  char *path = NULL;
  (void)type;
  // a file that is not there may be one to write
  const SofaErr err = sofa_find_file(parse->ctx, parse->folder, text, &path);
  if (err && err != SOFA_ERR_NOT_FOUND) return err;
  const SofaErr set = set_string(parse->ctx, &name->text, text);
  if (set) {
    sofa_free(parse->ctx, path);
    return set;
  }
  sofa_free(parse->ctx, name->path);
  name->path = path;
  return SOFA_OK;
}

SofaErr sofa_print_filename(const SofaType *type, SofaContext *ctx, const SofaField *field,
                            const void *value, SofaText *out) {
  (void)type;
  (void)field;
  return append_text(ctx, out, ((const SofaFileName *)value)->text);
}

SofaErr sofa_copy_filename(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  const SofaFileName *source = from;
  SofaFileName *target = to;
  (void)type;
  SOFA_TRY(set_string(ctx, &target->text, source->text));
  return set_string(ctx, &target->path, source->path);
}

void sofa_free_filename(SofaContext *ctx, void *value) {
  SofaFileName *name = value;
  sofa_free(ctx, name->text);
  sofa_free(ctx, name->path);
  *name = (SofaFileName){0};
}

/* ---- option ---- */

SofaErr sofa_parse_option(const SofaType *type, const SofaParse *parse, const char *text,
                          void *value) {
  SofaOption *option = value;
  (void)type;
  if (!*text) return SOFA_OK;
  if (!parse->field || !parse->field->options) return sofa_refuse(parse, "there are no options");
  // an item, else its index
  const char *const *options = parse->field->options;
  size_t n = 0;
  while (options[n]) n++;
  const size_t i = find_option(options, text);
  if (i < n) {
    option->index = (int)i;
    return SOFA_OK;
  }
  const char *p = text;
  int64_t index = -1;
  if (sofa_read_int(&p, &index) && sofa_at_end(&p) && index >= 0 && index < (int64_t)n) {
    option->index = (int)index;
    return SOFA_OK;
  }
  return refuse_option(parse, text);
}

SofaErr sofa_print_option(const SofaType *type, SofaContext *ctx, const SofaField *field,
                          const void *value, SofaText *out) {
  const int index = ((const SofaOption *)value)->index;
  (void)type;
  int n = 0;
  while (field && field->options && field->options[n]) n++;
  if (index >= 0 && index < n) return append_text(ctx, out, field->options[index]);
  return sofa_text_printf(ctx, out, "%d", index);
}
