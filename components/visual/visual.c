/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base class of components that only draw. */
#include "components/visual/visual.h"

#include "behavior/state.h"

typedef SofaVisual SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(enable, "enable", "1", "draw it"),
};

const SofaClass sofa_visual_class = {
    .name = "VisualModel",
    .module = "csofa",
    .category = "VisualModel",
    .help = "Something to see that takes no part in a simulation.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    .size = sizeof(SofaVisual),
    SOFA_FIELDS(fields),
    .abstract = true,
};

SofaErr sofa_visual_state_construct(SofaObject *object) {
  SofaState *state = (SofaState *)object;
  SofaCoords *lists[] = {&state->position,       &state->velocity,      &state->force,
                         &state->external_force, &state->rest_position, &state->constraint_force};
  object->kind = SOFA_VEC3;
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) lists[i]->width = 3;
  return SOFA_OK;
}
