/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SofaCaribou: the classes of the plugin, one list per folder. */
#include <csofa.h>

#include "forcefield/classes.h"
#include "mass/classes.h"
#include "material/classes.h"
#include "ode/classes.h"
#include "solver/classes.h"
#include "topology/classes.h"

#define CLASSES(X)                                                                                 \
  CARIBOU_TOPOLOGY(X)                                                                              \
  CARIBOU_MATERIAL(X)                                                                              \
  CARIBOU_FORCE_FIELD(X)                                                                           \
  CARIBOU_MASS(X)                                                                                  \
  CARIBOU_SOLVER(X)                                                                                \
  CARIBOU_ODE(X)

#define DECLARE(name) extern const SofaClass caribou_##name##_class;
CLASSES(DECLARE)

#define ENTRY(name) &caribou_##name##_class,
SOFA_PLUGIN("SofaCaribou", CSOFA_VERSION, CLASSES(ENTRY) NULL)
