/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sweep and prune for the broad phase: bodies in the order of their lower ends along an axis meet
 * those that begin before they end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/team.h"
#include "components/collision/detection/brute_force.h"
#include "numerics/spatial/bounding_tree.h"

void brute_force_free(SofaContext *ctx, BruteForce *b) {
  sofa_list_free(ctx, &b->accepted);
  sofa_list_free(ctx, &b->order);
  sofa_list_free(ctx, &b->close);
  for (size_t i = 0; i < b->found.n; i++) sofa_list_free(ctx, &b->found.data[i]);
  sofa_list_free(ctx, &b->found);
  sofa_list_free(ctx, &b->sorted);
  sofa_list_free(ctx, &b->start);
}

enum { THREADS_FROM = 1024 }; /* bodies from which on threads are worth while */

/* The axis along which the bodies are spread most, in multiples of their mean length; -1: a box is
 * not finite. */
static int axis_of(const AcceptedBodies *all) {
  double best = -1;
  int axis = -1;
  for (int k = 0; k < 3; k++) {
    double low = INFINITY, high = -INFINITY, sum = 0;
    for (size_t i = 0; i < all->n; i++) {
      const double *box = all->data[i].box;
      low = fmin(low, box[k]);
      high = fmax(high, box[3 + k]);
      sum += fabs(box[k]) + fabs(box[3 + k]);
    }
    if (!isfinite(sum)) return -1;
    double length = 0;
    for (size_t i = 0; i < all->n; i++) length += all->data[i].box[3 + k] - all->data[i].box[k];
    const double spread = length > 0 ? (high - low) / length : high > low ? INFINITY : 0;
    if (spread > best) {
      best = spread;
      axis = k;
    }
  }
  return axis;
}

/* By insertion: from step to step the order hardly changes. */
static void sort_again(BruteForce *b, int axis) {
  uint32_t *order = b->order.data;
  for (size_t i = 1; i < b->order.n; i++) {
    const uint32_t one = order[i];
    const double low = b->accepted.data[one].box[axis];
    size_t to = i;
    for (; to > 0 && b->accepted.data[order[to - 1]].box[axis] > low; to--)
      order[to] = order[to - 1];
    order[to] = one;
  }
}

typedef struct LowerEnd {
  double low;
  uint32_t body;
} LowerEnd;

static int by_low(const void *a, const void *b) {
  const LowerEnd *p = a, *q = b;
  if (p->low != q->low) return p->low < q->low ? -1 : 1;
  return p->body < q->body ? -1 : p->body > q->body;
}

static SofaErr sort_first(SofaContext *ctx, BruteForce *b, int axis) {
  const size_t n = b->accepted.n;
  const SofaScratchMark mark = sofa_scratch_mark(ctx);
  LowerEnd *ends = SOFA_SCRATCH(ctx, LowerEnd, n);
  if (!ends) return SOFA_ERR_MEMORY;
  const SofaErr err = SOFA_RESIZE(ctx, &b->order, n);
  for (uint32_t i = 0; i < n && err == SOFA_OK; i++)
    ends[i] = (LowerEnd){b->accepted.data[i].box[axis], i};
  if (err == SOFA_OK) sofa_sort(ends, n, sizeof *ends, by_low);
  for (size_t i = 0; i < n && err == SOFA_OK; i++) b->order.data[i] = ends[i].body;
  sofa_scratch_release(ctx, mark);
  return err;
}

static SofaErr append(SofaContext *ctx, SofaModelPairs *list, SofaModelPair pair) {
  SofaErr err = SOFA_OK;
  if (list->n == list->capacity) {
    sofa_team_lock(ctx);
    err = SOFA_RESERVE(ctx, list, 2 * list->n + 64);
    sofa_team_unlock(ctx);
  }
  if (err == SOFA_OK) list->data[list->n++] = pair;
  return err;
}

