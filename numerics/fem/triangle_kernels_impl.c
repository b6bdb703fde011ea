/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of plane triangles, compiled once per instruction set with KERNELS_ISA naming it: the
 * formulas of triangle_element.h, an element in each lane. */
#include "numerics/fem/triangle_kernels.h"

#include "numerics/fem/lane_points_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* The elements of a register's lanes; lanes beyond `count` repeat the last one. */
typedef struct Triangles {
  SofaTriangleElement *of[LANES];
  size_t count;
} Triangles;

static inline Triangles lanes_from(SofaTriangleElement *elements, size_t begin, size_t end) {
  Triangles t;
  t.count = end - begin < LANES ? end - begin : LANES;
  for (size_t l = 0; l < LANES; l++) t.of[l] = elements + (begin + l < end ? begin + l : end - 1);
  return t;
}

/* Four reals of every element, `at` bytes behind its begin. */
static inline void load_four(const Triangles *t, size_t at, Lanes *out) {
  const char *from[LANES];
  for (int l = 0; l < LANES; l++) from[l] = (const char *)t->of[l] + at;
  load_four_lanes(from, out);
}

/* A list of four or six reals. */
#define LOAD(t, member, out)                                                                       \
  do {                                                                                             \
    const size_t n_ = sizeof((t)->of[0]->member) / sizeof(double);                                 \
    load_four(t, offsetof(SofaTriangleElement, member), out);                                      \
    if (n_ > 4)                                                                                    \
      load_four(t, offsetof(SofaTriangleElement, member) + (n_ - 4) * sizeof(double),              \
                (out) + (n_ - 4));                                                                 \
  } while (0)

#define STORE(t, member, in)                                                                       \
  do {                                                                                             \
    enum { N_ = sizeof((t)->of[0]->member) / sizeof(double) };                                     \
    double rows_[N_][LANES];                                                                       \
    for (int k_ = 0; k_ < N_; k_++) lanes_store(rows_[k_], (in)[k_]);                              \
    for (size_t l_ = 0; l_ < (t)->count; l_++)                                                     \
      for (int k_ = 0; k_ < N_; k_++) (t)->of[l_]->member[k_] = rows_[k_][l_];                     \
  } while (0)

/* b - a and c - a. */
static inline void edges_at(const Triangles *t, const double *x, Lanes *ab, Lanes *ac) {
  Lanes a[3];
  uint32_t v[3][LANES];
  for (int l = 0; l < LANES; l++)
    for (int n = 0; n < 3; n++) v[n][l] = t->of[l]->v[n];
  load_node(v[0], x, a);
  load_node(v[1], x, ab);
  load_node(v[2], x, ac);
  for (int i = 0; i < 3; i++) {
    ab[i] = ab[i] - a[i];
    ac[i] = ac[i] - a[i];
  }
}

/* Axes of triangles and their edges p in them. */
static inline void turned_shape(const Lanes *ab, const Lanes *ac, Lanes *axes, Lanes *p) {
  const Lanes one = lanes_set(1);
  Lanes n[3], y[3];
  lanes_cross(ab, ac, n);
  lanes_cross(n, ab, y);
  const Lanes length = lanes_sqrt(lanes_dot3(ab, ab)), area2 = lanes_sqrt(lanes_dot3(n, n));
  const Lanes inverse = one / length, along = inverse * (one / area2);
  for (int i = 0; i < 3; i++) {
    axes[i] = inverse * ab[i];
    axes[3 + i] = along * y[i];
  }
  p[0] = length;
  p[1] = lanes_set(0); // the x axis is along ab
  p[2] = lanes_dot3(axes, ac);
  p[3] = area2 * inverse;
}

static inline void project(const Lanes *axes, const Lanes *edge, Lanes *p) {
  p[0] = lanes_dot3(axes, edge);
  p[1] = lanes_dot3(axes + 3, edge);
}

