/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strains and energy of shell elements. With the vectors s_j = R_j v of the nodes, the derivative
 * of a strain is a sum of scalars times x_i and s_j; the derivatives of s_j along a rotation vector
 * p are p x s_j and (p x (p x s_j)). */
#include "numerics/fem/shell_element.h"

#include <math.h>
#include <string.h>
#include "base/bytes.h"
#include "math/quaternion.h"
#include "math/vec.h"

enum {
  NODES = SOFA_SHELL_NODES,
  STRAINS = SOFA_SHELL_STRAINS,
  DIRECTOR = 0,
  FIRST,
  SECOND,
  VECTORS
};

/* ---- shape functions ---- */

static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
/* The shear strains between these nodes are those of the element. */
static const unsigned edges[2][4][2] = {{{0, 1}, {0, 2}, {1, 2}, {0, 0}},
                                        {{0, 1}, {3, 2}, {0, 3}, {1, 2}}};

static const unsigned (*edges_of(unsigned n_nodes))[2] {
  return edges[n_nodes == 4];
}

/* Shape functions, their slopes and shear of edges at natural coordinates. */
static void natural_quad(const double *at, SofaShellPoint *p) {
  const double r = at[0], s = at[1];
  for (int n = 0; n < 4; n++) {
    const double a = 1 + corner[n][0] * r, b = 1 + corner[n][1] * s;
    p->shape[n] = a * b / 4;
    p->slope[n][0] = corner[n][0] * b / 4;
    p->slope[n][1] = corner[n][1] * a / 4;
  }
  const double shear[4][2] = {
      {(1 - s) / 4, 0}, {(1 + s) / 4, 0}, {0, (1 - r) / 4}, {0, (1 + r) / 4}};
  memcpy(p->shear, shear, sizeof shear);
}

static void natural_triangle(const double *at, SofaShellPoint *p) {
  const double r = at[0], s = at[1];
  const double shape[4] = {1 - r - s, r, s, 0};
  const double slope[4][2] = {{-1, -1}, {1, 0}, {0, 1}, {0, 0}};
  const double shear[4][2] = {{1 - s, r}, {s, 1 - r}, {-s, r}, {0, 0}};
  memcpy(p->shape, shape, sizeof shape);
  memcpy(p->slope, slope, sizeof slope);
  memcpy(p->shear, shear, sizeof shear);
}

static void natural(unsigned n_nodes, const double *at, SofaShellPoint *p) {
  if (n_nodes == 4) natural_quad(at, p);
  else natural_triangle(at, p);
}

/* sum_i slope_i,a v_i */
static void slope_of(const SofaShellPoint *p, const double (*v)[3], int a, double *out) {
  sofa_vec3_set(out, 0, 0, 0);
  for (int n = 0; n < NODES; n++) sofa_vec3_axpy(p->slope[n][a], v[n], out);
}

bool sofa_shell_normal(unsigned n_nodes, const double (*x)[3], unsigned node, double *normal) {
  const double *a = x[(node + 1) % n_nodes], *b = x[(node + n_nodes - 1) % n_nodes];
  double u[3], w[3];
  sofa_vec3_sub(a, x[node], u);
  sofa_vec3_sub(b, x[node], w);
  sofa_vec3_cross(u, w, normal);
  const double size = sofa_vec3_norm(u) * sofa_vec3_norm(w);
  return sofa_vec3_normalize(normal) > 1e-12 * size;
}

/* ---- configurations ---- */

/* Positions and vectors of the nodes in the world. */
typedef struct Pose {
  double x[NODES][3], s[VECTORS][NODES][3];
} Pose;

static void unit_quaternion(const double *pose, double *q) {
  double n2 = 0;
  for (int i = 0; i < 4; i++) n2 += pose[3 + i] * pose[3 + i];
  const double scale = n2 > 0 ? 1 / sqrt(n2) : 0;
  for (int i = 0; i < 4; i++) q[i] = scale * pose[3 + i];
}

static void pose_of(const SofaShell *shell, const double *const *poses, Pose *out) {
  memset(out, 0, sizeof *out);
  for (unsigned n = 0; n < shell->n_nodes; n++) {
    double q[4];
    unit_quaternion(poses[n], q);
    sofa_vec3_copy(poses[n], out->x[n]);
    for (int k = 0; k < VECTORS; k++) sofa_quat_rotate(q, shell->vector[k][n], out->s[k][n]);
  }
}

/* Derivatives of x and d, and t_1, t_2 at a point. */
typedef struct Local {
  double x[2][3], d[2][3], t[VECTORS][3];
} Local;

