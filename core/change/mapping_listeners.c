/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topology listeners that mappings and states share. */
#include "behavior/mapping.h"
#include "change/topology_change.h"

/* Points are removed from the output and inserted into it with the points of the input. */
static SofaErr listen_per_point(SofaObject *object, const SofaTopologyChange *change) {
  const SofaMapping *mapping = (const SofaMapping *)object;
  return sofa_change_moves(change, mapping->inputs[0]) ? sofa_state_follow(change, mapping->out)
                                                       : SOFA_OK;
}

static SofaErr setup_again(SofaObject *object) {
  return sofa_mapping_start((SofaMapping *)object);
}

const SofaTopologyListenerOps sofa_listen_by_setup = {.done = setup_again};
const SofaTopologyListenerOps sofa_listen_per_point = {
    .listen = listen_per_point, .done = setup_again, .moves_output = true};

SofaErr sofa_state_listen(SofaObject *object, const SofaTopologyChange *change) {
  SofaState *s = (SofaState *)object;
  SofaCoords *all[] = {&s->position,       &s->velocity,        &s->force,
                       &s->external_force, &s->rest_position,   &s->free_position,
                       &s->free_velocity,  &s->constraint_force};
  if (!sofa_change_moves(change, s)) return SOFA_OK;
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    SOFA_TRY(sofa_change_coords(change, object->ctx, all[i]));
  sofa_state_touch(s);
  sofa_field_touch_name(object, "rest_position");
  return SOFA_OK;
}

const SofaTopologyListenerOps sofa_listen_as_state = {.listen = sofa_state_listen};
