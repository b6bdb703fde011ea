/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ArticulatedHierarchyContainer: the tree of bodies below its node. */
#include "articulated.h"

static const SofaField fields[] = {
    SOFA_FIELD(ArticulatedHierarchyContainer, filename, "filename", NULL, "",
               "BVH file with a tree and its motion", .flags = SOFA_FIELD_UNSUPPORTED),
};

SOFA_CLASS(ArticulatedHierarchyContainer) = {
    .name = "ArticulatedHierarchyContainer",
    .module = "ArticulatedSystemPlugin",
    .category = "_Miscellaneous",
    .help = "Stands for all ArticulationCenters in its node and below.",
    .base = &sofa_object_class,
    .size = sizeof(ArticulatedHierarchyContainer),
    SOFA_FIELDS(fields),
};
