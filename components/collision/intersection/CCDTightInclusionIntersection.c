/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CCDTightInclusionIntersection: points and triangles, lines and lines, that come closer than the
 * alarm distance during the step, however fast they are.
 *
 * The places of a detection are those of the closest points at the first such time, on the elements
 * as they are now. The normal is the direction between them at that time, and the value is measured
 * along it. */
#include "components/collision/intersection/discrete.h"
#include "numerics/contact/ccd.h"
#include "object/checkpoint.h"

typedef struct CCDTightInclusionIntersection {
  SofaIntersection method;
  SofaOption type;
  double tolerance;
  uint32_t max_iterations;
  double dt; /* s, of the step in which motion is looked at */
} CCDTightInclusionIntersection;

typedef CCDTightInclusionIntersection SofaSelf; /* of SOFA_ROW */

enum { AT_REST, INERTIA, FREE_MOTION };
static const char *const types[] = {"None", "Inertia", "FreeMotion", NULL};

static const SofaField fields[] = {
    SOFA_ROW(type, "continuousCollisionType", "None", "",
             "where the elements are at the end of the step: where they are now, there with their "
             "velocity, or at their free positions",
             .options = types),
    SOFA_ROW(tolerance, "tolerance", "1e-10", "m", "accuracy of the distance at a collision",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(max_iterations, "maxIterations", "1000", "1",
             "boxes of parameters that may be halved for a pair; a pair that needs more counts as "
             "a collision",
             .range = SOFA_AT_LEAST(1)),
};

enum { QUIRK_NO_CCD = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_NO_CCD, "no-continuous-detection", "the method finds nothing, as if it was not there",
     "test_intersection_ccd.quirk_finds_nothing"},
};

/* ---- motion ---- */

static bool is_continuous(const CCDTightInclusionIntersection *m, const SofaState *state) {
  if (m->type.index == INERTIA) return state->velocity.n == state->position.n;
  return m->type.index == FREE_MOTION && state->free_position.n == state->position.n;
}

/* Place of point i at the end of the step. */
static void end_of(const CCDTightInclusionIntersection *m, const SofaState *state, size_t i,
                   double *out) {
  const double *x = state->position.data + i * state->position.width;
  if (m->type.index == FREE_MOTION)
    sofa_vec3_copy(state->free_position.data + i * state->free_position.width, out);
  else {
    sofa_vec3_copy(x, out);
    sofa_vec3_axpy(m->dt, state->velocity.data + i * state->velocity.width, out);
  }
}

static bool end(SofaIntersection *method, const SofaState *state, double dt, double *x_end) {
  CCDTightInclusionIntersection *m = (CCDTightInclusionIntersection *)method;
  const size_t width = state->position.width;
  m->dt = dt;
  if (!is_continuous(m, state) || sofa_quirk(&method->object, QUIRK_NO_CCD)) return false;
  sofa_copy(x_end, state->position.data, state->position.n * width * sizeof *x_end);
  for (size_t i = 0; i < state->position.n; i++) end_of(m, state, i, x_end + i * width);
  return true;
}

/* ---- a pair of elements ---- */

typedef struct CcdBatch {
  Proximity proximity;
  const CCDTightInclusionIntersection *method;
  SofaCcdKind kind;
  SofaCcdWork work;
} CcdBatch;

/* The 4 corners of a pair, in the order of SofaCcdKind: of a point and a triangle the point is
 * first. */
typedef struct Motion {
  const double *start[4];
  double end[4][3];
  bool moves;
} Motion;

static void add_corners(const CcdBatch *c, const SofaCollisionModel *model, uint32_t i, unsigned at,
                        Motion *out) {
  const unsigned n = model->kind->corners;
  const bool moves = is_continuous(c->method, model->state);
  for (unsigned k = 0; k < n; k++) {
    const size_t p = model->corners ? model->corners[i * n + k] : i;
    out->start[at + k] = sofa_collision_corner(model, i, k);
    if (moves) end_of(c->method, model->state, p, out->end[at + k]);
    else sofa_vec3_copy(out->start[at + k], out->end[at + k]);
  }
  out->moves = out->moves || moves;
}

static void closest(SofaCcdKind kind, const double *const x[4], SofaClosest *out) {
  if (kind == SOFA_CCD_POINT_TRIANGLE) sofa_closest_point_triangle(x[0], x + 1, out);
  else sofa_closest_segments(x, x + 2, out);
}

