/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Fuzz target: reading a scene and making its graph. Nothing is initialised or run. */
#include "fuzz.h"

#include "csofa.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  size_t said = 0;
  SofaSimulation *simulation = NULL;
  SofaContext *ctx = fuzz_context(&said);
  char *text = malloc(size + 1);
  if (ctx && text && sofa_register_builtins(ctx) == SOFA_OK) {
    if (size) memcpy(text, bytes, size);
    text[size] = '\0';
    (void)sofa_simulation_load_text(ctx, text, &simulation);
  }
  sofa_simulation_destroy(&simulation);
  free(text);
  sofa_context_destroy(&ctx);
  return 0;
}
