/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: the reader of recorded states. What the check lets pass is read to the end. */
#include "fuzz.h"

#include "components/playback/state_reader.h"
#include "components/playback/state_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  size_t said = 0;
  SofaContext *ctx = fuzz_context(&said);
  char *text = malloc(size + 1);
  if (ctx && text) {
    if (size) memcpy(text, bytes, size);
    text[size] = '\0';
    if (state_text_check(ctx, NULL, text, size, 3, 3) == SOFA_OK) {
      StateReader reader = {.text = text, .at = text, .loop = size % 2 != 0};
      for (int k = 0; k < 20; k++) state_reader_advance(&reader, 0.1 * k);
    }
  }
  free(text);
  sofa_context_destroy(&ctx);
  return 0;
}
