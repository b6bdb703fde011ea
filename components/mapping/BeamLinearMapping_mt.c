/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* BeamLinearMapping_mt: BeamLinearMapping under the name that SOFA gives to its version on several
 * threads. */
#include "components/mapping/beam_linear.h"

typedef struct BeamLinearMappingMt {
  BeamLinearMapping beam;
  uint32_t granularity;
} BeamLinearMappingMt;

static const SofaField beam_mt_fields[] = {
    SOFA_FIELD(BeamLinearMappingMt, granularity, "granularity", "32", "1",
               "no effect: the number of points per task of SOFA's scheduler",
               .flags = SOFA_FIELD_NO_EFFECT),
};

static const char *const beam_mt_templates[] = {"Rigid3d,Vec3d", NULL};

SOFA_CLASS(BeamLinearMapping_mt) = {
    .name = "BeamLinearMapping_mt",
    .module = "MultiThreading",
    .category = "Mapping",
    .help = "The same as BeamLinearMapping.",
    .equations = "y = (1 - s) (c_a + R_a p_a) + s (c_b + R_b p_b), s = 3 u^2 - 2 u^3",
    .base = &sofa_BeamLinearMapping_class,
    .size = sizeof(BeamLinearMappingMt),
    SOFA_FIELDS(beam_mt_fields),
    .templates = beam_mt_templates,
};
