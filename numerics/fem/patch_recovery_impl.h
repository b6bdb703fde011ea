/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stresses of points from patches of elements; used by element_results.c. */
#ifndef SOFA_NUMERICS_FEM_PATCH_RECOVERY_H
#define SOFA_NUMERICS_FEM_PATCH_RECOVERY_H

#include "numerics/fem/element_results.h"

/* Fills recovered_stress from vertices and samples, n_samples of each element. */
SofaErr sofa_patch_recovery(SofaContext *ctx, const SofaResultElements *elements,
                            unsigned n_samples, SofaElementResults *out);

#endif
