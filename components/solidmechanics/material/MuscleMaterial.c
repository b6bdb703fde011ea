/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MuscleMaterial: a strain energy density and an active stress along fibres. */
#include <math.h>

#include "components/solidmechanics/hyperelastic/energy_fields.h"
#include "numerics/material/solid_material.h"

typedef struct MuscleMaterial {
  SofaObject object;
  SofaEnergyFields energy;
  double stress; /* Pa */
  SofaVec3s fibres;
  SofaReals activation, key_times, key_values;
  SofaActiveLaw law; /* of the last call */
} MuscleMaterial;

typedef MuscleMaterial SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ENERGY_ROWS(SOFA_FIELD_REQUIRED),
    SOFA_ENERGY_LINKS_ROW,
    SOFA_ROW(stress, "activeStress", "0", "Pa", "active stress at activation 1",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(fibres, "fibres", NULL, "",
             "direction of the fibres at rest, of any length: one for all elements or one for each",
             .flags = SOFA_FIELD_REQUIRED, .range = SOFA_DIRECTION),
    SOFA_ROW(activation, "activation", "1", "1", "activation: one for all elements or one for each",
             .range = SOFA_FINITE_AT_LEAST(0)),
    SOFA_ROW(key_times, "keyTimes", NULL, "s",
             "times at which keyValues are given, ascending; empty: no factor"),
    SOFA_ROW(key_values, "keyValues", NULL, "1",
             "factor of the activation at each of keyTimes, linear between them, constant before "
             "and after"),
};

static SofaErr check_keys(const MuscleMaterial *m) {
  const SofaObject *object = &m->object;
  if (m->key_values.n != m->key_times.n)
    return sofa_field_fail(object, "keyValues", SOFA_ERR_RANGE, "%zu values given for %zu keyTimes",
                           m->key_values.n, m->key_times.n);
  for (size_t i = 1; i < m->key_times.n; i++)
    if (!(m->key_times.data[i] > m->key_times.data[i - 1]))
      return sofa_field_fail(object, "keyTimes", SOFA_ERR_RANGE,
                             "time %zu, %g, is not after the one before it", i,
                             m->key_times.data[i]);
  return SOFA_OK;
}

static SofaErr check_counts(const MuscleMaterial *m) {
  const size_t a = m->fibres.n, b = m->activation.n;
  const SofaObject *object = &m->object;
  if (!a)
    return sofa_field_fail(object, "fibres", SOFA_ERR_RANGE, "must be given: there are no fibres");
  if (!b) return sofa_field_fail(object, "activation", SOFA_ERR_RANGE, "must have a value");
  if (a > 1 && b > 1 && a != b)
    return sofa_field_fail(object, "activation", SOFA_ERR_RANGE, "%zu values given for %zu fibres",
                           b, a);
  return check_keys(m);
}

static SofaErr law_of(SofaObject *object, SofaSolidLaw *law) {
  MuscleMaterial *m = (MuscleMaterial *)object;
  SOFA_TRY(sofa_object_check_ranges(object));
  SOFA_TRY(check_counts(m));
  SOFA_TRY(sofa_energy_law(object, &m->energy, &m->law.energy));
  m->law.stress = m->stress;
  m->law.fibres = (SofaFibres){(const double(*)[3])m->fibres.data, m->fibres.n};
  m->law.activation = m->activation.data;
  m->law.n_activation = m->activation.n;
  m->law.key_time = m->key_times.data;
  m->law.key_value = m->key_values.data;
  m->law.n_keys = m->key_times.n;
  const bool inverts = m->law.energy.material->inverts; // no such energy needs ln J
  *law = (SofaSolidLaw){.material = inverts ? &sofa_point_domain_inverts : &sofa_point_domain,
                        .point = sofa_point_active,
                        .user = &m->law,
                        .n_data = m->fibres.n > m->activation.n ? m->fibres.n : m->activation.n};
  return SOFA_OK;
}

static const SofaSolidMaterialOps ops = {.law = law_of};

SOFA_CLASS(MuscleMaterial) = {
    SOFA_NAMED(MuscleMaterial),
    .module = "csofa",
    .category = "Material",
    .help = "Muscle: a strain energy density and an active stress along fibres, which an "
            "activation scales.",
    .equations = "S = dW/dE + T a(t) n n^T\n"
                 "\"T: activeStress; a: activation times the factor of the keys; n: unit direction "
                 "of the fibres at rest; the Cauchy stress along the fibre is T a L^2/J at the "
                 "stretch L\"",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
    SOFA_IMPLEMENTS({SOFA_SOLID_MATERIAL, &ops}),
};
