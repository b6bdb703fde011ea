/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The last states of a run. */
#include "viewer/window/past.h"

#include <stdio.h>

#include "base/profiler.h"
#include "scene/checkpoint.h"

static void drop(Past *p, SofaContext *ctx, size_t i) {
  p->bytes -= p->states.data[i].n;
  sofa_free(ctx, p->states.data[i].bytes);
  p->states.n--;
  sofa_move(p->states.data + i, p->states.data + i + 1, (p->states.n - i) * sizeof *p->states.data);
}

void past_clear(Past *p, SofaContext *ctx) {
  for (size_t i = 0; i < p->states.n; i++) sofa_free(ctx, p->states.data[i].bytes);
  sofa_list_free(ctx, &p->states);
  p->bytes = 0;
  p->refusal[0] = '\0';
  p->spent = p->worked = 0;
}

/* What cannot be saved is no error of the user's: it is shown beside the time line alone. */
static void keep_reason(void *user, const SofaMessage *message) {
  Past *p = user;
  if (message->severity >= SOFA_ERROR) snprintf(p->refusal, sizeof p->refusal, "%s", message->text);
}

static SofaErr write_state(Past *p, SofaSimulation *s, SofaText *out) {
  const SofaMessageSink sink = s->ctx->sink;
  void *const user = s->ctx->sink_user;
  s->ctx->sink = keep_reason;
  s->ctx->sink_user = p;
  const SofaErr err = sofa_checkpoint_write(s, out);
  s->ctx->sink = sink;
  s->ctx->sink_user = user;
  return err;
}

/* Takes the bytes over. */
static SofaErr keep(Past *p, SofaSimulation *s, const SofaText *bytes) {
  PastState state = {.step = s->steps, .time = s->root->time, .n = bytes->n};
  while (p->states.n && (p->states.n >= PAST_STATES || p->bytes + bytes->n > p->most))
    drop(p, s->ctx, 0);
  if (bytes->n > p->most) {
    snprintf(p->refusal, sizeof p->refusal, "a state needs %.1f MB, more than the past may have",
             1e-6 * (double)bytes->n);
    return SOFA_OK;
  }
  state.bytes = sofa_alloc(s->ctx, bytes->n, 1);
  if (!state.bytes) return SOFA_ERR_MEMORY;
  sofa_copy(state.bytes, bytes->data, bytes->n);
  const SofaErr err = SOFA_APPEND(s->ctx, &p->states, &state);
  if (err == SOFA_OK) p->bytes += state.n;
  else sofa_free(s->ctx, state.bytes);
  return err;
}

void past_record(Past *p, SofaSimulation *s, double seconds) {
  SofaText bytes = {0};
  const double start = sofa_now();
  // what came after is not the future any more
  while (p->states.n && p->states.data[p->states.n - 1].step >= s->steps)
    drop(p, s->ctx, p->states.n - 1);
  p->worked = 0.99 * p->worked + seconds;
  p->spent *= 0.99;
  if (p->off || p->refusal[0] || (p->states.n && p->spent > p->share * p->worked)) return;
  if (write_state(p, s, &bytes) == SOFA_OK) (void)keep(p, s, &bytes);
  sofa_list_free(s->ctx, &bytes);
  p->spent += sofa_now() - start;
}

size_t past_find(const Past *p, uint64_t step) {
  size_t found = 0;
  for (size_t i = 1; i < p->states.n; i++)
    if (p->states.data[i].step <= step) found = i;
  return p->states.n ? found : p->states.n;
}

SofaErr past_go(const Past *p, SofaSimulation *s, size_t i) {
  if (i >= p->states.n) return SOFA_ERR_RANGE;
  return sofa_checkpoint_read(s, "a state of the past", p->states.data[i].bytes,
                              p->states.data[i].n);
}
