/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QuadularBendingSprings: two springs across the edge of two neighbouring quads. */
#include "components/solidmechanics/spring/bending_springs.h"

/* Rank of the vertex before the edge: the edge is (q[i + 1], q[i + 2]) in either direction. */
static unsigned before(const SofaEdge *edge, const uint32_t *q) {
  for (unsigned i = 0; i < 3; i++) {
    const uint32_t a = q[(i + 1) % 4], b = q[(i + 2) % 4];
    if ((a == edge->v[0] && b == edge->v[1]) || (a == edge->v[1] && b == edge->v[0])) return i;
  }
  return 3;
}

/* Of quads that are turned the same way, the points across each end of the edge are joined. */
static SofaErr join(void *user, const SofaEdge *edge, const uint32_t *p, const uint32_t *q) {
  const unsigned i = before(edge, p), j = before(edge, q);
  SOFA_TRY(sofa_bending_add(user, p[i], q[(j + 3) % 4]));
  return sofa_bending_add(user, p[(i + 3) % 4], q[j]);
}

static SofaErr quadular_bending_construct(SofaObject *object) {
  BendingSprings *b = (BendingSprings *)object;
  b->faces = SOFA_ELEMENT_QUAD;
  b->join = join;
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(QuadularBendingSprings) = {
    .name = "QuadularBendingSprings",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "ForceField",
    .help = "Resists bending of a surface of quads: two linear damped springs join, for each edge "
            "of exactly two quads, the points across its ends.",
    .equations = "f_1 = (k (l - l_0) + c l') u, f_2 = -f_1",
    .base = &sofa_bending_springs_class,
    .size = sizeof(BendingSprings),
    .templates = templates,
    .construct = quadular_bending_construct,
};
