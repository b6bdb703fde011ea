/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Derivatives of the energy of shell elements, for a kind of real as shell_strains_impl.h. With the
 * vectors s_j = R_j v of the nodes, the derivative of a strain is a sum of scalars times x_i and
 * s_j; the derivatives of s_j along a rotation vector p are p x s_j and p x (p x s_j). */
#ifndef SOFA_NUMERICS_FEM_SHELL_DERIVATIVES_H
#define SOFA_NUMERICS_FEM_SHELL_DERIVATIVES_H

#include "numerics/fem/shell_strains_impl.h"

/* ---- first derivative ---- */

/* W' = sum a_ij x_j . dx_i + sum b_ij (s_j . dx_i + x_i . ds_j), b of each kind of vector. */
typedef struct ShellPairs {
  Real a[SHELL_NODES][SHELL_NODES], b[VECTORS][SHELL_NODES][SHELL_NODES];
} ShellPairs;

/* s: stresses times the area of the point */
FORM void pairs_of_surface(unsigned n, const ShellPointOf *p, const Real *s, ShellPairs *out) {
  const Real drilling = real_set(0.5) * s[8];
  for (unsigned i = 0; i < n; i++) {
    for (unsigned j = 0; j < n; j++) {
      const Real *u = p->slope[i], *w = p->slope[j];
      const Real one = u[0] * w[0], two = u[1] * w[1], both = real_madd(u[0], w[1], u[1] * w[0]);
      Real *a = &out->a[i][j], *b = &out->b[DIRECTOR][i][j];
      Real *first = &out->b[FIRST][i][j], *second = &out->b[SECOND][i][j];
      *a = real_madd(one, s[0], real_madd(two, s[1], real_madd(both, s[2], *a)));
      *b = real_madd(one, s[3], real_madd(two, s[4], real_madd(both, s[5], *b)));
      *second = real_madd(drilling * u[0], p->shape[j], *second);
      *first = real_madd(-(drilling * u[1]), p->shape[j], *first);
    }
  }
}

FORM void pairs_of_shear(unsigned n, const ShellPointOf *p, const Real *s, ShellPairs *out) {
  for (unsigned k = 0; k < n; k++) {
    const unsigned *v = shell_edges[n == 4][k];
    const Real half = real_set(0.5) * real_madd(s[6], p->shear[k][0], s[7] * p->shear[k][1]);
    for (int end = 0; end < 2; end++) {
      Real *plus = &out->b[DIRECTOR][v[1]][v[end]], *minus = &out->b[DIRECTOR][v[0]][v[end]];
      *plus = *plus + half;
      *minus = *minus - half;
    }
  }
}

FORM void shell_pairs(unsigned n, const ShellOf *shell, const ShellDeformation *now,
                      ShellPairs *out) {
  form_clear(sizeof *out / sizeof(Real), &out->a[0][0]);
  for (unsigned i = 0; i < n; i++) {
    Real force[SHELL_STRAINS];
    for (int k = 0; k < SHELL_STRAINS; k++) force[k] = shell->point[i].area * now->stress[i][k];
    pairs_of_surface(n, &shell->point[i], force, out);
    pairs_of_shear(n, &shell->point[i], force, out);
  }
}

/* Derivatives of W by x_i, and by the vectors of kind k of node j. */
FORM void by_position(unsigned n, const ShellPairs *pairs, const ShellPose *pose, unsigned i,
                      Real *g) {
  form_clear(3, g);
  for (unsigned j = 0; j < n; j++) {
    form_axpy(pairs->a[i][j], pose->x[j], g);
    for (int k = 0; k < VECTORS; k++) form_axpy(pairs->b[k][i][j], pose->s[k][j], g);
  }
}
/* kj: the kind and the node */
FORM void by_vector(unsigned n, const ShellPairs *pairs, const ShellPose *pose, const unsigned *kj,
                    Real *g) {
  form_clear(3, g);
  for (unsigned i = 0; i < n; i++) form_axpy(pairs->b[kj[0]][i][kj[1]], pose->x[i], g);
}

