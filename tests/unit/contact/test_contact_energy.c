/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Distances, barrier, mollifier and friction: derivatives by differences of fourth order, the
 * energy by the work of its gradient, balance of forces, known values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "integers.h"
#include "math/vec.h"
#include "numerics/contact/closest.h"
#include "numerics/contact/definite.h"
#include "numerics/contact/friction.h"

/* ---- derivatives of a function of up to 12 numbers ---- */

typedef struct Function {
  void (*at)(const void *user, const double *x, SofaPairTerm *out);
  const void *user;
  int n;
  double step;
} Function;

/* The value moved by i steps along entry k, and entry j of its gradient. */
static double moved(const Function *f, const double *x, int k, int i, int j) {
  double y[12];
  SofaPairTerm t;
  memcpy(y, x, (size_t)f->n * sizeof *y);
  y[k] += i * f->step;
  f->at(f->user, y, &t);
  return j < 0 ? t.value : t.gradient[j];
}
static double difference(const Function *f, const double *x, int k, int j) {
  const double near = moved(f, x, k, 1, j) - moved(f, x, k, -1, j);
  const double far = moved(f, x, k, 2, j) - moved(f, x, k, -2, j);
  return (8 * near - far) / (12 * f->step);
}
static void check_derivatives(const Function *f, const double *x, double tolerance) {
  SofaPairTerm t;
  f->at(f->user, x, &t);
  double size = 0, bend = 0;
  for (int k = 0; k < f->n; k++) size = fmax(size, fabs(t.gradient[k]));
  for (int k = 0; k < f->n * f->n; k++) bend = fmax(bend, fabs(t.hessian[k]));
  for (int k = 0; k < f->n; k++) {
    assert_true(fabs(difference(f, x, k, -1) - t.gradient[k]) <= tolerance * size);
    for (int j = 0; j < f->n; j++) {
      const double h = t.hessian[f->n * j + k];
      assert_true(fabs(difference(f, x, k, j) - h) <= tolerance * bend);
      assert_true(fabs(h - t.hessian[f->n * k + j]) <= 1e-14 * bend);
    }
  }
}

/* The sums of forces and of torques about the origin are zero. */
static void check_balance(const SofaPairTerm *t, const double *x, unsigned points) {
  double force[3] = {0, 0, 0}, torque[3] = {0, 0, 0}, size = 0;
  for (unsigned k = 0; k < points; k++) {
    double m[3];
    sofa_vec3_cross(x + 3 * k, t->gradient + 3 * k, m);
    sofa_vec3_add(force, t->gradient + 3 * k, force);
    sofa_vec3_add(torque, m, torque);
    size += sofa_vec3_norm(t->gradient + 3 * k);
  }
  assert_true(sofa_vec3_norm(force) <= 1e-13 * size && sofa_vec3_norm(torque) <= 1e-13 * size);
}

/* ---- distances ---- */

typedef struct Part {
  SofaPairKind kind;
  unsigned region;
} Part;

static const Part parts[] = {
    {SOFA_PAIR_POINT_POINT, 3},     {SOFA_PAIR_POINT_EDGE, 3},      {SOFA_PAIR_POINT_EDGE, 5},
    {SOFA_PAIR_POINT_EDGE, 7},      {SOFA_PAIR_POINT_TRIANGLE, 3},  {SOFA_PAIR_POINT_TRIANGLE, 5},
    {SOFA_PAIR_POINT_TRIANGLE, 9},  {SOFA_PAIR_POINT_TRIANGLE, 7},  {SOFA_PAIR_POINT_TRIANGLE, 11},
    {SOFA_PAIR_POINT_TRIANGLE, 13}, {SOFA_PAIR_POINT_TRIANGLE, 15}, {SOFA_PAIR_EDGE_EDGE, 5},
    {SOFA_PAIR_EDGE_EDGE, 6},       {SOFA_PAIR_EDGE_EDGE, 9},       {SOFA_PAIR_EDGE_EDGE, 10},
    {SOFA_PAIR_EDGE_EDGE, 7},       {SOFA_PAIR_EDGE_EDGE, 11},      {SOFA_PAIR_EDGE_EDGE, 13},
    {SOFA_PAIR_EDGE_EDGE, 14},      {SOFA_PAIR_EDGE_EDGE, 15}};
