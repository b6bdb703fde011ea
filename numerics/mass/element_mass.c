/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Masses of elements of any shape. */
#include "numerics/mass/element_mass.h"

enum { NODES = SOFA_SHAPE_MAX_NODES };

static void add_lumped(const uint32_t *v, size_t n_nodes, const double *element, double *lumped) {
  double all = 0, trace = 0;
  for (size_t k = 0; k < n_nodes * n_nodes; k++) all += element[k];
  for (size_t n = 0; n < n_nodes; n++) trace += element[n * n_nodes + n];
  if (!(trace > 0)) return;
  for (size_t n = 0; n < n_nodes; n++) lumped[v[n]] += element[n * n_nodes + n] * all / trace;
}

SofaErr sofa_mass_matrix_of_elements(SofaContext *ctx, const SofaElementMesh *mesh, SofaRule rule,
                                     const SofaMassDensity *density, SofaMassMatrix *out,
                                     double *lumped) {
  const size_t n_nodes = sofa_shape_info(mesh->shape)->n_nodes, dim = mesh->dim;
  SOFA_TRY(sofa_mass_matrix_create(ctx, mesh->n, (unsigned)n_nodes, mesh->vertices, mesh->n_points,
                                   out));
  for (size_t e = 0; e < mesh->n; e++) {
    const uint32_t *v = mesh->vertices + n_nodes * e;
    double p[3 * NODES], rho[NODES], element[NODES * NODES];
    for (size_t n = 0; n < n_nodes; n++) {
      const size_t at = density->nodal ? v[n] : e;
      sofa_copy(p + dim * n, mesh->rest + dim * v[n], dim * sizeof *p);
      rho[n] = density->value[at < density->n ? at : density->n - 1];
    }
    sofa_consistent_mass(mesh->shape, mesh->dim, rule, p, rho, element);
    sofa_mass_matrix_add(out, e, element);
    if (lumped) add_lumped(v, n_nodes, element, lumped);
  }
  sofa_mass_matrix_sums(out);
  return SOFA_OK;
}
