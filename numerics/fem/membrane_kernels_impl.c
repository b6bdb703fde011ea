/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Kernels of triangles of springs, compiled once per instruction set with KERNELS_ISA naming it: a
 * triangle in each lane. */
#include "numerics/fem/membrane_kernels.h"

#include "numerics/fem/lane_points_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)
#define TEXT_(a) #a
#define TEXT(a) TEXT_(a)

/* Lanes `s` to s + LANES - 1 of a group's triangles. */
typedef struct Part {
  const SofaMembraneGroup *group;
  size_t s;
} Part;

/* d[j]: from vertex j + 1 to vertex j + 2. */
static inline void edges_of(const Part *t, const double *x, Lanes (*d)[3]) {
  Lanes p[3][3];
  for (int n = 0; n < 3; n++) load_node(t->group->v[n] + t->s, x, p[n]);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) d[j][i] = p[(j + 2) % 3][i] - p[(j + 1) % 3][i];
}

static inline void load_rows(const double (*rows)[SOFA_LANES], size_t s, int n, Lanes *out) {
  for (int k = 0; k < n; k++) out[k] = lanes_load(rows[k] + s);
}

static inline void store_rows(double (*rows)[SOFA_LANES], size_t s, int n, const Lanes *in) {
  for (int k = 0; k < n; k++) lanes_store(rows[k] + s, in[k]);
}

/* Rounded as the sums of the shape at rest are, so that there is no force then. */
static inline Lanes dot_unfused(const Lanes *a, const Lanes *b) {
  return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

static inline void cross_unfused(const Lanes *a, const Lanes *b, Lanes *r) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    r[i] = a[j] * b[k] - a[k] * b[j];
  }
}

/* g_j = k_j q_j + gamma_l q_k + gamma_k q_l */
static inline void couple(const Lanes *k, const Lanes *gamma, const Lanes *q, Lanes *g) {
  for (int j = 0; j < 3; j++) {
    const int m = (j + 1) % 3, l = (j + 2) % 3;
    g[j] = lanes_madd(k[j], q[j], lanes_madd(gamma[l], q[m], gamma[m] * q[l]));
  }
}

/* The force of vertex i from those of the edges. */
static inline void forces_of(const Lanes (*w)[3], Lanes (*f)[3]) {
  for (int n = 0; n < 3; n++)
    for (int i = 0; i < 3; i++) f[n][i] = w[(n + 2) % 3][i] - w[(n + 1) % 3][i];
}

/* ---- compression ---- */

/* Normals that are kept of triangles, where they are and how many. */
typedef struct Normals {
  double (*of)[3];
  size_t n;
} Normals;

static inline void load_normals(const Normals *normals, Lanes *out) {
  double rows[3][LANES];
  for (size_t l = 0; l < LANES; l++)
    for (int i = 0; i < 3; i++) rows[i][l] = normals->of[l < normals->n ? l : normals->n - 1][i];
  for (int i = 0; i < 3; i++) out[i] = lanes_load(rows[i]);
}

static inline void store_normals(const Lanes *in, LaneBits where, const Normals *normals) {
  double rows[3][LANES];
  for (int i = 0; i < 3; i++) lanes_store(rows[i], in[i]);
  for (size_t l = 0; l < LANES && l < normals->n; l++)
    for (int i = 0; i < 3; i++)
      if (where[l]) normals->of[l][i] = rows[i][l];
}

/* Normals of compressed triangles from n, twice their area long: of a flat one the last one seen,
 * of one that has flipped the opposite, which pushes it back. Returns which have flipped. */
