/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Corrections by the linear system of the ODE solver: W = factor J A^-1 J^T, c = A^-1 J^T lambda.
 */
#ifndef LAGRANGIAN_CORRECTION_SYSTEM_CORRECTION_H
#define LAGRANGIAN_CORRECTION_SYSTEM_CORRECTION_H

#include "components/constraint/lagrangian/correction/correction.h"

typedef struct SystemCorrection {
  SofaConstraintCorrection correction;
  SofaLink linear_solver_link, ode_link;
  double regularization;
  double compliance_factor;        /* 1 in classes without the field */
  SofaLinearSolver *linear_solver; /* these two: found at the end of init */
  SofaOdeSolver *ode;
  /* of the step that runs */
  SofaMechanics *m;
  SofaOdeFactors factors;
  double factor; /* of A^-1 in W */
  SofaIndices start, column, number, cursor;
  SofaReals value;
  SofaSparseRows j;         /* rows of all independent states over the scalar rows of the system */
  SofaReals side, solution; /* vectors of the plan */
  UnbuiltRows unbuilt;
} SystemCorrection;

extern const SofaClass system_correction_class; /* abstract */

/* Functions of SofaConstraintCorrectionOps. */
SofaErr system_begin(SofaConstraintCorrection *c, const SofaConstraintProblem *problem);
SofaErr system_add_compliance(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                              double *w);
SofaErr system_factor(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                      size_t *most, bool *found);
SofaErr system_start(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                     double *const *blocks, const double *lambda);
bool system_knows(const SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                  const SofaConstraintBlock *block);
void system_add_displacement(const SofaConstraintCorrection *c,
                             const SofaConstraintProblem *problem, const SofaConstraintBlock *block,
                             double *d);
void system_add_force(SofaConstraintCorrection *c, const SofaConstraintProblem *problem,
                      const SofaConstraintBlock *block, const double *change);
/* find_motion with these factors of c in positions and velocities */
SofaErr system_find_motion(SystemCorrection *s, SofaConstraintProblem *problem, double position,
                           double velocity);

#endif
