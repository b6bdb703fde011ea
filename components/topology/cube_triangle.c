/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The test of triangles against the unit cube: rejection by planes, then edges, then a diagonal. */
#include "cube_triangle.h"

#include <math.h>

/* Bits of the planes value = limit and value = -limit that a value is beyond. */
static unsigned beyond(float value, float limit, unsigned bit) {
  return value > limit ? 1u << bit : value < -limit ? 2u << bit : 0;
}

/* Planes of the faces, of the bevelled edges and of the bevelled corners that p is beyond. */
static unsigned faces(const float *p) {
  return beyond(p[0], 0.5f, 0) | beyond(p[1], 0.5f, 2) | beyond(p[2], 0.5f, 4);
}
static unsigned bevels(const float *p) {
  return beyond(p[0] + p[1], 1, 0) | beyond(p[0] - p[1], 1, 2) | beyond(p[0] + p[2], 1, 4) |
         beyond(p[0] - p[2], 1, 6) | beyond(p[1] + p[2], 1, 8) | beyond(p[1] - p[2], 1, 10);
}
static unsigned corners(const float *p) {
  return beyond(p[0] + p[1] + p[2], 1.5f, 0) | beyond(p[0] + p[1] - p[2], 1.5f, 2) |
         beyond(p[0] - p[1] + p[2], 1.5f, 4) | beyond(p[0] - p[1] - p[2], 1.5f, 6);
}

static float sign(float x) {
  return x < 0 ? -1.f : 1.f;
}

/* Do the bounding boxes overlap, and does the line pass between the silhouettes of the cube? */
static bool edge_meets(const float *a, const float *b) {
  float d[3], s[3];
  for (int i = 0; i < 3; i++) {
    d[i] = b[i] - a[i];
    s[i] = sign(d[i]);
    if (a[i] * s[i] > 0.5f || b[i] * s[i] < -0.5f) return false;
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const float line = d[k] * a[j] - d[j] * a[k];
    const float cube = 0.5f * (d[k] * s[j] + d[j] * s[k]);
    if (line * line > cube * cube) return false;
  }
  return true;
}

static void normal_of(const float p[3][3], float n[3]) {
  float u[3], w[3];
  for (int i = 0; i < 3; i++) {
    u[i] = p[1][i] - p[0][i];
    w[i] = p[2][i] - p[0][i];
  }
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    n[i] = u[j] * w[k] - u[k] * w[j];
  }
}

/* Is q, a point of the triangle's plane, in the triangle? By crossings in the projection along the
 * largest component of the normal. */
static bool contains(const float p[3][3], const float n[3], const float q[3]) {
  int z = 0;
  for (int i = 1; i < 3; i++)
    if (fabsf(n[i]) > fabsf(n[z])) z = i;
  const int x = (z + 1) % 3, y = (z + 2) % 3;
  int crossings = 0;
  for (int i = 0; i < 3; i++) {
    const float *a = p[i], *b = p[(i + 1) % 3];
    const int way = (b[x] > q[x]) - (a[x] > q[x]);
    if (!way) continue;
    const float side = (q[x] - a[x]) * (b[y] - a[y]) - (q[y] - a[y]) * (b[x] - a[x]);
    if ((float)way * side <= 0) crossings += way;
  }
  return crossings != 0;
}

bool sofa_triangle_meets_cube(const float p[3][3]) {
  for (int i = 0; i < 3; i++)
    if (!faces(p[i])) return true;
  if (faces(p[0]) & faces(p[1]) & faces(p[2])) return false;
  if (bevels(p[0]) & bevels(p[1]) & bevels(p[2])) return false;
  if (corners(p[0]) & corners(p[1]) & corners(p[2])) return false;
  for (int i = 0; i < 3; i++)
    if (edge_meets(p[i], p[(i + 1) % 3])) return true;
  // the cube may stick through: then the diagonal nearest to the normal does
  float n[3], q[3], above = 0, along = 0;
  normal_of(p, n);
  for (int i = 0; i < 3; i++) {
    above += n[i] * p[0][i];
    along += n[i] * sign(n[i]);
  }
  const float t = above / along;
  if (!(t >= -0.5f && t <= 0.5f)) return false;
  for (int i = 0; i < 3; i++) q[i] = t * sign(n[i]);
  return contains(p, n, q);
}
