/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AttachBodyButtonSetting: the mouse button that pulls at a body. */
#include "components/setting/setting.h"

typedef MouseButtonSetting SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(stiffness, "stiffness", "1000",
                     "stiffness of the spring between body and mouse, N/m"),
    SOFA_ROW_DISPLAY(arrow_size, "arrowSize", "0",
                     "size of the arrow that shows the spring, m; 0: a line"),
    SOFA_ROW_DISPLAY(show_factor, "showFactorSize", "1", "factor of the drawn spring"),
};

SOFA_CLASS(AttachBodyButtonSetting) = {
    .name = "AttachBodyButtonSetting",
    .module = "Sofa.GUI.Component",
    .category = "Setting",
    .help = "The mouse button that pulls at a body with a spring.",
    .base = &sofa_mouse_button_setting_class,
    .size = sizeof(MouseButtonSetting),
    SOFA_FIELDS(fields),
};
