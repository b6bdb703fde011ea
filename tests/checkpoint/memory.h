/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* An allocator that knows its blocks: a test can tell which words of a struct are pointers to
 * blocks, and how long these are. New memory is zero, so that runs can be compared. */
#ifndef TESTS_CHECKPOINT_MEMORY_H
#define TESTS_CHECKPOINT_MEMORY_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct Block {
  uintptr_t at; /* 0: free, 1: was taken */
  size_t size;
} Block;

typedef struct Memory {
  Block *blocks; /* by their addresses */
  size_t n, capacity;
} Memory;

static Block *slot_of(const Memory *m, uintptr_t at) {
  size_t i = (size_t)((at >> 4) * 0x9e3779b97f4a7c15u) & (m->capacity - 1);
  while (m->blocks[i].at && m->blocks[i].at != at) i = (i + 1) & (m->capacity - 1);
  return &m->blocks[i];
}

static int grow(Memory *m) {
  Memory more = {.capacity = m->capacity ? 2 * m->capacity : 1 << 14};
  more.blocks = calloc(more.capacity, sizeof *more.blocks);
  if (!more.blocks) return 0;
  for (size_t i = 0; i < m->capacity; i++)
    if (m->blocks[i].at > 1) *slot_of(&more, m->blocks[i].at) = m->blocks[i], more.n++;
  free(m->blocks);
  *m = more;
  return 1;
}

/* Size of the block that begins there; 0: there is none. */
static size_t block_size(const Memory *m, uintptr_t at) {
  return m->capacity && at > 1 ? slot_of(m, at)->size : 0;
}

static void forget_block(Memory *m, void *block) {
  Block *b = slot_of(m, (uintptr_t)block);
  b->at = 1;
  b->size = 0;
}

/* A SofaAllocate. */
static void *allocate(void *user, void *block, size_t size) {
  Memory *m = user;
  const size_t before = block ? block_size(m, (uintptr_t)block) : 0;
  if (2 * m->n >= m->capacity && !grow(m)) return NULL;
  if (block) forget_block(m, block);
  if (!size) {
    free(block);
    return NULL;
  }
  char *now = realloc(block, size);
  if (!now) abort(); /* the machine has no memory left */
  if (size > before) memset(now + before, 0, size - before);
  *slot_of(m, (uintptr_t)now) = (Block){(uintptr_t)now, size};
  m->n++;
  return now;
}

static void free_memory(Memory *m) {
  free(m->blocks);
  *m = (Memory){0};
}

#endif
