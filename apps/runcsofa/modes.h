/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The modes that --modes and --buckling ask for: printed, and written to files. */
#ifndef RUNCSOFA_MODES_H
#define RUNCSOFA_MODES_H

#include "options.h"
#include "simulation/simulation.h"

/* Nothing without these options. Failures are reported. */
SofaErr modes_write(SofaSimulation *simulation, const RunOptions *options);

#endif
