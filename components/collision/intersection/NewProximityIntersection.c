/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NewProximityIntersection: pairs of closest points, those at the borders of triangles included. Of
 * the triangles around a corner or an edge one owns it and alone has its contacts. */
#include "components/collision/intersection/discrete.h"
#include "components/collision/intersection/sift.h"

typedef struct NewProximityIntersection {
  SofaIntersection method;
  bool use_line_line;
} NewProximityIntersection;

typedef NewProximityIntersection SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(use_line_line, "useLineLine", "0", "",
             "edges of triangles are tested with edges of triangles and with lines"),
};

enum {
  QUIRK_FIRST_CORNER = 1,
  QUIRK_SPHERE_EDGES = 2,
  QUIRK_COMMON_CORNERS = 4,
};
static const SofaQuirk quirks[] = {
    {QUIRK_FIRST_CORNER, "first-corner-unowned",
     "the first corner of a triangle has a contact of each of its triangles",
     "test_intersection_quirks.first_corner"},
    {QUIRK_SPHERE_EDGES, "triangle-sphere-edges",
     "a sphere meets the edge of a triangle when the triangle owns another edge",
     "test_intersection_quirks.triangles_and_spheres"},
    {QUIRK_COMMON_CORNERS, "triangle-line-corners",
     "a triangle meets the lines that end at its corners",
     "test_intersection_quirks.triangles_and_lines"},
    QUIRK_MIDDLES_OF_LINES_ROW,
    QUIRK_WITHOUT_AREA_ROW,
    QUIRK_WITHOUT_DISTANCE_ROW,
    QUIRK_SPHERE_SURFACE_ROW,
    QUIRK_EQUAL_CENTRES_ROW,
    QUIRK_RAY_ENDS_ROW,
};

/* edges of a triangle by their ends, in the order of the tests; and the corner opposite */
static const unsigned char edges[3][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};

/* ---- pieces: a line or a triangle with a point, two lines ---- */

/* A test that finds places on one element and on another: they belong to the first and the second
 * model, or the other way round. */
typedef struct Piece {
  SofaElementPair pair;
  int64_t id;
  bool swapped;
} Piece;

ALWAYS void emit(Proximity *b, const Piece *piece, const double *p, const double *q) {
  proximity_emit(b, piece->pair, piece->swapped ? q : p, piece->swapped ? p : q, 0, piece->id);
}

/* The point of the line that is closest to q; at the second end up to rounding. */
ALWAYS void nearest_on_line(const Proximity *b, const double *from, const double *to,
                            const double *q, double *p) {
  const double t = proximity_along(b, from, to, q);
  proximity_between(from, to, t < 0 ? 0 : t > 1 ? 1 : t, p);
}

ALWAYS void on_line(Proximity *b, const Piece *piece, const double *from, const double *to,
                    const double *q) {
  double p[3];
  nearest_on_line(b, from, to, q, p);
  emit(b, piece, p, q);
}

static void on_lines(Proximity *b, const Piece *piece, const double *const a[2],
                     const double *const c[2]) {
  static const LineBounds bounds = {.parallel = 1e-12, .inside = 1e-6};
  double p[3], q[3];
  if (proximity_lines(b, a, c, &bounds, p, q)) emit(b, piece, p, q);
}

/* ---- a triangle and a point ---- */

typedef struct TriangleRule {
  double inside;    /* distance from the edges, as a share of their lengths */
  double first;     /* the same at the first corner, along the second edge */
  double before;    /* the first edge counts from this share on; -INFINITY: anywhere */
  unsigned edge[3]; /* bits of the edges 01, 02 and 12 */
} TriangleRule;

#define EPSILON 2.220446049250313e-16
static const TriangleRule of_points = {
    EPSILON, EPSILON, EPSILON, {SOFA_OWNS_EDGE(2), SOFA_OWNS_EDGE(1), SOFA_OWNS_EDGE(0)}};
