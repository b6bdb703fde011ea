/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MinProximityIntersection: pairs of closest points. A pair whose closest points are at the border
 * of an element is left to the elements of the border. */
#include "components/collision/intersection/discrete.h"
#include "components/collision/intersection/sift.h"

typedef struct MinProximityIntersection {
  SofaIntersection method;
  bool use_sphere_triangle, use_point_point, use_line_point, use_line_line, use_surface_normals;
  bool sphere_triangle, point_point, line_point, line_line; /* the same, as they were at init */
} MinProximityIntersection;

typedef MinProximityIntersection SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(use_sphere_triangle, "useSphereTriangle", "1", "",
             "spheres are tested with triangles, lines and points; read at init"),
    SOFA_ROW(use_point_point, "usePointPoint", "1", "",
             "points are tested with points; read at init"),
    SOFA_ROW(use_surface_normals, "useSurfaceNormals", "0", "",
             "contacts of points with triangles have the normal of the triangle, whichever side "
             "the point is on"),
    SOFA_ROW(use_line_point, "useLinePoint", "1", "", "lines are tested with points; read at init"),
    SOFA_ROW(use_line_line, "useLineLine", "1", "", "lines are tested with lines; read at init"),
};

enum { QUIRK_MIRRORED = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_MIRRORED, "mirrored-line-sphere",
     "the place on a line that is closest to a sphere is mirrored at the middle of the line",
     "test_intersection_quirks.lines_and_spheres"},
    QUIRK_MIDDLES_OF_LINES_ROW,
    QUIRK_WITHOUT_AREA_ROW,
    QUIRK_SPHERE_SURFACE_ROW,
    QUIRK_EQUAL_CENTRES_ROW,
    QUIRK_RAY_ENDS_ROW,
};

static SofaErr init(SofaObject *object) {
  MinProximityIntersection *m = (MinProximityIntersection *)object;
  m->sphere_triangle = m->use_sphere_triangle;
  m->point_point = m->use_point_point;
  m->line_point = m->use_line_point;
  m->line_line = m->use_line_line;
  return proximity_init(object);
}

/* ---- points, lines and triangles ---- */

ALWAYS void point_point(Proximity *b, SofaElementPair pair) {
  proximity_emit(b, pair, proximity_first(b, pair, 0), proximity_second(b, pair, 0), 0,
                 proximity_id(b, pair));
}
PROXIMITY_FIND(find_point_point, 1, point_point)

ALWAYS void line_point(Proximity *b, SofaElementPair pair) {
  const double *q = proximity_second(b, pair, 0);
  double p[3];
  proximity_on_line(b, proximity_first(b, pair, 0), proximity_first(b, pair, 1), q, p);
  proximity_emit(b, pair, p, q, 0, pair.second);
}
PROXIMITY_FIND(find_line_point, 1, line_point)

ALWAYS void line_line(Proximity *b, SofaElementPair pair) {
  static const LineBounds bounds = {.parallel = 1e-15, .inside = 1e-6};
  const double *const a[2] = {proximity_first(b, pair, 0), proximity_first(b, pair, 1)};
  const double *const c[2] = {proximity_second(b, pair, 0), proximity_second(b, pair, 1)};
  double p[3], q[3];
  if (proximity_lines(b, a, c, &bounds, p, q))
    proximity_emit(b, pair, p, q, 0, proximity_id(b, pair));
}
PROXIMITY_FIND(find_line_line, 1, line_line)

ALWAYS void triangle_point(Proximity *b, SofaElementPair pair) {
  const MinProximityIntersection *m = (const MinProximityIntersection *)b->method;
  const double *t[3], *q = proximity_second(b, pair, 0);
  double p[3];
  proximity_triangle(b->first, pair.first, t);
  if (!proximity_inside(b, t, q, p)) return;
  SofaDetection *d = proximity_emit(b, pair, p, q, 0, pair.second);
  if (d && m->use_surface_normals) sofa_collision_triangle_normal(b->first, pair.first, d->normal);
}
PROXIMITY_FIND(find_triangle_point, 1, triangle_point)

/* ---- spheres ---- */

ALWAYS void triangle_sphere(Proximity *b, SofaElementPair pair) {
  const double radius = sofa_collision_radius(b->second, pair.second);
  const double *t[3], *q = proximity_second(b, pair, 0);
  double p[3];
  proximity_triangle(b->first, pair.first, t);
  if (!proximity_inside(b, t, q, p)) return;
  proximity_to_surface(b, proximity_emit(b, pair, p, q, radius, pair.second), 1, radius);
}
PROXIMITY_FIND(find_triangle_sphere, 1, triangle_sphere)

