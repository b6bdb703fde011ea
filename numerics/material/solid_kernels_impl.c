/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces and stiffness blocks of hyperelastic elements with quadrature, compiled once per
 * instruction set with KERNELS_ISA naming it; formulas in solid_batch.h.
 *
 * Forces are added to points as element_sums.h says. One thread adds blocks to those of pairs
 * directly; several store what elements give and gather it in the order of the elements, which
 * gives the same bits. */
#include <stdatomic.h>
#include <string.h>
#include "base/team.h"
#include "numerics/fem/lane_points_impl.h"
#include "numerics/material/dilatation_impl.h"
#include "numerics/material/isotropic_lanes_impl.h"
#include "numerics/material/solid_kernels_impl.h"
#include "math/vec.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

enum {
  PARALLEL_MIN_GROUPS = 4, /* fewer: threads cost more than they give */
  GROUPS_GRAIN = 4,        /* that a thread takes at once */
  PAIRS_GRAIN = 128,
  MAX_NODES = SOFA_SHAPE_MAX_NODES,
  MAX_PAIRS = MAX_NODES * (MAX_NODES + 1) / 2,
  MAX_GAUSS = SOFA_SOLID_MAX_GAUSS
};

typedef SofaSolidResponse Response;

/* A batch and its law. */
typedef struct Solid {
  SofaSolidBatch *b;
  const SofaSolidLaw *law;
} Solid;

static bool parallel(const SofaSolidBatch *b, const SofaContext *ctx) {
  return ctx->threads > 1 && b->group_blocks && b->n_groups >= PARALLEL_MIN_GROUPS;
}

/* c0, c1, c2 of the forms and det F of lanes. */
typedef struct Coefficients {
  Lanes c[3], det;
} Coefficients;

/* Those of the first `count` lanes at f. Returns the first one where the material is not defined,
 * or `count`. */
static inline size_t respond(const SofaSolidLaw *law, const Lanes *f, size_t count,
                             Coefficients *r) {
  const SofaHyperMaterial *material = law->material;
  LawDeformation x;
  LawDerivatives w;
  law_invariants(f, &x);
  const size_t good = law_first_undefined(material, count, x.j);
  if (good < count) return good;
  law_derivatives(material, law->p, &x, &w);
  r->det = x.j;
  if (material->form == SOFA_HYPER_SPLIT) {
    r->c[0] = 2.0 * w.w1;
    r->c[1] = w.wl;
    r->c[2] = w.wll;
  } else {
    r->c[0] = 2.0 * lanes_madd(x.i1, w.w2, w.w1);
    r->c[1] = -2.0 * w.w2;
    r->c[2] = 4.0 * (w.w11 + w.w2);
  }
  return count;
}

/* How many lanes from s on are elements, of `count` in the group. */
static inline size_t lanes_from(int s, size_t count) {
  return count - (size_t)s < LANES ? count - (size_t)s : LANES;
}

/* The same of a quadrature point of a group with deformation gradients f. Lanes beyond mean
 * nothing. */
static size_t respond_group(const SofaSolidLaw *law, const double (*f)[SOFA_LANES], size_t count,
                            Response r) {
  for (int s = 0; (size_t)s < count; s += LANES) {
    Coefficients c;
    Lanes m[9];
    for (int k = 0; k < 9; k++) m[k] = lanes_load(f[k] + s);
    const size_t n = lanes_from(s, count), good = respond(law, m, n, &c);
    if (good < n) return (size_t)s + good;
    for (int k = 0; k < 3; k++) lanes_store(r[k] + s, c.c[k]);
    lanes_store(r[3] + s, c.det);
  }
  return count;
}

/* The same at all points of a group, whose deformation gradients are kept. moduli: H_ab. */
ALWAYS size_t respond_all(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t gauss,
                          size_t group, Response *r, SofaDilatationModuli moduli) {
  const size_t count = lanes_in_group(b->n, group);
  size_t bad = count;
  sofa_zero(r, gauss * sizeof *r);
  for (size_t q = 0; q < gauss; q++) {
    const double(*f)[SOFA_LANES] = (const double(*)[SOFA_LANES])(b->f + 9 * (gauss * group + q));
    const size_t found = respond_group(law, f, count, r[q]);
    if (found < bad) bad = found;
  }
  if (bad < count || !b->n_modes) return bad;
  return sofa_dilatation_project(b, law, group, count, r, moduli);
}

