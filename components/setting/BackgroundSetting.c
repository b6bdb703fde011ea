/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BackgroundSetting: what is behind the scene. */
#include "components/setting/setting.h"

static const SofaField fields[] = {
    SOFA_SETTING_FIELD(BackgroundSetting, color, "color", "1 1 1 1", "colour of the background",
                       .aliases = NULL),
    SOFA_SETTING_FIELD(BackgroundSetting, image, "image", NULL,
                       "image file, repeated over the background; wins over the colour",
                       .aliases = NULL),
};

SOFA_CLASS(BackgroundSetting) = {
    SOFA_NAMED(BackgroundSetting), .module = "Sofa.Component.Setting",
    .category = "Setting",         .help = "Colour or image behind the scene.",
    .base = &sofa_object_class,    SOFA_FIELDS(fields),
};
