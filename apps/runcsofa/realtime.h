/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The schedule of --realtime: steps begin when their time has come, and how well they keep it is
 * reported. */
#ifndef RUNCSOFA_REALTIME_H
#define RUNCSOFA_REALTIME_H

#include <signal.h>
#include "base/context.h"

typedef struct Realtime Realtime;

/* Locks the memory of the process, with a warning where the system refuses. Caller closes. */
SofaErr realtime_open(SofaContext *ctx, Realtime **out);
/* Before each step of dt seconds: waits until the step before, if there was one, began its own dt
 * ago. A step that is later than a whole period moves the schedule, so that no burst of steps
 * follows. Returns within 0.1 s after a signal has set *stop. Does not allocate. */
void realtime_wait(Realtime *realtime, double dt, const volatile sig_atomic_t *stop);
/* After the last step: reports the jitter of the beginnings, the longest steps, steps that were
 * too long, and calls for memory after the first steps. NULL: nothing. */
void realtime_close(Realtime **realtime);

#endif
