/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Beams in lanes against single beams: poses, forces and products on every instruction set. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "math/kernels.h"
#include "math/quaternion.h"
#include "numerics/fem/beam_kernels.h"
#include "object/factory.h"

enum { BEAMS = 21, POINTS = BEAMS + 1, GROUPS = (BEAMS + SOFA_LANES - 1) / SOFA_LANES };

/* A chain whose points turn by more and more, up to nearly half a turn between two of them. */
typedef struct Chain {
  double rest[7 * POINTS], x[7 * POINTS], dx[6 * POINTS];
  SofaBeam law[BEAMS];
  SofaBeamGroup groups[GROUPS];
  SofaBeamBatch batch;
} Chain;

static double noise(uint64_t *seed) {
  *seed = *seed * 6364136223846793005u + 1442695040888963407u;
  return (double)(int64_t)*seed * 0x1p-63;
}

static void turned(uint64_t *seed, double angle, const double *from, double *to) {
  const double axis[3] = {noise(seed), noise(seed), 0.1 + noise(seed)};
  double turn[4];
  sofa_quat_from_axis_angle(axis, angle, turn);
  sofa_quat_multiply(turn, from, to);
}

static void make_chain(bool exact, Chain *c) {
  static const double angles[] = {0, 1e-12, 1e-9, 1e-4, 0.3, 0.499, 0.501, 1, 2, 3, 3.14};
  const SofaBeamSection section = {7, 3, 0.4, 0.2, 0.3, 0.5, 0.35, 0.3};
  uint64_t seed = 3;
  memset(c, 0, sizeof *c);
  c->batch = (SofaBeamBatch){.n = BEAMS, .exact = exact, .groups = c->groups};
  for (size_t i = 0; i < POINTS; i++) {
    double *rest = c->rest + 7 * i, *x = c->x + 7 * i;
    const double none[4] = {0, 0, 0, 1};
    for (size_t k = 0; k < 3; k++) {
      rest[k] = (k == 0 ? (double)i : 0) + 0.2 * noise(&seed);
      x[k] = rest[k] + 0.3 * noise(&seed);
    }
    turned(&seed, 3 * noise(&seed), none, rest + 3);
    // as at rest, then turned against the point before
    if (i == 0) memcpy(x + 3, rest + 3, 4 * sizeof *x);
    else {
      double back[4], between[4], whole[4];
      sofa_quat_inverse(c->rest + 7 * i - 4, back);
      sofa_quat_multiply(back, rest + 3, between);
      sofa_quat_multiply(c->x + 7 * i - 4, between, whole);
      turned(&seed, angles[i % (sizeof angles / sizeof *angles)], whole, x + 3);
    }
    for (size_t k = 3; k < 7 && i % 3 == 1; k++) x[k] *= -1.01; // the same turn
    for (size_t k = 0; k < 6; k++) c->dx[6 * i + k] = noise(&seed);
  }
  memcpy(c->x + 7 * 13, c->x + 7 * 12, 3 * sizeof *c->x); // a beam without length
  for (size_t i = 0; i < BEAMS; i++) {
    const uint32_t v[2] = {(uint32_t)i + (i & 1), (uint32_t)i + !(i & 1)};
    assert_true((exact ? sofa_beam_make_exact : sofa_beam_make)(
        &section, c->rest + 7 * (size_t)v[0], c->rest + 7 * (size_t)v[1], &c->law[i]));
    sofa_beam_batch_set(&c->batch, i, v, &c->law[i]);
  }
}

static uint32_t point(const Chain *c, size_t beam, size_t n) {
  return c->groups[beam / SOFA_LANES].v[n][beam % SOFA_LANES];
}

static bool near(double a, double b, double size) {
  return fabs(a - b) <= 1e-12 * (1 + size);
}

/* That of the kernels against the second derivative k. */
static void check_tangent(const Chain *c, size_t beam, const double *k) {
  double tangent[144], most = 0;
  sofa_beam_batch_tangent(&c->batch, beam, tangent);
  for (int e = 0; e < 144; e++) most = fmax(most, fabs(k[e]));
  for (int e = 0; e < 144; e++) assert_true(near(tangent[e], -k[e], most));
}

