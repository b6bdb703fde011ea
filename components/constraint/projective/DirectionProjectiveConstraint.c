/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DirectionProjectiveConstraint: points that move along one direction only. */
#include "components/constraint/projective/linear_projection.h"

static const SofaField fields[] = {
    SOFA_FIELD(LinearProjection, given, "direction", NULL, "1",
               "direction; need not have unit length", .flags = SOFA_FIELD_REINIT),
};

LINEAR_PROJECTION_CLASS(DirectionProjectiveConstraint,
                        "Restricts each point to one direction through its first position.",
                        "P = n n^T\n"
                        "x' = x_0 + P (x - x_0), v' = P v, dv' = P dv\n"
                        "\"n: unit direction, x_0: first position\"");
