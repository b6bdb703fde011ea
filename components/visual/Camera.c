/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Camera: a camera that stays where the scene puts it. */
#include "components/visual/base_camera.h"

SOFA_CLASS(Camera) = {
    .name = "Camera",
    .module = "Sofa.Component.Visual",
    .category = "Visual",
    .help = "A camera at the place the scene says.",
    .base = &sofa_base_camera_class,
    .size = sizeof(BaseCamera),
};
