/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of plane triangles, compiled once per instruction set with KERNELS_ISA naming it: the
 * formulas of triangle_element.h, an element in each lane. */
#include "numerics/fem/triangle_kernels.h"

#include "numerics/fem/lane_points_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* What kernels are compiled for. */
typedef struct Form {
  SofaTriangleMethod method;
  bool anisotropic;
} Form;

ALWAYS bool turns(Form form) {
  return form.method == SOFA_TRIANGLE_LARGE || form.method == SOFA_TRIANGLE_CURRENT;
}

/* Has the gradient of c an x? Else the x axis is along b - a, or is taken for it. */
ALWAYS bool is_slanted(Form form) {
  return form.method == SOFA_TRIANGLE_WORLD;
}

ALWAYS void load_rows(const double (*rows)[SOFA_LANES], size_t s, size_t n, Lanes *out) {
  for (size_t k = 0; k < n; k++) out[k] = lanes_load(rows[k] + s);
}
#define LOAD(group, s, member, out)                                                                \
  load_rows((const double(*)[SOFA_LANES])(group)->member, s,                                       \
            sizeof(group)->member / sizeof *(group)->member, out)

ALWAYS void store_rows(const Lanes *in, size_t s, size_t n, double (*rows)[SOFA_LANES]) {
  for (size_t k = 0; k < n; k++) lanes_store(rows[k] + s, in[k]);
}

/* b - a and c - a. */
ALWAYS void edges_at(const SofaTriangleGroup *group, size_t s, const double *x, Lanes *ab,
                     Lanes *ac) {
  load_differences(1, group->v[0] + s, x, group->v[1] + s, x, ab);
  load_differences(1, group->v[0] + s, x, group->v[2] + s, x, ac);
}

/* Axes of triangles, their edges p in them and the gradients that these have; one division. */
ALWAYS void turned_shape(const Lanes *ab, const Lanes *ac, Lanes *axes, Lanes *p, Lanes *g) {
  Lanes n[3], y[3];
  lanes_cross(ab, ac, n);
  lanes_cross(n, ab, y);
  const Lanes length = lanes_sqrt(lanes_dot3(ab, ab)), area2 = lanes_sqrt(lanes_dot3(n, n));
  const Lanes both = lanes_set(1) / (length * area2), inverse = both * area2;
  const Lanes by_area = both * length, along = inverse * by_area;
  for (int i = 0; i < 3; i++) {
    axes[i] = inverse * ab[i];
    axes[3 + i] = along * y[i];
  }
  p[0] = length;
  p[1] = lanes_set(0); // the x axis is along ab
  p[2] = lanes_dot3(axes, ac);
  p[3] = area2 * inverse;
  g[0] = inverse;
  g[1] = -p[2] * by_area;
  g[2] = lanes_set(0);
  g[3] = length * by_area;
}

ALWAYS void project(const Lanes *axes, const Lanes *edge, Lanes *p) {
  p[0] = lanes_dot3(axes, edge);
  p[1] = lanes_dot3(axes + 3, edge);
}

ALWAYS void gradients(const Lanes *p, Lanes det, Lanes *g) {
  const Lanes inverse = lanes_set(1) / det;
  g[0] = p[3] * inverse;
  g[1] = -p[2] * inverse;
  g[2] = -p[1] * inverse;
  g[3] = p[0] * inverse;
}

/* Axes, edges in them and gradients of lanes. */
typedef struct Shape {
  Lanes axes[6], p[4], g[4];
} Shape;

/* Those at x, which are kept where they change. */
ALWAYS void shape_at(Form form, SofaTriangleGroup *group, size_t s, const double *x, Shape *shape) {
  Lanes ab[3], ac[3], n[3], *axes = shape->axes, *p = shape->p, *g = shape->g;
  edges_at(group, s, x, ab, ac);
  if (turns(form)) {
    turned_shape(ab, ac, axes, p, g);
    store_rows(axes, s, 6, group->axes);
  } else {
    LOAD(group, s, axes, axes);
    project(axes, ab, p);
    project(axes, ac, p + 2);
  }
  switch (form.method) {
  case SOFA_TRIANGLE_SMALL:
  case SOFA_TRIANGLE_LARGE:
    LOAD(group, s, g, g);
    return;
  case SOFA_TRIANGLE_CURRENT:
    break;
  case SOFA_TRIANGLE_WORLD:
    lanes_cross(ab, ac, n);
    gradients(p, lanes_sqrt(lanes_dot3(n, n)), g);
    break;
  case SOFA_TRIANGLE_WORLD_FLAT:
    gradients(p, p[0] * p[3], g);
    break;
  }
  store_rows(g, s, 2, group->g);
  if (is_slanted(form)) store_rows(g + 2, s, 1, group->g + 2);
  store_rows(g + 3, s, 1, group->g + 3);
}

