/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Derivatives of the energy of shell elements. With the vectors s_j = R_j v of the nodes, the
 * derivative of a strain is a sum of scalars times x_i and s_j; the derivatives of s_j along a
 * rotation vector p are p x s_j and p x (p x s_j). */
#include <string.h>
#include "base/bytes.h"
#include "math/vec.h"
#include "numerics/fem/shell_element_impl.h"

/* ---- first derivative ---- */

/* W' = sum a_ij x_j . dx_i + sum b_ij (s_j . dx_i + x_i . ds_j), b of each kind of vector. */
typedef struct Pairs {
  double a[SHELL_NODES][SHELL_NODES], b[VECTORS][SHELL_NODES][SHELL_NODES];
} Pairs;

/* s: stresses times the area of the point */
static void add_surface(const SofaShellPoint *p, const double *s, unsigned n_nodes, Pairs *out) {
  for (unsigned i = 0; i < n_nodes; i++) {
    for (unsigned j = 0; j < n_nodes; j++) {
      const double *u = p->slope[i], *w = p->slope[j];
      const double both = u[0] * w[1] + u[1] * w[0];
      out->a[i][j] += u[0] * w[0] * s[0] + u[1] * w[1] * s[1] + both * s[2];
      out->b[DIRECTOR][i][j] += u[0] * w[0] * s[3] + u[1] * w[1] * s[4] + both * s[5];
      out->b[SECOND][i][j] += s[8] * u[0] * p->shape[j] / 2;
      out->b[FIRST][i][j] -= s[8] * u[1] * p->shape[j] / 2;
    }
  }
}

static void add_shear(const SofaShellPoint *p, const double *s, unsigned n_nodes, Pairs *out) {
  for (unsigned k = 0; k < n_nodes; k++) {
    const unsigned *v = sofa_shell_edges(n_nodes)[k];
    const double half = (s[6] * p->shear[k][0] + s[7] * p->shear[k][1]) / 2;
    for (int end = 0; end < 2; end++) {
      out->b[DIRECTOR][v[1]][v[end]] += half;
      out->b[DIRECTOR][v[0]][v[end]] -= half;
    }
  }
}

/* s: of the point, without its area */
static void add_pairs(const SofaShell *shell, const SofaShellPoint *p, const double *s,
                      Pairs *out) {
  double force[SHELL_STRAINS];
  for (int k = 0; k < SHELL_STRAINS; k++) force[k] = p->area * s[k];
  add_surface(p, force, shell->n_nodes, out);
  add_shear(p, force, shell->n_nodes, out);
}

/* Derivatives of W by x_i, and by the vectors of kind k of node j. */
static void by_position(const Pairs *pairs, const ShellPose *pose, unsigned i, double *g) {
  sofa_vec3_set(g, 0, 0, 0);
  for (int j = 0; j < SHELL_NODES; j++) {
    sofa_vec3_axpy(pairs->a[i][j], pose->x[j], g);
    for (int k = 0; k < VECTORS; k++) sofa_vec3_axpy(pairs->b[k][i][j], pose->s[k][j], g);
  }
}
static void by_vector(const Pairs *pairs, const ShellPose *pose, int k, unsigned j, double *g) {
  sofa_vec3_set(g, 0, 0, 0);
  for (int i = 0; i < SHELL_NODES; i++) sofa_vec3_axpy(pairs->b[k][i][j], pose->x[i], g);
}

void sofa_shell_gradient(const SofaShell *shell, const double *const *poses, double *g) {
  Pairs pairs = {.a = {{0}}};
  ShellDeformation now;
  sofa_shell_deform(shell, poses, &now);
  const ShellPose *pose = &now.pose;
  for (unsigned i = 0; i < shell->n_points; i++)
    add_pairs(shell, &shell->point[i], now.stress[i], &pairs);
  for (unsigned n = 0; n < shell->n_nodes; n++) {
    double *torque = g + 6 * n + 3, v[3], turn[3];
    by_position(&pairs, pose, n, g + 6 * n);
    sofa_vec3_set(torque, 0, 0, 0);
    for (int k = 0; k < VECTORS; k++) {
      by_vector(&pairs, pose, k, n, v);
      sofa_vec3_cross(pose->s[k][n], v, turn);
      sofa_vec3_add(torque, turn, torque);
    }
  }
}

/* ---- second derivative ---- */

typedef double Rows[SHELL_STRAINS][SOFA_SHELL_FREEDOMS]; /* derivatives of the strains of a point */

static void add_turn(const double *s, double f, const double *v, double *row) {
  double turn[3];
  sofa_vec3_cross(s, v, turn);
  sofa_vec3_axpy(f, turn, row + 3);
}

static void surface_rows(const SofaShellPoint *p, const ShellPose *pose, const ShellLocal *l,
                         unsigned n, Rows rows) {
  const double *u = p->slope[n], *d = pose->s[DIRECTOR][n];
  for (int a = 0; a < 2; a++) {
    sofa_vec3_axpy(u[a], l->x[a], rows[a] + 6 * n);
    sofa_vec3_axpy(u[a], l->x[1 - a], rows[2] + 6 * n);
    sofa_vec3_axpy(u[a], l->d[a], rows[3 + a] + 6 * n);
    sofa_vec3_axpy(u[a], l->d[1 - a], rows[5] + 6 * n);
    add_turn(d, u[a], l->x[a], rows[3 + a] + 6 * n);
    add_turn(d, u[a], l->x[1 - a], rows[5] + 6 * n);
  }
  sofa_vec3_axpy(u[0] / 2, l->t[SECOND], rows[8] + 6 * n);
  sofa_vec3_axpy(-u[1] / 2, l->t[FIRST], rows[8] + 6 * n);
  add_turn(pose->s[SECOND][n], p->shape[n] / 2, l->x[0], rows[8] + 6 * n);
  add_turn(pose->s[FIRST][n], -p->shape[n] / 2, l->x[1], rows[8] + 6 * n);
}

