/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HolzapfelGasserOgdenMaterial: tissue with up to two families of fibres. */
#include <math.h>

#include "numerics/material/solid_material.h"

typedef struct HolzapfelGasserOgdenMaterial {
  SofaObject object;
  double c, k1, k2, kappa, k0;
  SofaVec3s fibres, fibres2;
  SofaFibreLaw law; /* of the last call */
} HolzapfelGasserOgdenMaterial;

typedef HolzapfelGasserOgdenMaterial SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(c, "c", "1000", "Pa", "shear modulus of the matrix", .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(k1, "k1", "1000", "Pa", "stiffness of the fibres", .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(k2, "k2", "1", "1", "exponent of the fibres", .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW(kappa, "kappa", "0", "1",
             "dispersion of the fibres: 0 all along their direction, 1/3 in all directions",
             .range = SOFA_WITHIN(0, 1.0 / 3)),
    SOFA_ROW(k0, "k0", "100000", "Pa", "bulk modulus", .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW(fibres, "fibres", NULL, "",
             "direction of the first family at rest, of any length: one for all elements or one "
             "for each",
             .flags = SOFA_FIELD_REQUIRED, .range = SOFA_DIRECTION),
    SOFA_ROW(fibres2, "fibres2", NULL, "",
             "the same of the second family; empty: there is only one", .range = SOFA_DIRECTION),
};

static SofaFibres family_of(const SofaVec3s *list) {
  return (SofaFibres){(const double(*)[3])list->data, list->n};
}

static SofaErr law_of(SofaObject *object, SofaSolidLaw *law) {
  HolzapfelGasserOgdenMaterial *m = (HolzapfelGasserOgdenMaterial *)object;
  const size_t a = m->fibres.n, b = m->fibres2.n;
  SOFA_TRY(sofa_object_check_ranges(object));
  if (!a)
    return sofa_field_fail(object, "fibres", SOFA_ERR_RANGE, "must be given: there are no fibres");
  if (a > 1 && b > 1 && a != b)
    return sofa_field_fail(object, "fibres2", SOFA_ERR_RANGE,
                           "%zu directions given, but %zu of the first family", b, a);
  m->law = (SofaFibreLaw){m->c,     m->k1, m->k2,
                          m->kappa, m->k0, {family_of(&m->fibres), family_of(&m->fibres2)}};
  *law = (SofaSolidLaw){.material = &sofa_point_domain,
                        .point = sofa_point_fibres,
                        .user = &m->law,
                        .n_data = a > b ? a : b};
  return SOFA_OK;
}

static const SofaSolidMaterialOps ops = {.law = law_of};

SOFA_CLASS(HolzapfelGasserOgdenMaterial) = {
    SOFA_NAMED(HolzapfelGasserOgdenMaterial),
    .module = "csofa",
    .category = "Material",
    .help = "Tissue of a neo-Hookean matrix with one or two families of dispersed fibres, which "
            "bear tension only.",
    .equations = "W = c/2 (I_1' - 3) + k_0/2 (ln J)^2 + sum_i k_1/(2 k_2) (exp(k_2 E_i^2) - 1)\n"
                 "E_i = max(0, kappa (I_1' - 3) + (1 - 3 kappa) (J^(-2/3) a_i . C a_i - 1))\n"
                 "\"I_1' = J^(-2/3) tr C; a_i: unit directions of fibres and fibres2\"",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_SOLID_MATERIAL, &ops}),
};