/* A t C e */
ALWAYS void stress_of(Form form, const SofaTriangleGroup *group, size_t s, const Lanes *e,
                      Lanes *stress) {
  Lanes c[SOFA_TRIANGLE_LAW];
  LOAD(group, s, law, c);
  if (form.anisotropic) {
    stress[0] = lanes_madd(c[0], e[0], lanes_madd(c[1], e[1], c[2] * e[2]));
    stress[1] = lanes_madd(c[1], e[0], lanes_madd(c[3], e[1], c[4] * e[2]));
    stress[2] = lanes_madd(c[2], e[0], lanes_madd(c[4], e[1], c[5] * e[2]));
  } else {
    stress[0] = lanes_madd(c[0], e[0], c[1] * e[1]);
    stress[1] = lanes_madd(c[1], e[0], c[0] * e[1]);
    stress[2] = c[5] * e[2];
  }
}

/* Strain of displacements u in the axes. flat: that of b along y is 0. */
ALWAYS void strain_of(Form form, bool flat, const Lanes *g, const Lanes *u, Lanes *e) {
  e[0] = g[0] * u[0];
  e[1] = g[3] * u[3];
  e[2] = lanes_madd(g[1], u[0], g[3] * u[2]);
  if (!flat) {
    e[1] = lanes_madd(g[1], u[1], e[1]);
    e[2] = lanes_madd(g[0], u[1], e[2]);
  }
  if (is_slanted(form)) {
    e[0] = lanes_madd(g[2], u[2], e[0]);
    e[2] = lanes_madd(g[2], u[3], e[2]);
  }
}

/* Forces of a, b and c in the world. */
ALWAYS void forces_of(Form form, const Lanes *axes, const Lanes *g, const Lanes *stress,
                      Lanes (*f)[3]) {
  Lanes x[2], y[2];
  x[0] = lanes_madd(g[0], stress[0], g[1] * stress[2]);
  y[0] = lanes_madd(g[1], stress[1], g[0] * stress[2]);
  x[1] = g[3] * stress[2];
  y[1] = g[3] * stress[1];
  if (is_slanted(form)) {
    x[1] = lanes_madd(g[2], stress[0], x[1]);
    y[1] = lanes_madd(g[2], stress[2], y[1]);
  }
  for (int i = 0; i < 3; i++) {
    f[1][i] = lanes_madd(axes[i], x[0], axes[3 + i] * y[0]);
    f[2][i] = lanes_madd(axes[i], x[1], axes[3 + i] * y[1]);
    f[0][i] = -(f[1][i] + f[2][i]);
  }
}

/* Elements begin .. end - 1 and where their vectors go. */
typedef struct Range {
  size_t begin, end;
  SofaVectorsTo to;
} Range;

/* Gives the vectors of a group of them from `first` on. */
ALWAYS void give(const SofaTriangleBatch *b, const Range *range, size_t first,
                 const double (*rows)[SOFA_LANES]) {
  const SofaTriangleGroup *group = &b->groups[first / SOFA_LANES];
  const size_t left = range->end - first, count = left < SOFA_LANES ? left : SOFA_LANES;
  const SofaVectorsTo to = range->to;
  if (to.parts) put_vectors(9, rows, count, to.parts + 9 * (first - range->begin));
  else scatter(3, 3, (const uint32_t(*)[SOFA_LANES])group->v, rows, count, to.f);
}

