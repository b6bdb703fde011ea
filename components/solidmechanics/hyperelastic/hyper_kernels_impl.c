/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces and stiffness blocks of hyperelastic tetrahedra, compiled once per instruction set with
 * KERNELS_ISA naming it. With a stress S and its derivative D,
 * K_nm = V ((g_n . S g_m) I + B_n^T D B_m); see hyperelastic.h.
 *
 * With an energy W(I1, I2, L), y_n = F g_n, h_n = F^-T g_n and subscripts for derivatives,
 *   P = a F + b F C + W_L F^-T,  a = 2 (W_1 + I1 W_2), b = -2 W_2,
 *   K_nm / V = (a g_n . g_m + b y_n . y_m) I + b g_n . g_m F F^T + c y_n y_m^T + b y_m y_n^T
 *              + h_n z_m^T + z_n h_m^T - W_L h_m h_n^T,
 *   c = 4 (W_11 + W_2), z_n = (2 W_1L + 2 W_2L (I1 I - F F^T)) y_n + 1/2 W_LL h_n,
 * from the second derivatives of I1, I2 and L by the positions: solid_batch.h has the two special
 * forms and the reference. */
#include "numerics/fem/lane_points_impl.h"
#include "numerics/material/isotropic_lanes_impl.h"
#include "components/solidmechanics/hyperelastic/hyper_kernels.h"
#include "components/solidmechanics/hyperelastic/hyper_laws_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

/* B_n, 6 x 3: dE with doubled shear of a move of the node with gradient g. */
static inline void strain_of_move(const Lanes *f, const Lanes *g, Lanes *b) {
  for (int i = 0; i < 3; i++) {
    const Lanes *r = f + 3 * i;
    b[i] = r[0] * g[0];
    b[3 + i] = r[1] * g[1];
    b[6 + i] = r[2] * g[2];
    b[9 + i] = lanes_madd(r[0], g[1], r[1] * g[0]);
    b[12 + i] = lanes_madd(r[1], g[2], r[2] * g[1]);
    b[15 + i] = lanes_madd(r[2], g[0], r[0] * g[2]);
  }
}

/* db = D b with the upper triangle of D. */
static inline void law_apply(const SofaHyperGroup *group, int l, const Lanes *b, Lanes *db) {
  const double(*d)[SOFA_LANES] = group->d;
  for (int i = 0; i < 18; i++) db[i] = lanes_set(0);
  for (int i = 0; i < 6; i++, d++) {
    const Lanes own = lanes_load(*d + l);
    for (int j = 0; j < 3; j++) db[3 * i + j] = lanes_madd(own, b[3 * i + j], db[3 * i + j]);
    for (int k = i + 1; k < 6; k++) {
      const Lanes other = lanes_load(*++d + l);
      for (int j = 0; j < 3; j++) {
        db[3 * i + j] = lanes_madd(other, b[3 * k + j], db[3 * i + j]);
        db[3 * k + j] = lanes_madd(other, b[3 * i + j], db[3 * k + j]);
      }
    }
  }
}

/* r = S v */
static inline void stress_apply(const SofaHyperGroup *group, int l, const Lanes *v, Lanes *r) {
  Lanes s[6];
  for (int i = 0; i < 6; i++) s[i] = lanes_load(group->s[i] + l);
  r[0] = lanes_madd(s[5], v[2], lanes_madd(s[3], v[1], s[0] * v[0]));
  r[1] = lanes_madd(s[4], v[2], lanes_madd(s[1], v[1], s[3] * v[0]));
  r[2] = lanes_madd(s[2], v[2], lanes_madd(s[4], v[1], s[5] * v[0]));
}

/* Local pairs of nodes 1, 2, 3. */
static const uint8_t pair_of[3][3] = {{4, 5, 6}, {5, 7, 8}, {6, 8, 9}};

/* The blocks of node 0 from its rows: minus the sum of the others. */
static inline void first_node(Lanes (*first)[9], Lanes *out) {
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const int k = 3 * i + j, t = 3 * j + i;
      for (int n = 0; n < 3; n++) out[9 * n + 9 + k] = first[n][k];
      out[k] = -((first[0][t] + first[1][t]) + first[2][t]);
    }
  }
}

