/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedralFEMForceFieldAndMass: the forces of HexahedralFEMForceField and a mass in one object.
 */
#include "components/solidmechanics/fem/HexahedralFEMForceFieldAndMass.h"
#include "components/solidmechanics/fem/hexa_with_mass.h"

static const SofaQuirk quirks[] = {
    QUIRK_HEXA_MASS_ROW,
    QUIRK_HEXA_ASSEMBLED_MASS_ROW,
};

typedef HexahedralFEMForceFieldAndMass SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    HEXA_MASS_ROWS(HexahedralFEMForceFieldAndMass, hexa.fem.mass., m),
    SOFA_ROW(total_mass, "totalMass", NULL, "kg", "mass of each element", .flags = HEXA_OUTPUT),
    SOFA_ROW(particle_masses, "particleMasses", NULL, "kg", "mass of each point, for gravity",
             .flags = HEXA_OUTPUT),
    SOFA_ROW(lumped_masses, "lumpedMasses", NULL, "kg",
             "sums of the rows of the mass at each point", .flags = HEXA_OUTPUT),
};

static SofaErr hexahedral_mass_construct(SofaObject *object) {
  HexahedralFEMForceFieldAndMass *h = (HexahedralFEMForceFieldAndMass *)object;
  h->hexa.fem.hexa_mass = &h->m;
  return SOFA_OK;
}

static SofaErr hexahedral_mass_init(SofaObject *object) {
  HexahedralFEMForceFieldAndMass *h = (HexahedralFEMForceFieldAndMass *)object;
  h->m.diagonal_matrix = sofa_quirk(object, QUIRK_HEXA_ASSEMBLED_MASS);
  return hexa_with_mass_make(&h->hexa.fem);
}

static SofaErr hexahedral_mass_add_force(SofaForceField *ff, const SofaMechParams *params,
                                         const SofaPoint *at, double *const *f) {
  SOFA_TRY(hexahedral_fem_add_force(ff, params, at, f));
  return hexa_with_mass_add_gravity((SofaLinearFem *)ff, f[0]);
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = hexahedral_mass_add_force,
    .add_dforce = hexahedral_fem_add_dforce,
    .add_k = hexahedral_fem_add_k,
    .potential_energy = hexahedral_fem_potential_energy,
    .approximation = hexahedral_fem_approximation,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static SofaErr hexahedral_mass_compute(SofaObject *object, const SofaField *field) {
  HexahedralFEMForceFieldAndMass *h = (HexahedralFEMForceFieldAndMass *)object;
  const SofaMassMatrix *m = &h->m.matrix;
  SofaElementMesh mesh;
  SOFA_TRY(hexa_with_mass_compute(&h->hexa.fem, &mesh));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &h->total_mass, mesh.n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &h->particle_masses, m->n));
  SOFA_TRY(SOFA_RESIZE(object->ctx, &h->lumped_masses, m->n));
  // the entries of one direction of a matrix sum up to the mass
  for (size_t e = 0; e < mesh.n; e++) {
    h->total_mass.data[e] = 0;
    for (size_t k = 0; k < 64; k++)
      h->total_mass.data[e] += h->m.mass_matrices.data[576 * e + 72 * (k / 8) + 3 * (k % 8)];
  }
  for (size_t i = 0; i < m->n; i++) {
    h->particle_masses.data[i] = h->m.gravity[i];
    for (size_t c = 0; c < 3; c++)
      h->lumped_masses.data[i].v[c] = mass_matrix_of(m, m->row_sum + m->width * i, c);
  }
  sofa_field_touch(object, field);
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(HexahedralFEMForceFieldAndMass) = {
    SOFA_NAMED(HexahedralFEMForceFieldAndMass),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "Mass",
    .help = "HexahedralFEMForceField with the consistent or lumped mass of its elements.",
    .base = &sofa_HexahedralFEMForceField_class,
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = hexahedral_mass_construct,
    .init = hexahedral_mass_init,
    .reinit = hexahedral_mass_init,
    .compute_output = hexahedral_mass_compute,
    .destroy = hexa_with_mass_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_MASS, &sofa_hexa_mass_ops}),
};
