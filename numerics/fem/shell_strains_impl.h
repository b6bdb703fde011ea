/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Strains and stresses of a shell element at its points, for its energy and outputs. */
#ifndef SOFA_NUMERICS_FEM_SHELL_STRAINS_H
#define SOFA_NUMERICS_FEM_SHELL_STRAINS_H

#include "numerics/fem/shell_modes_impl.h"

enum { SHELL_STRAINS = SOFA_SHELL_STRAINS };

/* Positions and vectors of the nodes in the world. */
typedef struct ShellPose {
  Real x[SHELL_NODES][3], s[VECTORS][SHELL_NODES][3];
} ShellPose;

/* Derivatives of x and d, and t_1, t_2 at a point. */
typedef struct ShellLocal {
  Real x[2][3], d[2][3], t[VECTORS][3];
} ShellLocal;

/* Of all points. */
typedef struct ShellDeformation {
  ShellPose pose;
  ShellLocal local[SOFA_SHELL_POINTS];
  Real strain[SOFA_SHELL_POINTS][SHELL_STRAINS], stress[SOFA_SHELL_POINTS][SHELL_STRAINS];
} ShellDeformation;

/* ---- configurations ---- */

FORM void shell_pose(unsigned n, const SofaShell *shell, const Real (*poses)[7], ShellPose *out) {
  ShellNow now;
  shell_vectors(n, shell->rest, poses, &now);
  for (unsigned i = 0; i < n; i++)
    for (int a = 0; a < 3; a++) {
      out->x[i][a] = poses[i][a];
      for (int k = 0; k < VECTORS; k++) out->s[k][i][a] = now.s[k][i][a];
    }
}

FORM void shell_local(unsigned n, const SofaShellPoint *p, const ShellPose *pose, ShellLocal *out) {
  for (int a = 0; a < 2; a++) {
    form_clear(3, out->x[a]);
    form_clear(3, out->d[a]);
    for (unsigned i = 0; i < n; i++) {
      form_axpy(p->slope[i][a], pose->x[i], out->x[a]);
      form_axpy(p->slope[i][a], pose->s[DIRECTOR][i], out->d[a]);
    }
  }
  for (int k = FIRST; k < VECTORS; k++) {
    form_clear(3, out->t[k]);
    for (unsigned i = 0; i < n; i++) form_axpy(p->shape[i], pose->s[k][i], out->t[k]);
  }
}

/* Difference of the positions of an edge, mean of its directors. */
FORM void shell_edge(const ShellPose *pose, const unsigned *edge, Real *dx, Real *d) {
  const Real half = real_set(0.5);
  for (int i = 0; i < 3; i++) {
    dx[i] = pose->x[edge[1]][i] - pose->x[edge[0]][i];
    d[i] = half * (pose->s[DIRECTOR][edge[0]][i] + pose->s[DIRECTOR][edge[1]][i]);
  }
}

FORM void shell_strain(unsigned n, const SofaShellPoint *p, const ShellPose *pose,
                       const ShellLocal *l, Real *e) {
  const Real half = real_set(0.5);
  e[0] = half * form_dot(l->x[0], l->x[0]);
  e[1] = half * form_dot(l->x[1], l->x[1]);
  e[2] = form_dot(l->x[0], l->x[1]);
  e[3] = form_dot(l->x[0], l->d[0]);
  e[4] = form_dot(l->x[1], l->d[1]);
  e[5] = form_dot(l->x[0], l->d[1]) + form_dot(l->x[1], l->d[0]);
  e[6] = e[7] = real_set(0);
  for (unsigned k = 0; k < n; k++) {
    Real dx[3], d[3];
    shell_edge(pose, shell_edges[n == 4][k], dx, d);
    const Real g = form_dot(dx, d);
    e[6] = real_madd(p->shear[k][0], g, e[6]);
    e[7] = real_madd(p->shear[k][1], g, e[7]);
  }
  e[8] = half * (form_dot(l->t[SECOND], l->x[0]) - form_dot(l->t[FIRST], l->x[1]));
  for (int k = 0; k < SHELL_STRAINS; k++) e[k] = e[k] - p->rest[k];
}

FORM void shell_stress(const SofaShell *shell, const Real *e, Real *s) {
  const Real nu = shell->section.poisson, half = real_set(0.5);
  for (int k = 0; k < 6; k += 3) {
    const Real stiffness = k ? shell->section.bending : shell->section.membrane;
    s[k] = stiffness * real_madd(nu, e[k + 1], e[k]);
    s[k + 1] = stiffness * real_madd(nu, e[k], e[k + 1]);
    s[k + 2] = stiffness * (real_set(1) - nu) * half * e[k + 2];
  }
  s[6] = shell->section.shear * e[6];
  s[7] = shell->section.shear * e[7];
  s[8] = shell->section.drilling * e[8];
}

/* Replaces the membrane shear of each point, or derivatives of it, by the mean over the element:
 * bending in the surface makes shear of bilinear displacements that is not that of the body. */
FORM void shell_mean_shear(unsigned n, const SofaShell *shell, Real *const *membrane_shear,
                           size_t count) {
  Real area = real_set(0);
  for (unsigned i = 0; i < n; i++) area = area + shell->point[i].area;
  const Real scale = real_set(1) / area;
  for (size_t k = 0; k < count; k++) {
    Real sum = real_set(0);
    for (unsigned i = 0; i < n; i++)
      sum = real_madd(shell->point[i].area, membrane_shear[i][k], sum);
    for (unsigned i = 0; i < n; i++) membrane_shear[i][k] = sum * scale;
  }
}

FORM void shell_deform(unsigned n, const SofaShell *shell, const Real (*poses)[7],
                       ShellDeformation *out) {
  Real *membrane_shear[SOFA_SHELL_POINTS];
  shell_pose(n, shell, poses, &out->pose);
  for (unsigned i = 0; i < n; i++) {
    shell_local(n, &shell->point[i], &out->pose, &out->local[i]);
    shell_strain(n, &shell->point[i], &out->pose, &out->local[i], out->strain[i]);
    membrane_shear[i] = &out->strain[i][2];
  }
  shell_mean_shear(n, shell, membrane_shear, 1);
  for (unsigned i = 0; i < n; i++) shell_stress(shell, out->strain[i], out->stress[i]);
}

#endif