/* F^-T of lanes. */
static inline void inverse_transposed(const Lanes *f, Lanes *r) {
  lanes_cross(f + 3, f + 6, r);
  lanes_cross(f + 6, f, r + 3);
  lanes_cross(f, f + 3, r + 6);
  const Lanes scale = lanes_set(1) / lanes_dot3(f, r);
  for (int k = 0; k < 9; k++) r[k] = r[k] * scale;
}

/* F F^T of lanes. */
static inline void left_strain(const Lanes *f, Lanes *r) {
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) r[3 * i + k] = lanes_dot3(f + 3 * i, f + 3 * k);
  }
}

/* ---- forces ---- */

/* F of lanes from the positions of nodes 1 .. relative to node 0. */
ALWAYS void deform(size_t nodes, const Lanes (*u)[3], const double (*g)[SOFA_LANES], int s,
                   double (*f)[SOFA_LANES]) {
  Lanes sum[9];
  for (int k = 0; k < 9; k++) sum[k] = lanes_set(0);
  for (size_t n = 1; n < nodes; n++) {
    for (int k = 0; k < 3; k++) {
      const Lanes slope = lanes_load(g[3 * n + (size_t)k] + s);
      for (int i = 0; i < 3; i++) sum[3 * i + k] = lanes_madd(u[n][i], slope, sum[3 * i + k]);
    }
  }
  for (int k = 0; k < 9; k++) lanes_store(f[k] + s, sum[k]);
}

/* -w P of lanes. */
ALWAYS void stress(bool split, const double (*f)[SOFA_LANES], const double (*r)[SOFA_LANES],
                   const double *volume, int s, Lanes *p) {
  const Lanes w = -lanes_load(volume + s), c0 = w * lanes_load(r[0] + s),
              c1 = w * lanes_load(r[1] + s);
  Lanes m[9], other[9], b[9];
  for (int k = 0; k < 9; k++) m[k] = lanes_load(f[k] + s);
  if (split) {
    inverse_transposed(m, other);
  } else {
    // F C = F F^T F
    left_strain(m, b);
    for (int i = 0; i < 3; i++) lanes_apply_t(m, b + 3 * i, other + 3 * i);
  }
  for (int k = 0; k < 9; k++) p[k] = lanes_madd(c1, other[k], c0 * m[k]);
}

/* force += p g */
ALWAYS void add_stress(size_t nodes, const Lanes *p, const double (*g)[SOFA_LANES], int s,
                       Lanes (*force)[3]) {
  for (size_t n = 0; n < nodes; n++) {
    Lanes slope[3];
    for (size_t k = 0; k < 3; k++) slope[k] = lanes_load(g[3 * n + k] + s);
    for (int i = 0; i < 3; i++)
      force[n][i] = lanes_madd(
          p[3 * i + 2], slope[2],
          lanes_madd(p[3 * i + 1], slope[1], lanes_madd(p[3 * i], slope[0], force[n][i])));
  }
}

/* Keeps the deformation gradients of a group. */
ALWAYS void group_deform(SofaSolidBatch *b, size_t nodes, size_t gauss, size_t group,
                         const double *x) {
  double(*f)[SOFA_LANES] = b->f + 9 * gauss * group;
  const double(*g)[SOFA_LANES] =
      (const double(*)[SOFA_LANES])(b->gradient + 3 * nodes * gauss * group);
  for (int s = 0; s < SOFA_LANES; s += LANES) {
    Lanes u[MAX_NODES][3];
    for (size_t n = 0; n < nodes; n++) {
      load_node(b->v[nodes * group + n] + s, x, u[n]);
      for (int i = 0; n && i < 3; i++) u[n][i] = u[n][i] - u[0][i];
    }
    for (size_t q = 0; q < gauss; q++)
      deform(nodes, (const Lanes(*)[3])u, g + 3 * nodes * q, s, f + 9 * q);
  }
}

/* A loop over the groups of a batch. */
typedef struct SolidLoop {
  Solid solid;
  const double *x;
  double *f;
  _Atomic size_t bad; /* the first bad element */
} SolidLoop;

/* Elements and where their forces are put, see SofaGiveVectors. */
typedef struct ElementRange {
  size_t begin, end;
  double *parts;
} ElementRange;

