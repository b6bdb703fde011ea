/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Values of divided points: sums and copies over the border, gathering and scattering. */
#include "topology/division.h"

/* ---- the border ---- */

/* What this process has for all neighbours, and what they have: in scratch memory. */
typedef struct Border {
  const SofaDivision *division;
  size_t width;
  double *sent, *received;
} Border;

static void pack(const Border *b, const double *values) {
  const SofaIndices *shared = &b->division->shared;
  for (size_t s = 0; s < shared->n; s++)
    for (size_t c = 0; c < b->width; c++)
      b->sent[b->width * s + c] = values[b->width * shared->data[s] + c];
}

static SofaErr exchange(SofaContext *ctx, const SofaDivision *division, size_t width,
                        const double *values, Border *b) {
  const size_t n = division->shared.n * width, n_neighbours = division->neighbours.n;
  *b = (Border){.division = division, .width = width};
  b->sent = SOFA_SCRATCH(ctx, double, n + 1);
  b->received = SOFA_SCRATCH(ctx, double, n + 1);
  size_t *bytes = SOFA_SCRATCH(ctx, size_t, n_neighbours + 1);
  if (!b->sent || !b->received || !bytes) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < n_neighbours; k++)
    bytes[k] = (division->start.data[k + 1] - division->start.data[k]) * width * sizeof(double);
  pack(b, values);
  return sofa_process_exchange(ctx, &(SofaExchange){.n_neighbours = n_neighbours,
                                                    .neighbours = division->neighbours.data,
                                                    .n_send = bytes,
                                                    .n_receive = bytes,
                                                    .send = b->sent,
                                                    .receive = b->received});
}

static void add_neighbour(const Border *b, size_t k, double *values) {
  const SofaDivision *d = b->division;
  for (size_t s = d->start.data[k]; s < d->start.data[k + 1]; s++)
    for (size_t c = 0; c < b->width; c++)
      values[b->width * d->shared.data[s] + c] += b->received[b->width * s + c];
}

/* own: work space, `width` reals per point of the border */
static void add_all(const Border *b, int rank, double *own, double *values) {
  const SofaDivision *d = b->division;
  const size_t width = b->width, n = d->border.n * width;
  size_t k = 0;
  for (size_t i = 0; i < n; i++) {
    double *value = &values[width * d->border.data[i / width] + i % width];
    own[i] = *value;
    *value = 0;
  }
  for (; k < d->neighbours.n && d->neighbours.data[k] < (uint32_t)rank; k++)
    add_neighbour(b, k, values);
  for (size_t i = 0; i < n; i++) values[width * d->border.data[i / width] + i % width] += own[i];
  for (; k < d->neighbours.n; k++) add_neighbour(b, k, values);
}

SofaErr sofa_division_sum(SofaContext *ctx, const SofaDivision *division, size_t width,
                          double *values) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Border b;
  SofaErr err = SOFA_ERR_MEMORY;
  double *own = SOFA_SCRATCH(ctx, double, division->border.n *width + 1);
  if (own) err = exchange(ctx, division, width, values, &b);
  if (err == SOFA_OK) add_all(&b, sofa_process_rank(ctx), own, values);
  sofa_scratch_release(ctx, mark);
  return err;
}

SofaErr sofa_division_copy(SofaContext *ctx, const SofaDivision *division, size_t width,
                           double *values) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const SofaDivision *d = division;
  Border b;
  const SofaErr err = exchange(ctx, d, width, values, &b);
  for (size_t k = 0; err == SOFA_OK && k < d->neighbours.n; k++)
    for (size_t s = d->start.data[k]; s < d->start.data[k + 1]; s++) {
      const uint32_t i = d->shared.data[s];
      if (i < d->n_owned || d->owner.data[i - d->n_owned] != d->neighbours.data[k]) continue;
      sofa_copy(values + width * i, b.received + width * s, width * sizeof *values);
    }
  sofa_scratch_release(ctx, mark);
  return err;
}

/* ---- the whole mesh ---- */

/* The numbers of the points of all processes, on the root: those that each owns, or all it has. */
typedef struct Parts {
  size_t *n;         /* bytes of each process */
  uint32_t *numbers; /* on the root; process after process */
  size_t total;      /* points */
} Parts;

