/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Matrices that are kept over steps, in checkpoints: those of preconditioners that are built now
 * and then. A restored matrix is assembled once, for its pattern, and gets the values that were
 * saved; solvers factorise it as they did. */
#ifndef SOFA_SIMULATION_KEPT_MATRIX_H
#define SOFA_SIMULATION_KEPT_MATRIX_H

#include "behavior/linear_system.h"
#include "object/checkpoint.h"

SOFA_BEGIN_DECLS

/* The plan of the last build, if it is that of a node above and in use; else NULL. */
SofaMechanics *sofa_kept_plan(const SofaLinearSystem *system);
/* Writes the plan and the matrix of a system, which may have none. */
void sofa_kept_matrix_save(const SofaLinearSystem *system, SofaCheckpointWriter *to);
/* *m: the plan of the matrix, NULL: it is not kept, and the next build is a first one. */
SofaErr sofa_kept_matrix_restore(SofaLinearSystem *system, SofaCheckpointReader *from,
                                 SofaMechanics **m);

SOFA_END_DECLS

#endif
