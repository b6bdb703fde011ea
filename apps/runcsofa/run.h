/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs a scene in batch. */
#ifndef RUNCSOFA_RUN_H
#define RUNCSOFA_RUN_H

#include "base/context.h"
#include "options.h"
#include "progress.h"

/* Of the context of a run; without a sink. */
SofaContextOptions run_context_options(const RunOptions *options);
/* Loads the plugins of -l. */
SofaErr run_load_plugins(SofaContext *ctx, const RunOptions *options);
/* Folders where files are searched: of the options and of the environment. */
SofaErr run_add_paths(SofaContext *ctx, const RunOptions *options);
/* Loads, initialises and steps the scene of the options. Returns the exit status. */
int run_scene(SofaContext *ctx, const RunOptions *options, Progress *progress);

#endif
