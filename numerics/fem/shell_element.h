/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Triangles and quadrilaterals of a shell between frames, apart from any component: displacements
 * and rotations may be large, strains in the surface moderate.
 *
 * A point of the shell is x + z d, |z| <= h/2, with x = sum N_i x_i and the director
 * d = sum N_i R_i D_i, D_i fixed in the frame i. With derivatives along orthonormal axes E_1, E_2
 * of the surface at rest and t_a = sum N_i R_i T_a, the strains are, each minus its value at rest,
 *   membrane  1/2 x,a . x,b                     (Green), its shear 12 the mean over the element,
 *             so that quadrilaterals bend in their plane without shear of bilinear displacements
 *   bending   1/2 (x,a . d,b + x,b . d,a)
 *   shear     x,a . d, of the middles of the edges: MITC4 (E. N. Dvorkin, K. J. Bathe, Eng. Comput.
 * 1, 1984) and MITC3 (P. S. Lee, K. J. Bathe, Comput. Struct. 82, 2004) drilling  1/2 (t_2 . x,1 -
 * t_1 . x,2)       (T. J. R. Hughes, F. Brezzi, Comput. Methods Appl. Mech. Eng. 72, 1989) and W =
 * 1/2 int (e . C e + h^2/12 k . C k + k_s G h g^2 + c G h w^2) dA with C of plane stress. All
 * strains are sums of products x_i . x_j and x_i . R_j v: W does not change in a rigid motion, and
 * its derivatives along rotation vectors are exact. */
#ifndef SOFA_NUMERICS_FEM_SHELL_ELEMENT_H
#define SOFA_NUMERICS_FEM_SHELL_ELEMENT_H

#include <stdbool.h>
#include <stddef.h>
#include "base/api.h"

SOFA_BEGIN_DECLS

enum {
  SOFA_SHELL_NODES = 4,   /* at most */
  SOFA_SHELL_POINTS = 4,  /* of integration, at most */
  SOFA_SHELL_STRAINS = 9, /* membrane 11 22 2*12, bending likewise, shear 1 2, drilling */
  SOFA_SHELL_FREEDOMS = 6 * SOFA_SHELL_NODES,
  SOFA_SHELL_PACKED = SOFA_SHELL_FREEDOMS * (SOFA_SHELL_FREEDOMS + 1) / 2,
  SOFA_SHELL_MODES = SOFA_SHELL_NODES - 1,
  SOFA_SHELL_MODE_PAIRS = SOFA_SHELL_MODES * (SOFA_SHELL_MODES + 1) / 2,
  SOFA_SHELL_METRIC = SOFA_SHELL_MODE_PAIRS * (SOFA_SHELL_MODE_PAIRS + 1) / 2
};

/* A point of integration. */
typedef struct SofaShellPoint {
  double area;                       /* m^2 */
  double shape[SOFA_SHELL_NODES];    /* N_i */
  double slope[SOFA_SHELL_NODES][2]; /* N_i,1 and N_i,2, 1/m */
  double shear[SOFA_SHELL_NODES][2]; /* shear strains 1 and 2 of that of each edge, 1/m */
  double rest[SOFA_SHELL_STRAINS];   /* strains at rest */
} SofaShellPoint;

/* Stiffness of the cross section. */
typedef struct SofaShellSection {
  double membrane, bending; /* E h / (1 - nu^2), N/m, and h^2/12 times that, N m */
  double poisson;
  double shear, drilling; /* k_s G h, c G h, N/m */
} SofaShellSection;

/* What forces need of a quadrilateral at rest, by the modes of shell_modes_impl.h; reals alone.
 * Lower halves are packed by rows. */
typedef struct SofaShellModes {
  double membrane[SOFA_SHELL_METRIC], bending[SOFA_SHELL_METRIC]; /* between pairs of modes */
  double shear[SOFA_SHELL_NODES * (SOFA_SHELL_NODES + 1) / 2];    /* between edges */
  double slope[SOFA_SHELL_POINTS][2][SOFA_SHELL_MODES];           /* of modes along the axes */
  double drilling[SOFA_SHELL_POINTS];
  /* products at rest of the modes, of edges, and for drilling */
  double rest_membrane[SOFA_SHELL_MODE_PAIRS], rest_bending[SOFA_SHELL_MODE_PAIRS];
  double rest_shear[SOFA_SHELL_NODES], rest_drilling[SOFA_SHELL_NODES];
  /* of each node, in its frame: director D_i and the directions T_1, T_2 of the element */
  double vector[3][SOFA_SHELL_NODES][3];
} SofaShellModes;
/* The same of triangles, which are flat: slopes are those of all points. */
typedef struct SofaShellTriangleModes {
  double membrane[6], bending[6], shear[6], slope[1][2][2], drilling[3];
  double rest_membrane[3], rest_bending[3], rest_shear[3], rest_drilling[3], vector[3][3][3];
} SofaShellTriangleModes;
enum {
  SOFA_SHELL_REALS = sizeof(SofaShellModes) / sizeof(double),
  SOFA_SHELL_TRIANGLE_REALS = sizeof(SofaShellTriangleModes) / sizeof(double)
};

typedef struct SofaShell {
  unsigned n_nodes, n_points; /* 3 and 3 or 4 and 4 */
  SofaShellPoint point[SOFA_SHELL_POINTS];
  SofaShellSection section;
  double rest[SOFA_SHELL_REALS]; /* a SofaShellModes or a SofaShellTriangleModes */
} SofaShell;

/* Section of a thickness h > 0 [m] and the moduli [Pa]; shear factor k_s, drilling factor c. */
SofaShellSection sofa_shell_section(double young, double poisson, double thickness, double shear,
                                    double drilling);
/* Unit normal of the surface x (n_nodes x 3) at a node. false: the node has no area. */
bool sofa_shell_normal(unsigned n_nodes, const double (*x)[3], unsigned node, double *normal);
/* poses: of the nodes at rest, 7 reals each; directors: unit vectors of the world. false: the
 * element has no area at a point of integration, or is turned over there. */
bool sofa_shell_make(unsigned n_nodes, const double *const *poses, const double (*directors)[3],
                     const SofaShellSection *section, SofaShell *out);

/* Strains of a point at poses. */
void sofa_shell_strain(const SofaShell *shell, const double *const *poses, unsigned point,
                       double *strain);
/* Forces and moments per length of a point, N/m and N: as strains, drilling last. */
void sofa_shell_stress(const SofaShell *shell, const double *strain, double *stress);
double sofa_shell_energy(const SofaShell *shell, const double *const *poses);
/* Derivative of W by the positions and rotations of the nodes in the world, 6 per node. */
void sofa_shell_gradient(const SofaShell *shell, const double *const *poses, double *g);
/* Second derivative along rotation vectors, 6 n_nodes x 6 n_nodes and symmetric. */
void sofa_shell_hessian(const SofaShell *shell, const double *const *poses, double *k);
/* A symmetric matrix, size x size, from its lower half packed by rows, each entry `step` reals
 * after the one before. */
void sofa_shell_unpack(size_t size, const double *lower, size_t step, double *k);

SOFA_END_DECLS

#endif
