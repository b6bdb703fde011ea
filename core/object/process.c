/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls of what plugins start for a process. */
#include "object/process.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/checksum.h"
#include "base/scratch.h"
#include "object/factory.h"

const SofaInterface sofa_process_interface = {
    .name = "process",
    SOFA_REQUIRES(offsetof(SofaProcessOps, join), offsetof(SofaProcessOps, end))};

SofaErr sofa_process_set(SofaContext *ctx, const SofaPlace *place, const SofaProcessOps *ops,
                         void *user) {
  sofa_free(ctx, ctx->processes);
  ctx->processes = NULL;
  if (place->n <= 1) return SOFA_OK;
  if (!ops->collect || !ops->gather || !ops->spread || !ops->exchange)
    return sofa_fail(ctx, SOFA_ERR_UNSUPPORTED, NULL,
                     "the plugin that joins %d processes passes no data between them", place->n);
  SofaProcesses *all = sofa_alloc(ctx, 1, sizeof *all);
  if (!all) return SOFA_ERR_MEMORY;
  *all = (SofaProcesses){.place = *place, .ops = ops, .user = user, .loads = ctx->keep_going};
  ctx->processes = all;
  return SOFA_OK;
}

SofaErr sofa_process_join(SofaContext *ctx, SofaPlace *place) {
  *place = (SofaPlace){.rank = 0, .n = 1};
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaProcessOps *ops = sofa_class_ops(sofa_factory_class_at(ctx, i), SOFA_PROCESS);
    if (!ops) continue;
    SOFA_TRY(ops->join(ctx, place));
    return sofa_process_set(ctx, place, ops, NULL);
  }
  return sofa_fail(ctx, SOFA_ERR_NOT_FOUND, NULL, "no plugin that joins processes is loaded");
}

void sofa_process_end(SofaContext *ctx, int status) {
  for (size_t i = 0; i < sofa_factory_n_classes(ctx); i++) {
    const SofaProcessOps *ops = sofa_class_ops(sofa_factory_class_at(ctx, i), SOFA_PROCESS);
    if (ops) ops->end(status);
  }
}

/* ---- meetings ---- */

/* The rank with the most errors tells, before any process ends the others. */
static SofaErr tell_apart(SofaContext *ctx, const uint64_t *n, int most) {
  SofaProcesses *p = ctx->processes;
  int other = 0;
  uint8_t told = 1, *all = SOFA_SCRATCH(ctx, uint8_t, (size_t)p->place.n);
  if (!all) return SOFA_ERR_MEMORY;
  while (n[other] == n[most]) other++;
  p->apart = true;
  if (p->place.rank == most)
    sofa_fail(ctx, SOFA_ERR_SCENE, NULL,
              "process %d has %llu errors, process %d has %llu: objects would be left out on one "
              "alone, and the processes cannot run the scene together",
              most, (unsigned long long)n[most], other, (unsigned long long)n[other]);
  return p->ops->collect(ctx, sizeof told, &told, all);
}

static SofaErr compare_errors(SofaContext *ctx) {
  SofaProcesses *p = ctx->processes;
  const uint64_t mine = ctx->n_messages[SOFA_ERROR] + ctx->n_messages[SOFA_FATAL];
  uint64_t *n = SOFA_SCRATCH(ctx, uint64_t, (size_t)p->place.n);
  int most = 0;
  bool same = true;
  if (!n) return SOFA_ERR_MEMORY;
  SOFA_TRY(p->ops->collect(ctx, sizeof mine, &mine, n));
  for (int r = 1; r < p->place.n; r++) {
    same = same && n[r] == n[0];
    if (n[r] > n[most]) most = r;
  }
  if (same) return SOFA_OK;
  SOFA_TRY(tell_apart(ctx, n, most));
  return SOFA_ERR_SCENE;
}

SofaErr sofa_process_meet(SofaContext *ctx) {
  SofaProcesses *p = ctx->processes;
  if (!p || !p->loads) return SOFA_OK;
  if (p->apart) return SOFA_ERR_SCENE;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const SofaErr err = compare_errors(ctx);
  sofa_scratch_release(ctx, mark);
  return err;
}

SofaErr sofa_process_end_loading(SofaContext *ctx) {
  SOFA_TRY(sofa_process_meet(ctx));
  if (ctx->processes) ctx->processes->loads = false;
  return SOFA_OK;
}

/* ---- what keep_going replaces ---- */

void sofa_process_note_mended(const SofaObject *object, const char *field, const char *why) {
  SofaProcesses *p = object->ctx->processes;
  if (!p || p->n_mended++) return;
  snprintf(p->mended, sizeof p->mended, "%s '%s', field '%s': %s", object->klass->name,
           object->name ? object->name : "", field, why);
}

SofaErr sofa_process_tell_mended(SofaContext *ctx) {
  SofaProcesses *p = ctx->processes;
  int from = 0;
  if (!p || !ctx->keep_going) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  uint64_t *n = SOFA_SCRATCH(ctx, uint64_t, (size_t)p->place.n);
  SofaErr err =
      n ? sofa_process_collect(ctx, sizeof p->n_mended, &p->n_mended, n) : SOFA_ERR_MEMORY;
  while (err == SOFA_OK && from < p->place.n && !n[from]) from++;
  if (err == SOFA_OK && from > 0 && from < p->place.n) {
    char text[sizeof p->mended];
    sofa_copy(text, p->mended, sizeof text);
    err = sofa_process_spread(ctx, from, sizeof text, text);
    if (err == SOFA_OK && p->place.rank == 0)
      sofa_message(ctx, SOFA_WARNING, NULL, "process %d has replaced values out of range: %s", from,
                   text);
  }
  sofa_scratch_release(ctx, mark);
  return err;
}