static void note_bad(SolidLoop *loop, size_t element) {
  size_t first = atomic_load_explicit(&loop->bad, memory_order_relaxed);
  while (element < first &&
         !atomic_compare_exchange_weak_explicit(&loop->bad, &first, element, memory_order_relaxed,
                                                memory_order_relaxed))
    continue;
}

static void share_groups(void *user, size_t begin, size_t end) {
  const SolidLoop *loop = user;
  SofaSolidBatch *b = loop->solid.b;
  const double *x = loop->x;
  for (size_t i = begin; i < end; i++) {
    group_deform(b, b->n_nodes, b->n_gauss, i, x);
    for (size_t l = 0; l < lanes_in_group(b->n, i); l++) {
      double j[MAX_GAUSS];
      for (size_t q = 0; q < b->n_gauss; q++) {
        double f[9];
        for (size_t k = 0; k < 9; k++) f[k] = b->f[9 * (b->n_gauss * i + q) + k][l];
        j[q] = sofa_mat3_det(f);
      }
      sofa_corners_share(b, SOFA_LANES * i + l, j);
    }
  }
}

/* What the elements of all groups have of the dilatation of corners, and that dilatation; returns
 * the first bad element. */
static size_t deform_corners(Solid solid, const SofaContext *ctx, const double *x) {
  SolidLoop loop = {.solid = solid, .x = x};
  sofa_team_for(ctx, solid.b->n_groups, GROUPS_GRAIN, share_groups, &loop);
  return sofa_corners_update(solid.b, solid.law);
}

/* Forces of the elements of a group, 3 nodes rows of lanes; returns the first bad lane. */
ALWAYS size_t group_force(Solid solid, size_t nodes, size_t gauss, size_t group, const double *x,
                          double (*out)[SOFA_LANES]) {
  SofaSolidBatch *b = solid.b;
  const SofaSolidLaw *law = solid.law;
  const bool split = law->material->form == SOFA_HYPER_SPLIT;
  const size_t count = lanes_in_group(b->n, group);
  double(*f)[SOFA_LANES] = b->f + 9 * gauss * group;
  const double(*g)[SOFA_LANES] =
      (const double(*)[SOFA_LANES])(b->gradient + 3 * nodes * gauss * group);
  if (!b->corners.stars.n) group_deform(b, nodes, gauss, group, x);
  Response r[MAX_GAUSS];
  const size_t bad = respond_all(b, law, gauss, group, r, NULL);
  if (bad < count) return bad;
  for (int s = 0; s < SOFA_LANES; s += LANES) {
    Lanes force[MAX_NODES][3];
    for (size_t n = 0; n < nodes; n++) {
      for (int i = 0; i < 3; i++) force[n][i] = lanes_set(0);
    }
    for (size_t q = 0; q < gauss; q++) {
      Lanes p[9];
      stress(split, (const double(*)[SOFA_LANES])(f + 9 * q), (const double(*)[SOFA_LANES])r[q],
             b->volume[gauss * group + q], s, p);
      add_stress(nodes, p, g + 3 * nodes * q, s, force);
    }
    for (size_t n = 0; n < nodes; n++) {
      for (size_t i = 0; i < 3; i++) lanes_store(out[3 * n + i] + s, force[n][i]);
    }
  }
  return count;
}

/* Adds the forces of groups to points or, unless parts is NULL, puts them there. */
ALWAYS void give_groups(SolidLoop *loop, size_t nodes, size_t gauss, const ElementRange *range) {
  const SofaSolidBatch *b = loop->solid.b;
  double *parts = range->parts;
  for (size_t i = range->begin / SOFA_LANES; i * SOFA_LANES < range->end; i++) {
    double force[3 * MAX_NODES][SOFA_LANES];
    const double(*rows)[SOFA_LANES] = (const double(*)[SOFA_LANES])force;
    const size_t count = lanes_in_group(b->n, i);
    const size_t lane = group_force(loop->solid, nodes, gauss, i, loop->x, force);
    if (lane < count) {
      note_bad(loop, SOFA_LANES * i + lane);
      return;
    }
    if (parts) put_vectors(3 * nodes, rows, count, parts);
    else scatter(nodes, 3, (const uint32_t(*)[SOFA_LANES])(b->v + nodes * i), rows, count, loop->f);
    if (parts) parts += count * 3 * nodes;
  }
}

