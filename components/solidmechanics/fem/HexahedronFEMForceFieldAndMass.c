/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedronFEMForceFieldAndMass: the forces of HexahedronFEMForceField and a mass in one object.
 */
#include "components/solidmechanics/fem/HexahedronFEMForceFieldAndMass.h"
#include "components/solidmechanics/fem/hexa_mass_quirks.h"

static const SofaQuirk quirks[] = {
    QUIRK_HEXA_MASS_ROW,
    QUIRK_HEXA_ASSEMBLED_MASS_ROW,
};

typedef HexahedronFEMForceFieldAndMass SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_MASS_ROWS(HexahedronFEMForceFieldAndMass, hexa.fem.mass.),
    SOFA_ROW(m.density, "density", "1", "kg/m^3", "mass per volume", .range = SOFA_AT_LEAST(0),
             .on_bad = SOFA_BAD_KEEP),
    SOFA_ROW(m.lumped, "lumpedMass", "0", "",
             "diagonal matrix: the sum of each row of the consistent one on its diagonal"),
    SOFA_ROW(m.mass_matrices, "massMatrices", NULL, "kg",
             "the 24 x 24 mass matrices of the elements, row by row",
             .flags = SOFA_FIELD_OUTPUT | SOFA_FIELD_LAZY | SOFA_FIELD_NO_AUTOLINK),
};

static SofaErr hexahedron_mass_construct(SofaObject *object) {
  HexahedronFEMForceFieldAndMass *h = (HexahedronFEMForceFieldAndMass *)object;
  h->hexa.fem.hexa_mass = &h->m;
  return SOFA_OK;
}

static SofaErr hexahedron_mass_init(SofaObject *object) {
  HexahedronFEMForceFieldAndMass *h = (HexahedronFEMForceFieldAndMass *)object;
  SofaElementMesh mesh;
  h->m.law = sofa_quirk(object, QUIRK_HEXA_MASS) ? sofa_hexa_mass_of_box : sofa_hexa_mass_exact;
  h->m.full_matrix = h->m.lumped && sofa_quirk(object, QUIRK_HEXA_ASSEMBLED_MASS);
  h->hexa.fem.force_field.partial_tangent |= h->m.full_matrix;
  const double *stiffness, *factor;
  sofa_topology_factors(h->hexa.fem.mesh, &stiffness, &factor);
  SOFA_TRY(hexahedron_fem_mesh(&h->hexa, &mesh));
  SOFA_TRY(sofa_hexa_mass_make(object, &h->m, &mesh, factor));
  h->revision = h->hexa.revision;
  return SOFA_OK;
}

static void hexahedron_mass_destroy(SofaObject *object) {
  sofa_hexa_mass_free(object->ctx, &((HexahedronFEMForceFieldAndMass *)object)->m);
}

static SofaErr hexahedron_mass_add_force(SofaForceField *ff, const SofaMechParams *params,
                                         const SofaPoint *at, double *const *f) {
  HexahedronFEMForceFieldAndMass *h = (HexahedronFEMForceFieldAndMass *)ff;
  SOFA_TRY(hexahedron_fem_add_force(ff, params, at, f));
  if (h->revision != h->hexa.revision) SOFA_TRY(hexahedron_mass_init(&ff->object));
  sofa_hexa_mass_add_gravity(&h->hexa.fem.mass, &h->m, f[0]);
  return SOFA_OK;
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = hexahedron_mass_add_force,
    .add_dforce = hexahedron_fem_add_dforce,
    .add_k = hexahedron_fem_add_k,
    .potential_energy = hexahedron_fem_potential_energy,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static SofaErr hexahedron_mass_compute(SofaObject *object, const SofaField *field) {
  HexahedronFEMForceFieldAndMass *h = (HexahedronFEMForceFieldAndMass *)object;
  const double *stiffness = NULL, *factor = NULL;
  SofaElementMesh mesh;
  if (!sofa_topology_factors(h->hexa.fem.mesh, &stiffness, &factor)) factor = NULL;
  SOFA_TRY(hexahedron_fem_mesh(&h->hexa, &mesh));
  SOFA_TRY(sofa_hexa_mass_give_matrices(object, &h->m, &mesh, factor));
  sofa_field_touch(object, field);
  return SOFA_OK;
}

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(HexahedronFEMForceFieldAndMass) = {
    SOFA_NAMED(HexahedronFEMForceFieldAndMass),
    .module = "Sofa.Component.SolidMechanics.FEM.Elastic",
    .category = "Mass",
    .help = "HexahedronFEMForceField with the consistent or lumped mass of its elements.",
    .base = &sofa_HexahedronFEMForceField_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = hexahedron_mass_construct,
    .init = hexahedron_mass_init,
    .reinit = hexahedron_mass_init,
    .compute_output = hexahedron_mass_compute,
    .destroy = hexahedron_mass_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_MASS, &sofa_hexa_mass_ops}),
};
