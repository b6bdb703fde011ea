/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks whether SOFA's behaviour is wanted where it contradicts its documentation. */
#include "base/quirks.h"

#include "base/context.h"

_Static_assert(SOFA_N_QUIRKS <= 256, "SofaContext.quirks_seen holds 256 bits");

bool sofa_quirk(SofaContext *ctx, int id) {
#define SOFA_QUIRK_WORD(id, word, text) word,
#define SOFA_QUIRK_TEXT(id, word, text) text,
  static const char *const words[] = {SOFA_QUIRKS(SOFA_QUIRK_WORD)};
  static const char *const texts[] = {SOFA_QUIRKS(SOFA_QUIRK_TEXT)};
#undef SOFA_QUIRK_WORD
#undef SOFA_QUIRK_TEXT
  if (!ctx->quirks || id < 0 || id >= SOFA_N_QUIRKS) return false;
  // say it once
  uint32_t *seen = &ctx->quirks_seen[id / 32];
  const uint32_t bit = UINT32_C(1) << (id % 32);
  if (!(*seen & bit)) {
    *seen |= bit;
    const SofaOrigin origin = {.emitter = "quirks"};
    sofa_message(ctx, SOFA_INFO, &origin, "%s: %s", words[id], texts[id]);
  }
  return true;
}
