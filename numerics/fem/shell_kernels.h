/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The hot loops over shell elements, compiled once per instruction set. avx2 and avx512 give the
 * same bits; lanes do not see each other. */
#ifndef SOFA_NUMERICS_FEM_SHELL_KERNELS_H
#define SOFA_NUMERICS_FEM_SHELL_KERNELS_H

#include "base/context.h"
#include "numerics/fem/element_batch.h"
#include "numerics/fem/shell_element.h"

SOFA_BEGIN_DECLS

/* Elements side by side; lanes beyond the last element repeat it. */
typedef struct SofaShellGroup {
  uint32_t v[SOFA_SHELL_NODES][SOFA_LANES];
  double shell[SOFA_SHELL_REALS][SOFA_LANES]; /* `rest` of a SofaShell */
} SofaShellGroup;

/* Puts an element into a lane. */
void sofa_shell_group_set(SofaShellGroup *group, size_t lane, const uint32_t *v,
                          const SofaShell *shell);

/* Elements of n_nodes nodes; x: poses of all points, 7 reals each. */
typedef struct SofaShellKernels {
  const char *name; /* as of SofaKernels */
  /* Minus the derivative of W, 6 per node. */
  void (*force)(unsigned n_nodes, const SofaShellGroup *group, const double *x,
                double (*f)[SOFA_LANES]);
  /* Minus the second derivative, its lower half packed by rows. */
  void (*tangent)(unsigned n_nodes, const SofaShellGroup *group, const double *x,
                  double (*k)[SOFA_LANES]);
  /* Adds the blocks of 6 x 6 of the first n elements to those at their places, of
   * sofa_block_places_create with all local pairs of nodes. ahead: the places of a group that
   * follows soon, or NULL. */
  void (*spread)(unsigned n_nodes, const double (*k)[SOFA_LANES], const uint32_t *places, size_t n,
                 const uint32_t *ahead, double *blocks);
} SofaShellKernels;

/* The kernels of the context's instruction set. */
const SofaShellKernels *sofa_shell_kernels(const SofaContext *ctx);

/* Use sofa_shell_kernels. The last two exist on x86-64 only. */
extern const SofaShellKernels sofa_shell_kernels_baseline, sofa_shell_kernels_avx2,
    sofa_shell_kernels_avx512;

SOFA_END_DECLS

#endif
