/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linear solvers: one line X(Name) per class caribou_Name_class of this folder. */
#ifndef CARIBOU_SOLVER_CLASSES_H
#define CARIBOU_SOLVER_CLASSES_H

#define CARIBOU_SOLVER(X)                                                                          \
  X(ConjugateGradientSolver)                                                                       \
  X(LDLTSolver)                                                                                    \
  X(LLTSolver)                                                                                     \
  X(LUSolver)

#endif