/* factor (geometric I + B_n^T DB) */
typedef struct Block {
  Lanes factor, geometric;
  const Lanes *b, *db;
} Block;

/* Stores a block and subtracts it, and for two nodes its transpose, from what node 0 has with the
 * columns of m and n. */
static inline void store_block(const Block *block, Lanes *to, Lanes *of_m, Lanes *of_n) {
  const Lanes factor = block->factor, geometric = block->geometric;
  const Lanes *b = block->b, *db = block->db;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      Lanes sum = b[i] * db[j];
      for (int k = 1; k < 6; k++) sum = lanes_madd(b[3 * k + i], db[3 * k + j], sum);
      if (i == j) sum = sum + geometric;
      sum = factor * sum;
      to[3 * i + j] = sum;
      of_m[3 * i + j] = of_m[3 * i + j] - sum;
      if (of_n) of_n[3 * j + i] = of_n[3 * j + i] - sum;
    }
  }
}

static inline void blocks_of_lanes(const SofaHyperGroup *group, int l, Lanes *out) {
  const Lanes zero = lanes_set(0), factor = zero - lanes_load(group->volume + l);
  Lanes f[9], g[3][3], b[3][18], db[18], traction[3], first[3][9];
  for (int k = 0; k < 9; k++) f[k] = lanes_load(group->f[k] + l);
  for (int n = 0; n < 3; n++) {
    for (int k = 0; k < 3; k++) g[n][k] = lanes_load(group->g[3 * n + k] + l);
    for (int k = 0; k < 9; k++) first[n][k] = zero;
    strain_of_move(f, g[n], b[n]);
  }
  for (int m = 0; m < 3; m++) {
    law_apply(group, l, b[m], db);
    stress_apply(group, l, g[m], traction);
    for (int n = 0; n <= m; n++) {
      const Block block = {factor, lanes_dot3(g[n], traction), b[n], db};
      store_block(&block, out + 9 * pair_of[n][m], first[m], n < m ? first[n] : NULL);
    }
  }
  first_node(first, out);
}

/* ---- elements and lanes ---- */

/* Rows of eight lanes to eight entries of each element. */
#if defined(__AVX512F__)
static inline void store_eight(const Lanes *from, double *const *to) {
  Lanes rows[8];
  transpose_eight(from, rows);
  for (int l = 0; l < 8; l++) lanes_store(to[l], rows[l]);
}
#else
static inline void store_eight(const Lanes *from, double *const *to) {
  for (int l = 0; l < LANES; l++) {
    for (int k = 0; k < 8; k++) to[l][k] = from[k][l];
  }
}
#endif

static inline size_t element_of(size_t s, size_t l, size_t n) {
  return s + l < n ? s + l : n - 1;
}

/* The blocks of elements s .. of n; lanes beyond the last repeat it. */
static inline void store_blocks(const Lanes *all, size_t s, size_t n, SofaHyperBlocks out) {
  double *to[LANES];
  for (size_t l = 0; l < LANES; l++) to[l] = out[element_of(s, l, n)];
  for (int k = 0; k < 88; k += 8) {
    store_eight(all + k, to);
    for (size_t l = 0; l < LANES; l++) to[l] += 8;
  }
  for (size_t l = 0; l < LANES; l++) to[l] -= 6;
  store_eight(all + 82, to);
}

static void hyper_blocks(const SofaHyperGroup *group, SofaHyperBlocks out) {
  for (size_t s = 0; s < SOFA_LANES; s += LANES) {
    Lanes all[90];
    blocks_of_lanes(group, (int)s, all);
    store_blocks(all, s, SOFA_LANES, out);
  }
}

/* ---- energies of the invariants ---- */

/* Lanes of elements, and the derivatives of W there. */
typedef struct Invariants {
  Lanes f[9], g[3][3], volume;
  Lanes a, b, c, i1, wl, wll, w1l, w2l;
} Invariants;

