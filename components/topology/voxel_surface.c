/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The surface around voxels by marching tetrahedra: every cube between samples is cut into six
 * tetrahedra along one diagonal, each of which the surface crosses in at most two triangles.
 * Source: A. Doi, A. Koide, An efficient method of triangulating equi-valued surfaces by using
 * tetrahedral cells, IEICE Transactions E74 (1991). */
#include <math.h>
#include <string.h>

#include "topology/tuple_map.h"
#include "math/vec.h"
#include "voxel_image.h"

/* Samples at -1 .. n along each axis, of which the first and last are outside. */
typedef struct Samples {
  SofaContext *ctx;
  const SofaVoxelImage *image;
  unsigned step;
  int n[3];
  float *value;
  SofaTupleMap edges; /* cut edges -> point */
  SofaVec3s *points;
  SofaTriangles *triangles;
} Samples;

static size_t rank(const Samples *s, int x, int y, int z) {
  return (size_t)x + (size_t)s->n[0] * ((size_t)y + (size_t)s->n[1] * (size_t)z);
}

/* Mean over the cube of voxels around one; what is outside counts as empty. */
static float mean(const SofaVoxelImage *image, const int at[3], unsigned smoothing) {
  const int w = smoothing > 1 ? (int)(smoothing / 2) : 0;
  size_t sum = 0;
  for (int z = at[2] - w; z <= at[2] + w; z++)
    for (int y = at[1] - w; y <= at[1] + w; y++)
      for (int x = at[0] - w; x <= at[0] + w; x++) {
        if (x < 0 || y < 0 || z < 0 || x >= image->n[0] || y >= image->n[1] || z >= image->n[2])
          continue;
        sum += image->used.data[(size_t)x + (size_t)image->n[0] *
                                                ((size_t)y + (size_t)image->n[1] * (size_t)z)];
      }
  const double side = 2 * w + 1;
  return (float)((double)sum / (side * side * side));
}

static void fill(Samples *s, unsigned smoothing) {
  for (int z = 0; z < s->n[2]; z++)
    for (int y = 0; y < s->n[1]; y++)
      for (int x = 0; x < s->n[0]; x++) {
        const int step = (int)s->step;
        const int at[3] = {(x - 1) * step, (y - 1) * step, (z - 1) * step};
        const bool border =
            !x || !y || !z || x == s->n[0] - 1 || y == s->n[1] - 1 || z == s->n[2] - 1;
        s->value[rank(s, x, y, z)] = border ? 0 : mean(s->image, at, smoothing);
      }
}

static void position(const Samples *s, size_t i, double p[3]) {
  const size_t nx = (size_t)s->n[0], ny = (size_t)s->n[1];
  const double at[3] = {(double)(i % nx), (double)(i / nx % ny), (double)(i / nx / ny)};
  for (int k = 0; k < 3; k++) p[k] = ((at[k] - 1) * s->step + 0.5) * s->image->size[k];
}

/* The point where the surface cuts the edge between two samples. */
static SofaErr cut(Samples *s, size_t a, size_t b, uint32_t *point) {
  const SofaTuple key = sofa_tuple2((uint32_t)a, (uint32_t)b);
  const uint32_t next = (uint32_t)s->points->n;
  SOFA_TRY(sofa_tuple_map_add(s->ctx, &s->edges, &key, next, point));
  if (*point != next) return SOFA_OK;
  const double u = (double)s->value[key.v[0]], v = (double)s->value[key.v[1]];
  const double t = (0.5 - u) / (v - u);
  double p[3], q[3];
  SofaVec3 x;
  position(s, key.v[0], p);
  position(s, key.v[1], q);
  for (int k = 0; k < 3; k++) x.v[k] = (1 - t) * p[k] + t * q[k];
  return SOFA_APPEND(s->ctx, s->points, &x);
}

/* A triangle that looks away from the sample `inside`. */
static SofaErr add_triangle(Samples *s, const uint32_t v[3], size_t inside) {
  SofaTriangle t = {{v[0], v[1], v[2]}};
  const double *a = s->points->data[v[0]].v;
  double p[3], e[3], f[3], normal[3], way[3];
  position(s, inside, p);
  sofa_vec3_sub(s->points->data[v[1]].v, a, e);
  sofa_vec3_sub(s->points->data[v[2]].v, a, f);
  sofa_vec3_cross(e, f, normal);
  sofa_vec3_sub(a, p, way);
  if (sofa_vec3_dot(normal, way) < 0) t = (SofaTriangle){{v[0], v[2], v[1]}};
  return SOFA_APPEND(s->ctx, s->triangles, &t);
}

/* One corner or three on one side: a triangle; two and two: a quad of two triangles. */
static SofaErr add_tetrahedron(Samples *s, const size_t v[4]) {
  size_t in[4], out[4];
  unsigned n_in = 0, n_out = 0;
  uint32_t p[4];
  for (int k = 0; k < 4; k++) {
    if (s->value[v[k]] > 0.5F) in[n_in++] = v[k];
    else out[n_out++] = v[k];
  }
  if (!n_in || !n_out) return SOFA_OK;
  if (n_in == 2) {
    const size_t ends[4][2] = {{in[0], out[0]}, {in[0], out[1]}, {in[1], out[1]}, {in[1], out[0]}};
    for (int k = 0; k < 4; k++) SOFA_TRY(cut(s, ends[k][0], ends[k][1], &p[k]));
    SOFA_TRY(add_triangle(s, (const uint32_t[3]){p[0], p[1], p[2]}, in[0]));
    return add_triangle(s, (const uint32_t[3]){p[0], p[2], p[3]}, in[0]);
  }
  for (int k = 0; k < 3; k++)
    SOFA_TRY(cut(s, in[n_in == 1 ? 0 : k], out[n_in == 1 ? k : 0], &p[k]));
  return add_triangle(s, p, in[0]);
}

static SofaErr add_cube(Samples *s, int x, int y, int z) {
  // along the diagonal from the first to the last corner, so that neighbours agree
  static const uint8_t tetrahedra[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                           {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};
  for (int t = 0; t < 6; t++) {
    size_t v[4];
    for (int k = 0; k < 4; k++) {
      const int c = tetrahedra[t][k];
      v[k] = rank(s, x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
    }
    SOFA_TRY(add_tetrahedron(s, v));
  }
  return SOFA_OK;
}

SofaErr sofa_voxel_image_surface(SofaContext *ctx, const SofaVoxelImage *image, unsigned step,
                                 unsigned smoothing, SofaVec3s *points, SofaTriangles *triangles) {
  Samples s = {.ctx = ctx, .image = image, .step = step, .points = points, .triangles = triangles};
  SofaErr err = SOFA_OK;
  points->n = triangles->n = 0;
  for (int k = 0; k < 3; k++) s.n[k] = (image->n[k] - 1) / (int)step + 3;
  s.value = sofa_alloc(ctx, (size_t)s.n[0] * (size_t)s.n[1] * (size_t)s.n[2], sizeof *s.value);
  if (!s.value) return SOFA_ERR_MEMORY;
  fill(&s, smoothing);
  for (int z = 0; z + 1 < s.n[2]; z++)
    for (int y = 0; y + 1 < s.n[1]; y++)
      for (int x = 0; x + 1 < s.n[0]; x++) SOFA_GO(err, done, add_cube(&s, x, y, z));
done:
  sofa_tuple_map_free(ctx, &s.edges);
  sofa_free(ctx, s.value);
  return err;
}
