/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tetrahedra of 10 nodes with a continuous pressure, nearly incompressible: orders of displacement
 * and pressure by a manufactured solution, the constant of stability of the pair (inf-sup), the
 * tangent over the points around a corner, stresses with the pressure. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
/* after the headers it needs */
#include <cmocka.h>

#include "numerics/material/solid_fields.h"
#include "tests/support/manufactured_solid.h"

static const double mu = 1, lambda = 1000;

/* ---- the solution: shears, which keep the volume, and a small change of it ---- */

static void displacement(const double *x, double *u) {
  sofa_vec3_set(u, 0.15 * sin(2 * x[1]) * cos(x[2]), 0.1 * sin(2 * x[2] + 0.2),
                (sin(2 * x[2]) + 0.5 * x[0] * x[0] * cos(x[1])) / lambda);
}

static void deformation(const double *x, double *f) {
  const double own[9] = {1,
                         0.3 * cos(2 * x[1]) * cos(x[2]),
                         -0.15 * sin(2 * x[1]) * sin(x[2]),
                         0,
                         1,
                         0.2 * cos(2 * x[2] + 0.2),
                         x[0] * cos(x[1]) / lambda,
                         -0.5 * x[0] * x[0] * sin(x[1]) / lambda,
                         1 + 2 * cos(2 * x[2]) / lambda};
  memcpy(f, own, sizeof own);
}

/* U' of the exact solution. */
static double pressure(const double *x) {
  double f[9];
  deformation(x, f);
  const double j = sofa_mat3_det(f);
  return lambda * log(j) / j;
}

static const Law stiff = {"nearly incompressible",
                          {.material = &sofa_neo_hookean, .p = {mu, lambda}},
                          NULL,
                          displacement,
                          deformation};

/* ---- orders ---- */

/* Errors of the pressure at the corners, but for its mean: that of a body whose surface is held
 * depends on the volume that the surface encloses. */
typedef struct PressureErrors {
  double square, worst;
} PressureErrors;

static const double *corner_place(const Mesh *m, size_t e, size_t corner) {
  return m->raised.nodes.data[m->v.data[10 * e + corner]].v;
}

/* Fields: the mean stress but for that of the shear modulus is the pressure of the corners. */
static void check_stress(const Mesh *m, SofaSolidBatch *b, const Law *law, const double *x) {
  const SofaSolidSource source = {b, law->solid, x, (const double *)m->raised.nodes.data};
  SofaResultElements elements;
  double energy, sum = 0;
  sofa_solid_result_elements(&source, m->raised.nodes.n, &elements);
  assert_int_equal(sofa_solid_batch_energy(b, &law->solid, x, &energy), b->n);
  for (size_t e = 0; e < b->n; e++) {
    SofaElementSample sample;
    double f[9], p = 0;
    elements.sample(elements.source, e, &sample);
    const double *stress = sample.stress[0], *strain = sample.strain[0];
    sum += sample.energy;
    for (size_t k = 0; k < 9; k++)
      f[k] = b->f[9 * b->n_gauss * (e / SOFA_LANES) + k][e % SOFA_LANES];
    for (size_t a = 0; a < 4; a++)
      p += b->mode[4 * b->n_gauss * (e / SOFA_LANES) + a][e % SOFA_LANES] *
           b->corners.pressure[b->corners.stars.corner[4 * e + a]];
    const double shear = 2 * mu * (strain[0] + strain[1] + strain[2]) / sofa_mat3_det(f);
    assert_true(fabs(stress[0] + stress[1] + stress[2] - shear - 3 * p) < 1e-9);
  }
  assert_true(fabs(sum - energy) < 1e-12 * energy);
}

