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

/* Derivatives of strains B, where they are not 0, and D B. Those of E and K by modes are c and e.
 */
typedef struct ShellRows {
  Real row[SHELL_ROWS][SHELL_COLUMNS][3], of_row[SHELL_ROWS][SHELL_COLUMNS][3];
  Real bending[SHELL_PAIRS][SHELL_NODES][3]; /* of K by rotations */
  Real of_bending[SHELL_PAIRS][SHELL_COLUMNS][3], of_membrane[SHELL_PAIRS][SHELL_MODES][3];
} ShellRows;

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

/* ---- times the matrices of strains ---- */

FORM void times_shear(unsigned n, const double *rest, ShellRows *r) {
  for (unsigned c = 0; c < SHELL_MODES + n; c++) {
    const ShellRowList *list = &shell_edges_of[n == 4][c];
    for (unsigned k = 0; list->n && k < n; k++) {
      const Real first = real_of(rest, SHELL_AT(n, shear) + shell_pair(k, list->row[0]));
      form_scale(first, r->row[list->row[0]][c], r->of_row[k][c]);
      for (unsigned l = 1; l < list->n; l++)
        form_axpy(real_of(rest, SHELL_AT(n, shear) + shell_pair(k, list->row[l])),
                  r->row[list->row[l]][c], r->of_row[k][c]);
    }
  }
}

/* Rotations of a triangle's node change the drilling of this node alone. */
FORM void times_drilling(unsigned n, const double *rest, ShellRows *r) {
  for (unsigned c = 0; c < SHELL_MODES + n; c++) {
    const bool one = n == 3 && c >= SHELL_MODES;
    for (unsigned i = 0; i < 3 && !(n == 3 && c == 2); i++) {
      Real e[SHELL_NODES], s[SHELL_NODES];
      form_clear(SHELL_NODES, e);
      for (unsigned p = one ? c - SHELL_MODES : 0; p < (one ? c - SHELL_MODES + 1 : n); p++)
        e[p] = r->row[SHELL_NODES + p][c][i];
      shell_apply_drilling(n, rest, e, s);
      for (unsigned p = 0; p < n; p++) r->of_row[SHELL_NODES + p][c][i] = s[p];
    }
  }
}

/* D B of columns of modes, where B are the vectors v. */
FORM void times_modes(unsigned n, const double *rest, const Real (*v)[3], size_t first, size_t q,
                      Real (*of)[3]) {
  for (unsigned m = 0; m < n - 1; m++) {
    form_scale(real_of(rest, first + shell_pair(q, shell_pair(m, 0))), v[0], of[m]);
    for (unsigned k = 1; k < n - 1; k++)
      form_axpy(real_of(rest, first + shell_pair(q, shell_pair(m, k))), v[k], of[m]);
  }
}

FORM void times_pairs(unsigned n, const double *rest, const ShellNow *now, ShellRows *r) {
  const size_t pairs = n == 4 ? 6 : 3;
  for (size_t q = 0; q < pairs; q++) {
    Real(*of)[3] = r->of_bending[q];
    times_modes(n, rest, (const Real(*)[3])now->c, SHELL_AT(n, membrane), q, r->of_membrane[q]);
    times_modes(n, rest, (const Real(*)[3])now->e, SHELL_AT(n, bending), q, of);
    for (unsigned j = 0; j < n; j++) {
      Real *to = of[SHELL_MODES + j];
      form_scale(real_of(rest, SHELL_AT(n, bending) + shell_pair(q, 0)), r->bending[0][j], to);
      for (size_t k = 1; k < pairs; k++)
        form_axpy(real_of(rest, SHELL_AT(n, bending) + shell_pair(q, k)), r->bending[k][j], to);
    }
  }
}

FORM void shell_rows(unsigned n, const double *rest, const ShellNow *now, ShellRows *out) {
  shear_rows(n, now, out);
  drilling_rows(n, rest, now, out);
  bending_rows(n, now, out);
  times_shear(n, rest, out);
  times_drilling(n, rest, out);
  times_pairs(n, rest, now, out);
}

/* ---- blocks ---- */

/* m += u v^T */
FORM void add_outer(const Real *u, const Real *v, Real *m) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) m[3 * i + j] = real_madd(u[i], v[j], m[3 * i + j]);
}

/* B^T D B of shear and drilling. */
FORM void add_rows(unsigned n, const ShellRows *r, unsigned row, unsigned column, Real *m) {
  const ShellRowList *list = &shell_edges_of[n == 4][row];
  const bool one = n == 3 && row >= SHELL_MODES;
  for (unsigned k = 0; k < list->n; k++)
    add_outer(r->row[list->row[k]][row], r->of_row[list->row[k]][column], m);
  for (unsigned p = one ? row - SHELL_MODES : 0; p < (one ? row - SHELL_MODES + 1 : n); p++)
    add_outer(r->row[SHELL_NODES + p][row], r->of_row[SHELL_NODES + p][column], m);
}

/* What blocks are made of. */
typedef struct ShellTangent {
  ShellNow now;
  ShellStress stress;
  ShellLevers z;
  ShellRows rows;
} ShellTangent;

