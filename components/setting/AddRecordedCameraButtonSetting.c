/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AddRecordedCameraButtonSetting: a mouse button that saves the view as a point of the recorded
 * camera. */
#include "components/setting/setting.h"

SOFA_CLASS(AddRecordedCameraButtonSetting) = {
    .name = "AddRecordedCameraButtonSetting",
    .module = "Sofa.GUI.Component",
    .category = "Setting",
    .help = "A mouse button that saves the view as a point of the recorded camera.",
    .base = &sofa_mouse_button_setting_class,
    .size = sizeof(MouseButtonSetting),
};
