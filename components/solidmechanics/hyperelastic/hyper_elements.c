/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces, tangents and energy of hyperelastic tetrahedra; formulas in hyperelastic.h.
 *
 * One thread adds each element to the points directly. Several have shares of the points, as
 * element_sums.h says, and add blocks by chunks of elements, as late_blocks.h says. Both give the
 * same bits. An element has the blocks of its edges alone: rows of the matrix sum up
 * to 0, which gives those of points with themselves. */
#include "components/solidmechanics/hyperelastic/hyper_elements.h"

#include <stdatomic.h>
#include <string.h>

#include "base/team.h"
#include "math/vec.h"
#include "numerics/fem/pair_row_kernels.h"

enum { PAIRS_GRAIN = 256 }; /* that a thread takes at once */

static inline void gradient(const SofaHyperTetra *t, const double *x, double *f) {
  const double *origin = x + 3 * (size_t)t->v[0];
  double e[3][3];
  for (int n = 0; n < 3; n++) sofa_vec3_sub(x + 3 * (size_t)t->v[n + 1], origin, e[n]);
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      f[3 * i + k] = e[0][i] * t->s[0][k] + e[1][i] * t->s[1][k] + e[2][i] * t->s[2][k];
  }
}

/* r = S v, S as six numbers. */
static inline void stress_apply(const double *s, const double *v, double *r) {
  sofa_vec3_set(r, s[0] * v[0] + s[3] * v[1] + s[5] * v[2], s[3] * v[0] + s[1] * v[1] + s[4] * v[2],
                s[5] * v[0] + s[4] * v[1] + s[2] * v[2]);
}

/* ---- forces ---- */

/* Forces of nodes 0 .. 3 at x; false where the material is not defined. */
static inline bool element_force(const SofaHyperelastic *h, size_t e, const double *x,
                                 double *force) {
  SofaHyperTetra t = sofa_hyper_tetra(h->tetras, e);
  SofaDeformation d;
  double s[6];
  gradient(&t, x, d.f);
  memcpy(t.f, d.f, sizeof t.f);
  sofa_hyper_put_tetra(&t, h->tetras, e);
  if (!sofa_deformation(h->material, &d)) return false;
  h->law(h->p, &d, s, NULL);
  sofa_vec3_set(force, 0, 0, 0);
  for (int n = 0; n < 3; n++) {
    double traction[3], *to = force + 3 * n + 3;
    stress_apply(s, t.s[n], traction);
    sofa_mat3_apply(d.f, traction, to);
    sofa_vec3_scale(-t.volume, to, to);
    sofa_vec3_sub(force, to, force);
  }
  return true;
}

/* Do the kernels know the law? */
static bool by_kernels(const SofaHyperelastic *h) {
  const SofaHyperMaterial *m = h->material;
  if (h->law == sofa_costa_unscaled) return true;
  return (m->derivatives || m == &sofa_ogden || m == &sofa_costa) && h->law == m->stress;
}

static SofaHyperInvariants law_of(const SofaHyperelastic *h) {
  return (SofaHyperInvariants){h->material, h->p, h->law == sofa_costa_unscaled};
}

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}
static size_t group_end(size_t begin, size_t end) {
  return least(begin + SOFA_LANES, end);
}

/* A loop on the team. */
typedef struct Loop {
  SofaHyperelastic *h;
  const SofaHyperKernels *kernels;
  const double *x;
  double *f;
  _Atomic size_t bad; /* the first bad element */
} Loop;

static void note_bad(Loop *loop, size_t element) {
  size_t first = atomic_load_explicit(&loop->bad, memory_order_relaxed);
  while (element < first &&
         !atomic_compare_exchange_weak_explicit(&loop->bad, &first, element, memory_order_relaxed,
                                                memory_order_relaxed))
    continue;
}

/* Gives the forces of elements begin .. end - 1, from the first of a group on; returns the first
 * bad one, or `end`. */