/* ---- data ---- */

static void copy_own(size_t n, const void *mine, void *all) {
  if (n && all && all != mine) sofa_copy(all, mine, n);
}

SofaErr sofa_process_collect(SofaContext *ctx, size_t n, const void *mine, void *all) {
  SofaProcesses *p = ctx->processes;
  if (!p) return copy_own(n, mine, all), SOFA_OK;
  SOFA_TRY(sofa_process_meet(ctx));
  p->n_bytes += n * (size_t)(p->place.n - 1);
  return p->ops->collect(ctx, n, mine, all);
}

SofaErr sofa_process_gather(SofaContext *ctx, int root, const size_t *n, const void *mine,
                            void *all) {
  SofaProcesses *p = ctx->processes;
  if (!p) return copy_own(n[0], mine, all), SOFA_OK;
  SOFA_TRY(sofa_process_meet(ctx));
  if (p->place.rank != root) p->n_bytes += n[p->place.rank];
  return p->ops->gather(ctx, root, n, mine, all);
}

SofaErr sofa_process_spread(SofaContext *ctx, int root, size_t n, void *data) {
  SofaProcesses *p = ctx->processes;
  if (!p) return SOFA_OK;
  SOFA_TRY(sofa_process_meet(ctx));
  if (p->place.rank == root) p->n_bytes += n * (size_t)(p->place.n - 1);
  return p->ops->spread(ctx, root, n, data);
}

SofaErr sofa_process_exchange(SofaContext *ctx, const SofaExchange *exchange) {
  SofaProcesses *p = ctx->processes;
  if (!p) return SOFA_OK;
  SOFA_TRY(sofa_process_meet(ctx));
  for (size_t k = 0; k < exchange->n_neighbours; k++)
    if (exchange->neighbours[k] != (uint32_t)p->place.rank) p->n_bytes += exchange->n_send[k];
  return p->ops->exchange(ctx, exchange);
}

bool sofa_process_can_partition(const SofaContext *ctx) {
  return ctx->processes && ctx->processes->ops->partition;
}

SofaErr sofa_process_partition(SofaContext *ctx, const SofaGraph *graph, uint32_t *part) {
  SOFA_TRY(sofa_process_meet(ctx));
  if (sofa_process_can_partition(ctx)) return ctx->processes->ops->partition(ctx, graph, part);
  return sofa_fail(ctx, SOFA_ERR_UNSUPPORTED, NULL,
                   "these processes cannot divide a mesh by its graph: their library has no such "
                   "function; bisection can");
}

/* All = n words of 8 bytes of every process, in scratch memory. */
static SofaErr collect_words(SofaContext *ctx, size_t n, const void *mine, void **all) {
  *all = SOFA_SCRATCH(ctx, uint64_t, n * (size_t)ctx->processes->place.n + 1);
  return *all ? sofa_process_collect(ctx, n * 8, mine, *all) : SOFA_ERR_MEMORY;
}

/* Word i of a process is joined to those of the processes before it. */
typedef void (*Join)(void *words, const void *other, size_t i);

/* words = those of process 0, joined with those of the others in the order of the ranks. */
static SofaErr join_words(SofaContext *ctx, size_t n, void *words, Join join) {
  void *all;
  if (!ctx->processes) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const SofaErr err = collect_words(ctx, n, words, &all);
  if (err == SOFA_OK) sofa_copy(words, all, n * 8);
  for (size_t r = 1; err == SOFA_OK && r < (size_t)ctx->processes->place.n; r++)
    for (size_t i = 0; i < n; i++) join(words, (const char *)all + 8 * n * r, i);
  sofa_scratch_release(ctx, mark);
  return err;
}

static void add_real(void *words, const void *other, size_t i) {
  ((double *)words)[i] += ((const double *)other)[i];
}

static void add_count(void *words, const void *other, size_t i) {
  ((uint64_t *)words)[i] += ((const uint64_t *)other)[i];
}

static void take_larger(void *words, const void *other, size_t i) {
  double *to = (double *)words + i;
  const double from = ((const double *)other)[i];
  if (!(from <= *to) && !isnan(*to)) *to = from;
}

SofaErr sofa_process_sum(SofaContext *ctx, size_t n, double *values) {
  return join_words(ctx, n, values, add_real);
}

SofaErr sofa_process_max(SofaContext *ctx, size_t n, double *values) {
  return join_words(ctx, n, values, take_larger);
}

SofaErr sofa_process_sum_counts(SofaContext *ctx, size_t n, uint64_t *counts) {
  return join_words(ctx, n, counts, add_count);
}

SofaErr sofa_process_same(SofaContext *ctx, size_t n, const void *data, bool *same) {
  const uint64_t mine[2] = {n, sofa_checksum(SOFA_CHECKSUM_BEGIN, data, n)};
  void *all;
  *same = true;
  if (!ctx->processes) return SOFA_OK;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const SofaErr err = collect_words(ctx, 2, mine, &all);
  for (size_t r = 0; err == SOFA_OK && r < (size_t)ctx->processes->place.n; r++)
    *same = *same && memcmp((const uint64_t *)all + 2 * r, mine, sizeof mine) == 0;
  sofa_scratch_release(ctx, mark);
  return err;
}