/* g: 6 n */
FORM void shell_gradient(unsigned n, const ShellOf *shell, const Real (*poses)[7], Real *g) {
  ShellPairs pairs;
  ShellDeformation now;
  shell_deform(n, shell, poses, &now);
  shell_pairs(n, shell, &now, &pairs);
  for (unsigned i = 0; i < n; i++) {
    Real *torque = g + 6 * i + 3, v[3], turn[3];
    by_position(n, &pairs, &now.pose, i, g + 6 * i);
    form_clear(3, torque);
    for (unsigned k = 0; k < VECTORS; k++) {
      by_vector(n, &pairs, &now.pose, (unsigned[]){k, i}, v);
      form_cross(now.pose.s[k][i], v, turn);
      for (int c = 0; c < 3; c++) torque[c] = torque[c] + turn[c];
    }
  }
}

/* ---- second derivative ---- */

typedef Real ShellRows[SHELL_STRAINS][SOFA_SHELL_FREEDOMS]; /* derivatives of a point's strains */

FORM void add_turn(const Real *s, Real f, const Real *v, Real *row) {
  Real turn[3];
  form_cross(s, v, turn);
  form_axpy(f, turn, row + 3);
}

FORM void surface_rows(const ShellPointOf *p, const ShellPose *pose, const ShellLocal *l,
                       unsigned node, ShellRows rows) {
  const Real *u = p->slope[node], *d = pose->s[DIRECTOR][node], half = real_set(0.5);
  const Real shape = half * p->shape[node];
  for (int a = 0; a < 2; a++) {
    form_axpy(u[a], l->x[a], rows[a] + 6 * node);
    form_axpy(u[a], l->x[1 - a], rows[2] + 6 * node);
    form_axpy(u[a], l->d[a], rows[3 + a] + 6 * node);
    form_axpy(u[a], l->d[1 - a], rows[5] + 6 * node);
    add_turn(d, u[a], l->x[a], rows[3 + a] + 6 * node);
    add_turn(d, u[a], l->x[1 - a], rows[5] + 6 * node);
  }
  form_axpy(half * u[0], l->t[SECOND], rows[8] + 6 * node);
  form_axpy(-(half * u[1]), l->t[FIRST], rows[8] + 6 * node);
  add_turn(pose->s[SECOND][node], shape, l->x[0], rows[8] + 6 * node);
  add_turn(pose->s[FIRST][node], -shape, l->x[1], rows[8] + 6 * node);
}

FORM void shear_rows(unsigned n, const ShellPointOf *p, const ShellPose *pose, ShellRows rows) {
  for (unsigned k = 0; k < n; k++) {
    const unsigned *v = shell_edges[n == 4][k];
    Real dx[3], d[3];
    shell_edge(pose, v, dx, d);
    for (int a = 0; a < 2; a++) {
      const Real f = p->shear[k][a];
      for (int end = 0; end < 2; end++) {
        Real *row = rows[6 + a] + 6 * v[end];
        form_axpy(end ? f : -f, d, row);
        add_turn(pose->s[DIRECTOR][v[end]], real_set(0.5) * f, dx, row);
      }
    }
  }
}

/* The place of entry (row, column) in the packed lower half. */
FORM size_t shell_entry(size_t row, size_t column) {
  return row * (row + 1) / 2 + column;
}

/* Lower half of k += area B^T C B. Rotations do not change the membrane strains. */
FORM void add_material(unsigned n, const ShellOf *shell, const ShellPointOf *p, ShellRows rows,
                       Real *k) {
  for (unsigned i = 0; i < 6 * n; i++) {
    Real e[SHELL_STRAINS], s[SHELL_STRAINS];
    for (int c = 0; c < SHELL_STRAINS; c++) e[c] = p->area * rows[c][i];
    shell_stress(shell, e, s);
    for (unsigned j = 0; j <= i; j++) {
      Real sum = k[shell_entry(i, j)];
      if (i % 6 < 3 && j % 6 < 3)
        for (int c = 0; c < 3; c++) sum = real_madd(s[c], rows[c][j], sum);
      for (int c = 3; c < SHELL_STRAINS; c++) sum = real_madd(s[c], rows[c][j], sum);
      k[shell_entry(i, j)] = sum;
    }
  }
}

