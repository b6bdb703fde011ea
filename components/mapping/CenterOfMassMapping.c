/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CenterOfMassMapping: one point, the mean of the frames' origins weighted by their masses. */
#include "components/mapping/center_of_mass.h"

static const char *const center_templates[] = {"Rigid3d,Vec3d", "Rigid2d,Vec2d", NULL};

SOFA_CLASS(CenterOfMassMapping) = {
    .name = "CenterOfMassMapping",
    .module = "Sofa.Component.Mapping.Linear",
    .category = "Mapping",
    .help = "Maps frames to their centre of mass, by the mass in the node of the input.",
    .equations = "y = sum_i m_i x_i/sum_i m_i",
    .base = &sofa_mapping_class,
    .size = sizeof(SofaConstantMap),
    .templates = center_templates,
    .destroy = sofa_constant_map_destroy,
    SOFA_IMPLEMENTS({SOFA_MAPPING, &sofa_center_of_mass_ops},
                    {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_setup}),
};
