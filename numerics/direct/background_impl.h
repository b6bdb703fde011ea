/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A thread that does one piece of work at a time, beside its owner. */
#ifndef SOFA_NUMERICS_DIRECT_BACKGROUND_H
#define SOFA_NUMERICS_DIRECT_BACKGROUND_H

#include "base/context.h"

typedef struct SofaBackground SofaBackground;

SofaErr sofa_background_create(SofaContext *ctx, SofaBackground **out);
/* Waits for the work. */
void sofa_background_destroy(SofaContext *ctx, SofaBackground **background);
/* Begins work(data), after the last work is done. The thread is made with the first one; where the
 * system has none left, the caller does the work. */
void sofa_background_begin(SofaBackground *background, void (*work)(void *data), void *data);
void sofa_background_wait(SofaBackground *background);

#endif
