/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of the settings of mouse buttons. */
#include "components/setting/setting.h"

static const char *const buttons[] = {"Left", "Middle", "Right", NULL};

typedef MouseButtonSetting SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(button, "button", "Left", "mouse button", .options = buttons),
};

const SofaClass sofa_mouse_button_setting_class = {
    .name = "MouseButtonSetting",
    .module = "csofa",
    .category = "Setting",
    .help = "The action of a mouse button while Shift is held.",
    .base = &sofa_object_class,
    .size = sizeof(MouseButtonSetting),
    SOFA_FIELDS(fields),
    .abstract = true,
};
