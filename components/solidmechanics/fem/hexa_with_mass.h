/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What force fields of hexahedra with a mass in the same object share: rows of fields and quirks,
 * the life of the mass, gravity. Their struct begins with a SofaLinearFem, whose hexa_mass their
 * construct sets. */
#ifndef SOFA_FEM_HEXA_WITH_MASS_H
#define SOFA_FEM_HEXA_WITH_MASS_H

#include "numerics/fem/linear_fem.h"
#include "numerics/mass/hexa_mass.h"

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

/* mass: member that is the SofaMass, with its dot; m: the SofaHexaMass. */
#define HEXA_OUTPUT (SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK)
#define HEXA_MASS_ROWS(T, mass, m)                                                                 \
  SOFA_MASS_ROWS(T, mass),                                                                         \
      SOFA_FIELD(T, m.density, "density", "1", "kg/m^3", "mass per volume",                        \
                 .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),                              \
      SOFA_FIELD(T, m.lumped, "lumpedMass", "0", "",                                               \
                 "diagonal matrix: the sum of each row of the consistent one on its diagonal"),    \
      SOFA_FIELD(T, m.mass_matrices, "massMatrices", NULL, "kg",                                   \
                 "the 24 x 24 mass matrices of the elements, row by row", .flags = HEXA_OUTPUT)

/* The mass of the elements as they are. Which matrix is assembled is set before. */
SofaErr hexa_with_mass_make(SofaLinearFem *fem);
/* After the elastic forces: the mass follows the topology, and its gravity acts. */
SofaErr hexa_with_mass_add_gravity(SofaLinearFem *fem, double *f);
/* mass_matrices, and the elements. */
SofaErr hexa_with_mass_compute(SofaLinearFem *fem, SofaElementMesh *mesh);
/* A function of a class. */
void hexa_with_mass_destroy(SofaObject *object);

#endif
