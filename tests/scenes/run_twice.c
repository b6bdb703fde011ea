/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs scenes, resets them and runs them again, then once more with matrices that are assembled and
 * factorised in every step: the states must have the same bits at every step.
 *
 * usage: run_twice STEPS SCENE...; status 1 when a scene differs or fails the second time only. */
#include <sofa.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "components/builtins.h"

enum { MOST_STEPS = 64 };

typedef struct Record {
  SofaErr end;
  int n;
  uint64_t sums[MOST_STEPS + 1];
} Record;

static void quiet(void *user, const SofaMessage *message) {
  (void)user, (void)message;
}

static uint64_t sum_of(SofaSimulation *simulation) {
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

static void run(SofaSimulation *simulation, int steps, Record *record) {
  *record = (Record){.n = 0};
  record->sums[0] = sum_of(simulation);
  while (record->n < steps) {
    record->end = sofa_simulation_step(simulation, 0);
    if (record->end != SOFA_OK) return;
    record->sums[++record->n] = sum_of(simulation);
  }
}

/* 1: differs. */
static int compare(const char *scene, const char *when, const Record *a, const Record *b) {
  for (int i = 0; i <= a->n && i <= b->n; i++)
    if (a->sums[i] != b->sums[i]) {
      printf("%s: step %d differs %s\n", scene, i, when);
      return 1;
    }
  if (a->n == b->n && a->end == b->end) return 0;
  printf("%s: %d steps (%d), %s %d (%d)\n", scene, a->n, (int)a->end, when, b->n, (int)b->end);
  return 1;
}

/* Loads and runs a scene; after: what is done with it. -1: it cannot be run. */
static int open_scene(const char *scene, int steps, bool always, Record *record,
                      int (*after)(SofaSimulation *simulation, const char *scene, int steps,
                                   const Record *record)) {
  const SofaContextOptions options = {
      .threads = 1, .keep_going = true, .assembles_always = always, .sink = quiet};
  SofaContext *ctx = NULL;
  SofaSimulation *simulation = NULL;
  int result = -1;
  if (sofa_context_create_with_builtins(&options, &ctx) != SOFA_OK) return -1;
  if (sofa_simulation_load(ctx, scene, &simulation) == SOFA_OK &&
      sofa_simulation_init(simulation) == SOFA_OK) {
    run(simulation, steps, record);
    result = after ? after(simulation, scene, steps, record) : 0;
  }
  sofa_simulation_destroy(&simulation);
  sofa_context_destroy(&ctx);
  return result;
}

static int again(SofaSimulation *simulation, const char *scene, int steps, const Record *record) {
  Record second;
  if (sofa_simulation_reset(simulation) != SOFA_OK) {
    printf("%s: the reset fails\n", scene);
    return 1;
  }
  run(simulation, steps, &second);
  return compare(scene, "after a reset", record, &second);
}

/* 1: differs; -1: it cannot be run. */
static int try_scene(const char *scene, int steps) {
  Record first, other;
  const int result = open_scene(scene, steps, false, &first, again);
  if (result != 0 || open_scene(scene, steps, true, &other, NULL) < 0) return result;
  return compare(scene, "when matrices are made in every step", &first, &other);
}

int main(int argc, char **argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 0;
  int differ = 0, run = 0;
  if (argc < 3 || steps < 1 || steps > MOST_STEPS) {
    fprintf(stderr, "usage: run_twice STEPS SCENE..., at most %d steps\n", MOST_STEPS);
    return 2;
  }
  for (int i = 2; i < argc; i++) {
    const int result = try_scene(argv[i], steps);
    fflush(stdout);
    run += result >= 0;
    differ += result > 0;
  }
  printf("%d scenes run twice, %d differ\n", run, differ);
  return differ > 0 || run == 0;
}
