/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Colour maps: a colour for a number from 0 to 1. */
#ifndef SOFA_VISUAL_COLOR_MAP_H
#define SOFA_VISUAL_COLOR_MAP_H

#include "draw/draw.h"

SOFA_BEGIN_DECLS

/* Numbers at the ends of the colours; low > high: none. */
typedef struct SofaColorRange {
  double low, high;
} SofaColorRange;
SOFA_LIST(SofaColorRange, SofaColorRanges);

/* Names of the maps, NULL-terminated. The first one, viridis, is the default: its brightness grows
 * evenly, also in grey and for eyes that see few colours. */
extern const char *const sofa_color_map_names[];

/* A named map, or a list of colours evenly spaced. */
typedef struct SofaColorMap {
  int scheme;        /* index of sofa_color_map_names */
  SofaColors colors; /* owned; not empty: used instead */
} SofaColorMap;

/* Reads the name of a map, a colour, or colours separated by blanks. Unreadable text is an error of
 * the field of `object`; the map is then the default one. Empty text: the default. */
SofaErr sofa_color_map_read(const SofaObject *object, const char *field, const char *text,
                            SofaColorMap *map);
void sofa_color_map_free(SofaContext *ctx, SofaColorMap *map);
/* t is clamped to 0..1; NaN gives black. */
SofaRgba sofa_color_map_at(const SofaColorMap *map, double t);
SofaRgba sofa_color_scheme_at(int scheme, double t);

SOFA_END_DECLS

#endif
