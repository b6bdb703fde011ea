/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* PauseAnimationOnEvent: stops the animation on an event. */
#include "object/event.h"

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  SofaNode *root = sofa_node_root(object->node);
  if (event->type != SOFA_EVENT_PAUSE || !root->animate) return SOFA_OK;
  root->animate = false;
  sofa_field_touch_name(&root->object, "animate");
  return SOFA_OK;
}

SOFA_CLASS(PauseAnimationOnEvent) = {
    .name = "PauseAnimationOnEvent",
    .module = "Sofa.Component.SceneUtility",
    .category = "_Miscellaneous",
    .help =
        "Clears `animate` of the root at an event of pause, which programs send: a window stops "
        "there, a batch run makes all its steps.",
    .base = &sofa_object_class,
    .size = sizeof(SofaObject),
    .listening = true,
    .handle_event = handle_event,
};
