/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Second derivatives of the energy of shell elements, for a kind of real as shell_modes_impl.h, by
 * blocks of 3 x 3 of modes and of rotations of nodes. The derivatives of s_j along a rotation
 * vector p are p x s_j and p x (p x s_j). */
#ifndef SOFA_NUMERICS_FEM_SHELL_DERIVATIVES_H
#define SOFA_NUMERICS_FEM_SHELL_DERIVATIVES_H

#include "numerics/fem/shell_modes_impl.h"

/* Columns: modes, then rotations of nodes from SHELL_MODES on. Rows: edges, then points of drilling
 * from SHELL_NODES on. */
enum { SHELL_COLUMNS = SHELL_MODES + SHELL_NODES, SHELL_ROWS = 2 * SHELL_NODES };

/* The edges whose shear strain depends on a column; the third column of triangles is none. */
typedef struct ShellRowList {
  unsigned n;
  unsigned row[SHELL_NODES];
} ShellRowList;
static const ShellRowList shell_edges_of[2][SHELL_COLUMNS] = {{{2, {0, 2, 0, 0}},
                                                               {2, {1, 2, 0, 0}},
                                                               {0, {0}},
                                                               {2, {0, 1, 0, 0}},
                                                               {2, {0, 2, 0, 0}},
                                                               {2, {1, 2, 0, 0}},
                                                               {0, {0}}},
                                                              {{2, {0, 1, 0, 0}},
                                                               {2, {2, 3, 0, 0}},
                                                               {4, {0, 1, 2, 3}},
                                                               {2, {0, 2, 0, 0}},
                                                               {2, {0, 3, 0, 0}},
                                                               {2, {1, 3, 0, 0}},
                                                               {2, {1, 2, 0, 0}}}};

/* Derivatives of strains B, where they are not 0. Those of E and K by modes are c and e. */
typedef struct ShellRows {
  Real row[SHELL_ROWS][SHELL_COLUMNS][3];
  Real bending[SHELL_PAIRS][SHELL_NODES][3]; /* of K by rotations */
} ShellRows;

/* A column of D B: one at a time, since all of them would not fit into the first cache. */
typedef struct ShellColumn {
  Real row[SHELL_ROWS][3], bending[SHELL_PAIRS][3], membrane[SHELL_PAIRS][3];
} ShellColumn;

/* ---- derivatives of strains ---- */

FORM void shear_rows(unsigned n, const ShellNow *now, ShellRows *out) {
  for (unsigned k = 0; k < n; k++) {
    for (unsigned m = 0; m < n - 1; m++) {
      const double sign = shell_edge_signs[n == 4][k][m];
      form_scale(real_set(sign), now->sum[k], out->row[k][m]);
    }
    for (int end = 0; end < 2; end++) {
      const unsigned j = shell_edges[n == 4][k][end];
      form_cross(now->s[DIRECTOR][j], now->difference[k], out->row[k][SHELL_MODES + j]);
    }
  }
}

FORM void drilling_rows(unsigned n, const double *rest, const ShellNow *now, ShellRows *out) {
  for (unsigned p = 0; p < n; p++) {
    const unsigned q = shell_slopes_of(n, p);
    Real(*row)[3] = out->row[SHELL_NODES + p];
    for (unsigned m = 0; m < n - 1; m++) {
      form_scale(shell_slope(n, rest, q, 0, m), now->t[1][p], row[m]);
      form_axpy(-shell_slope(n, rest, q, 1, m), now->t[0][p], row[m]);
    }
    for (unsigned j = 0; j < n; j++) {
      Real minus[3], *to = row[SHELL_MODES + j];
      if (n == 3 && j != p) continue;
      for (int i = 0; i < 3; i++) minus[i] = -now->s[FIRST][j][i];
      form_cross(now->s[SECOND][j], now->x[q][0], to);
      form_add_cross(minus, now->x[q][1], to);
      if (n == 4) form_scale(real_set(shell_shape(p, j)), to, to);
    }
  }
}

FORM void add_signed(double sign, const Real *v, Real *r) {
  for (int i = 0; sign != 0 && i < 3; i++) r[i] = sign > 0 ? r[i] + v[i] : r[i] - v[i];
}

