/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of the parameters of strain energy densities. */
#include "components/solidmechanics/hyperelastic/energy_fields.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* "2: mu (Pa, >= 0), lambda (Pa)" */
static void describe_parameters(const SofaHyperMaterial *material, char *text, size_t size) {
  size_t at = 0;
  for (size_t i = 0; i < material->n_parameters && at < size; i++) {
    const SofaHyperParameter *p = &material->parameter[i];
    at += (size_t)snprintf(text + at, size - at, "%s%s (%s%s)", i ? ", " : "", p->name,
                           strcmp(p->unit, "1") == 0 ? "no unit" : p->unit,
                           p->nonzero      ? ", not 0"
                           : p->least >= 0 ? ", at least 0"
                                           : "");
  }
}

/* Neither too few nor too many values. */
static SofaErr check_count(const SofaObject *object, const SofaHyperMaterial *material, size_t n) {
  const size_t expected = material->n_parameters;
  char list[300] = "";
  if (n == expected) return SOFA_OK;
  describe_parameters(material, list, sizeof list);
  if (n < expected || !object->ctx->keep_going)
    return sofa_field_fail(object, "ParameterSet", SOFA_ERR_RANGE,
                           "%zu value%s given, but material %s takes %zu: %s", n, n == 1 ? "" : "s",
                           material->name, expected, list);
  sofa_object_message(object, SOFA_WARNING,
                      "'ParameterSet': %zu values given, but material %s takes %zu: %s. The others "
                      "are ignored",
                      n, material->name, expected, list);
  return SOFA_OK;
}

SofaErr sofa_energy_law(const SofaObject *object, const SofaEnergyFields *fields,
                        SofaEnergyLaw *out) {
  const SofaHyperMaterial *material = sofa_hyper_material_find(fields->name);
  if (!material) material = &sofa_arruda_boyce; // the reader reported it; keep_going is on
  *out = (SofaEnergyLaw){.material = material};
  SOFA_TRY(check_count(object, material, fields->parameters.n));
  if (material == &sofa_arruda_boyce) out->p[SOFA_HYPER_LINKS] = fields->links;
  for (size_t i = 0; i < material->n_parameters; i++) {
    const SofaHyperParameter *p = &material->parameter[i];
    const double value = out->p[i] = fields->parameters.data[i];
    if (isfinite(value) && value >= p->least && !(p->nonzero && value == 0.0)) continue;
    const char *range = p->nonzero ? "not 0" : p->least >= 0 ? "at least 0" : "a finite number";
    if (!object->ctx->keep_going)
      return sofa_field_fail(object, "ParameterSet", SOFA_ERR_RANGE,
                             "%s of material %s (value %zu) is %g, expected %s", p->name,
                             material->name, i, value, range);
    sofa_object_message(object, SOFA_WARNING,
                        "'ParameterSet': %s of material %s (value %zu) is %g, expected %s", p->name,
                        material->name, i, value, range);
  }
  return SOFA_OK;
}
