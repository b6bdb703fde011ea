/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Links: their text is one or several paths, each beginning with '@'. */
#include <string.h>
#include "object/type_impl.h"

/* The next well-formed path of the text; others are refused and skipped. */
static bool next_path(const SofaParse *parse, const char **p, const char **path, size_t *n,
                      SofaErr *err) {
  while (sofa_read_word(p, path, n)) {
    if (**path == '@') return true;
    const SofaErr e =
        sofa_refuse(parse, "a path begins with '@', found '%.*s'", *n < 40 ? (int)*n : 40, *path);
    if (!*err) *err = e;
  }
  return false;
}

SofaErr sofa_parse_link(const SofaType *type, const SofaParse *parse, const char *text,
                        void *value) {
  SofaLink *link = value;
  const char *p = text, *path = NULL;
  size_t n = 0;
  SofaErr err = SOFA_OK;
  char *copy = NULL;
  (void)type;
  if (next_path(parse, &p, &path, &n, &err)) {
    copy = sofa_strndup(parse->ctx, path, n);
    if (!copy) return SOFA_ERR_MEMORY;
    if (next_path(parse, &p, &path, &n, &err)) {
      err = sofa_refuse(parse, "expected one path, found several; the first one is kept");
    }
  }
  sofa_free(parse->ctx, link->path);
  *link = (SofaLink){.path = copy};
  return err;
}

SofaErr sofa_print_link(const SofaType *type, SofaContext *ctx, const SofaField *field,
                        const void *value, SofaText *out) {
  const SofaLink *link = value;
  (void)type;
  (void)field;
  return link->path ? sofa_text_append(ctx, out, link->path, strlen(link->path)) : SOFA_OK;
}

SofaErr sofa_copy_link(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  const SofaLink *source = from;
  SofaLink *target = to;
  (void)type;
  char *path = sofa_strdup(ctx, source->path);
  if (source->path && !path) return SOFA_ERR_MEMORY;
  sofa_free(ctx, target->path);
  *target = (SofaLink){path, source->target};
  return SOFA_OK;
}

void sofa_free_link(SofaContext *ctx, void *value) {
  SofaLink *link = value;
  sofa_free(ctx, link->path);
  *link = (SofaLink){0};
}

/* ---- several ---- */

SofaErr sofa_parse_links(const SofaType *type, const SofaParse *parse, const char *text,
                         void *value) {
  SofaLinks *links = value;
  const char *p = text, *path = NULL;
  size_t n = 0;
  SofaErr err = SOFA_OK;
  (void)type;
  sofa_free_links(parse->ctx, links);
  while (next_path(parse, &p, &path, &n, &err)) {
    const SofaLink link = {.path = sofa_strndup(parse->ctx, path, n)};
    if (!link.path) return SOFA_ERR_MEMORY;
    const SofaErr e = SOFA_APPEND(parse->ctx, links, &link);
    if (e) {
      sofa_free(parse->ctx, link.path);
      return e;
    }
  }
  return err;
}

SofaErr sofa_print_links(const SofaType *type, SofaContext *ctx, const SofaField *field,
                         const void *value, SofaText *out) {
  const SofaLinks *links = value;
  for (size_t i = 0; i < links->n; i++) {
    if (i) SOFA_TRY(sofa_text_append(ctx, out, " ", 1));
    SOFA_TRY(sofa_print_link(type, ctx, field, &links->data[i], out));
  }
  return SOFA_OK;
}

SofaErr sofa_copy_links(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  const SofaLinks *source = from;
  SofaLinks copy = {0};
  for (size_t i = 0; i < source->n; i++) {
    SofaLink link = {0};
    SofaErr err = sofa_copy_link(type, ctx, &source->data[i], &link);
    if (!err) err = SOFA_APPEND(ctx, &copy, &link);
    if (err) {
      sofa_free_link(ctx, &link);
      sofa_free_links(ctx, &copy);
      return err;
    }
  }
  sofa_free_links(ctx, to);
  *(SofaLinks *)to = copy;
  return SOFA_OK;
}

void sofa_free_links(SofaContext *ctx, void *value) {
  SofaLinks *links = value;
  for (size_t i = 0; i < links->n; i++) sofa_free_link(ctx, &links->data[i]);
  sofa_list_free(ctx, links);
}
