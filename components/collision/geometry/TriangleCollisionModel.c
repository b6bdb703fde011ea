/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TriangleCollisionModel: the triangles of a topology, and its quads in two halves each. */
#include "components/collision/geometry/triangle_model.h"
#include "math/vec.h"

typedef TriangleCollisionModel SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    MESH_MODEL_ROW_BOTH_SIDE(TriangleCollisionModel),
    SOFA_ROW_NO_EFFECT(compute_normals, "computeNormals", "1",
                       "no effect: normals are computed where they are needed"),
    SOFA_ROW_NO_EFFECT(use_curvature, "useCurvature", "0",
                       "no effect: no intersection method tests curvature"),
};

enum { QUIRK_QUADS_OWN_NOTHING = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_QUADS_OWN_NOTHING, "quads-own-nothing",
     "corners and edges of quads that no triangle has are not found by NewProximityIntersection",
     "test_intersection_quirks.quads"},
};

static SofaErr construct(SofaObject *object) {
  ((SofaCollisionModel *)object)->kind = &sofa_collision_triangle;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  if (((SofaCollisionModel *)object)->topology) return SOFA_OK;
  return sofa_object_fail(
      object, SOFA_ERR_NOT_FOUND,
      "there is no topology in this node or above whose triangles could collide");
}

/* ---- elements ---- */

/* Elements around the points or the edges of the topology. */
typedef struct Around {
  const SofaAround *triangles, *quads; /* quads NULL: halves of quads own nothing */
} Around;

/* The first triangle in the list around a place owns it, where there are none the first quad. */
static bool owns(const Around *around, uint32_t place, bool is_half, uint32_t i) {
  const uint32_t *ids = NULL;
  const size_t n = sofa_around_row(around->triangles, place, &ids);
  if (!is_half) return n > 0 && ids[0] == i;
  return n == 0 && around->quads && sofa_around_row(around->quads, place, &ids) && ids[0] == i;
}

/* Bits of element i. Of a quad the first half has three corners and the diagonal, opposite its
 * first corner, the second half the fourth corner. */
static unsigned owned_bits(const SofaCollisionModel *model, const Around *corners,
                           const Around *edges, size_t i) {
  const uint32_t *v = model->corners + 3 * i;
  const bool is_half = i >= model->n_triangles, is_second = is_half && (i - model->n_triangles) % 2;
  const uint32_t id = (uint32_t)(is_half ? (i - model->n_triangles) / 2 : i);
  unsigned bits = 0;
  for (unsigned k = 0; k < 3; k++) {
    const uint32_t edge = sofa_topology_edge_index(model->topology, v[(k + 1) % 3], v[(k + 2) % 3]);
    if ((k == 0 || !is_second) && owns(corners, v[k], is_half, id)) bits |= SOFA_OWNS_CORNER(k);
    if (is_half && k == 0) bits |= corners->quads && !is_second ? SOFA_OWNS_EDGE(0) : 0;
    else if (edge != SOFA_NO_ELEMENT && owns(edges, edge, is_half, id)) bits |= SOFA_OWNS_EDGE(k);
  }
  return bits;
}

static SofaErr find_owned(TriangleCollisionModel *m) {
  SofaCollisionModel *model = &m->mesh.model;
  SofaTopology *t = model->topology;
  Around corners = {.triangles =
                        sofa_topology_around(t, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_POINT)};
  Around edges = {.triangles = sofa_topology_around(t, SOFA_ELEMENT_TRIANGLE, SOFA_ELEMENT_EDGE)};
  if (model->n > model->n_triangles && !sofa_quirk(&model->object, QUIRK_QUADS_OWN_NOTHING)) {
    corners.quads = sofa_topology_around(t, SOFA_ELEMENT_QUAD, SOFA_ELEMENT_POINT);
    edges.quads = sofa_topology_around(t, SOFA_ELEMENT_QUAD, SOFA_ELEMENT_EDGE);
  }
  SOFA_TRY(SOFA_RESIZE(model->object.ctx, &m->owned, model->n));
  for (size_t i = 0; i < model->n; i++)
    m->owned.data[i] = (uint8_t)owned_bits(model, &corners, &edges, i);
  model->owned = m->owned.data;
  return SOFA_OK;
}

static void put(uint32_t *to, uint32_t a, uint32_t b, uint32_t c) {
  to[0] = a;
  to[1] = b;
  to[2] = c;
}

static SofaErr read_elements(TriangleCollisionModel *m) {
  SofaCollisionModel *model = &m->mesh.model;
  const SofaTriangles *triangles = sofa_topology_triangles(model->topology);
  const SofaQuads *quads = sofa_topology_quads(model->topology);
  const size_t n = triangles->n + 2 * quads->n;
  SOFA_TRY(SOFA_RESIZE(model->object.ctx, &m->mesh.corners, 3 * n));
  uint32_t *to = m->mesh.corners.data;
  for (size_t i = 0; i < triangles->n; i++, to += 3) {
    const uint32_t *v = triangles->data[i].v;
    put(to, v[0], v[1], v[2]);
  }
  for (size_t i = 0; i < quads->n; i++, to += 6) {
    const uint32_t *v = quads->data[i].v;
    put(to, v[1], v[2], v[0]);
    put(to + 3, v[3], v[0], v[2]);
  }
  model->n_triangles = triangles->n;
  SOFA_TRY(mesh_model_set(&m->mesh, n));
  return find_owned(m);
}

