/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* DiscreteIntersection: elements that overlap now. Its rules are the base of all other methods. */
#include "components/collision/intersection/discrete.h"

typedef SofaIntersection DiscreteIntersection;

static const SofaQuirk quirks[] = {QUIRK_EQUAL_CENTRES_ROW, QUIRK_SPHERE_SURFACE_ROW,
                                   QUIRK_RAY_ENDS_ROW};

/* ---- spheres ---- */

void spheres_test(Proximity *b, SofaElementPair pair) {
  const double r1 = sofa_collision_radius(b->first, pair.first);
  const double r2 = sofa_collision_radius(b->second, pair.second);
  const double *p = proximity_first(b, pair, 0), *q = proximity_second(b, pair, 0);
  const double most = r1 + r2 + b->alarm;
  double r[3];
  sofa_vec3_sub(q, p, r);
  const double d2 = sofa_vec3_norm2(r), distance = sqrt(d2);
  if (!(d2 <= most * most)) return;
  SofaDetection *d = proximity_append(b, pair, proximity_id(b, pair));
  sofa_vec3_copy(p, d->point[0]);
  sofa_vec3_copy(q, d->point[1]);
  sofa_vec3_copy(r, d->normal);
  if (b->centres || distance > 0)
    for (int k = 0; k < 3; k++) d->normal[k] /= distance;
  else sofa_vec3_set(d->normal, 1, 0, 0);
  d->value = distance - r1 - r2 - b->contact;
  proximity_to_surface(b, d, 0, r1);
  proximity_to_surface(b, d, 1, r2);
}

/* Without the skins of the models: methods that inherit the rule have their own distances alone. */
static SofaErr find_spheres(const SofaIntersection *method, const SofaCollisionModel *first,
                            const SofaCollisionModel *second, const SofaElementPair *pairs,
                            size_t n, SofaDetections *out) {
  Proximity b;
  proximity_begin(&b, method, first, second, out);
  b.alarm = method->alarm_distance;
  b.contact = method->contact_distance;
  return proximity_loop(&b, pairs, n, 1, spheres_test);
}

/* ---- a triangle and a line ---- */

/* The common point of a plane and a line from o along d: its weights alpha and beta of the
 * triangle's second and third corner, and the length t along d. false: they are parallel. */
static bool meet_plane(const double *const t[3], const double *o, const double *d, double w[3]) {
  double m[9], inverse[9], r[3];
  for (int k = 0; k < 3; k++) {
    m[3 * k] = t[1][k] - t[0][k];
    m[3 * k + 1] = t[2][k] - t[0][k];
    m[3 * k + 2] = -d[k];
  }
  sofa_vec3_sub(o, t[0], r);
  if (!sofa_mat3_inverse(m, inverse, NULL)) return false;
  sofa_mat3_apply(inverse, r, w);
  return w[0] >= 0 && w[1] >= 0 && w[0] + w[1] <= 1;
}

static void triangle_line(Proximity *b, SofaElementPair pair) {
  const double *t[3], *p = proximity_second(b, pair, 0), *q = proximity_second(b, pair, 1);
  double pq[3], w[3];
  proximity_triangle(b->first, pair.first, t);
  sofa_vec3_sub(q, p, pq);
  if (!meet_plane(t, p, pq, w) || !(w[2] >= 0 && w[2] <= 1)) return;
  SofaDetection *d = proximity_append(b, pair, pair.second);
  proximity_between(p, q, w[2], d->point[0]);
  sofa_vec3_copy(d->point[0], d->point[1]);
  sofa_collision_triangle_normal(b->first, pair.first, d->normal);
  d->value = 0;
}
PROXIMITY_FIND(find_triangle_line, 1, triangle_line)

/* ---- tetrahedra ---- */

/* Coordinates of a tetrahedron: the weights of corners 1 to 3 of a place p are inverse (p - x0). */
static bool tetra_inverse(const SofaCollisionModel *m, uint32_t i, double inverse[9]) {
  const double *x0 = sofa_collision_corner(m, i, 0);
  double base[9];
  for (unsigned c = 0; c < 3; c++)
    for (unsigned k = 0; k < 3; k++)
      base[3 * k + c] = sofa_collision_corner(m, i, c + 1)[k] - x0[k];
  return sofa_mat3_inverse(base, inverse, NULL);
}

/* The interval of s in which p + s n is in the tetrahedron; w, dw: weights of p and their slopes.
 * Slopes below 1e-10 are taken as 0. false: empty. */
static bool clip(const double w[3], const double dw[3], double *from, double *until) {
  const double value[4] = {w[0], w[1], w[2], 1 - w[0] - w[1] - w[2]};
  const double slope[4] = {dw[0], dw[1], dw[2], -dw[0] - dw[1] - dw[2]};
  for (int k = 0; k < 4; k++) {
    if (slope[k] >= 1e-10) *from = fmax(*from, -value[k] / slope[k]);
    else if (slope[k] <= -1e-10) *until = fmin(*until, -value[k] / slope[k]);
    else if (value[k] < 0) return false;
  }
  return *from <= *until;
}

