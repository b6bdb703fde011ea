/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Draw lists: shapes made of lines and triangles. */
#include <math.h>

#include "draw/faces.h"
#include "math/quaternion.h"

enum { TUBE_SIDES = 12, CIRCLE_SIDES = 48 };

static const double pi = 3.14159265358979323846;

/* Two unit directions normal to `axis` and to each other. false: it has no length. */
static bool basis(const double *axis, double *u, double *w) {
  double a[3];
  sofa_vec3_copy(axis, a);
  if (!(sofa_vec3_normalize(a) > 0)) return false;
  const double helper[3] = {fabs(a[0]) < 0.6, fabs(a[0]) >= 0.6, 0};
  sofa_vec3_cross(a, helper, u);
  sofa_vec3_normalize(u);
  sofa_vec3_cross(a, u, w);
  return true;
}

/* Circles that stand on an axis, of a number of steps. */
typedef struct Round {
  double u[3], w[3];
  int steps;
} Round;

/* center + radius (cos(t) u + sin(t) w) for step i */
static void on_circle(const Round *round, const double *center, double radius, int i, double *p) {
  const double t = 2 * pi * i / round->steps;
  sofa_vec3_copy(center, p);
  sofa_vec3_axpy(radius * cos(t), round->u, p);
  sofa_vec3_axpy(radius * sin(t), round->w, p);
}

void sofa_draw_tube(SofaDrawList *list, const double *a, const double *b, double radius_a,
                    double radius_b, SofaRgba color) {
  Round round = {.steps = TUBE_SIDES};
  double axis[3], a0[3], b0[3], a1[3], b1[3];
  sofa_vec3_sub(b, a, axis);
  if (!basis(axis, round.u, round.w)) return;
  on_circle(&round, a, radius_a, 0, a0);
  on_circle(&round, b, radius_b, 0, b0);
  for (int i = 1; i <= TUBE_SIDES; i++) {
    on_circle(&round, a, radius_a, i, a1);
    on_circle(&round, b, radius_b, i, b1);
    if (radius_a > 0) {
      sofa_draw_triangle(list, a0, a1, b1, color);
      sofa_draw_triangle(list, a, a1, a0, color);
    }
    if (radius_b > 0) {
      sofa_draw_triangle(list, a0, b1, b0, color);
      sofa_draw_triangle(list, b, b0, b1, color);
    }
    sofa_vec3_copy(a1, a0);
    sofa_vec3_copy(b1, b0);
  }
}

void sofa_draw_arrow(SofaDrawList *list, const double *a, const double *b, double radius,
                     SofaRgba color) {
  double neck[3];
  for (int k = 0; k < 3; k++) neck[k] = a[k] + 0.8 * (b[k] - a[k]);
  if (!(radius > 0)) {
    sofa_draw_line(list, a, b, 1, color);
    return;
  }
  sofa_draw_tube(list, a, neck, radius, radius, color);
  sofa_draw_tube(list, neck, b, 2.5 * radius, 0, color);
}

void sofa_draw_frame(SofaDrawList *list, const double *p, const double *q, double size) {
  for (int axis = 0; axis < 3; axis++) {
    double tip[3] = {0, 0, 0};
    tip[axis] = size;
    sofa_quat_rotate(q, tip, tip);
    sofa_vec3_add(p, tip, tip);
    sofa_draw_arrow(list, p, tip, 0.04 * size, SOFA_RGB(axis == 0, axis == 1, axis == 2));
  }
}

void sofa_draw_box(SofaDrawList *list, const double *min, const double *max, double pixels,
                   SofaRgba color) {
  const double *side[2] = {min, max};
  for (int axis = 0; axis < 3; axis++)
    for (int i = 0; i < 4; i++) {
      const int u = (axis + 1) % 3, w = (axis + 2) % 3;
      double a[3], b[3];
      a[u] = b[u] = side[i & 1][u];
      a[w] = b[w] = side[i >> 1][w];
      a[axis] = min[axis];
      b[axis] = max[axis];
      sofa_draw_line(list, a, b, pixels, color);
    }
}

void sofa_draw_circle(SofaDrawList *list, const double *center, const double *axis, double radius,
                      double pixels, SofaRgba color) {
  Round round = {.steps = CIRCLE_SIDES};
  double a[3], b[3];
  if (!basis(axis, round.u, round.w)) return;
  on_circle(&round, center, radius, 0, a);
  for (int i = 1; i <= CIRCLE_SIDES; i++) {
    on_circle(&round, center, radius, i, b);
    sofa_draw_line(list, a, b, pixels, color);
    sofa_vec3_copy(b, a);
  }
}

