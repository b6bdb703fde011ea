/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Points to lanes and back, and blocks to pairs: the steps of element kernels before and after
 * their arithmetic. */
#ifndef SOFA_NUMERICS_FEM_LANE_POINTS_H
#define SOFA_NUMERICS_FEM_LANE_POINTS_H

#include "base/team.h"
#include "numerics/fem/element_batch.h"
#include "numerics/fem/lanes_impl.h"

/* Inlined with constant numbers of nodes and dimensions where it matters. */
#define ALWAYS static inline __attribute__((always_inline))

/* Adds the forces of a group, nodes x dim rows of lanes, to their points; `count` lanes count. */
ALWAYS void scatter(size_t nodes, size_t dim, const uint32_t (*v)[SOFA_LANES],
                    const double (*force)[SOFA_LANES], size_t count, double *f) {
  for (size_t l = 0; l < count; l++) {
    for (size_t n = 0; n < nodes; n++) {
      double *to = f + dim * v[n][l];
      for (size_t c = 0; c < dim; c++) to[c] += force[dim * n + c][l];
    }
  }
}

static inline size_t lanes_in_group(size_t n, size_t group) {
  const size_t left = n - group * SOFA_LANES;
  return left < SOFA_LANES ? left : SOFA_LANES;
}

/* What the elements of a batch gave: nodes x dim rows of lanes per group. */
typedef struct LaneForces {
  size_t n_points, nodes, dim;
  const uint32_t *start, *around; /* elements around a point */
  const double *force;            /* the whole storage */
} LaneForces;

/* An addition of such forces to points. */
typedef struct Gathering {
  const LaneForces *forces;
  double *f;
} Gathering;

static inline void gather_points(void *user, size_t begin, size_t end) {
  const Gathering *g = user;
  const size_t nodes = g->forces->nodes, dim = g->forces->dim, rows = dim * nodes;
  const uint32_t *start = g->forces->start, *around = g->forces->around;
  for (size_t i = begin; i < end; i++) {
    double sum[3], *to = g->f + dim * i;
    for (size_t c = 0; c < dim; c++) sum[c] = to[c];
    for (uint32_t k = start[i]; k < start[i + 1]; k++) {
      const size_t e = around[k] / nodes, n = around[k] % nodes;
      const double *from =
          g->forces->force + (e / SOFA_LANES * rows + dim * n) * SOFA_LANES + e % SOFA_LANES;
      for (size_t c = 0; c < dim; c++) sum[c] += from[c * SOFA_LANES];
    }
    for (size_t c = 0; c < dim; c++) to[c] = sum[c];
  }
}

enum { GATHER_GRAIN = 128 }; /* points */

/* f += forces of the elements around each point, ascending: the order of `scatter`. */
static inline void gather(const SofaContext *ctx, const LaneForces *forces, double *f) {
  Gathering gathering = {forces, f};
  sofa_team_for(ctx, forces->n_points, GATHER_GRAIN, gather_points, &gathering);
}

/* Coordinates of a node of the elements in lanes s .. s + LANES - 1. */
ALWAYS void load_point(size_t dim, const uint32_t *v, const double *x, Lanes *p) {
  double t[3][LANES];
  for (int l = 0; l < LANES; l++) {
    const double *from = x + dim * v[l];
    for (size_t c = 0; c < dim; c++) t[c][l] = from[c];
  }
  for (size_t c = 0; c < dim; c++) p[c] = lanes_load(t[c]);
}
static inline void load_node(const uint32_t *v, const double *x, Lanes *p) {
  load_point(3, v, x, p);
}

/* Adds block (or its transpose, or both) of lane l to a pair's block. */
ALWAYS void add_turned(size_t dim, const double (*block)[SOFA_LANES], size_t l, unsigned turn,
                       double *to) {
  if (turn != SOFA_PAIR_TRANSPOSED) {
    for (size_t i = 0; i < dim * dim; i++) to[i] += block[i][l];
  }
  if (turn != SOFA_PAIR_STRAIGHT) {
    for (size_t i = 0; i < dim * dim; i++) to[i] += block[dim * (i % dim) + i / dim][l];
  }
}

#endif