/* Of the first `count` lanes. Returns the first one where the material is not defined, or count. */
static inline size_t respond(const SofaHyperInvariants *law, size_t count, Invariants *v) {
  LawDeformation x;
  LawDerivatives w;
  law_invariants(v->f, &x);
  const size_t good = law_first_undefined(law->material, count, x.j);
  if (good < count) return good;
  law_derivatives(law->material, law->p, &x, &w);
  v->a = 2.0 * lanes_madd(x.i1, w.w2, w.w1);
  v->b = -2.0 * w.w2;
  v->c = 4.0 * (w.w11 + w.w2);
  v->i1 = x.i1;
  v->wl = w.wl;
  v->wll = 0.5 * w.wll;
  v->w1l = 2.0 * w.w1l;
  v->w2l = 2.0 * w.w2l;
  return count;
}

/* F^-T */
static inline void inverse_transposed(const Lanes *f, Lanes *r) {
  lanes_cofactors(f, r);
  const Lanes scale = lanes_set(1) / lanes_dot3(f, r);
  for (int k = 0; k < 9; k++) r[k] = r[k] * scale;
}

/* F F^T */
static inline void left_strain(const Lanes *f, Lanes *r) {
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) r[3 * i + k] = lanes_dot3(f + 3 * i, f + 3 * k);
  }
}

/* Which parts W has: does it depend on L; on I1 not linearly, or on I2; on both mixed? */
typedef struct Parts {
  bool volume, strain, mixed;
} Parts;

/* -V P */
ALWAYS void stress_of(Parts parts, const Lanes *f, Lanes volume, const LawDeformation *x,
                      const LawDerivatives *w, Lanes *p) {
  const Lanes a = 2.0 * (parts.strain ? lanes_madd(x->i1, w->w2, w->w1) : w->w1), b = -2.0 * w->w2;
  Lanes left[9], other[9];
  for (int k = 0; k < 9; k++) p[k] = a * f[k];
  if (parts.strain) {
    left_strain(f, left);
    for (int i = 0; i < 3; i++) lanes_apply_t(f, left + 3 * i, other + 3 * i);
    for (int k = 0; k < 9; k++) p[k] = lanes_madd(b, other[k], p[k]);
  }
  if (parts.volume) {
    inverse_transposed(f, other);
    for (int k = 0; k < 9; k++) p[k] = lanes_madd(w->wl, other[k], p[k]);
  }
  for (int k = 0; k < 9; k++) p[k] = -volume * p[k];
}

/* The same of `count` lanes by a given law, NULL: by that of the material. Returns the first lane
 * where the material is not defined, or count. */
ALWAYS size_t stress_by(LawFunction *known, Parts parts, const SofaHyperInvariants *law,
                        size_t count, const Invariants *v, Lanes *p) {
  LawDeformation x;
  LawDerivatives w;
  law_invariants(v->f, &x);
  const size_t good = law_first_undefined(law->material, count, x.j);
  if (good < count) return good;
  if (known) law_apply_known(known, law->p, &x, &w);
  else law_derivatives(law->material, law->p, &x, &w);
  stress_of(parts, v->f, v->volume, &x, &w, p);
  return good;
}

#define STRESS_BY_LAW(name, of_l, of_i2)                                                           \
  static size_t name##_stress(const SofaHyperInvariants *law, size_t count, const Invariants *v,   \
                              Lanes *p) {                                                          \
    return stress_by(name, (Parts){.volume = (of_l), .strain = (of_i2)}, law, count, v, p);        \
  }
SOFA_ISOTROPIC_LAWS(STRESS_BY_LAW)

static size_t any_stress(const SofaHyperInvariants *law, size_t count, const Invariants *v,
                         Lanes *p) {
  return stress_by(NULL, (Parts){true, true, true}, law, count, v, p);
}

