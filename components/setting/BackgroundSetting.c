/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BackgroundSetting: what is behind the scene. */
#include "components/setting/setting.h"

typedef BackgroundSetting SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(color, "color", "1 1 1 1", "colour of the background"),
    SOFA_ROW_DISPLAY(image, "image", NULL,
                     "image file, repeated over the background; wins over the colour"),
};

SOFA_CLASS(BackgroundSetting) = {
    SOFA_NAMED(BackgroundSetting),   .module = "Sofa.Component.Setting",
    .category = "Setting",           .help = "Colour or image behind the scene.",
    .base = &sofa_object_class,      SOFA_FIELDS(fields),
    .divided = SOFA_DIVIDED_NEUTRAL,
};
