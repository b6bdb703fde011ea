/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The fields by which a component names a strain energy density and gives its parameters. */
#ifndef SOFA_ENERGY_FIELDS_H
#define SOFA_ENERGY_FIELDS_H

#include "numerics/material/point_law.h"
#include "object/object.h"

typedef struct SofaEnergyFields {
  char *name;           /* of the material */
  SofaReals parameters; /* in the order of its list */
  double links;         /* of a chain of ArrudaBoyce */
} SofaEnergyFields;

/* Rows of a struct with the member `energy`, after SOFA_ROW's SofaSelf; `required`: flags of
 * the parameters. */
#define SOFA_ENERGY_ROWS(required)                                                                 \
  SOFA_ROW(energy.name, "materialName", "ArrudaBoyce", "", SOFA_ENERGY_HELP,                       \
           .options = sofa_hyper_material_names),                                                  \
      SOFA_ROW(energy.parameters, "ParameterSet", NULL, "Pa",                                      \
               "parameters of the material in the order of materialName's list; exponents have "   \
               "no unit",                                                                          \
               .flags = (required))
#define SOFA_ENERGY_LINKS_ROW                                                                      \
  SOFA_ROW(energy.links, "chainLinks", "8", "1",                                                   \
           "N of ArrudaBoyce: rigid links of a molecular chain, which locks at a stretch of "      \
           "sqrt(N); other materials do not use it",                                               \
           .range = SOFA_AT_LEAST(1))
#define SOFA_ENERGY_HELP                                                                           \
  "strain energy density and its parameters. With C = F^T F, E = (C - I) / 2, J = det "            \
  "F, I1 = tr C, I2 = (I1^2 - tr C^2) / 2, I1' = J^(-2/3) I1, I2' = J^(-4/3) I2, L = ln"           \
  " J, and k0 the bulk modulus: ArrudaBoyce (mu k0): mu (1/2 (I1' - 3) + 1/(20 N) "                \
  "(I1'^2 - 9) + 11/(1050 N^2) (I1'^3 - 27) + 19/(7000 N^3) (I1'^4 - 81) + 519/(673750 "           \
  "N^4) (I1'^5 - 243)) + k0/2 L^2, N = chainLinks; the shear modulus at rest is mu (1 +"           \
  " 3/(5 N) + 99/(175 N^2) + ...), 1.085 mu for N = 8; StVenantKirchhoff (mu lambda): "            \
  "lambda/2 (tr E)^2 + mu tr E^2, Lame parameters; NeoHookean (mu lambda): mu/2 (I1 - "            \
  "3) - mu L + lambda/2 L^2, Lame parameters at rest; MooneyRivlin (c1 c2 k0): c1 (I1' "           \
  "- 3) + c2 (I2' - 3) + k0/2 L^2, shear modulus 2 (c1 + c2); VerondaWestman (c1 c2 "              \
  "k0): c1 (exp(c2 (I1' - 3)) - 1) - c1 c2/2 (I2' - 3) + k0/2 L^2, shear modulus c1 c2,"           \
  " c2 without a unit; Costa (a k0 bff bfs bss bfn bsn bnn): a/2 (exp Q - 1) + k0 (J L "           \
  "- J + 1), Q = J^(-4/3) (bff Eff^2 + 2 bfs Efs^2 + bss Ess^2 + 2 bfn Efn^2 + 2 bsn "             \
  "Esn^2 + bnn Enn^2), fibre f, sheet s and normal n along x, y, z; Ogden (mu1 alpha1 "            \
  "k0): mu1/alpha1^2 (l1^alpha1 + l2^alpha1 + l3^alpha1 - 3) + k0/2 L^2 with principal "           \
  "stretches li without the change of volume, shear modulus mu1/2; StableNeoHookean (mu"           \
  " lambda): mu/2 (I1 - 3) - mu (J - 1) + (lambda + mu)/2 (J - 1)^2, Lame parameters at"           \
  " rest"

/* The law of the fields; wrong numbers of parameters and parameters out of range are reported. */
SofaErr sofa_energy_law(const SofaObject *object, const SofaEnergyFields *fields,
                        SofaEnergyLaw *out);

#endif
