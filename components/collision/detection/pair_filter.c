/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/detection/pair_filter.h"
#include "base/bytes.h"
#include "base/team.h"
#include "numerics/spatial/box_batch_impl.h"

#include <string.h>

enum {
  CHUNK = 1024,        /* pairs of one piece of work */
  THREADS_FROM = 16384 /* pairs from which on threads are worth while */
};

typedef struct Count {
  size_t close, left;
} Count;

static size_t sift(const PairFilter *f, SofaElementPair *pairs, size_t n) {
  const SofaSiftPairs function = sofa_intersection_sift(f->method, f->rule);
  bool may[CHUNK];
  size_t left = 0;
  if (!function) return n;
  function(f->method, f->first->model, f->second->model, pairs, n, may);
  for (size_t i = 0; i < n; i++) {
    pairs[left] = pairs[i];
    left += may[i];
  }
  return left;
}

static Count filter_chunk(const PairFilter *f, const BoxKernels *kernels,
                          const CandidatePairs *candidates, size_t first, SofaElementPair *out) {
  const SofaElementPair *in = candidates->data + first;
  const size_t rest = candidates->n - first;
  Count count = {.close = rest < CHUNK ? rest : (size_t)CHUNK};
  if (candidates->close) sofa_copy(out, in, count.close * sizeof *out);
  else
    count.close = kernels->close_pairs(f->first->tree->boxes, f->second->tree->boxes,
                                       f->method->alarm_distance, in, count.close, out);
  count.left = sift(f, out, count.close);
  return count;
}

/* Chunks of pairs, each with its place behind `to`. */
typedef struct Chunks {
  const PairFilter *filter;
  const BoxKernels *kernels;
  const CandidatePairs *candidates;
  SofaElementPair *to;
  Count *count;
} Chunks;

static void filter_some(void *user, size_t i) {
  const Chunks *c = user;
  c->count[i] = filter_chunk(c->filter, c->kernels, c->candidates, i * CHUNK, c->to + i * CHUNK);
}

SofaErr pair_filter(SofaContext *ctx, const PairFilter *filter, const CandidatePairs *candidates,
                    SofaElementPairs *out, size_t *n_close) {
  const size_t n = (candidates->n + CHUNK - 1) / CHUNK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Count *count = SOFA_SCRATCH(ctx, Count, n + 1);
  *n_close = 0;
  if (!count) return SOFA_ERR_MEMORY;
  const size_t begin = out->n, most = begin + candidates->n;
  const SofaErr err = most > out->capacity ? SOFA_RESERVE(ctx, out, most + most / 2 + 8) : SOFA_OK;
  if (err != SOFA_OK) goto done;
  SofaElementPair *to = out->data + begin;
  Chunks chunks = {filter, box_kernels(ctx), candidates, to, count};
  if (candidates->n < THREADS_FROM)
    for (size_t i = 0; i < n; i++) filter_some(&chunks, i);
  else sofa_team_run(ctx, n, filter_some, &chunks);
  for (size_t i = 0; i < n; i++) {
    sofa_move(out->data + out->n, to + i * CHUNK, count[i].left * sizeof *to);
    out->n += count[i].left;
    *n_close += count[i].close;
  }
done:
  sofa_scratch_release(ctx, mark);
  return err;
}
