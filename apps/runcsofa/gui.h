/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Chooses between the window and the batch run. */
#ifndef RUNCSOFA_GUI_H
#define RUNCSOFA_GUI_H

#include "base/context.h"
#include "options.h"
#include "progress.h"

/* Shows or runs the scene of the options. Returns the exit status. */
int gui_run(SofaContext *ctx, const RunOptions *options, Progress *progress);

#endif