static void look(const Mesh *m, SofaSolidBatch *b, const Law *law, const double *x, void *user) {
  const SofaCornerDilatation *c = &b->corners;
  PressureErrors *errors = user;
  double *f = sofa_alloc(m->ctx, 3 * m->raised.nodes.n, sizeof *f), mean = 0;
  assert_non_null(f);
  assert_int_equal(sofa_solid_batch_force(m->ctx, b, &law->solid, x, f), b->n);
  sofa_free(m->ctx, f);
  for (size_t k = 0; k < 4 * b->n; k++)
    mean += 0.25 * sofa_solid_batch_volume_of(b, k / 4) *
            (c->pressure[c->stars.corner[k]] - pressure(corner_place(m, k / 4, k % 4)));
  *errors = (PressureErrors){0};
  for (size_t k = 0; k < 4 * b->n; k++) {
    const double error =
        c->pressure[c->stars.corner[k]] - pressure(corner_place(m, k / 4, k % 4)) - mean;
    errors->square += 0.25 * sofa_solid_batch_volume_of(b, k / 4) * error * error;
    errors->worst = fmax(errors->worst, fabs(error));
  }
  check_stress(m, b, law, x);
}

/* Without locking: the displacement is of order 3, its gradient and the pressure of order 2. A
 * pressure that alternates from corner to corner would not converge at all. */
static void orders(void **state) {
  PressureErrors coarse_p, fine_p;
  (void)state;
  const Errors coarse = run_and_look(SOFA_SHAPE_TETRA10, SOFA_DILATATION_CONTINUOUS, &stiff, 2,
                                     look, &coarse_p),
               fine = run_and_look(SOFA_SHAPE_TETRA10, SOFA_DILATATION_CONTINUOUS, &stiff, 4, look,
                                   &fine_p);
  const double value = log2(coarse.value / fine.value), slope = log2(coarse.slope / fine.slope),
               p = 0.5 * log2(coarse_p.square / fine_p.square),
               worst = log2(coarse_p.worst / fine_p.worst);
  print_message(
      "orders: displacement %.2f, gradient %.2f, pressure %.2f, its greatest %.2f; errors "
      "%g %g %g %g\n",
      value, slope, p, worst, fine.value, fine.slope, sqrt(fine_p.square), fine_p.worst);
  assert_true(value >= 2.8);
  assert_true(slope >= 1.9);
  assert_true(p >= 1.8);
  assert_true(worst >= 1);
}

/* ---- the constant of stability ---- */

/* A problem of linear elasticity with mu alone, and the rows of the volume. */
typedef struct Stokes {
  SofaSolidBatch shear, mixed;
  Vectors w;
  double *schur; /* n x n: M^-1/2 B A^-1 B^T M^-1/2, M lumped */
  size_t n;
} Stokes;

static void make_stokes(SofaContext *ctx, const Mesh *m, Stokes *s) {
  const SofaObject object = {.ctx = ctx};
  const SofaVec3s *nodes = &m->raised.nodes;
  const SofaSolidLaw soft = {.material = &sofa_neo_hookean, .p = {0.5, 0}};
  SofaElementMesh mesh = {.shape = m->shape,
                          .dim = 3,
                          .vertices = m->v.data,
                          .n = m->n,
                          .rest = (const double *)nodes->data,
                          .n_points = nodes->n};
  assert_int_equal(sofa_solid_batch_create(&object, &mesh, 1, &s->shear), SOFA_OK);
  mesh.dilatation = SOFA_DILATATION_CONTINUOUS;
  assert_int_equal(sofa_solid_batch_create(&object, &mesh, 1, &s->mixed), SOFA_OK);
  make_vectors(ctx, nodes, &s->w);
  for (size_t i = 0; i < nodes->n; i++) sofa_vec3_copy(nodes->data[i].v, s->w.x + 3 * i);
  assert_int_equal(sofa_solid_batch_force(ctx, &s->shear, &soft, s->w.x, s->w.load), m->n);
  assert_int_equal(sofa_solid_batch_force(ctx, &s->mixed, &soft, s->w.x, s->w.load), m->n);
  assert_int_equal(sofa_solid_batch_blocks(ctx, &s->shear, &soft), m->n);
  assert_int_equal(sofa_solid_batch_blocks(ctx, &s->mixed, &soft), m->n);
  s->n = s->mixed.corners.stars.n;
  assert_non_null(s->schur = sofa_alloc(ctx, s->n * s->n, sizeof *s->schur));
}

static void free_stokes(SofaContext *ctx, Stokes *s) {
  sofa_solid_batch_free(ctx, &s->shear);
  sofa_solid_batch_free(ctx, &s->mixed);
  free_vectors(ctx, &s->w);
  sofa_free(ctx, s->schur);
}

