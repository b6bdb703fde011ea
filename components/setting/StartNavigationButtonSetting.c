/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* StartNavigationButtonSetting: a mouse button that starts the recorded camera. */
#include "components/setting/setting.h"

SOFA_CLASS(StartNavigationButtonSetting) = {
    .name = "StartNavigationButtonSetting",
    .module = "Sofa.GUI.Component",
    .category = "Setting",
    .help = "A mouse button that starts the recorded camera.",
    .base = &sofa_mouse_button_setting_class,
    .size = sizeof(MouseButtonSetting),
};
