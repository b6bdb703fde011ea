/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What PrecomputedLinearSolver and PrecomputedWarpPreconditioner share: the inverse of the first
 * matrix, kept for the run, in a file for the next one, and between components.
 *
 * The inverse is kept as the factor L D L^T or L L^T with its order of elimination. Its file is
 * NODE-SIZE-DT.inverse in the current directory: name of the node, rows of the matrix, time step.
 * The numbers in it are of the machine's byte order:
 *
 *   8 bytes  "CSOFAINV"
 *   uint32   version of the format, 1
 *   uint32   0x01020304, to tell the byte order
 *   uint64   rows of the matrix
 *   double   time step, s
 *   uint64   checksum of the matrix, the order of elimination asked for and the kind of factor
 *   uint64   checksum of what follows (base/checksum.h)
 *   ...      the factor, see cholmod_file.c
 *
 * A factor that is read solves to the bit as the one that was written. A file of another matrix, or
 * one that is damaged, is reported, not used, and replaced; a file of another kind is never
 * touched. */
#ifndef LINEARSOLVER_PRECOMPUTED_H
#define LINEARSOLVER_PRECOMPUTED_H

#include "numerics/direct/cholmod_solver.h"

typedef struct PrecomputedSolver {
  SofaCholmodLinearSolver base;
  bool two_step, use_file;
  bool share; /* these two: fields of PrecomputedWarpPreconditioner alone */
  SofaLink linear_solver;
  char *file;             /* owned; of the inverse; NULL: none yet */
  uint64_t checksum;      /* of the matrix of the inverse */
  uint64_t value_version; /* likewise; 0: none yet */
} PrecomputedSolver;
extern const SofaClass precomputed_solver_class; /* abstract */

/* Makes, reads or shares the inverse when the matrix of the system is another one than before. */
SofaErr precomputed_update(PrecomputedSolver *solver);

#endif
