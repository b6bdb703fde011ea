/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NonUniformHexahedralFEMForceFieldAndMass: hexahedra that are voxels. Where none are joined to
 * coarser ones, as in every scene, each has the stiffness and the mass of its voxel. */
#include "components/solidmechanics/fem/HexahedralFEMForceFieldAndMass.h"
#include "components/topology/set_container.h"

typedef struct NonUniformHexahedral {
  HexahedralFEMForceFieldAndMass base;
  bool recursive, use_mbk;
} NonUniformHexahedral;

static const SofaField fields[] = {
    SOFA_FIELD(NonUniformHexahedral, recursive, "recursive", "0", "",
               "no effect: there is one level to gather from", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_FIELD(NonUniformHexahedral, use_mbk, "useMBK", "1", "",
               "no effect: products are computed the same way in any case",
               .flags = SOFA_FIELD_NO_EFFECT),
};

static SofaErr init(SofaObject *object) {
  const SofaTopology *mesh = ((const NonUniformHexahedral *)object)->base.hexa.fem.mesh;
  if (sofa_class_is_a(mesh->object.klass, &sofa_MultilevelHexahedronSetTopologyContainer_class))
    return SOFA_OK;
  return sofa_field_fail(object, "topology", SOFA_ERR_TYPE,
                         "'%s' (%s) is not a MultilevelHexahedronSetTopologyContainer",
                         mesh->object.name, mesh->object.klass->name);
}

static const char *const templates[] = {"Vec3d", NULL};

SOFA_CLASS(NonUniformHexahedralFEMForceFieldAndMass) = {
    .name = "NonUniformHexahedralFEMForceFieldAndMass",
    .module = "Sofa.Component.SolidMechanics.FEM.NonUniform",
    .category = "Mass",
    .help = "HexahedralFEMForceFieldAndMass on a MultilevelHexahedronSetTopologyContainer.",
    .base = &sofa_HexahedralFEMForceFieldAndMass_class,
    .divided = SOFA_DIVIDED_NOT,
    .size = sizeof(NonUniformHexahedral),
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = init,
};
