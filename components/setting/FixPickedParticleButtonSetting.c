/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* FixPickedParticleButtonSetting: the mouse button that holds a point where it is. */
#include "components/setting/setting.h"

static const SofaField fields[] = {
    SOFA_SETTING_FIELD(MouseButtonSetting, stiffness, "stiffness", "10000",
                       "stiffness of the spring that holds the point, N/m", .aliases = NULL),
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
