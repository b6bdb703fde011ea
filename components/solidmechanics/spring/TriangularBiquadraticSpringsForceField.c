/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangularBiquadraticSpringsForceField: a membrane of springs in the squared lengths of edges. */
#include "components/solidmechanics/spring/triangular_springs.h"

static const SofaField fields[] = {
    SOFA_FIELD(SofaTriangularSprings, compressible, "compressible", "1", "",
               "triangles resist losing area, beyond what the membrane does; needs angular "
               "springs"),
    SOFA_FIELD(SofaTriangularSprings, regularization, "matrixRegularization", "0.4", "",
               "not used, as in SOFA", .flags = SOFA_FIELD_NO_EFFECT),
};

static SofaErr construct(SofaObject *object) {
  ((SofaTriangularSprings *)object)->squares = true;
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(TriangularBiquadraticSpringsForceField) = {
    .name = "TriangularBiquadraticSpringsForceField",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "ForceField",
    .help = "A membrane of triangles of St. Venant and Kirchhoff in plane stress, as springs in "
            "the squared lengths of edges: along edges and between the edges of a triangle.",
    .equations = "W = 1/2 sum_j (1/2 k_j q_j^2 + gamma_j q_k q_m)\n"
                 "q_j = l_j^2 - L_j^2\n"
                 "\"j, k, m: the edges of a triangle, l: length, L: length at rest\"",
    .base = &sofa_triangular_springs_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    .size = sizeof(SofaTriangularSprings),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = construct,
};
