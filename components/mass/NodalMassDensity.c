/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NodalMassDensity: mass densities at nodes, for FEMMass. */
#include "change/topology_change.h"
#include "components/mass/NodalMassDensity.h"

static const SofaField fields[] = {
    SOFA_FIELD(NodalMassDensity, property, "property", "1", "kg/m^d",
               "mass density of each node; the last value holds for the nodes that "
               "follow",
               .range = SOFA_AT_LEAST(0), .on_bad = SOFA_BAD_KEEP),
};

static SofaErr nodal_density_init(SofaObject *object) {
  NodalMassDensity *d = (NodalMassDensity *)object;
  const double one = 1;
  if (!d->property.n) {
    sofa_object_message(object, SOFA_WARNING, "'property' is empty: 1 is used");
    SOFA_TRY(SOFA_APPEND(object->ctx, &d->property, &one));
  }
  return SOFA_OK;
}

/* Nodes are the points of the topology in context. Inserted points have the last density. */
static SofaErr nodal_density_follow(SofaObject *object, const SofaTopologyChange *change) {
  SofaReals *list = &((NodalMassDensity *)object)->property;
  if (!sofa_change_of(change, sofa_node_topology(object->node), SOFA_ELEMENT_POINT) || list->n < 2)
    return SOFA_OK;
  const double last = list->data[list->n - 1];
  const bool adds = change->kind == SOFA_CHANGE_ADD;
  const size_t n = change->n_before + (adds ? change->n : 0);
  while (list->n < n) SOFA_TRY(SOFA_APPEND(object->ctx, list, &last));
  sofa_change_remove_entries(change, list, sizeof *list->data);
  return list->n ? SOFA_OK : SOFA_APPEND(object->ctx, list, &last);
}

static const SofaTopologyListenerOps listener = {.listen = nodal_density_follow};

static const char *const templates[] = {"d", "f", NULL};

SOFA_CLASS(NodalMassDensity) = {
    SOFA_NAMED(NodalMassDensity), .module = "Sofa.Component.Mass",
    .category = "_Miscellaneous", .help = "Mass densities at nodes, for FEMMass.",
    SOFA_FIELDS(fields),          .templates = templates,
    .init = nodal_density_init,   SOFA_IMPLEMENTS({SOFA_TOPOLOGY_LISTENER, &listener}),
};
