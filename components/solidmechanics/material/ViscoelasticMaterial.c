/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ViscoelasticMaterial: a generalised Maxwell model at finite strain. */
#include <math.h>

#include "components/solidmechanics/hyperelastic/energy_fields.h"
#include "numerics/material/solid_material.h"

typedef struct ViscoelasticMaterial {
  SofaObject object;
  SofaEnergyFields energy;
  SofaReals moduli, times; /* Pa, s: of the branches */
  SofaViscoelasticLaw law; /* of the last call */
} ViscoelasticMaterial;

typedef ViscoelasticMaterial SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ENERGY_ROWS(SOFA_FIELD_REQUIRED),
    SOFA_ENERGY_LINKS_ROW,
    SOFA_ROW(moduli, "branchModuli", NULL, "Pa",
             "shear modulus of each Maxwell branch, which adds to that of the energy at once and "
             "relaxes to 0",
             .flags = SOFA_FIELD_REQUIRED, .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(times, "relaxationTimes", NULL, "s", "relaxation time of each branch",
             .flags = SOFA_FIELD_REQUIRED, .range = SOFA_FINITE_ABOVE(0)),
};

static SofaErr law_of(SofaObject *object, SofaSolidLaw *law) {
  ViscoelasticMaterial *m = (ViscoelasticMaterial *)object;
  SOFA_TRY(sofa_object_check_ranges(object));
  if (m->moduli.n != m->times.n)
    return sofa_field_fail(object, "relaxationTimes", SOFA_ERR_RANGE,
                           "%zu times given for %zu branchModuli", m->times.n, m->moduli.n);
  if (m->moduli.n > SOFA_MAX_BRANCHES)
    return sofa_object_unsupported(object, "%zu branches, more than %d,", m->moduli.n,
                                   SOFA_MAX_BRANCHES);
  SOFA_TRY(sofa_energy_law(object, &m->energy, &m->law.energy));
  m->law.n = m->moduli.n;
  m->law.modulus = m->moduli.data;
  m->law.time = m->times.data;
  *law = (SofaSolidLaw){.material = &sofa_point_domain,
                        .point = sofa_point_viscoelastic,
                        .user = &m->law,
                        .n_history = 6 * m->law.n};
  return SOFA_OK;
}

static const SofaSolidMaterialOps ops = {.law = law_of};

SOFA_CLASS(ViscoelasticMaterial) = {
    SOFA_NAMED(ViscoelasticMaterial),
    .module = "csofa",
    .category = "Material",
    .help = "Generalised Maxwell model at finite strain: a strain energy density, and beside it "
            "branches of a spring and a dashpot for changes of shape.",
    .equations = "tau = tau_W(F) + sum_i 2 G_i e_i\n"
                 "e_i = 1/2 dev ln(F C_i^-1 F^T), e_i(t + h) = exp(-h/tau_i) e_i(t) at held F\n"
                 "\"tau: Kirchhoff stress; tau_W: of the energy; C_i: viscous strain of a branch; "
                 "G_i: branchModuli; tau_i: relaxationTimes\"",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_SOLID_MATERIAL, &ops}),
};
