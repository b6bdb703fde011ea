/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ParallelBruteForceBroadPhase: BruteForceBroadPhase with the pairs in another order. */
#include "components/collision/detection/brute_force.h"

typedef struct ParallelBruteForceBroadPhase {
  BruteForceBroadPhase base;
  int n_threads;
  char *scheduler;
} ParallelBruteForceBroadPhase;

static const SofaField fields[] = {
    SOFA_FIELD(ParallelBruteForceBroadPhase, n_threads, "nbThreads", "0", "",
               "no effect: the program's threads are used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(ParallelBruteForceBroadPhase, scheduler, "taskSchedulerType", "_default", "",
               "no effect", .flags = SOFA_FIELD_NO_EFFECT),
};

static SofaErr find(SofaObject *phase, const SofaCollisionScene *scene, SofaModelPairs *out) {
  return brute_force_find(phase->ctx, &((BruteForceBroadPhase *)phase)->brute, scene, true, out);
}

static const SofaBroadPhaseOps ops = {.find = find, .asks_models = true};

SOFA_CLASS(ParallelBruteForceBroadPhase) = {
    SOFA_NAMED(ParallelBruteForceBroadPhase),
    .module = "MultiThreading",
    .category = "CollisionAlgorithm",
    .help = "Finds the pairs of BruteForceBroadPhase; those of a model with itself come first.",
    .base = &sofa_BruteForceBroadPhase_class,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_BROAD_PHASE, &ops}),
};
