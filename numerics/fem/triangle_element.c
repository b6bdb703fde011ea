/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plane triangles in space with a linear law. */
#include "numerics/fem/triangle_element.h"

#include <float.h>
#include <math.h>
#include <string.h>
#include "numerics/fem/triangle_kernels.h"
#include "math/vec.h"

/* ---- one element ---- */

/* Axes of a triangle: x along b - a, y in its plane towards c. */
static void frame_axes(const double *ab, const double *ac, double *axes) {
  double r[9];
  sofa_mat3_frame(ab, ac, r);
  memcpy(axes, r, 6 * sizeof *r);
}

static inline void project(const double *axes, const double *edge, double *p) {
  p[0] = sofa_vec3_dot(axes, edge);
  p[1] = sofa_vec3_dot(axes + 3, edge);
}

/* Gradients of b and c for edges p = (b - a, c - a) in the plane, det their doubled area. */
static void gradients(const double *p, double det, double *g) {
  g[0] = p[3] / det;
  g[1] = -p[2] / det;
  g[2] = -p[1] / det;
  g[3] = p[0] / det;
}

static inline void edges_at(const SofaTriangleElement *t, const double *x, double *ab, double *ac) {
  const double *a = x + 3 * (size_t)t->v[0];
  sofa_vec3_sub(x + 3 * (size_t)t->v[1], a, ab);
  sofa_vec3_sub(x + 3 * (size_t)t->v[2], a, ac);
}

/* Axes of a triangle and its edges in them. */
static inline void turned_shape(const double *ab, const double *ac, double *axes, double *p) {
  double n[3], y[3];
  sofa_vec3_cross(ab, ac, n);
  sofa_vec3_cross(n, ab, y);
  const double length = sofa_vec3_norm(ab), area2 = sofa_vec3_norm(n);
  const double inverse = 1 / length, along = inverse * (1 / area2);
  sofa_vec3_scale(inverse, ab, axes);
  sofa_vec3_scale(along, y, axes + 3);
  p[0] = length;
  p[1] = 0; // the x axis is along ab
  p[2] = sofa_vec3_dot(axes, ac);
  p[3] = area2 * inverse;
}

/* Axes, edges in them and gradients of an element with edges ab and ac. */
static inline void shape_at(SofaTriangleMethod method, const double *ab, const double *ac,
                            double *axes, double *p, double *g) {
  double n[3];
  if (method == SOFA_TRIANGLE_LARGE || method == SOFA_TRIANGLE_CURRENT) {
    turned_shape(ab, ac, axes, p);
  } else {
    project(axes, ab, p);
    project(axes, ac, p + 2);
  }
  switch (method) {
  case SOFA_TRIANGLE_SMALL:
  case SOFA_TRIANGLE_LARGE:
    break;
  case SOFA_TRIANGLE_CURRENT:
    gradients(p, p[0] * p[3], g);
    break;
  case SOFA_TRIANGLE_WORLD:
    sofa_vec3_cross(ab, ac, n);
    gradients(p, sofa_vec3_norm(n), g);
    break;
  case SOFA_TRIANGLE_WORLD_FLAT:
    gradients(p, p[0] * p[3], g);
    g[2] = 0;
    break;
  }
}

/* Strain of displacements u of b and c in the axes. */
static inline void strain(const double *g, const double *u, double *e) {
  e[0] = g[0] * u[0] + g[2] * u[2];
  e[1] = g[1] * u[1] + g[3] * u[3];
  e[2] = g[1] * u[0] + g[0] * u[1] + g[3] * u[2] + g[2] * u[3];
}

static inline void stress(const double *law, const double *e, double *s) {
  s[0] = law[0] * e[0] + law[1] * e[1] + law[2] * e[2];
  s[1] = law[1] * e[0] + law[3] * e[1] + law[4] * e[2];
  s[2] = law[2] * e[0] + law[4] * e[1] + law[5] * e[2];
}

/* ---- meshes ---- */

static SofaErr make_element(SofaTriangleMethod method, const double *corners,
                            SofaTriangleElement *t) {
  double ab[3], ac[3], normal[3];
  sofa_vec3_sub(corners + 3, corners, ab);
  sofa_vec3_sub(corners + 6, corners, ac);
  sofa_vec3_cross(ab, ac, normal);
  const double det = sofa_vec3_norm(normal);
  const double size = sofa_vec3_norm2(ab) + sofa_vec3_norm2(ac);
  if (!(det > DBL_EPSILON * size) || !(size < INFINITY)) return SOFA_ERR_GEOMETRY;
  t->area = det / 2;
  if (method == SOFA_TRIANGLE_WORLD || method == SOFA_TRIANGLE_WORLD_FLAT) {
    t->axes[0] = t->axes[4] = 1;
  } else {
    frame_axes(ab, ac, t->axes);
  }
  project(t->axes, ab, t->q);
  project(t->axes, ac, t->q + 2);
  if (method == SOFA_TRIANGLE_WORLD || method == SOFA_TRIANGLE_WORLD_FLAT) {
    double p[4];
    shape_at(method, ab, ac, t->axes, p, t->g);
  } else {
    t->q[1] = 0; // the x axis is along ab
    gradients(t->q, t->q[0] * t->q[3], t->g);
  }
  return SOFA_OK;
}

