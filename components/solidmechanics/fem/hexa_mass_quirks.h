/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Quirks of the force fields of hexahedra that have a mass. */
#ifndef SOFA_FEM_HEXA_MASS_QUIRKS_H
#define SOFA_FEM_HEXA_MASS_QUIRKS_H

#include "base/quirks.h"

enum { QUIRK_HEXA_MASS = 1 << 20, QUIRK_HEXA_ASSEMBLED_MASS = 1 << 21 };
#define QUIRK_HEXA_MASS_ROW                                                                        \
  {                                                                                                \
    QUIRK_HEXA_MASS, "hexa-mass",                                                                  \
        "hexahedra with a mass: each entry of an element's matrix is 8/27 of the mass of a box",   \
        "test_masses.quirky_masses"                                                                \
  }
#define QUIRK_HEXA_ASSEMBLED_MASS_ROW                                                              \
  {                                                                                                \
    QUIRK_HEXA_ASSEMBLED_MASS, "hexa-assembled-mass",                                              \
        "hexahedra with a mass: the assembled mass is not the one of the products",                \
        "test_quirks_elements.elements"                                                            \
  }

#endif
