/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sides by the numbers of their points in the whole mesh, sent to those that may have them, too. */
#include "topology/shared_sides.h"

enum { MOST = 4 }; /* points of a side */

typedef struct Side {
  uint32_t v[MOST]; /* ascending; unused ones UINT32_MAX */
} Side;
SOFA_LIST(Side, Sides);

typedef struct Exchange {
  SofaContext *ctx;
  const SofaDivision *division;
  Sides out, in;                /* for all neighbours, of all */
  size_t *n_out, *n_in, *bytes; /* of each; bytes: room for both */
  uint8_t *shared;              /* per local point: has the neighbour it? */
} Exchange;

static int compare(const void *a, const void *b) {
  const Side *p = a, *q = b;
  for (int k = 0; k < MOST; k++)
    if (p->v[k] != q->v[k]) return p->v[k] < q->v[k] ? -1 : 1;
  return 0;
}

static Side side_of(const SofaDivision *division, const uint32_t *v, size_t width) {
  Side side = {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}};
  for (size_t i = 0; i < width; i++) {
    const uint32_t number = division->number.data[v[i]];
    size_t at = i;
    for (; at > 0 && side.v[at - 1] > number; at--) side.v[at] = side.v[at - 1];
    side.v[at] = number;
  }
  return side;
}

static bool is_shared(const Exchange *e, const uint32_t *v, size_t width) {
  for (size_t i = 0; i < width; i++)
    if (!e->shared[v[i]]) return false;
  return true;
}

static void mark(const Exchange *e, size_t k, uint8_t value) {
  const SofaDivision *d = e->division;
  for (size_t s = d->start.data[k]; s < d->start.data[k + 1]; s++)
    e->shared[d->shared.data[s]] = value;
}

/* The sides that neighbour k may have, ascending. */
static SofaErr list_for(Exchange *e, size_t k, SofaElements own) {
  const size_t before = e->out.n;
  mark(e, k, 1);
  for (size_t i = 0; i < own.n; i++) {
    const uint32_t *v = own.v + i * own.width;
    if (!is_shared(e, v, own.width)) continue;
    const Side side = side_of(e->division, v, own.width);
    SOFA_TRY(SOFA_APPEND(e->ctx, &e->out, &side));
  }
  mark(e, k, 0);
  e->n_out[k] = e->out.n - before;
  if (e->n_out[k]) sofa_sort(e->out.data + before, e->n_out[k], sizeof(Side), compare);
  return SOFA_OK;
}

static SofaErr pass(Exchange *e, size_t *n_send, size_t *n_receive, const void *send,
                    void *receive) {
  const SofaIndices *neighbours = &e->division->neighbours;
  return sofa_process_exchange(e->ctx, &(SofaExchange){.n_neighbours = neighbours->n,
                                                       .neighbours = neighbours->data,
                                                       .n_send = n_send,
                                                       .n_receive = n_receive,
                                                       .send = send,
                                                       .receive = receive});
}

static SofaErr send_sides(Exchange *e) {
  const size_t n = e->division->neighbours.n;
  size_t *send = e->bytes, *receive = e->bytes + n, total = 0;
  for (size_t k = 0; k < n; k++) send[k] = receive[k] = sizeof *e->n_out;
  SOFA_TRY(pass(e, send, receive, e->n_out, e->n_in));
  for (size_t k = 0; k < n; k++) {
    send[k] = e->n_out[k] * sizeof(Side);
    receive[k] = e->n_in[k] * sizeof(Side);
    total += e->n_in[k];
  }
  SOFA_TRY(SOFA_RESIZE(e->ctx, &e->in, total));
  return pass(e, send, receive, e->out.data, e->in.data);
}

/* Neighbours ascend. */
static uint32_t lowest_with(const Exchange *e, const Side *side) {
  size_t first = 0;
  for (size_t k = 0; k < e->division->neighbours.n; first += e->n_in[k++])
    if (e->n_in[k] && sofa_search(side, e->in.data + first, e->n_in[k], sizeof *side, compare))
      return e->division->neighbours.data[k];
  return SOFA_NO_ELEMENT;
}

static SofaErr find_all(Exchange *e, SofaElements own, SofaElements asked, uint32_t *lowest) {
  const SofaDivision *d = e->division;
  for (size_t k = 0; k < d->neighbours.n; k++) SOFA_TRY(list_for(e, k, own));
  SOFA_TRY(send_sides(e));
  for (size_t k = 0; k < d->neighbours.n; k++) mark(e, k, 1);
  for (size_t i = 0; i < asked.n; i++) {
    const uint32_t *v = asked.v + i * asked.width;
    lowest[i] = SOFA_NO_ELEMENT;
    if (!is_shared(e, v, asked.width)) continue;
    const Side side = side_of(d, v, asked.width);
    lowest[i] = lowest_with(e, &side);
  }
  return SOFA_OK;
}