static void shear_rows(const SofaShell *shell, const SofaShellPoint *p, const ShellPose *pose,
                       Rows rows) {
  for (unsigned k = 0; k < shell->n_nodes; k++) {
    const unsigned *v = sofa_shell_edges(shell->n_nodes)[k];
    double dx[3], d[3];
    sofa_shell_edge(pose, v, dx, d);
    for (int a = 0; a < 2; a++) {
      const double f = p->shear[k][a];
      for (int end = 0; end < 2; end++) {
        double *row = rows[6 + a] + 6 * v[end];
        sofa_vec3_axpy(end ? f : -f, d, row);
        add_turn(pose->s[DIRECTOR][v[end]], f / 2, dx, row);
      }
    }
  }
}

/* Lower half of k += area B^T C B. */
static void add_material(const SofaShell *shell, const SofaShellPoint *p, Rows rows, double *k) {
  const unsigned n = 6 * shell->n_nodes;
  for (unsigned i = 0; i < n; i++) {
    double e[SHELL_STRAINS], s[SHELL_STRAINS];
    for (int c = 0; c < SHELL_STRAINS; c++) e[c] = p->area * rows[c][i];
    sofa_shell_stress(shell, e, s);
    for (unsigned j = 0; j <= i; j++) {
      double sum = 0;
      for (int c = 0; c < SHELL_STRAINS; c++) sum += s[c] * rows[c][j];
      k[n * i + j] += sum;
    }
  }
}

/* By rotations of one node twice: sum of 1/2 (v s^T + s v^T) - (v . s) I. */
static void add_turn_twice(const Pairs *pairs, const ShellPose *pose, unsigned node,
                           double *block) {
  for (int k = 0; k < VECTORS; k++) {
    const double *s = pose->s[k][node];
    double v[3];
    by_vector(pairs, pose, k, node, v);
    const double along = sofa_vec3_dot(v, s);
    for (int i = 0; i < 9; i++) {
      block[i] += (v[i / 3] * s[i % 3] + s[i / 3] * v[i % 3]) / 2;
      if (i % 4 == 0) block[i] -= along;
    }
  }
}

/* By the position i and the rotation j: minus the cross product with sum_k b_ij s_j. */
static void position_and_turn(const Pairs *pairs, const ShellPose *pose, unsigned i, unsigned j,
                              double *block) {
  double c[3] = {0, 0, 0};
  for (int k = 0; k < VECTORS; k++) sofa_vec3_axpy(-pairs->b[k][i][j], pose->s[k][j], c);
  sofa_mat3_cross(c, block);
}

/* Adds a block of 3 x 3 at the row and column of a matrix, its transpose, or both. */
static void put(const double *block, unsigned n, unsigned row, unsigned column, double *k) {
  for (unsigned i = 0; i < 9; i++) k[n * (row + i / 3) + column + i % 3] += block[i];
}

static void add_stress(const SofaShell *shell, const Pairs *pairs, const ShellPose *pose,
                       double *k) {
  const unsigned n = 6 * shell->n_nodes;
  for (unsigned i = 0; i < shell->n_nodes; i++) {
    double twice[9] = {0};
    for (unsigned j = 0; j < shell->n_nodes; j++) {
      const double a = pairs->a[i][j];
      double block[9];
      sofa_mat3_diagonal(a, a, a, block);
      put(block, n, 6 * i, 6 * j, k);
      position_and_turn(pairs, pose, i, j, block);
      put(block, n, 6 * i, 6 * j + 3, k);
      sofa_mat3_transpose(block, block);
      put(block, n, 6 * j + 3, 6 * i, k);
    }
    add_turn_twice(pairs, pose, i, twice);
    put(twice, n, 6 * i + 3, 6 * i + 3, k);
  }
}

void sofa_shell_hessian(const SofaShell *shell, const double *const *poses, double *k) {
  const unsigned n = 6 * shell->n_nodes;
  Pairs pairs = {.a = {{0}}};
  Rows rows[SOFA_SHELL_POINTS];
  double *membrane_shear[SOFA_SHELL_POINTS];
  ShellDeformation now;
  sofa_shell_deform(shell, poses, &now);
  sofa_zero(k, sizeof *k * n * n);
  memset(rows, 0, sizeof rows);
  for (unsigned i = 0; i < shell->n_points; i++) {
    const SofaShellPoint *p = &shell->point[i];
    add_pairs(shell, p, now.stress[i], &pairs);
    for (unsigned j = 0; j < shell->n_nodes; j++)
      surface_rows(p, &now.pose, &now.local[i], j, rows[i]);
    shear_rows(shell, p, &now.pose, rows[i]);
    membrane_shear[i] = rows[i][2];
  }
  sofa_shell_mean_shear(shell, membrane_shear, n);
  for (unsigned i = 0; i < shell->n_points; i++) add_material(shell, &shell->point[i], rows[i], k);
  add_stress(shell, &pairs, &now.pose, k);
  // symmetric to the bit
  for (unsigned i = 0; i < n; i++) {
    for (unsigned j = 0; j < i; j++) k[n * j + i] = k[n * i + j];
  }
}
