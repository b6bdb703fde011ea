/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Legends: the colours of numbers, as a bar with numbers beside it. */
#ifndef SOFA_VISUAL_LEGEND_H
#define SOFA_VISUAL_LEGEND_H

#include "components/visual/color_map.h"

SOFA_BEGIN_DECLS

typedef struct SofaLegend {
  int scheme;        /* index of sofa_color_map_names */
  double low, high;  /* numbers at the ends; low > high: no numbers are written */
  double scale;      /* factor of the numbers that are written */
  const char *title; /* "": none */
  double size;       /* of the text, pixels */
  double x, y;       /* upper left corner, pixels of the picture */
} SofaLegend;

/* Pixels, with the title as wide as letters are in the mean. */
double sofa_legend_width(const SofaLegend *legend);
/* height: of the picture, pixels. */
void sofa_draw_legend(SofaDrawList *list, const SofaLegend *legend, int height);

SOFA_END_DECLS

#endif
