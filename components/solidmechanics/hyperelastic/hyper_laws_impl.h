/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Stresses and edge blocks of the materials that are not functions of the invariants, in lanes;
 * ogden.c and costa.c have the formulas of D, hyper_blocks_impl.h says what blocks need of it. */
#ifndef SOFA_HYPER_LAWS_H
#define SOFA_HYPER_LAWS_H

#include "components/solidmechanics/hyperelastic/hyper_blocks_impl.h"

/* Of lanes: C, its inverse, det F and its logarithm; S. */
typedef struct LawPoint {
  const double *p;
  Lanes c[6], ci[6], j, l, s[6];
  bool unscaled; /* of SofaHyperInvariants */
} LawPoint;

static const uint8_t law_pair[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {1, 2}, {2, 0}};
/* entries of a symmetric matrix among the six */
static const uint8_t law_at[9] = {0, 3, 5, 3, 1, 4, 5, 4, 2};

/* C, J and C^-1 from F: with the cofactors K of F, K^T K / J^2. */
static inline void law_deform(const Lanes *f, LawPoint *x) {
  Lanes cofactor[9];
  lanes_cofactors(f, cofactor);
  x->j = lanes_dot3(f + 6, cofactor + 6);
  const Lanes scale = lanes_set(1) / (x->j * x->j);
  for (int k = 0; k < 6; k++) {
    const Lanes *a = f + law_pair[k][0], *b = f + law_pair[k][1];
    const Lanes *u = cofactor + law_pair[k][0], *w = cofactor + law_pair[k][1];
    x->c[k] = lanes_madd(a[6], b[6], lanes_madd(a[3], b[3], a[0] * b[0]));
    x->ci[k] = scale * lanes_madd(u[6], w[6], lanes_madd(u[3], w[3], u[0] * w[0]));
  }
}

/* r = F A g_n of a symmetric A */
static inline void law_turn(const TetraLanes *t, const Lanes *a, NodeVectors r) {
  Lanes m[9], fa[9];
  for (int k = 0; k < 9; k++) m[k] = a[law_at[k]];
  for (int k = 0; k < 9; k++) fa[k] = lanes_dot3(t->f + k / 3 * 3, m + k % 3 * 3);
  of_nodes(fa, (const Lanes(*)[3])t->g, r);
}

/* h */
static inline void law_inverse_turn(const TetraLanes *t, NodeVectors h) {
  Lanes inverse[9];
  lanes_inverse_transposed(t->f, inverse);
  of_nodes(inverse, (const Lanes(*)[3])t->g, h);
}

/* r += factor a, of all nodes */
static inline void law_add_nodes(Lanes factor, const NodeVectors a, NodeVectors r) {
  for (int k = 0; k < 12; k++)
    r[k / 3][k % 3] = lanes_madd(factor, a[k / 3][k % 3], r[k / 3][k % 3]);
}
static inline void law_scale_nodes(Lanes factor, const NodeVectors a, NodeVectors r) {
  for (int k = 0; k < 12; k++) r[k / 3][k % 3] = factor * a[k / 3][k % 3];
}

/* ---- Ogden ---- */

/* J^(-alpha1/3) C^m as the polynomial M I + K A + G (A^2 - half^2 I), A = C - mean I, with the
 * values f of mean + gap and mean +- half. No directions are needed. Where values are near each
 * other the errors of K and G are large, and small what they are factors of. A negative power is
 * one of C^-1: errors are relative to the largest value, which must be that of the largest
 * number. */
typedef struct LawPower {
  bool inverse;
  Lanes exponent, a[9], value[3], log[3], f[3];
  LaneSpectrum s;
  LaneBits near, apart; /* the inner two; the outer one from them */
  Lanes inner, outer;   /* 1 / (2 half); 1 / (gap^2 - half^2), or 0 */
} LawPower;

