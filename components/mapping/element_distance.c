/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Local coordinates, measures and weights of the elements that points are mapped by. */
#include "element_distance.h"

#include <math.h>
#include "math/vec.h"

/* Vertices at the ends of the first and second (and third) local axis, from vertex 0. */
static void axis_vertices(SofaElementKind kind, int a[3]) {
  a[0] = 1;
  a[1] = kind == SOFA_ELEMENT_TRIANGLE || kind == SOFA_ELEMENT_TETRA ? 2 : 3;
  a[2] = kind == SOFA_ELEMENT_TETRA ? 3 : 4;
}

static bool is_surface(SofaElementKind kind) {
  return kind == SOFA_ELEMENT_TRIANGLE || kind == SOFA_ELEMENT_QUAD;
}

/* Local axes as columns of b. */
static void local_axes(SofaElementKind kind, const uint32_t *v, const double *x, size_t stride,
                       double b[9]) {
  int a[3];
  double d[3][3];
  axis_vertices(kind, a);
  const int n = is_surface(kind) ? 2 : 3;
  for (int k = 0; k < n; k++) sofa_vec3_sub(x + v[a[k]] * stride, x + v[0] * stride, d[k]);
  if (n == 2) sofa_vec3_cross(d[0], d[1], d[2]);
  for (int k = 0; k < 3; k++)
    for (int i = 0; i < 3; i++) b[3 * i + k] = d[k][i];
}

/* Inverse by cofactors; false when there is none. */
static bool invert(const double m[9], double out[9]) {
  const double c[3] = {m[4] * m[8] - m[7] * m[5], m[7] * m[2] - m[1] * m[8],
                       m[1] * m[5] - m[4] * m[2]};
  const double det = m[0] * c[0] + m[3] * c[1] + m[6] * c[2];
  if (!(fabs(det) > 1e-100)) return false;
  const double r[9] = {c[0],
                       c[1],
                       c[2],
                       m[5] * m[6] - m[3] * m[8],
                       m[0] * m[8] - m[2] * m[6],
                       m[2] * m[3] - m[0] * m[5],
                       m[3] * m[7] - m[4] * m[6],
                       m[1] * m[6] - m[0] * m[7],
                       m[0] * m[4] - m[1] * m[3]};
  for (int k = 0; k < 9; k++) out[k] = r[k] / det;
  return true;
}

static void prepare(SofaElementKind kind, const uint32_t *v, unsigned width, const double *x,
                    size_t stride, SofaMapElement *e) {
  double sum[3] = {0, 0, 0};
  e->v = v;
  e->kind = (uint8_t)kind;
  for (unsigned k = 0; k < width; k++) sofa_vec3_add(sum, x + v[k] * stride, sum);
  for (int i = 0; i < 3; i++) e->centre[i] = sum[i] / width;
  sofa_vec3_copy(x + v[0] * stride, e->origin);
  local_axes(kind, v, x, stride, e->axes);
  e->flat = !invert(e->axes, e->inverse);
}

SofaErr sofa_map_elements(SofaContext *ctx, const SofaMesh *mesh, const SofaElementKind *kinds,
                          size_t n_kinds, const double *x, size_t stride, SofaMapElements *out) {
  size_t n = 0;
  for (size_t k = 0; k < n_kinds; k++) n += sofa_mesh_elements(mesh, kinds[k]).n;
  out->data = (SofaMapElement *)sofa_alloc(ctx, n + 1, sizeof *out->data);
  if (!out->data) return SOFA_ERR_MEMORY;
  out->n = 0;
  for (size_t k = 0; k < n_kinds; k++) {
    const SofaElements list = sofa_mesh_elements(mesh, kinds[k]);
    for (size_t i = 0; i < list.n; i++)
      prepare(kinds[k], list.v + i * list.width, list.width, x, stride, &out->data[out->n++]);
  }
  return SOFA_OK;
}