static bool is_corner(const SofaCollisionModel *tetras, uint32_t i, uint32_t point) {
  const uint32_t *v = tetras->corners + 4 * (size_t)i;
  return v[0] == point || v[1] == point || v[2] == point || v[3] == point;
}

/* A point inside: the way out against the point's normal. */
static void tetra_point(Proximity *b, SofaElementPair pair) {
  const double *p = proximity_second(b, pair, 0), *normal = b->second->normal;
  double inverse[9], w[3], dw[3], r[3], out[3], from = -INFINITY, length = 1e9;
  if (!normal || !tetra_inverse(b->first, pair.first, inverse)) return;
  if (b->first->state == b->second->state && is_corner(b->first, pair.first, pair.second)) return;
  sofa_vec3_sub(p, proximity_first(b, pair, 0), r);
  sofa_mat3_apply(inverse, r, w);
  if (!(w[0] >= 0 && w[1] >= 0 && w[2] >= 0 && w[0] + w[1] + w[2] <= 1)) return;
  sofa_vec3_scale(-1, normal + 3 * (size_t)pair.second, out);
  sofa_mat3_apply(inverse, out, dw);
  if (!clip(w, dw, &from, &length) || length >= 1e9) return;
  SofaDetection *d = proximity_append(b, pair, pair.second);
  for (int k = 0; k < 3; k++) d->point[0][k] = p[k] + length * out[k];
  sofa_vec3_copy(p, d->point[1]);
  sofa_vec3_copy(out, d->normal);
  d->value = -length;
}
PROXIMITY_FIND(find_tetra_point, 1, tetra_point)

/* ---- rays ---- */

static void ray_triangle(Proximity *b, SofaElementPair pair) {
  const Ray ray = ray_of(b->first, pair.first);
  const double *t[3];
  double w[3];
  proximity_triangle(b->second, pair.second, t);
  if (!meet_plane(t, ray.origin, ray.direction, w) || !(w[2] >= 0 && w[2] <= ray.length)) return;
  SofaDetection *d = proximity_append(b, pair, pair.first);
  ray_point(&ray, w[2], d->point[0]);
  sofa_vec3_copy(d->point[0], d->point[1]);
  sofa_collision_triangle_normal(b->second, pair.second, d->normal);
  sofa_vec3_scale(-1, d->normal, d->normal);
  d->value = 0;
}
PROXIMITY_FIND(find_ray_triangle, 1, ray_triangle)

static void ray_any_sphere(Proximity *b, SofaElementPair pair) {
  proximity_to_surface(b, ray_sphere(b, pair), 1, sofa_collision_radius(b->second, pair.second));
}
PROXIMITY_FIND(find_ray_sphere, 1, ray_any_sphere)

static void ray_tetra(Proximity *b, SofaElementPair pair) {
  const Ray ray = ray_of(b->first, pair.first);
  double inverse[9], w[3], dw[3], r[3], from = 0, until = ray.length;
  if (!tetra_inverse(b->second, pair.second, inverse)) return;
  sofa_vec3_sub(ray.origin, proximity_second(b, pair, 0), r);
  sofa_mat3_apply(inverse, r, w);
  sofa_mat3_apply(inverse, ray.direction, dw);
  if (!clip(w, dw, &from, &until)) return;
  SofaDetection *d = proximity_append(b, pair, pair.first);
  ray_point(&ray, from, d->point[0]);
  sofa_vec3_copy(d->point[0], d->point[1]);
  sofa_vec3_copy(ray.direction, d->normal);
  d->value = 0;
}
PROXIMITY_FIND(find_ray_tetra, 1, ray_tetra)

/* ---- class ---- */

static const SofaIntersectionRule rules[] = {
    {&sofa_collision_sphere, &sofa_collision_sphere, find_spheres},
    {&sofa_collision_rigid_sphere, &sofa_collision_rigid_sphere, find_spheres},
    {&sofa_collision_sphere, &sofa_collision_rigid_sphere, find_spheres},
    {&sofa_collision_triangle, &sofa_collision_line, find_triangle_line},
    {&sofa_collision_tetra, &sofa_collision_point, find_tetra_point},
    {&sofa_collision_ray, &sofa_collision_sphere, find_ray_sphere},
    {&sofa_collision_ray, &sofa_collision_rigid_sphere, find_ray_sphere},
    {&sofa_collision_ray, &sofa_collision_triangle, find_ray_triangle},
    {&sofa_collision_ray, &sofa_collision_tetra, find_ray_tetra},
    {&sofa_collision_ray, &sofa_collision_point, NULL},
    {&sofa_collision_ray, &sofa_collision_line, NULL},
    {NULL, NULL, NULL}};

const SofaIntersectionOps discrete_intersection_ops = {.rules = rules};

SOFA_CLASS(DiscreteIntersection) = {
    SOFA_NAMED(DiscreteIntersection),
    .module = "Sofa.Component.Collision.Detection.Intersection",
    .category = "CollisionAlgorithm",
    .help = "Detects elements that overlap: spheres with spheres, lines with triangles, points "
            "inside tetrahedra.",
    .base = &sofa_intersection_class,
    SOFA_QUIRKS(quirks),
    SOFA_IMPLEMENTS({SOFA_INTERSECTION, &discrete_intersection_ops}),
};
