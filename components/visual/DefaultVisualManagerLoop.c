/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DefaultVisualManagerLoop: the place where a view of the scene is driven from; it computes
 * nothing. */
#include "components/visual/passes.h"
#include "object/node.h"

static const SofaLinkRule node_rule = {.interface = -1, .node = true};

static const SofaField fields[] = {
    SOFA_FIELD(DefaultVisualManagerLoop, enable, "enable", "1", "", "draw the scene",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(DefaultVisualManagerLoop, target_node, "targetNode", NULL, "",
               "node to draw; default: the root", .flags = SOFA_FIELD_DISPLAY, .link = &node_rule),
};

const SofaClass sofa_DefaultVisualManagerLoop_class = {
    .name = "DefaultVisualManagerLoop",
    .module = "Sofa.Simulation.Core",
    .category = "VisualLoop",
    .help = "Drives the drawing of a scene. Scenes without a visual loop get one.",
    .base = &sofa_object_class,
    .size = sizeof(DefaultVisualManagerLoop),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .ops = {[SOFA_VISUAL_LOOP] = SOFA_NO_OPS},
};
