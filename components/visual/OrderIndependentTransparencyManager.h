/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The struct of OrderIndependentTransparencyManager, for views. */
#ifndef SOFA_VISUAL_ORDERINDEPENDENTTRANSPARENCYMANAGER_H
#define SOFA_VISUAL_ORDERINDEPENDENTTRANSPARENCYMANAGER_H

#include "components/visual/visual.h"

SOFA_BEGIN_DECLS

typedef struct OrderIndependentTransparencyManager {
  SofaVisual visual;
  double depth_scale; /* 1/m */
} OrderIndependentTransparencyManager;

extern const SofaClass sofa_OrderIndependentTransparencyManager_class;
extern const SofaClass sofa_OglRenderingSRGB_class; /* has no fields of its own */

SOFA_END_DECLS

#endif
