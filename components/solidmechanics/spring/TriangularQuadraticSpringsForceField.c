/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangularQuadraticSpringsForceField: a membrane of springs linear in the lengths of edges. */
#include "components/solidmechanics/spring/triangular_springs.h"

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(TriangularQuadraticSpringsForceField) = {
    .name = "TriangularQuadraticSpringsForceField",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "ForceField",
    .help = "A membrane of triangles whose energy is quadratic in the lengths of their edges: "
            "springs along edges and between the edges of a triangle.",
    .equations = "W = sum_j (1/2 k_j q_j^2 + gamma_j q_k q_m)\n"
                 "q_j = l_j - L_j\n"
                 "\"j, k, m: the edges of a triangle, l: length, L: length at rest\"",
    .base = &sofa_triangular_springs_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    .size = sizeof(SofaTriangularSprings),
    .templates = templates,
};