static void local_of(const SofaShellPoint *p, const Pose *pose, Local *out) {
  for (int a = 0; a < 2; a++) {
    slope_of(p, pose->x, a, out->x[a]);
    slope_of(p, pose->s[DIRECTOR], a, out->d[a]);
  }
  memset(out->t, 0, sizeof out->t);
  for (int k = FIRST; k < VECTORS; k++) {
    for (int n = 0; n < NODES; n++) sofa_vec3_axpy(p->shape[n], pose->s[k][n], out->t[k]);
  }
}

/* Difference of the positions of an edge, mean of its directors. */
static void edge_of(const Pose *pose, const unsigned *edge, double *dx, double *d) {
  sofa_vec3_sub(pose->x[edge[1]], pose->x[edge[0]], dx);
  sofa_vec3_add(pose->s[DIRECTOR][edge[0]], pose->s[DIRECTOR][edge[1]], d);
  sofa_vec3_scale(0.5, d, d);
}

static void strain_of(const SofaShell *shell, const SofaShellPoint *p, const Pose *pose,
                      const Local *l, double *e) {
  const unsigned(*edge)[2] = edges_of(shell->n_nodes);
  e[0] = sofa_vec3_dot(l->x[0], l->x[0]) / 2;
  e[1] = sofa_vec3_dot(l->x[1], l->x[1]) / 2;
  e[2] = sofa_vec3_dot(l->x[0], l->x[1]);
  e[3] = sofa_vec3_dot(l->x[0], l->d[0]);
  e[4] = sofa_vec3_dot(l->x[1], l->d[1]);
  e[5] = sofa_vec3_dot(l->x[0], l->d[1]) + sofa_vec3_dot(l->x[1], l->d[0]);
  e[6] = e[7] = 0;
  for (unsigned k = 0; k < shell->n_nodes; k++) {
    double dx[3], d[3];
    edge_of(pose, edge[k], dx, d);
    const double g = sofa_vec3_dot(dx, d);
    e[6] += p->shear[k][0] * g;
    e[7] += p->shear[k][1] * g;
  }
  e[8] = (sofa_vec3_dot(l->t[SECOND], l->x[0]) - sofa_vec3_dot(l->t[FIRST], l->x[1])) / 2;
  for (int k = 0; k < STRAINS; k++) e[k] -= p->rest[k];
}

void sofa_shell_stress(const SofaShell *shell, const double *e, double *s) {
  const SofaShellSection *c = &shell->section;
  const double nu = c->poisson;
  for (int k = 0; k < 6; k += 3) {
    const double stiffness = k ? c->bending : c->membrane;
    s[k] = stiffness * (e[k] + nu * e[k + 1]);
    s[k + 1] = stiffness * (nu * e[k] + e[k + 1]);
    s[k + 2] = stiffness * (1 - nu) / 2 * e[k + 2];
  }
  s[6] = c->shear * e[6];
  s[7] = c->shear * e[7];
  s[8] = c->drilling * e[8];
}

/* Replaces the membrane shear of each point by the mean over the element: bending in the surface
 * makes shear of bilinear displacements that is not that of the body. */
static void mean_shear(const SofaShell *shell, double *const *membrane_shear, size_t n) {
  for (size_t k = 0; k < n; k++) {
    double sum = 0, area = 0;
    for (unsigned i = 0; i < shell->n_points; i++) {
      area += shell->point[i].area;
      sum += shell->point[i].area * membrane_shear[i][k];
    }
    for (unsigned i = 0; i < shell->n_points; i++) membrane_shear[i][k] = sum / area;
  }
}

/* Of all points. */
typedef struct Deformation {
  Pose pose;
  Local local[SOFA_SHELL_POINTS];
  double strain[SOFA_SHELL_POINTS][STRAINS], stress[SOFA_SHELL_POINTS][STRAINS];
} Deformation;

static void deform(const SofaShell *shell, const double *const *poses, Deformation *out) {
  double *membrane_shear[SOFA_SHELL_POINTS];
  pose_of(shell, poses, &out->pose);
  for (unsigned i = 0; i < shell->n_points; i++) {
    const SofaShellPoint *p = &shell->point[i];
    local_of(p, &out->pose, &out->local[i]);
    strain_of(shell, p, &out->pose, &out->local[i], out->strain[i]);
    membrane_shear[i] = &out->strain[i][2];
  }
  mean_shear(shell, membrane_shear, 1);
  for (unsigned i = 0; i < shell->n_points; i++)
    sofa_shell_stress(shell, out->strain[i], out->stress[i]);
}

void sofa_shell_strain(const SofaShell *shell, const double *const *poses, unsigned point,
                       double *strain) {
  Deformation now;
  deform(shell, poses, &now);
  memcpy(strain, now.strain[point], sizeof now.strain[point]);
}

/* ---- elements at rest ---- */

