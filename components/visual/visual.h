/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The base of components that only draw. */
#ifndef SOFA_VISUAL_VISUAL_H
#define SOFA_VISUAL_VISUAL_H

#include "draw/draw.h"

typedef struct SofaVisual {
  SofaObject object;
  bool enable;
} SofaVisual;

extern const SofaClass sofa_visual_class; /* abstract: enable */

/* construct of classes that are states of 3D points without a template. */
SofaErr sofa_visual_state_construct(SofaObject *object);

#endif