/* A SofaGiveVectors. */
static void give_forces(void *user, size_t begin, size_t end, double *parts) {
  const SofaSolidBatch *b = ((SolidLoop *)user)->solid.b;
  const ElementRange range = {begin, end, parts};
  if (b->shape == SOFA_SHAPE_HEXA) give_groups(user, 8, 8, &range);
  else if (b->shape == SOFA_SHAPE_TETRA) give_groups(user, 4, 1, &range);
  else give_groups(user, b->n_nodes, b->n_gauss, &range);
}

static size_t solid_force(SofaSolidBatch *b, const SofaSolidLaw *law, const SofaContext *ctx,
                          const double *x, double *f) {
  const Solid solid = {b, law};
  const size_t bad = b->corners.stars.n ? deform_corners(solid, ctx, x) : b->n;
  if (bad < b->n) return bad;
  SolidLoop loop = {.solid = solid, .x = x, .f = f, .bad = b->n};
  sofa_element_sums_run(&b->sums, b->n, give_forces, &loop, &loop.f);
  return loop.bad;
}

/* ---- stiffness blocks ---- */

/* diagonal I + a1 b1^T + a2 b2^T and, unless m is NULL, factor m */
typedef struct Block {
  Lanes diagonal, factor;
  const Lanes *a1, *b1, *a2, *b2, *m;
} Block;

ALWAYS void add_block(const Block *k, double (*to)[SOFA_LANES], int s) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      double *at = to[3 * i + j] + s;
      Lanes sum = lanes_load(at);
      if (i == j) sum = sum + k->diagonal;
      if (k->m) sum = lanes_madd(k->factor, k->m[3 * i + j], sum);
      lanes_store(at, lanes_madd(k->a1[i], k->b1[j], lanes_madd(k->a2[i], k->b2[j], sum)));
    }
  }
}

/* What a quadrature point has for its lanes: deformation gradient, response, volume, gradients. */
typedef struct GaussPoint {
  const double (*f)[SOFA_LANES], (*r)[SOFA_LANES], *volume, (*gradient)[SOFA_LANES];
} GaussPoint;

/* Adds the blocks of a quadrature point. */
ALWAYS void point_blocks(bool split, size_t nodes, const GaussPoint *at, int s,
                         double (*to)[SOFA_LANES]) {
  const double(*f)[SOFA_LANES] = at->f, (*r)[SOFA_LANES] = at->r;
  const double(*gradient)[SOFA_LANES] = at->gradient;
  const Lanes w = -lanes_load(at->volume + s), c0 = w * lanes_load(r[0] + s),
              c1 = w * lanes_load(r[1] + s), c2 = w * lanes_load(r[2] + s);
  // u: y or h; with c1 and c2
  Lanes m[9], map[9], g[MAX_NODES][3], u[MAX_NODES][3], u1[MAX_NODES][3], u2[MAX_NODES][3];
  for (int k = 0; k < 9; k++) m[k] = lanes_load(f[k] + s);
  if (split) inverse_transposed(m, map);
  else left_strain(m, map);
  for (size_t n = 0; n < nodes; n++) {
    for (size_t k = 0; k < 3; k++) g[n][k] = lanes_load(gradient[3 * n + k] + s);
    lanes_apply(split ? map : m, g[n], u[n]);
    for (int k = 0; k < 3; k++) {
      u1[n][k] = split ? -(c1 * u[n][k]) : c1 * u[n][k];
      u2[n][k] = c2 * u[n][k];
    }
  }
  for (size_t a = 0; a < nodes; a++) {
    for (size_t b = a; b < nodes; b++, to += 9) {
      const Lanes slopes = lanes_dot3(g[a], g[b]);
      Lanes diagonal = c0 * slopes;
      if (!split) diagonal = diagonal + lanes_dot3(u1[a], u[b]);
      const Block block = {.diagonal = diagonal,
                           .factor = c1 * slopes,
                           .a1 = u2[a],
                           .b1 = u[b],
                           .a2 = u1[b],
                           .b2 = u[a],
                           .m = split ? NULL : map};
      add_block(&block, to, s);
    }
  }
}