SofaShellSection sofa_shell_section(double young, double poisson, double thickness, double shear,
                                    double drilling) {
  const double membrane = young * thickness / (1 - poisson * poisson);
  const double g = young / (2 * (1 + poisson)) * thickness;
  return (SofaShellSection){.membrane = membrane,
                            .bending = membrane * thickness * thickness / 12,
                            .poisson = poisson,
                            .shear = shear * g,
                            .drilling = drilling * g};
}

/* Axes of the surface at a point whose slopes are natural: the third along the normal, the first in
 * the plane of the normal and `along`. false: there is no area. */
static bool surface_axes(const SofaShellPoint *p, const double (*x)[3], const double *along,
                         double *r) {
  double u[3], w[3], normal[3], first[3];
  slope_of(p, x, 0, u);
  slope_of(p, x, 1, w);
  sofa_vec3_cross(u, w, normal);
  const double size = sofa_vec3_norm(u) * sofa_vec3_norm(w);
  if (!(sofa_vec3_normalize(normal) > 1e-12 * size)) return false;
  sofa_vec3_copy(along ? along : u, first);
  sofa_vec3_axpy(-sofa_vec3_dot(first, normal), normal, first);
  if (!(sofa_vec3_normalize(first) > 0)) return false;
  sofa_vec3_copy(first, r);
  sofa_vec3_cross(normal, first, r + 3);
  sofa_vec3_copy(normal, r + 6);
  return true;
}

/* Slopes, shear and area along the axes instead of natural ones. */
static bool make_local(SofaShellPoint *p, const double (*x)[3], const double *axes) {
  double u[2][3], j[2][2];
  for (int b = 0; b < 2; b++) {
    slope_of(p, x, b, u[b]);
    for (int a = 0; a < 2; a++) j[b][a] = sofa_vec3_dot(u[b], axes + 3 * a);
  }
  const double det = j[0][0] * j[1][1] - j[0][1] * j[1][0];
  if (!(det > 0)) return false;
  const double inverse[2][2] = {{j[1][1] / det, -j[0][1] / det}, {-j[1][0] / det, j[0][0] / det}};
  for (int n = 0; n < NODES; n++) {
    const double s[2] = {p->slope[n][0], p->slope[n][1]}, g[2] = {p->shear[n][0], p->shear[n][1]};
    for (int a = 0; a < 2; a++) {
      p->slope[n][a] = inverse[a][0] * s[0] + inverse[a][1] * s[1];
      p->shear[n][a] = inverse[a][0] * g[0] + inverse[a][1] * g[1];
    }
  }
  p->area *= det;
  return true;
}

/* Natural coordinates and weight of a point of integration; the middle for i = n_points. */
static void natural_point(unsigned n_nodes, unsigned i, double *at, double *weight) {
  static const double third[4][2] = {
      {1 / 6., 1 / 6.}, {2 / 3., 1 / 6.}, {1 / 6., 2 / 3.}, {1 / 3., 1 / 3.}};
  *weight = n_nodes == 4 ? 1 : 1 / 6.;
  for (int a = 0; a < 2; a++)
    at[a] = n_nodes == 3 ? third[i][a] : i == 4 ? 0 : corner[i][a] / sqrt(3);
}

static bool make_points(SofaShell *shell, const double (*x)[3], double *axes) {
  SofaShellPoint middle = {.area = 0};
  double at[2], weight;
  natural_point(shell->n_nodes, shell->n_points, at, &weight);
  natural(shell->n_nodes, at, &middle);
  if (!surface_axes(&middle, x, NULL, axes)) return false;
  for (unsigned i = 0; i < shell->n_points; i++) {
    SofaShellPoint *p = &shell->point[i];
    double r[9];
    natural_point(shell->n_nodes, i, at, &p->area);
    natural(shell->n_nodes, at, p);
    if (!surface_axes(p, x, axes, r) || !(sofa_vec3_dot(r + 6, axes + 6) > 0)) return false;
    if (!make_local(p, x, r)) return false;
  }
  return true;
}

bool sofa_shell_make(unsigned n_nodes, const double *const *poses, const double (*directors)[3],
                     const SofaShellSection *section, SofaShell *out) {
  double x[NODES][3] = {{0}}, axes[9];
  *out = (SofaShell){.n_nodes = n_nodes, .n_points = n_nodes, .section = *section};
  for (unsigned n = 0; n < n_nodes; n++) sofa_vec3_copy(poses[n], x[n]);
  if (!make_points(out, x, axes)) return false;
  for (unsigned n = 0; n < n_nodes; n++) {
    double q[4];
    unit_quaternion(poses[n], q);
    sofa_quat_rotate_inverse(q, directors[n], out->vector[DIRECTOR][n]);
    for (int a = 0; a < 2; a++)
      sofa_quat_rotate_inverse(q, axes + 3 * a, out->vector[FIRST + a][n]);
  }
  Deformation now;
  deform(out, poses, &now);
  for (unsigned i = 0; i < out->n_points; i++)
    memcpy(out->point[i].rest, now.strain[i], sizeof now.strain[i]);
  return true;
}