static inline void law_power(const LawPoint *x, double m, Lanes shift, LawPower *r) {
  const Lanes zero = lanes_set(0), one = lanes_set(1);
  r->inverse = m < 0;
  r->exponent = lanes_set(fabs(m));
  const Lanes *c = r->inverse ? x->ci : x->c;
  const LaneSpectrum s = lanes_spectrum(c);
  const Lanes value[3] = {s.mean + s.gap, s.mean + s.half, s.mean - s.half};
  for (int i = 0; i < 3; i++) {
    r->value[i] = value[i];
    r->log[i] = lanes_log(value[i]);
    r->f[i] = lanes_exp(r->exponent * r->log[i] - shift);
  }
  const Lanes below = lanes_madd(s.gap, s.gap, -(s.half * s.half));
  r->s = s;
  r->near = lanes_less(s.half, lanes_set(1e-7) * s.mean);
  r->apart = lanes_less(zero, below);
  r->inner = lanes_set(0.5) / lanes_select(r->near, one, s.half);
  r->outer = lanes_select(r->apart, one / lanes_select(r->apart, below, one), zero);
  for (int k = 0; k < 9; k++) r->a[k] = c[law_at[k]];
  for (int k = 0; k < 9; k += 4) r->a[k] = r->a[k] - s.mean;
}

/* The six numbers of the power, and the trace of its product with C. */
static inline Lanes law_power_sum(const LawPower *r, Lanes *power) {
  const Lanes half = lanes_set(0.5), zero = lanes_set(0), *f = r->f, *a = r->a;
  const Lanes middle = half * (f[1] + f[2]);
  // the divided difference of the inner two, or the derivative
  const Lanes slope =
      lanes_select(r->near, r->exponent * middle / r->s.mean, r->inner * (f[1] - f[2]));
  const Lanes bend = r->outer * lanes_madd(slope, -r->s.gap, f[0] - middle);
  for (int k = 0; k < 6; k++) {
    const Lanes *u = a + 3 * law_pair[k][0], *w = a + 3 * law_pair[k][1];
    Lanes square = lanes_dot3(u, w);
    if (k < 3) square = lanes_madd(r->s.half, -r->s.half, square);
    const Lanes rest = lanes_madd(bend, square, slope * a[3 * law_pair[k][0] + law_pair[k][1]]);
    power[k] = rest + (k < 3 ? middle : zero);
  }
  if (r->inverse) return f[0] / r->value[0] + f[1] / r->value[1] + f[2] / r->value[2];
  return lanes_dot3(f, r->value);
}

/* (f_j - f_i) / (value_j - value_i); where f are near each other by
 *   f_j - f_i = f_i (e^u - 1), u = exponent ln(value_j / value_i). */
static inline Lanes law_divided(const LawPower *r, int i, int j) {
  const Lanes one = lanes_set(1), a = r->value[j], b = r->value[i];
  const Lanes sum = one / (a + b), difference = a - b, h = difference * sum, z = h * h;
  const LaneBits close = lanes_less(z, lanes_set(0.029));
  const LaneBits same = ~(lanes_less(a, b) | lanes_less(b, a));
  const Lanes quotient = one / lanes_select(same, one, difference);
  const Lanes slope = r->exponent * lanes_select(close, (sum + sum) * lanes_atanh_ratio(z),
                                                 (r->log[j] - r->log[i]) * quotient);
  const Lanes u = slope * difference;
  const Lanes ratio = lanes_madd(u, lanes_polynomial(u, lanes_late_factorials, 12), one);
  const LaneBits small = lanes_less(lanes_abs(u), lanes_set(0.35));
  return lanes_select(small, r->f[i] * slope * ratio, (r->f[j] - r->f[i]) * quotient);
}

/* The derivative of the power: with divided differences g of f and projectors E to directions,
 *   dP = sum g_ij E_i dC E_j = sum phi_ab A_a dC A_b, A_0 = I, A_1 = A, A_2 = A^2 - half^2 I,
 * with the polynomial of two values that interpolates g. phi: 00, 10, 20, 11, 21, 22. Where the
 * inner values are near each other derivatives take the place of differences. */
