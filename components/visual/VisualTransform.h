/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The struct of VisualTransform, for views. */
#ifndef SOFA_VISUAL_VISUALTRANSFORM_H
#define SOFA_VISUAL_VISUALTRANSFORM_H

#include "components/visual/visual.h"

SOFA_BEGIN_DECLS

typedef struct VisualTransform {
  SofaVisual visual;
  SofaVec7s transform; /* one: position, quaternion x y z w */
  bool recursive;
} VisualTransform;

extern const SofaClass sofa_VisualTransform_class;

SOFA_END_DECLS

#endif
