/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Manufactured solutions of solid elements: the displacement of the unit cube is given by a smooth
 * function, its body force follows from the law of the material, the surface is held. */
#ifndef SOFA_TEST_MANUFACTURED_SOLID_H
#define SOFA_TEST_MANUFACTURED_SOLID_H

#include "base/context.h"
#include "math/vec.h"
#include "numerics/fem/raise_order.h"
#include "numerics/material/solid_points.h"

enum { MAX = SOFA_SHAPE_MAX_NODES };

/* A displacement of the unit cube, its deformation gradient, and a law. */
typedef struct Law {
  const char *name;
  SofaSolidLaw solid;
  void (*stress)(const double *f, double *p); /* NULL: that of the law itself */
  void (*displacement)(const double *x, double *u);
  void (*deformation)(const double *x, double *f);
} Law;

/* P = F S of a law without a history. */
static void stress_of_law(const SofaSolidLaw *law, const double *f, double *p) {
  static const double none[SOFA_POINT_MAX_HISTORY] = {0};
  SofaDeformation x;
  SofaPointResult r = {.d = NULL};
  memcpy(x.f, f, sizeof x.f);
  assert_true(sofa_deformation(law->material, &x));
  if (law->point) law->point(&(SofaPointArgs){law->user, &x, none, 0, law->dt, law->time}, &r);
  else law->material->stress(law->p, &x, r.s, NULL);
  sofa_mat3_mul(
      f, (double[]){r.s[0], r.s[3], r.s[5], r.s[3], r.s[1], r.s[4], r.s[5], r.s[4], r.s[2]}, p);
}

/* - Div P by differences of fourth order. */
static void body_force(const Law *law, const double *x, double *b) {
  static const double at[4] = {-2, -1, 1, 2}, weight[4] = {1. / 12, -2. / 3, 2. / 3, -1. / 12};
  const double h = 1e-3;
  sofa_vec3_set(b, 0, 0, 0);
  for (int j = 0; j < 3; j++)
    for (int k = 0; k < 4; k++) {
      double y[3], f[9], p[9];
      sofa_vec3_copy(x, y);
      y[j] += h * at[k];
      law->deformation(y, f);
      if (law->stress) law->stress(f, p);
      else stress_of_law(&law->solid, f, p);
      for (int i = 0; i < 3; i++) b[i] -= weight[k] / h * p[3 * i + j];
    }
}

/* ---- meshes ---- */

typedef struct Mesh {
  SofaContext *ctx;
  SofaShape shape;
  SofaRaisedMesh raised; /* its nodes */
  SofaIndices v;         /* of the elements */
  size_t n;              /* elements */
} Mesh;

/* The cells of a hexahedron as elements of other shapes, by its corners; 8 is its middle. */
static const uint8_t whole[8] = {0, 1, 2, 3, 4, 5, 6, 7};
static const uint8_t tetras[24] = {0, 1, 2, 6, 0, 2, 3, 6, 0, 3, 7, 6,
                                   0, 7, 4, 6, 0, 4, 5, 6, 0, 5, 1, 6};
static const uint8_t prisms[12] = {0, 1, 2, 4, 5, 6, 0, 2, 3, 4, 6, 7};
static const uint8_t pyramids[30] = {0, 1, 2, 3, 8, 4, 7, 6, 5, 8, 0, 4, 5, 1, 8,
                                     1, 5, 6, 2, 8, 2, 6, 7, 3, 8, 3, 7, 4, 0, 8};

typedef struct Split {
  const uint8_t *corner;
  unsigned n;
} Split;

static Split split_of(SofaShape corners) {
  switch (corners) {
  case SOFA_SHAPE_TETRA:
    return (Split){tetras, 24};
  case SOFA_SHAPE_PRISM:
    return (Split){prisms, 12};
  case SOFA_SHAPE_PYRAMID:
    return (Split){pyramids, 30};
  default:
    return (Split){whole, 8};
  }
}