enum { PARTS = sizeof parts / sizeof *parts };

static void random_points(Random *r, double *x) {
  for (int k = 0; k < 12; k++) x[k] = random_real(r);
}
static void distance_at(const void *user, const double *x, SofaPairTerm *out) {
  const Part *p = (const Part *)user;
  sofa_pair_distance2(p->kind, p->region, x, out);
}

/* Every part of every kind, where it is the closest one: its distance is that of the elements. */
static void distances(void **state) {
  (void)state;
  Random r = {11};
  int seen[PARTS] = {0};
  for (int n = 0; n < 40000; n++) {
    const SofaPairKind kind = (SofaPairKind)(n % 4);
    double x[12], d2;
    random_points(&r, x);
    const Part part = {kind, sofa_pair_region(kind, x, &d2)};
    SofaPairTerm t;
    distance_at(&part, x, &t);
    assert_true(fabs(t.value - d2) < 1e-12);
    const unsigned points = sofa_pair_points(kind);
    check_balance(&t, x, points);
    for (unsigned k = 0; k < points; k++) {
      if (!(part.region >> k & 1)) assert_true(sofa_vec3_norm(t.gradient + 3 * k) == 0);
    }
    for (int p = 0; p < PARTS; p++) {
      if (parts[p].kind != part.kind || parts[p].region != part.region || seen[p]++ >= 5) continue;
      const Function f = {distance_at, &part, 3 * (int)points, 1e-3};
      if (t.value > 0.01) check_derivatives(&f, x, 1e-4);
      const Function fine = {distance_at, &part, 3 * (int)points, 1e-4};
      if (t.value > 0.01) check_derivatives(&fine, x, 1e-7);
    }
  }
  for (int p = 0; p < PARTS; p++) assert_true(seen[p] >= 5);
}

static void regions(void **state) {
  (void)state;
  assert_int_equal(sofa_pair_points(SOFA_PAIR_POINT_POINT), 2);
  assert_int_equal(sofa_pair_points(SOFA_PAIR_POINT_EDGE), 3);
  assert_int_equal(sofa_pair_points(SOFA_PAIR_POINT_TRIANGLE), 4);
  assert_int_equal(sofa_pair_points(SOFA_PAIR_EDGE_EDGE), 4);
  Random r = {12};
  double d2;
  for (int n = 0; n < 10000; n++) { /* parallel edges: never their lines, and the right distance */
    Integers p[4];
    double x[12];
    for (int k = 0; k < 3; k++) p[k] = integers_random(&r, 3);
    const int64_t m = random_integer(&r, 2);
    for (int k = 0; k < 3; k++) p[3].v[k] = p[2].v[k] + m * (p[1].v[k] - p[0].v[k]);
    for (int k = 0; k < 4; k++) integers_reals(p[k], 0.1, x + 3 * k);
    for (int k = 0; k < 4; k++) integers_reals(p[k], 1, x + 3 * k);
    const unsigned region = sofa_pair_region(SOFA_PAIR_EDGE_EDGE, x, &d2);
    assert_true(region != 15 && (region & 3) && (region & 12));
    const double *const y[4] = {x, x + 3, x + 6, x + 9};
    SofaClosest c;
    SofaPairTerm t;
    sofa_closest_segments(y, y + 2, &c);
    sofa_pair_distance2(SOFA_PAIR_EDGE_EDGE, region, x, &t);
    assert_true(fabs(t.value - c.d2) < 1e-13 && fabs(d2 - c.d2) < 1e-13);
  }
  const double crossing[12] = {-1, 0, 1, 1, 0, 1, 0, -1, 0, 0, 1, 0};
  assert_int_equal(sofa_pair_region(SOFA_PAIR_EDGE_EDGE, crossing, &d2), 15);
  assert_true(d2 == 1);
}

