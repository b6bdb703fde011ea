/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LineProjectiveConstraint: points held on a line. */
#include "components/constraint/projective/linear_projection.h"

static const SofaField fields[] = {
    SOFA_FIELD(LinearProjection, origin, "origin", NULL, "m", "a point of the line; default: 0",
               .flags = SOFA_FIELD_REINIT),
    SOFA_FIELD(LinearProjection, given, "direction", NULL, "1",
               "direction of the line; need not have unit length", .flags = SOFA_FIELD_REINIT),
};

LINEAR_PROJECTION_CLASS(LineProjectiveConstraint,
                        "Projects points, their velocities and accelerations on a line.",
                        "P = n n^T\n"
                        "x' = o + P (x - o), v' = P v, dv' = P dv\n"
                        "\"n: unit direction, o: origin\"");
