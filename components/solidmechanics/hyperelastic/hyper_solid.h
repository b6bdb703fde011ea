/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Hyperelastic tetrahedra of a linked material, and the outputs of all: by SofaSolidBatch. */
#ifndef SOFA_HYPER_SOLID_H
#define SOFA_HYPER_SOLID_H

#include "components/solidmechanics/hyperelastic/hyperelastic.h"

/* Makes the batch when it is not there. */
SofaErr sofa_hyper_solid_make(SofaHyperelastic *h);
void sofa_hyper_solid_forget(SofaHyperelastic *h);
/* The outputs at the positions of the state. */
SofaErr sofa_hyper_solid_results(SofaForceField *ff, SofaResultElements *out);

/* The operations of a force field with a linked material. */
SofaErr sofa_hyper_solid_force(SofaHyperelastic *h, const SofaMechParams *params,
                               const SofaPoint *at, double *f);
SofaErr sofa_hyper_solid_blocks(SofaHyperelastic *h);
SofaErr sofa_hyper_solid_energy(SofaHyperelastic *h, const SofaMechParams *params,
                                const SofaPoint *at, double *energy);
SofaErr sofa_hyper_solid_accept(SofaHyperelastic *h, const SofaMechParams *params,
                                const SofaPoint *at);

#endif