static inline void law_power_slopes(const LawPower *r, Lanes *phi) {
  const Lanes half = lanes_set(0.5), one = lanes_set(1), zero = lanes_set(0), gap = r->s.gap;
  Lanes own[3];
  for (int i = 0; i < 3; i++) own[i] = r->exponent * r->f[i] / r->value[i];
  const Lanes g01 = law_divided(r, 1, 0), g02 = law_divided(r, 2, 0), g12 = law_divided(r, 2, 1);
  const Lanes outer = half * (g01 + g02); // at the outer value and the middle
  const Lanes second = half * (r->exponent - one) * g12 / r->s.mean;
  const LaneBits all = lanes_less(lanes_abs(gap), lanes_set(1e-6) * r->s.mean);
  const Lanes beside =
      lanes_select(all, second, (outer - g12) / lanes_select(all, one, gap)); // of `outer`
  const Lanes bent = r->inner * r->inner * ((own[1] - g12) - (g12 - own[2]));
  phi[0] = half * (half * (own[1] + own[2]) + g12);
  phi[1] = lanes_select(r->near, second, half * r->inner * (own[1] - own[2]));
  phi[2] = r->outer * lanes_madd(phi[1], -gap, outer - phi[0]);
  phi[3] = lanes_select(r->near, zero, bent);
  const Lanes slope = lanes_select(r->near, beside, r->inner * (g01 - g02));
  phi[4] = r->outer * lanes_madd(phi[3], -gap, slope - phi[1]);
  const Lanes bend = r->outer * lanes_madd(slope, -gap, own[0] - outer);
  phi[5] = r->outer * lanes_madd(phi[4], -gap, bend - phi[2]);
}

/* S; gp = J^(-alpha1/3) C^m, and the trace t of its product with C. */
static inline void law_ogden(LawPoint *x, LawPower *r, Lanes *gp, Lanes *t) {
  enum { MU1, ALPHA1, K0 };
  const double alpha = x->p[ALPHA1];
  const Lanes scale = lanes_set(x->p[MU1] / alpha), k0 = lanes_set(x->p[K0]);
  law_power(x, alpha / 2 - 1, lanes_set(alpha / 3) * x->l, r);
  *t = law_power_sum(r, gp);
  for (int k = 0; k < 6; k++)
    x->s[k] = lanes_madd(scale, gp[k] - *t * lanes_set(1.0 / 3) * x->ci[k], k0 * x->l * x->ci[k]);
}

/* Vectors of nodes, times -V where they have a factor: v of D's terms with C^-1, p = F gp g,
 * alpha_a = F A_a W g and psi_b = sum phi_ab alpha_a, W = I or C^-1 for a negative power; and
 * lambda_b = sum phi_ab F A_a W F^T. */
typedef struct OgdenVectors {
  NodeVectors h, p, v, eh, alpha[3], psi[3];
  Lanes lambda[3][9];
} OgdenVectors;

static const uint8_t ogden_phi[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};

static inline void ogden_powers(const TetraLanes *t, const LawPower *r, const Lanes *phi,
                                OgdenVectors *o) {
  const Lanes zero = lanes_set(0), square = -(r->s.half * r->s.half);
  Lanes power[3][9], left[3][9];
  if (r->inverse) lanes_inverse_transposed(t->f, power[0]);
  for (int k = 0; k < 9; k++) power[0][k] = r->inverse ? power[0][k] : t->f[k];
  for (int b = 1; b < 3; b++) {
    for (int k = 0; k < 9; k++)
      power[b][k] = lanes_dot3(power[b - 1] + k / 3 * 3, r->a + k % 3 * 3); // A is symmetric
  }
  for (int k = 0; k < 9; k++) power[2][k] = lanes_madd(square, power[0][k], power[2][k]);
  for (int b = 0; b < 3; b++) {
    of_nodes(power[b], (const Lanes(*)[3])t->g, o->alpha[b]);
    for (int k = 0; k < 9; k++) {
      left[b][k] = lanes_dot3(power[b] + k / 3 * 3, t->f + k % 3 * 3);
      o->lambda[b][k] = zero;
    }
  }
  for (int b = 0; b < 3; b++) {
    law_scale_nodes(phi[ogden_phi[0][b]], o->alpha[0], o->psi[b]);
    for (int a = 0; a < 3; a++) {
      if (a > 0) law_add_nodes(phi[ogden_phi[a][b]], o->alpha[a], o->psi[b]);
      for (int k = 0; k < 9; k++)
        o->lambda[b][k] = lanes_madd(phi[ogden_phi[a][b]], left[a][k], o->lambda[b][k]);
    }
  }
}

