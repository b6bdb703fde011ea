/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the fuzz targets share: a context that says nothing and never takes much memory. */
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "base/context.h"
#include "object/factory.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Requests above this fail: absurd numbers in a file must not become absurd allocations, and where
 * they are legitimate (a huge grid) the failure is handled. */
#define FUZZ_MAX_BLOCK ((size_t)64 << 20)

static inline void *fuzz_allocate(void *user, void *block, size_t size) {
  (void)user;
  if (size) return size > FUZZ_MAX_BLOCK ? NULL : realloc(block, size);
  free(block);
  return NULL;
}

static inline void fuzz_sink(void *user, const SofaMessage *message) {
  // every message must be readable text
  *(volatile size_t *)user += strlen(message->text);
}

static inline SofaContext *fuzz_context(size_t *n_characters) {
  SofaContext *ctx = NULL;
  const SofaContextOptions options = {
      .allocate = fuzz_allocate, .sink = fuzz_sink, .sink_user = n_characters, .keep_going = true};
  return sofa_context_create(&options, &ctx) == SOFA_OK ? ctx : NULL;
}

/* The bytes in a block of exactly their size, so that a reader that goes beyond is caught. */
static inline char *fuzz_copy(const uint8_t *bytes, size_t size) {
  char *copy = malloc(size ? size : 1);
  if (copy && size) memcpy(copy, bytes, size);
  return copy;
}

#endif
