/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TextureInterpolation: texture coordinates from values of points, or from their places. */
#include <math.h>

#include "components/engine/engine.h"

typedef struct TextureInterpolation {
  SofaObject object;
  SofaCoords values;
  SofaVec3s coords;
  SofaVec2s texture;
  bool scalar, manual, draw;
  double low, high;
  SofaFloat draw_scale;
  uint32_t plotted;
  char *graph;
} TextureInterpolation;

typedef TextureInterpolation SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(values, "input_states", NULL, "", "values of the points"),
    SOFA_ROW_INPUT(coords, "input_coordinates", NULL, "",
                   "positions of points in a plane, when there are no values"),
    SOFA_ROW_OUTPUT(texture, "output_coordinates", "",
                    "texture coordinates in [0, 1]; of values the second one is 0"),
    SOFA_ROW_INPUT(scalar, "scalarField", "1", "",
                   "take the first number of a value; otherwise the mean of all"),
    SOFA_ROW_INPUT(low, "min_value", "0", "", "value at texture coordinate 0, with manual_scale"),
    SOFA_ROW_INPUT(high, "max_value", "0", "",
                   "value at texture coordinate 1, with manual_scale; larger"),
    SOFA_ROW_INPUT(manual, "manual_scale", "0", "",
                   "use these limits; otherwise those of the values"),
    SOFA_ROW_DISPLAY(draw, "drawPotentiels", "0", "draw the values"),
    SOFA_ROW_DISPLAY(draw_scale, "showIndicesScale", "0.0001", "their size"),
    SOFA_ROW_DISPLAY(plotted, "vertexPloted", "0", "point in the graph"),
    SOFA_ROW_DISPLAY(graph, "graph", NULL, "graph of a point's value"),
};

static double value_of(const TextureInterpolation *e, size_t i) {
  const double *v = e->values.data + i * e->values.width;
  double sum = 0;
  if (e->scalar) return v[0];
  for (unsigned k = 0; k < e->values.width; k++) sum += v[k];
  return sum / e->values.width;
}

static SofaErr from_values(TextureInterpolation *e) {
  double low = INFINITY, high = -INFINITY;
  for (size_t i = 0; i < e->values.n; i++) {
    low = fmin(low, value_of(e, i));
    high = fmax(high, value_of(e, i));
  }
  if (e->manual) {
    low = e->low;
    high = e->high;
    if (!(low < high))
      return sofa_field_fail(&e->object, "max_value", SOFA_ERR_RANGE,
                             "it is %g; it must be larger than min_value = %g", high, low);
  }
  SOFA_TRY(SOFA_RESIZE(e->object.ctx, &e->texture, e->values.n));
  for (size_t i = 0; i < e->values.n; i++) {
    e->texture.data[i].v[0] = high > low ? (value_of(e, i) - low) / (high - low) : 0;
    e->texture.data[i].v[1] = 0;
  }
  return SOFA_OK;
}

/* The two directions that are left without the last one in which the points do not differ (else
 * without x), as shares of their extent. */
static SofaErr from_places(TextureInterpolation *e) {
  double low[3], high[3];
  int flat = 0;
  for (int c = 0; c < 3; c++) {
    low[c] = INFINITY;
    high[c] = -INFINITY;
    for (size_t i = 0; i < e->coords.n; i++) {
      low[c] = fmin(low[c], e->coords.data[i].v[c]);
      high[c] = fmax(high[c], e->coords.data[i].v[c]);
    }
    if (!(low[c] < high[c])) flat = c;
  }
  SOFA_TRY(SOFA_RESIZE(e->object.ctx, &e->texture, e->coords.n));
  for (size_t i = 0; i < e->coords.n; i++)
    for (int k = 0; k < 2; k++) {
      const int c = (flat + 1 + k) % 3;
      const double extent = high[c] - low[c];
      e->texture.data[i].v[k] = extent > 0 ? (e->coords.data[i].v[c] - low[c]) / extent : 0;
    }
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  TextureInterpolation *e = (TextureInterpolation *)object;
  return sofa_field_is_set(object, "input_states") ? from_values(e) : from_places(e);
}

static const char *const templates[] = {"Vec3d", "Vec1d", "Vec2d", NULL};

SOFA_CLASS(TextureInterpolation) = {
    SOFA_NAMED(TextureInterpolation),
    .module = "Sofa.GL.Component.Engine",
    .category = "Engine",
    .help = "Makes texture coordinates of values or places of points.",
    .equations = "u = (y - y_0)/(y_1 - y_0)\n"
                 "\"y: number of a point: its input_states or one of its input_coordinates; y_0, "
                 "y_1: smallest and largest, with manual_scale min_value and max_value\"",
    .base = &sofa_object_class,
    SOFA_FIELDS(fields),
    .templates = templates,
    .init = engine_init,
    .update = update,
    SOFA_IMPLEMENTS({SOFA_ENGINE, SOFA_NO_OPS}),
};
