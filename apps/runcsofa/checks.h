/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of the scene beside a run: what they find is printed and written as JSON. */
#ifndef RUNCSOFA_CHECKS_H
#define RUNCSOFA_CHECKS_H

#include "options.h"
#include "simulation/simulation.h"

typedef struct Checks Checks;

/* Of an initialised scene, before its steps. *out is NULL when no check is asked for; the functions
 * below do nothing then. */
SofaErr checks_open(SofaSimulation *simulation, const RunOptions *options, Checks **out);
SofaErr checks_step(Checks *checks);
/* After the last step: makes the report. An error when it could not be made or something is wrong.
 */
SofaErr checks_finish(Checks *checks);
SofaErr checks_close(Checks **checks);

#endif
