/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The quirks of all registered classes, and whether the words a context names are among them. */
#include <stdlib.h>
#include <string.h>
#include "base/text.h"
#include "object/factory.h"
#include "object/object_impl.h"

static bool is_listed(const SofaQuirkUses *list, const SofaClass *klass) {
  for (size_t i = 0; i < list->n; i++)
    if (list->data[i].klass == klass) return true;
  return false;
}

static int by_word(const void *a, const void *b) {
  const SofaQuirkUse *left = a, *right = b;
  const int order = strcmp(left->quirk->word, right->quirk->word);
  return order ? order : strcmp(left->klass->name, right->klass->name);
}

SofaErr sofa_factory_quirks(SofaContext *ctx, SofaQuirkUses *out) {
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    for (const SofaClass *k = sofa_factory_class_at(ctx, i); k; k = sofa_class_base(k)) {
      if (!k->n_quirks || is_listed(out, k)) continue;
      for (size_t j = 0; j < k->n_quirks; j++) {
        const SofaQuirkUse use = {&k->quirks[j], k};
        SOFA_TRY(SOFA_APPEND(ctx, out, &use));
      }
    }
  }
  if (out->n) sofa_sort(out->data, out->n, sizeof *out->data, by_word);
  return SOFA_OK;
}

static SofaErr check_word(SofaContext *ctx, const SofaQuirkUses *known, const char *word) {
  const SofaOrigin origin = {.emitter = "quirks"};
  SofaText nearest = {0};
  SofaErr err = SOFA_OK;
  const char **words = sofa_alloc(ctx, known->n, sizeof *words);
  if (!words) return SOFA_ERR_MEMORY;
  bool found = false;
  for (size_t i = 0; i < known->n; i++) {
    words[i] = known->data[i].quirk->word;
    found |= strcmp(words[i], word) == 0;
  }
  if (!found) {
    SOFA_GO(err, done, sofa_text_append(ctx, &nearest, "", 0));
    SOFA_GO(err, done, sofa_text_nearest(ctx, &nearest, "", word, words, known->n));
    err =
        sofa_fail(ctx, SOFA_ERR_ARGUMENT, &origin, "there is no quirk '%s'%s", word, nearest.data);
  }
done:
  sofa_list_free(ctx, &nearest);
  sofa_free(ctx, (void *)(uintptr_t)words);
  return err;
}

SofaErr sofa_factory_check_quirks(SofaContext *ctx) {
  SofaQuirkUses known = {0};
  SofaErr err = SOFA_OK;
  if (!ctx->quirk_words) return SOFA_OK;
  SOFA_GO(err, done, sofa_factory_quirks(ctx, &known));
  for (const char *at = ctx->quirk_words; *at; at += *at == ',') {
    const size_t n = strcspn(at, ",");
    char *word = sofa_strndup(ctx, at, n);
    if (!word) SOFA_GO(err, done, SOFA_ERR_MEMORY);
    const SofaErr e = check_word(ctx, &known, word);
    if (e != SOFA_OK) err = e;
    sofa_free(ctx, word);
    at += n;
  }
done:
  sofa_list_free(ctx, &known);
  return err;
}
