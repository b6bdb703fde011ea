/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* InteractiveCamera: the camera that the mouse moves. */
#include "components/visual/base_camera.h"

typedef BaseCamera SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(zoom_speed, "zoomSpeed", "250", "speed of zooming"),
    SOFA_ROW_DISPLAY(pan_speed, "panSpeed", "0.1", "speed of shifting"),
    SOFA_ROW_DISPLAY(
        pivot, "pivot", "2",
        "centre of the camera's rotation: 0 lookAt, 1 itself, 2 centre of the scene, 3 origin"),
};

SOFA_CLASS(InteractiveCamera) = {
    .name = "InteractiveCamera",
    .module = "Sofa.Component.Visual",
    .category = "Visual",
    .help = "The camera that the mouse moves. Two of position, orientation and lookAt say where it "
            "is; with less the view is fitted to the scene.",
    .base = &sofa_base_camera_class,
    .size = sizeof(BaseCamera),
    SOFA_FIELDS(fields),
};
