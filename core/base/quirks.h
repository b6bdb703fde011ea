/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quirks. Where SOFA's code contradicts its own documentation or the definition of its method,
 * csofa follows the documentation. A quirk that is on reproduces SOFA instead. Each quirk is a row
 * of a class (object/class.h). The options of the context turn quirks on. */
#ifndef SOFA_BASE_QUIRKS_H
#define SOFA_BASE_QUIRKS_H

#include <stdbool.h>
#include <stdint.h>
#include "base/error.h"

SOFA_BEGIN_DECLS

struct SofaContext;

typedef struct SofaQuirk {
  uint32_t bit;     /* one bit, which no other row of the class and its bases has */
  const char *word; /* "newmark-damping": names it in --quirks and in docs/differences.md */
  const char *text; /* one line for the user */
  const char *test; /* shows it: "test_file.function" of tests/unit, or a file below scenes/ */
} SofaQuirk;

/* Is the quirk on in this context? */
bool sofa_quirk_chosen(const struct SofaContext *ctx, const char *word);
/* "all", "none", or the words that were given, with commas. */
const char *sofa_quirks_chosen(const struct SofaContext *ctx);
/* Says "word: text", once per context. */
SofaErr sofa_quirk_announce(struct SofaContext *ctx, const SofaQuirk *quirk);

SOFA_END_DECLS

#endif
