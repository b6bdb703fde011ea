/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* QuadBendingSprings: springs across the edges of two quads. */
#include "behavior/state_division.h"
#include "components/solidmechanics/spring/face_bending.h"

static const SofaField fields[] = {
    SOFA_FACE_BENDING_TOPOLOGY_ROW,
    SOFA_FIELD(FaceBendingSprings, local_range, "localRange", "-1 -1", "",
               "only springs with not both points below the first number and not both above the "
               "second; -1: no limit"),
};

static const SofaPrivateList lists[] = {
    SOFA_FACE_BENDING_LISTS,
};

static bool out_of_range(const FaceBendingSprings *f, uint32_t a, uint32_t b) {
  if (f->local_range.n < 2) return false;
  a = sofa_point_number(&f->named, a);
  b = sofa_point_number(&f->named, b);
  const int64_t low = f->local_range.data[0], high = f->local_range.data[1];
  return (low >= 0 && a < low && b < low) || (high >= 0 && a > high && b > high);
}

static SofaErr join_once(FaceBendingMaker *m, uint32_t a, uint32_t b) {
  uint32_t *unused;
  bool is_new;
  if (out_of_range(m->f, a, b)) return SOFA_OK;
  SOFA_TRY(
      sofa_pair_map_get(m->f->springs.force_field.object.ctx, &m->springs, a, b, &unused, &is_new));
  return is_new ? sofa_face_bending_add(m->f, a, b) : SOFA_OK;
}

/* The points across each end of the shared edge are joined. */
static SofaErr add_quad(FaceBendingMaker *m, const uint32_t *v) {
  for (unsigned i = 0; i < 4; i++) {
    uint32_t *first, next = v[(i + 1) % 4];
    const uint32_t across[2] = {v[(i + 3) % 4], v[(i + 2) % 4]}; /* of v[i] and of next */
    const unsigned low = v[i] > next; /* the end of the smaller number comes first */
    bool is_new;
    SOFA_TRY(sofa_pair_map_get(m->f->springs.force_field.object.ctx, &m->edges, v[i], next, &first,
                               &is_new));
    if (is_new) {
      first[0] = across[low];
      first[1] = across[1 - low];
      continue;
    }
    const uint32_t other[2] = {first[0], first[1]};
    SOFA_TRY(join_once(m, across[low], other[0]));
    SOFA_TRY(join_once(m, across[1 - low], other[1]));
  }
  return SOFA_OK;
}

/* The point beside an end of an edge, in a quad with both. */
static uint32_t beside(const SofaEdge *edge, int end, const uint32_t *q) {
  unsigned i = 0;
  while (q[i] != edge->v[end]) i++;
  const uint32_t next = q[(i + 1) % 4], last = q[(i + 3) % 4];
  return next == edge->v[1 - end] ? last : next;
}

static SofaErr join_across(void *user, const SofaEdge *edge, const uint32_t *p, const uint32_t *q) {
  for (int end = 0; end < 2; end++)
    SOFA_TRY(join_once(user, beside(edge, end, q), beside(edge, end, p)));
  return SOFA_OK;
}

/* Of a mesh that is divided among processes. */
static SofaErr make_part(FaceBendingMaker *m, SofaTopology *topology) {
  SOFA_TRY(sofa_bending_visit_part(
      &(SofaBendingFaces){&m->f->springs.force_field, topology, SOFA_ELEMENT_QUAD, true},
      join_across, m));
  return sofa_face_bending_unite(m->f);
}

static SofaErr make_quads(FaceBendingMaker *m, SofaTopology *topology) {
  const SofaQuads *quads = sofa_topology_quads(topology);
  if (topology->failure) return topology->failure;
  SOFA_TRY(sofa_face_bending_check(m->f, SOFA_ELEMENT_QUAD, quads->data, quads->n));
  if (sofa_state_division(m->f->springs.force_field.state[0])) return make_part(m, topology);
  for (size_t q = 0; q < quads->n; q++) SOFA_TRY(add_quad(m, quads->data[q].v));
  return SOFA_OK;
}

static SofaErr quad_bending_init(SofaObject *object) {
  return sofa_face_bending_init(object, make_quads);
}

static SofaErr quad_bending_done(SofaObject *object) {
  return sofa_face_bending_done(object, make_quads);
}

static const SofaTopologyListenerOps listener = {.done = quad_bending_done};

static const char *const templates[] = {"Vec3d", "Vec2d", NULL};

SOFA_CLASS(QuadBendingSprings) = {
    .name = "QuadBendingSprings",
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "InteractionForceField",
    .help = "Resists bending of a mesh of quads: linear damped springs join, for each edge of two "
            "quads, the points that face each other across its ends.",
    .base = &sofa_SpringForceField_class,
    .divided = SOFA_DIVIDED_BY_FACES,
    .size = sizeof(FaceBendingSprings),
    SOFA_FIELDS(fields),
    SOFA_PRIVATE_LISTS(lists),
    .templates = templates,
    .init = quad_bending_init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}, {SOFA_TIES, &sofa_face_bending_ties}),
};