/* ---- mollifier ---- */

static void mollifier_at(const void *user, const double *x, SofaPairTerm *out) {
  sofa_edge_mollifier(x, *(const double *)user, out);
}

static void mollifier(void **state) {
  (void)state;
  Random r = {13};
  for (int n = 0; n < 50; n++) {
    double x[12], threshold = 30;
    random_points(&r, x);
    const Function f = {mollifier_at, &threshold, 12, 1e-3};
    check_derivatives(&f, x, 1e-8);
  }
  const double x[12] = {0, 0, 0, 2, 0, 0, 5, 5, 5, 5, 8, 5};
  SofaPairTerm t;
  assert_true(fabs(sofa_edge_threshold(x) - 0.036) < 1e-17); /* 1e-3 * 4 * 9 */
  sofa_edge_mollifier(x, 72, &t);                            /* c = 36 */
  assert_true(fabs(t.value - 0.75) < 1e-15);
  sofa_edge_mollifier(x, 36 * (1 + 1e-9), &t);
  assert_true(fabs(t.value - 1) < 1e-15 && fabs(t.gradient[9]) < 1e-8);
  sofa_edge_mollifier(x, 36, &t);
  assert_true(t.value == 1);
  for (int k = 0; k < 144; k++) assert_true(t.gradient[k % 12] == 0 && t.hessian[k] == 0);
}

/* ---- barrier ---- */

static void barrier(void **state) {
  (void)state;
  double d[2], low[2], high[2];
  assert_true(fabs(sofa_barrier(0.5, 1, d) - 0.25 * log(2)) < 1e-16);
  assert_true(fabs(d[0] - (-log(2) - 0.5)) < 1e-15);
  assert_true(fabs(d[1] - (2 * log(2) + 5)) < 1e-14);
  for (double s = 0.01; s < 1; s += 0.01) {
    const double h = 1e-6 * s, dhat2 = 3;
    const double b0 = sofa_barrier(dhat2 * s - h, dhat2, low);
    const double b1 = sofa_barrier(dhat2 * s + h, dhat2, high);
    sofa_barrier(dhat2 * s, dhat2, d);
    assert_true(fabs((b1 - b0) / (2 * h) - d[0]) < 1e-6 * (fabs(d[0]) + 0.01));
    assert_true(fabs((high[0] - low[0]) / (2 * h) - d[1]) < 1e-6 * d[1]);
    assert_true(d[0] < 0 && d[1] > 0 && b0 > b1);
  }
  assert_true(sofa_barrier(1, 1, d) == 0 && d[0] == 0 && d[1] == 0);
  assert_true(sofa_barrier(2, 1, d) == 0 && d[0] == 0 && d[1] == 0);
  assert_true(isinf(sofa_barrier(0, 1, d)) && isinf(d[0]) && d[0] < 0 && isinf(d[1]) && d[1] > 0);
}

typedef struct Pair {
  SofaPairKind kind;
  SofaBarrierRule rule;
} Pair;

static void barrier_at(const void *user, const double *x, SofaPairTerm *out) {
  const Pair *p = (const Pair *)user;
  memset(out, 0, sizeof *out);
  sofa_barrier_pair(p->kind, x, &p->rule, out);
}

/* A pair at a distance between a tenth and nine tenths of dhat; edges nearly parallel at times. */
static bool random_pair(Random *r, int n, Pair *p, double *x) {
  *p = (Pair){(SofaPairKind)(n % 4), {0.25, 3 + n % 5, n % 3 ? 0 : 3}};
  random_points(r, x);
  double d2;
  sofa_pair_region(p->kind, x, &d2);
  return d2 > 0.0025 && d2 < 0.2;
}