static SofaErr find_parts(SofaContext *ctx, const SofaDivision *division, int root, size_t n,
                          Parts *out) {
  const size_t n_processes = (size_t)sofa_process_count(ctx);
  out->n = SOFA_SCRATCH(ctx, size_t, n_processes + 1);
  if (!out->n) return SOFA_ERR_MEMORY;
  SOFA_TRY(sofa_process_collect(ctx, sizeof n, &n, out->n));
  out->total = 0;
  for (size_t r = 0; r < n_processes; r++) {
    out->total += out->n[r];
    out->n[r] *= sizeof(uint32_t);
  }
  const bool here = sofa_process_rank(ctx) == root;
  out->numbers = SOFA_SCRATCH(ctx, uint32_t, (here ? out->total : 0) + 1);
  if (!out->numbers) return SOFA_ERR_MEMORY;
  return sofa_process_gather(ctx, root, out->n, division->number.data, out->numbers);
}

static SofaErr gather(SofaContext *ctx, const SofaDivision *division, int root, size_t width,
                      const double *values, double *whole) {
  const bool here = sofa_process_rank(ctx) == root;
  Parts parts;
  SOFA_TRY(find_parts(ctx, division, root, division->n_owned, &parts));
  for (int r = 0; r < sofa_process_count(ctx); r++) parts.n[r] *= 2 * width;
  double *all = SOFA_SCRATCH(ctx, double, (here ? parts.total : 0) * width + 1);
  if (!all) return SOFA_ERR_MEMORY;
  SOFA_TRY(sofa_process_gather(ctx, root, parts.n, values, all));
  for (size_t i = 0; here && i < parts.total; i++)
    sofa_copy(whole + width * parts.numbers[i], all + width * i, width * sizeof *whole);
  return SOFA_OK;
}

SofaErr sofa_division_gather(SofaContext *ctx, const SofaDivision *division, int root, size_t width,
                             const double *values, double *whole) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const SofaErr err = gather(ctx, division, root, width, values, whole);
  sofa_scratch_release(ctx, mark);
  return err;
}

/* Messages from the root to all others; those to itself are copied. */
static SofaErr send_parts(SofaContext *ctx, int root, const size_t *bytes, const double *all,
                          double *values) {
  const int rank = sofa_process_rank(ctx), n = sofa_process_count(ctx);
  const char *from = (const char *)all;
  uint32_t *others = SOFA_SCRATCH(ctx, uint32_t, (size_t)n + 1);
  size_t *sizes = SOFA_SCRATCH(ctx, size_t, (size_t)n + 1),
         *none = SOFA_SCRATCH(ctx, size_t, (size_t)n + 1);
  size_t total = 0, before = 0, n_others = 0;
  if (!others || !sizes || !none) return SOFA_ERR_MEMORY;
  for (int r = 0; r < n; r++) {
    none[r] = 0;
    if (r < root) before += bytes[r];
    if (r == root) continue;
    others[n_others] = (uint32_t)r;
    sizes[n_others++] = bytes[r];
    total += bytes[r];
  }
  if (rank != root) {
    const uint32_t source = (uint32_t)root;
    return sofa_process_exchange(ctx, &(SofaExchange){.n_neighbours = 1,
                                                      .neighbours = &source,
                                                      .n_send = none,
                                                      .n_receive = &bytes[rank],
                                                      .send = values,
                                                      .receive = values});
  }
  char *to = SOFA_SCRATCH(ctx, char, total + 1);
  if (!to) return SOFA_ERR_MEMORY;
  sofa_copy(to, from, before);
  sofa_copy(values, from + before, bytes[root]);
  sofa_copy(to + before, from + before + bytes[root], total - before);
  return sofa_process_exchange(ctx, &(SofaExchange){.n_neighbours = n_others,
                                                    .neighbours = others,
                                                    .n_send = sizes,
                                                    .n_receive = none,
                                                    .send = to,
                                                    .receive = to});
}

static SofaErr scatter(SofaContext *ctx, const SofaDivision *division, int root, size_t width,
                       const double *whole, double *values) {
  const bool here = sofa_process_rank(ctx) == root;
  Parts parts;
  SOFA_TRY(find_parts(ctx, division, root, division->n, &parts));
  for (int r = 0; r < sofa_process_count(ctx); r++) parts.n[r] *= 2 * width;
  double *all = SOFA_SCRATCH(ctx, double, (here ? parts.total : 0) * width + 1);
  if (!all) return SOFA_ERR_MEMORY;
  for (size_t i = 0; here && i < parts.total; i++)
    sofa_copy(all + width * i, whole + width * parts.numbers[i], width * sizeof *whole);
  return send_parts(ctx, root, parts.n, all, values);
}

SofaErr sofa_division_scatter(SofaContext *ctx, const SofaDivision *division, int root,
                              size_t width, const double *whole, double *values) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const SofaErr err = scatter(ctx, division, root, width, whole, values);
  sofa_scratch_release(ctx, mark);
  return err;
}
