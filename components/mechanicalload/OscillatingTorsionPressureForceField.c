/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OscillatingTorsionPressureForceField: turns a surface rigidly around an axis with an oscillating
 * moment. */
#include <math.h>

#include "behavior/draw_state.h"
#include "components/mechanicalload/faces.h"
#include "components/mechanicalload/torsion_kernels.h"
#include "object/checkpoint.h"

typedef struct OscillatingTorsionPressureForceField {
  SofaForceField force_field;
  SofaReals map; /* not used */
  double moment, penalty, frequency, dmin, dmax;
  SofaIndices list;
  SofaVec3 axis, center;
  bool show_forces;
  double unit[3];     /* axis, normalised */
  double frame[9];    /* rows: unit and two directions across it */
  SofaIndices points; /* ascending; the last one is repeated up to the end of a group */
  size_t n_points;
  SofaReals rest, now; /* of groups of points, see TorsionKernels */
  bool none;           /* all of triangleList were removed */
} OscillatingTorsionPressureForceField;

typedef OscillatingTorsionPressureForceField SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(map, "trianglePressureMap", NULL, "", "computed, never read",
             .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(moment, "moment", "0", "N m", "largest moment on the surface"),
    SOFA_ROW(list, "triangleList", NULL, "", "turned triangles of the topology",
             .flags = SOFA_FIELD_REINIT,
             SOFA_INDICES_OF(SOFA_ELEMENT_TRIANGLE,
                             .emptied = offsetof(OscillatingTorsionPressureForceField, none))),
    SOFA_ROW(axis, "axis", "0 0 1", "1", "direction of the axis, not 0", .flags = SOFA_FIELD_REINIT,
             .range = SOFA_DIRECTION),
    SOFA_ROW(center, "center", "0 0 0", "m", "a point of the axis", .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(penalty, "penalty", "1000", "N/m", "stiffness that holds the surface rigid",
             .flags = SOFA_FIELD_REINIT, .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_DEFAULT),
    SOFA_ROW(frequency, "frequency", "1", "1/s", "frequency of the moment"),
    SOFA_ROW(dmin, "dmin", "0", "m",
             "without triangleList: triangles with dmin < x.axis < dmax at all vertices at rest",
             .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(dmax, "dmax", "0", "m", "see dmin", .flags = SOFA_FIELD_REINIT),
    SOFA_ROW(show_forces, "showForces", "0", "", "draw the triangles", .flags = SOFA_FIELD_DISPLAY),
};

/* ---- the surface ---- */

/* The place of a point in the frame; its distance from the axis. */
static double place_of(const OscillatingTorsionPressureForceField *o, const double *x,
                       double *place) {
  double arm[3];
  sofa_vec3_sub(x, o->center.v, arm);
  sofa_mat3_apply(o->frame, arm, place);
  return sqrt(place[1] * place[1] + place[2] * place[2]);
}

/* The share of vertex a of a triangle in the moment: area times distance times the squared
 * distances of points of the third of the triangle next to it. d: distances of the vertices. */
static double share_of(double a, double b, double c, double area) {
  const double ab = (a + b) / 2, ac = (a + c) / 2, near = (a + ab + ac) / 3, mid = (a + b + c) / 3;
  return (a * a + ab * ab + ac * ac + near * near + mid * mid) * a * area / 3;
}

enum { OUTSIDE = -1 }; /* the share of points that the surface does not have */

static void add_triangle(const OscillatingTorsionPressureForceField *o, const uint32_t *v,
                         double *share) {
  const double *rest = load_rest(&o->force_field);
  double d[3], place[3];
  for (int c = 0; c < 3; c++) d[c] = place_of(o, rest + 3 * (size_t)v[c], place);
  const double area = face_area(rest, 3, v, 3);
  for (int c = 0; c < 3; c++) {
    double *to = &share[v[c]];
    if (*to < 0) *to = 0;
    *to += share_of(d[c], d[(c + 1) % 3], d[(c + 2) % 3], area);
  }
}

/* Shares of the moment of all points of the state. */
static SofaErr add_triangles(OscillatingTorsionPressureForceField *o, SofaTopology *topology,
                             double *share) {
  const SofaObject *object = &o->force_field.object;
  const SofaTriangles *triangles = sofa_topology_triangles(topology);
  const size_t n = load_n_points(&o->force_field);
  SofaIndices chosen = {0};
  SofaErr err = SOFA_OK;
  if (o->list.n) o->none = false;
  if (o->list.n || o->none)
    SOFA_GO(err, done, sofa_list_copy(object->ctx, &chosen, &o->list, sizeof *chosen.data));
  else
    SOFA_GO(err, done,
            face_select(&o->force_field, o->unit, o->dmin, o->dmax, FACES(triangles), &chosen));
  for (size_t k = 0; k < chosen.n; k++) {
    const uint32_t t = chosen.data[k];
    SOFA_GO(err, done, sofa_check_element(object, "triangle", t, triangles->data[t].v, 3, n));
    add_triangle(o, triangles->data[t].v, share);
  }
done:
  sofa_list_free(object->ctx, &chosen);
  return err;
}

/* Sets a point at rest; part: what it has of the moment. */
static void set_rest(OscillatingTorsionPressureForceField *o, size_t k, double part) {
  double *row = o->rest.data + k / SOFA_LANES * SOFA_LANES * TORSION_ROWS + k % SOFA_LANES;
  double place[3];
  const double *x = load_rest(&o->force_field) + 3 * (size_t)o->points.data[k];
  row[TORSION_DISTANCE * SOFA_LANES] = place_of(o, x, place);
  row[TORSION_ALONG * SOFA_LANES] = place[0];
  row[TORSION_FIRST * SOFA_LANES] = place[1];
  row[TORSION_SECOND * SOFA_LANES] = place[2];
  row[TORSION_SHARE * SOFA_LANES] = part;
}

/* The points that have a share, and their rest shape. */
static SofaErr take_points(OscillatingTorsionPressureForceField *o, const SofaReals *share) {
  SofaContext *ctx = o->force_field.object.ctx;
  double sum = 0;
  size_t n = 0;
  for (size_t i = 0; i < share->n; i++) {
    if (share->data[i] < 0) continue;
    sum += share->data[i];
    n++;
  }
  const size_t lanes = (n + SOFA_LANES - 1) / SOFA_LANES * SOFA_LANES;
  SOFA_TRY(SOFA_RESIZE(ctx, &o->points, lanes));
  SOFA_TRY(SOFA_RESIZE(ctx, &o->rest, lanes * TORSION_ROWS));
  SOFA_TRY(SOFA_RESIZE(ctx, &o->now, lanes * 3));
  sofa_zero(o->rest.data, o->rest.n * sizeof *o->rest.data);
  for (size_t i = 0; i < share->n; i++) {
    if (share->data[i] < 0) continue;
    o->points.data[o->n_points] = (uint32_t)i;
    set_rest(o, o->n_points++, sum > 0 ? share->data[i] / sum : share->data[i]);
  }
  for (size_t k = n; k < lanes; k++) o->points.data[k] = o->points.data[n - 1];
  return SOFA_OK;
}

static SofaErr make_surface(OscillatingTorsionPressureForceField *o, SofaTopology *topology) {
  SofaContext *ctx = o->force_field.object.ctx;
  SofaReals share = {0};
  SofaErr err = SOFA_RESIZE(ctx, &share, load_n_points(&o->force_field));
  for (size_t i = 0; i < share.n; i++) share.data[i] = OUTSIDE;
  if (err == SOFA_OK) err = add_triangles(o, topology, share.data);
  if (err == SOFA_OK) err = take_points(o, &share);
  sofa_list_free(ctx, &share);
  return err;
}

/* Rows: the unit axis and two directions across it. */
static void set_frame(OscillatingTorsionPressureForceField *o) {
  double beside[3] = {0};
  int least = 0;
  sofa_vec3_copy(o->axis.v, o->unit);
  sofa_vec3_normalize(o->unit);
  for (int k = 1; k < 3; k++)
    if (fabs(o->unit[k]) < fabs(o->unit[least])) least = k;
  beside[least] = 1;
  sofa_mat3_frame(o->unit, beside, o->frame);
}

static SofaErr torsion_init(SofaObject *object) {
  OscillatingTorsionPressureForceField *o = (OscillatingTorsionPressureForceField *)object;
  SofaTopology *topology = sofa_node_topology(object->node);
  o->n_points = 0;
  set_frame(o);
  if (!topology) return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology in context");
  return make_surface(o, topology);
}

static void torsion_destroy(SofaObject *object) {
  OscillatingTorsionPressureForceField *o = (OscillatingTorsionPressureForceField *)object;
  sofa_list_free(object->ctx, &o->points);
  sofa_list_free(object->ctx, &o->rest);
  sofa_list_free(object->ctx, &o->now);
}

/* ---- forces ---- */

/* Springs to the rest surface turned by the mean angle of the points, weighted by their distance;
 * the moment they make is taken off the one asked for, and what is left is shared out. */
static SofaErr torsion_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f) {
  (void)params;
  OscillatingTorsionPressureForceField *o = (OscillatingTorsionPressureForceField *)ff;
  const TorsionKernels *kernels = torsion_kernels(ff->object.ctx);
  TorsionSurface surface = {o->n_points, o->points.data, o->rest.data, {0}, {0}};
  TorsionSums sums;
  sofa_vec3_copy(o->center.v, surface.center);
  sofa_mat3_copy(o->frame, surface.frame);
  kernels->measure(&surface, at->x[0], o->now.data, &sums);
  const double angle = sums.weight > 0 ? sums.turned / sums.weight : 0;
  TorsionPush push = {sin(angle), cos(angle), o->penalty, 0};
  push.moment = o->moment * cos(2 * M_PI * o->frequency * at->time) -
                o->penalty * (push.sine * sums.along - push.cosine * sums.across);
  kernels->push(&surface, &push, o->now.data, f[0]);
  return SOFA_OK;
}

static const SofaApproximation left_out = {
    "the load follows the faces, and there is no tangent of that", true};

static const SofaApproximation *approximation(const SofaForceField *ff) {
  (void)ff;
  return &left_out;
}

static const SofaForceFieldOps ops = {
    .add_force = torsion_add_force, .approximation = approximation, .is_load = true};

/* The axis, and what is turned about it. */
static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const OscillatingTorsionPressureForceField *o =
      (const OscillatingTorsionPressureForceField *)object;
  double reach = 0, a[3], b[3];
  if (!o->show_forces) return;
  if (!sofa_draw_shows_field(args, (const SofaState *const *)o->force_field.state)) return;
  for (int k = 0; k < 3; k++) reach = fmax(reach, args->box->max[k] - args->box->min[k]);
  for (int k = 0; k < 3; k++) {
    a[k] = o->center.v[k] - reach * o->unit[k];
    b[k] = o->center.v[k] + reach * o->unit[k];
  }
  sofa_draw_line(args->list, a, b, 2, SOFA_RGB(0, 1, 0));
  for (size_t i = 0; i < o->n_points; i++) {
    const uint32_t turned = o->points.data[i];
    if (turned >= o->force_field.state[0]->position.n) continue;
    sofa_state_point(o->force_field.state[0], turned, a);
    sofa_draw_point(args->list, a, 6, SOFA_RGB(0, 1, 0));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(OscillatingTorsionPressureForceField, now),
};

SOFA_CLASS(OscillatingTorsionPressureForceField) = {
    SOFA_NAMED(OscillatingTorsionPressureForceField),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ForceField",
    .help =
        "Turns triangles around an axis with the moment M cos(2 pi f t) and holds them in shape "
        "by springs to their rest shape turned as a whole. Solvers see no stiffness.",
    .equations = "F_i = k (y_i - x_i), m = M cos(2 pi nu t) - sum_i r_i e_i.F_i\n"
                 "f_i = F_i + m w_i/r_i e_i\n"
                 "\"y_i: rest shape, turned by the mean angle of the points; r_i: distance from "
                 "the axis, e_i: direction of turning, w_i: share in the moment, M: moment, nu: "
                 "frequency, k: penalty\"",
    .base = &sofa_force_field_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = torsion_init,
    .reinit = torsion_init,
    .destroy = torsion_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &ops}, {SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_reinit},
                    {SOFA_DRAW, &draw_ops}),
};
