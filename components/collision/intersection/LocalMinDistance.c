/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* LocalMinDistance: local minima of the distance. Pairs whose closest points are at the border of
 * an element are left to the elements of the border, and directions into a body do not count. */
#include "base/team.h"
#include "components/collision/intersection/discrete.h"
#include "components/collision/intersection/local_filter.h"
#include "components/collision/intersection/sift.h"

typedef struct LocalMinDistance {
  SofaIntersection method;
  bool filter_intersection, use_lmd_filters;
  double angle_cone, cone_factor;
} LocalMinDistance;

typedef LocalMinDistance SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(filter_intersection, "filterIntersection", "1", "",
             "contacts count only in the directions that the surface around an element leaves "
             "free"),
    SOFA_ROW(angle_cone, "angleCone", "0", "1",
             "by how much the free directions of points and lines are widened: sine of the angle",
             .range = SOFA_FINITE),
    SOFA_ROW(cone_factor, "coneFactor", "0.5", "1",
             "by how much they are widened at convex edges and corners", .range = SOFA_FINITE),
    SOFA_ROW(use_lmd_filters, "useLMDFilters", "0", "",
             "on: no contact is filtered (the filter objects of SOFA do not exist)"),
};

static const SofaQuirk quirks[] = {
    QUIRK_MIDDLES_OF_LINES_ROW, QUIRK_WITHOUT_AREA_ROW,  QUIRK_WITHOUT_DISTANCE_ROW,
    QUIRK_SPHERE_SURFACE_ROW,   QUIRK_EQUAL_CENTRES_ROW, QUIRK_RAY_ENDS_ROW,
};

/* ---- filters ---- */

/* A batch, and the filters of both models. */
typedef struct LocalBatch {
  Proximity proximity;
  LocalFilter first, second;
  bool filters;
} LocalBatch;

static void begin(LocalBatch *l, const SofaIntersection *method, const SofaCollisionModel *first,
                  const SofaCollisionModel *second, SofaDetections *out) {
  const LocalMinDistance *m = (const LocalMinDistance *)method;
  const LocalFilterRule rule = {m->angle_cone, m->cone_factor};
  proximity_begin(&l->proximity, method, first, second, out);
  l->filters = m->filter_intersection && !m->use_lmd_filters;
  if (!l->filters) return;
  sofa_team_lock(method->object.ctx);
  local_filter_begin(&l->first, first, rule);
  local_filter_begin(&l->second, second, rule);
  sofa_team_unlock(method->object.ctx);
}

/* A detection that one of its elements does not accept is taken out again. */
ALWAYS SofaDetection *filtered(LocalBatch *l, SofaDetection *d) {
  double v[3], back[3];
  if (!d || !l->filters) return d;
  sofa_vec3_sub(d->point[1], d->point[0], v);
  sofa_vec3_scale(-1, v, back);
  if (local_filter_accepts(&l->first, d->element[0], v) &&
      local_filter_accepts(&l->second, d->element[1], back))
    return d;
  l->proximity.out->n--;
  return NULL;
}

#define LOCAL_FIND(name, test)                                                                     \
  static SofaErr name(const SofaIntersection *method, const SofaCollisionModel *first,             \
                      const SofaCollisionModel *second, const SofaElementPair *pairs, size_t n,    \
                      SofaDetections *out) {                                                       \
    LocalBatch l;                                                                                  \
    begin(&l, method, first, second, out);                                                         \
    return proximity_loop(&l.proximity, pairs, n, 1, (test));                                      \
  }

/* ---- points and spheres ---- */

/* Points are spheres without a radius. Of two equals the id is that of the larger model. */
ALWAYS void point_point(Proximity *b, SofaElementPair pair) {
  const double radii =
      sofa_collision_radius(b->first, pair.first) + sofa_collision_radius(b->second, pair.second);
  filtered((LocalBatch *)b,
           proximity_emit(b, pair, proximity_first(b, pair, 0), proximity_second(b, pair, 0), radii,
                          proximity_id(b, pair)));
}
LOCAL_FIND(find_points, point_point)

/* ---- lines ---- */

