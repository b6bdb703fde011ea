/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The projected dilatation of solid elements; formulas in solid_batch.h. */
#ifndef SOFA_NUMERICS_MATERIAL_DILATATION_H
#define SOFA_NUMERICS_MATERIAL_DILATATION_H

#include "numerics/material/solid_batch.h"

/* c0, c1, c2 of the forms of solid_batch.h and det F, of the lanes of a quadrature point. */
typedef double SofaSolidResponse[4][SOFA_LANES];
/* H_ab of lanes. */
typedef double SofaDilatationModuli[SOFA_SOLID_MAX_MODES * SOFA_SOLID_MAX_MODES][SOFA_LANES];

/* Makes the modes of a lane, whose volumes are known. */
void sofa_dilatation_modes(SofaSolidBatch *b, const SofaQuadraturePoint *rule, size_t lane);
/* Replaces the dilatation in the responses (n_gauss) of the first `count` lanes of a group by the
 * projected one. moduli: unless NULL, H_ab. Returns the first lane that is turned inside out, or
 * count. */
size_t sofa_dilatation_project(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t group,
                               size_t count, SofaSolidResponse *r, SofaDilatationModuli moduli);
/* sum w (U(J~) - U(J)) of an element with det F at its points, J; false: turned inside out. */
bool sofa_dilatation_energy(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t element,
                            const double *j, double *energy);
/* What the projection adds to the pressure U'(J) at the points of an element, Pa; false: turned
 * inside out. */
bool sofa_dilatation_pressure(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t element,
                              const double *j, double *change);

#endif