static size_t forces_of(const Loop *loop, size_t begin, size_t end, SofaVectorsTo to) {
  SofaHyperelastic *h = loop->h;
  if (by_kernels(h)) {
    const SofaHyperInvariants law = law_of(h);
    SofaHyperTetras *groups = h->tetras + begin / SOFA_LANES;
    return begin + loop->kernels->force(&law, groups, end - begin, loop->x, to);
  }
  for (size_t e = begin; e < end; e++) {
    const SofaHyperTetras *group = h->tetras + e / SOFA_LANES;
    double own[12], *force = to.parts ? to.parts + 12 * (e - begin) : own;
    if (!element_force(h, e, loop->x, force)) return e;
    for (int n = 0; !to.parts && n < 4; n++) {
      double *point = to.f + 3 * (size_t)group->v[n][e % SOFA_LANES];
      sofa_vec3_add(point, force + 3 * n, point);
    }
  }
  return end;
}

/* A SofaGiveVectors. */
static void give_forces(void *user, size_t begin, size_t end, double *parts) {
  Loop *loop = user;
  const size_t bad = forces_of(loop, begin, end, (SofaVectorsTo){loop->f, parts});
  if (bad < end) note_bad(loop, bad);
}

size_t sofa_hyper_force(SofaHyperelastic *h, const double *x, double *f) {
  const SofaContext *ctx = h->force_field.object.ctx;
  Loop loop = {.h = h, .kernels = sofa_hyper_kernels(ctx), .x = x, .f = f, .bad = h->n};
  sofa_element_sums_run(&h->sums, h->n, give_forces, &loop, &loop.f);
  return loop.bad;
}

/* ---- tangents ---- */

/* B_n, 6 x 3: dE with doubled shear of a move of the node with gradient s. */
static inline void strain_of_move(const double *f, const double *s, double (*b)[3]) {
  for (int i = 0; i < 3; i++) {
    const double *r = f + 3 * i;
    b[0][i] = r[0] * s[0];
    b[1][i] = r[1] * s[1];
    b[2][i] = r[2] * s[2];
    b[3][i] = r[0] * s[1] + r[1] * s[0];
    b[4][i] = r[1] * s[2] + r[2] * s[1];
    b[5][i] = r[2] * s[0] + r[0] * s[2];
  }
}

/* r = factor (geometric I + B_n^T (D B_m)), 3 x 3. */
static inline void block_of(double factor, double geometric, double (*b)[3], double (*db)[3],
                            double *r) {
  for (int i = 0; i < 3; i++) {
    double sum[3] = {0, 0, 0};
    sum[i] = geometric;
    for (int k = 0; k < 6; k++) {
      for (int j = 0; j < 3; j++) sum[j] += b[k][i] * db[k][j];
    }
    for (int j = 0; j < 3; j++) r[3 * i + j] = factor * sum[j];
  }
}

static inline void law_apply(const double *d, double (*b)[3], double (*db)[3]) {
  for (int i = 0; i < 6; i++) {
    double sum[3] = {0, 0, 0};
    for (int k = 0; k < 6; k++) {
      for (int j = 0; j < 3; j++) sum[j] += d[6 * i + k] * b[k][j];
    }
    for (int j = 0; j < 3; j++) db[i][j] = sum[j];
  }
}

/* With an unsymmetric D each block is that in the direction of its edge. */
static void edge_blocks(const SofaHyperTetra *t, unsigned backwards, const double *s,
                        const double *d, double (*blocks)[9]) {
  double g[4][3], b[4][6][3], db[6][3], traction[3], dt[36];
  for (int i = 0; i < 36; i++) dt[i] = d[6 * (i % 6) + i / 6];
  for (int i = 0; i < 3; i++) g[0][i] = -(t->s[0][i] + t->s[1][i] + t->s[2][i]);
  memcpy(g[1], t->s, sizeof t->s);
  for (int n = 0; n < 4; n++) strain_of_move(t->f, g[n], b[n]);
  for (int k = 0; k < SOFA_HYPER_EDGES; k++) {
    const int n = sofa_tetra_edges[k][0], m = sofa_tetra_edges[k][1];
    law_apply(backwards >> k & 1 ? dt : d, b[m], db);
    stress_apply(s, g[m], traction);
    block_of(-t->volume, sofa_vec3_dot(g[n], traction), b[n], db, blocks[k]);
  }
}