/* The pairs of bodies [first, last) of the order with later ones. */
static SofaErr find_close_of(SofaContext *ctx, const BruteForce *b, int axis, size_t first,
                             size_t last, SofaModelPairs *out) {
  const AcceptedBody *all = b->accepted.data;
  const uint32_t *order = b->order.data;
  out->n = 0;
  for (size_t i = first; i < last; i++) {
    const AcceptedBody *one = &all[order[i]];
    for (size_t k = i + 1; k < b->order.n; k++) {
      const AcceptedBody *other = &all[order[k]];
      if (other->box[axis] > one->box[3 + axis]) break;
      if ((!one->simulated && !other->simulated) || !sofa_boxes_are_close(one->box, other->box, 0))
        continue;
      const bool later = order[i] > order[k];
      const SofaModelPair pair = {order[later ? i : k], order[later ? k : i]};
      SOFA_TRY(append(ctx, out, pair));
    }
  }
  return SOFA_OK;
}

/* What the threads found, in their order. */
static SofaErr join_found(SofaContext *ctx, BruteForce *b, size_t n) {
  size_t sum = 0;
  for (size_t i = 0; i < n; i++) sum += b->found.data[i].n;
  if (sum > b->close.capacity) SOFA_TRY(SOFA_RESERVE(ctx, &b->close, 2 * sum));
  b->close.n = 0;
  for (size_t i = 0; i < n; i++) {
    const SofaModelPairs *found = &b->found.data[i];
    if (found->n)
      sofa_copy(b->close.data + b->close.n, found->data, found->n * sizeof *found->data);
    b->close.n += found->n;
  }
  return SOFA_OK;
}

/* Each piece has a row of bodies. */
typedef struct Rows {
  SofaContext *ctx;
  BruteForce *b;
  int axis;
  size_t n;
} Rows;

static SofaErr find_row(void *user, size_t i) {
  const Rows *r = user;
  const size_t all = r->b->order.n;
  return find_close_of(r->ctx, r->b, r->axis, all * i / r->n, all * (i + 1) / r->n,
                       &r->b->found.data[i]);
}

static SofaErr find_close(SofaContext *ctx, BruteForce *b, int axis) {
  const size_t n = (size_t)ctx->threads, all = b->order.n;
  if (n == 1 || all < THREADS_FROM) return find_close_of(ctx, b, axis, 0, all, &b->close);
  if (b->found.n < n) SOFA_TRY(SOFA_RESIZE(ctx, &b->found, n));
  Rows rows = {.ctx = ctx, .b = b, .axis = axis, .n = n};
  SOFA_TRY(sofa_team_try(ctx, n, find_row, &rows));
  return join_found(ctx, b, n);
}

/* The few pairs of one later body, by insertion. */
static void sort_row(SofaModelPair *row, size_t n) {
  for (size_t i = 1; i < n; i++) {
    const SofaModelPair pair = row[i];
    size_t to = i;
    for (; to > 0 && row[to - 1].second > pair.second; to--) row[to] = row[to - 1];
    row[to] = pair;
  }
}

static SofaErr sort_close(SofaContext *ctx, BruteForce *b) {
  const size_t n = b->accepted.n;
  SOFA_TRY(SOFA_RESIZE(ctx, &b->start, n + 2));
  if (b->close.n > b->sorted.capacity) SOFA_TRY(SOFA_RESERVE(ctx, &b->sorted, 2 * b->close.n));
  b->sorted.n = b->close.n;
  uint32_t *start = b->start.data, *next = start + 1; /* where the next pair of a body goes */
  sofa_zero(start, b->start.n * sizeof *start);
  for (size_t i = 0; i < b->close.n; i++) next[b->close.data[i].first + 1]++;
  for (size_t i = 1; i <= n; i++) next[i] += next[i - 1];
  for (size_t i = 0; i < b->close.n; i++)
    b->sorted.data[next[b->close.data[i].first]++] = b->close.data[i];
  for (size_t i = 0; i < n; i++) sort_row(b->sorted.data + start[i], start[i + 1] - start[i]);
  return SOFA_OK;
}

SofaErr brute_force_sweep(SofaContext *ctx, BruteForce *b, bool *done) {
  const int axis = axis_of(&b->accepted);
  *done = axis >= 0;
  if (axis < 0) return SOFA_OK;
  if (b->order.n != b->accepted.n) SOFA_TRY(sort_first(ctx, b, axis));
  sort_again(b, axis);
  SOFA_TRY(find_close(ctx, b, axis));
  return sort_close(ctx, b);
}
