/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Pictures and videos of a batch run. */
#ifndef RUNCSOFA_PICTURES_H
#define RUNCSOFA_PICTURES_H

#include "options.h"
#include "simulation/simulation.h"

typedef struct Pictures Pictures;

/* Prepares what the options ask for; *out is NULL when they ask for nothing, or when no picture can
 * be made (reported, and an error returned: the run goes on without). */
SofaErr pictures_open(SofaSimulation *simulation, const RunOptions *options, Pictures **out);
/* Draws and writes what is due after `step` steps. last: the run ends here. NULL-safe. */
SofaErr pictures_write(Pictures *pictures, uint64_t step, bool last);
/* Finishes the video; *pictures becomes NULL. NULL-safe. */
SofaErr pictures_close(Pictures **pictures);

#endif
