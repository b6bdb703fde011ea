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
  double low, high; /* range of what has these colours in the picture; low > high: nothing has */
  SofaColorRange shared; /* of all pictures of a series */
} OglColorMap;

SOFA_BEGIN_DECLS

extern const SofaClass sofa_OglColorMap_class;

/* The numbers at the ends of the colours: the map's limits, else the range in use. false: none. */
bool sofa_color_map_range(const OglColorMap *map, double *low, double *high);

SOFA_END_DECLS

#endif