/* Points of the grid, moved along a smooth field that keeps the surface where it is. */
static void add_points(Mesh *m, int n) {
  for (int k = 0; k <= n; k++)
    for (int j = 0; j <= n; j++)
      for (int i = 0; i <= n; i++) {
        SofaVec3 p = {{(double)i / n, (double)j / n, (double)k / n}};
        double bump = 0.5;
        for (int c = 0; c < 3; c++) bump *= 4 * p.v[c] * (1 - p.v[c]);
        for (int c = 0; c < 3; c++) p.v[c] += 0.1 * bump * (c - 0.6);
        assert_int_equal(SOFA_APPEND(m->ctx, &m->raised.nodes, &p), SOFA_OK);
      }
}

static void add_cell(Mesh *m, const uint32_t *at, SofaIndices *corners) {
  const SofaShape shape = sofa_shape_info(m->shape)->corners;
  const Split split = split_of(shape);
  uint32_t v[9] = {at[0], at[1], at[2], at[3], at[4], at[5], at[6], at[7]};
  if (shape == SOFA_SHAPE_PYRAMID) {
    SofaVec3 middle = {{0, 0, 0}};
    for (int k = 0; k < 8; k++) sofa_vec3_axpy(0.125, m->raised.nodes.data[v[k]].v, middle.v);
    v[8] = (uint32_t)m->raised.nodes.n;
    assert_int_equal(SOFA_APPEND(m->ctx, &m->raised.nodes, &middle), SOFA_OK);
  }
  for (unsigned k = 0; k < split.n; k++)
    assert_int_equal(SOFA_APPEND(m->ctx, corners, &v[split.corner[k]]), SOFA_OK);
}

static Mesh make_mesh(SofaContext *ctx, SofaShape shape, int n) {
  Mesh m = {.ctx = ctx, .shape = shape};
  const SofaShapeInfo *info = sofa_shape_info(shape);
  SofaIndices corners = {0};
  add_points(&m, n);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const uint32_t row = (uint32_t)n + 1, layer = row * row;
        const uint32_t o = (uint32_t)i + row * (uint32_t)j + layer * (uint32_t)k;
        const uint32_t at[8] = {o,         o + 1,         o + row + 1,         o + row,
                                o + layer, o + layer + 1, o + layer + row + 1, o + layer + row};
        add_cell(&m, at, &corners);
      }
  m.n = corners.n / sofa_shape_info(info->corners)->n_nodes;
  if (info->order == 1) {
    m.v = corners;
    return m;
  }
  assert_int_equal(sofa_raise_order(ctx, &m.raised, shape, corners.data, m.n, &m.v), SOFA_OK);
  sofa_list_free(ctx, &corners);
  return m;
}

static void free_mesh(Mesh *m) {
  sofa_raised_mesh_free(m->ctx, &m->raised);
  sofa_list_free(m->ctx, &m->v);
}

/* ---- integrals ---- */

/* A quadrature point of an element: place, weight, shape functions and their gradients. */
typedef struct Point {
  double x[3], weight, n[MAX], g[3 * MAX];
} Point;

static size_t points_in(const Mesh *m, size_t e, Point *out) {
  SofaQuadraturePoint rule[SOFA_QUADRATURE_MAX];
  const size_t n_points = sofa_quadrature(m->shape, SOFA_RULE_MASS, rule);
  const unsigned n_nodes = sofa_shape_info(m->shape)->n_nodes;
  double p[3 * MAX], d[MAX][3];
  for (unsigned a = 0; a < n_nodes; a++)
    sofa_vec3_copy(m->raised.nodes.data[m->v.data[n_nodes * e + a]].v, p + 3 * a);
  for (size_t q = 0; q < n_points; q++) {
    sofa_shape_functions(m->shape, rule[q].xi, out[q].n, d);
    const double measure = sofa_shape_gradients(m->shape, 3, p, d, out[q].g);
    assert_true(measure > 0);
    out[q].weight = rule[q].weight * measure;
    sofa_vec3_set(out[q].x, 0, 0, 0);
    for (unsigned a = 0; a < n_nodes; a++) sofa_vec3_axpy(out[q].n[a], p + 3 * a, out[q].x);
  }
  return n_points;
}