void sofa_map_elements_free(SofaContext *ctx, SofaMapElements *elements) {
  sofa_free(ctx, elements->data);
  *elements = (SofaMapElements){0};
}

void sofa_map_local(const SofaMapElement *e, const double p[3], double v[3]) {
  double d[3];
  sofa_vec3_sub(p, e->origin, d);
  for (int i = 0; i < 3; i++)
    v[i] = e->inverse[3 * i] * d[0] + e->inverse[3 * i + 1] * d[1] + e->inverse[3 * i + 2] * d[2];
}

static double max2(double a, double b) {
  return a > b ? a : b;
}

double sofa_map_inside(const SofaMapElement *e, const double p[3]) {
  double v[3];
  if (e->flat) return INFINITY;
  sofa_map_local(e, p, v);
  const double low = max2(-v[0], -v[1]);
  switch ((SofaElementKind)e->kind) {
  case SOFA_ELEMENT_TETRA:
    return max2(max2(low, -v[2]), v[0] + v[1] + v[2] - 1);
  case SOFA_ELEMENT_TRIANGLE:
    return max2(max2(low, v[0] + v[1] - 1), fabs(v[2]) - 0.01);
  case SOFA_ELEMENT_QUAD:
    return max2(max2(low, max2(v[0], v[1]) - 1), fabs(v[2]) - 0.01);
  default:
    return max2(max2(low, -v[2]), max2(max2(v[0], v[1]), v[2]) - 1);
  }
}

double sofa_map_centre_distance(const SofaMapElement *e, const double p[3]) {
  double d[3];
  sofa_vec3_sub(p, e->centre, d);
  return sofa_vec3_norm2(d);
}

double sofa_map_value(const SofaMapElement *e, const double p[3]) {
  const double inside = sofa_map_inside(e, p);
  return inside > 0 ? sofa_map_centre_distance(e, p) : inside;
}

unsigned sofa_map_weights(SofaElementKind kind, const double v[3], double *w) {
  const double a = v[0], b = v[1], c = v[2];
  switch (kind) {
  case SOFA_ELEMENT_EDGE:
    w[0] = 1 - a, w[1] = a;
    return 2;
  case SOFA_ELEMENT_TRIANGLE:
    w[0] = 1 - a - b, w[1] = a, w[2] = b;
    return 3;
  case SOFA_ELEMENT_TETRA:
    w[0] = 1 - a - b - c, w[1] = a, w[2] = b, w[3] = c;
    return 4;
  case SOFA_ELEMENT_QUAD:
    w[0] = (1 - a) * (1 - b), w[1] = a * (1 - b), w[2] = a * b, w[3] = (1 - a) * b;
    return 4;
  default:
    for (int top = 0; top < 2; top++) {
      const double h = top ? c : 1 - c;
      double *q = w + 4 * top;
      q[0] = (1 - a) * (1 - b) * h, q[1] = a * (1 - b) * h;
      q[2] = a * b * h, q[3] = (1 - a) * b * h;
    }
    return 8;
  }
}

void sofa_map_inside_box(const SofaMapElement *e, double min[3], double max[3]) {
  const SofaElementKind kind = (SofaElementKind)e->kind;
  for (int i = 0; i < 3; i++) {
    double low = 0, high = 0, size = fabs(e->origin[i]);
    for (int k = 0; k < 3; k++) {
      const double reach = e->axes[3 * i + k];
      size += fabs(reach);
      if (k == 2 && is_surface(kind)) {
        low -= 0.01 * fabs(reach), high += 0.01 * fabs(reach);
      } else if (kind == SOFA_ELEMENT_TETRA || kind == SOFA_ELEMENT_TRIANGLE) {
        low = fmin(low, reach), high = fmax(high, reach);
      } else {
        low += fmin(reach, 0), high += fmax(reach, 0);
      }
    }
    min[i] = e->origin[i] + low - 1e-6 * size;
    max[i] = e->origin[i] + high + 1e-6 * size;
  }
}
