/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the two sources of shell elements share. */
#ifndef SOFA_NUMERICS_FEM_SHELL_ELEMENT_IMPL_H
#define SOFA_NUMERICS_FEM_SHELL_ELEMENT_IMPL_H

#include <stddef.h>
#include "numerics/fem/shell_element.h"

enum {
  SHELL_NODES = SOFA_SHELL_NODES,
  SHELL_STRAINS = SOFA_SHELL_STRAINS,
  DIRECTOR = 0,
  FIRST,
  SECOND,
  VECTORS
};

/* Positions and vectors of the nodes in the world. */
typedef struct ShellPose {
  double x[SHELL_NODES][3], s[VECTORS][SHELL_NODES][3];
} ShellPose;

/* Derivatives of x and d, and t_1, t_2 at a point. */
typedef struct ShellLocal {
  double x[2][3], d[2][3], t[VECTORS][3];
} ShellLocal;

/* Of all points. */
typedef struct ShellDeformation {
  ShellPose pose;
  ShellLocal local[SOFA_SHELL_POINTS];
  double strain[SOFA_SHELL_POINTS][SHELL_STRAINS], stress[SOFA_SHELL_POINTS][SHELL_STRAINS];
} ShellDeformation;

/* The pairs of nodes whose shear strains are those of the element, n_nodes of them. */
const unsigned (*sofa_shell_edges(unsigned n_nodes))[2];
/* Difference of the positions of an edge, mean of its directors. */
void sofa_shell_edge(const ShellPose *pose, const unsigned *edge, double *dx, double *d);
/* Replaces the membrane shear of each point by the mean over the element: bending in the surface
 * makes shear of bilinear displacements that is not that of the body. n: numbers of each
 * point. */
void sofa_shell_mean_shear(const SofaShell *shell, double *const *membrane_shear, size_t n);
void sofa_shell_deform(const SofaShell *shell, const double *const *poses, ShellDeformation *out);

#endif
