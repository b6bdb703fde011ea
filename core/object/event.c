/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events: from the root to all listening objects. */
#include "object/event.h"

typedef struct Sending {
  const SofaEvent *event;
  SofaErr err;
} Sending;

static SofaVisit send_to_node(SofaNode *node, void *user) {
  Sending *s = user;
  for (size_t i = 0; i < node->objects.n; i++) {
    SofaObject *object = node->objects.data[i];
    if (!object->listening || !sofa_valid(object)) continue;
    s->err = sofa_object_handle_event(object, s->event);
    if (s->err) return SOFA_STOP;
  }
  return SOFA_CONTINUE;
}

SofaErr sofa_send_event(SofaNode *root, const SofaEvent *event) {
  Sending s = {event, SOFA_OK};
  const SofaVisitor visitor = {.down = send_to_node, .user = &s};
  SOFA_TRY(sofa_visit(root, &visitor));
  return s.err;
}
