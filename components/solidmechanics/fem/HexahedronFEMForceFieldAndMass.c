/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HexahedronFEMForceFieldAndMass: the forces of HexahedronFEMForceField and a mass in one object.
 */
#include "components/solidmechanics/fem/HexahedronFEMForceFieldAndMass.h"
#include "components/solidmechanics/fem/hexa_with_mass.h"

static const SofaQuirk quirks[] = {
    QUIRK_HEXA_MASS_ROW,
    QUIRK_HEXA_ASSEMBLED_MASS_ROW,
};

typedef HexahedronFEMForceFieldAndMass SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    HEXA_MASS_ROWS(HexahedronFEMForceFieldAndMass, hexa.fem.mass., m),
};

static SofaErr hexahedron_mass_construct(SofaObject *object) {
  HexahedronFEMForceFieldAndMass *h = (HexahedronFEMForceFieldAndMass *)object;
  h->hexa.fem.hexa_mass = &h->m;
  return SOFA_OK;
}

static SofaErr hexahedron_mass_init(SofaObject *object) {
  HexahedronFEMForceFieldAndMass *h = (HexahedronFEMForceFieldAndMass *)object;
  h->m.full_matrix = h->m.lumped && sofa_quirk(object, QUIRK_HEXA_ASSEMBLED_MASS);
  return hexa_with_mass_make(&h->hexa.fem);
}

static SofaErr hexahedron_mass_add_force(SofaForceField *ff, const SofaMechParams *params,
                                         const SofaPoint *at, double *const *f) {
  SOFA_TRY(hexahedron_fem_add_force(ff, params, at, f));
  return hexa_with_mass_add_gravity((SofaLinearFem *)ff, f[0]);
}

static const SofaForceFieldOps force_field_ops = {
    .add_force = hexahedron_mass_add_force,
    .add_dforce = hexahedron_fem_add_dforce,
    .add_k = hexahedron_fem_add_k,
    .potential_energy = hexahedron_fem_potential_energy,
    .approximation = hexahedron_fem_approximation,
    .constant_tangent = hexahedron_fem_constant,
    .tangent_is_dforce = true,
    .keeps_point = true,
};

static SofaErr hexahedron_mass_compute(SofaObject *object, const SofaField *field) {
  SofaElementMesh mesh;
  SOFA_TRY(hexa_with_mass_compute((SofaLinearFem *)object, &mesh));
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
    .divided = SOFA_DIVIDED_BY_ELEMENTS,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .construct = hexahedron_mass_construct,
    .init = hexahedron_mass_init,
    .reinit = hexahedron_mass_init,
    .compute_output = hexahedron_mass_compute,
    .destroy = hexa_with_mass_destroy,
    SOFA_IMPLEMENTS({SOFA_FORCE_FIELD, &force_field_ops}, {SOFA_MASS, &sofa_hexa_mass_ops}),
};