static inline void gradients(const Lanes *p, Lanes det, Lanes *g) {
  const Lanes inverse = lanes_set(1) / det;
  g[0] = p[3] * inverse;
  g[1] = -p[2] * inverse;
  g[2] = -p[1] * inverse;
  g[3] = p[0] * inverse;
}

/* Axes, edges in them and gradients by the method; the latter are given. */
static inline void shape_at(SofaTriangleMethod method, const Lanes *ab, const Lanes *ac,
                            Lanes *axes, Lanes *p, Lanes *g) {
  if (method == SOFA_TRIANGLE_LARGE || method == SOFA_TRIANGLE_CURRENT) {
    turned_shape(ab, ac, axes, p);
  } else {
    project(axes, ab, p);
    project(axes, ac, p + 2);
  }
  if (method == SOFA_TRIANGLE_CURRENT || method == SOFA_TRIANGLE_WORLD_FLAT)
    gradients(p, p[0] * p[3], g);
  if (method == SOFA_TRIANGLE_WORLD_FLAT) g[2] = lanes_set(0);
  if (method == SOFA_TRIANGLE_WORLD) {
    Lanes n[3];
    lanes_cross(ab, ac, n);
    gradients(p, lanes_sqrt(lanes_dot3(n, n)), g);
  }
}

/* Forces of b and c in the world from displacements u in the axes. */
static inline void forces(const Triangles *t, const Lanes *axes, const Lanes *g, const Lanes *u,
                          double (*out)[6]) {
  Lanes c[SOFA_TRIANGLE_LAW], f[6];
  LOAD(t, law, c);
  const Lanes ex = lanes_madd(g[0], u[0], g[2] * u[2]), ey = lanes_madd(g[1], u[1], g[3] * u[3]);
  const Lanes shear = lanes_madd(g[1], u[0], g[0] * u[1]) + lanes_madd(g[3], u[2], g[2] * u[3]);
  const Lanes sx = lanes_madd(c[0], ex, lanes_madd(c[1], ey, c[2] * shear));
  const Lanes sy = lanes_madd(c[1], ex, lanes_madd(c[3], ey, c[4] * shear));
  const Lanes sxy = lanes_madd(c[2], ex, lanes_madd(c[4], ey, c[5] * shear));
  for (int n = 0; n < 2; n++) {
    const Lanes fx = lanes_madd(g[2 * n], sx, g[2 * n + 1] * sxy);
    const Lanes fy = lanes_madd(g[2 * n + 1], sy, g[2 * n] * sxy);
    for (int i = 0; i < 3; i++) f[3 * n + i] = lanes_madd(axes[i], fx, axes[3 + i] * fy);
  }
  double rows[6][LANES];
  for (int k = 0; k < 6; k++) lanes_store(rows[k], f[k]);
  for (size_t l = 0; l < t->count; l++)
    for (int k = 0; k < 6; k++) out[l][k] = rows[k][l];
}

static void force(SofaTriangleBatch *b, size_t begin, size_t end, const double *x,
                  double (*out)[6]) {
  const SofaTriangleMethod method = b->method;
  const bool turns = method == SOFA_TRIANGLE_LARGE || method == SOFA_TRIANGLE_CURRENT;
  for (size_t e = begin; e < end; e += LANES) {
    const Triangles t = lanes_from(b->elements, e, end);
    Lanes ab[3], ac[3], axes[6], p[4], g[4], q[4], u[4];
    edges_at(&t, x, ab, ac);
    LOAD(&t, g, g);
    if (!turns) LOAD(&t, axes, axes);
    shape_at(method, ab, ac, axes, p, g);
    if (turns) STORE(&t, axes, axes);
    if (method != SOFA_TRIANGLE_SMALL && method != SOFA_TRIANGLE_LARGE) STORE(&t, g, g);
    LOAD(&t, q, q);
    for (int i = 0; i < 4; i++) u[i] = q[i] - p[i];
    forces(&t, axes, g, u, out + (e - begin));
  }
}

