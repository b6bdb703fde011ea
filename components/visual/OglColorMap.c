/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* OglColorMap: the colours of numbers, and their legend. */
#include "components/visual/OglColorMap.h"

#include "components/visual/legend.h"

typedef OglColorMap SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_DISPLAY(palette_size, "paletteSize", "256", "number of colours"),
    {.name = "colorScheme",
     .type = &sofa_type_option,
     .offset = offsetof(OglColorMap, scheme),
     .def = "viridis",
     .unit = "",
     .help = "the map: viridis, magma, plasma, inferno, Grey, Cool to Warm or one of SOFA's; "
             "default viridis (SOFA: HSV, whose rainbow shows edges where there are none)",
     .flags = SOFA_FIELD_DISPLAY,
     .options = sofa_color_map_names},
    SOFA_ROW_DISPLAY(show_legend, "showLegend", "0", "draw the legend"),
    SOFA_ROW_DISPLAY(legend_offset, "legendOffset", "10 5",
                     "place of the legend, pixels from the upper left"),
    SOFA_ROW_DISPLAY(legend_title, "legendTitle", NULL, "text above the legend"),
    SOFA_ROW_DISPLAY(legend_size, "legendSize", "11", "height of the legend's text, pixels"),
    SOFA_ROW_DISPLAY(min, "min", "0",
                     "number at the lower end; min and max equal: the range of what is drawn"),
    SOFA_ROW_DISPLAY(max, "max", "0", "number at the upper end"),
    SOFA_ROW_DISPLAY(legend_scale, "legendRangeScale", "1", "factor of the numbers written"),
};

bool sofa_color_map_range(const OglColorMap *map, double *low, double *high) {
  const bool limited = map->max > map->min;
  *low = limited ? map->min : map->low;
  *high = limited ? map->max : map->high;
  return *low <= *high;
}

static SofaErr construct(SofaObject *object) {
  OglColorMap *map = (OglColorMap *)object;
  map->low = map->shared.low = 1;
  return SOFA_OK;
}

static void draw(SofaObject *object, const SofaDrawArgs *args) {
  const OglColorMap *m = (const OglColorMap *)object;
  SofaLegend legend = {.scheme = m->scheme.index,
                       .scale = m->legend_scale,
                       .title = m->legend_title ? m->legend_title : "",
                       .size = m->legend_size,
                       .x = m->legend_offset.v[0],
                       .y = m->legend_offset.v[1]};
  if (!m->visual.enable || !m->show_legend) return;
  if (!sofa_color_map_range(m, &legend.low, &legend.high)) legend.low = 1 + legend.high;
  sofa_draw_legend(args->list, &legend, args->height);
}

static const SofaDrawOps draw_ops = {.draw = draw};

SOFA_CLASS(OglColorMap) = {
    SOFA_NAMED(OglColorMap),
    .module = "Sofa.GL.Component.Rendering2D",
    .category = "VisualModel",
    .help = "The colours of numbers, and their legend. DataDisplay takes it.",
    .base = &sofa_visual_class,
    SOFA_FIELDS(fields),
    .construct = construct,
    SOFA_IMPLEMENTS({SOFA_DRAW, &draw_ops}),
};
