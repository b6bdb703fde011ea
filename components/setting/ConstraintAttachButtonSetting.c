/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ConstraintAttachButtonSetting: a mouse button that holds the picked point by a constraint. */
#include "components/setting/setting.h"

SOFA_CLASS(ConstraintAttachButtonSetting) = {
    .name = "ConstraintAttachButtonSetting",
    .module = "Sofa.GUI.Component",
    .category = "Setting",
    .help = "A mouse button that holds the picked point by a constraint.",
    .base = &sofa_mouse_button_setting_class,
    .size = sizeof(MouseButtonSetting),
};
