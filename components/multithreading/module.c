/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Classes for several threads: the classes of this folder. */
#include "object/factory.h"

#define CLASSES(X)                                                                                 \
  X(AnimationLoopParallelScheduler)                                                                \
  X(DataExchange)                                                                                  \
  X(MeanComputation)                                                                               \
  X(ParallelCGLinearSolver)                                                                        \
  X(ParallelHexahedronFEMForceField)                                                               \
  X(ParallelMeshSpringForceField)                                                                  \
  X(ParallelSpringForceField)                                                                      \
  X(ParallelTetrahedronFEMForceField)

#define DECLARE(name) extern const SofaClass sofa_##name##_class;
CLASSES(DECLARE)
#undef DECLARE

static const SofaClass *const classes[] = {
#define LISTED(name) &sofa_##name##_class,
    CLASSES(LISTED)
#undef LISTED
        NULL};

extern const SofaModule sofa_module_multithreading;
const SofaModule sofa_module_multithreading = {SOFA_ABI, "multithreading", CSOFA_VERSION, classes};