static inline void ogden_vectors(const LawPoint *x, const TetraLanes *t, OgdenVectors *o,
                                 Lanes *scale) {
  enum { MU1, ALPHA1, K0 };
  const double alpha = x->p[ALPHA1];
  const Lanes k0 = lanes_set(x->p[K0]), factor = -t->volume;
  LawPoint at = *x;
  LawPower r;
  Lanes gp[6], trace, phi[6];
  law_ogden(&at, &r, gp, &trace);
  law_power_slopes(&r, phi);
  *scale = factor * lanes_set(x->p[MU1] / alpha);
  for (int k = 0; k < 6; k++) phi[k] = (r.inverse ? -*scale : *scale) * phi[k];
  const Lanes part = *scale * trace;
  law_inverse_turn(t, o->h);
  law_turn(t, gp, o->p);
  law_scale_nodes(lanes_set(1.0 / 3) * part - factor * k0 * x->l, o->h, o->eh);
  law_scale_nodes(lanes_set(0.5) * lanes_madd(part, lanes_set(alpha / 9), factor * k0), o->h, o->v);
  law_add_nodes(-(lanes_set(alpha / 3) * *scale), o->p, o->v);
  ogden_powers(t, &r, phi, o);
}

/* The parts of S and of D with C^-1 times I have the sum 0. */
static void ogden_edges(const LawPoint *x, const TetraLanes *t, const BlocksTo *out) {
  OgdenVectors o;
  Lanes scale;
  ogden_vectors(x, t, &o, &scale);
  for (int e = 0; e < SOFA_HYPER_EDGES; e++) {
    const int n = edge_nodes[e][0], m = edge_nodes[e][1];
    Lanes block[9];
    set_diagonal(scale * lanes_dot3(o.h[n], o.p[m]), block);
    add_dyad(o.h[n], o.v[m], block);
    add_dyad(o.v[n], o.h[m], block);
    add_dyad(o.h[m], o.eh[n], block);
    for (int b = 0; b < 3; b++) {
      const Lanes with = lanes_dot3(o.h[m], o.alpha[b][n]);
      for (int k = 0; k < 9; k++) block[k] = lanes_madd(with, o.lambda[b][k], block[k]);
      add_dyad(o.psi[b][m], o.alpha[b][n], block);
    }
    give_block(block, e, out);
  }
}

/* ---- Costa ---- */

enum { COSTA_A, COSTA_K0, COSTA_BFF, COSTA_BFS, COSTA_BSS, COSTA_BFN, COSTA_BSN, COSTA_BNN };
static const uint8_t costa_place[6] = {COSTA_BFF, COSTA_BSS, COSTA_BNN,
                                       COSTA_BFS, COSTA_BSN, COSTA_BFN};

/* be: of E with the factors b, q = be : E, and the derivative of W's first term by q; S. */
typedef struct CostaTerms {
  Lanes be[6], q, g, scale;
} CostaTerms;

static inline void law_costa(LawPoint *x, CostaTerms *r) {
  const Lanes k0 = lanes_set(x->p[COSTA_K0]), jl = x->j * x->l, *ci = x->ci;
  r->q = lanes_set(0);
  for (int i = 0; i < 6; i++) {
    const Lanes e = lanes_set(0.5) * (x->c[i] - lanes_set(i < 3));
    r->be[i] = lanes_set(x->p[costa_place[i]]) * e;
    r->q = lanes_madd(lanes_set(i < 3 ? 1 : 2) * e, r->be[i], r->q);
  }
  r->g = lanes_exp(lanes_set(-4.0 / 3) * x->l);
  r->scale = lanes_set(x->p[COSTA_A]) * r->g * lanes_exp(r->g * r->q);
  for (int i = 0; i < 6; i++) {
    const Lanes part = r->be[i] - lanes_set(2.0 / 3) * r->q * ci[i];
    x->s[i] = lanes_madd(r->scale, part, k0 * jl * ci[i]);
  }
}

