/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ArticulatedSystemPlugin: the classes of the plugin. */
#include "articulated.h"

SOFA_PLUGIN("ArticulatedSystemPlugin", CSOFA_VERSION, &articulated_Articulation_class,
            &articulated_ArticulationCenter_class, &articulated_ArticulatedHierarchyContainer_class,
            &articulated_ArticulatedSystemMapping_class)
