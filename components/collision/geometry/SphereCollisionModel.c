/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* SphereCollisionModel: a sphere around every point or frame of a state. */
#include <string.h>

#include "behavior/collision_model.h"
#include "math/quaternion.h"
#include "math/vec.h"

typedef struct SphereCollisionModel {
  SofaCollisionModel model;
  double radius;
  SofaReals list_radius;
  bool show_impostors;
  SofaReals radii; /* of the elements */
} SphereCollisionModel;

typedef SphereCollisionModel SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(radius, "radius", "1", "m", "radius of the spheres that listRadius does not name",
             .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW(list_radius, "listRadius", NULL, "m",
             "radii of the spheres, one after the other; the further ones have `radius`",
             .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW_DISPLAY(show_impostors, "showImpostors", "1",
                     "no effect: spheres are drawn as spheres"),
};

/* No state at all is accepted here; init refuses it. */
static bool can_create(SofaNode *node, const struct SofaElement *element, const char *template_name,
                       SofaText *why) {
  (void)element;
  const SofaState *state = sofa_node_state(node);
  if (!state || state->object.kind == sofa_state_kind_from_name(template_name)) return true;
  (void)sofa_text_printf(node->object.ctx, why, "%s",
                         "the state of this node, or of the nearest one above, is of another kind");
  return false;
}

static SofaErr init(SofaObject *object) {
  SofaCollisionModel *m = (SofaCollisionModel *)object;
  m->state = sofa_node_state(object->node);
  m->topology = sofa_node_topology(object->node);
  if (!m->state)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND,
                            "there is no mechanical state in this node or above");
  m->kind =
      m->state->object.kind == SOFA_RIGID3 ? &sofa_collision_rigid_sphere : &sofa_collision_sphere;
  return SOFA_OK;
}

/* ---- elements ---- */

static bool changed(const SofaCollisionModel *model) {
  return model->n != sofa_state_size(model->state);
}

static SofaErr update(SofaCollisionModel *model) {
  SphereCollisionModel *m = (SphereCollisionModel *)model;
  const size_t n = sofa_state_size(model->state);
  if (model->n != n) model->revision++;
  SOFA_TRY(SOFA_RESIZE(model->object.ctx, &m->radii, n));
  for (size_t i = 0; i < n; i++)
    m->radii.data[i] = i < m->list_radius.n ? m->list_radius.data[i] : m->radius;
  model->n = n;
  model->radius = m->radii.data;
  return SOFA_OK;
}

/* Points: the centre. Frames: the place p in the frame. */
static void contact_point(const SofaCollisionModel *model, uint32_t i, const double p[3],
                          SofaContactPoint *out) {
  *out = (SofaContactPoint){.n = 1, .index = {i}, .weight = {1}, .radius = model->radius[i]};
  if (model->kind != &sofa_collision_rigid_sphere) return;
  const double *x = model->state->position.data + 7 * (size_t)i;
  double d[3];
  sofa_vec3_sub(p, x, d);
  sofa_quat_rotate_inverse(x + 3, d, out->arm);
}

static void destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((SphereCollisionModel *)object)->radii);
}

static const SofaCollisionModelOps ops = {
    .update = update, .changed = changed, .contact_point = contact_point};

static const char *const templates[] = {"Vec3d", "Rigid3d", NULL};

SOFA_CLASS(SphereCollisionModel) = {
    SOFA_NAMED(SphereCollisionModel),
    .module = "Sofa.Component.Collision.Geometry",
    .category = "CollisionModel",
    .help = "A sphere around every point, or around the origin of every frame, of the state can "
            "touch other bodies.",
    .base = &sofa_collision_model_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .can_create = can_create,
    .init = init,
    .destroy = destroy,
    SOFA_IMPLEMENTS({SOFA_COLLISION_MODEL, &ops}),
};
