/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* COLAMDOrderingMethod: column approximate minimum degree. */
#include <cholmod.h>

#include "numerics/direct/cholmod_solver.h"

static SofaErr order(SofaOrdering *ordering, const SofaOrderingGraph *graph, int *out) {
  return sofa_cholmod_order(ordering->object.ctx, graph, CHOLMOD_COLAMD, out);
}

static const SofaOrderingOps ops = {.order = order};

SOFA_CLASS(COLAMDOrderingMethod) = {
    .name = "COLAMDOrderingMethod",
    .module = "Sofa.Component.LinearSolver.Ordering",
    .category = "OrderingMethod",
    .help = "Column approximate minimum degree (Davis, Gilbert, Larimore and Ng, 2004).",
    .base = &sofa_ordering_class,
    .size = sizeof(SofaOrdering),
    SOFA_IMPLEMENTS({SOFA_ORDERING, &ops}),
};
