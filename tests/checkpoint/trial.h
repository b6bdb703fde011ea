/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs of scenes whose steps are compared: what the tests of checkpoints share. */
#ifndef TESTS_CHECKPOINT_TRIAL_H
#define TESTS_CHECKPOINT_TRIAL_H

#include <sofa.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "components/builtins.h"
#include "scene/checkpoint.h"

enum { MOST_STEPS = 256 };

typedef struct Record {
  int begin, n; /* steps [begin, n] */
  SofaErr end;
  uint64_t sums[MOST_STEPS + 1];
  SofaText saved, last; /* lines of sofa_checkpoint_print at the save and at the end */
  SofaText state;       /* saved at the end; nothing where it cannot be */
} Record;

typedef struct Trial {
  const char *scene;
  int steps, at;
  const char *quirks; /* words, "": all; NULL: none */
  char refusal[400];
  SofaAllocate allocate; /* of the context that begins next; NULL: the C library */
  void *allocate_user;
  const char *output_folder; /* NULL: outputs are not made */
  SofaMessageSink sink;      /* NULL: errors go to `refusal` */
  void *sink_user;
} Trial;

static void keep_message(void *user, const SofaMessage *message) {
  Trial *t = user;
  if (getenv("RESTART_MESSAGES")) fprintf(stderr, "%s\n", message->text);
  if (message->severity >= SOFA_ERROR && !*t->refusal)
    snprintf(t->refusal, sizeof t->refusal, "%s: %s",
             message->origin.path ? message->origin.path : "", message->text);
}

static inline uint64_t sum_of(SofaSimulation *simulation) {
  SofaObjects states = {0};
  uint64_t sum = SOFA_CHECKSUM_BEGIN;
  if (sofa_simulation_states(simulation, &states) != SOFA_OK) return 0;
  for (size_t i = 0; i < states.n; i++) {
    const SofaState *state = (const SofaState *)states.data[i];
    const SofaStateKindInfo *kind = sofa_state_kind_info(state->object.kind);
    const SofaCoords *x = &state->position, *v = &state->velocity;
    sum = sofa_checksum(sum, x->data, x->n * kind->coord * sizeof(double));
    sum = sofa_checksum(sum, v->data, v->n * kind->deriv * sizeof(double));
  }
  sofa_list_free(simulation->ctx, &states);
  return sum;
}

static inline void run(SofaSimulation *simulation, int begin, int end, Record *record) {
  record->begin = record->n = begin;
  record->sums[begin] = sum_of(simulation);
  while (record->n < end) {
    record->end = sofa_simulation_step(simulation, 0);
    if (record->end != SOFA_OK) return;
    record->sums[++record->n] = sum_of(simulation);
  }
}

/* ---- lines of sofa_checkpoint_print ---- */

/* The next word of a line, or NULL. */
static inline const char *word(const char **at, size_t *n) {
  while (**at == ' ') ++*at;
  const char *begin = *at;
  while (**at && **at != ' ' && **at != '\n') ++*at;
  *n = (size_t)(*at - begin);
  return *n ? begin : NULL;
}

/* Does the field belong to the state? Those below say how long and how often the program worked. */
static inline bool counts(const char *name, size_t n) {
  static const char *const others[] = {"iteration_times", "analyses", "factorizations"};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (strlen(others[i]) == n && memcmp(name, others[i], n) == 0) return false;
  return true;
}

/* ---- simulations ---- */

static SofaErr begin(Trial *t, SofaContext **ctx, SofaSimulation **simulation) {
  const SofaContextOptions options = {.threads = 1,
                                      .keep_going = true,
                                      .quirks = t->quirks && !*t->quirks,
                                      .quirk_words = t->quirks,
                                      .discard_outputs = !t->output_folder,
                                      .output_folder = t->output_folder,
                                      .allocate = t->allocate,
                                      .allocate_user = t->allocate_user,
                                      .sink = t->sink ? t->sink : keep_message,
                                      .sink_user = t->sink ? t->sink_user : t};
  SOFA_TRY(sofa_context_create_with_builtins(&options, ctx));
  SOFA_TRY(sofa_simulation_load(*ctx, t->scene, simulation));
  SOFA_TRY(sofa_simulation_init(*simulation));
  *t->refusal = 0;
  return SOFA_OK;
}

static void end(SofaContext **ctx, SofaSimulation **simulation) {
  sofa_simulation_destroy(simulation);
  sofa_context_destroy(ctx);
}

/* Texts outlive the context. */
static inline SofaErr keep(SofaErr err, SofaText *from, SofaText *to) {
  *to = (SofaText){0};
  if (err == SOFA_OK && from->n) {
    to->data = malloc(from->n + 1);
    if (!to->data) return SOFA_ERR_MEMORY;
    memcpy(to->data, from->data, from->n);
    to->data[from->n] = 0;
    to->n = from->n;
  }
  return err;
}

static inline SofaErr print(SofaContext *ctx, SofaSimulation *simulation, SofaText *to) {
  SofaText text = {0};
  const SofaErr err = keep(sofa_checkpoint_print(simulation, &text), &text, to);
  sofa_list_free(ctx, &text);
  return err;
}

#endif
