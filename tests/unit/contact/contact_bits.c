/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Prints a sum of all bits of many results of numerics/contact, computed on 1 and on 4 threads. The
 * program is built twice, with and without the instructions for fused multiply-add, and a test
 * compares what they print. Status 1: threads change the bits; 77: the processor cannot run it. */
#include <stdio.h>
#include <string.h>

#include "integers.h"
#include "numerics/contact/ccd.h"
#include "numerics/contact/definite.h"
#include "numerics/contact/exact.h"
#include "numerics/contact/friction.h"

enum { QUERIES = 8000 };

/* FNV-1a */
static uint64_t add_bits(uint64_t sum, const void *data, size_t size) {
  const unsigned char *bytes = (const unsigned char *)data;
  for (size_t k = 0; k < size; k++) sum = (sum ^ bytes[k]) * UINT64_C(1099511628211);
  return sum;
}
static uint64_t add_closest(uint64_t sum, const SofaClosest *c) {
  sum = add_bits(sum, c->w, sizeof c->w);
  sum = add_bits(sum, c->r, sizeof c->r);
  sum = add_bits(sum, c->p, sizeof c->p);
  sum = add_bits(sum, c->q, sizeof c->q);
  return add_bits(sum, &c->region, sizeof c->region);
}
static uint64_t add_energies(uint64_t sum, const double *x, const double *dx) {
  const SofaBarrierRule rule = {4, 2, 0.5};
  const SofaFrictionRule rubbing = {0.3, 0.1};
  for (int kind = 0; kind < 4; kind++) {
    const unsigned n = sofa_pair_points((SofaPairKind)kind);
    SofaClosest c;
    SofaPairTerm t;
    SofaFrictionPair f;
    sofa_pair_closest((SofaPairKind)kind, x, &c);
    sum = add_closest(sum, &c);
    if (!sofa_barrier_pair((SofaPairKind)kind, x, &rule, &t)) continue;
    sofa_make_definite((int)(3 * n), t.hessian);
    sum = add_bits(sum, t.gradient, 3 * n * sizeof *t.gradient);
    sum = add_bits(sum, t.hessian, 9 * n * n * sizeof *t.hessian);
    sofa_friction_lag((SofaPairKind)kind, x, &rule, &f);
    sofa_friction_pair(&f, &rubbing, n, dx, &t);
    sum = add_bits(sum, t.gradient, 3 * n * sizeof *t.gradient);
    sum = add_bits(sum, t.hessian, 9 * n * n * sizeof *t.hessian);
  }
  return sum;
}
static uint64_t bits_of(int n) {
  Random r = {(uint64_t)n * 2654435761U + 1};
  SofaCcdWork work;
  double x[24], dx[12];
  for (int k = 0; k < 24; k++) x[k] = n % 3 ? random_real(&r) : (double)random_integer(&r, 2);
  for (int k = 0; k < 12; k++) dx[k] = x[12 + k] - x[k];
  uint64_t sum = add_energies(UINT64_C(14695981039346656037), x, dx);
  const int side = sofa_orient3d(x, x + 3, x + 6, x + 9);
  sum = add_bits(sum, &side, sizeof side);
  SofaCcdQuery q = {.kind = n & 1 ? SOFA_CCD_EDGE_EDGE : SOFA_CCD_POINT_TRIANGLE};
  for (int k = 0; k < 4; k++) {
    q.start[k] = x + 3 * k;
    q.end[k] = x + 12 + 3 * k;
  }
  const SofaCcdOptions o = {n % 5 ? 0 : 0.1, 1e-6, 1, 200};
  const SofaCcdResult hit = sofa_ccd(&q, &o, &work);
  sum = add_bits(sum, &hit.time, sizeof hit.time);
  return add_bits(sum, &hit.boxes, sizeof hit.boxes);
}

static uint64_t bits_of_all(int threads) {
  uint64_t sum = 0;
#pragma omp parallel for num_threads(threads) reduction(^ : sum)
  for (int n = 0; n < QUERIES; n++) {
    const uint64_t bits = bits_of(n);
    sum ^= bits;
  }
  return sum;
}

int main(void) {
#ifdef __FMA__
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 77;
#endif
  const uint64_t one = bits_of_all(1), four = bits_of_all(4);
  printf("%016llx\n", (unsigned long long)one);
  return one != four;
}
