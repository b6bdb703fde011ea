/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TetrahedronCollisionModel: the tetrahedra of a topology. */
#include "components/collision/geometry/mesh_model.h"
#include "math/vec.h"

typedef struct TetrahedronCollisionModel {
  MeshModel mesh;
} TetrahedronCollisionModel;

static SofaErr construct(SofaObject *object) {
  ((SofaCollisionModel *)object)->kind = &sofa_collision_tetra;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  if (((SofaCollisionModel *)object)->topology) return SOFA_OK;
  return sofa_object_fail(
      object, SOFA_ERR_NOT_FOUND,
      "there is no topology in this node or above whose tetrahedra could collide");
}

static SofaErr update(SofaCollisionModel *model) {
  MeshModel *m = (MeshModel *)model;
  bool stale;
  mesh_model_begin(m, &stale);
  if (!stale) return SOFA_OK;
  const SofaTetras *tetras = sofa_topology_tetrahedra(model->topology);
  SOFA_TRY(SOFA_RESIZE(model->object.ctx, &m->corners, 4 * tetras->n));
  for (size_t i = 0; i < tetras->n; i++)
    for (size_t k = 0; k < 4; k++) m->corners.data[4 * i + k] = tetras->data[i].v[k];
  return mesh_model_set(m, tetras->n);
}

static void contact_point(const SofaCollisionModel *model, uint32_t i, const double p[3],
                          SofaContactPoint *out) {
  const double *x0 = sofa_collision_corner(model, i, 0);
  double side[3], base[9], inverse[9], det, d[3], w[3] = {0.25, 0.25, 0.25};
  *out = (SofaContactPoint){.n = 4};
  for (unsigned k = 0; k < 4; k++) out->index[k] = model->corners[4 * (size_t)i + k];
  for (unsigned k = 0; k < 3; k++) {
    sofa_vec3_sub(sofa_collision_corner(model, i, k + 1), x0, side);
    for (unsigned r = 0; r < 3; r++) base[3 * r + k] = side[r];
  }
  sofa_vec3_sub(p, x0, d);
  if (sofa_mat3_inverse(base, inverse, &det)) sofa_mat3_apply(inverse, d, w);
  out->weight[0] = 1 - w[0] - w[1] - w[2];
  for (int k = 0; k < 3; k++) out->weight[k + 1] = w[k];
}

static const SofaCollisionModelOps ops = {
    .update = update, .changed = mesh_model_changed, .contact_point = contact_point};

SOFA_CLASS(TetrahedronCollisionModel) = {
    SOFA_NAMED(TetrahedronCollisionModel),
    .module = "Sofa.Component.Collision.Geometry",
    .category = "CollisionModel",
    .help = "The tetrahedra of the topology can be entered by the points of other bodies.",
    .base = &mesh_collision_model_class,
    .can_create = mesh_model_can_create,
    .construct = construct,
    .init = init,
    SOFA_IMPLEMENTS({SOFA_COLLISION_MODEL, &ops}),
};
