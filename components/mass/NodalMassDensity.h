/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NodalMassDensity, for the masses that read it. */
#ifndef MASS_NODAL_MASS_DENSITY_H
#define MASS_NODAL_MASS_DENSITY_H

#include "object/object.h"

typedef struct NodalMassDensity {
  SofaObject object;
  SofaReals property; /* kg/m^d, one per node; the last value holds for those that follow */
} NodalMassDensity;

extern const SofaClass sofa_NodalMassDensity_class;

/* Density at a node. */
static inline double nodal_mass_density(const NodalMassDensity *d, size_t node) {
  return d->property.data[node < d->property.n ? node : d->property.n - 1];
}

#endif
