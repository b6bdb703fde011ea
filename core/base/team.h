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
typedef void (*SofaTeamRange)(void *user, size_t begin, size_t end);

/* Calls work(user, 0) .. work(user, n - 1), each once, in any order, on the context's threads. n is
 * below 2^32. From a piece of another job, or while another thread has one: on the caller alone. */
void sofa_team_run(SofaContext *ctx, size_t n, SofaTeamWork work, void *user);
/* The same with pieces that may fail: all are done, and the error of one that failed is returned.
 */
typedef SofaErr (*SofaTeamTry)(void *user, size_t piece);
SofaErr sofa_team_try(SofaContext *ctx, size_t n, SofaTeamTry work, void *user);
/* A loop over 0 .. n - 1: calls work with ranges that begin at multiples of `grain` and cover each
 * number once; with all of them at once where one thread does everything. The grain should be worth
 * ten microseconds or more. The team is no part of what a context means: it may be constant. */
void sofa_team_for(const SofaContext *ctx, size_t n, size_t grain, SofaTeamRange work, void *user);
/* What a piece does with the context alone, such as allocation or a message, it does between these:
 * one thread at a time. Not between them again. Without a team they do nothing. */
void sofa_team_lock(const SofaContext *ctx);
void sofa_team_unlock(const SofaContext *ctx);
/* Ends the threads; the context does it. */
void sofa_team_destroy(SofaContext *ctx);

SOFA_END_DECLS

#endif