FORM void bending_rows(unsigned n, const ShellNow *now, ShellRows *out) {
  const double(*signs)[SHELL_NODES] = shell_signs[n == 4];
  for (unsigned j = 0; j < n; j++) {
    Real turn[SHELL_MODES][3];
    for (unsigned m = 0; m < n - 1; m++) form_cross(now->s[DIRECTOR][j], now->c[m], turn[m]);
    for (unsigned m = 0; m < n - 1; m++) {
      for (unsigned k = 0; k <= m; k++) {
        Real *to = out->bending[shell_pair(m, k)][j];
        form_clear(3, to);
        add_signed(signs[k][j], turn[m], to);
        if (k < m) add_signed(signs[m][j], turn[k], to);
      }
    }
  }
}

FORM void shell_rows(unsigned n, const double *rest, const ShellNow *now, ShellRows *out) {
  shear_rows(n, now, out);
  drilling_rows(n, rest, now, out);
  bending_rows(n, now, out);
}

/* ---- times the matrices of strains ---- */

FORM void times_shear(unsigned n, const double *rest, const ShellRows *r, unsigned c,
                      ShellColumn *out) {
  const ShellRowList *list = &shell_edges_of[n == 4][c];
  for (unsigned k = 0; k < n; k++) {
    const Real first = real_of(rest, SHELL_AT(n, shear) + shell_pair(k, list->row[0]));
    form_scale(first, r->row[list->row[0]][c], out->row[k]);
    for (unsigned l = 1; l < list->n; l++)
      form_axpy(real_of(rest, SHELL_AT(n, shear) + shell_pair(k, list->row[l])),
                r->row[list->row[l]][c], out->row[k]);
  }
}

/* Rotations of a triangle's node change the drilling of this node alone. */
FORM void times_drilling(unsigned n, const double *rest, const ShellRows *r, unsigned c,
                         ShellColumn *out) {
  const bool one = n == 3 && c >= SHELL_MODES;
  for (unsigned i = 0; i < 3; i++) {
    Real e[SHELL_NODES], s[SHELL_NODES];
    form_clear(SHELL_NODES, e);
    for (unsigned p = one ? c - SHELL_MODES : 0; p < (one ? c - SHELL_MODES + 1 : n); p++)
      e[p] = r->row[SHELL_NODES + p][c][i];
    shell_apply_drilling(n, rest, e, s);
    for (unsigned p = 0; p < n; p++) out->row[SHELL_NODES + p][i] = s[p];
  }
}

/* D B of mode m, where B are the vectors v. */
FORM void times_mode(unsigned n, const double *rest, const Real (*v)[3], size_t first, unsigned m,
                     Real (*of)[3]) {
  const size_t pairs = n == 4 ? 6 : 3;
#pragma GCC unroll 6
  for (size_t q = 0; q < pairs; q++) {
    form_scale(real_of(rest, first + shell_pair(q, shell_pair(m, 0))), v[0], of[q]);
    for (unsigned k = 1; k < n - 1; k++)
      form_axpy(real_of(rest, first + shell_pair(q, shell_pair(m, k))), v[k], of[q]);
  }
}

FORM void mode_column(unsigned n, const double *rest, const ShellNow *now, const ShellRows *r,
                      unsigned m, ShellColumn *out) {
  times_shear(n, rest, r, m, out);
  times_drilling(n, rest, r, m, out);
  times_mode(n, rest, (const Real(*)[3])now->c, SHELL_AT(n, membrane), m, out->membrane);
  times_mode(n, rest, (const Real(*)[3])now->e, SHELL_AT(n, bending), m, out->bending);
}

/* Of the rotation of node j, which does not change the membrane. */
FORM_CALLED void turn_column(unsigned n, const double *rest, const ShellRows *r, unsigned j,
                             ShellColumn *out) {
  const size_t pairs = n == 4 ? 6 : 3;
  times_shear(n, rest, r, SHELL_MODES + j, out);
  times_drilling(n, rest, r, SHELL_MODES + j, out);
#pragma GCC unroll 6
  for (size_t q = 0; q < pairs; q++) {
    form_scale(real_of(rest, SHELL_AT(n, bending) + shell_pair(q, 0)), r->bending[0][j],
               out->bending[q]);
#pragma GCC unroll 5
    for (size_t k = 1; k < pairs; k++)
      form_axpy(real_of(rest, SHELL_AT(n, bending) + shell_pair(q, k)), r->bending[k][j],
                out->bending[q]);
  }
}

/* ---- blocks ---- */

/* m += u v^T, of a symmetric sum of them the lower half. */
FORM void add_outer(bool symmetric, const Real *u, const Real *v, Real *m) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < (symmetric ? i + 1 : 3); j++)
      m[3 * i + j] = real_madd(u[i], v[j], m[3 * i + j]);
}

