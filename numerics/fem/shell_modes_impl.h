/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Forces of shell elements by the modes of their positions and directors, for a kind of real: the
 * includer defines
 *   Real               double, or lanes of them,
 *   FORM, FORM_CALLED  how functions are inlined, and those that are called several times,
 *   real_set(double), real_madd(a, b, c) = a b + c, real_inverse(n), 1 / n or 0 for n = 0,
 *   real_of(rest, k)   number k of a SofaShellModes or SofaShellTriangleModes,
 *   real_put(out, k, value)   what becomes of a result.
 * n: nodes of the element. With c_m = sum V_mi x_i and e_m = sum V_mi d_i, m of n - 1 modes, which
 * do not see translations, W has the terms 1/2 E.D E + 1/2 K.D' K of the membrane and of bending,
 *   E_mk = c_m.c_k, 1/2 c_m.c_m;   K_mk = c_m.e_k + c_k.e_m, c_m.e_m,
 * those of edges, g = (x_b - x_a).(d_a + d_b), and of drilling, w = t_2.x,1 - t_1.x,2, each less
 * its value at rest, and with matrices that do not change. */
#ifndef SOFA_NUMERICS_FEM_SHELL_MODES_H
#define SOFA_NUMERICS_FEM_SHELL_MODES_H

#include <stddef.h>
#include "numerics/fem/shell_element.h"

enum {
  SHELL_NODES = SOFA_SHELL_NODES,
  SHELL_MODES = SOFA_SHELL_MODES,
  SHELL_PAIRS = SOFA_SHELL_MODE_PAIRS
};
enum { DIRECTOR = 0, FIRST, SECOND, VECTORS };

#define SHELL_AT(n, field)                                                                         \
  ((n) == 4 ? offsetof(SofaShellModes, field) / sizeof(double)                                     \
            : offsetof(SofaShellTriangleModes, field) / sizeof(double))

/* The shear strains between these nodes are those of the element. */
static const unsigned shell_edges[2][4][2] = {{{0, 1}, {0, 2}, {1, 2}, {0, 0}},
                                              {{0, 1}, {3, 2}, {0, 3}, {1, 2}}};
/* V of triangles and of quadrilaterals. */
static const double shell_signs[2][SHELL_MODES][SHELL_NODES] = {
    {{-1, 1, 0, 0}, {-1, 0, 1, 0}, {0, 0, 0, 0}}, {{-1, 1, 1, -1}, {-1, -1, 1, 1}, {1, -1, 1, -1}}};
/* The differences of edges in modes: twice those of quadrilaterals. */
static const double shell_edge_signs[2][SHELL_NODES][SHELL_MODES] = {
    {{1, 0, 0}, {0, 1, 0}, {-1, 1, 0}, {0, 0, 0}}, {{1, 0, -1}, {1, 0, 1}, {0, 1, -1}, {0, 1, 1}}};

/* ---- vectors ---- */

FORM Real form_dot(const Real *a, const Real *b) {
  return real_madd(a[2], b[2], real_madd(a[1], b[1], a[0] * b[0]));
}
FORM void form_axpy(Real f, const Real *v, Real *r) {
  for (int i = 0; i < 3; i++) r[i] = real_madd(f, v[i], r[i]);
}
FORM void form_scale(Real f, const Real *v, Real *r) {
  for (int i = 0; i < 3; i++) r[i] = f * v[i];
}
FORM void form_cross(const Real *a, const Real *b, Real *r) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    r[i] = real_madd(a[j], b[k], -(a[k] * b[j]));
  }
}
/* r += a x b */
FORM void form_add_cross(const Real *a, const Real *b, Real *r) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    r[i] = real_madd(a[j], b[k], real_madd(-a[k], b[j], r[i]));
  }
}
FORM void form_clear(size_t n, Real *r) {
  for (size_t i = 0; i < n; i++) r[i] = real_set(0);
}
/* r = a + sign b */
FORM void form_sum(size_t n, const Real *a, double sign, const Real *b, Real *r) {
  for (size_t i = 0; i < n; i++) r[i] = sign > 0 ? a[i] + b[i] : a[i] - b[i];
}

/* The place of (row, column) or (column, row) in a lower half packed by rows. */
FORM size_t shell_pair(size_t row, size_t column) {
  return row < column ? column * (column + 1) / 2 + row : row * (row + 1) / 2 + column;
}

