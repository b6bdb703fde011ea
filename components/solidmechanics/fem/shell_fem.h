/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What force fields of shells share. */
#ifndef SOFA_FEM_SHELL_FEM_H
#define SOFA_FEM_SHELL_FEM_H

#include "numerics/fem/element_sums.h"
#include "numerics/fem/linear_fem.h"
#include "numerics/fem/late_blocks.h"
#include "numerics/fem/pair_product.h"
#include "numerics/fem/shell_kernels.h"

typedef struct SofaShellElement {
  uint32_t v[SOFA_SHELL_NODES];
  SofaShell shell;
} SofaShellElement;

/* dF/dx, whose parts are owned. */
typedef struct SofaShellBlocks {
  SofaElementPairs pairs;
  SofaLateBlocks late;     /* of several threads, behind those of pairs */
  SofaPairProduct product; /* the same */
  uint32_t *places;        /* of the blocks of elements; NULL: nothing is made yet */
  double *blocks;          /* 36 each */
} SofaShellBlocks;

typedef struct SofaShellFem {
  SofaLinearFem fem;
  double thickness, shear_factor, drilling_factor, crease;
  SofaVec3s normals;
  SofaVec3s membrane_forces, bending_moments; /* outputs: see their rows */
  SofaReals membrane_energy, bending_energy;
  SofaElementKind kind; /* triangles or quads; set by the class at construction */
  SofaShellElement *elements;
  char *room; /* of the groups: the same side by side; owned */
  size_t n, n_groups;
  SofaElementSums sums;
  SofaShellBlocks blocks; /* made by the first product or assembly */
  uint32_t revision;      /* of the topology the elements were made of */
  double *point;          /* poses of the last force, 7 for each of n_points points; owned */
  size_t n_points;
  bool tangents;   /* the blocks are of that point */
  bool descending; /* and of elements whose matrices have no eigenvalue above 0 */
} SofaShellFem;

/* Groups begin at a line of the cache: registers that cross lines take two loads. */
enum { SOFA_SHELL_LINE = 64 }; /* bytes */
static inline SofaShellGroup *sofa_shell_groups(const SofaShellFem *t) {
  const uintptr_t past = (uintptr_t)t->room % SOFA_SHELL_LINE;
  return (void *)(t->room + (SOFA_SHELL_LINE - past) % SOFA_SHELL_LINE);
}

extern const SofaClass sofa_shell_fem_class; /* abstract */

#endif
