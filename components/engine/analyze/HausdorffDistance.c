/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* HausdorffDistance: how far two sets of points are from each other. */
#include <math.h>

#include "components/engine/engine.h"

typedef struct HausdorffDistance {
  SofaObject object;
  SofaCoords points1, points2;
  double d12, d21, max;
  bool always, done;
} HausdorffDistance;

typedef HausdorffDistance SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(points1, "points1", NULL, "m", "first set of points"),
    SOFA_ROW_INPUT(points2, "points2", NULL, "m", "second set of points"),
    SOFA_ROW_OUTPUT(d12, "d12", "m",
                    "largest distance of a point of the first set from the second"),
    SOFA_ROW_OUTPUT(d21, "d21", "m",
                    "largest distance of a point of the second set from the first"),
    SOFA_ROW_OUTPUT(max, "max", "m", "the larger of the two"),
    SOFA_ROW(always, "update", "0", "",
             "evaluate again when points change; otherwise at init only"),
};

/* Of each point of a the distance to the nearest of b, by n numbers: the largest. Frames count by
 * their centers. */
static double farthest(const SofaCoords *a, const SofaCoords *b, unsigned n) {
  double most = 0;
  for (size_t i = 0; i < a->n; i++) {
    double least = INFINITY;
    for (size_t j = 0; j < b->n; j++) {
      double sum = 0;
      for (unsigned k = 0; k < n; k++) {
        const double d = a->data[i * a->width + k] - b->data[j * b->width + k];
        sum += d * d;
      }
      least = fmin(least, sum);
    }
    most = fmax(most, least);
  }
  return sqrt(most);
}

static SofaErr update(SofaObject *object) {
  HausdorffDistance *h = (HausdorffDistance *)object;
  if (h->done && !h->always) return SOFA_OK;
  const unsigned n = sofa_state_kind_info(object->kind)->space;
  if (!h->points1.n != !h->points2.n)
    return sofa_field_fail(object, h->points1.n ? "points2" : "points1", SOFA_ERR_ARGUMENT,
                           "there are no points to measure distances from");
  h->d12 = farthest(&h->points1, &h->points2, n);
  h->d21 = farthest(&h->points2, &h->points1, n);
  h->max = fmax(h->d12, h->d21);
  h->done = true;
  return SOFA_OK;
}

ENGINE_CLASS(HausdorffDistance, "Analyze", "Measures how far two sets of points are apart.",
             .equations = "d_{12} = max_i min_j |x_i - y_j|, d_{21} = max_j min_i |x_i - y_j|, d = "
                          "max(d_{12}, d_{21})\n"
                          "\"x_i: points1, y_j: points2, d: max\"",
             .templates = engine_state_templates, .init = engine_init, .listening = true, );
