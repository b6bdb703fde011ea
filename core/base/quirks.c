/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which quirks a context has on, and which ones it has announced. */
#include "base/quirks.h"

#include <string.h>
#include "base/context.h"

bool sofa_quirk_chosen(const SofaContext *ctx, const char *word) {
  if (ctx->quirks) return true;
  const size_t n = strlen(word);
  for (const char *at = ctx->quirk_words; at && *at; at += *at == ',') {
    const size_t length = strcspn(at, ",");
    if (length == n && sofa_compare(at, word, n) == 0) return true;
    at += length;
  }
  return false;
}

const char *sofa_quirks_chosen(const SofaContext *ctx) {
  return ctx->quirks ? "all" : ctx->quirk_words ? ctx->quirk_words : "none";
}

SofaErr sofa_quirk_announce(SofaContext *ctx, const SofaQuirk *quirk) {
  const SofaOrigin origin = {.emitter = "quirks"};
  for (size_t i = 0; i < ctx->n_quirks_announced; i++)
    if (strcmp(ctx->quirks_announced[i], quirk->word) == 0) return SOFA_OK;
  const size_t n = ctx->n_quirks_announced + 1;
  const char **words =
      sofa_realloc(ctx, (void *)(uintptr_t)ctx->quirks_announced, n, sizeof *words);
  if (!words) return SOFA_ERR_MEMORY;
  words[n - 1] = quirk->word;
  ctx->quirks_announced = words;
  ctx->n_quirks_announced = n;
  sofa_message(ctx, SOFA_INFO, &origin, "%s: %s", quirk->word, quirk->text);
  return SOFA_OK;
}
