/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CenterOfMassMultiMapping: the centre of mass of several states of one kind. */
#include "components/mapping/center_of_mass.h"

static const char *const center_templates[] = {"Vec3d,Vec3d", "Rigid3d,Vec3d", "Rigid3d,Rigid3d",
                                               NULL};

SOFA_CLASS(CenterOfMassMultiMapping) = {
    .name = "CenterOfMassMultiMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Maps several states to their common centre of mass, by the masses in their nodes.",
    .equations = "y = sum_i m_i x_i/sum_i m_i",
    .base = &sofa_multi_mapping_class,
    .size = sizeof(SofaConstantMap),
    .templates = center_templates,
    .destroy = sofa_constant_map_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &sofa_center_of_mass_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_setup}),
};
