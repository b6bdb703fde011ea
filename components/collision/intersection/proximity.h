/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What intersection methods share: the loop over pairs of elements, detections from two places, and
 * the places themselves. Kernels are inline and read 3 doubles per point.
 *
 * Spheres of both kinds are their centres: a detection holds the centres, the distances of the
 * method are made larger by the radii, and a response adds the radius of the contact point. So a
 * sphere on a frame and one on a point have the same forces. With the quirk `rigid-sphere-surface`
 * the place on the sphere of a frame is on its surface, and the response adds the radius a second
 * time. */
#ifndef COMPONENTS_COLLISION_PROXIMITY_H
#define COMPONENTS_COLLISION_PROXIMITY_H

#include <math.h>

#include "behavior/collision.h"
#include "math/vec.h"
#include "numerics/contact/closest.h"

#define ALWAYS static inline __attribute__((always_inline))

/* ---- quirks of the classes that list their rows ---- */

enum {
  QUIRK_MIDDLES_OF_LINES = 1 << 20,
  QUIRK_WITHOUT_AREA = 1 << 21,
  QUIRK_WITHOUT_DISTANCE = 1 << 22,
  QUIRK_SPHERE_SURFACE = 1 << 23,
  QUIRK_RAY_ENDS = 1 << 24,
  QUIRK_EQUAL_CENTRES = 1 << 25
};
#define QUIRK_MIDDLES_OF_LINES_ROW                                                                 \
  {                                                                                                \
    QUIRK_MIDDLES_OF_LINES, "parallel-line-middles",                                               \
        "the closest points of parallel lines are their middles, wherever they are",               \
        "test_intersection_quirks.parallel_lines"                                                  \
  }
#define QUIRK_WITHOUT_AREA_ROW                                                                     \
  {                                                                                                \
    QUIRK_WITHOUT_AREA, "elements-without-area",                                                   \
        "triangles without area and lines without length have contacts at places that are not "    \
        "numbers",                                                                                 \
        "test_intersection_quirks.elements_without_area"                                           \
  }
#define QUIRK_WITHOUT_DISTANCE_ROW                                                                 \
  {                                                                                                \
    QUIRK_WITHOUT_DISTANCE, "normal-without-distance",                                             \
        "the normal of elements at distance 0 is not a number",                                    \
        "test_intersection_quirks.elements_without_distance"                                       \
  }
#define QUIRK_EQUAL_CENTRES_ROW                                                                    \
  {                                                                                                \
    QUIRK_EQUAL_CENTRES, "spheres-without-distance",                                               \
        "the normal of spheres with the same centre is not a number",                              \
        "test_intersection_quirks.elements_without_distance"                                       \
  }
#define QUIRK_SPHERE_SURFACE_ROW                                                                   \
  {                                                                                                \
    QUIRK_SPHERE_SURFACE, "rigid-sphere-surface",                                                  \
        "contacts of spheres on frames act at the surface, and count the radius twice",            \
        "test_intersection_quirks.rigid_spheres"                                                   \
  }
#define QUIRK_RAY_ENDS_ROW                                                                         \
  {                                                                                                \
    QUIRK_RAY_ENDS, "ray-ends",                                                                    \
        "rays meet spheres at other places than their points: beyond the end, or scaled with the " \
        "distance from the origin of the world",                                                   \
        "test_intersection_quirks.rays"                                                            \
  }

/* init of methods: an alarm distance below the contact distance is an error. */
SofaErr proximity_init(SofaObject *object);

/* ---- a batch of pairs of elements of two models ---- */

typedef struct Proximity {
  const SofaIntersection *method;
  const SofaCollisionModel *first, *second;
  double alarm, contact; /* m, with the skins of both models */
  bool first_names;      /* the first model has more elements: its indices are the ids */
  bool guards;           /* elements at distance 0 have the normal (1, 0, 0) */
  bool middles, area, surface, rays, centres; /* quirks that are on */
  SofaDetections *out;                        /* with room for the detections of a pair */
} Proximity;

/* The distances of the method and the skins of both models. */
void proximity_begin(Proximity *b, const SofaIntersection *method, const SofaCollisionModel *first,
                     const SofaCollisionModel *second, SofaDetections *out);
/* Room for `most` more detections. */
SofaErr proximity_reserve(Proximity *b, size_t most);

