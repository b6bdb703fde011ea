/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Threads that share the pieces of short jobs, such as a product with a matrix: tens of
 * microseconds.
 *
 * The caller takes pieces itself and waits for nobody who has not begun one: where the other
 * threads get no processor, it does the whole job, so that a job never takes longer than on one
 * thread but for a piece. Between jobs the others look for the next one for some microseconds, then
 * sleep. Which thread does a piece is left to chance: a piece must write to a place of its own, and
 * what pieces sum up is added by their numbers. */
#ifndef SOFA_BASE_TEAM_H
#define SOFA_BASE_TEAM_H

#include <stddef.h>

#include "base/context.h"

SOFA_BEGIN_DECLS

typedef void (*SofaTeamWork)(void *user, size_t piece);

/* Calls work(user, 0) .. work(user, n - 1), each once, in any order, on the context's threads. n is
 * below 2^32. Not from a piece of another job. */
void sofa_team_run(SofaContext *ctx, size_t n, SofaTeamWork work, void *user);
/* Ends the threads; the context does it. */
void sofa_team_destroy(SofaContext *ctx);

SOFA_END_DECLS

#endif