/* Poses, forces f and tangents of the kernels. */
static void check_forces(Chain *c, const double *f) {
  double wanted[6 * POINTS], size[POINTS] = {0};
  for (size_t k = 0; k < 6 * POINTS; k++) wanted[k] = 0.5;
  for (size_t i = 0; i < BEAMS; i++) {
    SofaBeamPose one, lane;
    double g[12], k[144];
    const uint32_t a = point(c, i, 0), b = point(c, i, 1);
    sofa_beam_pose(&c->law[i], c->x + 7 * (size_t)a, c->x + 7 * (size_t)b, &one);
    sofa_beam_batch_pose(&c->batch, i, &lane);
    assert_true(near(one.length, lane.length, 0));
    double most = 0;
    for (int e = 0; e < 12; e++) most = fmax(most, fabs(one.load[e]));
    for (int e = 0; e < 4; e++) assert_true(near(one.frame[e], lane.frame[e], 0));
    for (int e = 0; e < 3; e++) {
      assert_true(near(one.theta[e], lane.theta[e], 0));
      assert_true(near(one.direction[e], lane.direction[e], 0));
    }
    for (int e = 0; e < 12; e++) assert_true(near(one.load[e], lane.load[e], most));
    sofa_beam_gradient(&one, g);
    for (size_t e = 0; e < 12; e++) wanted[6 * (size_t)point(c, i, e / 6) + e % 6] -= g[e];
    size[a] += most, size[b] += most;
    sofa_beam_hessian(&c->law[i], &one, k);
    check_tangent(c, i, k);
  }
  for (size_t k = 0; k < 6 * POINTS; k++) assert_true(near(f[k], wanted[k], size[k / 6]));
}

static void check_products(const Chain *c, const double *df) {
  double wanted[6 * POINTS], size[POINTS] = {0};
  for (size_t k = 0; k < 6 * POINTS; k++) wanted[k] = 0.25;
  for (size_t i = 0; i < BEAMS; i++) {
    double k[144];
    sofa_beam_batch_tangent(&c->batch, i, k);
    for (size_t e = 0; e < 144; e++) {
      const size_t row = 6 * (size_t)point(c, i, e / 72) + e / 12 % 6;
      const size_t column = 6 * (size_t)point(c, i, e % 12 / 6) + e % 6;
      wanted[row] += -0.75 * k[e] * c->dx[column];
      size[row / 6] += fabs(k[e]);
    }
  }
  for (size_t k = 0; k < 6 * POINTS; k++) assert_true(near(df[k], wanted[k], size[k / 6]));
}

static void lanes_are_single_beams(void **state) {
  (void)state;
  static const char *const isas[] = {"baseline", "avx2", "avx512"};
  for (int exact = 0; exact < 2; exact++) {
    double f[3][6 * POINTS], df[3][6 * POINTS];
    bool done[3] = {false};
    for (int s = 0; s < 3; s++) {
      Chain *c = malloc(sizeof *c);
      SofaContext *ctx = NULL;
      const SofaContextOptions options = {.isa = isas[s]};
      assert_non_null(c);
      make_chain(exact, c);
      if (sofa_kernels_select(isas[s])) {
        assert_int_equal(sofa_context_create(&options, &ctx), SOFA_OK);
        const SofaBeamKernels *kernels = sofa_beam_kernels(ctx);
        assert_string_equal(kernels->name, isas[s]);
        for (size_t k = 0; k < 6 * POINTS; k++) f[s][k] = 0.5, df[s][k] = 0.25;
        kernels->force(&c->batch, c->x, (SofaVectorsTo){.f = f[s]});
        kernels->tangents(&c->batch);
        check_forces(c, f[s]);
        kernels->product(&c->batch, -0.75, c->dx, (SofaVectorsTo){.f = df[s]});
        check_products(c, df[s]);
        done[s] = true;
      }
      sofa_context_destroy(&ctx);
      free(c);
    }
    if (!done[1] || !done[2]) continue;
    assert_memory_equal(f[1], f[2], sizeof f[1]);
    assert_memory_equal(df[1], df[2], sizeof df[1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_are_single_beams)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