/* Sets the lanes from that of e on. */
static void put_element(SofaTriangleGroup *groups, size_t e, const SofaTriangleElement *t) {
  SofaTriangleGroup *group = &groups[e / SOFA_LANES];
  for (size_t l = e % SOFA_LANES; l < SOFA_LANES; l++) {
    for (int k = 0; k < 3; k++) group->v[k][l] = t->v[k];
    for (int k = 0; k < 4; k++) group->q[k][l] = t->q[k];
    for (int k = 0; k < 6; k++) group->axes[k][l] = t->axes[k];
    for (int k = 0; k < 4; k++) group->g[k][l] = t->g[k];
    group->area[l] = t->area;
  }
}

SofaTriangleElement sofa_triangle_at(const SofaTriangleBatch *batch, size_t e) {
  const SofaTriangleGroup *group = &batch->groups[e / SOFA_LANES];
  const size_t l = e % SOFA_LANES;
  SofaTriangleElement t = {.area = group->area[l]};
  for (int k = 0; k < 3; k++) t.v[k] = group->v[k][l];
  for (int k = 0; k < 4; k++) t.q[k] = group->q[k][l];
  for (int k = 0; k < SOFA_TRIANGLE_LAW; k++) t.law[k] = group->law[k][l];
  for (int k = 0; k < 6; k++) t.axes[k] = group->axes[k][l];
  for (int k = 0; k < 4; k++) t.g[k] = group->g[k][l];
  return t;
}

enum { LEAST = 1024 }; /* triangles: fewer take less than the threads cost */

static SofaErr make_sums(SofaContext *ctx, const SofaTriangleMesh *mesh, SofaElementSums *out) {
  const SofaSummed of = {.elements = {(const uint32_t *)mesh->triangles, mesh->n, 3},
                         .n_points = mesh->n_points,
                         .states = 1,
                         .width = 3,
                         .kind = SOFA_SUM_EACH,
                         .least = LEAST};
  return sofa_element_sums_create(ctx, &of, out);
}

SofaErr sofa_triangle_batch_create(SofaContext *ctx, const SofaTriangleMesh *mesh,
                                   SofaTriangleBatch *out, size_t *bad) {
  const size_t n = mesh->n;
  SofaErr err = SOFA_OK;
  *out = (SofaTriangleBatch){.method = mesh->method,
                             .kernels = sofa_triangle_kernels(ctx),
                             .n = n,
                             .n_points = mesh->n_points};
  out->groups = sofa_alloc(ctx, (n + SOFA_LANES - 1) / SOFA_LANES, sizeof *out->groups);
  if (!out->groups) SOFA_GO(err, done, SOFA_ERR_MEMORY);
  for (size_t e = 0; e < n; e++) {
    SofaTriangleElement t = {.area = 0};
    memcpy(t.v, mesh->triangles[e].v, sizeof t.v);
    *bad = e;
    SOFA_GO(err, done, make_element(mesh->method, mesh->corners + 9 * e, &t));
    put_element(out->groups, e, &t);
  }
  SOFA_GO(err, done, make_sums(ctx, mesh, &out->sums));
done:
  if (err != SOFA_OK) sofa_triangle_batch_free(ctx, out);
  return err;
}

void sofa_triangle_batch_free(SofaContext *ctx, SofaTriangleBatch *batch) {
  sofa_free(ctx, batch->groups);
  sofa_element_sums_free(ctx, &batch->sums);
  sofa_edge_assembly_free(ctx, &batch->edges);
  *batch = (SofaTriangleBatch){.n = 0};
}

void sofa_triangle_set_law(SofaTriangleBatch *batch, size_t e, double thickness,
                           const double *law) {
  SofaTriangleGroup *group = &batch->groups[e / SOFA_LANES];
  const double scale = thickness * group->area[e % SOFA_LANES];
  // a lane of a later element gets its own law afterwards
  for (size_t l = e % SOFA_LANES; l < SOFA_LANES; l++)
    for (int i = 0; i < SOFA_TRIANGLE_LAW; i++) group->law[i][l] = scale * law[i];
  if (fabs(law[2]) > 0 || fabs(law[4]) > 0 || fabs(law[3] - law[0]) > 0) batch->anisotropic = true;
}