/* Puts what the blocks of element e need into lane l; false where the material is not defined. */
static inline bool fill_lane(const SofaHyperelastic *h, size_t e, int l, SofaHyperGroup *group) {
  const SofaHyperTetra t = sofa_hyper_tetra(h->tetras, e);
  SofaDeformation x;
  double s[6], d[36];
  memcpy(x.f, t.f, sizeof x.f);
  if (!sofa_deformation(h->material, &x)) return false;
  h->law(h->p, &x, s, d);
  for (int k = 0; k < 9; k++) group->f[k][l] = t.f[k];
  for (int k = 0; k < 9; k++) group->g[k][l] = t.s[k / 3][k % 3];
  for (int k = 0; k < 6; k++) group->s[k][l] = s[k];
  for (int i = 0, k = 0; i < 6; i++) {
    for (int j = i; j < 6; j++) group->d[k++][l] = d[6 * i + j];
  }
  group->volume[l] = t.volume;
  return true;
}

/* The blocks of an element with an unsymmetric D, in lane l. */
static bool edges_of(const SofaHyperelastic *h, size_t e, size_t l, SofaHyperBlocks out) {
  const SofaHyperTetra t = sofa_hyper_tetra(h->tetras, e);
  SofaDeformation x;
  double s[6], d[36], blocks[SOFA_HYPER_EDGES][9];
  memcpy(x.f, t.f, sizeof x.f);
  if (!sofa_deformation(h->material, &x)) return false;
  h->law(h->p, &x, s, d);
  edge_blocks(&t, h->backwards[e], s, d, blocks);
  for (int k = 0; k < 9 * SOFA_HYPER_EDGES; k++) out[k / 9][k % 9][l] = blocks[k / 9][k % 9];
  return true;
}

/* Adds the blocks of the elements from 8 i on to those of pairs; returns the first bad one. */
static inline size_t group_blocks(const SofaHyperelastic *h, const SofaHyperKernels *kernels,
                                  size_t i) {
  const size_t begin = SOFA_LANES * i, count = group_end(begin, h->n) - begin;
  const uint32_t *places = h->places + SOFA_HYPER_PLACES * i;
  SofaHyperBlocks rows;
  SofaHyperGroup group;
  if (by_kernels(h)) {
    const SofaHyperInvariants law = law_of(h);
    const size_t n = kernels->blocks(&law, h->tetras + i, count, places, h->blocks);
    return n < count ? begin + n : h->n;
  }
  for (size_t l = 0; l < SOFA_LANES; l++) {
    const size_t e = begin + (l < count ? l : count - 1);
    if (!(h->backwards ? edges_of(h, e, l, rows) : fill_lane(h, e, (int)l, &group))) return e;
  }
  if (!h->backwards) kernels->general_blocks(&group, rows);
  kernels->spread(rows, places, count, h->blocks);
  return h->n;
}

/* Groups ahead whose pairs are asked for. */
enum { AHEAD = 2 };

/* Asks for the blocks of the pairs up to the last one of a group, from *asked on; those before are
 * in the caches where neighbours have near numbers. */
static void ask_for_pairs(const SofaHyperelastic *h, size_t group, uint32_t *asked) {
  const uint32_t end = h->windows[group].pairs;
  const char *at = (const char *)(h->blocks + 9 * (size_t)*asked);
  const char *to = (const char *)(h->blocks + 9 * (size_t)end);
  for (; *asked && at < to; at += 64) __builtin_prefetch(at, 1);
  if (end > *asked) *asked = end;
}