static const TriangleRule of_spheres = {
    1e-6, 1e-6, 1e-6, {SOFA_OWNS_EDGE(2), SOFA_OWNS_EDGE(1), SOFA_OWNS_EDGE(0)}};
static const TriangleRule of_spheres_quirk = {
    1e-6, 1e-7, -INFINITY, {SOFA_OWNS_EDGE(2), SOFA_OWNS_EDGE(2), SOFA_OWNS_EDGE(1)}};

/* Moves a projection outside of the triangle to its border. Returns the bit of the corner or edge
 * there. */
ALWAYS unsigned to_border(const TriangleRule *rule, const Basis *t, Projection *r) {
  const double e = rule->inside, on_ab = r->b1 / t->a11, on_ac = r->b2 / t->a22;
  if (on_ab < e && on_ac < rule->first) {
    r->alpha = r->beta = 0;
    return SOFA_OWNS_CORNER(0);
  }
  if (on_ab >= rule->before && on_ab < 1 - e && r->beta < e) {
    r->alpha = on_ab;
    r->beta = 0;
    return rule->edge[0];
  }
  if (on_ac >= rule->before && on_ac < 1 - e && r->alpha < e) {
    r->alpha = 0;
    r->beta = on_ac;
    return rule->edge[1];
  }
  const double s = (r->b2 - r->b1 + t->a11 - t->a12) / (t->a11 + t->a22 - 2 * t->a12);
  r->alpha = s < e ? 1 : s > 1 - e ? 0 : 1 - s;
  r->beta = s < e ? 0 : s > 1 - e ? 1 : s;
  return s < e ? SOFA_OWNS_CORNER(1) : s > 1 - e ? SOFA_OWNS_CORNER(2) : rule->edge[2];
}

/* The closest place by numerics/contact/closest.h, and the bit of the corner or edge, 0 inside. */
static unsigned flat_border(const TriangleRule *rule, const double *const t[3], const double *q,
                            Projection *r) {
  SofaClosest c;
  sofa_closest_point_triangle(q, t, &c);
  r->alpha = c.w[2];
  r->beta = c.w[3];
  switch (c.region >> 1) {
  case 1:
    return SOFA_OWNS_CORNER(0);
  case 2:
    return SOFA_OWNS_CORNER(1);
  case 4:
    return SOFA_OWNS_CORNER(2);
  case 3:
    return rule->edge[0];
  case 5:
    return rule->edge[1];
  case 6:
    return rule->edge[2];
  default:
    return 0;
  }
}

typedef struct OwnTriangle {
  const double *t[3];
  Basis basis;
  double normal[3], normal2; /* AB x AC and its square, infinity when it is not accurate */
  unsigned owned;
} OwnTriangle;

ALWAYS void get_triangle(const Proximity *b, const SofaCollisionModel *m, uint32_t i,
                         OwnTriangle *out) {
  proximity_triangle(m, i, out->t);
  proximity_basis(out->t, &out->basis);
  sofa_vec3_cross(out->basis.ab, out->basis.ac, out->normal);
  out->normal2 = proximity_is_flat(b, &out->basis) ? INFINITY : sofa_vec3_norm2(out->normal);
  out->owned = m->owned ? m->owned[i] : 0;
}

/* Is q farther from the plane of the triangle than a detection can be? By more than rounding
 * errors, so that the result is the same as without this. */
ALWAYS bool is_far(const Proximity *b, const OwnTriangle *t, const double *q, double radius) {
  const double most = b->alarm + radius;
  double r[3];
  sofa_vec3_sub(q, t->t[0], r);
  const double plane = sofa_vec3_dot(t->normal, r);
  return !b->area && plane * plane > most * most * (1 + 1e-6) * t->normal2;
}

/* The place p of the triangle that is closest to q; false when it is at a border that the triangle
 * does not own. */