/* Of a material that has `derivatives`. */
static inline size_t invariant_stress(const SofaHyperInvariants *law, size_t count,
                                      const Invariants *v, Lanes *p) {
#define OF_LAW(name, of_l, of_i2)                                                                  \
  if (law->material == &sofa_##name) return name##_stress(law, count, v, p);
  SOFA_ISOTROPIC_LAWS(OF_LAW)
#undef OF_LAW
  return any_stress(law, count, v, p);
}

/* y, h and z of the nodes. */
typedef struct Vectors {
  Lanes left[9], y[3][3], h[3][3], z[3][3];
} Vectors;

ALWAYS void vectors_of(Parts parts, const Invariants *v, Vectors *r) {
  const Lanes i1 = v->i1, wll = v->wll, w1l = v->w1l, w2l = v->w2l;
  Lanes inverse[9];
  if (parts.strain) left_strain(v->f, r->left);
  if (parts.volume) inverse_transposed(v->f, inverse);
  for (int n = 0; n < 3; n++) {
    if (parts.strain) lanes_apply(v->f, v->g[n], r->y[n]);
    if (!parts.volume) continue;
    lanes_apply(inverse, v->g[n], r->h[n]);
    for (int i = 0; i < 3; i++) r->z[n][i] = wll * r->h[n][i];
    if (!parts.mixed) continue;
    Lanes turned[3];
    lanes_apply(r->left, r->y[n], turned);
    for (int i = 0; i < 3; i++) {
      const Lanes second = lanes_madd(i1, r->y[n][i], -turned[i]);
      r->z[n][i] = lanes_madd(w2l, second, lanes_madd(w1l, r->y[n][i], r->z[n][i]));
    }
  }
}

/* -V K_nm */
ALWAYS void invariant_block(Parts parts, const Invariants *v, const Vectors *r, int n, int m,
                            Lanes *to) {
  const Lanes a = v->a, b = v->b, c = v->c, wl = v->wl, factor = -v->volume;
  const Lanes slopes = lanes_dot3(v->g[n], v->g[m]), shear = b * slopes;
  Lanes diagonal = a * slopes;
  if (parts.strain) diagonal = lanes_madd(b, lanes_dot3(r->y[n], r->y[m]), diagonal);
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      Lanes sum = i == j ? diagonal : lanes_set(0);
      if (parts.strain) {
        sum = lanes_madd(shear, r->left[3 * i + j], sum);
        sum = lanes_madd(c * r->y[n][i], r->y[m][j], sum);
        sum = lanes_madd(b * r->y[m][i], r->y[n][j], sum);
      }
      if (parts.volume) {
        sum = lanes_madd(r->h[n][i], r->z[m][j], sum);
        sum = lanes_madd(r->z[n][i], r->h[m][j], sum);
        sum = lanes_madd(-(wl * r->h[m][i]), r->h[n][j], sum);
      }
      to[3 * i + j] = factor * sum;
    }
  }
}

ALWAYS void invariant_lanes(Parts parts, const Invariants *v, Lanes *out) {
  Vectors r;
  Lanes first[3][9];
  vectors_of(parts, v, &r);
  for (int n = 0; n < 3; n++) {
    for (int k = 0; k < 9; k++) first[n][k] = lanes_set(0);
  }
  for (int m = 0; m < 3; m++) {
    for (int n = 0; n <= m; n++) {
      Lanes *to = out + 9 * pair_of[n][m];
      invariant_block(parts, v, &r, n, m, to);
      for (int k = 0; k < 9; k++) {
        first[m][k] = first[m][k] - to[k];
        if (n < m) first[n][3 * (k % 3) + k / 3] = first[n][3 * (k % 3) + k / 3] - to[k];
      }
    }
  }
  first_node(first, out);
}

/* Calls a function with constant parts of the material. */
#define WITH_PARTS(function, material, ...)                                                        \
  do {                                                                                             \
    if ((material)->form == SOFA_HYPER_SPLIT) function((Parts){.volume = true}, __VA_ARGS__);      \
    else if ((material)->form == SOFA_HYPER_STRAIN)                                                \
      function((Parts){.strain = true}, __VA_ARGS__);                                              \
    else function((Parts){true, true, true}, __VA_ARGS__);                                         \
  } while (0)

/* Gradients and volume of the lanes from s on. */
static inline void load_rest(const SofaHyperTetras *t, size_t s, Invariants *v) {
  for (int k = 0; k < 9; k++) v->g[k / 3][k % 3] = lanes_load(t->s[k] + s);
  v->volume = lanes_load(t->volume + s);
}

/* F at x, kept in the elements. */
static inline void deform(SofaHyperTetras *t, size_t s, const double *x, Invariants *v) {
  Lanes p[4][3];
  for (int n = 0; n < 4; n++) {
    load_node(t->v[n] + s, x, p[n]);
    for (int i = 0; n && i < 3; i++) p[n][i] = p[n][i] - p[0][i];
  }
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++)
      v->f[3 * i + k] =
          lanes_madd(p[3][i], v->g[2][k], lanes_madd(p[2][i], v->g[1][k], p[1][i] * v->g[0][k]));
  }
  for (int k = 0; k < 9; k++) lanes_store(t->f[k] + s, v->f[k]);
}

