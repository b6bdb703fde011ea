/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NodalMassDensity: mass densities at nodes, for FEMMass. */
#include "components/mass/NodalMassDensity.h"

static const SofaField fields[] = {
    SOFA_FIELD(NodalMassDensity, property, "property", "1", "kg/m^d",
               "mass density of each node, not negative; the last value holds for the nodes that "
               "follow"),
};

static SofaErr nodal_density_init(SofaObject *object) {
  NodalMassDensity *d = (NodalMassDensity *)object;
  const double one = 1;
  if (!d->property.n) {
    sofa_object_message(object, SOFA_WARNING, "'property' is empty: 1 is used");
    SOFA_TRY(SOFA_APPEND(object->ctx, &d->property, &one));
  }
  for (size_t i = 0; i < d->property.n && !object->ctx->keep_going; i++) {
    if (d->property.data[i] >= 0) continue;
    return sofa_field_fail(object, "property", SOFA_ERR_RANGE,
                           "value %zu is %g, expected 0 or more", i, d->property.data[i]);
  }
  return SOFA_OK;
}

static const char *const templates[] = {"d", "f", NULL};

const SofaClass sofa_NodalMassDensity_class = {
    .name = "NodalMassDensity",
    .module = "Sofa.Component.Mass",
    .category = "_Miscellaneous",
    .help = "Mass densities at nodes, for FEMMass.",
    .size = sizeof(NodalMassDensity),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .templates = templates,
    .init = nodal_density_init,
};
