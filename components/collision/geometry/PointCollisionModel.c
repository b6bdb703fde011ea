/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PointCollisionModel: all points of a state. */
#include <string.h>

#include "components/collision/geometry/mesh_model.h"
#include "math/vec.h"

enum { QUIRK_POINT_SELF = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_POINT_SELF, "point-self-collision", "the points of one model never meet each other",
     "test_collision_filters.points"},
};

typedef struct PointCollisionModel {
  MeshModel mesh;
  bool compute_normals, display_free_position;
  SofaVec3s normals;
} PointCollisionModel;

typedef PointCollisionModel SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    MESH_MODEL_ROW_BOTH_SIDE(PointCollisionModel),
    SOFA_ROW(compute_normals, "computeNormals", "0", "",
             "compute a normal of each point from the faces around it, which tests with tetrahedra "
             "use"),
    SOFA_ROW_DISPLAY(display_free_position, "displayFreePosition", "0",
                     "draw the points at the free positions"),
};

static SofaErr construct(SofaObject *object) {
  ((SofaCollisionModel *)object)->kind = &sofa_collision_point;
  return SOFA_OK;
}

/* ---- normals ---- */

/* Of a triangle the sides from corner 0, of a quad the diagonals. */
static void add_face(PointCollisionModel *m, const uint32_t *v, unsigned n) {
  const SofaCoords *x = &m->mesh.model.state->position;
  const unsigned from = n == 4, to = n == 4 ? 3 : 2, middle = n == 4 ? 2 : 1;
  double a[3], b[3], normal[3];
  for (unsigned k = 0; k < n; k++)
    if (v[k] >= x->n) return; // the topology is that of a body with more points
  sofa_vec3_sub(x->data + (size_t)v[middle] * x->width, x->data + (size_t)v[0] * x->width, a);
  sofa_vec3_sub(x->data + (size_t)v[to] * x->width, x->data + (size_t)v[from] * x->width, b);
  sofa_vec3_cross(a, b, normal);
  sofa_vec3_normalize(normal);
  for (unsigned k = 0; k < n; k++)
    sofa_vec3_add(m->normals.data[v[k]].v, normal, m->normals.data[v[k]].v);
}

/* Volumes give the outward faces of their tetrahedra, surfaces those of triangles and quads. */
static void add_faces(PointCollisionModel *m, SofaTopology *t) {
  if (t->mesh.tetrahedra.n || t->mesh.hexahedra.n) {
    for (size_t i = 0; i < t->mesh.tetrahedra.n; i++)
      for (int f = 0; f < 4; f++) {
        uint32_t v[3];
        for (int k = 0; k < 3; k++) v[k] = t->mesh.tetrahedra.data[i].v[sofa_tetra_faces[f][k]];
        add_face(m, v, 3);
      }
    return;
  }
  const SofaTriangles *triangles = sofa_topology_triangles(t);
  const SofaQuads *quads = sofa_topology_quads(t);
  for (size_t i = 0; i < triangles->n; i++) add_face(m, triangles->data[i].v, 3);
  for (size_t i = 0; i < quads->n; i++) add_face(m, quads->data[i].v, 4);
}

static SofaErr make_normals(PointCollisionModel *m) {
  SofaCollisionModel *model = &m->mesh.model;
  if (!m->compute_normals || !model->topology) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(model->object.ctx, &m->normals, model->n));
  if (model->n) sofa_zero(m->normals.data, model->n * sizeof *m->normals.data);
  add_faces(m, model->topology);
  for (size_t i = 0; i < model->n; i++) {
    double *normal = m->normals.data[i].v;
    if (sofa_vec3_norm(normal) < 1e-3) memset(normal, 0, 3 * sizeof *normal);
    else sofa_vec3_normalize(normal);
  }
  model->normal = model->n ? m->normals.data[0].v : NULL;
  return SOFA_OK;
}

/* ---- elements ---- */

static bool changed(const SofaCollisionModel *model) {
  return model->n != sofa_state_size(model->state);
}

static SofaErr update(SofaCollisionModel *model) {
  const size_t n = sofa_state_size(model->state);
  if (model->n != n) model->revision++;
  model->n = n;
  return make_normals((PointCollisionModel *)model);
}

/* Points of one model that are not the ends of an edge; others decide themselves. */
static bool may_touch(const SofaCollisionModel *model, uint32_t i, const SofaCollisionModel *other,
                      uint32_t j) {
  if (other == model) {
    if (sofa_quirk(&model->object, QUIRK_POINT_SELF)) return false;
    return !model->topology || sofa_topology_edge_index(model->topology, i, j) == SOFA_NO_ELEMENT;
  }
  if (other->kind == &sofa_collision_point || !other->ops->may_touch) return true;
  return other->ops->may_touch(other, j, model, i);
}

static void contact_point(const SofaCollisionModel *model, uint32_t i, const double p[3],
                          SofaContactPoint *out) {
  (void)model;
  (void)p;
  *out = (SofaContactPoint){.n = 1, .index = {i}, .weight = {1}};
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((PointCollisionModel *)object)->normals);
}

static const SofaCollisionModelOps ops = {
    .update = update, .changed = changed, .may_touch = may_touch, .contact_point = contact_point};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(PointCollisionModel) = {
    SOFA_NAMED(PointCollisionModel),
    .module = "Sofa.Component.Collision.Geometry",
    .category = "CollisionModel",
    .help = "All points of the state can touch other bodies.",
    .base = &mesh_collision_model_class,
    SOFA_FIELDS(fields),
    SOFA_QUIRKS(quirks),
    .templates = templates,
    .can_create = mesh_model_can_create,
    .construct = construct,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_COLLISION_MODEL, &ops}),
};