/* f_n = -V P g_n of nodes 1, 2, 3; the forces of an element have the sum 0. */
static inline void nodal_forces(const Invariants *v, const Lanes *p, Lanes *force) {
  for (int i = 0; i < 3; i++) force[i] = lanes_set(0);
  for (int n = 0; n < 3; n++) {
    lanes_apply(p, v->g[n], force + 3 * n + 3);
    for (int i = 0; i < 3; i++) force[i] = force[i] - force[3 * n + 3 + i];
  }
}

/* ---- other energies ---- */

/* S and D at F of the first `count` lanes. Returns the first one where the material is not defined,
 * or count. */
static inline size_t respond_by_law(const SofaHyperInvariants *law, size_t count, const Lanes *f,
                                    LawPoint *x) {
  double det[LANES];
  x->p = law->p;
  x->unscaled = law->unscaled;
  law_deform(f, x);
  lanes_store(det, x->j);
  for (size_t l = 0; l < count; l++)
    if (!(det[l] > 0)) return l;
  x->l = lanes_log(x->j);
  law_respond(law->material, x);
  return count;
}

/* -V F S */
static inline size_t law_stress(const SofaHyperInvariants *law, size_t count, const Invariants *v,
                                Lanes *p) {
  static const uint8_t at[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};
  LawPoint x = {.derivative = false};
  Lanes s[9];
  const size_t good = respond_by_law(law, count, v->f, &x);
  if (good < count) return good;
  for (int k = 0; k < 9; k++) s[k] = -(v->volume * x.s[at[k]]);
  for (int i = 0; i < 9; i++) {
    const Lanes *row = v->f + i / 3 * 3;
    p[i] = lanes_dot3(row, s + i % 3 * 3); // S is symmetric
  }
  return good;
}

static inline size_t law_blocks(const SofaHyperInvariants *law, size_t count, const Invariants *v,
                                Lanes *out) {
  SofaHyperGroup group;
  LawPoint x = {.derivative = true};
  const size_t good = respond_by_law(law, count, v->f, &x);
  if (good < count) return good;
  for (int k = 0; k < 9; k++) {
    lanes_store(group.f[k], v->f[k]);
    lanes_store(group.g[k], v->g[k / 3][k % 3]);
  }
  lanes_store(group.volume, v->volume);
  for (int k = 0; k < 6; k++) lanes_store(group.s[k], x.s[k]);
  for (int k = 0; k < 21; k++) lanes_store(group.d[k], x.d[k]);
  blocks_of_lanes(&group, 0, out);
  return good;
}

/* ---- forces and blocks of elements ---- */

/* Forces of nodes 0 .. 3 of the lanes from s on, `count` of them. Returns the first one where the
 * material is not defined, or count. */
static inline size_t force_of_lanes(const SofaHyperInvariants *law, SofaHyperTetras *t, size_t s,
                                    size_t count, const double *x, Lanes *force) {
  Invariants v;
  Lanes p[9];
  load_rest(t, s, &v);
  deform(t, s, x, &v);
  const bool invariants = law->material->derivatives;
  const size_t good =
      invariants ? invariant_stress(law, count, &v, p) : law_stress(law, count, &v, p);
  if (good < count) return good;
  nodal_forces(&v, p, force);
  return good;
}

/* How many lanes from element e on are elements. */
static inline size_t lanes_from(size_t e, size_t n) {
  return n - e < LANES ? n - e : LANES;
}

/* The forces of a group, of n elements in all. Returns the first bad element, or n. */
static inline size_t force_of_group(const SofaHyperInvariants *law, SofaHyperTetras *groups,
                                    size_t begin, size_t n, const double *x,
                                    double (*rows)[SOFA_LANES]) {
  for (size_t s = 0; s < SOFA_LANES && begin + s < n; s += LANES) {
    const size_t count = lanes_from(begin + s, n);
    Lanes force[12];
    const size_t good = force_of_lanes(law, groups + begin / SOFA_LANES, s, count, x, force);
    if (good < count) return begin + s + good;
    for (int k = 0; k < 12; k++) lanes_store(rows[k] + s, force[k]);
  }
  return n;
}

