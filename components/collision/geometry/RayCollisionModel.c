/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RayCollisionModel: rays from the points of a state. */
#include "behavior/collision_model.h"
#include "math/vec.h"

typedef struct RayCollisionModel {
  SofaCollisionModel model;
  double length;
  SofaVec3s directions;
  SofaVec3s units;   /* of the rays */
  SofaReals lengths; /* of the rays */
} RayCollisionModel;

typedef RayCollisionModel SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(length, "defaultLength", "1", "m", "length of the rays",
             .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW(directions, "directions", NULL, "",
             "directions of the rays, one for each point of the state; points without one have no "
             "ray (addition of csofa: in SOFA the mouse makes the rays)",
             .range = SOFA_DIRECTION),
};

static SofaErr construct(SofaObject *object) {
  ((SofaCollisionModel *)object)->kind = &sofa_collision_ray;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  SofaCollisionModel *m = (SofaCollisionModel *)object;
  m->state = sofa_node_state(object->node);
  if (m->state && m->state->object.kind == SOFA_VEC3) return SOFA_OK;
  m->state = NULL;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                          "there is no mechanical state of Vec3d in this node or above");
}

/* ---- elements ---- */

static size_t n_rays(const SofaCollisionModel *model) {
  const size_t n = ((const RayCollisionModel *)model)->directions.n;
  return n < sofa_state_size(model->state) ? n : sofa_state_size(model->state);
}

static bool changed(const SofaCollisionModel *model) {
  return model->n != n_rays(model);
}

static SofaErr update(SofaCollisionModel *model) {
  RayCollisionModel *r = (RayCollisionModel *)model;
  const size_t n = n_rays(model);
  if (model->n != n) model->revision++;
  SOFA_TRY(SOFA_RESIZE(model->object.ctx, &r->units, n));
  SOFA_TRY(SOFA_RESIZE(model->object.ctx, &r->lengths, n));
  for (size_t i = 0; i < n; i++) {
    r->units.data[i] = r->directions.data[i];
    sofa_vec3_normalize(r->units.data[i].v);
    r->lengths.data[i] = r->length;
  }
  model->n = n;
  model->normal = n ? r->units.data[0].v : NULL;
  model->radius = r->lengths.data;
  return SOFA_OK;
}

/* From the origin to the end of the ray. */
static void boxes(const SofaCollisionModel *model, const double *x_end, double *out) {
  for (size_t i = 0; i < model->n; i++, out += 6)
    for (int k = 0; k < 3; k++) {
      const double a = sofa_collision_corner(model, (uint32_t)i, 0)[k];
      const double along = model->radius[i] * model->normal[3 * i + (size_t)k];
      const double shift = x_end ? x_end[3 * i + (size_t)k] - a : 0;
      out[k] = a + (along < 0 ? along : 0) + (shift < 0 ? shift : 0) - model->contact_distance;
      out[3 + k] = a + (along > 0 ? along : 0) + (shift > 0 ? shift : 0) + model->contact_distance;
    }
}

static void contact_point(const SofaCollisionModel *model, uint32_t i, const double p[3],
                          SofaContactPoint *out) {
  (void)model;
  (void)p;
  *out = (SofaContactPoint){.n = 1, .index = {i}, .weight = {1}};
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((RayCollisionModel *)object)->units);
  sofa_list_free(object->ctx, &((RayCollisionModel *)object)->lengths);
}

static const SofaCollisionModelOps ops = {
    .update = update, .changed = changed, .boxes = boxes, .contact_point = contact_point};

SOFA_CLASS(RayCollisionModel) = {
    SOFA_NAMED(RayCollisionModel),
    .module = "Sofa.Component.Collision.Geometry",
    .category = "CollisionModel",
    .help =
        "Rays from the points of the state can meet other bodies. Responses do not act on rays: "
        "an own contact class can use what they meet.",
    .base = &sofa_collision_model_class,
    SOFA_FIELDS(fields),
    .construct = construct,
    .init = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_COLLISION_MODEL, &ops}),
};
