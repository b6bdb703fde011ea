/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a scene in batch. */
#ifndef RUNCSOFA_RUN_H
#define RUNCSOFA_RUN_H

#include "base/context.h"
#include "options.h"
#include "progress.h"

/* Of the context of a run; without a sink. */
SofaContextOptions run_context_options(const RunOptions *options);
/* Folders where files are searched, of the options and of the environment, and the plugins of -l.
 */
SofaErr run_prepare(SofaContext *ctx, const RunOptions *options);
/* The same, and what scenes are loaded with: settings; the folder of outputs is made. */
SofaErr run_prepare_scene(SofaContext *ctx, const RunOptions *options);
/* The first interrupt ends the run after the current step, a second one the program. */
void run_catch_signals(void);
/* Did a signal end the run? */
bool run_was_stopped(void);
/* Loads, initialises and steps the scene of the options. Returns the exit status. */
int run_scene(SofaContext *ctx, const RunOptions *options, Progress *progress);

#endif