/* Tests one pair of elements; appends at most as many detections as the loop reserves. */
typedef void (*ProximityTest)(Proximity *b, SofaElementPair pair);
/* Inline: the test is a constant, so that there is no call per pair. */
ALWAYS SofaErr proximity_loop(Proximity *b, const SofaElementPair *pairs, size_t n, size_t most,
                              ProximityTest test) {
  for (size_t i = 0; i < n; i++) {
    if (b->out->capacity - b->out->n < most) SOFA_TRY(proximity_reserve(b, most));
    test(b, pairs[i]);
  }
  return SOFA_OK;
}
/* Defines `find` of a rule: at most `most` detections per pair. */
#define PROXIMITY_FIND(name, most, test)                                                           \
  static SofaErr name(const SofaIntersection *method, const SofaCollisionModel *first,             \
                      const SofaCollisionModel *second, const SofaElementPair *pairs, size_t n,    \
                      SofaDetections *out) {                                                       \
    Proximity b;                                                                                   \
    proximity_begin(&b, method, first, second, out);                                               \
    return proximity_loop(&b, pairs, n, (most), (test));                                           \
  }

/* ---- detections ---- */

/* The id of pairs of equals: the index in the model with more elements. */
ALWAYS uint32_t proximity_id(const Proximity *b, SofaElementPair pair) {
  return b->first_names ? pair.first : pair.second;
}
/* Appends a detection; the caller sets places, normal and value. */
ALWAYS SofaDetection *proximity_append(Proximity *b, SofaElementPair pair, int64_t id) {
  SofaDetection *d = &b->out->data[b->out->n++];
  d->element[0] = pair.first;
  d->element[1] = pair.second;
  d->id = id;
  return d;
}
/* v is divided by its length; shorter than 1e-15 m, or not a number: (1, 0, 0). */
ALWAYS void proximity_unit(const Proximity *b, double length, double *v) {
  if (b->guards && !(length > 1e-15)) sofa_vec3_set(v, 1, 0, 0);
  else
    for (int k = 0; k < 3; k++) v[k] /= length;
}
/* Appends the detection of the places p on the first and q on the second element when they are
 * closer than the alarm distance and the radii; else, and with places that are not numbers, there
 * is none: NULL. radii: sum of both. */
