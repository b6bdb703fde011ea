/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Derivatives of the energy of one shell element. */
#include "numerics/fem/shell_element_impl.h"
#include "numerics/fem/shell_derivatives_impl.h"

void sofa_shell_gradient(const SofaShell *shell, const double *const *poses, double *g) {
  double all[SHELL_NODES][7];
  shell_poses(shell->n_nodes, poses, all);
  shell_gradient(shell->n_nodes, shell->rest, (const double(*)[7])all, g);
}

void sofa_shell_hessian(const SofaShell *shell, const double *const *poses, double *k) {
  const size_t size = 6 * (size_t)shell->n_nodes;
  double all[SHELL_NODES][7], lower[SOFA_SHELL_PACKED];
  shell_poses(shell->n_nodes, poses, all);
  shell_hessian(shell->n_nodes, shell->rest, (const double(*)[7])all, lower);
  sofa_shell_unpack(size, lower, 1, k);
}

void sofa_shell_unpack(size_t size, const double *lower, size_t step, double *k) {
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j <= i; j++)
      k[size * i + j] = k[size * j + i] = lower[step * shell_entry(i, j)];
}
