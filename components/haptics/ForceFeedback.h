/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the sources of a device's forces share. There is no device: forces are outputs. */
#ifndef COMPONENTS_HAPTICS_FORCE_FEEDBACK_H
#define COMPONENTS_HAPTICS_FORCE_FEEDBACK_H

#include "behavior/state.h"

typedef struct ForceFeedback {
  SofaObject object;
  bool activate;
  int indice;
  SofaState *state; /* of its node; NULL: of classes without a state */
} ForceFeedback;

extern const SofaClass force_feedback_class; /* abstract */
/* SofaClass.init of classes that feel the state of their node. */
SofaErr force_feedback_find_state(SofaObject *object);

#endif
