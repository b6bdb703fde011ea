/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The table of a run: chosen quantities over time (--record), as CSV. */
#ifndef RUNCSOFA_RECORDER_H
#define RUNCSOFA_RECORDER_H

#include "options.h"
#include "simulation/simulation.h"

typedef struct Recorder Recorder;

/* Opens the file and writes the names of the columns. *out stays NULL without --record. */
SofaErr recorder_open(SofaSimulation *simulation, const RunOptions *options, Recorder **out);
/* A line of the table, when the step is one of those. NULL-safe. */
SofaErr recorder_write(Recorder *recorder, uint64_t step, bool last);
/* NULL-safe. */
SofaErr recorder_close(Recorder **recorder);

#endif
