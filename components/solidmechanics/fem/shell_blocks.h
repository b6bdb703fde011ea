/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The tangent of a mesh of shells as blocks of pairs of points, for products and assembly. */
#ifndef SOFA_FEM_SHELL_BLOCKS_H
#define SOFA_FEM_SHELL_BLOCKS_H

#include "components/solidmechanics/fem/shell_fem.h"

/* Makes the blocks of the point t->point; descends: of the nearest matrices of elements that cannot
 * raise the energy. */
SofaErr shell_blocks_make(SofaShellFem *t, bool descends);
void shell_blocks_free(SofaContext *ctx, SofaShellBlocks *blocks);

#endif
