/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of force feedbacks. */
#include "components/haptics/ForceFeedback.h"

static const SofaField fields[] = {
    SOFA_FIELD(ForceFeedback, activate, "activate", "0", "", "the forces are computed"),
    SOFA_FIELD(ForceFeedback, indice, "indice", "0", "", "number of the tool; not used",
               .flags = SOFA_FIELD_NO_EFFECT),
};

SofaErr force_feedback_find_state(SofaObject *object) {
  ForceFeedback *f = (ForceFeedback *)object;
  f->state = (SofaState *)sofa_node_slot(object->node, SOFA_MECHANICAL_STATE);
  if (f->state && f->state->object.kind == object->kind) return SOFA_OK;
  f->state = NULL;
  return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "its node has no state of template %s",
                          object->template_name);
}

const SofaClass force_feedback_class = {
    .name = "ForceFeedback",
    .module = "Sofa.Component.Haptics",
    .category = "Controller",
    .help = "Computes the forces that a haptic device would make.",
    .size = sizeof(ForceFeedback),
    SOFA_FIELDS(fields),
    .abstract = true,
};
