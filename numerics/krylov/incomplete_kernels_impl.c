/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Substitution by rows of 3x3 blocks, compiled once per instruction set with KERNELS_ISA naming it.
 * A row of a block is a register of four reals, of which three count: on the way down the products
 * of all blocks of a row add up in three registers, whose entries are summed at the end of the row.
 * avx2 and avx512 give the same bits. */
#include "math/quad_impl.h"
#include "numerics/krylov/incomplete_kernels_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

#define SUM(a) ((a)[0] + (a)[1] + (a)[2])

static void solve_down(const SofaTriangle3 *t, double *x) {
  for (size_t i = 0; i < t->n; i++) {
    const uint32_t end = t->start[i + 1] - 1;
    const double *l = t->l + 9 * (size_t)t->start[i];
    Quad a = {0}, b = {0}, c = {0};
    for (uint32_t k = t->start[i]; k < end; k++, l += 9) {
      const Quad at = LOAD(x + 4 * (size_t)t->column[k]);
      a = MADD(LOAD(l), at, a);
      b = MADD(LOAD(l + 3), at, b);
      c = MADD(LOAD(l + 6), at, c);
    }
    double *own = x + 4 * i;
    const double u = own[0] - SUM(a), v = own[1] - SUM(b), w = own[2] - SUM(c);
    own[0] = l[0] * u;
    own[1] = l[3] * u + l[4] * v;
    own[2] = l[6] * u + l[7] * v + l[8] * w;
  }
}

static void solve_up(const SofaTriangle3 *t, double *x) {
  for (size_t i = t->n; i-- > 0;) {
    const uint32_t end = t->start[i + 1] - 1;
    const double *l = t->l + 9 * (size_t)end;
    double *own = x + 4 * i;
    const double u = l[0] * own[0] + l[3] * own[1] + l[6] * own[2],
                 v = l[4] * own[1] + l[7] * own[2], w = l[8] * own[2];
    own[0] = u, own[1] = v, own[2] = w;
    const Quad a = {-u, -u, -u, -u}, b = {-v, -v, -v, -v}, c = {-w, -w, -w, -w};
    l = t->l + 9 * (size_t)t->start[i];
    for (uint32_t k = t->start[i]; k < end; k++, l += 9) {
      double *to = x + 4 * (size_t)t->column[k];
      *(QuadAt *)to = MADD(LOAD(l + 6), c, MADD(LOAD(l + 3), b, MADD(LOAD(l), a, LOAD(to))));
    }
  }
}

SofaTriangle3Solve CAT(sofa_triangle3_solve_, KERNELS_ISA);
void CAT(sofa_triangle3_solve_, KERNELS_ISA)(const SofaTriangle3 *t, double *x) {
  solve_down(t, x);
  solve_up(t, x);
}
