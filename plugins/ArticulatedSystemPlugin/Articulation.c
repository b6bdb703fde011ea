/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Articulation: one degree of freedom between two bodies. */
#include "articulated.h"

typedef Articulation SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(axis, "axis", "1 0 0", "",
             "direction in the frame of the child as the articulations before have turned it",
             .aliases = "rotationAxis", .range = SOFA_DIRECTION),
    SOFA_ROW(rotation, "rotation", "0", "", "the child turns about the axis, rad"),
    SOFA_ROW(translation, "translation", "0", "", "the child moves along the axis, m"),
    SOFA_ROW(index, "articulationIndex", "0", "1", "number in the first input that says how far"),
};

SOFA_CLASS(Articulation) = {
    .name = "Articulation",
    .module = "ArticulatedSystemPlugin",
    .category = "_Miscellaneous",
    .help = "One degree of freedom of an ArticulationCenter in a node above.",
    .base = &sofa_object_class,
    .size = sizeof(Articulation),
    SOFA_FIELDS(fields),
};
