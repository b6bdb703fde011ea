/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ArticulationCenter: where two bodies of a tree meet. */
#include "articulated.h"

#define ROW(member, xml, def, unit, ...)                                                           \
  SOFA_FIELD(ArticulationCenter, member, xml, def, unit, __VA_ARGS__)

static const SofaField fields[] = {
    ROW(parent, "parentIndex", NULL, "1", "frame of the output that carries the other one"),
    ROW(child, "childIndex", NULL, "1", "frame of the output that is carried"),
    ROW(global_position, "globalPosition", NULL, "m", "where the two meet, in the world",
        .flags = SOFA_FIELD_OUTPUT),
    ROW(on_parent, "posOnParent", NULL, "m", "where they meet, in the frame of the parent"),
    ROW(on_child, "posOnChild", NULL, "m", "where they meet, in the frame of the child"),
    ROW(process, "articulationProcess", "0", "",
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