/* They stay those of this update where the model does not move. */
static SofaErr keep_normals(TriangleCollisionModel *m) {
  SofaCollisionModel *model = &m->mesh.model;
  model->normal = NULL;
  if (model->moving || model->n == 0) return SOFA_OK;
  SOFA_TRY(SOFA_RESIZE(model->object.ctx, &m->normals, model->n));
  for (uint32_t i = 0; i < model->n; i++)
    sofa_collision_triangle_normal(model, i, m->normals.data[i].v);
  model->normal = m->normals.data[0].v;
  return SOFA_OK;
}

static SofaErr update(SofaCollisionModel *model) {
  TriangleCollisionModel *m = (TriangleCollisionModel *)model;
  bool stale;
  mesh_model_begin(&m->mesh, &stale);
  if (stale) SOFA_TRY(read_elements(m));
  return keep_normals(m);
}

/* A model that moved until now has no normals yet. */
static bool changed(const SofaCollisionModel *model) {
  return mesh_model_changed(model) || (!model->moving && !model->normal && model->n > 0);
}

/* Points of the same state: not the triangle's own corners. */
static bool may_touch(const SofaCollisionModel *model, uint32_t i, const SofaCollisionModel *other,
                      uint32_t j) {
  if (other->kind != &sofa_collision_point || other->state != model->state) return true;
  const uint32_t *v = model->corners + 3 * (size_t)i;
  return v[0] != j && v[1] != j && v[2] != j;
}

/* ---- places of contacts ---- */

/* Half of a quad: the weights of its four corners, bilinear in the affine coordinates of p. */
static void quad_point(const SofaCollisionModel *model, uint32_t i, const double p[3],
                       SofaContactPoint *out) {
  const uint32_t *v = model->topology->mesh.quads.data[(i - model->n_triangles) / 2].v;
  const SofaCoords *x = &model->state->position;
  double base[9], inverse[9], det, u[3], w[3];
  const double *p0 = x->data + (size_t)v[0] * x->width;
  sofa_vec3_sub(x->data + (size_t)v[1] * x->width, p0, u);
  sofa_vec3_sub(x->data + (size_t)v[3] * x->width, p0, w);
  for (int k = 0; k < 3; k++) base[3 * k] = u[k], base[3 * k + 1] = w[k];
  double n[3];
  sofa_vec3_cross(u, w, n);
  for (int k = 0; k < 3; k++) base[3 * k + 2] = n[k];
  sofa_vec3_sub(p, p0, u);
  if (sofa_mat3_inverse(base, inverse, &det)) sofa_mat3_apply(inverse, u, w);
  else w[0] = w[1] = 0;
  const double weight[4] = {(1 - w[0]) * (1 - w[1]), w[0] * (1 - w[1]), w[0] * w[1],
                            (1 - w[0]) * w[1]};
  *out = (SofaContactPoint){.n = 4};
  for (int k = 0; k < 4; k++) {
    out->index[k] = v[k];
    out->weight[k] = weight[k];
  }
}

static void contact_point(const SofaCollisionModel *model, uint32_t i, const double p[3],
                          SofaContactPoint *out) {
  if (i >= model->n_triangles) {
    quad_point(model, i, p, out);
    return;
  }
  *out = (SofaContactPoint){.n = 3};
  for (unsigned k = 0; k < 3; k++) out->index[k] = model->corners[3 * (size_t)i + k];
  triangle_weights(sofa_collision_corner(model, i, 0), sofa_collision_corner(model, i, 1),
                   sofa_collision_corner(model, i, 2), p, out->weight);
}

static void destroy(SofaObject *object) {
  TriangleCollisionModel *m = (TriangleCollisionModel *)object;
  sofa_list_free(object->ctx, &m->normals);
  sofa_list_free(object->ctx, &m->owned);
}

static const SofaCollisionModelOps ops = {
    .update = update, .changed = changed, .may_touch = may_touch, .contact_point = contact_point};

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(TriangleCollisionModel) = {
    SOFA_NAMED(TriangleCollisionModel),
    .module = "Sofa.Component.Collision.Geometry",
    .category = "CollisionModel",
    .help = "The triangles of the topology, and its quads as two triangles each, can touch other "
            "bodies.",
    .base = &mesh_collision_model_class,
    SOFA_FIELDS(fields),
    SOFA_QUIRKS(quirks),
    .templates = templates,
    .can_create = mesh_model_can_create,
    .construct = construct,
    .init = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_COLLISION_MODEL, &ops}),
};
