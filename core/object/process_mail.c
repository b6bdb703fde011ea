/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Records for other processes: counted, put in the order of the ranks, exchanged. */
#include "object/process_mail.h"

void sofa_mail_free(SofaContext *ctx, SofaMail *mail) {
  sofa_free(ctx, mail->records);
  sofa_free(ctx, mail->from);
  sofa_free(ctx, mail->sent);
  *mail = (SofaMail){0};
}

/* What one exchange needs, in scratch memory. */
typedef struct Ends {
  uint32_t *ranks;
  size_t *to, *from; /* bytes */
  size_t n;
} Ends;

static SofaErr make_ends(SofaContext *ctx, Ends *out) {
  const size_t n = (size_t)sofa_process_count(ctx);
  *out = (Ends){.ranks = SOFA_SCRATCH(ctx, uint32_t, n),
                .to = SOFA_SCRATCH(ctx, size_t, n),
                .from = SOFA_SCRATCH(ctx, size_t, n)};
  return out->ranks && out->to && out->from ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* `size` bytes of each of n_out[r] records to process r, n_in[r] from it. */
static SofaErr exchange(SofaContext *ctx, size_t size, const size_t *n_out, const size_t *n_in,
                        SofaExchange *data) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  Ends ends;
  SofaErr err = make_ends(ctx, &ends);
  for (uint32_t r = 0; err == SOFA_OK && r < (uint32_t)sofa_process_count(ctx); r++) {
    if (!n_out[r] && !n_in[r]) continue;
    ends.ranks[ends.n] = r;
    ends.to[ends.n] = n_out[r] * size;
    ends.from[ends.n++] = n_in[r] * size;
  }
  data->n_neighbours = ends.n;
  data->neighbours = ends.ranks;
  data->n_send = ends.to;
  data->n_receive = ends.from;
  if (err == SOFA_OK && ctx->processes) err = sofa_process_exchange(ctx, data);
  if (!ctx->processes) sofa_copy(data->receive, data->send, n_in[0] * size);
  sofa_scratch_release(ctx, mark);
  return err;
}

/* received[r]: records that process r has for this one. */
static SofaErr exchange_counts(SofaContext *ctx, const size_t *sent, size_t *received) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const size_t n = (size_t)sofa_process_count(ctx);
  uint64_t *out = SOFA_SCRATCH(ctx, uint64_t, n), *in = SOFA_SCRATCH(ctx, uint64_t, n);
  size_t *ones = SOFA_SCRATCH(ctx, size_t, n);
  SofaErr err = out && in && ones ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t r = 0; err == SOFA_OK && r < n; r++) {
    out[r] = sent[r];
    ones[r] = 1;
  }
  if (err == SOFA_OK)
    err = exchange(ctx, sizeof *out, ones, ones, &(SofaExchange){.send = out, .receive = in});
  for (size_t r = 0; err == SOFA_OK && r < n; r++) received[r] = (size_t)in[r];
  sofa_scratch_release(ctx, mark);
  return err;
}

static bool is_sorted(const SofaMail *mail) {
  for (size_t i = 1; i < mail->n_sent; i++)
    if (mail->rank[i] < mail->rank[i - 1]) return false;
  return true;
}

/* Where the next record for each process goes, in scratch memory. */
static size_t *places_of(SofaContext *ctx, const SofaMail *mail) {
  const size_t n = (size_t)sofa_process_count(ctx);
  size_t *place = SOFA_SCRATCH(ctx, size_t, n), before = 0;
  for (size_t r = 0; place && r < n; before += mail->sent[r++]) place[r] = before;
  return place;
}

/* Records in the order of their processes: a copy, unless they are in it. */
static SofaErr sort_records(SofaContext *ctx, const SofaMail *mail, size_t size,
                            const void *records, const void **sorted, void **copy) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  *sorted = records;
  *copy = NULL;
  if (is_sorted(mail)) return SOFA_OK;
  size_t *place = places_of(ctx, mail);
  *sorted = *copy = sofa_alloc(ctx, mail->n_sent, size);
  const SofaErr err = place && *copy ? SOFA_OK : SOFA_ERR_MEMORY;
  for (size_t i = 0; err == SOFA_OK && i < mail->n_sent; i++)
    sofa_copy((char *)*copy + size * place[mail->rank[i]]++, (const char *)records + size * i,
              size);
  sofa_scratch_release(ctx, mark);
  return err;
}

/* Counts of both directions, and room for what arrives. */
static SofaErr begin(SofaContext *ctx, size_t size, SofaMail *out) {
  const size_t n = (size_t)sofa_process_count(ctx);
  out->sent = sofa_alloc(ctx, n, sizeof *out->sent);
  out->from = sofa_alloc(ctx, n + 1, sizeof *out->from);
  if (!out->sent || !out->from) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < out->n_sent; i++) out->sent[out->rank[i]]++;
  SOFA_TRY(exchange_counts(ctx, out->sent, out->from + 1));
  for (size_t r = 0; r < n; r++) out->from[r + 1] += out->from[r];
  out->n = out->from[n];
  out->records = sofa_alloc(ctx, out->n, size);
  return out->records ? SOFA_OK : SOFA_ERR_MEMORY;
}

/* Records that arrived from each process, in scratch memory. */
static size_t *counts_from(SofaContext *ctx, const SofaMail *mail) {
  const size_t n = (size_t)sofa_process_count(ctx);
  size_t *counts = SOFA_SCRATCH(ctx, size_t, n);
  for (size_t r = 0; counts && r < n; r++) counts[r] = mail->from[r + 1] - mail->from[r];
  return counts;
}

SofaErr sofa_process_mail(SofaContext *ctx, size_t size, size_t n, const uint32_t *rank,
                          const void *records, SofaMail *out) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const void *sorted = records;
  void *copy = NULL;
  *out = (SofaMail){.n_sent = n, .rank = rank};
  SofaErr err = begin(ctx, size, out);
  if (err == SOFA_OK) err = sort_records(ctx, out, size, records, &sorted, &copy);
  const size_t *received = err == SOFA_OK ? counts_from(ctx, out) : NULL;
  if (err == SOFA_OK && !received) err = SOFA_ERR_MEMORY;
  if (err == SOFA_OK)
    err = exchange(ctx, size, out->sent, received,
                   &(SofaExchange){.send = sorted, .receive = out->records});
  sofa_free(ctx, copy);
  sofa_scratch_release(ctx, mark);
  if (err != SOFA_OK) sofa_mail_free(ctx, out);
  return err;
}

SofaErr sofa_process_answer(SofaContext *ctx, const SofaMail *mail, size_t size,
                            const void *answers, void *out) {
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  const bool sorted = is_sorted(mail);
  size_t *place = places_of(ctx, mail);
  const size_t *received = counts_from(ctx, mail);
  char *arrived = sorted ? out : sofa_alloc(ctx, mail->n_sent, size);
  SofaErr err = place && received && (sorted || arrived) ? SOFA_OK : SOFA_ERR_MEMORY;
  if (err == SOFA_OK)
    err = exchange(ctx, size, received, mail->sent,
                   &(SofaExchange){.send = answers, .receive = arrived});
  for (size_t i = 0; !sorted && err == SOFA_OK && i < mail->n_sent; i++)
    sofa_copy((char *)out + size * i, arrived + size * place[mail->rank[i]]++, size);
  if (!sorted) sofa_free(ctx, arrived);
  sofa_scratch_release(ctx, mark);
  return err;
}
