/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Asks whether SOFA's behaviour is wanted where it contradicts its documentation. */
#include "base/quirks.h"

#include "base/context.h"

_Static_assert(SOFA_N_QUIRKS <= 256, "SofaContext.quirks_seen holds 256 bits");

bool sofa_quirk(SofaContext *ctx, int id) {
/* clang-format off */
#define X(id, word, text) {word, text},
  static const struct { const char *word, *text; } rows[] = {
#include "base/quirks.def"
  };
#undef X
  /* clang-format on */
  if (!ctx->quirks || id < 0 || id >= SOFA_N_QUIRKS) return false;
  // say it once
  uint32_t *seen = &ctx->quirks_seen[id / 32];
  const uint32_t bit = UINT32_C(1) << (id % 32);
  if (!(*seen & bit)) {
    *seen |= bit;
    const SofaOrigin origin = {.emitter = "quirks"};
    sofa_message(ctx, SOFA_INFO, &origin, "%s: %s", rows[id].word, rows[id].text);
  }
  return true;
}
