/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of an initialised scene, in parts; private to the scene's files. */
#ifndef SOFA_SCENE_READY_IMPL_H
#define SOFA_SCENE_READY_IMPL_H

#include "behavior/ode_solver.h"
#include "behavior/state.h"
#include "scene/builder.h"

/* The valid objects of the active nodes, in visiting order. */
typedef struct SofaReady {
  SofaContext *ctx;
  SofaSimulation *simulation;
  SofaObjects objects;
} SofaReady;

/* Is the state not the output of a mapping? */
bool sofa_ready_is_independent(const SofaReady *ready, const SofaState *state);
/* "4, 7, 12, ..." of the first entries of a list of n. */
SofaErr sofa_ready_print_indices(SofaContext *ctx, const uint32_t *list, size_t n, SofaText *out);

/* Inverted or flat elements at rest, and points that no element uses. */
SofaErr sofa_ready_check_elements(SofaReady *ready);
SofaErr sofa_ready_check_points(SofaReady *ready);
/* The ODE solver of the nearest node above that moves what `solver` would move, or NULL. */
const SofaObject *sofa_ready_solver_above(const SofaObject *solver);
/* Masses that explicit solvers lack, free bodies in static solutions, and dampers of contacts. */
SofaErr sofa_ready_check_solvers(SofaReady *ready);

#endif