ALWAYS bool closest_owned(const Proximity *b, const TriangleRule *rule, const OwnTriangle *triangle,
                          const double *q, double *p) {
  const Basis *t = &triangle->basis;
  const double e = rule->inside;
  unsigned border = 0;
  Projection r;
  if (proximity_is_flat(b, t)) border = flat_border(rule, triangle->t, q, &r);
  else {
    proximity_project(t, q, &r);
    r.alpha /= t->det;
    r.beta /= t->det;
    if (r.alpha < e || r.beta < e || r.alpha + r.beta > 1 - e) border = to_border(rule, t, &r);
  }
  if (border && !(triangle->owned & border)) return false;
  proximity_in_triangle(t, r.alpha, r.beta, p);
  return true;
}

ALWAYS void on_triangle(Proximity *b, const Piece *piece, const OwnTriangle *triangle,
                        const double *q) {
  double p[3];
  if (is_far(b, triangle, q, 0)) return;
  if (closest_owned(b, &of_points, triangle, q, p)) emit(b, piece, p, q);
}

/* ---- points and lines ---- */

ALWAYS void point_point(Proximity *b, SofaElementPair pair) {
  proximity_emit(b, pair, proximity_first(b, pair, 0), proximity_second(b, pair, 0), 0,
                 proximity_id(b, pair));
}
PROXIMITY_FIND(find_point_point, 1, point_point)

ALWAYS void line_point(Proximity *b, SofaElementPair pair) {
  const Piece piece = {pair, pair.second, false};
  on_line(b, &piece, proximity_first(b, pair, 0), proximity_first(b, pair, 1),
          proximity_second(b, pair, 0));
}
PROXIMITY_FIND(find_line_point, 1, line_point)

ALWAYS void line_line(Proximity *b, SofaElementPair pair) {
  const double *const a[2] = {proximity_first(b, pair, 0), proximity_first(b, pair, 1)};
  const double *const c[2] = {proximity_second(b, pair, 0), proximity_second(b, pair, 1)};
  const Piece piece = {pair, proximity_id(b, pair), false};
  on_lines(b, &piece, a, c);
}
PROXIMITY_FIND(find_line_line, 1, line_line)

/* ---- triangles ---- */

ALWAYS void triangle_point(Proximity *b, SofaElementPair pair) {
  const Piece piece = {pair, pair.second, false};
  OwnTriangle t;
  get_triangle(b, b->first, pair.first, &t);
  on_triangle(b, &piece, &t, proximity_second(b, pair, 0));
}
PROXIMITY_FIND(find_triangle_point, 1, triangle_point)

static bool has_corner(const uint32_t *v, uint32_t point) {
  return v[0] == point || v[1] == point || v[2] == point;
}

/* The edges of a triangle that it owns with a line. */
static void edges_and_line(Proximity *b, const Piece *piece, const OwnTriangle *t,
                           const double *const c[2]) {
  for (int e = 0; e < 3; e++)
    if (t->owned & SOFA_OWNS_EDGE(edges[e][2]))
      on_lines(b, piece, (const double *const[]){t->t[edges[e][0]], t->t[edges[e][1]]}, c);
}

static void triangle_line(Proximity *b, SofaElementPair pair) {
  const bool use_edges = ((const NewProximityIntersection *)b->method)->use_line_line;
  const double *const c[2] = {proximity_second(b, pair, 0), proximity_second(b, pair, 1)};
  const uint32_t *v = b->first->corners + 3 * (size_t)pair.first;
  const uint32_t *ends = b->second->corners + 2 * (size_t)pair.second;
  Piece piece = {pair, pair.second, true};
  OwnTriangle t;
  if (b->first->state == b->second->state && (has_corner(v, ends[0]) || has_corner(v, ends[1])) &&
      !sofa_quirk(&b->method->object, QUIRK_COMMON_CORNERS))
    return;
  get_triangle(b, b->first, pair.first, &t);
  for (int k = 0; k < 3; k++)
    if (t.owned & SOFA_OWNS_CORNER(k)) on_line(b, &piece, c[0], c[1], t.t[k]);
  piece.swapped = false;
  for (int k = 0; k < 2; k++) on_triangle(b, &piece, &t, c[k]);
  if (use_edges) edges_and_line(b, &piece, &t, c);
}
PROXIMITY_FIND(find_triangle_line, 8, triangle_line)

