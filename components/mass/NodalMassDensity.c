/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NodalMassDensity: mass densities at nodes, for FEMMass. */
#include "behavior/list_division.h"
#include "change/topology_change.h"
#include "components/mass/NodalMassDensity.h"

static const SofaField fields[] = {
    SOFA_FIELD(NodalMassDensity, property, "property", "1", "kg/m^d",
               "mass density of each node; the last value holds for the nodes that "
               "follow",
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP,
               SOFA_PER(SOFA_ELEMENT_POINT, .of_topology = true, .inserted = SOFA_INSERTED_LAST)),
};

static SofaErr nodal_density_init(SofaObject *object) {
  NodalMassDensity *d = (NodalMassDensity *)object;
  const double one = 1;
  if (!d->property.n) {
    sofa_object_message(object, SOFA_WARNING, "'property' is empty: 1 is used");
    SOFA_TRY(SOFA_APPEND(object->ctx, &d->property, &one));
  }
  return sofa_object_settle_lists(object);
}

static const char *const templates[] = {"d", "f", NULL};

SOFA_CLASS(NodalMassDensity) = {
    SOFA_NAMED(NodalMassDensity),
    .module = "Sofa.Component.Mass",
    .category = "_Miscellaneous",
    .help = "Mass densities at nodes, for FEMMass.",
    .divided = SOFA_DIVIDED_LOCAL,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = nodal_density_init,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &sofa_listen_by_rows}),
};
