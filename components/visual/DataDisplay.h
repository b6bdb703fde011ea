/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The ranges of DataDisplays, for views. */
#ifndef SOFA_VISUAL_DATADISPLAY_H
#define SOFA_VISUAL_DATADISPLAY_H

#include "components/visual/OglColorMap.h"

SOFA_BEGIN_DECLS

extern const SofaClass sofa_DataDisplay_class;

/* Before a picture: the maps forget their ranges, then each display widens that of its map. */
void sofa_color_map_forget(SofaObject *color_map);
void sofa_data_display_measure(SofaObject *display);
/* The next picture takes the range of its data alone. */
void sofa_data_display_rescale(SofaObject *display);
/* A display, or a map. Widens *range by what it has after a measurement. */
bool sofa_has_colors(const SofaObject *object);
void sofa_color_range_widen(const SofaObject *object, SofaColorRange *range);
/* It has this range from now on, whatever its data. */
void sofa_color_range_share(SofaObject *object, const SofaColorRange *range);
/* Is the range of a display that of its data? */
bool sofa_data_display_is_free(const SofaObject *display);
/* After a series of pictures: a message when its range was not the same in all of them. */
void sofa_data_display_report(const SofaObject *display);

SOFA_END_DECLS

#endif
