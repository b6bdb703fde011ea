/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AddFrameButtonSetting: a mouse button that adds a frame where it is pressed. */
#include "components/setting/setting.h"

SOFA_CLASS(AddFrameButtonSetting) = {
    .name = "AddFrameButtonSetting",
    .module = "Sofa.GUI.Component",
    .category = "Setting",
    .help = "A mouse button that adds a frame where it is pressed.",
    .base = &sofa_mouse_button_setting_class,
    .size = sizeof(MouseButtonSetting),
};
