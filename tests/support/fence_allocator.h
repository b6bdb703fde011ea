/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An allocator for tests: a block ends at a page that cannot be accessed, so that an access behind
 * it ends the test; new and freed memory holds numbers beyond any scale; blocks that are not freed
 * are counted. In a process with many blocks, the others have a known pattern for the page. */
#ifndef TESTS_FENCE_ALLOCATOR_H
#define TESTS_FENCE_ALLOCATOR_H

#ifndef _DEFAULT_SOURCE
#define _DEFAULT_SOURCE
#endif
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
  FENCE_PAGE = 4096,
  FENCE_BLOCKS = 20000, /* with a page that cannot be accessed: what a process may map is limited */
  FENCE_KEPT = 8,       /* pages of the largest mappings that are used again */
  FENCE_FILL = 0xdb,
  FENCE_TAIL = 16
};

typedef struct FenceAllocator {
  int64_t live;
} FenceAllocator;

/* Before the block, whose bytes up to the next multiple of 8 hold the pattern. */
typedef struct FenceHeader {
  char *base;
  size_t pages, size; /* that can be accessed, 0: of malloc; bytes of the block */
} FenceHeader;

/* Mappings of this process; those that are free, by their pages, each with the next at its start.
 */
typedef struct FencePool {
  char *free[FENCE_KEPT + 1];
  size_t n;
  atomic_flag busy;
} FencePool;
static FencePool fence_pool = {.busy = ATOMIC_FLAG_INIT};

static inline size_t fence_rounded(size_t size) {
  return (size + 7) / 8 * 8;
}

static inline char *fence_map(size_t pages) {
  const size_t bytes = pages * FENCE_PAGE;
  if (pages <= FENCE_KEPT && fence_pool.free[pages]) {
    char *base = fence_pool.free[pages];
    memcpy(&fence_pool.free[pages], base, sizeof fence_pool.free[pages]);
    return base;
  }
  if (fence_pool.n == FENCE_BLOCKS) return NULL;
  char *base =
      mmap(NULL, bytes + FENCE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (base == MAP_FAILED || mprotect(base + bytes, FENCE_PAGE, PROT_NONE)) return NULL;
  fence_pool.n++;
  return base;
}

static inline void fence_unmap(char *base, size_t pages) {
  if (pages <= FENCE_KEPT) {
    memcpy(base, &fence_pool.free[pages], sizeof fence_pool.free[pages]);
    fence_pool.free[pages] = base;
  } else {
    munmap(base, (pages + 1) * FENCE_PAGE);
    fence_pool.n--;
  }
}

static inline void *fence_new(FenceAllocator *a, size_t size) {
  const size_t room = sizeof(FenceHeader) + fence_rounded(size);
  FenceHeader header = {.pages = (room + FENCE_PAGE - 1) / FENCE_PAGE, .size = size};
  header.base = fence_map(header.pages);
  if (!header.base) header.pages = 0;
  if (!header.base && !(header.base = malloc(room + FENCE_TAIL))) return NULL;
  char *start = header.base + (header.pages ? header.pages * FENCE_PAGE - room : 0);
  memcpy(start, &header, sizeof header);
  memset(start + sizeof header, FENCE_FILL, fence_rounded(size) + (header.pages ? 0 : FENCE_TAIL));
  a->live++;
  return start + sizeof header;
}

static inline void fence_delete(FenceAllocator *a, void *block, const FenceHeader *header) {
  unsigned char *bytes = block;
  const size_t end = fence_rounded(header->size) + (header->pages ? 0 : FENCE_TAIL);
  for (size_t i = header->size; i < end; i++)
    if (bytes[i] != FENCE_FILL) abort(); /* written behind the block */
  memset(bytes, FENCE_FILL, header->size);
  a->live--;
  if (header->pages) fence_unmap(header->base, header->pages);
  else free(header->base);
}

/* A SofaAllocate; user: a FenceAllocator. */
static inline void *fence_allocate(void *user, void *block, size_t size) {
  FenceAllocator *a = user;
  FenceHeader old = {0};
  void *result = NULL;
  while (atomic_flag_test_and_set(&fence_pool.busy)) continue;
  if (block) memcpy(&old, (char *)block - sizeof old, sizeof old);
  if (size) result = fence_new(a, size);
  if (block && result) memcpy(result, block, size < old.size ? size : old.size);
  if (block && (result || !size)) fence_delete(a, block, &old);
  atomic_flag_clear(&fence_pool.busy);
  return result;
}

#endif
