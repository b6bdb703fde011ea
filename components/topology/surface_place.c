/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Finding places on surfaces. */
#include "surface_place.h"

#include <math.h>
#include <string.h>

#include "math/vec.h"

static const double SAME = 1e-9; /* of a triangle's size: equally near */

/* Weights of the nearest place of the line a b; 0 or 1 at its ends. */
static double line_nearest(const double *a, const double *b, const double *p, double *t) {
  double ab[3], ap[3], at[3];
  sofa_vec3_sub(b, a, ab);
  sofa_vec3_sub(p, a, ap);
  const double length2 = sofa_vec3_norm2(ab);
  *t = length2 > 0 ? sofa_vec3_dot(ap, ab) / length2 : 0;
  *t = *t < 0 ? 0 : *t > 1 ? 1 : *t;
  sofa_vec3_copy(a, at);
  sofa_vec3_axpy(*t, ab, at);
  return sofa_vec3_distance(at, p);
}

double sofa_triangle_nearest(const double *a, const double *b, const double *c, const double p[3],
                             double weights[3]) {
  const double *v[3] = {a, b, c};
  double u[3], w[3], d[3], n[3], m[3];
  sofa_vec3_sub(b, a, u);
  sofa_vec3_sub(c, a, w);
  sofa_vec3_sub(p, a, d);
  sofa_vec3_cross(u, w, n);
  const double area2 = sofa_vec3_norm2(n);
  weights[0] = 1;
  weights[1] = weights[2] = 0;
  if (area2 > 0) {
    // the foot in the plane, where it is inside
    sofa_vec3_cross(d, w, m);
    weights[1] = sofa_vec3_dot(m, n) / area2;
    sofa_vec3_cross(u, d, m);
    weights[2] = sofa_vec3_dot(m, n) / area2;
    weights[0] = 1 - weights[1] - weights[2];
    if (weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0)
      return fabs(sofa_vec3_dot(d, n)) / sqrt(area2);
  }
  double best = INFINITY;
  for (int k = 0; k < 3; k++) {
    double t;
    const double distance = line_nearest(v[k], v[(k + 1) % 3], p, &t);
    if (!(distance < best)) continue;
    best = distance;
    weights[k] = 1 - t;
    weights[(k + 1) % 3] = t;
    weights[(k + 2) % 3] = 0;
  }
  return best;
}

static double longest_edge(const double *const *v) {
  double longest = 0;
  for (int k = 0; k < 3; k++) longest = fmax(longest, sofa_vec3_distance(v[k], v[(k + 1) % 3]));
  return longest;
}

/* Another triangle has the edge, too: both ends a and b. */
static bool has_neighbour(const SofaTriangles *triangles, uint32_t own, uint32_t a, uint32_t b) {
  for (uint32_t t = 0; t < triangles->n; t++) {
    const uint32_t *v = triangles->data[t].v;
    const bool has_a = v[0] == a || v[1] == a || v[2] == a;
    const bool has_b = v[0] == b || v[1] == b || v[2] == b;
    if (t != own && has_a && has_b) return true;
  }
  return false;
}

/* Every edge around a vertex has two triangles. */
static bool is_surrounded(const SofaTriangles *triangles, uint32_t point) {
  for (uint32_t t = 0; t < triangles->n; t++)
    for (int k = 0; k < 3; k++) {
      const uint32_t *v = triangles->data[t].v;
      if (v[k] == point && (!has_neighbour(triangles, t, point, v[(k + 1) % 3]) ||
                            !has_neighbour(triangles, t, point, v[(k + 2) % 3])))
        return false;
    }
  return true;
}

static SofaSurfaceFoot foot_of(const SofaTriangles *triangles, const SofaSurfacePlace *place) {
  const uint32_t *v = triangles->data[place->triangle].v;
  const double *w = place->weights;
  int zero[3], n = 0, rest = 0;
  for (int k = 0; k < 3; k++) {
    if (w[k] <= 0) zero[n++] = k;
    else rest = k;
  }
  if (n == 0) return SOFA_FOOT_INSIDE;
  if (n == 2) return is_surrounded(triangles, v[rest]) ? SOFA_FOOT_INSIDE : SOFA_FOOT_BORDER;
  const uint32_t a = v[(zero[0] + 1) % 3], b = v[(zero[0] + 2) % 3];
  return has_neighbour(triangles, place->triangle, a, b) ? SOFA_FOOT_INSIDE : SOFA_FOOT_BORDER;
}

SofaSurfaceFoot sofa_surface_nearest(const double *x, size_t n, const SofaTriangles *triangles,
                                     const double p[3], const double *towards,
                                     SofaSurfaceNearest *out) {
  double beyond = INFINITY;
  *out = (SofaSurfaceNearest){
      .place = {.triangle = SOFA_NO_ELEMENT}, .distance = INFINITY, .size = INFINITY};
  for (uint32_t t = 0; t < triangles->n; t++) {
    const uint32_t *v = triangles->data[t].v;
    if (v[0] >= n || v[1] >= n || v[2] >= n) continue;
    const double *corners[3] = {x + 3 * (size_t)v[0], x + 3 * (size_t)v[1], x + 3 * (size_t)v[2]};
    double weights[3], other[3], ahead[3];
    const double d = sofa_triangle_nearest(corners[0], corners[1], corners[2], p, weights);
    const double longest = longest_edge(corners), margin = SAME * longest;
    if (!(d <= out->distance + margin)) continue;
    // of equally near ones that which a small step ahead leads to
    double behind = 0, way[3];
    if (towards) {
      sofa_vec3_set(ahead, 0, 0, 0);
      for (int k = 0; k < 3; k++) sofa_vec3_axpy(weights[k], corners[k], ahead);
      sofa_vec3_sub(towards, ahead, way);
      const double length = sofa_vec3_normalize(way);
      sofa_vec3_axpy(fmin(0.01 * longest, length), way, ahead);
      behind = sofa_triangle_nearest(corners[0], corners[1], corners[2], ahead, other);
    }
    if (d >= out->distance - margin && !(behind < beyond)) continue;
    beyond = behind;
    out->distance = d;
    out->size = longest;
    out->place.triangle = t;
    memcpy(out->place.weights, weights, sizeof weights);
  }
  if (out->place.triangle == SOFA_NO_ELEMENT) return SOFA_FOOT_NONE;
  return foot_of(triangles, &out->place);
}

void sofa_surface_at(const double *x, const SofaTriangles *triangles, const SofaSurfacePlace *place,
                     double p[3]) {
  const uint32_t *v = triangles->data[place->triangle].v;
  sofa_vec3_set(p, 0, 0, 0);
  for (int k = 0; k < 3; k++) sofa_vec3_axpy(place->weights[k], x + 3 * (size_t)v[k], p);
}
