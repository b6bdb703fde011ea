/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FixPickedParticleButtonSetting: the mouse button that holds a point where it is. */
#include "components/setting/setting.h"

typedef MouseButtonSetting SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(stiffness, "stiffness", "10000",
                     "stiffness of the spring that holds the point, N/m"),
};

SOFA_CLASS(FixPickedParticleButtonSetting) = {
    .name = "FixPickedParticleButtonSetting",
    .module = "Sofa.GUI.Component",
    .category = "Setting",
    .help = "The mouse button that holds a point where it is.",
    .base = &sofa_mouse_button_setting_class,
    .size = sizeof(MouseButtonSetting),
    SOFA_FIELDS(fields),
};