static void barrier_of_pairs(void **state) {
  (void)state;
  Random r = {14};
  int checked[4] = {0}, mollified = 0;
  for (int n = 0; n < 20000; n++) {
    Pair p;
    double x[12], y[12];
    if (!random_pair(&r, n, &p, x) || checked[p.kind] > 100) continue;
    const unsigned points = sofa_pair_points(p.kind);
    SofaPairTerm t, m;
    assert_true(sofa_barrier_pair(p.kind, x, &p.rule, &t));
    check_balance(&t, x, points);
    double db[2], square, factor = p.rule.stiffness;
    sofa_pair_region(p.kind, x, &square);
    if (p.kind == SOFA_PAIR_EDGE_EDGE && p.rule.threshold > 0) {
      sofa_edge_mollifier(x, p.rule.threshold, &m);
      mollified += m.value < 1;
      factor *= m.value;
    }
    const double energy = factor * sofa_barrier(square, p.rule.dhat2, db);
    assert_true(fabs(t.value - energy) < 1e-9 * energy);
    /* second derivatives jump between regions */
    double d2;
    const unsigned region = sofa_pair_region(p.kind, x, &d2);
    bool inside = true;
    for (int k = 0; k < 24; k++) {
      memcpy(y, x, sizeof y);
      y[k / 2] += k % 2 ? 3e-4 : -3e-4;
      inside = inside && sofa_pair_region(p.kind, y, &d2) == region;
    }
    const Function f = {barrier_at, &p, 3 * (int)points, 1e-4};
    if (inside) check_derivatives(&f, x, 2e-5);
    checked[p.kind] += inside;
  }
  for (int k = 0; k < 4; k++) assert_true(checked[k] > 100);
  assert_true(mollified > 5);
  const double apart[6] = {0, 0, 0, 0.5, 0, 0};
  const SofaBarrierRule rule = {0.25, 1, 0};
  SofaPairTerm t;
  assert_false(sofa_barrier_pair(SOFA_PAIR_POINT_POINT, apart, &rule, &t));
}

/* Difference of the energy along a straight way against the work of the gradient (Gauss, 2 points
 * in each of 2000 parts): regions change on the way. */
static void energy_by_its_gradient(void **state) {
  (void)state;
  Random r = {15};
  int ways = 0;
  for (int n = 0; n < 400 && ways < 40; n++) {
    Pair p;
    double x[12], end[12], y[12];
    if (!random_pair(&r, n, &p, x)) continue;
    for (int k = 0; k < 12; k++) end[k] = x[k] + 0.05 * random_real(&r);
    SofaPairTerm t;
    barrier_at(&p, x, &t);
    const double from = t.value;
    barrier_at(&p, end, &t);
    const double change = t.value - from;
    double work = 0, most = from;
    for (int i = 0; i < 4000; i++) {
      const double s = (i / 2 + 0.5 + (i % 2 ? 0.5 : -0.5) / sqrt(3)) / 2000;
      for (int k = 0; k < 12; k++) y[k] = x[k] + s * (end[k] - x[k]);
      barrier_at(&p, y, &t);
      for (unsigned k = 0; k < 3 * sofa_pair_points(p.kind); k++)
        work += t.gradient[k] * (end[k] - x[k]) / 4000;
      most = fmax(most, t.value);
    }
    assert_true(fabs(work - change) < 1e-6 * most);
    ways++;
  }
  assert_true(ways == 40);
}