/* ids of the edges of two triangles: `first` and the rank of the pair of edges */
static void edges_and_edges(Proximity *b, SofaElementPair pair, const OwnTriangle t[2],
                            int64_t first) {
  for (int e = 0; e < 3; e++)
    for (int f = 0; f < 3; f++) {
      const Piece piece = {pair, first + 3 * e + f, false};
      const double *const a[2] = {t[0].t[edges[e][0]], t[0].t[edges[e][1]]};
      const double *const c[2] = {t[1].t[edges[f][0]], t[1].t[edges[f][1]]};
      if (t[0].owned & SOFA_OWNS_EDGE(edges[e][2]) && t[1].owned & SOFA_OWNS_EDGE(edges[f][2]))
        on_lines(b, &piece, a, c);
    }
}

/* Two triangles of one model that have a common corner. */
static bool are_neighbours(const Proximity *b, SofaElementPair pair) {
  if (b->first != b->second) return false;
  const uint32_t *v = b->first->corners + 3 * (size_t)pair.first;
  const uint32_t *u = b->second->corners + 3 * (size_t)pair.second;
  return has_corner(v, u[0]) || has_corner(v, u[1]) || has_corner(v, u[2]);
}

/* With the quirk the first triangle has the contacts of its first corner in any case. */
static unsigned always_owned(const Proximity *b) {
  return sofa_quirk(&b->method->object, QUIRK_FIRST_CORNER) ? SOFA_OWNS_CORNER(0) : 0;
}

static void triangle_triangle(Proximity *b, SofaElementPair pair) {
  const bool use_edges = ((const NewProximityIntersection *)b->method)->use_line_line;
  const int64_t id1 = 3 * (int64_t)pair.first;
  const int64_t id2 = 3 * (int64_t)b->first->n + 12 * (int64_t)pair.second;
  OwnTriangle t[2];
  if (are_neighbours(b, pair)) return;
  get_triangle(b, b->first, pair.first, &t[0]);
  get_triangle(b, b->second, pair.second, &t[1]);
  const unsigned owned = t[0].owned | always_owned(b);
  for (int k = 0; k < 3; k++) {
    const Piece piece = {pair, id1 + k, true};
    if (owned & SOFA_OWNS_CORNER(k)) on_triangle(b, &piece, &t[1], t[0].t[k]);
  }
  for (int k = 0; k < 3; k++) {
    const Piece piece = {pair, id2 + k, false};
    if (t[1].owned & SOFA_OWNS_CORNER(k)) on_triangle(b, &piece, &t[0], t[1].t[k]);
  }
  if (use_edges) edges_and_edges(b, pair, t, id2 + 3);
}
PROXIMITY_FIND(find_triangle_triangle, 15, triangle_triangle)

/* ---- quick tests ---- */

static void sift_edges(Sift *s, size_t i, const unsigned owned[2], const double *t[2][3]) {
  for (int e = 0; e < 3; e++)
    for (int f = 0; f < 3; f++) {
      const double *const a[2] = {t[0][edges[e][0]], t[0][edges[e][1]]};
      const double *const c[2] = {t[1][edges[f][0]], t[1][edges[f][1]]};
      if (owned[0] & SOFA_OWNS_EDGE(edges[e][2]) && owned[1] & SOFA_OWNS_EDGE(edges[f][2]))
        sift_edge_edge(s, i, a, c);
    }
}

