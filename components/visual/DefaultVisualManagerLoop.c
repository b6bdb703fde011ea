/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DefaultVisualManagerLoop: the place where a view of the scene is driven from; it computes
 * nothing. */
#include "components/visual/passes.h"
#include "object/node.h"
#include "behavior/animation_loop.h"

static const SofaLinkRule node_rule = {.node = true};

static const SofaField fields[] = {
    SOFA_FIELD(DefaultVisualManagerLoop, enable, "enable", "1", "", "draw the scene",
               .flags = SOFA_FIELD_DISPLAY),
    SOFA_FIELD(DefaultVisualManagerLoop, target_node, "targetNode", NULL, "",
               "node to draw; default: the root", .flags = SOFA_FIELD_DISPLAY, .link = &node_rule),
};

SOFA_CLASS(DefaultVisualManagerLoop) = {
    SOFA_NAMED(DefaultVisualManagerLoop),
    .module = "Sofa.Simulation.Core",
    .category = "VisualLoop",
    .help = "Drives the drawing of a scene. Scenes without a visual loop get one.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_VISUAL_LOOP, SOFA_NO_OPS}),
};
