/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OscillatingTorsionPressureForceField: turns a surface rigidly around an axis with an oscillating
 * moment. */
#include <math.h>

#include "behavior/draw_state.h"
#include "components/mechanicalload/faces.h"
#include "math/quaternion.h"
#include "object/checkpoint.h"

/* A point of the turned surface. */
typedef struct TurnedPoint {
  uint32_t index;
  double foot[3], arm[3];  /* at rest: foot on the axis, and from there to the point */
  double share;            /* of the moment; all sum up to 1 */
  double now[3], distance; /* arm and its length at the last add_force */
  double direction[3];     /* the point moves there when the surface turns */
} TurnedPoint;
SOFA_LIST(TurnedPoint, TurnedPoints);

typedef struct OscillatingTorsionPressureForceField {
  SofaForceField force_field;
  SofaReals map; /* not used */
  double moment, penalty, frequency, dmin, dmax;
  SofaIndices list;
  SofaVec3 axis, center;
  bool show_forces;
  double unit[3]; /* axis, normalised */
  TurnedPoints points;
  bool none; /* all of triangleList were removed */
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

/* arm = x - foot, foot on the axis (may be NULL); returns the length of arm. */
static double from_axis(const OscillatingTorsionPressureForceField *o, const double *x,
                        double *foot, double *arm) {
  sofa_vec3_sub(x, o->center.v, arm);
  sofa_vec3_axpy(-sofa_vec3_dot(arm, o->unit), o->unit, arm);
  if (foot) sofa_vec3_sub(x, arm, foot);
  return sofa_vec3_norm(arm);
}

static SofaErr point_of(OscillatingTorsionPressureForceField *o, uint32_t index, size_t *rank) {
  SofaContext *ctx = o->force_field.object.ctx;
  for (*rank = 0; *rank < o->points.n; ++*rank)
    if (o->points.data[*rank].index == index) return SOFA_OK;
  TurnedPoint point = {.index = index};
  from_axis(o, load_rest(&o->force_field) + 3 * (size_t)index, point.foot, point.arm);
  return SOFA_APPEND(ctx, &o->points, &point);
}

/* The share of vertex a of a triangle in the moment: area times distance times the squared
 * distances of points of the third of the triangle next to it. d: distances of the vertices. */
static double share_of(double a, double b, double c, double area) {
  const double ab = (a + b) / 2, ac = (a + c) / 2, near = (a + ab + ac) / 3, mid = (a + b + c) / 3;
  return (a * a + ab * ab + ac * ac + near * near + mid * mid) * a * area / 3;
}

static SofaErr add_triangle(OscillatingTorsionPressureForceField *o, const uint32_t *v) {
  const double *rest = load_rest(&o->force_field);
  double d[3];
  size_t rank[3];
  for (int c = 0; c < 3; c++) {
    SOFA_TRY(point_of(o, v[c], &rank[c]));
    d[c] = sofa_vec3_norm(o->points.data[rank[c]].arm);
  }
  const double area = face_area(rest, 3, v, 3);
  for (int c = 0; c < 3; c++)
    o->points.data[rank[c]].share += share_of(d[c], d[(c + 1) % 3], d[(c + 2) % 3], area);
  return SOFA_OK;
}

static SofaErr make_surface(OscillatingTorsionPressureForceField *o, SofaTopology *topology) {
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
    SOFA_GO(err, done, add_triangle(o, triangles->data[t].v));
  }
done:
  sofa_list_free(object->ctx, &chosen);
  return err;
}

static SofaErr torsion_init(SofaObject *object) {
  OscillatingTorsionPressureForceField *o = (OscillatingTorsionPressureForceField *)object;
  SofaTopology *topology = sofa_node_topology(object->node);
  double sum = 0;
  o->points.n = 0;
  sofa_vec3_copy(o->axis.v, o->unit);
  sofa_vec3_normalize(o->unit);
  if (!topology) return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "no topology in context");
  const SofaErr err = make_surface(o, topology);
  for (size_t k = 0; k < o->points.n; k++) sum += o->points.data[k].share;
  for (size_t k = 0; k < o->points.n && sum > 0; k++) o->points.data[k].share /= sum;
  if (err != SOFA_OK) o->points.n = 0;
  return err;
}

static void torsion_destroy(SofaObject *object) {
  sofa_list_free(object->ctx, &((OscillatingTorsionPressureForceField *)object)->points);
}

/* ---- forces ---- */

static bool off_axis(const TurnedPoint *p) {
  return p->distance > 1e-10 && sofa_vec3_norm(p->arm) > 1e-10;
}

/* Angle about the axis from the arm at rest to the current one. */
static double turned(const OscillatingTorsionPressureForceField *o, const TurnedPoint *p) {
  double cross[3];
  sofa_vec3_cross(p->arm, p->now, cross);
  return atan2(sofa_vec3_dot(o->unit, cross), sofa_vec3_dot(p->arm, p->now));
}

/* Mean angle of the points, weighted by their distance; sets what the points are now. */
static double mean_angle(OscillatingTorsionPressureForceField *o, const double *x) {
  double sum = 0, weight = 0;
  for (size_t k = 0; k < o->points.n; k++) {
    TurnedPoint *p = &o->points.data[k];
    p->distance = from_axis(o, x + 3 * (size_t)p->index, NULL, p->now);
    sofa_vec3_cross(o->unit, p->now, p->direction);
    sofa_vec3_normalize(p->direction);
    if (!off_axis(p)) continue;
    sum += p->distance * turned(o, p);
    weight += p->distance;
  }
  return weight > 0 ? sum / weight : 0;
}

/* Springs to the rest surface turned as a whole; the moment they make is taken off the one asked
 * for, and what is left is shared out. */
static SofaErr torsion_add_force(SofaForceField *ff, const SofaMechParams *params,
                                 const SofaPoint *at, double *const *f) {
  (void)params;
  OscillatingTorsionPressureForceField *o = (OscillatingTorsionPressureForceField *)ff;
  const double *x = at->x[0], angle = mean_angle(o, x);
  double rotation[4], rest = o->moment * cos(2 * M_PI * o->frequency * at->time);
  sofa_quat_from_axis_angle(o->unit, angle, rotation);
  for (size_t k = 0; k < o->points.n; k++) {
    const TurnedPoint *p = &o->points.data[k];
    double force[3];
    sofa_quat_rotate(rotation, p->arm, force);
    sofa_vec3_add(force, p->foot, force);
    sofa_vec3_sub(force, x + 3 * (size_t)p->index, force);
    sofa_vec3_scale(o->penalty, force, force);
    sofa_vec3_axpy(1, force, f[0] + 3 * (size_t)p->index);
    if (off_axis(p)) rest -= sofa_vec3_dot(force, p->direction) * p->distance;
  }
  for (size_t k = 0; k < o->points.n; k++) {
    const TurnedPoint *p = &o->points.data[k];
    if (off_axis(p))
      sofa_vec3_axpy(rest * p->share / p->distance, p->direction, f[0] + 3 * (size_t)p->index);
  }
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
  for (size_t i = 0; i < o->points.n; i++) {
    const TurnedPoint *turned = &o->points.data[i];
    if (turned->index >= o->force_field.state[0]->position.n) continue;
    sofa_state_point(o->force_field.state[0], turned->index, a);
    sofa_draw_point(args->list, a, 6, SOFA_RGB(0, 1, 0));
  }
}

static const SofaDrawOps draw_ops = {.draw = draw};

static const char *const templates[] = {"Vec3d", NULL};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(OscillatingTorsionPressureForceField, points),
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