/* B_a of the nodes of lanes, for one mode. */
ALWAYS void mode_slopes(const SofaSolidBatch *b, const Response *r, size_t group, size_t mode,
                        int s, Lanes (*slope)[3]) {
  const size_t nodes = b->n_nodes;
  for (size_t n = 0; n < nodes; n++)
    for (int k = 0; k < 3; k++) slope[n][k] = lanes_set(0);
  for (size_t q = 0; q < b->n_gauss; q++) {
    const size_t at = b->n_gauss * group + q;
    const double(*gradient)[SOFA_LANES] =
        (const double(*)[SOFA_LANES])(b->gradient + 3 * nodes * at);
    const Lanes w = lanes_load(b->volume[at] + s) *
                    lanes_load(b->mode[b->n_modes * at + mode] + s) * lanes_load(r[q][3] + s);
    Lanes m[9], map[9];
    for (int k = 0; k < 9; k++) m[k] = lanes_load(b->f[9 * at + (size_t)k] + s);
    inverse_transposed(m, map);
    for (size_t n = 0; n < nodes; n++) {
      Lanes g[3], h[3];
      for (size_t k = 0; k < 3; k++) g[k] = lanes_load(gradient[3 * n + k] + s);
      lanes_apply(map, g, h);
      for (int k = 0; k < 3; k++) slope[n][k] = lanes_madd(w, h[k], slope[n][k]);
    }
  }
}

/* Adds - sum H_ab B_an B_bm^T to the blocks of a group. */
static void dilatation_blocks(const SofaSolidBatch *b, const Response *r, size_t group,
                              double (*moduli)[SOFA_LANES], double (*out)[SOFA_LANES]) {
  for (int s = 0; s < SOFA_LANES; s += LANES) {
    Lanes slope[SOFA_SOLID_MAX_MODES][MAX_NODES][3];
    for (size_t a = 0; a < b->n_modes; a++) mode_slopes(b, r, group, a, s, slope[a]);
    for (size_t a = 0; a < b->n_modes; a++)
      for (size_t c = 0; c < b->n_modes; c++) {
        const Lanes h = -lanes_load(moduli[b->n_modes * a + c] + s);
        double(*to)[SOFA_LANES] = out;
        for (size_t n = 0; n < b->n_nodes; n++)
          for (size_t m = n; m < b->n_nodes; m++, to += 9)
            for (int k = 0; k < 9; k++)
              lanes_store(to[k] + s, lanes_madd(h * slope[a][n][k / 3], slope[c][m][k % 3],
                                                lanes_load(to[k] + s)));
      }
  }
}

/* Blocks of a group, 9 n_pairs rows of lanes; returns the first bad lane. */
ALWAYS size_t group_blocks(const SofaSolidBatch *b, const SofaSolidLaw *law, size_t nodes,
                           size_t gauss, size_t group, double (*out)[SOFA_LANES]) {
  const size_t count = lanes_in_group(b->n, group);
  const bool split = law->material->form == SOFA_HYPER_SPLIT;
  Response r[MAX_GAUSS];
  SofaDilatationModuli moduli;
  const size_t bad = respond_all(b, law, gauss, group, r, moduli);
  if (bad < count) return bad;
  sofa_zero(out, 9 * b->n_pairs * sizeof *out);
  for (size_t q = 0; q < gauss; q++) {
    const size_t at = gauss * group + q;
    const double(*f)[SOFA_LANES] = (const double(*)[SOFA_LANES])(b->f + 9 * at);
    const double(*g)[SOFA_LANES] = (const double(*)[SOFA_LANES])(b->gradient + 3 * nodes * at);
    const GaussPoint point = {f, (const double(*)[SOFA_LANES])r[q], b->volume[at], g};
    for (int s = 0; s < SOFA_LANES; s += LANES) {
      if (split) point_blocks(true, nodes, &point, s, out);
      else point_blocks(false, nodes, &point, s, out);
    }
  }
  if (b->corners.stars.n) {
    for (size_t l = 0; l < count; l++) sofa_corners_keep_slopes(b, SOFA_LANES * group + l);
  } else if (b->n_modes) {
    dilatation_blocks(b, (const Response *)r, group, moduli, out);
  }
  return count;
}