/* The place is measured from the second corner; with the quirk that share is laid off from the
 * first one. */
ALWAYS void line_sphere(Proximity *b, SofaElementPair pair) {
  const double radius = sofa_collision_radius(b->second, pair.second), edge = 1e-6;
  const double *p1 = proximity_first(b, pair, 0), *p2 = proximity_first(b, pair, 1);
  const double *q = proximity_second(b, pair, 0);
  const double alpha = proximity_along(b, p2, p1, q);
  const bool mirrored = sofa_quirk(&b->method->object, QUIRK_MIRRORED);
  double p[3];
  if (!(alpha >= edge && alpha <= 1 - edge)) return;
  proximity_between(mirrored ? p1 : p2, mirrored ? p2 : p1, alpha, p);
  proximity_to_surface(b, proximity_emit(b, pair, p, q, radius, pair.second), 1, radius);
}
PROXIMITY_FIND(find_line_sphere, 1, line_sphere)

ALWAYS void sphere_point(Proximity *b, SofaElementPair pair) {
  const double radius = sofa_collision_radius(b->first, pair.first);
  SofaDetection *d = proximity_emit(b, pair, proximity_first(b, pair, 0),
                                    proximity_second(b, pair, 0), radius, proximity_id(b, pair));
  proximity_to_surface(b, d, 0, radius);
}
PROXIMITY_FIND(find_sphere_point, 1, sphere_point)

PROXIMITY_FIND(find_spheres, 1, spheres_test)

/* ---- class ---- */

static bool ignores(const SofaIntersection *method, const SofaIntersectionRule *rule) {
  const MinProximityIntersection *m = (const MinProximityIntersection *)method;
  if (rule->find == find_point_point) return !m->point_point;
  if (rule->find == find_line_point) return !m->line_point;
  if (rule->find == find_line_line) return !m->line_line;
  return !m->sphere_triangle && (rule->find == find_triangle_sphere ||
                                 rule->find == find_line_sphere || rule->find == find_sphere_point);
}

static const SofaIntersectionRule rules[] = {
    {&sofa_collision_sphere, &sofa_collision_sphere, find_spheres},
    {&sofa_collision_rigid_sphere, &sofa_collision_rigid_sphere, find_spheres},
    {&sofa_collision_sphere, &sofa_collision_rigid_sphere, find_spheres},
    {&sofa_collision_point, &sofa_collision_point, find_point_point},
    {&sofa_collision_line, &sofa_collision_point, find_line_point},
    {&sofa_collision_line, &sofa_collision_line, find_line_line},
    {&sofa_collision_triangle, &sofa_collision_point, find_triangle_point},
    {&sofa_collision_sphere, &sofa_collision_point, find_sphere_point},
    {&sofa_collision_rigid_sphere, &sofa_collision_point, find_sphere_point},
    {&sofa_collision_triangle, &sofa_collision_sphere, find_triangle_sphere},
    {&sofa_collision_triangle, &sofa_collision_rigid_sphere, find_triangle_sphere},
    {&sofa_collision_line, &sofa_collision_sphere, find_line_sphere},
    {&sofa_collision_line, &sofa_collision_rigid_sphere, find_line_sphere},
    {&sofa_collision_triangle, &sofa_collision_line, NULL},
    {&sofa_collision_triangle, &sofa_collision_triangle, NULL},
    {NULL, NULL, NULL}};

static SofaSiftPairs sift(const SofaIntersection *method, const SofaIntersectionRule *rule) {
  (void)method;
  if (rule->find == find_triangle_point || rule->find == find_triangle_sphere)
    return sift_triangles_points;
  return rule->find == find_line_line ? sift_lines_lines : NULL;
}

static const SofaIntersectionOps ops = {
    .rules = rules, .base = &discrete_intersection_ops, .ignores = ignores, .sift = sift};

SOFA_CLASS(MinProximityIntersection) = {
    SOFA_NAMED(MinProximityIntersection),
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .category = "CollisionAlgorithm",
    .help = "Detects the closest points of elements that are closer than alarmDistance: points, "
            "lines, spheres, and triangles with points and spheres. Triangles meet triangles and "
            "lines by their points and edges: a body needs models of all three kinds.",
    .base = &sofa_proximity_class,
    SOFA_FIELDS(fields),
    SOFA_QUIRKS(quirks),
    .init = init,
    SOFA_IMPLEMENTS({SOFA_INTERSECTION, &ops}),
};
