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

/* ---- corner_dilatation.c: the continuous one, of batches with corners.stars.n > 0 ----
 * A force keeps J and with sofa_corners_share what each element has of it, then updates the
 * corners. The functions above call these. */

/* Makes the modes, the corners, and the pairs of the batch. */
SofaErr sofa_corners_create(SofaContext *ctx, const SofaElementMesh *mesh,
                            const SofaQuadraturePoint *rule, SofaSolidBatch *b);
void sofa_corners_free(SofaContext *ctx, SofaCornerDilatation *corners);
/* det F at the points of an element. */
void sofa_corners_share(const SofaSolidBatch *b, size_t element, const double *j);
/* J_a, p_a and the moduli from the shares of all elements. Returns the first element at a corner
 * that is turned inside out, or b->n. */
size_t sofa_corners_update(const SofaSolidBatch *b, const SofaSolidLaw *law);
/* p_a and the moduli of J_a, with the law of the moment. */
void sofa_corners_respond(const SofaSolidBatch *b, const SofaSolidLaw *law);
/* J_a at x for energies and pressures; returns as the last but one. Others: b->n. */
size_t sofa_corners_at(const SofaSolidBatch *b, const double *x);
/* The pressure in the responses of a group. */
void sofa_corners_project(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t group,
                          size_t count, SofaSolidResponse *r);
/* What an element has of B_an at the deformation gradients kept. */
void sofa_corners_keep_slopes(const SofaSolidBatch *b, size_t element);
/* Adds - sum U'' / m_a B_an B_am^T from the slopes of all elements to the blocks. */
void sofa_corners_add_blocks(SofaSolidBatch *b, const SofaContext *ctx);
/* sum w N_a U(J_a) - sum w U(J) of an element after sofa_corners_at. */
double sofa_corners_energy(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t element,
                           const double *j);
void sofa_corners_pressure(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t element,
                           const double *j, double *change);

#endif