/* V v */
FORM void shell_to_modes(unsigned n, const Real (*v)[3], Real (*m)[3]) {
  for (int i = 0; i < 3; i++) {
    if (n == 4) {
      const Real u = v[2][i] - v[0][i], w = v[1][i] - v[3][i];
      m[0][i] = u + w;
      m[1][i] = u - w;
      m[2][i] = (v[0][i] - v[1][i]) + (v[2][i] - v[3][i]);
    } else {
      for (int k = 0; k < 2; k++) m[k][i] = v[k + 1][i] - v[0][i];
    }
  }
}

/* Number i of nodes and modes of `width` reals: V^T m. step: from a mode to the next. */
FORM void shell_to_nodes(unsigned n, size_t width, const Real *m, size_t step, Real *v) {
  for (size_t i = 0; i < width; i++) {
    const Real sum = m[i] + m[step + i];
    if (n == 4) {
      const Real other = m[i] - m[step + i], third = m[2 * step + i];
      v[i] = third - sum;
      v[width + i] = other - third;
      v[2 * width + i] = third + sum;
      v[3 * width + i] = -(other + third);
    } else {
      v[i] = -sum;
      v[width + i] = m[i];
      v[2 * width + i] = m[step + i];
    }
  }
}

/* ---- configurations ---- */

/* Modes and vectors; differences of edges, sums of their directors; x,a and t_k where drilling is
 * evaluated: at the points of a quadrilateral, at the nodes of a triangle, which has one x,a. */
typedef struct ShellNow {
  Real c[SHELL_MODES][3], e[SHELL_MODES][3], s[VECTORS][SHELL_NODES][3];
  Real difference[SHELL_NODES][3], sum[SHELL_NODES][3];
  Real x[SHELL_NODES][2][3], t[2][SHELL_NODES][3];
} ShellNow;

/* N_j at point p. */
FORM double shell_shape(unsigned p, unsigned j) {
  const double near = 0.78867513459481288, far = 0.21132486540518712; // (1 +- 1/sqrt(3)) / 2
  const double r = (p == 0 || p == 3) == (j == 0 || j == 3) ? near : far;
  return r * ((p < 2) == (j < 2) ? near : far);
}

/* Rotation of a quaternion of any length. */
FORM void form_matrix(const Real *q, Real *r) {
  const Real f = real_set(2) * real_inverse(real_madd(q[3], q[3], form_dot(q, q)));
  const Real g[3] = {f * q[0], f * q[1], f * q[2]}, one = real_set(1);
  const Real xx = g[0] * q[0], yy = g[1] * q[1], zz = g[2] * q[2];
  r[0] = one - (yy + zz);
  r[4] = one - (xx + zz);
  r[8] = one - (xx + yy);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const Real turn = g[i] * q[3], both = g[j] * q[k];
    r[3 * j + k] = both - turn;
    r[3 * k + j] = both + turn;
  }
}

FORM void shell_vectors(unsigned n, const double *rest, const Real (*poses)[7], ShellNow *out) {
  Real x[SHELL_NODES][3];
  for (unsigned i = 0; i < n; i++) {
    Real r[9];
    form_matrix(poses[i] + 3, r);
    for (int k = 0; k < 3; k++) x[i][k] = poses[i][k];
    for (int k = 0; k < VECTORS; k++) {
      Real v[3];
      for (unsigned a = 0; a < 3; a++)
        v[a] = real_of(rest, SHELL_AT(n, vector) + (n * (unsigned)k + i) * 3 + a);
      for (int a = 0; a < 3; a++) out->s[k][i][a] = form_dot(r + 3 * a, v);
    }
  }
  shell_to_modes(n, (const Real(*)[3])x, out->c);
  shell_to_modes(n, (const Real(*)[3])out->s[DIRECTOR], out->e);
}

/* The difference of edge k, and twice that of a quadrilateral. */
FORM void shell_difference(unsigned n, const Real (*c)[3], unsigned k, Real *d) {
  for (int i = 0; i < 3; i++) {
    if (n == 4) d[i] = k % 2 ? c[k / 2][i] + c[2][i] : c[k / 2][i] - c[2][i];
    else if (k == 2) d[i] = c[1][i] - c[0][i];
    else d[i] = c[k][i];
  }
}

FORM void shell_edges_now(unsigned n, ShellNow *out) {
  for (unsigned k = 0; k < n; k++) {
    const unsigned *v = shell_edges[n == 4][k];
    form_sum(3, out->s[DIRECTOR][v[0]], 1, out->s[DIRECTOR][v[1]], out->sum[k]);
    shell_difference(n, (const Real(*)[3])out->c, k, out->difference[k]);
  }
}

