/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of engines that measure a volume: points of a state, at init or at every change. */
#ifndef SOFA_COMPONENTS_ENGINE_GENERATE_VOLUME_H
#define SOFA_COMPONENTS_ENGINE_GENERATE_VOLUME_H

#include "components/engine/engine.h"

typedef struct VolumeEngine {
  SofaObject object;
  SofaLink topology, state;
  SofaCoords position;
  double volume;
  bool always, done;
} VolumeEngine;

extern const SofaClass volume_engine_class; /* abstract; init links and evaluates nothing */

/* Links positions, and two lists of elements called `names` here and `sources` there. */
SofaErr volume_engine_init(VolumeEngine *e, const char *const *names, const char *const *sources);
/* Is the volume to be computed now? */
bool volume_engine_wanted(VolumeEngine *e);
/* Six times the signed volume of the tetrahedron of points a b c d. */
double six_volumes(const SofaCoords *x, uint32_t a, uint32_t b, uint32_t c, uint32_t d);

#endif