static void stiffness(void **state) {
  (void)state;
  const SofaBarrierScale scale = {2, 1e-6, 0.3};
  const SofaStiffnessBounds b = sofa_stiffness_bounds(&scale);
  /* d2 = 4e-16, ratio = d2 / dhat2 = 4e-10: b'' = -2 ln(ratio) + (1 - 1 / ratio) (-3 - 1 / ratio)
   */
  const double ratio = 4e-10, bend = -2 * log(ratio) + (1 - 1 / ratio) * (-3 - 1 / ratio);
  assert_true(fabs(b.least / (1e11 * 0.3 / (16e-16 * bend)) - 1) < 1e-9);
  assert_true(b.most == 100 * b.least);
  const SofaStiffnessBounds range = {1, 100};
  assert_true(sofa_stiffness_start(&range, -30, 2) == 15);
  assert_true(sofa_stiffness_start(&range, 30, 2) == 1);
  assert_true(sofa_stiffness_start(&range, -3000, 2) == 100);
  const SofaStiffnessBounds small = {0.5, 100};
  assert_true(sofa_stiffness_start(&small, -30, 0) == 0.5);
  assert_true(sofa_stiffness_next(&range, 3, 1, 0.9e-9, 0.8e-9) == 6);
  assert_true(sofa_stiffness_next(&range, 3, 2, 1.9e-9, 1.8e-9) == 6);
  assert_true(sofa_stiffness_next(&range, 60, 1, 0.9e-9, 0.8e-9) == 100);
  assert_true(sofa_stiffness_next(&range, 3, 1, 0.8e-9, 0.9e-9) == 3);
  assert_true(sofa_stiffness_next(&range, 3, 1, 0.9e-9, 0.9e-9) == 3);
  assert_true(sofa_stiffness_next(&range, 3, 1, 1e-9, 0.9e-9) == 3);
  assert_true(sofa_stiffness_next(&range, 3, 1, 1.1e-9, 0.9e-9) == 3);
  assert_true(sofa_stiffness_next(&range, 3, 1, 1.2e-9, 1.1e-9) == 3);
}

/* ---- friction ---- */

static void friction_of_a_displacement(void **state) {
  (void)state;
  const double eps = 0.3, h = 1e-6;
  for (double y = 0.001; y < 0.6; y += 0.001) {
    const double slope = (sofa_friction_f0(y + h, eps) - sofa_friction_f0(y - h, eps)) / (2 * h);
    assert_true(fabs(slope - sofa_friction_f1(y, eps)) < 1e-9);
    assert_true(fabs(sofa_friction_f1_over_y(y, eps) * y - sofa_friction_f1(y, eps)) < 1e-15);
  }
  assert_true(fabs(sofa_friction_f0(0, eps) - 0.1) < 1e-16 && sofa_friction_f1(0, eps) == 0);
  assert_true(sofa_friction_f0(eps, eps) == eps && sofa_friction_f1(eps, eps) == 1);
  assert_true(fabs(sofa_friction_f1_over_y(0, eps) - 2 / eps) < 1e-15);
  assert_true(fabs(sofa_friction_f0(eps * (1 - 1e-9), eps) - eps * (1 - 1e-9)) < 1e-15);
}

typedef struct Rubbing {
  SofaFrictionPair pair;
  SofaFrictionRule rule;
  unsigned points;
} Rubbing;

static void friction_at(const void *user, const double *dx, SofaPairTerm *out) {
  const Rubbing *f = (const Rubbing *)user;
  sofa_friction_pair(&f->pair, &f->rule, f->points, dx, out);
}

