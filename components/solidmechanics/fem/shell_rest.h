/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of a shell at rest: their normals at the nodes, and checks. */
#ifndef SOFA_FEM_SHELL_REST_H
#define SOFA_FEM_SHELL_REST_H

#include "components/solidmechanics/fem/shell_fem.h"

/* Makes t->elements, of which there are list.n, from the rest positions of the state. Reports the
 * first element without an area, and normals that do not fit. */
SofaErr shell_rest_make(SofaShellFem *t, SofaElements list);

#endif
