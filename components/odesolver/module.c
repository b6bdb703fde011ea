/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ODE solvers: the classes of this folder. */
#include "object/factory.h"

#define CLASSES(X)                                                                                 \
  X(BDFOdeSolver)                                                                                  \
  X(CentralDifferenceSolver)                                                                       \
  X(DampVelocitySolver)                                                                            \
  X(EulerExplicitSolver)                                                                           \
  X(EulerImplicitSolver)                                                                           \
  X(NewmarkImplicitSolver)                                                                         \
  X(NewtonRaphsonSolver)                                                                           \
  X(RungeKutta2Solver)                                                                             \
  X(RungeKutta4Solver)                                                                             \
  X(StaticSolver)                                                                                  \
  X(VariationalSymplecticSolver)

#define DECLARE(name) extern const SofaClass sofa_##name##_class;
CLASSES(DECLARE)

#define ENTRY(name) &sofa_##name##_class,
static const SofaClass *const classes[] = {CLASSES(ENTRY) NULL};

extern const SofaModule sofa_module_odesolver;
const SofaModule sofa_module_odesolver = {SOFA_ABI, "odesolver", CSOFA_VERSION, classes};