FORM Real shell_slope(unsigned n, const double *rest, unsigned point, unsigned axis,
                      unsigned mode) {
  return real_of(rest, SHELL_AT(n, slope) + (2 * point + axis) * (n - 1) + mode);
}

FORM void shell_points_now(unsigned n, const double *rest, ShellNow *out) {
  for (unsigned p = 0; p < (n == 4 ? n : 1); p++) {
    for (unsigned a = 0; a < 2; a++) {
      form_scale(shell_slope(n, rest, p, a, 0), out->c[0], out->x[p][a]);
      for (unsigned m = 1; m < n - 1; m++)
        form_axpy(shell_slope(n, rest, p, a, m), out->c[m], out->x[p][a]);
    }
  }
  for (unsigned p = 0; p < n; p++) {
    for (int k = 0; k < 2; k++) {
      Real *t = out->t[k][p];
      form_scale(real_set(n == 4 ? shell_shape(p, 0) : p == 0), out->s[FIRST + k][0], t);
      for (unsigned j = 1; j < n; j++)
        form_axpy(real_set(n == 4 ? shell_shape(p, j) : p == j), out->s[FIRST + k][j], t);
    }
  }
}

FORM void shell_now(unsigned n, const double *rest, const Real (*poses)[7], ShellNow *out) {
  shell_vectors(n, rest, poses, out);
  shell_edges_now(n, out);
  shell_points_now(n, rest, out);
}

/* The slopes' place of a point where drilling is evaluated. */
FORM unsigned shell_slopes_of(unsigned n, unsigned point) {
  return n == 4 ? point : 0;
}

/* ---- stresses ---- */

/* Derivatives of W by E, K, g and w; of strains, where nothing is multiplied yet. */
typedef struct ShellStress {
  Real membrane[SHELL_PAIRS], bending[SHELL_PAIRS], shear[SHELL_NODES], drilling[SHELL_NODES];
} ShellStress;

FORM void shell_strains(unsigned n, const ShellNow *now, ShellStress *out) {
  for (unsigned m = 0; m < n - 1; m++) {
    for (unsigned k = 0; k < m; k++) {
      out->membrane[shell_pair(m, k)] = form_dot(now->c[m], now->c[k]);
      out->bending[shell_pair(m, k)] =
          form_dot(now->c[m], now->e[k]) + form_dot(now->c[k], now->e[m]);
    }
    out->membrane[shell_pair(m, m)] = real_set(0.5) * form_dot(now->c[m], now->c[m]);
    out->bending[shell_pair(m, m)] = form_dot(now->c[m], now->e[m]);
  }
  for (unsigned k = 0; k < n; k++) {
    const Real(*x)[3] = now->x[shell_slopes_of(n, k)];
    out->shear[k] = form_dot(now->difference[k], now->sum[k]);
    out->drilling[k] = form_dot(now->t[1][k], x[0]) - form_dot(now->t[0][k], x[1]);
  }
}

/* s = D e, D packed from `first` on. */
FORM void shell_apply(const double *rest, size_t first, size_t size, const Real *e, Real *s) {
  for (size_t i = 0; i < size; i++) {
    s[i] = real_of(rest, first + shell_pair(i, 0)) * e[0];
    for (size_t j = 1; j < size; j++)
      s[i] = real_madd(real_of(rest, first + shell_pair(i, j)), e[j], s[i]);
  }
}

/* Of a triangle, with the mass matrix of its shape functions. */
FORM void shell_apply_drilling(unsigned n, const double *rest, const Real *e, Real *s) {
  Real all = real_set(0);
  if (n == 3) all = e[0] + e[1] + e[2];
  for (size_t k = 0; k < n; k++) {
    const Real weight = real_of(rest, SHELL_AT(n, drilling) + k);
    if (n == 3) s[k] = weight * (e[k] + all);
    else s[k] = weight * e[k];
  }
}

FORM void shell_less_rest(const double *rest, size_t first, size_t size, Real *e) {
  for (size_t k = 0; k < size; k++) e[k] = e[k] - real_of(rest, first + k);
}

FORM void shell_stresses(unsigned n, const double *rest, const ShellNow *now, ShellStress *out) {
  const size_t pairs = n == 4 ? 6 : 3;
  ShellStress e;
  shell_strains(n, now, &e);
  shell_less_rest(rest, SHELL_AT(n, rest_membrane), pairs, e.membrane);
  shell_less_rest(rest, SHELL_AT(n, rest_bending), pairs, e.bending);
  shell_less_rest(rest, SHELL_AT(n, rest_shear), n, e.shear);
  shell_less_rest(rest, SHELL_AT(n, rest_drilling), n, e.drilling);
  shell_apply(rest, SHELL_AT(n, membrane), pairs, e.membrane, out->membrane);
  shell_apply(rest, SHELL_AT(n, bending), pairs, e.bending, out->bending);
  shell_apply(rest, SHELL_AT(n, shear), n, e.shear, out->shear);
  shell_apply_drilling(n, rest, e.drilling, out->drilling);
}

