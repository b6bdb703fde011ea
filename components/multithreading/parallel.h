/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Classes that SOFA has for several threads beside those for one: csofa's use the threads of the
 * run in any case, so that these are the same under another name. */
#ifndef SOFA_MULTITHREADING_PARALLEL_H
#define SOFA_MULTITHREADING_PARALLEL_H

#include "object/object.h"

/* The two fields that these classes have more. */
typedef struct ParallelFields {
  int n_threads;
  char *scheduler;
} ParallelFields;

#define PARALLEL_ROWS(T, member)                                                                   \
  SOFA_FIELD(T, member.n_threads, "nbThreads", "0", "1",                                           \
             "no effect: the threads of the run are used", .flags = SOFA_FIELD_NO_EFFECT),         \
      SOFA_FIELD(T, member.scheduler, "taskSchedulerType", "_default", "",                         \
                 "no effect: the threads of the run are used", .flags = SOFA_FIELD_NO_EFFECT)

/* Tells, where the scene set one of them or asks for messages, what runs instead. */
SofaErr parallel_tell(SofaObject *object);

#endif
