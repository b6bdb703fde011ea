/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ParallelBVHNarrowPhase: BVHNarrowPhase under the name of SOFA's parallel one. */
#include "components/collision/detection/bvh.h"

typedef struct ParallelBVHNarrowPhase {
  BVHNarrowPhase bvh;
  int n_threads;
  char *scheduler;
} ParallelBVHNarrowPhase;

static const SofaField fields[] = {
    SOFA_FIELD(ParallelBVHNarrowPhase, n_threads, "nbThreads", "0", "",
               "no effect: the program's threads are used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(ParallelBVHNarrowPhase, scheduler, "taskSchedulerType", "_default", "", "no effect",
               .flags = SOFA_FIELD_NO_EFFECT),
};

SOFA_CLASS(ParallelBVHNarrowPhase) = {
    SOFA_NAMED(ParallelBVHNarrowPhase),
    .module = "MultiThreading",
    .category = "CollisionAlgorithm",
    .help = "The same as BVHNarrowPhase, with the same bits on any number of threads.",
    .base = &sofa_BVHNarrowPhase_class,
    SOFA_FIELDS(fields),
};