/* The upper half of a symmetric matrix, of its lower one. */
FORM void mirror_block(Real *m) {
  m[1] = m[3];
  m[2] = m[6];
  m[5] = m[7];
}

/* What blocks are made of. */
typedef struct ShellTangent {
  ShellNow now;
  ShellStress stress;
  ShellLevers z;
  ShellRows rows;
  ShellColumn of; /* the column whose blocks are made */
} ShellTangent;

/* B^T D B of shear and drilling; points: those with drilling. */
FORM void add_rows(bool symmetric, const ShellTangent *t, const ShellRowList *list,
                   const unsigned *points, unsigned row, Real *m) {
#pragma GCC unroll 4
  for (unsigned k = 0; k < list->n; k++)
    add_outer(symmetric, t->rows.row[list->row[k]][row], t->of.row[list->row[k]], m);
#pragma GCC unroll 4
  for (unsigned p = points[0]; p < points[1]; p++)
    add_outer(symmetric, t->rows.row[SHELL_NODES + p][row], t->of.row[SHELL_NODES + p], m);
}

FORM void add_mode_rows(bool symmetric, unsigned n, const ShellTangent *t, unsigned m, Real *b) {
  add_rows(symmetric, t, &shell_edges_of[n == 4][m], (const unsigned[]){0, n}, m, b);
}

FORM void add_turn_rows(bool symmetric, unsigned n, const ShellTangent *t, unsigned j, Real *b) {
  const unsigned one[2] = {j, j + 1}, all[2] = {0, n};
  add_rows(symmetric, t, &shell_edges_of[n == 4][SHELL_MODES + j], n == 3 ? one : all,
           SHELL_MODES + j, b);
}

/* Of mode m and that of the column; symmetric: the same. */
FORM void mode_block(bool symmetric, unsigned n, const ShellTangent *t, unsigned m, unsigned k,
                     Real *out) {
  const Real stress = t->stress.membrane[shell_pair(m, k)];
  Real b[9];
  form_clear(9, b);
  add_mode_rows(symmetric, n, t, m, b);
  for (unsigned l = 0; l < n - 1; l++) {
    add_outer(symmetric, t->now.c[l], t->of.membrane[shell_pair(m, l)], b);
    add_outer(symmetric, t->now.e[l], t->of.bending[shell_pair(m, l)], b);
  }
  if (symmetric) mirror_block(b);
  for (int i = 0; i < 9; i++) out[i] = b[i];
  for (int i = 0; i < 9; i += 4) out[i] = out[i] + stress;
}

FORM void own_mode_block(unsigned n, const ShellTangent *t, unsigned m, Real *out) {
  mode_block(true, n, t, m, m, out);
}

FORM void other_mode_block(unsigned n, const ShellTangent *t, unsigned m, unsigned k, Real *out) {
  mode_block(false, n, t, m, k, out);
}

/* Rows: the rotation of node j, that of the column; columns: mode m. */
FORM void turn_block(unsigned n, const ShellTangent *t, unsigned j, unsigned m, Real *out) {
  const Real *z = t->z[m][j];
  Real b[9]; // transposed
  form_clear(9, b);
  add_mode_rows(false, n, t, m, b);
  for (unsigned l = 0; l < n - 1; l++)
    add_outer(false, t->now.e[l], t->of.bending[shell_pair(m, l)], b);
  for (int i = 0; i < 3; i++) { // z x
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    out[4 * i] = b[4 * i];
    out[3 * i + k] = b[3 * k + i] - z[l];
    out[3 * i + l] = b[3 * l + i] + z[k];
  }
}

/* By rotations of one node twice: the symmetric part of sum v s^T, less its trace. */
FORM void add_turn_twice(unsigned n, const ShellTangent *t, unsigned j, Real *b) {
  const Real half = real_set(0.5);
  Real m[9];
  form_clear(9, m);
  for (unsigned k = 0; k < n - 1; k++) add_outer(false, t->z[k][j], t->now.c[k], m);
  const Real along = m[0] + m[4] + m[8];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k <= i; k++)
      b[3 * i + k] = real_madd(half, m[3 * i + k] + m[3 * k + i], b[3 * i + k]);
    b[4 * i] = b[4 * i] - along;
  }
}

/* Of node i and that of the column. */
FORM void turns_block(bool symmetric, unsigned n, const ShellTangent *t, unsigned i, Real *out) {
  Real b[9];
  form_clear(9, b);
  add_turn_rows(symmetric, n, t, i, b);
  for (unsigned q = 0; q < (n == 4 ? 6 : 3); q++)
    add_outer(symmetric, t->rows.bending[q][i], t->of.bending[q], b);
  if (symmetric) {
    add_turn_twice(n, t, i, b);
    mirror_block(b);
  }
  for (int k = 0; k < 9; k++) out[k] = b[k];
}

