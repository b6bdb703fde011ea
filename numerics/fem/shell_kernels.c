/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Choice of the kernels of shells: those of the instruction set the context chose. */
#include "numerics/fem/shell_kernels.h"

#include <stddef.h>
#include "math/isa.h"

void sofa_shell_group_set(SofaShellGroup *group, size_t lane, const uint32_t *v,
                          const SofaShell *shell) {
  for (size_t k = 0; k < SOFA_SHELL_REALS; k++) group->shell[k][lane] = shell->rest[k];
  for (unsigned n = 0; n < shell->n_nodes; n++) group->v[n][lane] = v[n];
}

const SofaShellKernels *sofa_shell_kernels(const SofaContext *ctx) {
  static const SofaShellKernels *const variants[] = SOFA_VARIANTS(&sofa_shell_kernels);
  return variants[sofa_isa(ctx)];
}
