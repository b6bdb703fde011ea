/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ODE solvers: the classes of this folder. */
#include "object/factory.h"

extern const SofaClass sofa_EulerImplicitSolver_class;

static const SofaClass *const classes[] = {&sofa_EulerImplicitSolver_class, NULL};

extern const SofaModule sofa_module_odesolver;
const SofaModule sofa_module_odesolver = {SOFA_ABI, "odesolver", CSOFA_VERSION, classes};