static void set_isotropic(double c11, double c12, double c33, double *law) {
  const double c[SOFA_TRIANGLE_LAW] = {c11, c12, 0, c11, 0, c33};
  memcpy(law, c, sizeof c);
}

void sofa_plane_stress(double young, double poisson, double *law) {
  const double c = young / (1 - poisson * poisson);
  set_isotropic(c, c * poisson, c * (1 - poisson) / 2, law);
}

void sofa_plane_strain(double young, double poisson, double *law) {
  const double c = young / ((1 + poisson) * (1 - 2 * poisson));
  set_isotropic(c * (1 - poisson), c * poisson, c * (0.5 - poisson), law);
}

/* A loop over the elements of a batch. */
typedef struct TriangleLoop {
  const SofaTriangleBatch *batch;
  SofaTriangleBatch *turned; /* the same, whose axes the loop makes; or NULL */
  double factor;
  const double *x;
  double *f;
} TriangleLoop;

static void give_forces(void *user, size_t begin, size_t end, double *parts) {
  const TriangleLoop *loop = user;
  loop->batch->kernels->force(loop->turned, begin, end, loop->x, (SofaVectorsTo){loop->f, parts});
}

void sofa_triangle_force(SofaTriangleBatch *batch, const double *x, double *f) {
  TriangleLoop loop = {batch, batch, 1, x, f};
  sofa_element_sums_run(&batch->sums, batch->n, give_forces, &loop, &loop.f);
}

static void give_products(void *user, size_t begin, size_t end, double *parts) {
  const TriangleLoop *loop = user;
  loop->batch->kernels->dforce(loop->batch, begin, end, loop->factor, loop->x,
                               (SofaVectorsTo){loop->f, parts});
}

void sofa_triangle_dforce(const SofaTriangleBatch *batch, double factor, const double *dx,
                          double *df) {
  TriangleLoop loop = {batch, NULL, factor, dx, df};
  sofa_element_sums_run(&batch->sums, batch->n, give_products, &loop, &loop.f);
}

/* Edge k of a triangle goes from node k to node k + 1. */
static SofaErr follow_edges(SofaContext *ctx, SofaTriangleBatch *batch) {
  const size_t n = 3 * batch->n;
  uint32_t *ends = sofa_alloc(ctx, 2 * n, sizeof *ends);
  if (!ends) return SOFA_ERR_MEMORY;
  for (size_t k = 0; k < 2 * n; k++) {
    const size_t e = k / 6, node = (k % 6 / 2 + k % 2) % 3;
    ends[k] = batch->groups[e / SOFA_LANES].v[node][e % SOFA_LANES];
  }
  const SofaEdgeList edges = {.ends = ends, .stride = 2, .n = n, .per_element = 3};
  const SofaErr err = sofa_edge_assembly_follow(ctx, edges, batch->n_points, &batch->edges);
  sofa_free(ctx, ends);
  return err;
}

static void make_blocks(void *user, size_t begin, size_t end, double *blocks) {
  const SofaTriangleBatch *batch = user;
  batch->kernels->blocks(batch, begin, end, blocks);
}

SofaErr sofa_triangle_add_k(SofaContext *ctx, SofaTriangleBatch *batch,
                            const SofaTangent *tangent) {
  const SofaEdgeBlocks source = {make_blocks, batch};
  if (!batch->n) return SOFA_OK;
  if (!batch->edges) SOFA_TRY(follow_edges(ctx, batch));
  sofa_edge_assembly_add(ctx, batch->edges, &source, tangent);
  return SOFA_OK;
}

double sofa_triangle_energy_of(const SofaTriangleBatch *batch, size_t element, const double *x) {
  SofaTriangleElement t = sofa_triangle_at(batch, element);
  double ab[3], ac[3], p[4], u[4], e[3], s[3];
  edges_at(&t, x, ab, ac);
  shape_at(batch->method, ab, ac, t.axes, p, t.g);
  for (int k = 0; k < 4; k++) u[k] = t.q[k] - p[k];
  strain(t.g, u, e);
  stress(t.law, e, s);
  return sofa_vec3_dot(e, s) / 2;
}

double sofa_triangle_energy(const SofaTriangleBatch *batch, const double *x) {
  double energy = 0;
  for (size_t i = 0; i < batch->n; i++) energy += sofa_triangle_energy_of(batch, i, x);
  return energy;
}
