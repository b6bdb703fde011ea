/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CylinderCollisionModel: a cylinder around every frame of a state. */
#include <math.h>

#include "behavior/collision_model.h"
#include "math/quaternion.h"
#include "math/vec.h"

typedef struct CylinderCollisionModel {
  SofaCollisionModel model;
  SofaReals radii, heights;
  double radius, height;
  SofaVec3 axis;
} CylinderCollisionModel;

typedef CylinderCollisionModel SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(radii, "radii", NULL, "m", "radii of the cylinders; further ones: defaultRadius",
             .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW(heights, "heights", NULL, "m", "heights of the cylinders; further ones: defaultHeight",
             .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW(radius, "defaultRadius", "0.5", "m", "radius of cylinders that radii does not name",
             .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW(height, "defaultHeight", "2", "m", "height of cylinders that heights does not name",
             .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW(axis, "defaultLocalAxis", "0 1 0", "", "axis of the cylinders in their frames",
             .range = SOFA_DIRECTION),
};

static SofaErr construct(SofaObject *object) {
  ((SofaCollisionModel *)object)->kind = &sofa_collision_cylinder;
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  SofaCollisionModel *m = (SofaCollisionModel *)object;
  m->state = sofa_node_state(object->node);
  if (m->state && m->state->object.kind == SOFA_RIGID3) return SOFA_OK;
  m->state = NULL;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                          "there is no mechanical state of Rigid3d in this node or above");
}

static bool changed(const SofaCollisionModel *model) {
  return model->n != sofa_state_size(model->state);
}

static SofaErr update(SofaCollisionModel *model) {
  if (changed(model)) model->revision++;
  model->n = sofa_state_size(model->state);
  return SOFA_OK;
}

/* A cylinder reaches along direction k: half its height times |axis_k|, and its radius times the
 * sine of the angle between both. */
static void box_of(const CylinderCollisionModel *c, size_t i, const double *frame, double *box) {
  const double radius = i < c->radii.n ? c->radii.data[i] : c->radius;
  const double height = i < c->heights.n ? c->heights.data[i] : c->height;
  double axis[3], turned[3];
  sofa_vec3_copy(c->axis.v, axis);
  sofa_vec3_normalize(axis);
  sofa_quat_rotate(frame + 3, axis, turned);
  for (int k = 0; k < 3; k++) {
    const double sine2 = 1 - turned[k] * turned[k];
    const double reach = height / 2 * fabs(turned[k]) + radius * sqrt(sine2 > 0 ? sine2 : 0) +
                         c->model.contact_distance;
    box[k] = frame[k] - reach;
    box[3 + k] = frame[k] + reach;
  }
}

static void boxes(const SofaCollisionModel *model, const double *x_end, double *out) {
  const SofaCoords *x = &model->state->position;
  for (size_t i = 0; i < model->n; i++, out += 6) {
    double end[6];
    box_of((const CylinderCollisionModel *)model, i, x->data + 7 * i, out);
    if (!x_end) continue;
    box_of((const CylinderCollisionModel *)model, i, x_end + 7 * i, end);
    for (int k = 0; k < 3; k++) {
      out[k] = fmin(out[k], end[k]);
      out[3 + k] = fmax(out[3 + k], end[3 + k]);
    }
  }
}

static void contact_point(const SofaCollisionModel *model, uint32_t i, const double p[3],
                          SofaContactPoint *out) {
  const double *x = model->state->position.data + 7 * (size_t)i;
  double d[3];
  *out = (SofaContactPoint){.n = 1, .index = {i}, .weight = {1}};
  sofa_vec3_sub(p, x, d);
  sofa_quat_rotate_inverse(x + 3, d, out->arm);
}

static const SofaCollisionModelOps ops = {
    .update = update, .changed = changed, .boxes = boxes, .contact_point = contact_point};

static const char *const templates[] = {"Rigid3d", NULL};

SOFA_CLASS(CylinderCollisionModel) = {
    SOFA_NAMED(CylinderCollisionModel),
    .module = "Sofa.Component.Collision.Geometry",
    .category = "CollisionModel",
    .help = "A cylinder around the origin of every frame. No intersection method tests cylinders "
            "yet, in SOFA neither: they do not collide.",
    .base = &sofa_collision_model_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = construct,
    .init = init,
    SOFA_IMPLEMENTS({SOFA_COLLISION_MODEL, &ops}),
};