/* ---- energy ---- */

double sofa_shell_energy(const SofaShell *shell, const double *const *poses) {
  double energy = 0;
  Deformation now;
  deform(shell, poses, &now);
  for (unsigned i = 0; i < shell->n_points; i++)
    for (int k = 0; k < STRAINS; k++)
      energy += shell->point[i].area * now.strain[i][k] * now.stress[i][k] / 2;
  return energy;
}

/* ---- first derivative ---- */

/* W' = sum a_ij x_j . dx_i + sum b_ij (s_j . dx_i + x_i . ds_j), b of each kind of vector. */
typedef struct Pairs {
  double a[NODES][NODES], b[VECTORS][NODES][NODES];
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
    const unsigned *v = edges_of(n_nodes)[k];
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
  double force[STRAINS];
  for (int k = 0; k < STRAINS; k++) force[k] = p->area * s[k];
  add_surface(p, force, shell->n_nodes, out);
  add_shear(p, force, shell->n_nodes, out);
}

/* Derivatives of W by x_i, and by the vectors of kind k of node j. */
static void by_position(const Pairs *pairs, const Pose *pose, unsigned i, double *g) {
  sofa_vec3_set(g, 0, 0, 0);
  for (int j = 0; j < NODES; j++) {
    sofa_vec3_axpy(pairs->a[i][j], pose->x[j], g);
    for (int k = 0; k < VECTORS; k++) sofa_vec3_axpy(pairs->b[k][i][j], pose->s[k][j], g);
  }
}
static void by_vector(const Pairs *pairs, const Pose *pose, int k, unsigned j, double *g) {
  sofa_vec3_set(g, 0, 0, 0);
  for (int i = 0; i < NODES; i++) sofa_vec3_axpy(pairs->b[k][i][j], pose->x[i], g);
}

void sofa_shell_gradient(const SofaShell *shell, const double *const *poses, double *g) {
  Pairs pairs = {.a = {{0}}};
  Deformation now;
  deform(shell, poses, &now);
  const Pose *pose = &now.pose;
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

typedef double Rows[STRAINS][SOFA_SHELL_FREEDOMS]; /* derivatives of the strains of a point */

static void add_turn(const double *s, double f, const double *v, double *row) {
  double turn[3];
  sofa_vec3_cross(s, v, turn);
  sofa_vec3_axpy(f, turn, row + 3);
}

static void surface_rows(const SofaShellPoint *p, const Pose *pose, const Local *l, unsigned n,
                         Rows rows) {
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

static void shear_rows(const SofaShell *shell, const SofaShellPoint *p, const Pose *pose,
                       Rows rows) {
  for (unsigned k = 0; k < shell->n_nodes; k++) {
    const unsigned *v = edges_of(shell->n_nodes)[k];
    double dx[3], d[3];
    edge_of(pose, v, dx, d);
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
    double e[STRAINS], s[STRAINS];
    for (int c = 0; c < STRAINS; c++) e[c] = p->area * rows[c][i];
    sofa_shell_stress(shell, e, s);
    for (unsigned j = 0; j <= i; j++) {
      double sum = 0;
      for (int c = 0; c < STRAINS; c++) sum += s[c] * rows[c][j];
      k[n * i + j] += sum;
    }
  }
}

/* By rotations of one node twice: sum of 1/2 (v s^T + s v^T) - (v . s) I. */
static void add_turn_twice(const Pairs *pairs, const Pose *pose, unsigned node, double *block) {
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
static void position_and_turn(const Pairs *pairs, const Pose *pose, unsigned i, unsigned j,
                              double *block) {
  double c[3] = {0, 0, 0};
  for (int k = 0; k < VECTORS; k++) sofa_vec3_axpy(-pairs->b[k][i][j], pose->s[k][j], c);
  sofa_mat3_cross(c, block);
}

/* Adds a block of 3 x 3 at the row and column of a matrix, its transpose, or both. */
static void put(const double *block, unsigned n, unsigned row, unsigned column, double *k) {
  for (unsigned i = 0; i < 9; i++) k[n * (row + i / 3) + column + i % 3] += block[i];
}

static void add_stress(const SofaShell *shell, const Pairs *pairs, const Pose *pose, double *k) {
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
  Deformation now;
  deform(shell, poses, &now);
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
  mean_shear(shell, membrane_shear, n);
  for (unsigned i = 0; i < shell->n_points; i++) add_material(shell, &shell->point[i], rows[i], k);
  add_stress(shell, &pairs, &now.pose, k);
  // symmetric to the bit
  for (unsigned i = 0; i < n; i++) {
    for (unsigned j = 0; j < i; j++) k[n * j + i] = k[n * i + j];
  }
}