ALWAYS SofaDetection *proximity_emit(Proximity *b, SofaElementPair pair, const double p[3],
                                     const double q[3], double radii, int64_t id) {
  const double r[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, d2 = sofa_vec3_norm2(r);
  const double most = b->alarm + radii;
  if (b->area ? d2 >= most * most : !(d2 < most * most)) return NULL;
  SofaDetection *d = proximity_append(b, pair, id);
  const double distance = sqrt(d2);
  sofa_vec3_copy(p, d->point[0]);
  sofa_vec3_copy(q, d->point[1]);
  sofa_vec3_copy(r, d->normal);
  proximity_unit(b, distance, d->normal);
  d->value = distance - (b->contact + radii);
  return d;
}

/* With the quirk: moves the place on a sphere of a frame to the surface. side: 0 first, 1 second */
ALWAYS void proximity_to_surface(const Proximity *b, SofaDetection *d, int side, double radius) {
  const SofaCollisionModel *model = side ? b->second : b->first;
  if (!d || !b->surface || model->kind != &sofa_collision_rigid_sphere) return;
  sofa_vec3_axpy(side ? -radius : radius, d->normal, d->point[side]);
}

/* ---- corners ---- */

ALWAYS const double *proximity_first(const Proximity *b, SofaElementPair pair, unsigned k) {
  return sofa_collision_corner(b->first, pair.first, k);
}
ALWAYS const double *proximity_second(const Proximity *b, SofaElementPair pair, unsigned k) {
  return sofa_collision_corner(b->second, pair.second, k);
}
ALWAYS void proximity_triangle(const SofaCollisionModel *m, uint32_t i, const double *t[3]) {
  for (unsigned k = 0; k < 3; k++) t[k] = sofa_collision_corner(m, i, k);
}

/* ---- a line and a point ---- */

/* The place of q along ab, 0 at a, not limited; of a line without length 0 (quirk: NaN). */
ALWAYS double proximity_along(const Proximity *b, const double *from, const double *to,
                              const double *q) {
  double ab[3], aq[3];
  sofa_vec3_sub(to, from, ab);
  sofa_vec3_sub(q, from, aq);
  const double length2 = sofa_vec3_dot(ab, ab);
  if (!b->area && !(length2 > 0)) return 0;
  return sofa_vec3_dot(aq, ab) / length2;
}
ALWAYS void proximity_between(const double *from, const double *to, double t, double *p) {
  for (int k = 0; k < 3; k++) p[k] = from[k] + (to[k] - from[k]) * t;
}
/* The point of the line that is closest to q. */
ALWAYS void proximity_on_line(const Proximity *b, const double *from, const double *to,
                              const double *q, double *p) {
  const double t = proximity_along(b, from, to, q);
  if (t <= 0) sofa_vec3_copy(from, p);
  else if (t >= 1) sofa_vec3_copy(to, p);
  else proximity_between(from, to, t, p);
}

/* ---- two lines ---- */

typedef struct LineBounds {
  double parallel; /* determinant up to which lines are parallel (quirk) */
  double inside;   /* distance from the ends, as a share of the length */
} LineBounds;

/* The closest points of the lines a and c when both are between the ends: else false. Parallel
 * lines that overlap: the middle of the overlap. */
bool proximity_lines(const Proximity *b, const double *const a[2], const double *const c[2],
                     const LineBounds *bounds, double p[3], double q[3]);

/* ---- a triangle and a point ---- */

/* A triangle A B C. */
typedef struct Basis {
  const double *const *t;
  double ab[3], ac[3], a11, a22, a12, det; /* AB^2, AC^2, AB AC, |AB x AC|^2 */
} Basis;
/* The projection of a point on its plane: A + alpha AB + beta AC. */
typedef struct Projection {
  double b1, b2; /* AP AB, AP AC */
  double alpha, beta;
} Projection;

ALWAYS void proximity_basis(const double *const t[3], Basis *s) {
  s->t = t;
  sofa_vec3_sub(t[1], t[0], s->ab);
  sofa_vec3_sub(t[2], t[0], s->ac);
  s->a11 = sofa_vec3_dot(s->ab, s->ab);
  s->a22 = sofa_vec3_dot(s->ac, s->ac);
  s->a12 = sofa_vec3_dot(s->ab, s->ac);
  s->det = s->a11 * s->a22 - s->a12 * s->a12;
}
/* alpha and beta times the determinant */
ALWAYS void proximity_project(const Basis *s, const double *p, Projection *r) {
  double ap[3];
  sofa_vec3_sub(p, s->t[0], ap);
  r->b1 = sofa_vec3_dot(ap, s->ab);
  r->b2 = sofa_vec3_dot(ap, s->ac);
  r->alpha = r->b1 * s->a22 - r->b2 * s->a12;
  r->beta = r->b2 * s->a11 - r->b1 * s->a12;
}
ALWAYS void proximity_in_triangle(const Basis *s, double alpha, double beta, double *q) {
  for (int k = 0; k < 3; k++) q[k] = s->t[0][k] + s->ab[k] * alpha + s->ac[k] * beta;
}
/* Is the determinant accurate? Otherwise (an angle below 1e-3, no area) numerics/contact/closest.h
 * has the closest point. With the quirk the formula is always used. */
ALWAYS bool proximity_is_flat(const Proximity *b, const Basis *s) {
  return !b->area && !(s->det > 1e-6 * s->a11 * s->a22);
}
/* The same as proximity_inside for such a triangle. */
bool proximity_inside_flat(const double *const t[3], const double *p, double edge, double *q);
/* The projection q of p on the triangle when it is inside, 1e-6 off the edges: else false. Most
 * places outside are known without a division, and by one branch. */
ALWAYS bool proximity_inside(const Proximity *b, const double *const t[3], const double *p,
                             double *q) {
  const double edge = 1e-6;
  Basis s;
  Projection r;
  proximity_basis(t, &s);
  if (proximity_is_flat(b, &s)) return proximity_inside_flat(t, p, edge, q);
  proximity_project(&s, p, &r);
  if ((s.det > 0) & ((r.alpha < 0) | (r.beta < 0) | (r.alpha + r.beta > s.det))) return false;
  r.alpha /= s.det;
  r.beta /= s.det;
  if (r.alpha < edge || r.beta < edge || r.alpha + r.beta > 1 - edge) return false;
  proximity_in_triangle(&s, r.alpha, r.beta, q);
  return true;
}

#endif
