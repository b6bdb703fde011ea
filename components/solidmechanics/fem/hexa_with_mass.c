/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The mass of force fields of hexahedra, in the same object. */
#include "components/solidmechanics/fem/hexa_with_mass.h"

/* The topology's factors of the masses of hexahedra, for force fields that take those of the
 * stiffness; NULL: none. */
static const double *factors(const SofaLinearFem *fem) {
  const double *stiffness = NULL, *mass = NULL;
  return fem->graded && sofa_topology_factors(fem->mesh, &stiffness, &mass) ? mass : NULL;
}

SofaErr hexa_with_mass_make(SofaLinearFem *fem) {
  const SofaObject *object = &fem->force_field.object;
  SofaHexaMass *m = fem->hexa_mass;
  SofaElementMesh mesh;
  m->law = sofa_quirk(object, QUIRK_HEXA_MASS) ? sofa_hexa_mass_of_box : sofa_hexa_mass_exact;
  fem->force_field.partial_tangent |= m->full_matrix || m->diagonal_matrix;
  SOFA_TRY(sofa_linear_fem_elements(fem, SOFA_SHAPE_HEXA, &mesh));
  SOFA_TRY(sofa_hexa_mass_make(object, m, &mesh, factors(fem)));
  m->revision = fem->mesh->revision;
  return sofa_mass_diagonal_whole(fem->force_field.state[0], m->matrix.width, m->matrix.row_sum,
                                  &m->divisor);
}

SofaErr hexa_with_mass_add_gravity(SofaLinearFem *fem, double *f) {
  if (fem->hexa_mass->revision != fem->mesh->revision) SOFA_TRY(hexa_with_mass_make(fem));
  sofa_hexa_mass_add_gravity(&fem->mass, fem->hexa_mass, f);
  return SOFA_OK;
}

SofaErr hexa_with_mass_compute(SofaLinearFem *fem, SofaElementMesh *mesh) {
  SOFA_TRY(sofa_linear_fem_elements(fem, SOFA_SHAPE_HEXA, mesh));
  return sofa_hexa_mass_give_matrices(&fem->force_field.object, fem->hexa_mass, mesh, factors(fem));
}

void hexa_with_mass_destroy(SofaObject *object) {
  sofa_hexa_mass_free(object->ctx, ((SofaLinearFem *)object)->hexa_mass);
}