static inline LaneBits choose_normals(LaneBits compressed, Lanes area, Lanes rest,
                                      const Normals *normals, Lanes *n) {
  Lanes last[3];
  load_normals(normals, last);
  const LaneBits flat = lanes_less(area / rest, lanes_set(SOFA_MEMBRANE_FLAT));
  const Lanes scale = lanes_set(1) / (area + area);
  for (int i = 0; i < 3; i++) n[i] = lanes_select(flat, last[i], scale * n[i]);
  const LaneBits same = lanes_less(lanes_set(-0.5), lanes_dot3(n, last));
  store_normals(n, compressed & ~flat & same, normals);
  const LaneBits flipped = compressed & ~flat & ~same;
  for (int i = 0; i < 3; i++) n[i] = lanes_select(flipped, -n[i], n[i]);
  return flipped;
}

/* Adds to the forces of vertices; returns which triangles have flipped. */
static inline LaneBits compress(double law, SofaMembraneGroup *group, size_t s,
                                const Normals *normals, Lanes (*f)[3]) {
  const Lanes zero = lanes_set(0), half = lanes_set(0.5), rest = lanes_load(group->area + s);
  Lanes e[3][3], n[3];
  for (int j = 0; j < 3; j++) load_rows((const double(*)[SOFA_LANES])group->e[j], s, 3, e[j]);
  cross_unfused(e[1], e[2], n);
  const Lanes area = half * lanes_sqrt(dot_unfused(n, n));
  const LaneBits compressed = lanes_less(area, rest);
  lanes_store(group->push + s, zero);
  lanes_store(group->stiffness + s, zero);
  if (!lanes_any(compressed)) return compressed;
  const LaneBits flipped = choose_normals(compressed, area, rest, normals, n);
  const Lanes j = area / rest - lanes_set(1), square = lanes_set(law) * (j * j);
  const Lanes push = lanes_select(compressed, square * j, zero);
  const Lanes second = lanes_set(3) * square / rest;
  lanes_store(group->push + s, push);
  lanes_store(group->stiffness + s, lanes_select(compressed, second, zero));
  lanes_store(group->area_now + s, area);
  store_rows(group->normal, s, 3, n);
  for (int k = 0; k < 3; k++) {
    Lanes a[3];
    lanes_cross(n, e[k], a);
    for (int i = 0; i < 3; i++)
      f[k][i] = lanes_select(compressed, f[k][i] - half * push * a[i], f[k][i]);
  }
  return flipped;
}

/* Takes the derivative of the compression's force by dx, of edges d, from f: the second derivative
 * of the area is (dp_i . dp_j) / (4 A) n n^T and plus or minus [n]x / 2. */
static inline void add_compression(const Part *t, const Lanes (*e)[3], const Lanes (*d)[3],
                                   Lanes (*f)[3]) {
  const SofaMembraneGroup *group = t->group;
  const Lanes zero = lanes_set(0), half = lanes_set(0.5), push = lanes_load(group->push + t->s);
  const Lanes stiffness = lanes_load(group->stiffness + t->s);
  const LaneBits acts = (LaneBits)(push != zero);
  if (!lanes_any(acts)) return;
  const Lanes rest = lanes_load(group->area + t->s), area = lanes_load(group->area_now + t->s);
  const LaneBits flat = lanes_less(area / rest, lanes_set(SOFA_MEMBRANE_FLAT));
  const Lanes across = lanes_select(flat, zero, push / (lanes_set(4) * area));
  Lanes n[3], a[3][3], q[3];
  load_rows(group->normal, t->s, 3, n);
  for (int k = 0; k < 3; k++) lanes_cross(n, e[k], a[k]);
  // relative to vertex 0, the others move by d[2] and -d[1]
  const Lanes grown = half * (lanes_dot3(a[1], d[2]) - lanes_dot3(a[2], d[1]));
  const Lanes up = lanes_dot3(n, d[2]), other = lanes_dot3(n, d[1]);
  for (int i = 0; i < 3; i++) q[i] = across * (up * e[1][i] - other * e[2][i]);
  for (int k = 0; k < 3; k++) {
    Lanes turned[3];
    lanes_cross(n, d[k], turned);
    const Lanes along = lanes_dot3(e[k], q), by = stiffness * grown;
    for (int i = 0; i < 3; i++) {
      const Lanes sum = half * (by * a[k][i] + push * turned[i]) + along * n[i];
      f[k][i] = lanes_select(acts, f[k][i] - sum, f[k][i]);
    }
  }
}

