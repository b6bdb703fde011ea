/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks of all force fields and mappings of a scene. */
#include "numerics/check/check_impl.h"

static SofaErr check_object(SofaObject *object, SofaCheckReport *report) {
  if (!sofa_valid(object)) return SOFA_OK;
  if (sofa_implements(object, SOFA_FORCE_FIELD) && ((SofaForceField *)object)->state[0])
    SOFA_TRY(sofa_check_force_field((SofaForceField *)object, report));
  if (!sofa_implements(object, SOFA_MAPPING)) return SOFA_OK;
  SofaMapping *map = (SofaMapping *)object;
  return map->out && map->mechanical ? sofa_check_mapping(map, report) : SOFA_OK;
}

SofaErr sofa_check_tangent(SofaSimulation *simulation, SofaCheckReport *report) {
  SofaNodes nodes = {0};
  SofaErr err = SOFA_OK;
  report->check = "tangent";
  SOFA_GO(err, done, sofa_node_order(simulation->root, &nodes));
  for (size_t i = 0; i < nodes.n; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n; k++)
      SOFA_GO(err, done, check_object(nodes.data[i]->objects.data[k], report));
done:
  sofa_list_free(simulation->ctx, &nodes);
  return err;
}