/* Only the corners and edges that a triangle owns have contacts. */
static void sift_triangle_triangle(Sift *s, size_t i, SofaElementPair pair, unsigned always) {
  const SofaCollisionModel *first = s->proximity.first, *second = s->proximity.second;
  const unsigned owned[2] = {first->owned ? first->owned[pair.first] : 0,
                             second->owned ? second->owned[pair.second] : 0};
  const double *t[2][3];
  s->may[i] = false;
  if (are_neighbours(&s->proximity, pair)) return;
  proximity_triangle(first, pair.first, t[0]);
  proximity_triangle(second, pair.second, t[1]);
  s->may[i] = sift_is_unsure(s, t[0]) || sift_is_unsure(s, t[1]);
  if (s->may[i]) return;
  for (int k = 0; k < 3; k++) {
    if ((owned[0] | always) & SOFA_OWNS_CORNER(k))
      sift_point_triangle(s, i, t[0][k], t[1], s->proximity.alarm);
    if (owned[1] & SOFA_OWNS_CORNER(k))
      sift_point_triangle(s, i, t[1][k], t[0], s->proximity.alarm);
  }
  if (((const NewProximityIntersection *)s->proximity.method)->use_line_line)
    sift_edges(s, i, owned, t);
}

static void sift_triangles(const SofaIntersection *method, const SofaCollisionModel *first,
                           const SofaCollisionModel *second, const SofaElementPair *pairs, size_t n,
                           bool *may) {
  Sift s;
  sift_begin(&s, method, first, second, may);
  const unsigned always = always_owned(&s.proximity);
  for (size_t i = 0; i < n; i++) sift_triangle_triangle(&s, i, pairs[i], always);
  sift_end(&s);
}

/* ---- spheres ---- */

ALWAYS void sphere_sphere(Proximity *b, SofaElementPair pair) {
  const double radii =
      sofa_collision_radius(b->first, pair.first) + sofa_collision_radius(b->second, pair.second);
  proximity_emit(b, pair, proximity_first(b, pair, 0), proximity_second(b, pair, 0), radii,
                 proximity_id(b, pair));
}
PROXIMITY_FIND(find_spheres, 1, sphere_sphere)

ALWAYS void line_sphere(Proximity *b, SofaElementPair pair) {
  const double *q = proximity_second(b, pair, 0);
  double p[3];
  nearest_on_line(b, proximity_first(b, pair, 0), proximity_first(b, pair, 1), q, p);
  proximity_emit(b, pair, p, q, sofa_collision_radius(b->second, pair.second), pair.second);
}
PROXIMITY_FIND(find_line_sphere, 1, line_sphere)

/* Zero distance always has the normal (1, 0, 0). */
static void triangle_sphere(Proximity *b, SofaElementPair pair) {
  const TriangleRule *rule =
      sofa_quirk(&b->method->object, QUIRK_SPHERE_EDGES) ? &of_spheres_quirk : &of_spheres;
  const double radius = sofa_collision_radius(b->second, pair.second);
  const double *q = proximity_second(b, pair, 0);
  OwnTriangle t;
  double p[3];
  get_triangle(b, b->first, pair.first, &t);
  b->guards = true;
  if (is_far(b, &t, q, radius) || !closest_owned(b, rule, &t, q, p)) return;
  proximity_to_surface(b, proximity_emit(b, pair, p, q, radius, pair.second), 1, radius);
}
PROXIMITY_FIND(find_triangle_sphere, 1, triangle_sphere)

/* ---- rays ---- */

PROXIMITY_FIND(find_ray_triangle, 1, ray_near_triangle_test)