static void add_loads(const Mesh *m, const Law *law, double *f) {
  static Point points[SOFA_QUADRATURE_MAX];
  const unsigned n_nodes = sofa_shape_info(m->shape)->n_nodes;
  for (size_t e = 0; e < m->n; e++) {
    const size_t n = points_in(m, e, points);
    for (size_t q = 0; q < n; q++) {
      double b[3];
      body_force(law, points[q].x, b);
      for (unsigned a = 0; a < n_nodes; a++)
        sofa_vec3_axpy(points[q].weight * points[q].n[a], b,
                       f + 3 * (size_t)m->v.data[n_nodes * e + a]);
    }
  }
}

/* Errors of the displacement and of its gradient, relative, in the norm of L2. */
typedef struct Errors {
  double value, slope;
} Errors;

static Errors errors_of(const Mesh *m, const Law *law, const double *x) {
  static Point points[SOFA_QUADRATURE_MAX];
  const unsigned n_nodes = sofa_shape_info(m->shape)->n_nodes;
  double sum[4] = {0};
  for (size_t e = 0; e < m->n; e++) {
    const size_t n = points_in(m, e, points);
    for (size_t q = 0; q < n; q++) {
      double u[3], f[9], own[3] = {0}, own_f[9] = {0};
      law->displacement(points[q].x, u);
      law->deformation(points[q].x, f);
      for (unsigned a = 0; a < n_nodes; a++) {
        const size_t v = m->v.data[n_nodes * e + a];
        for (int i = 0; i < 3; i++) {
          const double move = x[3 * v + (size_t)i] - m->raised.nodes.data[v].v[i];
          own[i] += points[q].n[a] * move;
          for (int k = 0; k < 3; k++) own_f[3 * i + k] += move * points[q].g[3 * a + (unsigned)k];
        }
      }
      for (int i = 0; i < 9; i++) {
        const double slope = f[i] - (i % 4 == 0);
        sum[0] += i < 3 ? points[q].weight * pow(own[i] - u[i], 2) : 0;
        sum[1] += i < 3 ? points[q].weight * u[i] * u[i] : 0;
        sum[2] += points[q].weight * pow(own_f[i] - slope, 2);
        sum[3] += points[q].weight * slope * slope;
      }
    }
  }
  return (Errors){sqrt(sum[0] / sum[1]), sqrt(sum[2] / sum[3])};
}

/* ---- solution ---- */

static double dot(const double *a, const double *b, size_t n) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

/* Vectors of a problem. */
typedef struct Vectors {
  double *x, *load, *r, *dx, *p, *q, *z, *diagonal;
  bool *held;
  size_t n;
} Vectors;

static void hold(const Vectors *w, double *v) {
  for (size_t i = 0; i < w->n; i++)
    if (w->held[i]) v[i] = 0;
}

/* Conjugate gradients for -K dx = r with the diagonal as preconditioner. */
static void solve(SofaContext *ctx, const SofaSolidBatch *b, const Vectors *w) {
  const SofaPairMatrix matrix = {&b->pairs, NULL, b->blocks, b->n_points};
  memset(w->diagonal, 0, w->n * sizeof *w->diagonal);
  for (size_t k = 0; k < b->pairs.n; k++)
    for (size_t i = 0; b->pairs.row[k] == b->pairs.column[k] && i < 3; i++)
      w->diagonal[3 * (size_t)b->pairs.row[k] + i] = -b->blocks[9 * k + 4 * i];
  memset(w->dx, 0, w->n * sizeof *w->dx);
  for (size_t i = 0; i < w->n; i++) w->p[i] = w->z[i] = w->held[i] ? 0 : w->r[i] / w->diagonal[i];
  double rho = dot(w->r, w->z, w->n);
  const double wanted = 1e-24 * rho;
  for (int k = 0; k < 2000 && rho > wanted; k++) {
    memset(w->q, 0, w->n * sizeof *w->q);
    assert_int_equal(sofa_pair_product_add(ctx, &matrix, -1, w->p, w->q), SOFA_OK);
    hold(w, w->q);
    const double alpha = rho / dot(w->p, w->q, w->n);
    for (size_t i = 0; i < w->n; i++) {
      w->dx[i] += alpha * w->p[i];
      w->r[i] -= alpha * w->q[i];
      w->z[i] = w->held[i] ? 0 : w->r[i] / w->diagonal[i];
    }
    const double next = dot(w->r, w->z, w->n);
    for (size_t i = 0; i < w->n; i++) w->p[i] = w->z[i] + next / rho * w->p[i];
    rho = next;
  }
}