/* Rows that are complete while groups are added: their blocks are still in the caches. */
typedef struct Closing {
  SofaPairClosing pairs;
  size_t points, closed; /* with a block that was set to 0; pairs of closed rows */
} Closing;

/* Closes the rows that have no elements behind a group. */
static void close_after(const SofaHyperelastic *h, size_t group, Closing *c) {
  const SofaHyperWindow *window = h->windows + group;
  for (; c->points < window->points; c->points++)
    if (h->own[c->points] < UINT32_MAX)
      sofa_zero(h->blocks + 9 * (size_t)h->own[c->points], 9 * sizeof *h->blocks);
  if (window->complete == c->closed) return;
  sofa_pair_row_kernels(h->force_field.object.ctx)
      ->close(&c->pairs, c->closed, window->complete, SIZE_MAX);
  c->closed = window->complete;
}

/* Adds the blocks of groups to those of pairs; returns the first bad element, or h->n. closing:
 * NULL, or what is done with complete rows. */
static size_t add_groups(SofaHyperelastic *h, size_t begin, size_t end, Closing *closing) {
  const SofaHyperKernels *kernels = sofa_hyper_kernels(h->force_field.object.ctx);
  uint32_t asked = 0;
  for (size_t g = begin; g < end; g++) {
    if (g + AHEAD < end) ask_for_pairs(h, g + AHEAD, &asked);
    const size_t bad = group_blocks(h, kernels, g);
    if (bad < h->n) return bad;
    if (closing) close_after(h, g, closing);
  }
  return h->n;
}

static void block_chunks(void *user, size_t begin, size_t end) {
  Loop *loop = user;
  SofaHyperelastic *h = loop->h;
  const size_t n_groups = sofa_hyper_n_groups(h->n), size = h->late.chunk_groups;
  for (size_t c = begin; c < end; c++) {
    const size_t bad = add_groups(h, c * size, least((c + 1) * size, n_groups), NULL);
    if (bad < h->n) note_bad(loop, bad);
  }
}

static void add_late_blocks(void *user, size_t begin, size_t end) {
  const SofaHyperelastic *h = ((const Loop *)user)->h;
  sofa_late_blocks_add(&h->late, h->blocks + 9 * h->pairs.n, begin, end, h->blocks);
}

static size_t parallel_blocks(SofaHyperelastic *h) {
  SofaContext *ctx = h->force_field.object.ctx;
  const SofaPairMatrix matrix = {&h->pairs, &h->product, h->blocks,
                                 sofa_state_size(h->force_field.state[0])};
  Loop loop = {.h = h, .bad = h->n};
  sofa_team_for(ctx, h->late.n_chunks, 1, block_chunks, &loop);
  if (loop.bad < h->n) return loop.bad;
  sofa_team_for(ctx, h->late.n_pairs, PAIRS_GRAIN, add_late_blocks, &loop);
  sofa_pair_product_close(ctx, &matrix, h->own, h->blocks);
  return h->n;
}

size_t sofa_hyper_blocks(SofaHyperelastic *h) {
  Closing closing = {.pairs = {h->pairs.row, h->pairs.column, h->own, h->blocks}};
  if (h->late.n_chunks) return parallel_blocks(h);
  return add_groups(h, 0, sofa_hyper_n_groups(h->n), &closing);
}

/* ---- energy ---- */

size_t sofa_hyper_energy(const SofaHyperelastic *h, const double *x, double *energy) {
  *energy = 0;
  for (size_t e = 0; e < h->n; e++) {
    const SofaHyperTetra t = sofa_hyper_tetra(h->tetras, e);
    SofaDeformation d;
    gradient(&t, x, d.f);
    if (!sofa_deformation(h->material, &d)) return e;
    *energy += t.volume * h->material->energy(h->p, &d);
  }
  return h->n;
}