/* The points where the ray enters and leaves a sphere. */
static void ray_rigid_sphere(Proximity *b, SofaElementPair pair) {
  const Ray ray = ray_of(b->first, pair.first);
  const double radius = sofa_collision_radius(b->second, pair.second);
  const double *c = proximity_second(b, pair, 0);
  double oc[3];
  sofa_vec3_sub(c, ray.origin, oc);
  const double middle = sofa_vec3_dot(oc, ray.direction);
  const double half2 = middle * middle - sofa_vec3_norm2(oc) + radius * radius;
  const double half = half2 > 0 ? sqrt(half2) : 0;
  const int n = 4 * half2 < 1e-6 ? 1 : 2;
  if (half2 < 0) return;
  for (int i = 0; i < n; i++) {
    const double t = n == 1 ? middle : i ? middle + half : middle - half;
    if (t < 0 || t > ray.length) continue;
    SofaDetection *d = proximity_append(b, pair, 0);
    ray_point(&ray, b->rays ? ray.length : t, d->point[0]);
    for (int k = 0; k < 3 && b->rays; k++)
      d->point[0][k] = ray.origin[k] + d->point[0][k] * t / ray.length;
    sofa_vec3_copy(d->point[0], d->point[1]);
    for (int k = 0; k < 3; k++) d->normal[k] = (d->point[0][k] - c[k]) / radius;
    d->value = 0;
  }
}
PROXIMITY_FIND(find_ray_rigid_sphere, 2, ray_rigid_sphere)

/* ---- class ---- */

static const SofaIntersectionRule rules[] = {
    {&sofa_collision_sphere, &sofa_collision_sphere, find_spheres},
    {&sofa_collision_rigid_sphere, &sofa_collision_rigid_sphere, find_spheres},
    {&sofa_collision_sphere, &sofa_collision_rigid_sphere, find_spheres},
    {&sofa_collision_point, &sofa_collision_point, find_point_point},
    {&sofa_collision_line, &sofa_collision_point, find_line_point},
    {&sofa_collision_line, &sofa_collision_line, find_line_line},
    {&sofa_collision_triangle, &sofa_collision_point, find_triangle_point},
    {&sofa_collision_triangle, &sofa_collision_line, find_triangle_line},
    {&sofa_collision_triangle, &sofa_collision_triangle, find_triangle_triangle},
    {&sofa_collision_sphere, &sofa_collision_point, find_spheres},
    {&sofa_collision_rigid_sphere, &sofa_collision_point, find_spheres},
    {&sofa_collision_line, &sofa_collision_sphere, find_line_sphere},
    {&sofa_collision_line, &sofa_collision_rigid_sphere, find_line_sphere},
    {&sofa_collision_triangle, &sofa_collision_sphere, find_triangle_sphere},
    {&sofa_collision_triangle, &sofa_collision_rigid_sphere, find_triangle_sphere},
    {&sofa_collision_ray, &sofa_collision_triangle, find_ray_triangle},
    {&sofa_collision_ray, &sofa_collision_rigid_sphere, find_ray_rigid_sphere},
    {NULL, NULL, NULL}};

/* With the quirk of edges places on a triangle are outside of it. */
static SofaSiftPairs sift(const SofaIntersection *method, const SofaIntersectionRule *rule) {
  if (rule->find == find_triangle_triangle) return sift_triangles;
  if (rule->find == find_triangle_point) return sift_triangles_points;
  if (rule->find == find_triangle_sphere && !sofa_quirk(&method->object, QUIRK_SPHERE_EDGES))
    return sift_triangles_points;
  return rule->find == find_line_line ? sift_lines_lines : NULL;
}

static const SofaIntersectionOps ops = {
    .rules = rules, .base = &discrete_intersection_ops, .sift = sift};

SOFA_CLASS(NewProximityIntersection) = {
    SOFA_NAMED(NewProximityIntersection),
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .category = "CollisionAlgorithm",
    .help = "Detects the closest points of elements that are closer than alarmDistance: triangles, "
            "lines, points and spheres, all with each other. A body needs a model of one kind "
            "only.",
    .base = &sofa_proximity_class,
    SOFA_FIELDS(fields),
    SOFA_QUIRKS(quirks),
    .init = proximity_init,
    SOFA_IMPLEMENTS({SOFA_INTERSECTION, &ops}),
};