/* Vectors of nodes: h, beta = F be g, tau = beta - 2/3 q h; times -V those with a factor, v of D's
 * terms with C^-1; strains and those times a diagonal. */
typedef struct CostaVectors {
  NodeVectors h, beta, tau, v, eh, stretch;
  Lanes b[4][18], db[4][18];
} CostaVectors;

/* tau and v and what the dyads have beside them; with_i: what h_n . h_m I has. */
static inline void costa_dyads(const LawPoint *x, const CostaTerms *r, Lanes factor,
                               CostaVectors *o, Lanes *with_i) {
  const Lanes k0 = lanes_set(x->p[COSTA_K0]), jl = x->j * x->l;
  const Lanes last = x->unscaled ? lanes_set(1) : k0, scale = factor * r->scale;
  const Lanes third = lanes_set(2.0 / 3) * r->q;
  // half the factor of C^-1 dE C^-1
  const Lanes square = lanes_madd(scale, third, -(factor * last * jl));
  *with_i = square + (factor * k0 * jl - scale * third);
  law_scale_nodes(-third, o->h, o->tau);
  law_add_nodes(lanes_set(1), o->beta, o->tau);
  law_scale_nodes((scale + scale) * r->g, o->tau, o->stretch);
  law_scale_nodes(square, o->h, o->eh);
  const Lanes volume = lanes_madd(scale * lanes_set(8.0 / 9), r->q, factor * k0 * (x->j + jl));
  law_scale_nodes(lanes_set(0.5) * volume, o->h, o->v);
  law_add_nodes(-(lanes_set(4.0 / 3) * scale), o->beta, o->v);
}

static inline void costa_vectors(const LawPoint *x, const CostaTerms *r, const TetraLanes *t,
                                 CostaVectors *o, Lanes *with_i) {
  const Lanes factor = -t->volume, scale = factor * r->scale;
  law_inverse_turn(t, o->h);
  law_turn(t, r->be, o->beta);
  costa_dyads(x, r, factor, o, with_i);
  strains_of_moves(t, o->b);
  for (int i = 0; i < 6; i++) {
    const Lanes own = scale * lanes_set(x->p[costa_place[i]] * (i < 3 ? 1 : 0.5));
    for (int n = 1; n < 4; n++)
      for (int k = 3 * i; k < 3 * i + 3; k++) o->db[n][k] = own * o->b[n][k];
  }
}

static void costa_edges(const LawPoint *x, const TetraLanes *t, const BlocksTo *out) {
  LawPoint at = *x;
  CostaTerms r;
  CostaVectors o;
  Lanes with_i;
  law_costa(&at, &r);
  costa_vectors(x, &r, t, &o, &with_i);
  const Lanes scale = -(t->volume * r.scale);
  for (int e = 0; e < SOFA_HYPER_EDGES; e++) {
    const int n = edge_nodes[e][0], m = edge_nodes[e][1];
    Lanes block[9];
    set_diagonal(
        lanes_madd(scale, lanes_dot3(o.h[n], o.beta[m]), with_i * lanes_dot3(o.h[n], o.h[m])),
        block);
    add_dyad(o.h[n], o.v[m], block);
    add_dyad(o.v[n], o.h[m], block);
    add_dyad(o.h[m], o.eh[n], block);
    add_dyad(o.tau[n], o.stretch[m], block);
    add_strains(o.b[n], o.db[m], block);
    give_block(block, e, out);
  }
}

static inline void law_respond(const SofaHyperMaterial *material, LawPoint *x) {
  LawPower power;
  CostaTerms terms;
  Lanes gp[6], t;
  if (material == &sofa_ogden) law_ogden(x, &power, gp, &t);
  else law_costa(x, &terms);
}

static inline void law_edges(const SofaHyperMaterial *material, const LawPoint *x,
                             const TetraLanes *t, const BlocksTo *out) {
  if (material == &sofa_ogden) ogden_edges(x, t, out);
  else costa_edges(x, t, out);
}

#endif
