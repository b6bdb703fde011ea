/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ODE solvers: one line X(Name) per class caribou_Name_class of this folder. */
#ifndef CARIBOU_ODE_CLASSES_H
#define CARIBOU_ODE_CLASSES_H

#define CARIBOU_ODE(X)                                                                             \
  X(BackwardEulerODESolver)                                                                        \
  X(LegacyStaticODESolver)                                                                         \
  X(StaticODESolver)

#endif
