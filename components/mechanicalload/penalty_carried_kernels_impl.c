/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The loops of carried ellipsoids over points, compiled once per instruction set with KERNELS_ISA
 * naming it. */
#include "components/mechanicalload/penalty_kernels.h"
#include "components/mechanicalload/penalty_rows_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

ALWAYS Rows rows_at(const PenaltyPoints *points, size_t at) {
  const size_t left = points->n - at;
  return (Rows){3, 3, left < LANES ? left : LANES};
}

/* Lanes behind the last point do not act: they would count in sums. */
ALWAYS bool contact_at(const PenaltyCarried *e, const PenaltyPoints *points, size_t at,
                       Contact *c) {
  static const double number[SOFA_LANES] = {0, 1, 2, 3, 4, 5, 6, 7};
  const Rows rows = rows_at(points, at);
  Lanes x[3];
  load(3, rows, points->x + 3 * at, x);
  if (!carried_law(e, x, c)) return false;
  c->acts &= lanes_less(lanes_load(number), lanes_set((double)rows.count));
  return true;
}

/* Sums of every SOFA_LANES-th vector: their order is that of all instruction sets. */
typedef double Sums[3][SOFA_LANES];
ALWAYS void add_and_sum(const Contact *c, const PenaltyPoints *points, size_t at, Lanes *r,
                        double *f, Sums sums) {
  for (int i = 0; i < 3; i++) {
    double *sum = sums[i] + at % SOFA_LANES;
    r[i] = acting(c, r[i]);
    lanes_store(sum, lanes_load(sum) + r[i]);
  }
  add(3, rows_at(points, at), r, f + 3 * at);
}
static void total(Sums sums, double *sum) {
  for (int i = 0; i < 3; i++) {
    sum[i] = 0;
    for (int l = 0; l < SOFA_LANES; l++) sum[i] += sums[i][l];
  }
}

static void force(const PenaltyCarried *e, const PenaltyPoints *points, double *f, double sum[3]) {
  const PenaltyCarried carried = *e; // which no store changes
  const PenaltyPoints all = *points;
  Sums sums = {{0}};
  e = &carried;
  points = &all;
  for (size_t at = 0; at < points->n; at += LANES) {
    Contact c;
    Lanes v[3], r[3];
    if (!contact_at(e, points, at, &c)) continue;
    load(3, rows_at(points, at), points->v + 3 * at, v);
    turn(e->rotation, 3, 1, c.push, r);
    for (int i = 0; i < 3; i++) r[i] = lanes_madd(c.rate, v[i], r[i]);
    add_and_sum(&c, points, at, r, f, sums);
  }
  total(sums, sum);
}

static void product(const PenaltyCarried *e, const PenaltyPoints *points, PenaltyFactors by,
                    const double *dx, double *df, double sum[3]) {
  const Lanes k = lanes_set(by.k), b = lanes_set(by.b);
  const PenaltyCarried carried = *e;
  const PenaltyPoints all = *points;
  Sums sums = {{0}};
  e = &carried;
  points = &all;
  for (size_t at = 0; at < points->n; at += LANES) {
    Contact c;
    Lanes d[3], against[3], local[3], r[3];
    if (!contact_at(e, points, at, &c)) continue;
    load(3, rows_at(points, at), dx + 3 * at, d);
    for (int i = 0; i < 3; i++) against[i] = d[i] - lanes_set(e->moved[i]);
    turn(e->rotation, 1, 3, against, local);
    const Lanes w = lanes_dot3(c.w, local);
    for (int i = 0; i < 3; i++) local[i] = lanes_madd(c.diagonal[i], local[i], w * c.u[i]);
    turn(e->rotation, 3, 1, local, r);
    for (int i = 0; i < 3; i++) r[i] = lanes_madd(k, r[i], b * c.rate * d[i]);
    add_and_sum(&c, points, at, r, df, sums);
  }
  total(sums, sum);
}

/* k R (diagonal + u w^T) R^T + b rate I */
ALWAYS void block_of(const PenaltyCarried *e, const Contact *c, PenaltyFactors by, Lanes *block) {
  const Lanes k = lanes_set(by.k);
  Lanes u[3], w[3];
  turn(e->rotation, 3, 1, c->u, u);
  turn(e->rotation, 3, 1, c->w, w);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      Lanes entry = u[i] * w[j];
      for (int m = 0; m < 3; m++)
        entry = lanes_madd(lanes_set(e->rotation[3 * i + m] * e->rotation[3 * j + m]),
                           c->diagonal[m], entry);
      entry = k * entry;
      if (i == j) entry = lanes_madd(lanes_set(by.b), c->rate, entry);
      block[3 * i + j] = acting(c, entry);
    }
  }
}

static void blocks(const PenaltyCarried *e, const PenaltyPoints *points, PenaltyFactors by,
                   double *out) {
  for (size_t at = 0; at < points->n; at += LANES) {
    Contact c;
    Lanes block[9];
    if (!contact_at(e, points, at, &c)) {
      store_no_blocks(9, out + 9 * at);
      continue;
    }
    block_of(e, &c, by, block);
    store_blocks(9, block, out + 9 * at);
  }
}

const PenaltyCarriedLoops CAT(penalty_carried_, KERNELS_ISA) = {
    .force = force,
    .product = product,
    .blocks = blocks,
};