/* ---- first derivative ---- */

/* The part of d2W / dc_m ds_j with the stresses is f I for each kind of vector. */
typedef Real ShellFactors[SHELL_MODES][VECTORS][SHELL_NODES];

FORM void bending_factors(unsigned n, const ShellStress *stress, ShellFactors f) {
  for (unsigned m = 0; m < n - 1; m++) {
    Real of_modes[SHELL_MODES];
    for (unsigned k = 0; k < n - 1; k++) of_modes[k] = stress->bending[shell_pair(m, k)];
    shell_to_nodes(n, 1, of_modes, 1, f[m][DIRECTOR]);
  }
  for (unsigned k = 0; k < n; k++) {
    for (unsigned m = 0; m < n - 1; m++) {
      const double sign = shell_edge_signs[n == 4][k][m];
      for (unsigned end = 0; sign != 0 && end < 2; end++) {
        Real *to = &f[m][DIRECTOR][shell_edges[n == 4][k][end]];
        *to = sign > 0 ? *to + stress->shear[k] : *to - stress->shear[k];
      }
    }
  }
}

FORM void drilling_factors(unsigned n, const double *rest, const ShellStress *stress,
                           ShellFactors f) {
  for (unsigned m = 0; m < n - 1; m++) {
    for (unsigned a = 0; a < 2; a++) {
      Real *to = f[m][a ? FIRST : SECOND];
      if (n == 4) form_clear(n, to);
      for (unsigned p = 0; p < n; p++) {
        const Real slope = shell_slope(n, rest, shell_slopes_of(n, p), a, m) * stress->drilling[p];
        const Real own = real_set(a ? -1 : 1) * slope;
        if (n == 3) to[p] = own;
        for (unsigned j = 0; n == 4 && j < n; j++)
          to[j] = real_madd(real_set(shell_shape(p, j)), own, to[j]);
      }
    }
  }
}

/* z_mj: with them the derivative by c_m is sum_j z_mj, less that of the membrane, and the torque of
 * a node sum_m z_mj x c_m. */
typedef Real ShellLevers[SHELL_MODES][SHELL_NODES][3];

FORM void shell_levers(unsigned n, const double *rest, const ShellNow *now,
                       const ShellStress *stress, ShellLevers z) {
  ShellFactors f;
  bending_factors(n, stress, f);
  drilling_factors(n, rest, stress, f);
  for (unsigned m = 0; m < n - 1; m++) {
    for (unsigned j = 0; j < n; j++) {
      form_scale(f[m][DIRECTOR][j], now->s[DIRECTOR][j], z[m][j]);
      for (int k = FIRST; k < VECTORS; k++) form_axpy(f[m][k][j], now->s[k][j], z[m][j]);
    }
  }
}

/* 6 per node */
FORM void shell_gradient(unsigned n, const double *rest, const Real (*poses)[7], double *out) {
  ShellNow now;
  ShellStress stress;
  ShellLevers z;
  Real by_mode[SHELL_MODES][3], by_node[SHELL_NODES][3];
  shell_now(n, rest, poses, &now);
  shell_stresses(n, rest, &now, &stress);
  shell_levers(n, rest, &now, &stress, z);
  for (unsigned m = 0; m < n - 1; m++) {
    form_sum(3, z[m][0], 1, z[m][1], by_mode[m]);
    for (unsigned j = 2; j < n; j++) form_sum(3, by_mode[m], 1, z[m][j], by_mode[m]);
    for (unsigned k = 0; k < n - 1; k++)
      form_axpy(stress.membrane[shell_pair(m, k)], now.c[k], by_mode[m]);
  }
  shell_to_nodes(n, 3, by_mode[0], 3, by_node[0]);
  for (unsigned j = 0; j < n; j++) {
    Real torque[3];
    form_cross(z[0][j], now.c[0], torque);
    for (unsigned m = 1; m < n - 1; m++) form_add_cross(z[m][j], now.c[m], torque);
    for (unsigned i = 0; i < 3; i++) {
      real_put(out, 6 * j + i, by_node[j][i]);
      real_put(out, 6 * j + 3 + i, torque[i]);
    }
  }
}

#endif
