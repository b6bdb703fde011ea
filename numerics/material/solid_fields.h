/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stresses, strains and energies of the elements of a SofaSolidBatch, for element_results.h: Cauchy
 * stress and Green-Lagrange strain in the axes of the scene. */
#ifndef SOFA_NUMERICS_MATERIAL_SOLID_FIELDS_H
#define SOFA_NUMERICS_MATERIAL_SOLID_FIELDS_H

#include "numerics/fem/element_results.h"
#include "numerics/material/solid_points.h"

SOFA_BEGIN_DECLS

/* Rows of a struct T with the members `results` (SofaElementResults) and `dissipated` (double). */
#define SOFA_SOLID_RESULT_ROWS(T)                                                                  \
  SOFA_RESULT_ROWS(T, "Cauchy stress in the axes of the scene",                                    \
                   "Green-Lagrange strain in the axes of the scene at rest"),                      \
      SOFA_FIELD(T, dissipated, "dissipatedEnergy", NULL, "J",                                     \
                 "work that the material dissipated since the start", .flags = SOFA_RESULT_FLAGS)

/* What the samples are taken from; borrowed. */
typedef struct SofaSolidSource {
  const SofaSolidBatch *batch;
  SofaSolidLaw law;       /* of dt = 0 */
  const double *x, *rest; /* of the points, 3 each */
} SofaSolidSource;

/* n_points: of the state. */
void sofa_solid_result_elements(const SofaSolidSource *source, size_t n_points,
                                SofaResultElements *out);

SOFA_END_DECLS

#endif