static void make_schur(SofaContext *ctx, const Stokes *s) {
  const SofaCornerDilatation *c = &s->mixed.corners;
  for (size_t a = 0; a < s->n; a++) {
    memset(s->w.r, 0, s->w.n * sizeof *s->w.r);
    for (size_t t = c->stars.start[a]; t < c->stars.start[a + 1]; t++)
      sofa_vec3_copy(c->row + 3 * t, s->w.r + 3 * (size_t)c->stars.point[t]);
    hold(&s->w, s->w.r);
    solve(ctx, &s->shear, &s->w);
    for (size_t k = 0; k < s->n; k++) {
      double sum = 0;
      for (size_t t = c->stars.start[k]; t < c->stars.start[k + 1]; t++)
        sum += sofa_vec3_dot(c->row + 3 * t, s->w.dx + 3 * (size_t)c->stars.point[t]);
      s->schur[s->n * k + a] = sum / sqrt(c->measure[a] * c->measure[k]);
    }
  }
}

/* The least eigenvalue but that of the constant pressure, by powers of I - schur. */
static double least_eigenvalue(const Stokes *s) {
  double q[512], next[512], constant[512], value = 0;
  assert_true(s->n <= 512);
  for (size_t a = 0; a < s->n; a++) {
    constant[a] = sqrt(s->mixed.corners.measure[a]); // its square has the sum 1, the volume
    q[a] = sin(3. * (double)a + 1);
  }
  for (int k = 0; k < 20000; k++) {
    const double part = dot(q, constant, s->n);
    for (size_t a = 0; a < s->n; a++) q[a] -= part * constant[a];
    const double size = sqrt(dot(q, q, s->n));
    for (size_t a = 0; a < s->n; a++) q[a] /= size;
    for (size_t a = 0; a < s->n; a++) next[a] = dot(s->schur + s->n * a, q, s->n);
    const double now = dot(q, next, s->n);
    for (size_t a = 0; a < s->n; a++) q[a] -= next[a] / 2;
    if (fabs(now - value) < 1e-13) break;
    value = now;
  }
  return value;
}

static double stability(int n) {
  SofaContext *ctx = NULL;
  Stokes s = {.n = 0};
  assert_int_equal(sofa_context_create_bare(NULL, &ctx), SOFA_OK);
  Mesh m = make_mesh(ctx, SOFA_SHAPE_TETRA10, n);
  make_stokes(ctx, &m, &s);
  make_schur(ctx, &s);
  const double least = least_eigenvalue(&s);
  free_stokes(ctx, &s);
  free_mesh(&m);
  sofa_context_destroy(&ctx);
  return sqrt(fmax(least, 0));
}

/* The constant does not fall with the size of the elements. That of a pair with alternating
 * pressures is 0. */
static void stable(void **state) {
  double constant[4];
  (void)state;
  for (int n = 2; n <= 4; n++) constant[n - 1] = stability(n);
  print_message("constants of stability: %.4f %.4f %.4f\n", constant[1], constant[2], constant[3]);
  for (int n = 2; n <= 4; n++) assert_true(constant[n - 1] > 0.1);
  assert_true(constant[2] > constant[1] && constant[3] > constant[2]);
}

/* ---- the tangent ---- */

/* A body of a law at positions that strain it. */
typedef struct Body {
  SofaSolidBatch batch;
  double *x, *f, *other, *dx;
  size_t n;
} Body;

static void make_body(SofaContext *ctx, const Mesh *m, const SofaSolidLaw *law, int threads,
                      Body *body) {
  const SofaObject object = {.ctx = ctx};
  const SofaElementMesh mesh = {.shape = m->shape,
                                .dilatation = SOFA_DILATATION_CONTINUOUS,
                                .dim = 3,
                                .vertices = m->v.data,
                                .n = m->n,
                                .rest = (const double *)m->raised.nodes.data,
                                .n_points = m->raised.nodes.n};
  assert_int_equal(sofa_solid_batch_create(&object, &mesh, threads, &body->batch), SOFA_OK);
  assert_int_equal(sofa_solid_points_create(ctx, law, &body->batch), SOFA_OK);
  body->n = 3 * mesh.n_points;
  double **const all[] = {&body->x, &body->f, &body->other, &body->dx};
  for (int k = 0; k < 4; k++) assert_non_null(*all[k] = sofa_alloc(ctx, body->n, sizeof(double)));
  for (size_t i = 0; i < body->n; i++) {
    body->x[i] = mesh.rest[i] + 0.02 * sin(7. * (double)i);
    body->dx[i] = cos(5. * (double)i);
  }
}