/* Between the ends only; nothing on a line that is short compared with the distance. */
ALWAYS void line_point(Proximity *b, SofaElementPair pair) {
  const double *from = proximity_first(b, pair, 0), *to = proximity_first(b, pair, 1);
  const double *q = proximity_second(b, pair, 0), edge = 1e-6;
  double p[3];
  if (sofa_vec3_distance(to, from) < 1e-12 * sofa_vec3_distance(q, from)) return;
  const double t = proximity_along(b, from, to, q);
  if (t < edge || t > 1 - edge) return;
  proximity_between(from, to, t, p);
  filtered(
      (LocalBatch *)b,
      proximity_emit(b, pair, p, q, sofa_collision_radius(b->second, pair.second), pair.second));
}
LOCAL_FIND(find_line_point, line_point)

ALWAYS void line_line(Proximity *b, SofaElementPair pair) {
  static const LineBounds bounds = {.parallel = 1e-30, .inside = 1e-15};
  const double *const a[2] = {proximity_first(b, pair, 0), proximity_first(b, pair, 1)};
  const double *const c[2] = {proximity_second(b, pair, 0), proximity_second(b, pair, 1)};
  double p[3], q[3];
  if (proximity_lines(b, a, c, &bounds, p, q))
    filtered((LocalBatch *)b, proximity_emit(b, pair, p, q, 0, proximity_id(b, pair)));
}
LOCAL_FIND(find_line_line, line_line)

/* ---- triangles ---- */

ALWAYS void triangle_point(Proximity *b, SofaElementPair pair) {
  const double *t[3], *q = proximity_second(b, pair, 0);
  double p[3];
  proximity_triangle(b->first, pair.first, t);
  if (!proximity_inside(b, t, q, p)) return;
  filtered(
      (LocalBatch *)b,
      proximity_emit(b, pair, p, q, sofa_collision_radius(b->second, pair.second), pair.second));
}
LOCAL_FIND(find_triangle_point, triangle_point)

/* ---- rays ---- */

PROXIMITY_FIND(find_ray_triangle, 1, ray_near_triangle_test)

static void ray_surface(Proximity *b, SofaElementPair pair) {
  SofaDetection *d = ray_sphere(b, pair);
  if (d) sofa_vec3_axpy(-sofa_collision_radius(b->second, pair.second), d->normal, d->point[1]);
}
PROXIMITY_FIND(find_ray_sphere, 1, ray_surface)

/* ---- class ---- */

static const SofaIntersectionRule rules[] = {
    {&sofa_collision_sphere, &sofa_collision_sphere, find_points},
    {&sofa_collision_sphere, &sofa_collision_point, find_points},
    {&sofa_collision_point, &sofa_collision_point, find_points},
    {&sofa_collision_line, &sofa_collision_line, find_line_line},
    {&sofa_collision_line, &sofa_collision_point, find_line_point},
    {&sofa_collision_line, &sofa_collision_sphere, find_line_point},
    {&sofa_collision_triangle, &sofa_collision_point, find_triangle_point},
    {&sofa_collision_triangle, &sofa_collision_sphere, find_triangle_point},
    {&sofa_collision_ray, &sofa_collision_triangle, find_ray_triangle},
    {&sofa_collision_ray, &sofa_collision_sphere, find_ray_sphere},
    {&sofa_collision_triangle, &sofa_collision_line, NULL},
    {&sofa_collision_triangle, &sofa_collision_triangle, NULL},
    {NULL, NULL, NULL}};

static SofaSiftPairs sift(const SofaIntersection *method, const SofaIntersectionRule *rule) {
  (void)method;
  if (rule->find == find_triangle_point) return sift_triangles_points;
  return rule->find == find_line_line ? sift_lines_lines : NULL;
}

static const SofaIntersectionOps ops = {
    .rules = rules, .base = &discrete_intersection_ops, .sift = sift};

SOFA_CLASS(LocalMinDistance) = {
    SOFA_NAMED(LocalMinDistance),
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .category = "CollisionAlgorithm",
    .help = "Detects local minima of the distance below alarmDistance: points, lines, spheres, and "
            "triangles with points and spheres, on the outer side of surfaces. Triangles meet "
            "triangles and lines by their points and edges: a body needs models of all three "
            "kinds.",
    .base = &sofa_proximity_class,
    SOFA_FIELDS(fields),
    SOFA_QUIRKS(quirks),
    .init = proximity_init,
    SOFA_IMPLEMENTS({SOFA_INTERSECTION, &ops}),
};
