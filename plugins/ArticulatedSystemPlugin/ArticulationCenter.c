/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ArticulationCenter: where two bodies of a tree meet. */
#include "articulated.h"

typedef ArticulationCenter SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(parent, "parentIndex", NULL, "1", "frame of the output that carries the other one"),
    SOFA_ROW(child, "childIndex", NULL, "1", "frame of the output that is carried"),
    SOFA_ROW(global_position, "globalPosition", NULL, "m", "where the two meet, in the world",
             .flags = SOFA_FIELD_OUTPUT),
    SOFA_ROW(on_parent, "posOnParent", NULL, "m", "where they meet, in the frame of the parent"),
    SOFA_ROW(on_child, "posOnChild", NULL, "m", "where they meet, in the frame of the child"),
    SOFA_ROW(
        process, "articulationProcess", "0", "",
        "0: articulations follow each other, each in the frame that the ones before have turned. "
        "1, 2: together, the child turns by the sum of angles times axes, as one rotation vector "
        "(SOFA adds up small turns, which depends on the way); "
        "translations are along axes of the parent (1) or of the child (2)",
        .range = SOFA_WITHIN(0, 2)),
};

SOFA_CLASS(ArticulationCenter) = {
    .name = "ArticulationCenter",
    .module = "ArticulatedSystemPlugin",
    .category = "_Miscellaneous",
    .help = "Where two frames of an ArticulatedSystemMapping meet. The Articulations in the nodes "
            "below its own move the child.",
    .base = &sofa_object_class,
    .size = sizeof(ArticulationCenter),
    SOFA_FIELDS(fields),
};
