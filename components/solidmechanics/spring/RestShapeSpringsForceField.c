/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* RestShapeSpringsForceField: springs that pull points and frames to where they rest. */
#include <string.h>
#include "behavior/state_division.h"
#include "behavior/draw_state.h"
#include "topology/topology.h"
#include "components/solidmechanics/spring/rest_points.h"
#include "components/solidmechanics/spring/spring_set.h"
#include "math/quaternion.h"

enum { QUIRK_REST_SHAPE_MATRIX = 1, QUIRK_SMALL_TURNS = 2 };
static const SofaQuirk quirks[] = {
    {QUIRK_REST_SHAPE_MATRIX, "rest-shape-matrix",
     "RestShapeSpringsForceField assembles stiffnesses by point and in inactive directions",
     "test_spring_kinds.held_points_have_the_stiffness_of_their_place"},
    {QUIRK_SMALL_TURNS, "small-turns",
     "RestShapeSpringsForceField has no torque at angles below 2e-8",
     "test_spring_kinds.small_turns"},
};

enum { MAX_DERIV = 6 };

typedef struct RestShapeSpringsForceField {
  SofaForceField force_field;
  SofaRestPoints rest;
  SofaReals stiffness, angular_stiffness;
  SofaVec3s pivots;
  SofaBools active_directions;
  bool draw_spring;
  SofaColor color;
  SofaLink topology;
  /* state */
  double active[MAX_DERIV]; /* 1 or 0 for each real of a velocity */
  bool point_stiffness;     /* quirk: the matrix takes stiffnesses by point, in all directions */
} RestShapeSpringsForceField;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef RestShapeSpringsForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_REST_POINTS_ROWS(RestShapeSpringsForceField, "1"),
    SOFA_ROW(
        stiffness, "stiffness", NULL, "N/m",
        "stiffness of each point's spring; the first value where the list is shorter; empty: 100",
        .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(
        angular_stiffness, "angularStiffness", NULL, "N m",
        "of frames: stiffness against rotation, as many as stiffness; 100 where there are fewer",
        .range = SOFA_FINITE_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(pivots, "pivot_points", NULL, "m", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(active_directions, "activeDirections", "1 1 1 1 1 1 1", "",
             "directions in which the springs act: translations, then for frames rotations"),
    SOFA_ROW(draw_spring, "drawSpring", "0", "", "draw the springs", .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(color, "springColor", "0 1 0 1", "", "colour of drawn springs",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(topology, "topology", NULL, "",
             "topology whose points are renumbered by topological changes", .link = &topology_rule),
};

/* ---- init ---- */

static SofaErr fill_stiffness(RestShapeSpringsForceField *r) {
  SofaObject *object = &r->force_field.object;
  const double preset = 100;
  if (!r->stiffness.n) SOFA_TRY(SOFA_APPEND(object->ctx, &r->stiffness, &preset));
  while (r->angular_stiffness.n < r->stiffness.n)
    SOFA_TRY(SOFA_APPEND(object->ctx, &r->angular_stiffness, &preset));
  return SOFA_RESIZE(object->ctx, &r->angular_stiffness, r->stiffness.n);
}

/* Would the matrix of SOFA be another one? */
static bool matrix_depends(const RestShapeSpringsForceField *r, unsigned linear) {
  for (unsigned i = 0; i < linear; i++)
    if (r->active[i] == 0) return true;
  if (r->stiffness.n < 2) return false;
  for (size_t k = 0; k < r->rest.held.n; k++)
    if (r->rest.held.data[k] != k) return true;
  return false;
}

static void choose_matrix(RestShapeSpringsForceField *r) {
  const SofaStateKindInfo *info = sofa_state_kind_info(r->force_field.state[0]->object.kind);
  r->point_stiffness = matrix_depends(r, info->rigid ? info->space : info->deriv) &&
                       sofa_quirk(&r->force_field.object, QUIRK_REST_SHAPE_MATRIX);
  r->force_field.partial_tangent = r->point_stiffness;
}

/* The points of mapped states are known only now. */
static SofaErr rest_shape_bwd_init(SofaObject *object) {
  RestShapeSpringsForceField *r = (RestShapeSpringsForceField *)object;
  for (unsigned i = 0; i < MAX_DERIV; i++)
    r->active[i] = i >= r->active_directions.n || r->active_directions.data[i];
  if (r->stiffness.n > 1 && sofa_state_division(r->force_field.state[0]))
    return sofa_object_undivided(object,
                                 "several stiffnesses on a mesh that is divided among processes");
  SOFA_TRY(fill_stiffness(r));
  SOFA_TRY(sofa_rest_points_find(&r->rest, &r->force_field, true));
  choose_matrix(r);
  return SOFA_OK;
}

static SofaErr rest_shape_reinit(SofaObject *object) {
  RestShapeSpringsForceField *r = (RestShapeSpringsForceField *)object;
  return sofa_rest_points_find(&r->rest, &r->force_field, true);
}

static void rest_shape_destroy(SofaObject *object) {
  sofa_rest_points_free(&((RestShapeSpringsForceField *)object)->rest, object->ctx);
}

/* ---- topological changes ---- */

static SofaErr rest_shape_listen(SofaObject *object, const SofaTopologyChange *change) {
  RestShapeSpringsForceField *r = (RestShapeSpringsForceField *)object;
  const SofaColumn columns[] = {{.list = &r->stiffness, .size = sizeof *r->stiffness.data},
                                {.list = &r->angular_stiffness, .size = sizeof(double)}};
  SOFA_TRY(sofa_rest_points_listen(&r->rest, &r->force_field, change, columns, 2));
  sofa_field_touch_name(object, "stiffness");
  sofa_field_touch_name(object, "angularStiffness");
  if (change->kind == SOFA_CHANGE_DONE) choose_matrix(r);
  return SOFA_OK;
}

static const SofaTopologyListenerOps listener = {.listen = rest_shape_listen};

/* ---- forces ---- */

/* Rotation vector from q0 to q, in [0, pi]. */
static void rotation_from(const RestShapeSpringsForceField *r, const double *q0, const double *q,
                          double *v) {
  double d[4], axis[3], angle = 0;
  sofa_quat_inverse(q0, d);
  sofa_quat_multiply(q, d, d);
  sofa_quat_normalize(d);
  if (d[3] < 0)
    for (int i = 0; i < 4; i++) d[i] = -d[i];
  sofa_vec3_set(v, 0, 0, 0);
  if (!(d[3] < 1) && sofa_quirk(&r->force_field.object, QUIRK_SMALL_TURNS)) return;
  sofa_quat_to_axis_angle(d, axis, &angle);
  sofa_vec3_scale(angle, axis, v);
}

/* x - x0 as a deriv, 0 where the springs do not act. */
static void displacement(const RestShapeSpringsForceField *r, const SofaStateKindInfo *info,
                         const double *x0, const double *x, double *d) {
  const unsigned linear = info->rigid ? 3 : info->deriv;
  for (unsigned i = 0; i < linear; i++) d[i] = r->active[i] * (x[i] - x0[i]);
  if (!info->rigid) return;
  rotation_from(r, x0 + 3, x + 3, d + 3);
  for (unsigned i = 3; i < 6; i++) d[i] *= r->active[i];
}

/* Stiffness of each direction for entry k of the lists. */
static void stiffness_at(const RestShapeSpringsForceField *r, const SofaStateKindInfo *info,
                         size_t k, double *s) {
  const double linear = sofa_spring_entry(&r->stiffness, k, 100);
  const double angular = sofa_spring_entry(&r->angular_stiffness, k, 100);
  const unsigned n = info->rigid ? info->space : info->deriv;
  for (unsigned i = 0; i < info->deriv; i++) s[i] = i < n ? linear : angular;
}

#define INLINED static inline __attribute__((always_inline))

/* The forces on points of n reals, at most 3. */
INLINED void pull_points(const RestShapeSpringsForceField *r, size_t n, const double *target,
                         const double *x, double *f) {
  const double active[3] = {r->active[0], r->active[1], r->active[2]};
  for (size_t k = 0; k < r->rest.held.n; k++) {
    const size_t i = n * r->rest.held.data[k], j = n * r->rest.at.data[k];
    const double s = sofa_spring_entry(&r->stiffness, k, 100);
    double d[3];
    for (size_t c = 0; c < n; c++) d[c] = active[c] * (x[i + c] - target[j + c]) * s;
    for (size_t c = 0; c < n; c++) f[i + c] -= d[c];
  }
}

static void pull_frames(const RestShapeSpringsForceField *r, const SofaStateKindInfo *info,
                        const double *target, const double *x, double *f) {
  for (size_t k = 0; k < r->rest.held.n; k++) {
    const size_t i = r->rest.held.data[k], j = r->rest.at.data[k];
    double d[MAX_DERIV], s[MAX_DERIV];
    displacement(r, info, target + j * info->coord, x + i * info->coord, d);
    stiffness_at(r, info, k, s);
    for (unsigned c = 0; c < info->deriv; c++) f[i * info->deriv + c] -= d[c] * s[c];
  }
}

static SofaErr rest_shape_add_force(SofaForceField *ff, const SofaMechParams *params,
                                    const SofaPoint *at, double *const *forces) {
  (void)params;
  RestShapeSpringsForceField *r = (RestShapeSpringsForceField *)ff;
  SOFA_TRY(sofa_rest_points_update(&r->rest, ff, true));
  const SofaStateKindInfo *info = sofa_state_kind_info(ff->state[0]->object.kind);
  const double *target = sofa_rest_points_target(&r->rest, ff);
  if (info->rigid) pull_frames(r, info, target, at->x[0], forces[0]);
  else if (info->deriv == 3) pull_points(r, 3, target, at->x[0], forces[0]);
  else pull_points(r, info->deriv, target, at->x[0], forces[0]);
  return SOFA_OK;
}

/* linear: the first reals of `deriv`, which have the stiffness of points. The rotation vector
 * counts as moved by the angular displacement, which is exact at rest. */
INLINED void add_products(const RestShapeSpringsForceField *r, size_t linear, size_t deriv,
                          double factor, const double *dx, double *df) {
  double active[MAX_DERIV];
  for (int c = 0; c < MAX_DERIV; c++) active[c] = r->active[c];
  for (size_t k = 0; k < r->rest.held.n; k++) {
    const size_t at = r->rest.held.data[k] * deriv;
    const double s = sofa_spring_entry(&r->stiffness, k, 100);
    const double turning = linear < deriv ? sofa_spring_entry(&r->angular_stiffness, k, 100) : 0;
    double d[MAX_DERIV];
    for (size_t c = 0; c < deriv; c++)
      d[c] = active[c] * dx[at + c] * (c < linear ? s : turning) * factor;
    for (size_t c = 0; c < deriv; c++) df[at + c] -= d[c];
  }
}

static SofaErr rest_shape_add_dforce(SofaForceField *ff, const SofaMechParams *params,
                                     const SofaPoint *point, const double *const *dx,
                                     double *const *df) {
  (void)point;
  const RestShapeSpringsForceField *r = (RestShapeSpringsForceField *)ff;
  const SofaStateKindInfo *info = sofa_state_kind_info(ff->state[0]->object.kind);
  const double factor = sofa_kfactor(ff, params);
  if (info->deriv == 3) add_products(r, 3, 3, factor, dx[0], df[0]);
  else add_products(r, info->rigid ? info->space : info->deriv, info->deriv, factor, dx[0], df[0]);
  return SOFA_OK;
}

static SofaErr rest_shape_add_k(SofaForceField *ff, const SofaMechParams *params,
                                const SofaPoint *at, const SofaTangent *tangent) {
  (void)params, (void)at;
  const RestShapeSpringsForceField *r = (RestShapeSpringsForceField *)ff;
  const SofaStateKindInfo *info = sofa_state_kind_info(ff->state[0]->object.kind);
  const unsigned n = info->deriv, linear = info->rigid ? info->space : n;
  for (size_t k = 0; k < r->rest.held.n; k++) {
    const uint32_t i = r->rest.held.data[k];
    double s[MAX_DERIV], block[MAX_DERIV * MAX_DERIV] = {0};
    stiffness_at(r, info, r->point_stiffness ? i : k, s);
    for (unsigned c = 0; c < n; c++)
      block[c * n + c] = r->point_stiffness && c < linear ? -s[c] : -s[c] * r->active[c];
    sofa_tangent_add(tangent, 0, i, 0, i, block);
  }
  return SOFA_OK;
}

static SofaErr rest_shape_energy(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *energy) {
  (void)params;
  const RestShapeSpringsForceField *r = (RestShapeSpringsForceField *)ff;
  const SofaStateKindInfo *info = sofa_state_kind_info(ff->state[0]->object.kind);
  const double *target = sofa_rest_points_target(&r->rest, ff);
  const size_t owned = sofa_state_n_owned(ff->state[0]);
  *energy = 0;
  for (size_t k = 0; k < r->rest.held.n; k++) {
    const size_t i = r->rest.held.data[k], j = r->rest.at.data[k];
    if (i >= owned) continue;
    double d[MAX_DERIV], s[MAX_DERIV];
    displacement(r, info, target + j * info->coord, at->x[0] + i * info->coord, d);
    stiffness_at(r, info, k, s);
    for (unsigned c = 0; c < info->deriv; c++) *energy += 0.5 * s[c] * d[c] * d[c];
  }
  return SOFA_OK;
}

static const SofaApproximation left_out = {
    "the tangent leaves out how the axis of a rotation turns", false};

static const SofaApproximation *approximation(const SofaForceField *ff) {
  return ff->object.kind == SOFA_RIGID3 ? &left_out : NULL;
}

/* The force is linear. */
static bool rest_shape_constant(const SofaForceField *ff) {
  (void)ff;
  return true;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = rest_shape_add_force,
    .add_dforce = rest_shape_add_dforce,
    .add_k = rest_shape_add_k,
    .potential_energy = rest_shape_energy,
    .own_points = true,
    .approximation = approximation,
    .tangent_is_dforce = true,
    .constant_tangent = rest_shape_constant,
};

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const RestShapeSpringsForceField *r = (const RestShapeSpringsForceField *)object;
  if (r->draw_spring) sofa_rest_points_draw(&r->rest, &r->force_field, args, sofa_rgba(&r->color));
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", "Rigid3d", "Vec1d", NULL};

SOFA_CLASS(RestShapeSpringsForceField) = {
    SOFA_NAMED(RestShapeSpringsForceField),
    .module = "Sofa.Component.SolidMechanics.Spring",
    .category = "ForceField",
    .help = "Linear springs that pull points to their rest positions, or to the positions of "
            "another state; of frames also the rotation.",
    .equations = "f_i = -k_i (x_i - y_i)\n"
                 "\"y_i: place where point i rests\"",
    .base = &sofa_force_field_class,
    .divided = SOFA_DIVIDED_BY_POINTS,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .bwd_init = rest_shape_bwd_init,
    .reinit = rest_shape_reinit,
    .destroy = rest_shape_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_TOPOLOGY_LISTENER, &listener},
                    {SOFA_DRAW, &draw_ops}),
};