static size_t hyper_force(const SofaHyperInvariants *law, SofaHyperTetras *groups, size_t n,
                          const double *x, double *f) {
  for (size_t e = 0; e < n; e += SOFA_LANES) {
    const SofaHyperTetras *group = groups + e / SOFA_LANES;
    double rows[12][SOFA_LANES];
    ask_for(group + 1, sizeof *group);
    const size_t good = force_of_group(law, groups, e, n, x, rows);
    if (good < n) return good;
    scatter(4, 3, group->v, (const double(*)[SOFA_LANES])rows, lanes_in_group(n, e / SOFA_LANES),
            f);
  }
  return n;
}

/* Lanes to elements, which repeat the last. */
static inline void store_forces(const Lanes *force, size_t e, size_t n, double (*to)[12]) {
  double *at[LANES];
  for (size_t l = 0; l < LANES; l++) at[l] = to[element_of(e, l, n)];
  store_eight(force, at);
  for (size_t l = 0; l < LANES; l++) at[l] += 4;
  store_eight(force + 4, at);
}

static size_t element_forces(const SofaHyperInvariants *law, SofaHyperTetras *groups, size_t n,
                             const double *x, double (*to)[12]) {
  for (size_t e = 0; e < n; e += LANES) {
    const size_t count = lanes_from(e, n);
    Lanes force[12];
    SofaHyperTetras *group = groups + e / SOFA_LANES;
    ask_for(group + 1, sizeof *group);
    const size_t good = force_of_lanes(law, group, e % SOFA_LANES, count, x, force);
    if (good < count) return e + good;
    store_forces(force, e, n, to);
  }
  return n;
}

static size_t invariant_blocks(const SofaHyperInvariants *law, const SofaHyperTetras *group,
                               size_t n, SofaHyperBlocks out) {
  for (size_t s = 0; s < n; s += LANES) {
    const size_t count = lanes_from(s, n);
    Invariants v;
    Lanes all[90];
    load_rest(group, s, &v);
    for (int k = 0; k < 9; k++) v.f[k] = lanes_load(group->f[k] + s);
    const bool invariants = law->material->derivatives;
    const size_t good = invariants ? respond(law, count, &v) : law_blocks(law, count, &v, all);
    if (good < count) return s + good;
    if (invariants) WITH_PARTS(invariant_lanes, law->material, &v, all);
    store_blocks(all, s, n, out);
  }
  return n;
}

/* ---- blocks of pairs ---- */

/* to += block, or its transpose. */
static inline void add_block(const double *block, bool transposed, double *to) {
#if defined(__AVX512F__)
  const __m512i turned = _mm512_setr_epi64(0, 3, 6, 1, 4, 7, 2, 5);
  Lanes row = lanes_load(block);
  if (transposed) row = _mm512_permutexvar_pd(turned, row);
  lanes_store(to, lanes_load(to) + row);
  to[8] += block[8];
#else
  for (int i = 0; i < 9; i++) to[i] += block[transposed ? 3 * (i % 3) + i / 3 : i];
#endif
}

/* An element with volume has four different points: no SOFA_PAIR_BOTH. */
static void spread(const double *element, const uint32_t *slot, const uint8_t *shared, double *kept,
                   double *blocks) {
  for (int k = 0; k < 10; k++) {
    const size_t pair = slot[k] >> 2;
    if (shared && shared[pair])
      for (int i = 9 * k; i < 9 * k + 9; i++) kept[i] = element[i];
    else add_block(element + 9 * k, (slot[k] & 3) == SOFA_PAIR_TRANSPOSED, blocks + 9 * pair);
  }
}

extern const SofaHyperKernels CAT(sofa_hyper_kernels_, KERNELS_ISA);
const SofaHyperKernels CAT(sofa_hyper_kernels_,
                           KERNELS_ISA) = {.blocks = hyper_blocks,
                                           .force = hyper_force,
                                           .element_forces = element_forces,
                                           .invariant_blocks = invariant_blocks,
                                           .spread = spread};