/* Blocks of pairs from those of all groups, in the order of the elements. */
static void gather_blocks(void *user, size_t begin, size_t end) {
  const SofaSolidBatch *b = user;
  const size_t rows = 9 * b->n_pairs;
  for (size_t p = begin; p < end; p++) {
    double *to = b->blocks + 9 * p;
    memset(to, 0, 9 * sizeof *to);
    for (size_t k = b->pairs.start[p]; k < b->pairs.start[p + 1]; k++) {
      const SofaPairPart part = b->pairs.part[k];
      const bool transposed = part.row_node > part.column_node;
      const size_t low = transposed ? part.column_node : part.row_node;
      const size_t high = transposed ? part.row_node : part.column_node;
      const size_t pair = low * (2 * b->n_nodes - low + 1) / 2 + high - low;
      const double(*from)[SOFA_LANES] =
          (const double(*)[SOFA_LANES])(b->group_blocks + part.element / SOFA_LANES * rows);
      add_turned(3, from + 9 * pair, part.element % SOFA_LANES,
                 transposed ? SOFA_PAIR_TRANSPOSED : SOFA_PAIR_STRAIGHT, to);
    }
  }
}

ALWAYS void blocks_groups(SolidLoop *loop, size_t nodes, size_t gauss, size_t begin, size_t end) {
  SofaSolidBatch *b = loop->solid.b;
  for (size_t i = begin; i < end; i++) {
    const size_t lane = group_blocks(b, loop->solid.law, nodes, gauss, i,
                                     b->group_blocks + 9 * (size_t)b->n_pairs * i);
    if (lane < lanes_in_group(b->n, i)) note_bad(loop, SOFA_LANES * i + lane);
  }
}

static void blocks_range(void *user, size_t begin, size_t end) {
  const SofaSolidBatch *b = ((SolidLoop *)user)->solid.b;
  if (b->shape == SOFA_SHAPE_HEXA) blocks_groups(user, 8, 8, begin, end);
  else if (b->shape == SOFA_SHAPE_TETRA) blocks_groups(user, 4, 1, begin, end);
  else blocks_groups(user, b->n_nodes, b->n_gauss, begin, end);
}

static size_t team_blocks(Solid solid, const SofaContext *ctx) {
  SofaSolidBatch *b = solid.b;
  SolidLoop loop = {.solid = solid, .bad = b->n};
  sofa_team_for(ctx, b->n_groups, GROUPS_GRAIN, blocks_range, &loop);
  if (loop.bad == b->n) sofa_team_for(ctx, b->pairs.n, PAIRS_GRAIN, gather_blocks, b);
  return loop.bad;
}

ALWAYS size_t blocks_of(SofaSolidBatch *b, const SofaSolidLaw *law, size_t nodes, size_t gauss) {
  const uint32_t *slot = b->pairs.slot;
  sofa_zero(b->blocks, 9 * b->pairs.n * sizeof *b->blocks);
  for (size_t i = 0; i < b->n_groups; i++) {
    double group[9 * MAX_PAIRS][SOFA_LANES];
    const size_t count = lanes_in_group(b->n, i);
    const size_t lane = group_blocks(b, law, nodes, gauss, i, group);
    if (lane < count) return SOFA_LANES * i + lane;
    for (size_t l = 0; l < count; l++) {
      for (size_t k = 0; k < b->n_pairs; k++, slot++)
        add_turned(3, (const double(*)[SOFA_LANES])group + 9 * k, l, *slot & 3,
                   b->blocks + 9 * (size_t)(*slot >> 2));
    }
  }
  return b->n;
}

static size_t all_blocks(Solid solid, const SofaContext *ctx) {
  SofaSolidBatch *b = solid.b;
  if (parallel(b, ctx)) return team_blocks(solid, ctx);
  if (b->shape == SOFA_SHAPE_HEXA) return blocks_of(b, solid.law, 8, 8);
  if (b->shape == SOFA_SHAPE_TETRA) return blocks_of(b, solid.law, 4, 1);
  return blocks_of(b, solid.law, b->n_nodes, b->n_gauss);
}

static size_t solid_blocks(SofaSolidBatch *b, const SofaSolidLaw *law, const SofaContext *ctx) {
  const bool corners = b->corners.stars.n > 0;
  if (corners) sofa_corners_respond(b, law);
  const size_t bad = all_blocks((Solid){b, law}, ctx);
  if (corners && bad == b->n) sofa_corners_add_blocks(b, ctx);
  return bad;
}

extern const SofaSolidKernels CAT(sofa_solid_kernels_, KERNELS_ISA);
const SofaSolidKernels CAT(sofa_solid_kernels_, KERNELS_ISA) = {.force = solid_force,
                                                                .blocks = solid_blocks};