/* By rotations of one node twice: sum of 1/2 (v s^T + s v^T) - (v . s) I. */
FORM void add_turn_twice(unsigned n, const ShellPairs *pairs, const ShellPose *pose, unsigned node,
                         Real *k) {
  const Real half = real_set(0.5);
  for (unsigned kind = 0; kind < VECTORS; kind++) {
    const Real *s = pose->s[kind][node];
    Real v[3];
    by_vector(n, pairs, pose, (unsigned[]){kind, node}, v);
    const Real along = form_dot(v, s);
    for (unsigned i = 0; i < 3; i++) {
      for (unsigned j = 0; j <= i; j++) {
        Real *to = k + shell_entry(6 * node + 3 + i, 6 * node + 3 + j);
        *to = *to + half * real_madd(v[i], s[j], s[i] * v[j]);
        if (i == j) *to = *to - along;
      }
    }
  }
}

/* By the position i and the rotation j: minus the cross product with sum_k b_ij s_j, in the lower
 * half. */
FORM void add_position_and_turn(const ShellPairs *pairs, const ShellPose *pose, unsigned i,
                                unsigned j, Real *k) {
  Real c[3];
  form_clear(3, c);
  for (int kind = 0; kind < VECTORS; kind++) form_axpy(-pairs->b[kind][i][j], pose->s[kind][j], c);
  for (unsigned r = 0; r < 3; r++) {
    const unsigned next = (r + 1) % 3, other = (r + 2) % 3; // entries of [c]x in row r
    const unsigned row = 6 * i + r, column = 6 * j + 3;
    Real *a = k + (i > j ? shell_entry(row, column + next) : shell_entry(column + next, row));
    Real *b = k + (i > j ? shell_entry(row, column + other) : shell_entry(column + other, row));
    *a = *a - c[other];
    *b = *b + c[next];
  }
}

FORM void add_stress(unsigned n, const ShellPairs *pairs, const ShellPose *pose, Real *k) {
  for (unsigned i = 0; i < n; i++) {
    for (unsigned j = 0; j < n; j++) {
      for (unsigned r = 0; j <= i && r < 3; r++) {
        Real *to = k + shell_entry(6 * i + r, 6 * j + r);
        *to = *to + pairs->a[i][j];
      }
      add_position_and_turn(pairs, pose, i, j, k);
    }
    add_turn_twice(n, pairs, pose, i, k);
  }
}

/* The packed lower half of the second derivative along rotation vectors. */
FORM void shell_hessian(unsigned n, const ShellOf *shell, const Real (*poses)[7], Real *k) {
  ShellPairs pairs;
  ShellRows rows[SOFA_SHELL_POINTS];
  Real *membrane_shear[SOFA_SHELL_POINTS];
  ShellDeformation now;
  shell_deform(n, shell, poses, &now);
  shell_pairs(n, shell, &now, &pairs);
  form_clear(shell_entry(6 * n, 0), k);
  for (unsigned i = 0; i < n; i++) {
    form_clear(sizeof rows[i] / sizeof(Real), rows[i][0]);
    for (unsigned j = 0; j < n; j++)
      surface_rows(&shell->point[i], &now.pose, &now.local[i], j, rows[i]);
    shear_rows(n, &shell->point[i], &now.pose, rows[i]);
    membrane_shear[i] = rows[i][2];
  }
  shell_mean_shear(n, shell, membrane_shear, 6 * n);
  for (unsigned i = 0; i < n; i++) add_material(n, shell, &shell->point[i], rows[i], k);
  add_stress(n, &pairs, &now.pose, k);
}

#endif
