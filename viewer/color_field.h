/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A body in the colours of a field of the scene: of numbers of its points or of its elements. */
#ifndef VIEWER_COLOR_FIELD_H
#define VIEWER_COLOR_FIELD_H

#include "behavior/state.h"
#include "components/visual/color_map.h"
#include "draw/draw.h"
#include "simulation/quantity.h"
#include "simulation/simulation.h"
#include "viewer/boundary.h"

SOFA_LIST(SofaRgba, ColorFieldColors);

enum { COLOR_FIELD_LISTS = 4 };

/* All-zero: nothing is coloured. */
typedef struct ColorField {
  SofaQuantity quantity;              /* which numbers */
  char *title;                        /* of the legend, owned */
  SofaColorRange given, shared, used; /* low > high: none; the first one that is there counts */

  /* since color_field_refresh; state NULL: the field has no numbers that fit (any more) */
  SofaState *state;
  const SofaState
      *places; /* positions of its points: the state, or that of a body it is a value on */
  bool nodal;  /* numbers of points, else of elements */
  SofaElements lists[COLOR_FIELD_LISTS];    /* what is drawn; none: the points */
  SofaElementKind kinds[COLOR_FIELD_LISTS]; /* of the lists */
  size_t n_lists;
  SofaReals values;        /* one for each point or element */
  ColorFieldColors colors; /* of the values */
  BoundaryFaces faces;
  uint64_t faces_key; /* of what the faces were found */
} ColorField;

/* text: PATH.FIELD with a number for each point or element, PATH.FIELD.y of vectors, which have
 * their length otherwise (of frames: of the position or the linear velocity). range: low > high:
 * that of the numbers, which grows. A path, a field or a length that does not fit is reported with
 * the nearest one: SOFA_ERR_ARGUMENT, and nothing is coloured. Closed by color_field_close. */
SofaErr color_field_open(SofaSimulation *simulation, const char *text, SofaColorRange range,
                         ColorField *out);
void color_field_close(SofaContext *ctx, ColorField *field); /* of an all-zero one: nothing */
static inline bool color_field_is_open(const ColorField *field) {
  return field->quantity.text != NULL;
}

/* Takes over the numbers of now. Between steps, before each picture. */
SofaErr color_field_refresh(SofaSimulation *simulation, ColorField *field);
/* The numbers at the ends of the colours. false: there are none. */
bool color_field_range(const ColorField *field, double *low, double *high);

/* The body: faces that are seen from outside, edges, or points; edges: lines around the faces, too.
 */
void color_field_draw(const ColorField *field, SofaDrawList *list, bool edges);
/* In the upper right corner of a picture. */
void color_field_draw_legend(const ColorField *field, SofaDrawList *list, int width, int height);

#endif
