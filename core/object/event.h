/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Events: sent from the root to listening objects in visiting order. */
#ifndef SOFA_OBJECT_EVENT_H
#define SOFA_OBJECT_EVENT_H

#include "object/node.h"

SOFA_BEGIN_DECLS

typedef enum SofaEventType {
  SOFA_EVENT_INIT_START,
  SOFA_EVENT_INIT_DONE,
  SOFA_EVENT_ANIMATE_BEGIN,
  SOFA_EVENT_ANIMATE_END,
  SOFA_EVENT_COLLISION_BEGIN,
  SOFA_EVENT_COLLISION_END,
  SOFA_EVENT_INTEGRATE_BEGIN,
  SOFA_EVENT_INTEGRATE_END,
  SOFA_EVENT_UPDATE_MAPPING_END,
  SOFA_EVENT_KEY_PRESSED,
  SOFA_EVENT_KEY_RELEASED,
  SOFA_EVENT_MOUSE_MOVED,        /* dx, dy, button */
  SOFA_EVENT_PAUSE,              /* the animation is asked to stop */
  SOFA_EVENT_DATA_EXCHANGE,      /* parts with separate steps exchange values */
  SOFA_EVENT_READY,              /* initialised, projected and mapped, before the first step */
  SOFA_EVENT_END,                /* the run is over */
  SOFA_EVENT_CONSTRAINTS_BUILT,  /* rows, violations and compliance of a step are known, */
  SOFA_EVENT_CONSTRAINTS_SOLVED, /* and their multipliers */
  SOFA_N_EVENTS
} SofaEventType;
typedef enum SofaMouseButton {
  SOFA_MOUSE_NONE,
  SOFA_MOUSE_LEFT,
  SOFA_MOUSE_MIDDLE,
  SOFA_MOUSE_RIGHT
} SofaMouseButton;
typedef struct SofaEvent {
  SofaEventType type;
  double dt;
  int key;                /* character */
  int dx, dy;             /* of the mouse, counts */
  SofaMouseButton button; /* that is held */
} SofaEvent;

SofaErr sofa_send_event(SofaNode *root, const SofaEvent *event);

SOFA_END_DECLS

#endif
