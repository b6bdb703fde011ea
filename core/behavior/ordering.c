/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The abstract ordering method. */
#include "behavior/ordering.h"

const SofaInterface sofa_ordering_interface = {.name = "ordering method",
                                               SOFA_REQUIRES(offsetof(SofaOrderingOps, order))};

const SofaClass sofa_ordering_class = {
    .name = "OrderingMethod",
    .module = "csofa",
    .category = "OrderingMethod",
    .help = "Chooses the order in which a sparse matrix is eliminated.",
    .base = &sofa_object_class,
    .size = sizeof(SofaOrdering),
    .abstract = true,
};
