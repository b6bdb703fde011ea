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
#include "components/solidmechanics/hyperelastic/hyper_laws_impl.h"

#define CAT_(a, b) a##b
#define CAT(a, b) CAT_(a, b)

/* ---- energies of the invariants ---- */

/* Of the first `count` lanes. Returns the first one where the material is not defined, or count. */
static inline size_t respond(const SofaHyperInvariants *law, size_t count, const TetraLanes *t,
                             InvariantForm *v) {
  LawDeformation x;
  LawDerivatives w;
  law_invariants(t->f, &x);
  const size_t good = law_first_undefined(law->material, count, x.j);
  if (good < count) return good;
  law_derivatives(law->material, law->p, &x, &w);
  const Lanes factor = -t->volume;
  v->a = 2.0 * factor * lanes_madd(x.i1, w.w2, w.w1);
  v->b = -2.0 * factor * w.w2;
  v->c = 4.0 * factor * (w.w11 + w.w2);
  v->i1 = x.i1;
  v->wl = factor * w.wl;
  v->wll = 0.5 * factor * w.wll;
  v->w1l = 2.0 * factor * w.w1l;
  v->w2l = 2.0 * factor * w.w2l;
  return count;
}

/* Does W depend on I2? Unknown laws may. */
static inline bool reads_i2(const SofaHyperMaterial *material) {
#define OF_LAW(name, of_l, of_i2)                                                                  \
  if (material == &sofa_##name) return of_i2;
  SOFA_ISOTROPIC_LAWS(OF_LAW)
#undef OF_LAW
  return true;
}

static size_t invariant_blocks(const SofaHyperInvariants *law, size_t count, const TetraLanes *t,
                               const BlocksTo *out) {
  const SofaHyperMaterial *material = law->material;
  InvariantForm w;
  const size_t good = respond(law, count, t, &w);
  if (good < count) return good;
  if (material->form == SOFA_HYPER_SPLIT) invariant_edges((Parts){true, false, false}, t, &w, out);
  else if (material->form == SOFA_HYPER_STRAIN)
    invariant_edges((Parts){false, true, true}, t, &w, out);
  else if (!reads_i2(material)) invariant_edges((Parts){true, true, false}, t, &w, out);
  else invariant_edges((Parts){true, true, true}, t, &w, out);
  return good;
}

/* -V P */
ALWAYS void stress_of(Parts parts, const Lanes *f, Lanes volume, const LawDeformation *x,
                      const LawDerivatives *w, Lanes *p) {
  const Lanes a = 2.0 * (parts.second ? lanes_madd(x->i1, w->w2, w->w1) : w->w1), b = -2.0 * w->w2;
  Lanes left[9], other[9];
  for (int k = 0; k < 9; k++) p[k] = a * f[k];
  if (parts.second) {
    lanes_left_square(f, left);
    for (int i = 0; i < 3; i++) lanes_apply_t(f, left + 3 * i, other + 3 * i);
    for (int k = 0; k < 9; k++) p[k] = lanes_madd(b, other[k], p[k]);
  }
  if (parts.volume) {
    lanes_inverse_transposed(f, other);
    for (int k = 0; k < 9; k++) p[k] = lanes_madd(w->wl, other[k], p[k]);
  }
  for (int k = 0; k < 9; k++) p[k] = -volume * p[k];
}

/* The same of `count` lanes by a given law, NULL: by that of the material. Returns the first lane
 * where the material is not defined, whose stress means nothing, or count. */
ALWAYS size_t invariant_stress(LawFunction *known, Parts parts, const SofaHyperInvariants *law,
                               size_t count, const TetraLanes *v, Lanes *p) {
  LawDeformation x;
  LawDerivatives w;
  law_invariants(v->f, &x);
  const size_t good = law_first_undefined(law->material, count, x.j);
  if (known) law_apply_known(known, law->p, &x, &w);
  else law_derivatives(law->material, law->p, &x, &w);
  stress_of(parts, v->f, v->volume, &x, &w, p);
  return good;
}

/* Gradients and volume of the lanes from s on. */
static inline void load_rest(const SofaHyperTetras *t, size_t s, TetraLanes *v) {
  for (int k = 0; k < 9; k++) v->g[k / 3][k % 3] = lanes_load(t->s[k] + s);
  v->volume = lanes_load(t->volume + s);
}

/* F at x, kept in the elements. */
static inline void deform(SofaHyperTetras *t, size_t s, const double *x, TetraLanes *v) {
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
static inline void nodal_forces(const TetraLanes *v, const Lanes *p, Lanes *force) {
  for (int i = 0; i < 3; i++) force[i] = lanes_set(0);
  for (int n = 0; n < 3; n++) {
    lanes_apply(p, v->g[n], force + 3 * n + 3);
    for (int i = 0; i < 3; i++) force[i] = force[i] - force[3 * n + 3 + i];
  }
}

/* ---- other energies ---- */

/* C, its inverse, J and L of the first `count` lanes. Returns the first one where the material is
 * not defined, or count. */
static inline size_t law_point(const SofaHyperInvariants *law, size_t count, const Lanes *f,
                               LawPoint *x) {
  double det[LANES];
  x->p = law->p;
  x->unscaled = law->unscaled;
  law_deform(f, x);
  lanes_store(det, x->j);
  x->l = lanes_log(x->j);
  for (size_t l = 0; l < count; l++)
    if (!(det[l] > 0)) return l;
  return count;
}

/* -V F S; returns as invariant_stress. */
static inline size_t law_stress(const SofaHyperInvariants *law, size_t count, const TetraLanes *v,
                                Lanes *p) {
  LawPoint x;
  Lanes s[9];
  const size_t good = law_point(law, count, v->f, &x);
  law_respond(law->material, &x);
  for (int k = 0; k < 9; k++) s[k] = -(v->volume * x.s[law_at[k]]);
  for (int i = 0; i < 9; i++) {
    const Lanes *row = v->f + i / 3 * 3;
    p[i] = lanes_dot3(row, s + i % 3 * 3); // S is symmetric
  }
  return good;
}

/* ---- forces and blocks of elements ---- */

/* How many lanes from element e on are elements. */
static inline size_t lanes_from(size_t e, size_t n) {
  return n - e < LANES ? n - e : LANES;
}

/* What the compiler knows of a law. */
typedef struct Known {
  bool invariants;       /* the material has `derivatives` */
  LawFunction *function; /* NULL: that of the material */
  Parts parts;
} Known;

/* The first `count` of the lanes from s on. */
typedef struct Part {
  SofaHyperTetras *group;
  size_t s, count;
} Part;

/* Forces of nodes 0 .. 3. Returns the first lane where the material is not defined, or count. */
ALWAYS size_t force_of_lanes(Known known, const SofaHyperInvariants *law, Part part,
                             const double *x, Lanes *force) {
  TetraLanes v;
  Lanes p[9];
  load_rest(part.group, part.s, &v);
  deform(part.group, part.s, x, &v);
  const size_t good = known.invariants
                          ? invariant_stress(known.function, known.parts, law, part.count, &v, p)
                          : law_stress(law, part.count, &v, p);
  nodal_forces(&v, p, force);
  return good;
}

ALWAYS size_t force_of(Known known, const SofaHyperInvariants *law, SofaHyperTetras *groups,
                       size_t n, const double *x, SofaVectorsTo to) {
  for (size_t e = 0; e < n; e += LANES) {
    const Part part = {groups + e / SOFA_LANES, e % SOFA_LANES, lanes_from(e, n)};
    Lanes force[12];
    if (part.s == 0) ask_for(part.group + 1, sizeof *part.group);
    const size_t good = force_of_lanes(known, law, part, x, force);
    if (good < part.count) return e + good;
    give_lanes(4, part.group->v[0] + part.s, force, part.count, to);
    if (to.parts) to.parts += 12 * LANES;
  }
  return n;
}

#define FORCE_BY_LAW(name, of_l, of_i2)                                                            \
  static size_t name##_force(const SofaHyperInvariants *law, SofaHyperTetras *groups, size_t n,    \
                             const double *x, SofaVectorsTo to) {                                  \
    const Known known = {true, name, {.volume = (of_l), .second = (of_i2)}};                       \
    return force_of(known, law, groups, n, x, to);                                                 \
  }
SOFA_ISOTROPIC_LAWS(FORCE_BY_LAW)

static size_t hyper_force(const SofaHyperInvariants *law, SofaHyperTetras *groups, size_t n,
                          const double *x, SofaVectorsTo to) {
#define OF_LAW(name, of_l, of_i2)                                                                  \
  if (law->material == &sofa_##name) return name##_force(law, groups, n, x, to);
  SOFA_ISOTROPIC_LAWS(OF_LAW)
#undef OF_LAW
  const Known other = {.parts = {true, true, true}}, invariants = {true, NULL, other.parts};
  if (law->material->derivatives) return force_of(invariants, law, groups, n, x, to);
  return force_of(other, law, groups, n, x, to);
}

static size_t law_blocks(const SofaHyperInvariants *law, size_t count, const TetraLanes *t,
                         const BlocksTo *out) {
  LawPoint x;
  const size_t good = law_point(law, count, t->f, &x);
  if (good == count) law_edges(law->material, &x, t, out);
  return good;
}

static void hyper_general_blocks(const SofaHyperGroup *group, SofaHyperBlocks out) {
  for (size_t s = 0; s < SOFA_LANES; s += LANES) {
    const BlocksTo to = {.rows = (double(*)[9][SOFA_LANES])(void *)(out[0][0] + s)};
    general_blocks(group, s, &to);
  }
}

/* ---- blocks of pairs ---- */

/* Edge by edge, then lane by lane: the same order for all instruction sets. */
static void spread(SofaHyperBlocks rows, const uint32_t *place, size_t n, double *blocks) {
  for (size_t e = 0; e < SOFA_HYPER_EDGES; e++, place += SOFA_LANES) {
    for (size_t s = 0; s < n; s += LANES) {
      const size_t count = lanes_from(s, n);
      Lanes block[9];
      for (int k = 0; k < 9; k++) block[k] = lanes_load(rows[e][k] + s);
      if (count == LANES) add_edge_blocks(block, place + s, LANES, blocks);
      else add_edge_blocks(block, place + s, count, blocks);
    }
  }
}

static size_t hyper_blocks(const SofaHyperInvariants *law, const SofaHyperTetras *group, size_t n,
                           const uint32_t *place, double *blocks) {
  const bool at_once = WHOLE_GROUPS && n == SOFA_LANES;
  SofaHyperBlocks rows;
  for (size_t s = 0; s < n; s += LANES) {
    const size_t count = lanes_from(s, n);
    const BlocksTo to = {at_once ? place : NULL, blocks,
                         (double(*)[9][SOFA_LANES])(void *)(rows[0][0] + s)};
    TetraLanes t;
    load_rest(group, s, &t);
    ask_for(group + 1, sizeof *group);
    for (int k = 0; k < 9; k++) t.f[k] = lanes_load(group->f[k] + s);
    const size_t good = law->material->derivatives ? invariant_blocks(law, count, &t, &to)
                                                   : law_blocks(law, count, &t, &to);
    if (good < count) return s + good;
  }
  if (!at_once) spread(rows, place, n, blocks);
  return n;
}

extern const SofaHyperKernels CAT(sofa_hyper_kernels_, KERNELS_ISA);
const SofaHyperKernels CAT(sofa_hyper_kernels_,
                           KERNELS_ISA) = {.general_blocks = hyper_general_blocks,
                                           .force = hyper_force,
                                           .blocks = hyper_blocks,
                                           .spread = spread};
