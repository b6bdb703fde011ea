/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of states: positions and velocities of all mechanical states at chosen steps, as text with
 * 17 significant digits.
 *
 *   step <int> time <real>
 *   state <path> n <points> dim <reals per position> vdim <reals per velocity>
 *   x <n*dim reals>
 *   v <n*vdim reals>
 *   ... further states, further steps
 *   # end
 *
 * The file is NAME.part until it is complete. */
#ifndef RUNCSOFA_STATES_FILE_H
#define RUNCSOFA_STATES_FILE_H

#include "simulation/simulation.h"

typedef struct StatesFile StatesFile;

/* Creates the file; a name that ends in .gz is compressed. Failures are reported. */
SofaErr states_file_open(SofaContext *ctx, const char *path, StatesFile **out);
/* Writes one frame: the active states in visiting order. */
SofaErr states_file_write(StatesFile *file, SofaSimulation *simulation, uint64_t step);
/* Closes and frees; *file becomes NULL. The first failure of any write shows here at the latest. */
SofaErr states_file_close(StatesFile **file);

#endif
