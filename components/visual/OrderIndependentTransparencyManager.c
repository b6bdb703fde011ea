/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OrderIndependentTransparencyManager: translucent surfaces are summed up with weights instead of
 * being sorted. The drawing is the view's. */
#include "components/visual/OrderIndependentTransparencyManager.h"

static const SofaField fields[] = {
    SOFA_FIELD(OrderIndependentTransparencyManager, depth_scale, "depthScale", "0.01", "1/m",
               "decrease of the weight with the distance",
               .flags = SOFA_FIELD_DISPLAY | SOFA_FIELD_REINIT, .range = SOFA_AT_LEAST(0)),
};

SOFA_CLASS(OrderIndependentTransparencyManager) = {
    SOFA_NAMED(OrderIndependentTransparencyManager),
    .module = "Sofa.GL.Component.Shader",
    .category = "VisualModel",
    .help = "Draws translucent surfaces as weighted sums of colours, whatever their order: also "
            "surfaces that cross each other look right.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
};
