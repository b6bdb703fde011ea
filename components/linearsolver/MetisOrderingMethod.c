/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MetisOrderingMethod: nested dissection. */
#include <cholmod.h>

#include "numerics/direct/cholmod_solver.h"

static SofaErr order(SofaOrdering *ordering, const SofaOrderingGraph *graph, int *out) {
  return sofa_cholmod_order(ordering->object.ctx, graph, CHOLMOD_METIS, out);
}

static const SofaOrderingOps ops = {.order = order};

SOFA_CLASS(MetisOrderingMethod) = {
    .name = "MetisOrderingMethod",
    .module = "Sofa.Metis",
    .category = "OrderingMethod",
    .help = "Nested dissection by METIS (Karypis and Kumar, 1998), with its fixed seed: the same "
            "matrix "
            "gets the same order. Best for large matrices of volumes.",
    .base = &sofa_ordering_class,
    .size = sizeof(SofaOrdering),
    SOFA_IMPLEMENTS({SOFA_ORDERING, &ops}),
};