static void free_body(SofaContext *ctx, Body *b) {
  double *const all[] = {b->x, b->f, b->other, b->dx};
  for (int k = 0; k < 4; k++) sofa_free(ctx, all[k]);
  sofa_solid_batch_free(ctx, &b->batch);
}

static void force_at(SofaContext *ctx, Body *b, const SofaSolidLaw *law, double step, double *f) {
  memset(f, 0, b->n * sizeof *f);
  for (size_t i = 0; i < b->n; i++) b->x[i] += step * b->dx[i];
  assert_int_equal(sofa_solid_batch_force(ctx, &b->batch, law, b->x, f), b->batch.n);
  for (size_t i = 0; i < b->n; i++) b->x[i] -= step * b->dx[i];
}

/* Blocks against differences of forces; pairs of points that share no element are not 0. */
static void check_tangent(SofaContext *ctx, Body *b, const SofaSolidLaw *law) {
  const double h = 1e-6;
  double scale = 0, worst = 0;
  force_at(ctx, b, law, h, b->f);
  force_at(ctx, b, law, -h, b->other);
  for (size_t i = 0; i < b->n; i++) b->f[i] = (b->f[i] - b->other[i]) / (2 * h);
  force_at(ctx, b, law, 0, b->other);
  assert_int_equal(sofa_solid_batch_blocks(ctx, &b->batch, law), b->batch.n);
  memset(b->other, 0, b->n * sizeof *b->other);
  const SofaPairMatrix matrix = {&b->batch.pairs, NULL, b->batch.blocks, b->batch.n_points};
  assert_int_equal(sofa_pair_product_add(ctx, &matrix, 1, b->dx, b->other), SOFA_OK);
  for (size_t i = 0; i < b->n; i++) {
    scale = fmax(scale, fabs(b->f[i]));
    worst = fmax(worst, fabs(b->f[i] - b->other[i]));
  }
  assert_true(worst < 1e-7 * scale);
  bool wide = false;
  for (size_t k = 0; k < b->batch.pairs.n; k++)
    for (size_t i = 0; i < 9; i++)
      wide |= b->batch.pairs.start[k] == b->batch.pairs.start[k + 1] &&
              fabs(b->batch.blocks[9 * k + i]) > 1e-3;
  assert_true(wide);
}

/* Any number of threads gives the same bits. */
static void tangents(void **state) {
  static const SofaSolidLaw laws[] = {{.material = &sofa_neo_hookean, .p = {1, 1000}},
                                      {.material = &sofa_mooney_rivlin, .p = {0.3, 0.2, 1000}}};
  SofaContext *ctx = NULL;
  (void)state;
  assert_int_equal(sofa_context_create_bare(NULL, &ctx), SOFA_OK);
  Mesh m = make_mesh(ctx, SOFA_SHAPE_TETRA10, 2);
  for (size_t k = 0; k < SOFA_COUNT(laws); k++) {
    Body one, other;
    make_body(ctx, &m, &laws[k], 1, &one);
    check_tangent(ctx, &one, &laws[k]);
    make_body(ctx, &m, &laws[k], 3, &other);
    force_at(ctx, &one, &laws[k], 0, one.f);
    ctx->threads = 3;
    force_at(ctx, &other, &laws[k], 0, other.f);
    assert_int_equal(sofa_solid_batch_blocks(ctx, &other.batch, &laws[k]), m.n);
    ctx->threads = 1;
    assert_memory_equal(one.f, other.f, one.n * sizeof *one.f);
    assert_memory_equal(one.batch.blocks, other.batch.blocks,
                        9 * one.batch.pairs.n * sizeof *one.batch.blocks);
    free_body(ctx, &one);
    free_body(ctx, &other);
  }
  free_mesh(&m);
  sofa_context_destroy(&ctx);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(orders), cmocka_unit_test(stable),
                                     cmocka_unit_test(tangents)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
