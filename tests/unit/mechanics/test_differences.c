/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every quirk has an entry in docs/differences.md, and no entry is without its quirk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "base/files.h"
#include "base/quirks.h"
#include "object/factory.h"

/* clang-format off */
#define X(id, word, text) word,
static const char *const words[] = {
#include "base/quirks.def"
};
#undef X
/* clang-format on */

static void every_quirk_is_documented(void **state) {
  (void)state;
  SofaContext *ctx = NULL;
  char *text = NULL;
  size_t size = 0;
  const SofaContextOptions options = {0};
  assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
  assert_int_equal(sofa_read_file(ctx, "docs/differences.md", 0, &text, &size), SOFA_OK);

  for (size_t i = 0; i < SOFA_N_QUIRKS; i++) {
    char heading[200];
    snprintf(heading, sizeof heading, "\n### %s\n", words[i]);
    if (!strstr(text, heading)) fail_msg("docs/differences.md has no entry for %s", words[i]);
  }
  size_t n = 0;
  for (const char *at = text; (at = strstr(at, "\n### ")); at++) n++;
  assert_int_equal(n, SOFA_N_QUIRKS);
  sofa_free(ctx, text);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_quirk_is_documented)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