FORM_CALLED void own_turns_block(unsigned n, const ShellTangent *t, unsigned i, Real *out) {
  turns_block(true, n, t, i, out);
}

FORM_CALLED void other_turns_block(unsigned n, const ShellTangent *t, unsigned i, Real *out) {
  turns_block(false, n, t, i, out);
}

/* The place of entry (row, column) in the packed lower half. */
FORM size_t shell_entry(size_t row, size_t column) {
  return row * (row + 1) / 2 + column;
}

/* Entries of a block of the lower half, or, of one above the diagonal, of its transpose; row and
 * column: the first ones. */
FORM void put_block(const Real *b, size_t row, size_t column, double *out) {
  const bool lower = row >= column;
#pragma GCC unroll 3
  for (size_t i = 0; i < 3; i++) {
    const size_t at = lower ? shell_entry(row + i, column) : shell_entry(column + i, row);
#pragma GCC unroll 3
    for (size_t j = 0; j < 3; j++) real_put(out, at + j, b[lower ? 3 * i + j : 3 * j + i]);
  }
}

/* One on the diagonal: its lower half. */
FORM void put_own_block(const Real *b, size_t first, double *out) {
#pragma GCC unroll 3
  for (size_t i = 0; i < 3; i++)
#pragma GCC unroll 3
    for (size_t j = 0; j <= i; j++) real_put(out, shell_entry(first + i, first) + j, b[3 * i + j]);
}

FORM void put_positions(unsigned n, const double *rest, ShellTangent *t, double *out) {
  Real modes[SHELL_MODES][SHELL_MODES][9]; // [k][m]: row m, column k
  Real nodes[SHELL_MODES][SHELL_NODES][9]; // [k][i]: row i, column k
#pragma GCC unroll 3
  for (unsigned k = 0; k < n - 1; k++) {
    mode_column(n, rest, &t->now, &t->rows, k, &t->of);
    own_mode_block(n, t, k, modes[k][k]);
#pragma GCC unroll 2
    for (unsigned m = k + 1; m < n - 1; m++) {
      other_mode_block(n, t, m, k, modes[k][m]);
      for (unsigned e = 0; e < 9; e++) modes[m][k][e] = modes[k][m][e % 3 * 3 + e / 3];
    }
  }
  for (unsigned k = 0; k < n - 1; k++) shell_to_nodes(n, 9, modes[k][0], 9, nodes[k][0]);
  for (unsigned i = 0; i < n; i++) {
    Real all[SHELL_NODES][9];
    shell_to_nodes(n, 9, nodes[0][i], SHELL_NODES * 9, all[0]);
    for (unsigned j = 0; j < i; j++) put_block(all[j], 6 * i, 6 * j, out);
    put_own_block(all[i], 6 * i, out);
  }
}

FORM void put_turns(unsigned n, const double *rest, unsigned j, ShellTangent *t, double *out) {
  Real modes[SHELL_MODES][9], nodes[SHELL_NODES][9], b[9];
  turn_column(n, rest, &t->rows, j, &t->of);
#pragma GCC unroll 3
  for (unsigned m = 0; m < n - 1; m++) turn_block(n, t, j, m, modes[m]);
  shell_to_nodes(n, 9, modes[0], 9, nodes[0]);
  for (unsigned i = 0; i < n; i++) put_block(nodes[i], 6 * j + 3, 6 * i, out);
  own_turns_block(n, t, j, b);
  put_own_block(b, 6 * j + 3, out);
  for (unsigned i = j + 1; i < n; i++) {
    other_turns_block(n, t, i, b);
    put_block(b, 6 * i + 3, 6 * j + 3, out);
  }
}

/* The packed lower half of the second derivative along rotation vectors. */
FORM void shell_hessian(unsigned n, const double *rest, const Real (*poses)[7], double *out) {
  ShellTangent t;
  shell_now(n, rest, poses, &t.now);
  shell_stresses(n, rest, &t.now, &t.stress);
  shell_levers(n, rest, &t.now, &t.stress, t.z);
  shell_rows(n, rest, &t.now, &t.rows);
  put_positions(n, rest, &t, out);
  for (unsigned j = 0; j < n; j++) put_turns(n, rest, j, &t, out);
}

#endif
