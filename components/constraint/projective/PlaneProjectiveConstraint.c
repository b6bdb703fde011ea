/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PlaneProjectiveConstraint: points held on a plane. */
#include "components/constraint/projective/linear_projection.h"

static const SofaField fields[] = {
    SOFA_FIELD(LinearProjection, origin, "origin", NULL, "m", "a point of the plane; default: 0",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(LinearProjection, given, "normal", NULL, "1",
               "normal of the plane; need not have unit length", .flags = SOFA_FIELD_REINIT),
};

LINEAR_PROJECTION_CLASS(PlaneProjectiveConstraint,
                        "Projects points, their velocities and accelerations on a plane.",
                        "P = I - n n^T\n"
                        "x' = o + P (x - o), v' = P v, dv' = P dv\n"
                        "\"n: unit normal, o: origin\"");
