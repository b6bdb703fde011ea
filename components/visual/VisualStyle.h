/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The struct of VisualStyle, for views. */
#ifndef SOFA_VISUAL_VISUALSTYLE_H
#define SOFA_VISUAL_VISUALSTYLE_H

#include "draw/display_flags.h"

SOFA_BEGIN_DECLS

typedef struct VisualStyle {
  SofaObject object;
  char *display_flags;    /* as written */
  SofaDisplayFlags flags; /* of this object alone; set by init */
} VisualStyle;

extern const SofaClass sofa_VisualStyle_class;

SOFA_END_DECLS

#endif
