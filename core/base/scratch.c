/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Scratch memory: a stack of chunks that are kept, so that a warm arena never allocates. */
#include "base/scratch.h"

#include <string.h>

#define SCRATCH_ALIGN ((size_t)64)
#define SCRATCH_FIRST ((size_t)64 * 1024)

/* ctx->scratch is the chunk in use; those behind it in the chain are empty. */
struct SofaScratchChunk {
  struct SofaScratchChunk *previous, *next;
  unsigned char *bytes; /* 64-byte aligned, behind this struct in the same block */
  size_t used, capacity;
};
typedef struct SofaScratchChunk Chunk;

static Chunk *first_chunk(Chunk *chunk) {
  while (chunk && chunk->previous) chunk = chunk->previous;
  return chunk;
}

SofaScratchMark sofa_scratch_mark(SofaContext *ctx) {
  Chunk *chunk = ctx->scratch;
  return (SofaScratchMark){chunk, chunk ? chunk->used : 0};
}

void sofa_scratch_release(SofaContext *ctx, SofaScratchMark mark) {
  // a mark of the empty arena has no chunk
  Chunk *chunk = mark.chunk ? mark.chunk : first_chunk(ctx->scratch);
  if (!chunk) return;
  chunk->used = mark.chunk ? mark.used : 0;
  ctx->scratch = chunk;
}

/* Appends a chunk of at least `bytes` behind the last one and returns it, or NULL. */
static Chunk *add_chunk(SofaContext *ctx, Chunk *last, size_t bytes) {
  // each chunk is twice the one before; more than the address space is refused by the allocator
  size_t capacity = last && last->capacity < SIZE_MAX / 4 ? 2 * last->capacity : SCRATCH_FIRST;
  if (capacity < bytes) capacity = bytes;
  const size_t extra = sizeof(Chunk) + SCRATCH_ALIGN;
  const size_t total = capacity <= SIZE_MAX - extra ? capacity + extra : SIZE_MAX;
  Chunk *chunk = sofa_realloc(ctx, NULL, total, 1);
  if (!chunk) return NULL;
  unsigned char *begin = (unsigned char *)(chunk + 1);
  const size_t odd = (uintptr_t)begin % SCRATCH_ALIGN;
  *chunk = (Chunk){
      .previous = last, .bytes = begin + (odd ? SCRATCH_ALIGN - odd : 0), .capacity = capacity};
  if (last) last->next = chunk;
  return chunk;
}

void *sofa_scratch_bytes(SofaContext *ctx, size_t n, size_t size) {
  // whole lines of the cache; what overflows is too large for any allocator
  const bool overflow = size && n > (SIZE_MAX - SCRATCH_ALIGN) / size;
  size_t bytes = overflow ? SIZE_MAX : (n * size + SCRATCH_ALIGN - 1) & ~(SCRATCH_ALIGN - 1);
  if (!bytes) bytes = SCRATCH_ALIGN;
  // the chunk in use, then the empty ones behind it, then a new one
  Chunk *chunk = ctx->scratch, *last = chunk;
  while (chunk && bytes > chunk->capacity - chunk->used) {
    last = chunk;
    chunk = chunk->next;
    if (chunk) chunk->used = 0;
  }
  if (!chunk) chunk = add_chunk(ctx, last, bytes);
  if (!chunk) return NULL;
  ctx->scratch = chunk;
  void *result = chunk->bytes + chunk->used;
  chunk->used += bytes;
  return result;
}

void sofa_scratch_destroy(SofaContext *ctx) {
  Chunk *chunk = first_chunk(ctx->scratch);
  while (chunk) {
    Chunk *next = chunk->next;
    sofa_free(ctx, chunk);
    chunk = next;
  }
  ctx->scratch = NULL;
}
