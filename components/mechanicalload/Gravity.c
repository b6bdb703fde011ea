/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gravity: sets the gravity of its node and of the nodes below. */
#include "object/node.h"

typedef struct Gravity {
  SofaObject object;
  SofaVec3 gravity; /* m/s^2 */
} Gravity;

static const SofaField fields[] = {
    SOFA_FIELD(Gravity, gravity, "gravity", "0 0 0", "m/s^2",
               "gravity of this node and of those below, up to another Gravity"),
};

static SofaErr gravity_update(SofaObject *object) {
  object->node->gravity = ((Gravity *)object)->gravity;
  return SOFA_OK;
}

SOFA_CLASS(Gravity) = {
    SOFA_NAMED(Gravity),
    .module = "Sofa.Component.MechanicalLoad",
    .category = "ContextObject",
    .help = "Sets the gravity of its node and of all nodes below it except those below another "
            "Gravity. Masses turn it into a force.",
    .base = &sofa_object_class,
    .divided = SOFA_DIVIDED_NEUTRAL,
    SOFA_FIELDS(fields),
    .update = gravity_update,
    SOFA_IMPLEMENTS({SOFA_CONTEXT_OBJECT, SOFA_NO_OPS}),
};