void sofa_draw_ellipsoid(SofaDrawList *list, const double *center, const double *q,
                         const double *radius, SofaRgba color) {
  enum { AROUND = 20, DOWN = 10 };
  for (int i = 0; i < DOWN; i++)
    for (int j = 0; j < AROUND; j++) {
      double corner[4][3];
      for (int k = 0; k < 4; k++) {
        const double down = pi * (i + k / 2) / DOWN,
                     around = 2 * pi * (j + (k == 1 || k == 2)) / AROUND;
        const double unit[3] = {sin(down) * cos(around), sin(down) * sin(around), cos(down)};
        for (int c = 0; c < 3; c++) corner[k][c] = radius[c] * unit[c];
        if (q) sofa_quat_rotate(q, corner[k], corner[k]);
        sofa_vec3_add(center, corner[k], corner[k]);
      }
      sofa_draw_triangle(list, corner[0], corner[2], corner[1], color);
      sofa_draw_triangle(list, corner[0], corner[3], corner[2], color);
    }
}

/* ---- elements ---- */

/* Faces of an element as local vertices; three or four of them, 255: none. */
typedef struct Shape {
  int n_faces, n_edges;
  uint8_t faces[6][4], edges[12][2];
} Shape;

static const Shape triangle = {1, 3, {{0, 1, 2, 255}}, {{0, 1}, {1, 2}, {2, 0}}};
static const Shape quad = {1, 4, {{0, 1, 2, 3}}, {{0, 1}, {1, 2}, {2, 3}, {3, 0}}};
static const Shape tetra = {4,
                            6,
                            {{0, 1, 2, 255}, {1, 2, 3, 255}, {2, 3, 0, 255}, {3, 0, 1, 255}},
                            {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}}};
static const Shape pyramid = {
    5,
    8,
    {{0, 1, 2, 3}, {0, 1, 4, 255}, {1, 2, 4, 255}, {2, 3, 4, 255}, {3, 0, 4, 255}},
    {{0, 1}, {1, 2}, {2, 3}, {3, 0}, {0, 4}, {1, 4}, {2, 4}, {3, 4}}};
static const Shape prism = {
    5,
    9,
    {{0, 1, 2, 255}, {3, 4, 5, 255}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}},
    {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}, {0, 3}, {1, 4}, {2, 5}}};
static const Shape hexa = {
    6,
    12,
    {{0, 1, 2, 3}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
    {{0, 1},
     {1, 2},
     {2, 3},
     {3, 0},
     {4, 5},
     {5, 6},
     {6, 7},
     {7, 4},
     {0, 4},
     {1, 5},
     {2, 6},
     {3, 7}}};

static const Shape *shape_of(unsigned width, bool quads) {
  switch (width) {
  case 3:
    return &triangle;
  case 4:
    return quads ? &quad : &tetra;
  case 5:
    return &pyramid;
  case 6:
    return &prism;
  case 8:
    return &hexa;
  default:
    return NULL;
  }
}

int sofa_draw_element_faces(unsigned width, bool quads, const uint8_t (**faces)[4]) {
  const Shape *shape = shape_of(width, quads);
  *faces = shape ? shape->faces : NULL;
  return shape ? shape->n_faces : 0;
}

/* Corners of an element, moved towards its centre. false: an index is out of range. */
static bool corners(const SofaDrawElements *how, const uint32_t *v, unsigned width,
                    double p[8][3]) {
  double center[3] = {0, 0, 0};
  for (unsigned i = 0; i < width; i++) {
    if (v[i] >= how->n_points) return false;
    const unsigned space = how->space ? how->space : 3;
    for (unsigned k = 0; k < 3; k++) p[i][k] = k < space ? how->x[v[i] * how->stride + k] : 0;
    sofa_vec3_axpy(1. / width, p[i], center);
  }
  for (unsigned i = 0; i < width; i++)
    for (int k = 0; k < 3; k++) p[i][k] = center[k] + how->shrink * (p[i][k] - center[k]);
  return true;
}

static void draw_faces(SofaDrawList *list, const SofaDrawElements *how, const Shape *shape,
                       double p[8][3], const SofaRgba *own) {
  for (int f = 0; f < shape->n_faces; f++) {
    const uint8_t *v = shape->faces[f];
    const SofaRgba color = own ? *own : how->color[f % 4];
    if (v[3] == 255) sofa_draw_triangle(list, p[v[0]], p[v[1]], p[v[2]], color);
    else sofa_draw_quad(list, p[v[0]], p[v[1]], p[v[2]], p[v[3]], color);
  }
}

void sofa_draw_elements(SofaDrawList *list, const SofaDrawElements *how, const uint32_t *v,
                        size_t n, unsigned width, bool quads) {
  static const Shape edge = {0, 1, {{0}}, {{0, 1}}};
  const Shape *shape = width == 2 ? &edge : shape_of(width, quads);
  if (!shape) return;
  for (size_t e = 0; e < n; e++) {
    double p[8][3];
    if (!corners(how, v + e * width, width, p)) continue;
    const SofaRgba *own = how->element_color ? &how->element_color[e] : NULL;
    if (!how->wireframe) draw_faces(list, how, shape, p, own);
    for (int i = 0; i < shape->n_edges && (how->wireframe || width == 2); i++)
      sofa_draw_line(list, p[shape->edges[i][0]], p[shape->edges[i][1]], 1,
                     own ? *own : how->color[0]);
  }
}
