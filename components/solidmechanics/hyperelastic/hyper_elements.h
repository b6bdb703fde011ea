/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loops over hyperelastic tetrahedra. Each returns the first element whose material is not
 * defined at its deformation, or the number of elements. Results do not depend on threads. */
#ifndef SOFA_HYPER_ELEMENTS_H
#define SOFA_HYPER_ELEMENTS_H

#include "components/solidmechanics/hyperelastic/hyperelastic.h"

/* f += forces at x; keeps the deformation gradients. */
size_t sofa_hyper_force(SofaHyperelastic *h, const double *x, double *f);
/* h->blocks = dF/dx at the deformation gradients kept. */
size_t sofa_hyper_blocks(SofaHyperelastic *h);
/* Sum of W V, J. */
size_t sofa_hyper_energy(const SofaHyperelastic *h, const double *x, double *energy);

#endif