static void friction_of_pairs(void **state) {
  (void)state;
  Random r = {16};
  int checked[4] = {0};
  for (int n = 0; n < 8000; n++) {
    Pair p;
    double x[12], dx[12], values[12], q[144];
    if (!random_pair(&r, n, &p, x)) continue;
    Rubbing f = {.rule = {0.4, n % 2 ? 0.7 : 0.2}, .points = sofa_pair_points(p.kind)};
    assert_true(sofa_friction_lag(p.kind, x, &p.rule, &f.pair));
    double translation[3] = {0.3, -0.2, 0.5}, sum = 0;
    for (unsigned k = 0; k < f.points; k++) sum += f.pair.weight[k];
    assert_true(fabs(sum) < 1e-15);
    for (int k = 0; k < 12; k++) dx[k] = 0.5 * random_real(&r);
    SofaPairTerm t, b;
    friction_at(&f, dx, &t);
    const int side = 3 * (int)f.points;
    const Function g = {friction_at, &f, side, 1e-4};
    if (checked[p.kind]++ < 30) check_derivatives(&g, dx, 1e-5);
    assert_true(sofa_symmetric_eigen(side, t.hessian, values, q));
    for (int k = 0; k < side; k++) assert_true(values[k] > -1e-13 * f.pair.load);
    /* no friction along the contact, and none of a translation */
    for (int k = 0; k < 12; k++) dx[k] = translation[k % 3];
    friction_at(&f, dx, &t);
    assert_true(sofa_vec3_norm(t.gradient) < 1e-14 * f.pair.load);
    /* the load is the force of the barrier on the first element, if the mollifier does not change
     */
    if (p.rule.threshold > 0) continue;
    sofa_barrier_pair(p.kind, x, &p.rule, &b);
    double force[3] = {b.gradient[0], b.gradient[1], b.gradient[2]};
    if (p.kind == SOFA_PAIR_EDGE_EDGE) sofa_vec3_add(force, b.gradient + 3, force);
    assert_true(fabs(sofa_vec3_norm(force) - f.pair.load) < 1e-9 * f.pair.load);
    for (int k = 0; k < 2; k++) {
      const double *tangent = f.pair.tangent[k];
      assert_true(fabs(sofa_vec3_dot(tangent, force)) < 1e-7 * f.pair.load);
      assert_true(fabs(sofa_vec3_norm(tangent) - 1) < 1e-15);
    }
    assert_true(fabs(sofa_vec3_dot(f.pair.tangent[0], f.pair.tangent[1])) < 1e-15);
    /* the first element slides: mu load against the motion, on weights that are those of the point
     */
    memset(dx, 0, sizeof dx);
    for (int k = 0; k < 3 * (p.kind == SOFA_PAIR_EDGE_EDGE ? 2 : 1); k++)
      dx[k] = 2 * f.pair.tangent[1][k % 3];
    friction_at(&f, dx, &t);
    assert_true(fabs(t.value - 0.8 * f.pair.load) < 1e-12 * f.pair.load);
    const double w = f.pair.weight[0];
    const double along = sofa_vec3_dot(t.gradient, f.pair.tangent[1]);
    assert_true(fabs(along - 0.4 * f.pair.load * w) < 1e-12 * f.pair.load);
  }
  for (int k = 0; k < 4; k++) assert_true(checked[k] > 30);
  const double apart[6] = {0, 0, 0, 0.5, 0, 0};
  const SofaBarrierRule rule = {0.25, 1, 0};
  SofaFrictionPair pair;
  assert_false(sofa_friction_lag(SOFA_PAIR_POINT_POINT, apart, &rule, &pair));
}

/* Contacts along the axes have tangents, too. */
static void tangents_across_axes(void **state) {
  (void)state;
  const SofaBarrierRule rule = {4, 1, 0};
  for (int k = 0; k < 3; k++) {
    double x[6] = {0};
    x[3 + k] = 1;
    SofaFrictionPair f;
    assert_true(sofa_friction_lag(SOFA_PAIR_POINT_POINT, x, &rule, &f));
    for (int i = 0; i < 2; i++) {
      assert_true(f.tangent[i][k] == 0 && fabs(sofa_vec3_norm(f.tangent[i]) - 1) < 1e-15);
    }
    assert_true(fabs(sofa_vec3_dot(f.tangent[0], f.tangent[1])) < 1e-15);
  }
}

/* The mollifier of nearly parallel edges also scales the load. */
static void friction_of_mollified_edges(void **state) {
  (void)state;
  const double x[12] = {-1, 0, 0.1, 1, 0, 0.1, -1, -0.2, 0, 1, 0.2, 0};
  SofaBarrierRule rule = {0.25, 1, 0};
  SofaFrictionPair full, part;
  SofaPairTerm m;
  assert_true(sofa_friction_lag(SOFA_PAIR_EDGE_EDGE, x, &rule, &full));
  rule.threshold = 4;
  assert_true(sofa_friction_lag(SOFA_PAIR_EDGE_EDGE, x, &rule, &part));
  sofa_edge_mollifier(x, 4, &m);
  assert_true(m.value < 0.5 && fabs(part.load - m.value * full.load) < 1e-15);
}

/* ---- definite matrices ---- */

