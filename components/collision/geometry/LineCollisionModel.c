/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LineCollisionModel: the edges of a topology. */
#include "components/collision/geometry/mesh_model.h"

typedef struct LineCollisionModel {
  MeshModel mesh;
  bool display_free_position;
} LineCollisionModel;

static const SofaField fields[] = {
    MESH_MODEL_ROW_BOTH_SIDE(LineCollisionModel),
    SOFA_FIELD(LineCollisionModel, display_free_position, "displayFreePosition", "0", "",
               "draw the lines at the free positions", .flags = SOFA_FIELD_DISPLAY),
};

static SofaErr construct(SofaObject *object) {
  ((SofaCollisionModel *)object)->kind = &sofa_collision_line;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  if (((SofaCollisionModel *)object)->topology) return SOFA_OK;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                          "there is no topology in this node or above whose edges could collide");
}

static SofaErr update(SofaCollisionModel *model) {
  MeshModel *m = (MeshModel *)model;
  bool stale;
  mesh_model_begin(m, &stale);
  if (!stale) return SOFA_OK;
  const SofaEdges *edges = sofa_topology_edges(model->topology);
  SOFA_TRY(SOFA_RESIZE(model->object.ctx, &m->corners, 2 * edges->n));
  for (size_t i = 0; i < edges->n; i++)
    for (int k = 0; k < 2; k++) m->corners.data[2 * i + (size_t)k] = edges->data[i].v[k];
  return mesh_model_set(m, edges->n);
}

/* Do edges a and b share a point, or does an edge around an end of a also end at b? */
static bool are_neighbours(SofaTopology *topology, const uint32_t *a, const uint32_t *b) {
  const SofaAround *around = sofa_topology_around(topology, SOFA_ELEMENT_EDGE, SOFA_ELEMENT_POINT);
  const SofaEdges *edges = sofa_topology_edges(topology);
  for (int k = 0; k < 2; k++) {
    const uint32_t *ids = NULL;
    const size_t n = sofa_around_row(around, a[k], &ids);
    for (size_t i = 0; i < n; i++) {
      const uint32_t *v = edges->data[ids[i]].v;
      if (v[0] == b[0] || v[0] == b[1] || v[1] == b[0] || v[1] == b[1]) return true;
    }
  }
  return false;
}

static bool ends_around(SofaTopology *topology, const uint32_t *a, uint32_t point) {
  const uint32_t same[2] = {point, point};
  return are_neighbours(topology, a, same);
}

/* Lines of one model: not those with an edge between them. Points: not the ends of edges around the
 * line's ends. Others decide themselves. */
static bool may_touch(const SofaCollisionModel *model, uint32_t i, const SofaCollisionModel *other,
                      uint32_t j) {
  const uint32_t *line = model->corners + 2 * (size_t)i;
  if (other == model) return !are_neighbours(model->topology, line, model->corners + 2 * (size_t)j);
  if (other->kind == &sofa_collision_point && other->state == model->state)
    return !ends_around(model->topology, line, j);
  if (other->kind == &sofa_collision_line || !other->ops->may_touch) return true;
  return other->ops->may_touch(other, j, model, i);
}

static void contact_point(const SofaCollisionModel *model, uint32_t i, const double p[3],
                          SofaContactPoint *out) {
  *out = (SofaContactPoint){.n = 2};
  for (unsigned k = 0; k < 2; k++) out->index[k] = model->corners[2 * (size_t)i + k];
  line_weights(sofa_collision_corner(model, i, 0), sofa_collision_corner(model, i, 1), p,
               out->weight);
}

static const SofaCollisionModelOps ops = {.update = update,
                                          .changed = mesh_model_changed,
                                          .may_touch = may_touch,
                                          .contact_point = contact_point};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(LineCollisionModel) = {
    SOFA_NAMED(LineCollisionModel),
    .module = "Sofa.Component.Collision.Geometry",
    .category = "CollisionModel",
    .help = "The edges of the topology can touch other bodies. Edges that the topology derives "
            "from its triangles, quads or volumes count.",
    .base = &mesh_collision_model_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .can_create = mesh_model_can_create,
    .construct = construct,
    .init = init,
    SOFA_IMPLEMENTS({SOFA_COLLISION_MODEL, &ops}),
};
