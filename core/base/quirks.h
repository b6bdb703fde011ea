/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quirks: where SOFA's code contradicts its own documentation or its method's definition, csofa
 * computes what is documented, and a quirk that is on reproduces SOFA. Each is a row of a class
 * (object/class.h); the options of the context choose which ones are on. */
#ifndef SOFA_BASE_QUIRKS_H
#define SOFA_BASE_QUIRKS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

#pragma GCC visibility push(default)

struct SofaContext;

typedef struct SofaQuirk {
  uint32_t bit;     /* one bit, which no other row of the class and its bases has */
  const char *word; /* "newmark-damping": names it in --quirks and in docs/differences.md */
  const char *text; /* one line for the user */
  const char *test; /* shows it: "test_file.function" of tests/unit, or a file below scenes/ */
} SofaQuirk;

/* Is the quirk on in this context? */
bool sofa_quirk_chosen(const struct SofaContext *ctx, const char *word);
/* Says "word: text", once per context. */
SofaErr sofa_quirk_announce(struct SofaContext *ctx, const SofaQuirk *quirk);

#pragma GCC visibility pop

#endif