/* of a random rank, with eigenvalues of several magnitudes and some of them equal */
static void random_symmetric(Random *r, int n, int kind, double *a) {
  memset(a, 0, 144 * sizeof *a);
  const int rank = 1 + kind % n;
  for (int k = 0; k < rank; k++) {
    double v[12];
    const double f = kind % 3 ? random_real(r) : pow(10, -2. * k) * (k % 2 ? 1 : -1);
    for (int i = 0; i < n; i++) v[i] = kind % 5 ? random_real(r) : (double)(i == k);
    for (int i = 0; i < n * n; i++) a[i] += f * v[i / n] * v[i % n];
  }
}

static void definite_matrices(void **state) {
  (void)state;
  Random r = {17};
  for (int c = 0; c < 5000; c++) {
    const int n = 1 + c % 12;
    double a[144], p[144], values[12], q[144], size = 0;
    random_symmetric(&r, n, c / 12, a);
    for (int i = 0; i < n * n; i++) size = fmax(size, fabs(a[i]));
    assert_true(sofa_symmetric_eigen(n, a, values, q));
    for (int i = 0; i < n * n; i++) { /* Q A = D Q, Q Q^T = 1 */
      double aq = 0, qq = 0;
      for (int k = 0; k < n; k++) {
        aq += q[n * (i / n) + k] * a[n * k + i % n];
        qq += q[n * (i / n) + k] * q[n * (i % n) + k];
      }
      assert_true(fabs(aq - q[i] * values[i / n]) <= 3e-14 * size);
      assert_true(fabs(qq - (i / n == i % n)) < 2e-14);
    }
    memcpy(p, a, sizeof p);
    assert_true(sofa_make_definite(n, p));
    double product = 0;
    for (int i = 0; i < n * n; i++) { /* P (P - A) = 0: both parts have the same eigenvectors */
      double sum = 0;
      for (int k = 0; k < n; k++) sum += p[n * (i / n) + k] * (p[n * k + i % n] - a[n * k + i % n]);
      product = fmax(product, fabs(sum));
      assert_true(fabs(p[i] - p[n * (i % n) + i / n]) <= 1e-14 * size);
    }
    assert_true(product <= 2e-13 * size * size);
    double rest[144];
    for (int i = 0; i < n * n; i++) rest[i] = p[i] - a[i];
    assert_true(sofa_symmetric_eigen(n, p, values, q));
    for (int k = 0; k < n; k++) assert_true(values[k] >= -2e-13 * size);
    assert_true(sofa_symmetric_eigen(n, rest, values, q));
    for (int k = 0; k < n; k++) assert_true(values[k] >= -2e-13 * size);
    for (int i = 0; i < n * n; i++) rest[i] = p[i] + (i % (n + 1) ? 0 : size);
    memcpy(p, rest, sizeof p);
    assert_true(sofa_make_definite(n, p)); /* keeps what is definite */
    assert_memory_equal(p, rest, (size_t)(n * n) * sizeof *p);
  }
  for (int n = 1; n <= 12; n++) { /* rounding of eigenvalues that are 0 is not a reason */
    double p[144], before[144];
    for (int i = 0; i < n * n; i++) p[i] = before[i] = (1 + i / n) * (1 + i % n) / 7.;
    assert_true(sofa_make_definite(n, p));
    assert_memory_equal(p, before, (size_t)(n * n) * sizeof *p);
  }
  double bad[4] = {1, NAN, NAN, 1}, zero[4] = {0, 0, 0, 0};
  assert_false(sofa_make_definite(2, bad));
  assert_true(sofa_make_definite(2, zero) && zero[0] == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances),
      cmocka_unit_test(regions),
      cmocka_unit_test(mollifier),
      cmocka_unit_test(barrier),
      cmocka_unit_test(barrier_of_pairs),
      cmocka_unit_test(energy_by_its_gradient),
      cmocka_unit_test(stiffness),
      cmocka_unit_test(friction_of_a_displacement),
      cmocka_unit_test(friction_of_pairs),
      cmocka_unit_test(tangents_across_axes),
      cmocka_unit_test(friction_of_mollified_edges),
      cmocka_unit_test(definite_matrices),

  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