/* ---- operations ---- */

/* What an edge is longer, with its rate; sets its length or square and the inverse of a length. */
static inline Lanes elongation(const SofaMembraneLaw *law, Lanes square, Lanes rest, Lanes rate,
                               Lanes *inverse) {
  const Lanes zero = lanes_set(0), one = lanes_set(1);
  Lanes length = square, grows = lanes_set(law->rate) * rate;
  *inverse = one;
  if (!law->squares) {
    length = lanes_sqrt(square);
    *inverse = one / length;
  }
  const Lanes q = length - rest;
  if (law->rate == 0) return q;
  if (!law->squares || law->rate_per_size) grows = grows / length;
  return q + lanes_select(lanes_less(zero, square), grows, zero);
}

/* Forces of a register's triangles but for compression. */
static inline void force_of(const SofaMembraneLaw *law, SofaMembraneGroup *group, size_t s,
                            const double *const xv[2], Lanes (*f)[3]) {
  const Part part = {group, s};
  Lanes d[3][3], k[3], gamma[3], rest[3], q[3], g[3], inverse[3], pull[3];
  Lanes rate[3] = {lanes_set(0), lanes_set(0), lanes_set(0)};
  edges_of(&part, xv[0], d);
  if (xv[1] && law->rate != 0) {
    Lanes dv[3][3];
    edges_of(&part, xv[1], dv);
    for (int j = 0; j < 3; j++) rate[j] = lanes_dot3(dv[j], d[j]);
  }
  load_rows((const double(*)[SOFA_LANES])group->k, s, 3, k);
  load_rows((const double(*)[SOFA_LANES])group->gamma, s, 3, gamma);
  load_rows((const double(*)[SOFA_LANES])group->rest, s, 3, rest);
  for (int j = 0; j < 3; j++)
    q[j] = elongation(law, dot_unfused(d[j], d[j]), rest[j], rate[j], &inverse[j]);
  couple(k, gamma, q, g);
  for (int j = 0; j < 3; j++) {
    pull[j] = g[j] * inverse[j];
    for (int i = 0; i < 3; i++) {
      d[j][i] = inverse[j] * d[j][i];
      lanes_store(group->e[j][i] + s, d[j][i]);
      d[j][i] = g[j] * d[j][i];
    }
  }
  store_rows(group->pull, s, 3, pull);
  if (law->sofas) store_rows(group->inverse, s, 3, inverse);
  forces_of((const Lanes(*)[3])d, f);
}

/* Gives the vectors of the triangles of a register, those from e on of n. */
ALWAYS void give(const Part *t, const Lanes (*f)[3], size_t e, size_t n, SofaVectorsTo to) {
  if (to.parts) to.parts += 9 * e;
  give_lanes(3, t->group->v[0] + t->s, f[0], n - e, to);
}

static size_t force(const SofaMembraneLaw *law, SofaMembraneGroup *groups, size_t n,
                    const double *const xv[2], double (*normals)[3], SofaVectorsTo to) {
  size_t first = n;
  for (size_t e = 0; e < n; e += LANES) {
    const Part part = {groups + e / SOFA_LANES, e % SOFA_LANES};
    SofaMembraneGroup *group = groups + e / SOFA_LANES;
    const Normals own = {normals + e, n - e};
    Lanes sum[3][3];
    LaneBits flipped = (LaneBits)lanes_set(0);
    force_of(law, group, part.s, xv, sum);
    if (law->compression != 0) flipped = compress(law->compression, group, part.s, &own, sum);
    for (size_t l = 0; first == n && lanes_any(flipped) && l < LANES; l++)
      if (flipped[l]) first = e + l;
    give(&part, (const Lanes(*)[3])sum, e, n, to);
  }
  return first < n ? first : n;
}

