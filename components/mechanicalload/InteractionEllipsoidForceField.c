/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* InteractionEllipsoidForceField: ellipsoids carried by a rigid frame repel or attract points. */
#include <string.h>

#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "components/mechanicalload/ellipsoid.h"
#include "components/mechanicalload/load.h"
#include "components/mechanicalload/penalty.h"
#include "math/quaternion.h"
#include "object/checkpoint.h"

static const SofaQuirk quirks[] = {
    QUIRK_ELLIPSOID_TANGENT_ROW,
    QUIRK_LOAD_DAMPING_MATRIX_ROW,
};

typedef struct InteractionEllipsoidForceField {
  SofaForceField force_field;
  SofaReals contacts; /* not used */
  SofaVec3s center, radius;
  double stiffness, damping;
  SofaColor color;
  bool draw, push_back, invert;
  int frame; /* dof of object2 */
  bool gone; /* the frame is: nothing acts */
  EllipsoidTerm term;
  SofaReals blocks; /* 18 per point: dF/dx and dF/dv in world axes at the last add_force, zero
                       without contact */
} InteractionEllipsoidForceField;

typedef InteractionEllipsoidForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(contacts, "contacts", NULL, "",
             "contacts of the last evaluation; computed, never read",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(center, "center", NULL, "m", "centres of the ellipsoids in the frame",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(radius, "vradius", NULL, "m",
             "radii of the ellipsoids; the shorter list of centres and radii is continued with its "
             "last entry",
             .flags = SOFA_FIELD_REINIT, .range = SOFA_ABOVE(0)),
    SOFA_ROW(stiffness, "stiffness", "500", "N/m",
             "> 0: repels points inside; < 0: attracts points outside"),
    SOFA_ROW(damping, "damping", "5", "N s/m", "damping force per velocity and depth",
             .flags = SOFA_FIELD_REINIT, .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_ROW(color, "color", "0 0.5 1 1", "", "colour of the ellipsoids",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(draw, "draw", "1", "", "draw the ellipsoids", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(frame, "object2_dof_index", "0", "", "frame of object2 that carries the ellipsoids",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(push_back, "object2_forces", "1", "", "the opposite force acts on the frame's centre"),
    SOFA_ROW(invert, "object2_invert", "0", "", "use the inverse of the frame"),
};

static InteractionEllipsoidForceField *self(SofaForceField *ff) {
  return (InteractionEllipsoidForceField *)ff;
}

/* ---- life ---- */

static SofaErr ellipsoid_init(SofaObject *object) {
  InteractionEllipsoidForceField *e = (InteractionEllipsoidForceField *)object;
  e->term = sofa_quirk(object, QUIRK_ELLIPSOID_TANGENT) ? ellipsoid_term_of_sofa : ellipsoid_term;
  if (!e->center.n)
    return sofa_field_fail(object, "center", SOFA_ERR_ARGUMENT, "there is no ellipsoid");
  if (!e->radius.n)
    return sofa_field_fail(object, "vradius", SOFA_ERR_ARGUMENT, "there is no ellipsoid");
  return SOFA_OK;
}

/* Two blocks per point; without a frame none. */
static SofaErr make_room(InteractionEllipsoidForceField *e) {
  const size_t n = e->gone ? 0 : 18 * load_n_points(&e->force_field);
  if (e->blocks.n == n) return SOFA_OK;
  return SOFA_RESIZE(e->force_field.object.ctx, &e->blocks, n);
}

/* States of nodes below have their size only now. */
static SofaErr ellipsoid_bwd_init(SofaObject *object) {
  InteractionEllipsoidForceField *e = (InteractionEllipsoidForceField *)object;
  const size_t frames = sofa_state_size(e->force_field.state[1]);
  if (e->frame < 0 || (size_t)e->frame >= frames)
    return sofa_field_fail(object, "object2_dof_index", SOFA_ERR_RANGE,
                           "%d is not a frame of object2, which has %zu", e->frame, frames);
  return make_room(e);
}

static SofaErr ellipsoid_reinit(SofaObject *object) {
  SOFA_TRY(ellipsoid_init(object));
  return ellipsoid_bwd_init(object);
}

/* The frame is renumbered; points are looked at one by one. */
static SofaErr ellipsoid_listen(SofaObject *object, const SofaTopologyChange *change) {
  InteractionEllipsoidForceField *e = (InteractionEllipsoidForceField *)object;
  if (change->kind == SOFA_CHANGE_REMOVE && !e->gone &&
      sofa_change_moves(change, e->force_field.state[1])) {
    const uint32_t now = sofa_change_renamed(change, (uint32_t)e->frame);
    e->gone = now == SOFA_NO_ELEMENT;
    e->frame = e->gone ? 0 : (int)now;
    sofa_field_touch_name(object, "object2_dof_index");
  }
  if (change->kind != SOFA_CHANGE_DONE) return SOFA_OK;
  return make_room(e);
}

static const SofaTopologyListenerOps listener = {.listen = ellipsoid_listen};

static void ellipsoid_destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((InteractionEllipsoidForceField *)object)->blocks);
}

/* ---- forces ---- */

static const double *entry(const SofaVec3s *list, size_t k) {
  return list->data[k < list->n ? k : list->n - 1].v;
}

/* The pose that carries the ellipsoids: rotation matrix r and origin t. */
static void pose(const InteractionEllipsoidForceField *e, const double *frame, double r[9],
                 double t[3]) {
  double q[4];
  memcpy(q, frame + 3, sizeof q);
  sofa_vec3_copy(frame, t);
  if (e->invert) {
    sofa_quat_inverse(frame + 3, q);
    sofa_quat_rotate(q, frame, t);
    sofa_vec3_scale(-1, t, t);
  }
  sofa_quat_to_matrix(q, r);
}

/* Rank of the ellipsoid with the smallest level at the local point, and the point from its centre.
 */
static size_t nearest(const InteractionEllipsoidForceField *e, const double *local, double *d) {
  const size_t n = e->center.n > e->radius.n ? e->center.n : e->radius.n;
  size_t best = 0;
  double lowest = 0;
  for (size_t k = 0; k < n; k++) {
    sofa_vec3_sub(local, entry(&e->center, k), d);
    const double level = ellipsoid_level2(3, entry(&e->radius, k), d);
    if (k && !(level < lowest)) continue;
    lowest = level;
    best = k;
  }
  sofa_vec3_sub(local, entry(&e->center, best), d);
  return best;
}

static SofaErr ellipsoid_add_force(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *point, double *const *forces) {
  (void)params;
  InteractionEllipsoidForceField *e = self(ff);
  const size_t n = load_n_points(ff), at = (size_t)e->frame;
  double r[9], t[3];
  if (e->gone) return SOFA_OK;
  SOFA_TRY(make_room(e));
  if (n) sofa_zero(e->blocks.data, 18 * n * sizeof *e->blocks.data);
  pose(e, SOFA_POSE(point->x[1], at), r, t);
  for (size_t i = 0; i < n; i++) {
    double local[3], d[3], velocity[3], force[3] = {0}, *blocks = e->blocks.data + 18 * i;
    sofa_vec3_sub(point->x[0] + 3 * i, t, local);
    sofa_mat3_apply_t(r, local, local);
    sofa_mat3_apply_t(r, point->v[0] + 3 * i, velocity);
    const size_t k = nearest(e, local, d);
    const EllipsoidLaw law = {3, entry(&e->radius, k), e->stiffness, e->damping, e->term};
    if (!ellipsoid_law(&law, d, velocity, force, blocks)) continue;
    /* to the world: R f and R m R^T; dF/dv is a multiple of I */
    sofa_mat3_apply(r, force, force);
    sofa_mat3_mul(r, blocks, blocks);
    sofa_mat3_mul_nt(blocks, r, blocks);
    sofa_vec3_axpy(1, force, forces[0] + 3 * i);
    if (e->push_back) sofa_vec3_axpy(-1, force, SOFA_TWIST(forces[1], at));
  }
  return SOFA_OK;
}

/* dF/dx: only how the point moves against the frame's centre counts. dF/dv: the velocity of the
 * point alone, which is what brakes it. */
static SofaErr ellipsoid_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, const double *const *dx,
                                    double *const *df) {
  (void)at;
  const InteractionEllipsoidForceField *e = self(ff);
  const double k = sofa_kfactor(ff, params), b = penalty_bfactor(ff, params);
  const double *center = SOFA_TWIST(dx[1], e->frame);
  for (size_t i = 0; i < e->blocks.n / 18; i++) {
    const double *by_x = e->blocks.data + 18 * i;
    double change[3], braked[3];
    sofa_vec3_sub(dx[0] + 3 * i, center, change);
    sofa_mat3_apply(by_x, change, change);
    sofa_mat3_apply(by_x + 9, dx[0] + 3 * i, braked);
    sofa_vec3_scale(k, change, change);
    sofa_vec3_axpy(b, braked, change);
    sofa_vec3_axpy(1, change, df[0] + 3 * i);
    if (e->push_back) sofa_vec3_axpy(-1, change, SOFA_TWIST(df[1], e->frame));
  }
  return SOFA_OK;
}

static SofaErr ellipsoid_add_k(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  const InteractionEllipsoidForceField *e = self(ff);
  const uint32_t frame = (uint32_t)e->frame;
  for (uint32_t i = 0; i < e->blocks.n / 18; i++) {
    const double *block = e->blocks.data + 18 * (size_t)i;
    double point_frame[18] = {0}, frame_point[18] = {0}, frame_frame[36] = {0};
    for (int c = 0; c < 9; c++) {
      point_frame[c / 3 * 6 + c % 3] = -block[c];
      frame_frame[c / 3 * 6 + c % 3] = block[c];
    }
    for (int c = 0; c < 9; c++) frame_point[c] = -block[c];
    sofa_tangent_add(tangent, 0, i, 0, i, block);
    sofa_tangent_add(tangent, 0, i, 1, frame, point_frame);
    if (!e->push_back) continue;
    sofa_tangent_add(tangent, 1, frame, 0, i, frame_point);
    sofa_tangent_add(tangent, 1, frame, 1, frame, frame_frame);
  }
  return SOFA_OK;
}

static SofaErr ellipsoid_add_b(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  const InteractionEllipsoidForceField *e = self(ff);
  if (e->damping == 0 || sofa_quirk(&ff->object, QUIRK_LOAD_DAMPING_MATRIX)) return SOFA_OK;
  for (uint32_t i = 0; i < e->blocks.n / 18; i++) {
    const double *block = e->blocks.data + 18 * (size_t)i + 9;
    double frame_point[18] = {0};
    for (int c = 0; c < 9; c++) frame_point[c] = -block[c];
    sofa_tangent_add(tangent, 0, i, 0, i, block);
    if (e->push_back) sofa_tangent_add(tangent, 1, (uint32_t)e->frame, 0, i, frame_point);
  }
  return SOFA_OK;
}

static const SofaApproximation left_out = {
    "the tangent leaves out how the ellipsoids turn with their frame", true};

static const SofaApproximation *approximation(const SofaForceField *ff) {
  (void)ff;
  return &left_out;
}

static const SofaForceFieldOps ops = {
    .add_force = ellipsoid_add_force,
    .add_dforce = ellipsoid_add_dforce,
    .add_k = ellipsoid_add_k,
    .add_b = ellipsoid_add_b,
    .approximation = approximation,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

/* The ellipsoids, carried by the frame. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const InteractionEllipsoidForceField *e = (const InteractionEllipsoidForceField *)object;
  const SofaState *carrier = e->force_field.state[1];
  if (!e->draw || e->gone || !carrier || !e->center.n || !e->radius.n) return;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)e->force_field.state)) return;
  if (e->frame < 0 || (size_t)e->frame >= carrier->position.n) return;
  double r[9], t[3], q[4], center[3];
  pose(e, SOFA_POSE(carrier->position.data, e->frame), r, t);
  sofa_quat_from_matrix(r, q);
  const size_t n = e->center.n > e->radius.n ? e->center.n : e->radius.n;
  for (size_t k = 0; k < n; k++) {
    sofa_quat_rotate(q, entry(&e->center, k), center);
    sofa_vec3_add(center, t, center);
    sofa_draw_ellipsoid(args->list, center, q, entry(&e->radius, k), sofa_rgba(&e->color));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d,Rigid3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(InteractionEllipsoidForceField, blocks),
};

SOFA_CLASS(InteractionEllipsoidForceField) = {
    SOFA_NAMED(InteractionEllipsoidForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "InteractionForceField",
    .help = "Ellipsoids carried by a frame of object2 push points of object1 out (stiffness > 0) "
            "or draw them near (stiffness < 0); of several the nearest counts.",
    .equations = "d = R^T (x - p) - c, s^2 = sum_j d_j^2/r_j^2, g_j = d_j/r_j^2, G = |g|\n"
                 "f = -|k| (s - 1) R g/G - b |s - 1| v if k (s - 1) < 0\n"
                 "f_p = -f if \"object2_forces\"\n"
                 "\"p, R: place and rotation of the frame or, with object2_invert, of its inverse, "
                 "f_p: force on it, c, r: center and vradius of the ellipsoid with the smallest s, "
                 "k: stiffness, b: damping, v: velocity of the point\"",
    .base = &sofa_interaction_force_field_class,
    SOFA_SPARES(spared),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = ellipsoid_init,
    .bwd_init = ellipsoid_bwd_init,
    .reinit = ellipsoid_reinit,
    .destroy = ellipsoid_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
