/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "components/collision/detection/pair_filter.h"
#include "base/bytes.h"
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

SofaErr pair_filter(SofaContext *ctx, const PairFilter *filter, const CandidatePairs *candidates,
                    SofaElementPairs *out, size_t *n_close) {
  const size_t n = (candidates->n + CHUNK - 1) / CHUNK;
  const int threads = candidates->n < THREADS_FROM ? 1 : ctx->threads;
  const BoxKernels *kernels = box_kernels(ctx);
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Count *count = SOFA_SCRATCH(ctx, Count, n + 1);
  *n_close = 0;
  if (!count) return SOFA_ERR_MEMORY;
  const size_t begin = out->n, most = begin + candidates->n;
  const SofaErr err = most > out->capacity ? SOFA_RESERVE(ctx, out, most + most / 2 + 8) : SOFA_OK;
  if (err != SOFA_OK) goto done;
  SofaElementPair *to = out->data + begin;
  if (threads == 1) {
    for (size_t i = 0; i < n; i++)
      count[i] = filter_chunk(filter, kernels, candidates, i * CHUNK, to + i * CHUNK);
  } else {
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (size_t i = 0; i < n; i++)
      count[i] = filter_chunk(filter, kernels, candidates, i * CHUNK, to + i * CHUNK);
  }
  for (size_t i = 0; i < n; i++) {
    sofa_move(out->data + out->n, to + i * CHUNK, count[i].left * sizeof *to);
    out->n += count[i].left;
    *n_close += count[i].close;
  }
done:
  sofa_scratch_release(ctx, mark);
  return err;
}