static inline void product_of(const SofaMembraneLaw *law, const Part *t, const double by[2],
                              const double *dx, Lanes (*f)[3]) {
  const SofaMembraneGroup *group = t->group;
  const Lanes factor = lanes_set(by[0]);
  const Lanes all = lanes_set((law->squares ? 2 * by[0] : by[0]) + by[1]);
  Lanes d[3][3], e[3][3], k[3], gamma[3], pull[3], along[3], g[3], w[3][3], area[3][3];
  edges_of(t, dx, d);
  for (int j = 0; j < 3; j++) load_rows(group->e[j], t->s, 3, e[j]);
  load_rows(group->k, t->s, 3, k);
  load_rows(group->gamma, t->s, 3, gamma);
  load_rows(group->pull, t->s, 3, pull);
  for (int j = 0; j < 3; j++) along[j] = lanes_dot3(e[j], d[j]);
  couple(k, gamma, along, g);
  for (int j = 0; j < 3; j++) {
    const Lanes h = factor * pull[j];
    Lanes total = all * g[j];
    if (!law->squares) total = total - h * along[j];
    for (int i = 0; i < 3; i++) w[j][i] = lanes_madd(h, d[j][i], total * e[j][i]);
  }
  forces_of((const Lanes(*)[3])w, f);
  if (law->compression == 0) return;
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) area[j][i] = lanes_set(0);
  add_compression(t, (const Lanes(*)[3])e, (const Lanes(*)[3])d, area);
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++) f[j][i] = lanes_madd(factor, area[j][i], f[j][i]);
}

static void product(const SofaMembraneLaw *law, const SofaMembraneGroup *groups, size_t n,
                    const double factor_rate[2], const double *dx, SofaVectorsTo to) {
  for (size_t e = 0; e < n; e += LANES) {
    const Part part = {groups + e / SOFA_LANES, e % SOFA_LANES};
    Lanes sum[3][3];
    product_of(law, &part, factor_rate, dx, sum);
    give(&part, (const Lanes(*)[3])sum, e, n, to);
  }
}

/* ---- blocks ---- */

/* A register's triangles for their blocks. */
typedef struct Shape {
  Lanes e[3][3], k[3], gamma[3], pull[3], rest[3], inverse[3];
} Shape;

/* The derivative of a force - g e along edge k by q of all edges, and of e. */
ALWAYS void edge_block(const SofaMembraneLaw *law, const Shape *t, int k, Lanes *m) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const Lanes twice = lanes_set(law->squares ? 2 : 1);
  const Lanes *ei = t->e[i], *ej = t->e[j], *ek = t->e[k];
  Lanes own = t->k[k];
  // SOFA takes the length at rest for the current one
  if (law->sofas && !law->squares) own = own * (t->rest[k] * t->inverse[k]);
  own = law->squares ? -(own + own) : t->pull[k] - own;
  for (int u = 0; u < 3; u++) {
    const Lanes along = own * ek[u] + twice * t->gamma[i] * ej[u];
    const Lanes other = twice * (t->gamma[j] * ek[u] - t->gamma[k] * ej[u]);
    for (int c = 0; c < 3; c++) m[3 * u + c] = lanes_madd(along, ek[c], other * ei[c]);
    m[4 * u] = m[4 * u] - t->pull[k];
  }
}

/* Compressed triangles for their blocks; a: derivatives of the area. */
typedef struct Pressed {
  LaneBits acts;
  Lanes n[3], a[3][3], push, stiffness, area, ratio;
} Pressed;

/* v2 a_i a_j^T + val d2A/dx_i dx_j with d2A = (dp_i . dp_j) / (4 A) n n^T - [n]x / 2. SOFA's terms
 * of the area's second derivative have the other sign, that of the normal twice the size, and the
 * first one is mixed with a multiple of I. */