static void dforce(const SofaTriangleBatch *b, size_t begin, size_t end, double factor,
                   const double *dx, double (*out)[6]) {
  const Lanes scale = lanes_set(-factor);
  for (size_t e = begin; e < end; e += LANES) {
    const Triangles t = lanes_from(b->elements, e, end);
    Lanes ab[3], ac[3], axes[6], g[4], u[4];
    edges_at(&t, dx, ab, ac);
    LOAD(&t, axes, axes);
    LOAD(&t, g, g);
    project(axes, ab, u);
    project(axes, ac, u + 2);
    for (int i = 0; i < 4; i++) u[i] = scale * u[i];
    forces(&t, axes, g, u, out + (e - begin));
  }
}

/* ---- blocks: -E^T S_mn E with S_mn = G_m^T C G_n, 2 x 2, row major ---- */

/* Strain by the displacement (ux, uy) of a node is the matrix of rows (gx, 0), (0, gy), (gy, gx).
 */
static inline void plane_block(const Lanes *c, const Lanes *m, const Lanes *n, Lanes *s) {
  Lanes t[6];
  for (int i = 0; i < 3; i++) {
    static const int row[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    const Lanes x = c[row[i][0]], y = c[row[i][1]], xy = c[row[i][2]];
    t[2 * i] = lanes_madd(x, n[0], xy * n[1]);
    t[2 * i + 1] = lanes_madd(y, n[1], xy * n[0]);
  }
  for (int j = 0; j < 2; j++) {
    s[j] = lanes_madd(m[0], t[j], m[1] * t[4 + j]);
    s[2 + j] = lanes_madd(m[1], t[2 + j], m[0] * t[4 + j]);
  }
}

static inline void world_block(const Lanes *axes, const Lanes *s, Lanes *block) {
  Lanes p[6];
  for (int i = 0; i < 3; i++) {
    p[i] = lanes_madd(s[0], axes[i], s[1] * axes[3 + i]);
    p[3 + i] = lanes_madd(s[2], axes[i], s[3] * axes[3 + i]);
  }
  for (int e = 0; e < 9; e++)
    block[e] = lanes_madd(axes[e / 3], p[e % 3], axes[3 + e / 3] * p[3 + e % 3]);
}

/* The gradients of the three nodes sum up to 0. */
static inline void register_blocks(const Triangles *t, double *to) {
  Lanes axes[6], c[SOFA_TRIANGLE_LAW], g[4], minus[SOFA_TRIANGLE_LAW], bb[4], bc[4], cc[4], s[3][4];
  LOAD(t, axes, axes);
  LOAD(t, g, g);
  LOAD(t, law, c);
  for (int k = 0; k < SOFA_TRIANGLE_LAW; k++) minus[k] = -c[k];
  plane_block(minus, g, g, bb);
  plane_block(minus, g, g + 2, bc);
  plane_block(minus, g + 2, g + 2, cc);
  for (int k = 0; k < 4; k++) {
    s[0][k] = -(bb[k] + bc[k / 2 + k % 2 * 2]); // the transposed one is of c and b
    s[1][k] = bc[k];
    s[2][k] = -(bc[k / 2 + k % 2 * 2] + cc[k]);
  }
  for (int k = 0; k < 3; k++) {
    Lanes block[9];
    world_block(axes, s[k], block);
    put_nine(block, 27, to + 9 * k);
  }
}

static void blocks(const SofaTriangleBatch *b, size_t begin, size_t end, double *to) {
  for (size_t e = begin; e < end; e += LANES, to += 27 * LANES) {
    const Triangles t = lanes_from(b->elements, e, end);
    register_blocks(&t, to);
  }
}

const SofaTriangleKernels CAT(sofa_triangle_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .force = force,
    .dforce = dforce,
    .blocks = blocks,
};
