/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NaturalOrderingMethod: no reordering. */
#include <cholmod.h>

#include "numerics/direct/cholmod_solver.h"

static SofaErr order(SofaOrdering *ordering, const SofaOrderingGraph *graph, int *out) {
  return sofa_cholmod_order(ordering->object.ctx, graph, CHOLMOD_NATURAL, out);
}

static const SofaOrderingOps ops = {.order = order};

SOFA_CLASS(NaturalOrderingMethod) = {
    .name = "NaturalOrderingMethod",
    .module = "Sofa.Component.LinearSolver.Ordering",
    .category = "OrderingMethod",
    .help = "Equations are eliminated in the order of the matrix.",
    .base = &sofa_ordering_class,
    .size = sizeof(SofaOrdering),
    SOFA_IMPLEMENTS({SOFA_ORDERING, &ops}),
};