/* Weighted corners of both elements, and q - p. */
static void places(SofaCcdKind kind, const double *const x[4], const double w[4], double p[3],
                   double q[3], double r[3]) {
  const unsigned first = kind == SOFA_CCD_POINT_TRIANGLE ? 1 : 2;
  for (int d = 0; d < 3; d++) {
    p[d] = q[d] = 0;
    for (unsigned k = 0; k < 4; k++) *(k < first ? &p[d] : &q[d]) += w[k] * x[k][d];
    r[d] = q[d] - p[d];
  }
}

/* Direction of r. Where the elements touch, the normal of the triangle or of both lines, against
 * the motion `change` of r. */
static void direction(SofaCcdKind kind, const double *const x[4], const double r[3],
                      const double change[3], double normal[3]) {
  const int point = kind == SOFA_CCD_POINT_TRIANGLE;
  double a[3], b[3];
  sofa_vec3_copy(r, normal);
  if (sofa_vec3_normalize(normal) > 1e-6 * sofa_vec3_norm(change)) return;
  sofa_vec3_sub(x[point ? 2 : 1], x[point ? 1 : 0], a);
  sofa_vec3_sub(x[3], x[point ? 1 : 2], b);
  sofa_vec3_cross(a, b, normal);
  if (!(sofa_vec3_normalize(normal) > 0)) sofa_vec3_copy(change, normal);
  if (!(sofa_vec3_normalize(normal) > 0)) sofa_vec3_set(normal, 1, 0, 0);
  if (sofa_vec3_dot(normal, change) > 0) sofa_vec3_scale(-1, normal, normal);
}

/* The closest points at the time t, 0 to 1, of the step. */
static void closest_at(const CcdBatch *c, const Motion *m, double t, double x[4][3],
                       SofaClosest *out) {
  for (int k = 0; k < 4; k++) proximity_between(m->start[k], m->end[k], t, x[k]);
  closest(c->kind, (const double *const[]){x[0], x[1], x[2], x[3]}, out);
}

/* Appends the detection of the closest points at the time t. */
static void collide(CcdBatch *c, SofaElementPair pair, const Motion *m, double t, int64_t id) {
  const bool swaps = c->kind == SOFA_CCD_POINT_TRIANGLE; /* the triangle is the first element */
  double x[4][3], p[3], q[3], r[3], change[3];
  SofaClosest at;
  closest_at(c, m, t, x, &at);
  places(c->kind, (const double *const[]){m->end[0], m->end[1], m->end[2], m->end[3]}, at.w, p, q,
         change);
  places(c->kind, m->start, at.w, p, q, r);
  sofa_vec3_sub(change, r, change);
  SofaDetection *d = proximity_append(&c->proximity, pair, id);
  direction(c->kind, (const double *const[]){x[0], x[1], x[2], x[3]}, at.r, change, d->normal);
  d->value = sofa_vec3_dot(d->normal, r) - c->proximity.contact;
  sofa_vec3_copy(swaps ? q : p, d->point[0]);
  sofa_vec3_copy(swaps ? p : q, d->point[1]);
  if (swaps) sofa_vec3_scale(-1, d->normal, d->normal);
}

/* A later time up to which the elements are not closer than the alarm distance: a time before the
 * first collision is moved by what the distance allows at the largest speed. */
static double advance(const CcdBatch *c, const Motion *m, double t) {
  double speed[2] = {0, 0}, x[4][3];
  for (int k = 0; k < 4; k++) {
    const int side = k >= (c->kind == SOFA_CCD_POINT_TRIANGLE ? 1 : 2);
    speed[side] = fmax(speed[side], sofa_vec3_distance(m->end[k], m->start[k]));
  }
  for (int i = 0; i < 32 && t < 1; i++) {
    SofaClosest at;
    closest_at(c, m, t, x, &at);
    const double room = sqrt(at.d2) - c->proximity.alarm;
    if (!(room > c->method->tolerance)) break;
    t = fmin(t + room / (speed[0] + speed[1]), 1);
  }
  return t;
}