FORM_CALLED void mode_block(unsigned n, const ShellTangent *t, unsigned m, unsigned k, Real *out) {
  const Real stress = t->stress.membrane[shell_pair(m, k)];
  Real b[9];
  form_clear(9, b);
  add_rows(n, &t->rows, m, k, b);
  for (unsigned l = 0; l < n - 1; l++) {
    add_outer(t->now.c[l], t->rows.of_membrane[shell_pair(m, l)][k], b);
    add_outer(t->now.e[l], t->rows.of_bending[shell_pair(m, l)][k], b);
  }
  for (int i = 0; i < 9; i++) out[i] = b[i];
  for (int i = 0; i < 9; i += 4) out[i] = out[i] + stress;
}

/* Rows: the rotation of node j; columns: mode m. */
FORM_CALLED void turn_block(unsigned n, const ShellTangent *t, unsigned j, unsigned m, Real *out) {
  const Real *z = t->z[m][j];
  Real b[9];
  form_clear(9, b);
  add_rows(n, &t->rows, SHELL_MODES + j, m, b);
  for (unsigned l = 0; l < n - 1; l++)
    add_outer(t->rows.of_bending[shell_pair(m, l)][SHELL_MODES + j], t->now.e[l], b);
  for (int i = 0; i < 3; i++) { // z x
    const int k = (i + 1) % 3, l = (i + 2) % 3;
    b[3 * i + k] = b[3 * i + k] - z[l];
    b[3 * i + l] = b[3 * i + l] + z[k];
  }
  for (int i = 0; i < 9; i++) out[i] = b[i];
}

/* By rotations of one node twice: the symmetric part of sum v s^T, less its trace. */
FORM void add_turn_twice(unsigned n, const ShellTangent *t, unsigned j, Real *b) {
  const Real half = real_set(0.5);
  Real m[9];
  form_clear(9, m);
  for (unsigned k = 0; k < n - 1; k++) add_outer(t->z[k][j], t->now.c[k], m);
  const Real along = m[0] + m[4] + m[8];
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k <= i; k++)
      b[3 * i + k] = real_madd(half, m[3 * i + k] + m[3 * k + i], b[3 * i + k]);
    b[4 * i] = b[4 * i] - along;
  }
}

FORM_CALLED void turns_block(unsigned n, const ShellTangent *t, unsigned i, unsigned j, Real *out) {
  Real b[9];
  form_clear(9, b);
  add_rows(n, &t->rows, SHELL_MODES + i, SHELL_MODES + j, b);
  for (unsigned q = 0; q < (n == 4 ? 6 : 3); q++)
    add_outer(t->rows.bending[q][i], t->rows.of_bending[q][SHELL_MODES + j], b);
  if (i == j) add_turn_twice(n, t, i, b);
  for (int k = 0; k < 9; k++) out[k] = b[k];
}

/* The place of entry (row, column) in the packed lower half. */
FORM size_t shell_entry(size_t row, size_t column) {
  return row * (row + 1) / 2 + column;
}

/* Entries of the lower half; row and column: the first ones. */
FORM void put_block(const Real *b, size_t row, size_t column, double *out) {
  for (size_t i = 0; i < 3; i++)
    for (size_t j = 0; j < 3; j++) {
      const bool lower = row + i >= column + j;
      if (row == column && !lower) continue;
      real_put(out, lower ? shell_entry(row + i, column + j) : shell_entry(column + j, row + i),
               b[3 * i + j]);
    }
}

FORM void put_positions(unsigned n, const ShellTangent *t, double *out) {
  Real modes[SHELL_MODES][SHELL_MODES][9]; // [k][m]: row m, column k
  Real nodes[SHELL_MODES][SHELL_NODES][9]; // [k][i]: row i, column k
  for (unsigned m = 0; m < n - 1; m++) {
    for (unsigned k = 0; k <= m; k++) {
      mode_block(n, t, m, k, modes[k][m]);
      for (unsigned e = 0; e < 9; e++) modes[m][k][e] = modes[k][m][e % 3 * 3 + e / 3];
    }
  }
  for (unsigned k = 0; k < n - 1; k++) shell_to_nodes(n, 9, modes[k][0], nodes[k][0]);
  for (unsigned i = 0; i < n; i++) {
    Real row[SHELL_MODES][9], all[SHELL_NODES][9];
    for (unsigned k = 0; k < n - 1; k++)
      for (unsigned e = 0; e < 9; e++) row[k][e] = nodes[k][i][e];
    shell_to_nodes(n, 9, row[0], all[0]);
    for (unsigned j = 0; j <= i; j++) put_block(all[j], 6 * i, 6 * j, out);
  }
}

FORM void put_turns(unsigned n, const ShellTangent *t, unsigned j, double *out) {
  Real modes[SHELL_MODES][9], nodes[SHELL_NODES][9], b[9];
  for (unsigned m = 0; m < n - 1; m++) turn_block(n, t, j, m, modes[m]);
  shell_to_nodes(n, 9, modes[0], nodes[0]);
  for (unsigned i = 0; i < n; i++) put_block(nodes[i], 6 * j + 3, 6 * i, out);
  for (unsigned i = j; i < n; i++) {
    turns_block(n, t, i, j, b);
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
  put_positions(n, &t, out);
  for (unsigned j = 0; j < n; j++) put_turns(n, &t, j, out);
}

#endif