ALWAYS void add_area_block(const SofaMembraneLaw *law, const Shape *t, const Pressed *p, int k,
                           Lanes *m) {
  const int i = (k + 1) % 3, j = (k + 2) % 3;
  const Lanes zero = lanes_set(0), *n = p->n, dot = lanes_dot3(t->e[i], t->e[j]);
  const Lanes sign = lanes_set(law->sofas ? -0.5 : 0.5) * p->push;
  // dp_i . dp_i + dp_j . dp_j - dp_k . dp_k = -2 dp_i . dp_j
  Lanes across = lanes_set(law->sofas ? -2 : 1) * (p->push / (lanes_set(4) * p->area)) * dot;
  Lanes stiffness = p->stiffness, same = zero, block[9];
  if (law->sofas) {
    same = (p->ratio - lanes_set(1)) * stiffness * lanes_dot3(p->a[i], p->a[j]);
    stiffness = stiffness * p->ratio;
  } else {
    across = lanes_select(lanes_less(p->ratio, lanes_set(SOFA_MEMBRANE_FLAT)), zero, across);
  }
  for (int e = 0; e < 9; e++)
    block[e] = stiffness * p->a[i][e / 3] * p->a[j][e % 3] + across * n[e / 3] * n[e % 3];
  for (int c = 0; c < 3; c++) {
    const int u = (c + 1) % 3, w = (c + 2) % 3;
    block[4 * c] = block[4 * c] - same;
    block[3 * w + u] = block[3 * w + u] - sign * n[c];
    block[3 * u + w] = block[3 * u + w] + sign * n[c];
  }
  for (int e = 0; e < 9; e++) m[e] = lanes_select(p->acts, m[e] + block[e], m[e]);
}

ALWAYS void load_pressed(const Part *part, const Shape *t, Pressed *p) {
  const SofaMembraneGroup *group = part->group;
  p->push = lanes_load(group->push + part->s);
  p->stiffness = lanes_load(group->stiffness + part->s);
  p->area = lanes_load(group->area_now + part->s);
  p->ratio = p->area / lanes_load(group->area + part->s);
  p->acts = (LaneBits)(p->push != lanes_set(0));
  load_rows(group->normal, part->s, 3, p->n);
  for (int k = 0; k < 3; k++) {
    lanes_cross(p->n, t->e[k], p->a[k]);
    for (int i = 0; i < 3; i++) p->a[k][i] = lanes_set(0.5) * p->a[k][i];
  }
}

static void blocks(const SofaMembraneLaw *law, const SofaMembraneGroup *group, double (*m)[3][9]) {
  for (size_t s = 0; s < SOFA_LANES; s += LANES) {
    const Part part = {group, s};
    Shape t;
    Pressed pressed = {.acts = (LaneBits)lanes_set(0)};
    for (int j = 0; j < 3; j++) load_rows(group->e[j], s, 3, t.e[j]);
    load_rows(group->k, s, 3, t.k);
    load_rows(group->gamma, s, 3, t.gamma);
    load_rows(group->pull, s, 3, t.pull);
    load_rows(group->rest, s, 3, t.rest);
    load_rows(group->inverse, s, 3, t.inverse);
    if (law->compression != 0) load_pressed(&part, &t, &pressed);
#pragma GCC unroll 3
    for (int k = 0; k < 3; k++) {
      Lanes block[9];
      edge_block(law, &t, k, block);
      if (lanes_any(pressed.acts)) add_area_block(law, &t, &pressed, k, block);
      put_nine(block, 27, m[s][k]);
    }
  }
}

const SofaMembraneKernels CAT(sofa_membrane_kernels_, KERNELS_ISA) = {
    .name = TEXT(KERNELS_ISA),
    .force = force,
    .product = product,
    .blocks = blocks,
};
