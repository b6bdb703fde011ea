/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* InfoComponent: a place for messages; in SOFA it stands for components that were not created. */
#include "object/object.h"

SOFA_CLASS(InfoComponent) = {
    .name = "InfoComponent",
    .module = "Sofa.Component.SceneUtility",
    .category = "_Miscellaneous",
    .help = "Does nothing: its name is a note for readers of the scene.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    .size = sizeof(SofaObject),
};
