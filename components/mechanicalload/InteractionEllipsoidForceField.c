/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* InteractionEllipsoidForceField: ellipsoids carried by a rigid frame repel or attract points. */
#include <stdint.h>
#include <string.h>

#include "behavior/draw_state.h"
#include "change/topology_change.h"
#include "components/mechanicalload/ellipsoid.h"
#include "components/mechanicalload/load.h"
#include "components/mechanicalload/penalty.h"
#include "math/quaternion.h"

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
  if (!e->center.n)
    return sofa_field_fail(object, "center", SOFA_ERR_ARGUMENT, "there is no ellipsoid");
  if (!e->radius.n)
    return sofa_field_fail(object, "vradius", SOFA_ERR_ARGUMENT, "there is no ellipsoid");
  return SOFA_OK;
}

/* States of nodes below have their size only now. */
static SofaErr ellipsoid_bwd_init(SofaObject *object) {
  InteractionEllipsoidForceField *e = (InteractionEllipsoidForceField *)object;
  const size_t frames = sofa_state_size(e->force_field.state[1]);
  if (e->frame < 0 || (size_t)e->frame >= frames)
    return sofa_field_fail(object, "object2_dof_index", SOFA_ERR_RANGE,
                           "%d is not a frame of object2, which has %zu", e->frame, frames);
  return SOFA_OK;
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
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = ellipsoid_listen};

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

static size_t n_ellipsoids(const InteractionEllipsoidForceField *e) {
  return e->center.n > e->radius.n ? e->center.n : e->radius.n;
}

/* What the kernels need, at a point; its shapes are scratch memory. */
static SofaErr carried_at(const InteractionEllipsoidForceField *e, const SofaPoint *at,
                          PenaltyCarried *carried) {
  const size_t n = n_ellipsoids(e);
  PenaltyShape *shapes = SOFA_SCRATCH(e->force_field.object.ctx, PenaltyShape, n);
  if (!shapes) return SOFA_ERR_MEMORY;
  *carried = (PenaltyCarried){
      .terms = {.stiffness = e->stiffness,
                .damping = e->damping,
                .sofa_term = sofa_quirk(&e->force_field.object, QUIRK_ELLIPSOID_TANGENT)},
      .shapes = shapes,
      .n = n};
  for (size_t k = 0; k < n; k++) {
    sofa_vec3_copy(entry(&e->center, k), shapes[k].center);
    for (int i = 0; i < 3; i++) shapes[k].inverse[i] = 1 / entry(&e->radius, k)[i];
  }
  pose(e, SOFA_POSE(at->x[1], e->frame), carried->rotation, carried->origin);
  return SOFA_OK;
}

static const PenaltyCarriedLoops *loops_of(const SofaForceField *ff) {
  return penalty_kernels(ff->object.ctx)->carried;
}

/* The points from `first` on, at most n. */
static PenaltyPoints points_from(const SofaForceField *ff, const SofaPoint *at, size_t first,
                                 size_t n) {
  const size_t left = load_n_points(ff) - first;
  return (PenaltyPoints){at->x[0] + 3 * first, at->v[0] + 3 * first, left < n ? left : n, 3, 3};
}

static SofaErr ellipsoid_add_force(SofaForceField *ff, const SofaMechParams *params,
                                   const SofaPoint *at, double *const *forces) {
  (void)params;
  const InteractionEllipsoidForceField *e = self(ff);
  const PenaltyPoints points = points_from(ff, at, 0, SIZE_MAX);
  const SofaScratchMark mark = sofa_scratch_mark(ff->object.ctx);
  PenaltyCarried carried;
  double sum[3];
  if (e->gone) return SOFA_OK;
  const SofaErr err = carried_at(e, at, &carried);
  if (err == SOFA_OK) {
    loops_of(ff)->force(&carried, &points, forces[0], sum);
    if (e->push_back) sofa_vec3_axpy(-1, sum, SOFA_TWIST(forces[1], e->frame));
  }
  sofa_scratch_release(ff->object.ctx, mark);
  return err;
}

/* dF/dx: only how the point moves against the frame's centre counts. dF/dv: the velocity of the
 * point alone, which is what brakes it. */
