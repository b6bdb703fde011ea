/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Everything a component or a plugin needs; only includes. Programs include csofa/csofa.h. */
#ifndef SOFA_SOFA_H
#define SOFA_SOFA_H

#include "base/context.h"
#include "base/files.h"
#include "base/profiler.h"
#include "base/text.h"
#include "behavior/animation_loop.h"
#include "behavior/force_field.h"
#include "behavior/lagrangian.h"
#include "behavior/linear_solver.h"
#include "behavior/mapping.h"
#include "behavior/mass.h"
#include "behavior/ode_solver.h"
#include "behavior/projective.h"
#include "behavior/step_limiter.h"
#include "topology/topology.h"
#include "change/topology_change.h"
#include "object/data_graph.h"
#include "object/event.h"
#include "object/factory.h"
#include "object/plugin.h"
#include "simulation/convergence.h"
#include "simulation/mechanics.h"
#include "simulation/newton.h"
#include "simulation/simulation.h"
#include "simulation/step_limits.h"

#endif