ALWAYS void force_form(Form form, SofaTriangleBatch *b, Range range, const double *x) {
  for (size_t e = range.begin; e < range.end; e += SOFA_LANES) {
    SofaTriangleGroup *group = &b->groups[e / SOFA_LANES];
    double rows[9][SOFA_LANES];
    for (size_t s = 0; s < SOFA_LANES && e + s < range.end; s += LANES) {
      Shape shape;
      Lanes u[4], strain[3], stress[3], f[3][3];
      shape_at(form, group, s, x, &shape);
      LOAD(group, s, q, u);
      for (int i = 0; i < 4; i++) u[i] = u[i] - shape.p[i];
      strain_of(form, turns(form), shape.g, u, strain);
      stress_of(form, group, s, strain, stress);
      forces_of(form, shape.axes, shape.g, stress, f);
      store_rows(f[0], s, 9, rows);
    }
    give(b, &range, e, (const double(*)[SOFA_LANES])rows);
  }
}

/* The laws of quirks are not looked at. */
static void force(SofaTriangleBatch *b, size_t begin, size_t end, const double *x,
                  SofaVectorsTo to) {
  const Range range = {begin, end, to};
#define CASE(method, anisotropic)                                                                  \
  force_form((Form){SOFA_TRIANGLE_##method, anisotropic}, b, range, x);                            \
  break
  switch (2 * b->method + b->anisotropic) {
  case 2 * SOFA_TRIANGLE_SMALL:
    CASE(SMALL, false);
  case 2 * SOFA_TRIANGLE_SMALL + 1:
    CASE(SMALL, true);
  case 2 * SOFA_TRIANGLE_LARGE:
    CASE(LARGE, false);
  case 2 * SOFA_TRIANGLE_LARGE + 1:
    CASE(LARGE, true);
  case 2 * SOFA_TRIANGLE_CURRENT:
    CASE(CURRENT, false);
  case 2 * SOFA_TRIANGLE_CURRENT + 1:
    CASE(CURRENT, true);
  case 2 * SOFA_TRIANGLE_WORLD:
  case 2 * SOFA_TRIANGLE_WORLD + 1:
    CASE(WORLD, true);
  default:
    CASE(WORLD_FLAT, true);
  }
#undef CASE
}

ALWAYS void dforce_form(Form form, const SofaTriangleBatch *b, Range range, double factor,
                        const double *dx) {
  const Lanes scale = lanes_set(-factor);
  for (size_t e = range.begin; e < range.end; e += SOFA_LANES) {
    const SofaTriangleGroup *group = &b->groups[e / SOFA_LANES];
    double rows[9][SOFA_LANES];
    for (size_t s = 0; s < SOFA_LANES && e + s < range.end; s += LANES) {
      Lanes ab[3], ac[3], axes[6], g[4], u[4], strain[3], stress[3], f[3][3];
      edges_at(group, s, dx, ab, ac);
      LOAD(group, s, axes, axes);
      LOAD(group, s, g, g);
      project(axes, ab, u);
      project(axes, ac, u + 2);
      strain_of(form, false, g, u, strain);
      stress_of(form, group, s, strain, stress);
      for (int i = 0; i < 3; i++) stress[i] = scale * stress[i];
      forces_of(form, axes, g, stress, f);
      store_rows(f[0], s, 9, rows);
    }
    give(b, &range, e, (const double(*)[SOFA_LANES])rows);
  }
}

/* Products differ by the gradients alone. */
static void dforce(const SofaTriangleBatch *b, size_t begin, size_t end, double factor,
                   const double *dx, SofaVectorsTo to) {
  const Range range = {begin, end, to};
  if (b->method == SOFA_TRIANGLE_WORLD)
    dforce_form((Form){SOFA_TRIANGLE_WORLD, true}, b, range, factor, dx);
  else if (b->anisotropic) dforce_form((Form){SOFA_TRIANGLE_LARGE, true}, b, range, factor, dx);
  else dforce_form((Form){SOFA_TRIANGLE_LARGE, false}, b, range, factor, dx);
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
static inline void register_blocks(const SofaTriangleGroup *group, size_t at, double *to) {
  Lanes axes[6], c[SOFA_TRIANGLE_LAW], g[4], minus[SOFA_TRIANGLE_LAW], bb[4], bc[4], cc[4], s[3][4];
  LOAD(group, at, axes, axes);
  LOAD(group, at, g, g);
  LOAD(group, at, law, c);
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
  for (size_t e = begin; e < end; e += LANES, to += 27 * LANES)
    register_blocks(&b->groups[e / SOFA_LANES], e % SOFA_LANES, to);
}

const SofaTriangleKernels CAT(sofa_triangle_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .force = force,
    .dforce = dforce,
    .blocks = blocks,
};