static SofaErr ellipsoid_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, const double *const *dx,
                                    double *const *df) {
  const InteractionEllipsoidForceField *e = self(ff);
  const PenaltyFactors by = {sofa_kfactor(ff, params), penalty_bfactor(ff, params)};
  const PenaltyPoints points = points_from(ff, at, 0, SIZE_MAX);
  const SofaScratchMark mark = sofa_scratch_mark(ff->object.ctx);
  PenaltyCarried carried;
  double sum[3];
  if (e->gone) return SOFA_OK;
  const SofaErr err = carried_at(e, at, &carried);
  if (err == SOFA_OK) {
    sofa_vec3_copy(SOFA_TWIST(dx[1], e->frame), carried.moved);
    loops_of(ff)->product(&carried, &points, by, dx[0], df[0], sum);
    if (e->push_back) sofa_vec3_axpy(-1, sum, SOFA_TWIST(df[1], e->frame));
  }
  sofa_scratch_release(ff->object.ctx, mark);
  return err;
}

/* Adds the block of a point and what it is for the frame's centre, which pushes back; by_frame: it
 * is dF/dx, for which the centre moves, too. */
static void add_block(const InteractionEllipsoidForceField *e, const SofaTangent *tangent,
                      uint32_t point, const double *block, bool by_frame) {
  const uint32_t frame = (uint32_t)e->frame;
  double point_frame[18] = {0}, frame_point[18] = {0};
  for (int c = 0; c < 9; c++) point_frame[c / 3 * 6 + c % 3] = frame_point[c] = -block[c];
  sofa_tangent_add(tangent, 0, point, 0, point, block);
  if (by_frame) sofa_tangent_add(tangent, 0, point, 1, frame, point_frame);
  if (e->push_back) sofa_tangent_add(tangent, 1, frame, 0, point, frame_point);
}

/* The blocks k dF/dx + b dF/dv; that of the frame is the sum of the points'. */
static SofaErr add_blocks(SofaForceField *ff, PenaltyFactors by, const SofaPoint *at,
                          const SofaTangent *tangent) {
  const InteractionEllipsoidForceField *e = self(ff);
  const SofaScratchMark mark = sofa_scratch_mark(ff->object.ctx);
  const bool by_frame = by.k != 0;
  PenaltyCarried carried;
  double blocks[9 * SOFA_LANES], frame[36] = {0};
  if (e->gone) return SOFA_OK;
  const SofaErr err = carried_at(e, at, &carried);
  for (size_t i = 0; err == SOFA_OK && i < load_n_points(ff); i += SOFA_LANES) {
    const PenaltyPoints points = points_from(ff, at, i, SOFA_LANES);
    loops_of(ff)->blocks(&carried, &points, by, blocks);
    for (size_t l = 0; l < points.n; l++) {
      add_block(e, tangent, (uint32_t)(i + l), blocks + 9 * l, by_frame);
      for (size_t c = 0; c < 9; c++) frame[c / 3 * 6 + c % 3] += blocks[9 * l + c];
    }
  }
  if (err == SOFA_OK && by_frame && e->push_back)
    sofa_tangent_add(tangent, 1, (uint32_t)e->frame, 1, (uint32_t)e->frame, frame);
  sofa_scratch_release(ff->object.ctx, mark);
  return err;
}

static SofaErr ellipsoid_add_k(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const SofaTangent *tangent) {
  (void)params;
  return add_blocks(ff, (PenaltyFactors){1, 0}, at, tangent);
}

static SofaErr ellipsoid_add_b(SofaForceField *ff, const SofaMechParams *params,
                               const SofaPoint *at, const SofaTangent *tangent) {
  (void)params;
  const InteractionEllipsoidForceField *e = self(ff);
  if (e->damping == 0 || sofa_quirk(&ff->object, QUIRK_LOAD_DAMPING_MATRIX)) return SOFA_OK;
  return add_blocks(ff, (PenaltyFactors){0, 1}, at, tangent);
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
  for (size_t k = 0; k < n_ellipsoids(e); k++) {
    sofa_quat_rotate(q, entry(&e->center, k), center);
    sofa_vec3_add(center, t, center);
    sofa_draw_ellipsoid(args->list, center, q, entry(&e->radius, k), sofa_rgba(&e->color));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d,Rigid3d", NULL};

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
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = ellipsoid_init,
    .bwd_init = ellipsoid_bwd_init,
    .reinit = ellipsoid_reinit,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