SofaErr sofa_find_shared_sides(SofaContext *ctx, const SofaDivision *division, SofaElements own,
                               SofaElements asked, uint32_t *lowest) {
  const SofaScratchMark mark_of_scratch = sofa_scratch_mark(ctx);
  const size_t n = division->neighbours.n;
  Exchange e = {.ctx = ctx, .division = division};
  SofaErr err = SOFA_ERR_MEMORY;
  e.n_out = SOFA_SCRATCH(ctx, size_t, n + 1);
  e.n_in = SOFA_SCRATCH(ctx, size_t, n + 1);
  e.bytes = SOFA_SCRATCH(ctx, size_t, 2 * n + 1);
  e.shared = SOFA_SCRATCH(ctx, uint8_t, division->n + 1);
  if (!e.n_out || !e.n_in || !e.bytes || !e.shared) goto done;
  sofa_zero(e.shared, division->n);
  err = find_all(&e, own, asked, lowest);
done:
  sofa_list_free(ctx, &e.out);
  sofa_list_free(ctx, &e.in);
  sofa_scratch_release(ctx, mark_of_scratch);
  return err;
}

/* ---- divisions of made elements ---- */

static SofaErr copy_points(SofaContext *ctx, const SofaDivision *from, SofaDivision *to) {
  const size_t size = sizeof(uint32_t);
  to->n_whole = from->n_whole;
  to->n = from->n;
  to->n_owned = from->n_owned;
  SOFA_TRY(sofa_list_copy(ctx, &to->number, &from->number, size));
  SOFA_TRY(sofa_list_copy(ctx, &to->neighbours, &from->neighbours, size));
  SOFA_TRY(sofa_list_copy(ctx, &to->start, &from->start, size));
  SOFA_TRY(sofa_list_copy(ctx, &to->shared, &from->shared, size));
  SOFA_TRY(sofa_list_copy(ctx, &to->border, &from->border, size));
  return sofa_list_copy(ctx, &to->owner, &from->owner, size);
}

static int by_key(const void *a, const void *b) {
  const uint64_t p = *(const uint64_t *)a, q = *(const uint64_t *)b;
  return p < q ? -1 : p > q;
}

/* all: keys of the processes, `most` of each, of which n[r] count; gets all of them, ascending. */
static size_t unite_keys(size_t n_processes, const size_t *n, size_t most, uint64_t *all) {
  size_t total = 0;
  for (size_t r = 0; r < n_processes; r++)
    for (size_t i = 0; i < n[r]; i++) all[total++] = all[r * most + i];
  if (total) sofa_sort(all, total, sizeof *all, by_key);
  return total;
}

static SofaErr number_elements(SofaContext *ctx, const SofaMadeElements *made,
                               SofaDivision *division) {
  const size_t n_processes = (size_t)sofa_process_count(ctx);
  SofaIndices *numbers = &division->elements[made->kind];
  size_t most = 0, total;
  uint64_t *own = NULL, *all = NULL;
  SofaErr err = SOFA_OK;
  size_t *n = sofa_alloc(ctx, n_processes, sizeof *n);
  if (!n) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, sofa_process_collect(ctx, sizeof made->n, &made->n, n));
  for (size_t r = 0; r < n_processes; r++) most = n[r] > most ? n[r] : most;
  own = sofa_alloc(ctx, most + 1, sizeof *own);
  all = sofa_alloc(ctx, most * n_processes + 1, sizeof *all);
  if (!own || !all) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  sofa_copy(own, made->key, made->n * sizeof *own);
  SOFA_GO(err, done, sofa_process_collect(ctx, most * sizeof *own, own, all));
  total = unite_keys(n_processes, n, most, all);
  SOFA_GO(err, done, SOFA_RESIZE(ctx, numbers, made->n));
  for (size_t i = 0, at = 0; i < made->n; i++) {
    while (at < total && all[at] < made->key[i]) at++;
    numbers->data[i] = (uint32_t)at;
  }
  division->n_whole_elements[made->kind] = total;
done:
  sofa_free(ctx, n);
  sofa_free(ctx, own);
  sofa_free(ctx, all);
  return err;
}

SofaErr sofa_division_of_made(SofaContext *ctx, const SofaDivision *from,
                              const SofaMadeElements *made, SofaDivision **out) {
  SofaDivision *division = sofa_alloc(ctx, 1, sizeof *division);
  if (!division) return SOFA_ERR_MEMORY;
  SofaErr err = copy_points(ctx, from, division);
  if (err == SOFA_OK) err = number_elements(ctx, made, division);
  if (err != SOFA_OK) sofa_division_free(ctx, division);
  if (err != SOFA_OK) sofa_free(ctx, division);
  *out = err == SOFA_OK ? division : NULL;
  return err;
}
