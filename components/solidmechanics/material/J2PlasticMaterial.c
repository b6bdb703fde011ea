/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* J2PlasticMaterial: finite strain plasticity with isotropic hardening. */
#include <math.h>

#include "numerics/material/solid_material.h"

typedef struct J2PlasticMaterial {
  SofaObject object;
  double young, poisson, yield, hardening, saturation, rate;
  SofaPlasticLaw law; /* of the last call */
} J2PlasticMaterial;

typedef J2PlasticMaterial SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(young, "youngModulus", "1000", "Pa", "Young's modulus", .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW(poisson, "poissonRatio", "0.3", "1", "Poisson's ratio",
             .range = SOFA_BETWEEN(-1, 0.5)),
    SOFA_ROW(yield, "yieldStress", "1", "Pa", "stress in tension at which the material yields",
             .range = SOFA_FINITE_ABOVE(0)),
    SOFA_ROW(hardening, "hardeningModulus", "0", "Pa",
             "slope H of the yield stress by the accumulated plastic strain",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(saturation, "saturationStress", "0", "Pa",
             "yield stress that the exponential hardening tends to, at least yieldStress; 0: no "
             "exponential hardening",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(rate, "saturationRate", "1", "1",
             "exponent of the exponential hardening by the accumulated plastic strain",
             .range = SOFA_FINITE_AT_LEAST(0)),
};

static SofaErr law_of(SofaObject *object, SofaSolidLaw *law) {
  J2PlasticMaterial *m = (J2PlasticMaterial *)object;
  SOFA_TRY(sofa_object_check_ranges(object));
  if (m->saturation > 0 && m->saturation < m->yield)
    return sofa_field_fail(object, "saturationStress", SOFA_ERR_RANGE,
                           "%g is below yieldStress, %g: softening is not supported yet",
                           m->saturation, m->yield);
  m->law = (SofaPlasticLaw){.mu = m->young / (2 * (1 + m->poisson)),
                            .bulk = m->young / (3 * (1 - 2 * m->poisson)),
                            .yield = m->yield,
                            .hardening = m->hardening,
                            .saturation = m->saturation > 0 ? m->saturation : m->yield,
                            .rate = m->rate};
  *law = (SofaSolidLaw){.material = &sofa_point_domain,
                        .point = sofa_point_plastic,
                        .user = &m->law,
                        .n_history = SOFA_PLASTIC_HISTORY};
  return SOFA_OK;
}

static const SofaSolidMaterialOps ops = {.law = law_of};

SOFA_CLASS(J2PlasticMaterial) = {
    SOFA_NAMED(J2PlasticMaterial),
    .module = "csofa",
    .category = "Material",
    .help = "Metal at finite strain: elastic by Hencky's energy, plastic flow at the yield stress "
            "of von Mises, isotropic hardening.",
    .equations = "e = 1/2 ln(F C_p^-1 F^T), tau = k tr(e) I + 2 mu dev e\n"
                 "|dev tau| <= sqrt(2/3) y(a), y(a) = y_0 + H a + (y_s - y_0) (1 - exp(-d a))\n"
                 "\"tau: Kirchhoff stress; C_p: plastic strain; a: accumulated plastic strain; "
                 "y_0: yieldStress; y_s: saturationStress; d: saturationRate\"",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_SOLID_MATERIAL, &ops}),
};
