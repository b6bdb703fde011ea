/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces and reactions of the current state, which the plan computes when they are read. */
#ifndef SOFA_SIMULATION_REACTIONS_IMPL_H
#define SOFA_SIMULATION_REACTIONS_IMPL_H

#include "simulation/mechanics.h"

/* The forces of the state's plan at its positions, velocities and the end of the last step. */
SofaErr sofa_mech_find_force(SofaState *state);
SofaErr sofa_mech_find_reactions(SofaProjective *c);

#endif