/* Closer than the alarm distance now, or at some time of the step. */
static void look(CcdBatch *c, SofaElementPair pair, const Motion *m, int64_t id) {
  const double alarm = c->proximity.alarm;
  SofaCcdQuery query = {.kind = c->kind};
  SofaClosest now;
  closest(c->kind, m->start, &now);
  if (now.d2 < alarm * alarm) collide(c, pair, m, 0, id);
  if (now.d2 < alarm * alarm || !m->moves) return;
  for (int k = 0; k < 4; k++) {
    query.start[k] = m->start[k];
    query.end[k] = m->end[k];
  }
  const SofaCcdOptions options = {.separation = alarm,
                                  .tolerance = c->method->tolerance,
                                  .until = 1,
                                  .max_boxes = c->method->max_iterations};
  const SofaCcdResult result = sofa_ccd(&query, &options, &c->work);
  if (result.hit) collide(c, pair, m, advance(c, m, result.time), id);
}

static void line_line(Proximity *b, SofaElementPair pair) {
  CcdBatch *c = (CcdBatch *)b;
  Motion m = {.moves = false};
  add_corners(c, b->first, pair.first, 0, &m);
  add_corners(c, b->second, pair.second, 2, &m);
  look(c, pair, &m, proximity_id(b, pair));
}

static void triangle_point(Proximity *b, SofaElementPair pair) {
  CcdBatch *c = (CcdBatch *)b;
  Motion m = {.moves = false};
  add_corners(c, b->second, pair.second, 0, &m);
  add_corners(c, b->first, pair.first, 1, &m);
  look(c, pair, &m, pair.second);
}

#define CCD_FIND(name, of_kind, test)                                                              \
  static SofaErr name(const SofaIntersection *method, const SofaCollisionModel *first,             \
                      const SofaCollisionModel *second, const SofaElementPair *pairs, size_t n,    \
                      SofaDetections *out) {                                                       \
    CcdBatch c;                                                                                    \
    c.method = (const CCDTightInclusionIntersection *)method;                                      \
    c.kind = (of_kind);                                                                            \
    proximity_begin(&c.proximity, method, first, second, out);                                     \
    return proximity_loop(&c.proximity, pairs, n, 1, (test));                                      \
  }
CCD_FIND(find_line_line, SOFA_CCD_EDGE_EDGE, line_line)
CCD_FIND(find_triangle_point, SOFA_CCD_POINT_TRIANGLE, triangle_point)

/* ---- class ---- */

static bool ignores(const SofaIntersection *method, const SofaIntersectionRule *rule) {
  (void)rule;
  return sofa_quirk(&method->object, QUIRK_NO_CCD);
}

/* All other pairs of triangles, lines, points, spheres of points, and rays are ignored. */
static const SofaIntersectionRule rules[] = {
    {&sofa_collision_line, &sofa_collision_line, find_line_line},
    {&sofa_collision_triangle, &sofa_collision_point, find_triangle_point},
    {&sofa_collision_triangle, &sofa_collision_triangle, NULL},
    {&sofa_collision_triangle, &sofa_collision_line, NULL},
    {&sofa_collision_triangle, &sofa_collision_sphere, NULL},
    {&sofa_collision_line, &sofa_collision_sphere, NULL},
    {&sofa_collision_line, &sofa_collision_point, NULL},
    {&sofa_collision_sphere, &sofa_collision_sphere, NULL},
    {&sofa_collision_sphere, &sofa_collision_point, NULL},
    {&sofa_collision_point, &sofa_collision_point, NULL},
    {&sofa_collision_ray, &sofa_collision_triangle, NULL},
    {&sofa_collision_ray, &sofa_collision_sphere, NULL},
    {&sofa_collision_ray, &sofa_collision_point, NULL},
    {&sofa_collision_ray, &sofa_collision_line, NULL},
    {NULL, NULL, NULL}};

static const SofaIntersectionOps ops = {
    .rules = rules, .base = &discrete_intersection_ops, .ignores = ignores, .end = end};

static const SofaSparedMember spared[] = {
    SOFA_REMADE(CCDTightInclusionIntersection, dt),
};

SOFA_CLASS(CCDTightInclusionIntersection) = {
    SOFA_NAMED(CCDTightInclusionIntersection),
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .category = "CollisionAlgorithm",
    .help = "Detects points and triangles, and lines and lines, that come closer than "
            "alarmDistance at any time of the step, without a false negative. A body needs models "
            "of all three kinds.",
    .base = &sofa_proximity_class,
    SOFA_SPARES(spared),
    SOFA_FIELDS(fields),
    SOFA_QUIRKS(quirks),
    SOFA_IMPLEMENTS({SOFA_INTERSECTION, &ops}),
};
