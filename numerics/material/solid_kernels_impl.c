/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces and stiffness blocks of hyperelastic elements with quadrature, compiled once per
 * instruction set with KERNELS_ISA naming it; formulas in solid_batch.h.
 *
 * Forces are added to points as element_sums.h says, blocks to those of pairs by chunks of
 * late_blocks.h: any number of threads gives the same bits. */
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
  GROUPS_GRAIN = 4, /* that a thread takes at once */
  PAIRS_GRAIN = 128,
  ZERO_GRAIN = 2048, /* pairs */
  MAX_NODES = SOFA_SHAPE_MAX_NODES,
  MAX_GAUSS = SOFA_SOLID_MAX_GAUSS
};

typedef SofaSolidResponse Response;

/* A batch and its law. */
typedef struct Solid {
  SofaSolidBatch *b;
  const SofaSolidLaw *law;
} Solid;

/* Lanes from s on of a point of a group, and the response there. */
typedef struct SolidPoint {
  size_t group, q, s;
  const Response *r;
} SolidPoint;

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
    lanes_inverse_transposed(m, other);
  } else {
    // F C = F F^T F
    lanes_left_square(m, b);
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

/* For each node two vectors at each point, where K_nm is a sum over points of, by the form,
 *   STRAIN  g_n . g_m S + c1 y_n . y_m I + (c2 y_n) y_m^T + y_m (c1 y_n)^T, S = c0 I + c1 F F^T;
 *   SPLIT   (c0 g_n) . g_m I + (c2 h_n) h_m^T + h_m (- c1 h_n)^T,
 * with the factors -w in c. Points of a node are side by side: sums run over them. */
typedef struct PairVectors {
  Lanes v[6 * MAX_NODES * MAX_GAUSS]; /* g, y or h */
  Lanes c[3 * MAX_GAUSS];
  Lanes left[6 * MAX_GAUSS]; /* S of STRAIN */
  Lanes row[9 * MAX_GAUSS];  /* of node n: c0 g or g; c2 y, c1 y or c2 h, - c1 h */
  Lanes slope[3 * MAX_NODES * SOFA_SOLID_MAX_MODES];
  Lanes lever[3 * SOFA_SOLID_MAX_MODES]; /* of node n: - sum_a H_ab B_an */
} PairVectors;

static const uint8_t sixth[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2}; /* entries of a symmetric matrix */

/* S from F F^T */
static inline void keep_left(const Lanes *left, const Lanes *c, Lanes *to) {
  for (int k = 0; k < 9; k++) to[sixth[k]] = c[1] * left[k];
  for (int k = 0; k < 3; k++) to[k] = c[0] + to[k];
}

/* Vectors of a point of the lanes from s on. */
ALWAYS void prepare_point(bool split, const SofaSolidBatch *b, size_t nodes, size_t gauss,
                          const SolidPoint *at, PairVectors *to) {
  const size_t place = gauss * at->group + at->q;
  const double(*gradient)[SOFA_LANES] =
      (const double(*)[SOFA_LANES])(b->gradient + 3 * nodes * place);
  const Lanes w = -lanes_load(b->volume[place] + at->s);
  Lanes m[9], map[9], *c = to->c + 3 * at->q;
  for (size_t k = 0; k < 9; k++) m[k] = lanes_load(b->f[9 * place + k] + at->s);
  for (int k = 0; k < 3; k++) c[k] = w * lanes_load((*at->r)[k] + at->s);
  if (split) {
    lanes_inverse_transposed(m, map);
  } else {
    lanes_left_square(m, map);
    keep_left(map, c, to->left + 6 * at->q);
  }
  for (size_t n = 0; n < nodes; n++) {
    Lanes *v = to->v + 6 * (gauss * n + at->q);
    for (size_t k = 0; k < 3; k++) v[k] = lanes_load(gradient[3 * n + k] + at->s);
    lanes_apply(split ? map : m, v, v + 3);
  }
}

/* B_an of the lanes from s on, which needs h. */
static void prepare_slopes(const SofaSolidBatch *b, const Response *r, size_t group, size_t s,
                           PairVectors *to) {
  const size_t nodes = b->n_nodes, gauss = b->n_gauss, n_modes = b->n_modes;
  for (size_t k = 0; k < 3 * nodes * n_modes; k++) to->slope[k] = lanes_set(0);
  for (size_t q = 0; q < gauss; q++) {
    const size_t at = gauss * group + q;
    const Lanes scale = lanes_load(b->volume[at] + s) * lanes_load(r[q][3] + s);
    for (size_t k = 0; k < nodes * n_modes; k++) {
      const Lanes *h = to->v + 6 * (gauss * (k / n_modes) + q) + 3;
      const Lanes w = scale * lanes_load(b->mode[n_modes * at + k % n_modes] + s);
      for (size_t i = 0; i < 3; i++)
        to->slope[3 * k + i] = lanes_madd(w, h[i], to->slope[3 * k + i]);
    }
  }
}

/* The vectors of node n for the pairs that it begins. */
ALWAYS void begin_row(bool split, size_t gauss, size_t n, PairVectors *w) {
  for (size_t q = 0; q < gauss; q++) {
    const Lanes *v = w->v + 6 * (gauss * n + q), *c = w->c + 3 * q;
    Lanes *row = w->row + 9 * q;
    for (int k = 0; k < 3; k++) {
      row[k] = v[k];
      if (split) row[k] = c[0] * v[k];
      row[3 + k] = c[2] * v[3 + k];
      row[6 + k] = c[1] * v[3 + k];
      if (split) row[6 + k] = -row[6 + k];
    }
  }
}

/* The same of modes. */
static void begin_mode_row(size_t n_modes, size_t n, size_t s, const SofaDilatationModuli moduli,
                           PairVectors *w) {
  for (size_t b = 0; b < n_modes; b++) {
    Lanes *lever = w->lever + 3 * b;
    for (int i = 0; i < 3; i++) lever[i] = lanes_set(0);
    for (size_t a = 0; a < n_modes; a++) {
      const Lanes h = lanes_load(moduli[n_modes * a + b] + s);
      for (size_t i = 0; i < 3; i++)
        lever[i] = lanes_madd(-h, w->slope[3 * (n_modes * n + a) + i], lever[i]);
    }
  }
}

/* The block of the row's node with node m. */
ALWAYS void sum_pair(bool split, size_t gauss, size_t m, const PairVectors *w, Lanes *block) {
  Lanes six[6], diagonal = lanes_set(0);
  for (int k = 0; k < 9; k++) block[k] = lanes_set(0);
  for (int k = 0; k < 6; k++) six[k] = lanes_set(0);
  for (size_t q = 0; q < gauss; q++) {
    const Lanes *v = w->v + 6 * (gauss * m + q), *y = v + 3, *row = w->row + 9 * q;
    if (split) {
      for (int k = 0; k < 3; k++) diagonal = lanes_madd(row[k], v[k], diagonal);
    } else {
      const Lanes slopes = lanes_dot3(row, v);
      for (int k = 0; k < 3; k++) diagonal = lanes_madd(row[6 + k], y[k], diagonal);
      for (size_t k = 0; k < 6; k++) six[k] = lanes_madd(slopes, w->left[6 * q + k], six[k]);
    }
    for (int k = 0; k < 9; k++)
      block[k] =
          lanes_madd(row[3 + k / 3], y[k % 3], lanes_madd(y[k / 3], row[6 + k % 3], block[k]));
  }
  for (int k = 0; k < 9; k += 4) block[k] = block[k] + diagonal;
  for (int k = 0; !split && k < 9; k++) block[k] = block[k] + six[sixth[k]];
}

/* Adds - sum H_ab B_an B_bm^T of the row's node. */
static inline void add_modes(size_t n_modes, size_t m, const PairVectors *w, Lanes *block) {
  for (size_t b = 0; b < n_modes; b++) {
    const Lanes *lever = w->lever + 3 * b, *slope = w->slope + 3 * (n_modes * m + b);
    for (int k = 0; k < 9; k++) block[k] = lanes_madd(lever[k / 3], slope[k % 3], block[k]);
  }
}

enum { PARTS = SOFA_LANES / LANES };

/* A group whose blocks are added. */
typedef struct BlockGroup {
  const SofaSolidBatch *b;
  size_t group, count, n_modes; /* n_modes: whose blocks are those of elements */
  PairVectors *vectors;         /* PARTS */
  double (*moduli)[SOFA_LANES];
  LanePlaces *places;
} BlockGroup;

/* Asks for the blocks of a local pair of the next group: they are far apart. */
ALWAYS void ask_for_blocks(const BlockGroup *g, size_t n_pairs, const uint32_t *slot) {
  const size_t last = g->group + 1 == g->b->n_groups ? 0 : lanes_in_group(g->b->n, g->group + 1);
  for (size_t l = 0; l < last; l++) {
    const double *block = g->b->blocks + 9 * (size_t)(slot[(SOFA_LANES + l) * n_pairs] >> 2);
    __builtin_prefetch(block, 1);
    __builtin_prefetch(block + 8, 1);
  }
}

/* Local pair by local pair, then lane by lane: the same order for all instruction sets. */
ALWAYS void add_pairs(bool split, size_t nodes, size_t gauss, const BlockGroup *g) {
  const size_t n_pairs = nodes * (nodes + 1) / 2;
  const uint32_t *slot = g->b->pairs.slot + g->group * SOFA_LANES * n_pairs;
  for (size_t n = 0; n < nodes; n++) {
    for (size_t s = 0; s < PARTS; s++) {
      begin_row(split, gauss, n, g->vectors + s);
      if (g->n_modes)
        begin_mode_row(g->n_modes, n, s * LANES,
                       (const double(*)[SOFA_LANES])(const void *)g->moduli, g->vectors + s);
    }
    for (size_t m = n; m < nodes; m++, slot++) {
      ask_for_blocks(g, n_pairs, slot);
      for (size_t s = 0; s * LANES < g->count; s++) {
        Lanes block[9];
        sum_pair(split, gauss, m, g->vectors + s, block);
        if (g->n_modes) add_modes(g->n_modes, m, g->vectors + s, block);
        add_lane_blocks(block, slot + s * LANES * n_pairs, n_pairs,
                        lanes_from((int)(s * LANES), g->count), g->places);
      }
    }
  }
}

ALWAYS void add_group(bool split, size_t nodes, size_t gauss, const Response *r,
                      const BlockGroup *g) {
  for (size_t s = 0; s < PARTS; s++) {
    for (size_t q = 0; q < gauss; q++)
      prepare_point(split, g->b, nodes, gauss, &(SolidPoint){g->group, q, s * LANES, r + q},
                    g->vectors + s);
    if (g->n_modes) prepare_slopes(g->b, r, g->group, s * LANES, g->vectors + s);
  }
  add_pairs(split, nodes, gauss, g);
}

/* Adds the blocks of a group; returns the first bad lane. */
ALWAYS size_t group_blocks(Solid solid, size_t nodes, size_t gauss, size_t group,
                           LanePlaces *places) {
  const SofaSolidBatch *b = solid.b;
  const bool corners = b->corners.stars.n > 0;
  Response r[MAX_GAUSS];
  SofaDilatationModuli moduli;
  PairVectors vectors[PARTS];
  const BlockGroup g = {.b = b,
                        .group = group,
                        .count = lanes_in_group(b->n, group),
                        .n_modes = corners ? 0 : b->n_modes,
                        .vectors = vectors,
                        .moduli = moduli,
                        .places = places};
  const size_t bad = respond_all(b, solid.law, gauss, group, r, moduli);
  if (bad < g.count) return bad;
  const Response *responses = (const Response *)(const void *)r;
  if (solid.law->material->form == SOFA_HYPER_SPLIT) add_group(true, nodes, gauss, responses, &g);
  else add_group(false, nodes, gauss, responses, &g);
  for (size_t l = 0; corners && l < g.count; l++)
    sofa_corners_keep_slopes(b, SOFA_LANES * group + l);
  return g.count;
}

ALWAYS void blocks_of(SolidLoop *loop, size_t nodes, size_t gauss, const ElementRange *groups,
                      LanePlaces *places) {
  const SofaSolidBatch *b = loop->solid.b;
  for (size_t i = groups->begin; i < groups->end; i++) {
    const size_t lane = group_blocks(loop->solid, nodes, gauss, i, places);
    if (lane == lanes_in_group(b->n, i)) continue;
    note_bad(loop, SOFA_LANES * i + lane);
    return;
  }
}

static void add_groups(SolidLoop *loop, size_t begin, size_t end, LanePlaces *places) {
  const SofaSolidBatch *b = loop->solid.b;
  const ElementRange groups = {begin, end, NULL};
  if (b->shape == SOFA_SHAPE_HEXA) blocks_of(loop, 8, 8, &groups, places);
  else if (b->shape == SOFA_SHAPE_TETRA) blocks_of(loop, 4, 1, &groups, places);
  else blocks_of(loop, b->n_nodes, b->n_gauss, &groups, places);
}

static void zero_pairs(void *user, size_t begin, size_t end) {
  const SofaSolidBatch *b = ((const SolidLoop *)user)->solid.b;
  sofa_zero(b->blocks + 9 * begin, 9 * (end - begin) * sizeof *b->blocks);
}

static void block_chunks(void *user, size_t begin, size_t end) {
  SolidLoop *loop = user;
  const SofaSolidBatch *b = loop->solid.b;
  const SofaLateBlocks *late = &b->late;
  for (size_t c = begin; c < end; c++) {
    const size_t first = c * late->chunk_groups, left = b->n_groups - first;
    LanePlaces places = {b->blocks, SIZE_MAX, late->owner, (uint8_t)c,
                         late->blocks + 9 * late->start[c]};
    add_groups(loop, first, first + (left < late->chunk_groups ? left : late->chunk_groups),
               &places);
  }
}

static void add_late_blocks(void *user, size_t begin, size_t end) {
  const SofaSolidBatch *b = ((const SolidLoop *)user)->solid.b;
  sofa_late_blocks_add(&b->late, b->late.blocks, begin, end, b->blocks);
}

static size_t all_blocks(Solid solid, const SofaContext *ctx) {
  SofaSolidBatch *b = solid.b;
  SolidLoop loop = {.solid = solid, .bad = b->n};
  sofa_team_for(ctx, b->pairs.n, ZERO_GRAIN, zero_pairs, &loop);
  if (b->late.n_chunks > 1) {
    sofa_team_for(ctx, b->late.n_chunks, 1, block_chunks, &loop);
    sofa_team_for(ctx, b->late.n_pairs, PAIRS_GRAIN, add_late_blocks, &loop);
  } else {
    LanePlaces places = {.blocks = b->blocks, .mask = SIZE_MAX};
    add_groups(&loop, 0, b->n_groups, &places);
  }
  return loop.bad;
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
