/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An allocator for tests that fails from call number fail_at on (0: never), or in this one alone,
 * and counts live blocks. */
#ifndef TESTS_FAILING_ALLOCATOR_H
#define TESTS_FAILING_ALLOCATOR_H

#include <stdbool.h>
#include <stdlib.h>
#include "base/context.h"

typedef struct FailingAllocator {
  uint64_t calls, fail_at;
  int64_t live;
  bool once;
} FailingAllocator;

static inline void *failing_allocate(void *user, void *block, size_t size) {
  FailingAllocator *a = user;
  if (!size) {
    a->live -= block != NULL;
    free(block);
    return NULL;
  }
  a->calls++;
  if (a->fail_at && (a->once ? a->calls == a->fail_at : a->calls >= a->fail_at)) return NULL;
  void *result = realloc(block, size);
  a->live += result && !block;
  return result;
}

/* Keeps the messages out of the test's output. */
static inline void quiet_sink(void *user, const SofaMessage *message) {
  (void)user;
  (void)message;
}

#endif
