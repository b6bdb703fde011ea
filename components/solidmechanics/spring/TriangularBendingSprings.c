/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangularBendingSprings: a spring between the opposite points of two neighbouring triangles. */
#include "components/solidmechanics/spring/bending_springs.h"

typedef struct TriangularBendingSprings {
  BendingSprings bending;
  bool show_springs;
} TriangularBendingSprings;

static const SofaField fields[] = {
    SOFA_FIELD(TriangularBendingSprings, show_springs, "showSprings", "1", "", "draw the springs",
               .flags = SOFA_FIELD_DISPLAY),
};

static SofaErr join(void *user, const SofaEdge *edge, const uint32_t *p, const uint32_t *q) {
  return sofa_bending_add(user, sofa_bending_opposite(edge, q), sofa_bending_opposite(edge, p));
}

static SofaErr triangular_bending_construct(SofaObject *object) {
  BendingSprings *b = (BendingSprings *)object;
  b->faces = SOFA_ELEMENT_TRIANGLE;
  b->join = join;
  return SOFA_OK;
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  if (((const TriangularBendingSprings *)object)->show_springs) sofa_bending_draw(object, args);
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(TriangularBendingSprings) = {
    SOFA_NAMED(TriangularBendingSprings),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "ForceField",
    .help = "Resists bending of a surface of triangles: a linear damped spring joins, for each "
            "edge of exactly two triangles, the two points opposite to it.",
    .equations = "f_1 = (k (l - l_0) + c l') u, f_2 = -f_1",
    .base = &sofa_bending_springs_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = triangular_bending_construct,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
