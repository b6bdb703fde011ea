/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The centre of mass of one or several states as a point: what the three CenterOfMass mappings
 * share. */
#ifndef SOFA_MAPPING_CENTER_OF_MASS_H
#define SOFA_MAPPING_CENTER_OF_MASS_H

#include "change/topology_change.h"
#include "numerics/mapping/constant_map.h"

/* J = mass of a point / mass of all, by the masses in the nodes of the inputs. */
SofaErr sofa_center_of_mass_setup(SofaMapping *mapping);

/* The table of functions: the classes have SofaConstantMap as struct. */
extern const SofaMappingOps sofa_center_of_mass_ops;
/* Makes the matrix again from the current masses. */

#endif
