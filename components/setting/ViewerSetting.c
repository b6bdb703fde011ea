/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ViewerSetting: how the window of a viewer begins. */
#include "components/setting/setting.h"

static const char *const camera_modes[] = {"Perspective", "Orthographic", NULL};
static const char *const picking_methods[] = {"Ray casting", "Selection buffer", NULL};

typedef ViewerSetting SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(resolution, "resolution", "800 600", "width and height, pixels"),
    SOFA_ROW_DISPLAY(fullscreen, "fullscreen", "0", "use the whole screen"),
    SOFA_ROW_DISPLAY(camera_mode, "cameraMode", "Perspective", "projection",
                     .options = camera_modes),
    SOFA_ROW_DISPLAY(picking, "objectPickingMethod", "Ray casting", "how the mouse finds objects",
                     .options = picking_methods),
    SOFA_ROW_DISPLAY(show_node_box, "showSelectedNodeBoundingBox", "1", "box of a selected node"),
    SOFA_ROW_DISPLAY(show_box, "showSelectedObjectBoundingBox", "1", "box of a selected object"),
    SOFA_ROW_DISPLAY(show_positions, "showSelectedObjectPositions", "1",
                     "points of a selected object"),
    SOFA_ROW_DISPLAY(show_surfaces, "showSelectedObjectSurfaces", "1",
                     "faces of a selected object"),
    SOFA_ROW_DISPLAY(show_volumes, "showSelectedObjectVolumes", "1",
                     "volumes of a selected object"),
    SOFA_ROW_DISPLAY(show_indices, "showSelectedObjectIndices", "1",
                     "indices of a selected object"),
    SOFA_ROW_DISPLAY(visual_scaling, "showSelectedVisualScaling", "0.02",
                     "size of marks in the scene's size"),
};

SOFA_CLASS(ViewerSetting) = {
    SOFA_NAMED(ViewerSetting),       .module = "Sofa.Component.Setting",
    .category = "Setting",           .help = "How the window of a viewer begins.",
    .base = &sofa_object_class,      SOFA_FIELDS(fields),
    .divided = SOFA_DIVIDED_NEUTRAL,
};