/* Newton's method from the exact positions of the nodes. */
static void newton(SofaContext *ctx, SofaSolidBatch *b, const SofaSolidLaw *law, const Vectors *w) {
  double moved = 1;
  for (int k = 0; k < 12 && moved > 1e-11; k++) {
    memcpy(w->r, w->load, w->n * sizeof *w->r);
    assert_int_equal(sofa_solid_batch_force(ctx, b, law, w->x, w->r), b->n);
    assert_int_equal(sofa_solid_batch_blocks(ctx, b, law), b->n);
    hold(w, w->r);
    solve(ctx, b, w);
    moved = 0;
    for (size_t i = 0; i < w->n; i++) {
      w->x[i] += w->dx[i];
      moved = fmax(moved, fabs(w->dx[i]));
    }
  }
  assert_true(moved <= 1e-11);
}

static bool on_surface(const double *p) {
  for (int i = 0; i < 3; i++)
    if (p[i] < 1e-9 || p[i] > 1 - 1e-9) return true;
  return false;
}

/* For the nodes of a mesh, those on the surface held. */
static void make_vectors(SofaContext *ctx, const SofaVec3s *nodes, Vectors *w) {
  *w = (Vectors){.n = 3 * nodes->n};
  double **const all[8] = {&w->x, &w->load, &w->r, &w->dx, &w->p, &w->q, &w->z, &w->diagonal};
  for (int k = 0; k < 8; k++) assert_non_null(*all[k] = sofa_alloc(ctx, w->n, sizeof(double)));
  assert_non_null(w->held = sofa_alloc(ctx, w->n, sizeof *w->held));
  for (size_t i = 0; i < w->n; i++) w->held[i] = on_surface(nodes->data[i / 3].v);
}

static void free_vectors(SofaContext *ctx, Vectors *w) {
  double *const all[8] = {w->x, w->load, w->r, w->dx, w->p, w->q, w->z, w->diagonal};
  for (int k = 0; k < 8; k++) sofa_free(ctx, all[k]);
  sofa_free(ctx, w->held);
}

/* Called with the solution. */
typedef void Look(const Mesh *m, SofaSolidBatch *batch, const Law *law, const double *x,
                  void *user);

static Errors run_and_look(SofaShape shape, SofaDilatation dilatation, const Law *law, int n,
                           Look *look, void *user) {
  SofaContext *ctx = NULL;
  SofaSolidBatch batch = {.n = 0};
  assert_int_equal(sofa_context_create_bare(NULL, &ctx), SOFA_OK);
  Mesh m = make_mesh(ctx, shape, n);
  const SofaObject object = {.ctx = ctx};
  const SofaVec3s *nodes = &m.raised.nodes;
  const SofaElementMesh mesh = {.shape = shape,
                                .dilatation = dilatation,
                                .dim = 3,
                                .vertices = m.v.data,
                                .n = m.n,
                                .rest = (const double *)nodes->data,
                                .n_points = nodes->n};
  assert_int_equal(sofa_solid_batch_create(&object, &mesh, 1, &batch), SOFA_OK);
  assert_int_equal(sofa_solid_points_create(ctx, &law->solid, &batch), SOFA_OK);
  Vectors w;
  make_vectors(ctx, nodes, &w);
  for (size_t i = 0; i < nodes->n; i++) {
    double u[3];
    law->displacement(nodes->data[i].v, u);
    sofa_vec3_add(nodes->data[i].v, u, w.x + 3 * i);
  }
  add_loads(&m, law, w.load);
  newton(ctx, &batch, &law->solid, &w);
  const Errors errors = errors_of(&m, law, w.x);
  if (look) look(&m, &batch, law, w.x, user);
  free_vectors(ctx, &w);
  sofa_solid_batch_free(ctx, &batch);
  free_mesh(&m);
  sofa_context_destroy(&ctx);
  return errors;
}

#endif
