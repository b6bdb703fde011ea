/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ViewerSetting: how the window of a viewer begins. */
#include "components/setting/setting.h"

static const char *const camera_modes[] = {"Perspective", "Orthographic", NULL};
static const char *const picking_methods[] = {"Ray casting", "Selection buffer", NULL};

#define ROW(member, xml, def, help_text, ...)                                                      \
  SOFA_SETTING_FIELD(ViewerSetting, member, xml, def, help_text, __VA_ARGS__)

static const SofaField fields[] = {
    ROW(resolution, "resolution", "800 600", "width and height, pixels", .aliases = NULL),
    ROW(fullscreen, "fullscreen", "0", "use the whole screen", .aliases = NULL),
    ROW(camera_mode, "cameraMode", "Perspective", "projection", .options = camera_modes),
    ROW(picking, "objectPickingMethod", "Ray casting", "how the mouse finds objects",
        .options = picking_methods),
    ROW(show_node_box, "showSelectedNodeBoundingBox", "1", "box of a selected node",
        .aliases = NULL),
    ROW(show_box, "showSelectedObjectBoundingBox", "1", "box of a selected object",
        .aliases = NULL),
    ROW(show_positions, "showSelectedObjectPositions", "1", "points of a selected object",
        .aliases = NULL),
    ROW(show_surfaces, "showSelectedObjectSurfaces", "1", "faces of a selected object",
        .aliases = NULL),
    ROW(show_volumes, "showSelectedObjectVolumes", "1", "volumes of a selected object",
        .aliases = NULL),
    ROW(show_indices, "showSelectedObjectIndices", "1", "indices of a selected object",
        .aliases = NULL),
    ROW(visual_scaling, "showSelectedVisualScaling", "0.02", "size of marks in the scene's size",
        .aliases = NULL),
};

SOFA_CLASS(ViewerSetting) = {
    SOFA_NAMED(ViewerSetting),  .module = "Sofa.Component.Setting",
    .category = "Setting",      .help = "How the window of a viewer begins.",
    .base = &sofa_object_class, SOFA_FIELDS(fields),
};
