/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AMDOrderingMethod: approximate minimum degree. */
#include <cholmod.h>

#include "numerics/direct/cholmod_solver.h"

static SofaErr order(SofaOrdering *ordering, const SofaOrderingGraph *graph, int *out) {
  return sofa_cholmod_order(ordering->object.ctx, graph, CHOLMOD_AMD, out);
}

static const SofaOrderingOps ops = {.order = order};

SOFA_CLASS(AMDOrderingMethod) = {
    .name = "AMDOrderingMethod",
    .module = "Sofa.Component.LinearSolver.Ordering",
    .category = "OrderingMethod",
    .help = "Approximate minimum degree (Amestoy, Davis and Duff, 1996).",
    .base = &sofa_ordering_class,
    .size = sizeof(SofaOrdering),
    SOFA_IMPLEMENTS({SOFA_ORDERING, &ops}),
};
