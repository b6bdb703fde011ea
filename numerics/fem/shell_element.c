/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Shell elements: rest shape, strains, energy. */
#include "numerics/fem/shell_element_impl.h"

#include <string.h>
#include "base/bytes.h"
#include "math/quaternion.h"
#include "math/vec.h"

/* ---- shape functions ---- */

static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
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
  for (int n = 0; n < SHELL_NODES; n++) sofa_vec3_axpy(p->slope[n][a], v[n], out);
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

/* ---- strains ---- */

void sofa_shell_stress(const SofaShell *shell, const double *e, double *s) {
  shell_stress(shell, e, s);
}

static void deform(const SofaShell *shell, const double *const *poses, ShellDeformation *out) {
  double all[SHELL_NODES][7];
  shell_poses(shell->n_nodes, poses, all);
  shell_deform(shell->n_nodes, shell, (const double(*)[7])all, out);
}

void sofa_shell_strain(const SofaShell *shell, const double *const *poses, unsigned point,
                       double *strain) {
  ShellDeformation now;
  deform(shell, poses, &now);
  memcpy(strain, now.strain[point], sizeof now.strain[point]);
}

static void unit_quaternion(const double *pose, double *q) {
  double n2 = 0;
  for (int i = 0; i < 4; i++) n2 += pose[3 + i] * pose[3 + i];
  const double scale = n2 > 0 ? 1 / sqrt(n2) : 0;
  for (int i = 0; i < 4; i++) q[i] = scale * pose[3 + i];
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
  for (int n = 0; n < SHELL_NODES; n++) {
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

/* ---- modes ---- */

static void slopes_of_modes(const SofaShell *s, unsigned point, double (*out)[SHELL_MODES]) {
  for (int a = 0; a < 2; a++) {
    for (unsigned m = 0; m < SHELL_MODES; m++) {
      double sum = 0;
      for (unsigned i = 0; i < s->n_nodes; i++)
        sum += s->n_nodes == 4 ? shell_signs[1][m][i] * s->point[point].slope[i][a] / 4
                               : (i == m + 1) * s->point[point].slope[i][a];
      out[a][m] = sum;
    }
  }
}

/* Strains 11, 22 and 2*12 of a point from the products of pairs of modes. */
static void strains_of_pairs(const SofaShell *s, unsigned point, double (*p)[SHELL_PAIRS]) {
  double slope[2][SHELL_MODES];
  slopes_of_modes(s, point, slope);
  for (unsigned m = 0; m < SHELL_MODES; m++) {
    for (unsigned k = 0; k <= m; k++) {
      const size_t q = shell_pair(m, k);
      for (int a = 0; a < 2; a++) p[a][q] = slope[a][m] * slope[a][k];
      p[2][q] = slope[0][m] * slope[1][k] + slope[1][m] * slope[0][k];
    }
  }
}

/* metric += p^T C p, C of the first two strains, or of the third one, of unit modulus. */
static void add_plane(double nu, double weight, double (*p)[SHELL_PAIRS], double *metric) {
  for (size_t q = 0; q < SHELL_PAIRS; q++)
    for (size_t r = 0; r <= q; r++)
      metric[shell_pair(q, r)] +=
          weight * (p[0][q] * (p[0][r] + nu * p[1][r]) + p[1][q] * (p[1][r] + nu * p[0][r]));
}
static void add_shear(double nu, double weight, const double *p, double *metric) {
  for (size_t q = 0; q < SHELL_PAIRS; q++)
    for (size_t r = 0; r <= q; r++) metric[shell_pair(q, r)] += weight * (1 - nu) / 2 * p[q] * p[r];
}

/* The membrane shear is the mean over the element. */
static void make_plane_metrics(const SofaShell *s, SofaShellModes *out) {
  const SofaShellSection *section = &s->section;
  double area = 0, mean[SHELL_PAIRS] = {0};
  for (unsigned i = 0; i < s->n_points; i++) {
    const double weight = s->point[i].area;
    double p[3][SHELL_PAIRS];
    strains_of_pairs(s, i, p);
    add_plane(section->poisson, weight * section->membrane, p, out->membrane);
    add_plane(section->poisson, weight * section->bending, p, out->bending);
    add_shear(section->poisson, weight * section->bending, p[2], out->bending);
    for (int q = 0; q < SHELL_PAIRS; q++) mean[q] += weight * p[2][q];
    area += weight;
  }
  add_shear(section->poisson, section->membrane / area, mean, out->membrane);
}

/* The products of edges are those of sums of directors, and twice the differences of those of a
 * quadrilateral. */
static void make_other_metrics(const SofaShell *s, SofaShellModes *out) {
  const double scale = s->section.shear / (s->n_nodes == 4 ? 16 : 4);
  double area = 0;
  for (unsigned i = 0; i < s->n_points; i++) {
    const SofaShellPoint *p = &s->point[i];
    for (unsigned k = 0; k < s->n_nodes; k++)
      for (unsigned l = 0; l <= k; l++)
        out->shear[shell_pair(k, l)] +=
            scale * p->area * (p->shear[k][0] * p->shear[l][0] + p->shear[k][1] * p->shear[l][1]);
    slopes_of_modes(s, i, out->slope[i]);
    area += p->area;
  }
  for (unsigned i = 0; i < s->n_points; i++)
    out->drilling[i] = s->section.drilling / 4 * (s->n_nodes == 4 ? s->point[i].area : area / 12);
}

/* Of vectors in the frames of the nodes; slopes and metrics of a quadrilateral. */
static void put_modes(SofaShell *s, const SofaShellModes *modes) {
  SofaShellTriangleModes few = {.membrane = {0}};
  if (s->n_nodes == 4) {
    memcpy(s->rest, modes, sizeof *modes);
    return;
  }
  memcpy(few.membrane, modes->membrane, sizeof few.membrane);
  memcpy(few.bending, modes->bending, sizeof few.bending);
  memcpy(few.shear, modes->shear, sizeof few.shear);
  memcpy(few.drilling, modes->drilling, sizeof few.drilling);
  for (int a = 0; a < 2; a++) memcpy(few.slope[0][a], modes->slope[0][a], sizeof few.slope[0][a]);
  for (int k = 0; k < 3; k++) memcpy(few.vector[k], modes->vector[k], sizeof few.vector[k]);
  memcpy(s->rest, &few, sizeof few);
}

/* Products at rest, which are those of poses without any. */
static void put_rest(SofaShell *s, const double (*poses)[7]) {
  const unsigned n = s->n_nodes;
  ShellNow now;
  ShellStress rest = {.membrane = {0}};
  const size_t pairs = (n - 1) * n / 2;
  shell_now(n, s->rest, poses, &now);
  shell_strains(n, &now, &rest);
  sofa_copy(s->rest + SHELL_AT(n, rest_membrane), rest.membrane, pairs * sizeof *s->rest);
  sofa_copy(s->rest + SHELL_AT(n, rest_bending), rest.bending, pairs * sizeof *s->rest);
  sofa_copy(s->rest + SHELL_AT(n, rest_shear), rest.shear, n * sizeof *s->rest);
  sofa_copy(s->rest + SHELL_AT(n, rest_drilling), rest.drilling, n * sizeof *s->rest);
}

/* What is to be subtracted. */
static void finish(SofaShell *s, const double *const *poses) {
  double all[SHELL_NODES][7];
  ShellDeformation now;
  shell_poses(s->n_nodes, poses, all);
  put_rest(s, (const double(*)[7])all);
  deform(s, poses, &now);
  for (unsigned i = 0; i < s->n_points; i++)
    memcpy(s->point[i].rest, now.strain[i], sizeof now.strain[i]);
}

bool sofa_shell_make(unsigned n_nodes, const double *const *poses, const double (*directors)[3],
                     const SofaShellSection *section, SofaShell *out) {
  double x[SHELL_NODES][3] = {{0}}, axes[9];
  *out = (SofaShell){.n_nodes = n_nodes, .n_points = n_nodes, .section = *section};
  for (unsigned n = 0; n < n_nodes; n++) sofa_vec3_copy(poses[n], x[n]);
  if (!make_points(out, x, axes)) return false;
  SofaShellModes modes = {.membrane = {0}};
  for (unsigned n = 0; n < n_nodes; n++) {
    double q[4];
    unit_quaternion(poses[n], q);
    sofa_quat_rotate_inverse(q, directors[n], modes.vector[DIRECTOR][n]);
    for (int a = 0; a < 2; a++)
      sofa_quat_rotate_inverse(q, axes + 3 * a, modes.vector[FIRST + a][n]);
  }
  make_plane_metrics(out, &modes);
  make_other_metrics(out, &modes);
  put_modes(out, &modes);
  finish(out, poses);
  return true;
}

/* ---- energy ---- */

double sofa_shell_energy(const SofaShell *shell, const double *const *poses) {
  double energy = 0;
  ShellDeformation now;
  deform(shell, poses, &now);
  for (unsigned i = 0; i < shell->n_points; i++)
    for (int k = 0; k < SHELL_STRAINS; k++)
      energy += shell->point[i].area * now.strain[i][k] * now.stress[i][k] / 2;
  return energy;
}
