/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The struct of OglColorMap, for DataDisplay. */
#ifndef SOFA_VISUAL_OGLCOLORMAP_H
#define SOFA_VISUAL_OGLCOLORMAP_H

#include "components/visual/color_map.h"
#include "components/visual/visual.h"

typedef struct OglColorMap {
  SofaVisual visual;
  uint32_t palette_size, legend_size;
  SofaOption scheme;
  bool show_legend;
  SofaVec2 legend_offset;
  char *legend_title;
  double min, max, legend_scale;
} OglColorMap;

extern const SofaClass sofa_OglColorMap_class;

#endif
