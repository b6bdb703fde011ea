/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangleBendingSprings: springs between the points opposite to the edge of two triangles. */
#include "behavior/state_division.h"
#include "components/solidmechanics/spring/face_bending.h"

static const SofaField fields[] = {SOFA_FACE_BENDING_TOPOLOGY_ROW};

static const SofaPrivateList lists[] = {
    SOFA_FACE_BENDING_LISTS,
};

static SofaErr add_triangle(FaceBendingMaker *m, uint32_t a, uint32_t b, uint32_t c) {
  const uint32_t v[3] = {a, b, c};
  for (unsigned i = 0; i < 3; i++) {
    uint32_t *first;
    bool is_new;
    SOFA_TRY(sofa_pair_map_get(m->f->springs.force_field.object.ctx, &m->edges, v[i],
                               v[(i + 1) % 3], &first, &is_new));
    if (is_new) first[0] = v[(i + 2) % 3];
    else SOFA_TRY(sofa_face_bending_add(m->f, v[(i + 2) % 3], first[0]));
  }
  return SOFA_OK;
}

static SofaErr join(void *user, const SofaEdge *edge, const uint32_t *p, const uint32_t *q) {
  return sofa_face_bending_add(user, sofa_bending_opposite(edge, q),
                               sofa_bending_opposite(edge, p));
}

/* Of a mesh that is divided among processes. */
static SofaErr make_part(FaceBendingMaker *m, SofaTopology *topology) {
  const SofaForceField *ff = &m->f->springs.force_field;
  if (sofa_topology_n_whole(topology, SOFA_ELEMENT_QUAD))
    return sofa_object_undivided(&ff->object, "triangles of quads, on a mesh that is divided among "
                                              "processes");
  return sofa_bending_visit_part(&(SofaBendingFaces){ff, topology, SOFA_ELEMENT_TRIANGLE, true},
                                 join, m->f);
}

/* Quads count as two triangles. An edge with more than two of them gives a spring for each after
 * the first, also between points that have one. */
static SofaErr make_triangles(FaceBendingMaker *m, SofaTopology *topology) {
  const SofaTriangles *triangles = sofa_topology_triangles(topology);
  const SofaQuads *quads = sofa_topology_quads(topology);
  if (topology->failure) return topology->failure;
  SOFA_TRY(sofa_face_bending_check(m->f, SOFA_ELEMENT_TRIANGLE, triangles->data, triangles->n));
  SOFA_TRY(sofa_face_bending_check(m->f, SOFA_ELEMENT_QUAD, quads->data, quads->n));
  if (sofa_state_division(m->f->springs.force_field.state[0])) return make_part(m, topology);
  for (size_t t = 0; t < triangles->n; t++) {
    const uint32_t *v = triangles->data[t].v;
    SOFA_TRY(add_triangle(m, v[0], v[1], v[2]));
  }
  for (size_t q = 0; q < quads->n; q++) {
    const uint32_t *v = quads->data[q].v;
    SOFA_TRY(add_triangle(m, v[0], v[1], v[2]));
    SOFA_TRY(add_triangle(m, v[0], v[2], v[3]));
  }
  return SOFA_OK;
}

static SofaErr triangle_bending_init(SofaObject *object) {
  return sofa_face_bending_init(object, make_triangles);
}

static SofaErr triangle_bending_done(SofaObject *object) {
  return sofa_face_bending_done(object, make_triangles);
}

static const SofaTopologyListenerOps listener = {.done = triangle_bending_done};

static const char *const templates[] = {"Vec3d", "Vec2d", NULL};

SOFA_CLASS(TriangleBendingSprings) = {
    .name = "TriangleBendingSprings",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help = "Resists bending of a mesh of triangles, quads counting as two: linear damped springs "
            "join, for each edge of two triangles, the points opposite to it.",
    .base = &sofa_SpringForceField_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    .size = sizeof(FaceBendingSprings),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .init = triangle_bending_init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}, {SOFA_TIES, &sofa_face_bending_ties}),
};
