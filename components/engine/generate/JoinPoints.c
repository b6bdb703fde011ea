/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* JoinPoints: joins points that are near to each other. */

#include "components/engine/engine.h"
#include "math/vec.h"

typedef struct JoinPoints {
  SofaObject object;
  SofaVec3s points, merged;
  double distance;
} JoinPoints;

typedef JoinPoints SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(points, "points", NULL, "m", "points to join"),
    SOFA_ROW_INPUT(distance, "distance", "0", "m",
                   "points nearer than this become one, at their mean", .range = SOFA_AT_LEAST(0)),
    SOFA_ROW_OUTPUT(merged, "mergedPoints", "m", "joined points"),
};

/* The nearest other point within the distance, the first of equal ones; n: none. */
static size_t partner(const JoinPoints *j, size_t i) {
  const SofaVec3s *list = &j->merged;
  size_t best = list->n;
  double least = j->distance;
  for (size_t k = 0; k < list->n; k++) {
    double d[3];
    if (k == i) continue;
    sofa_vec3_sub(list->data[k].v, list->data[i].v, d);
    const double distance = sofa_vec3_norm(d);
    if (!(distance < least)) continue;
    least = distance;
    best = k;
  }
  return best;
}

/* Moves point i to the mean with its partner, of as many points as have joined, and drops the
 * partner. Returns the place where the point is then. */
static size_t join(JoinPoints *j, uint32_t *weight, size_t i, size_t k) {
  SofaVec3s *list = &j->merged;
  for (int c = 0; c < 3; c++)
    list->data[i].v[c] =
        (list->data[i].v[c] * weight[i] + list->data[k].v[c] * weight[k]) / (weight[i] + weight[k]);
  weight[i] += weight[k];
  list->n--;
  sofa_move(list->data + k, list->data + k + 1, (list->n - k) * sizeof *list->data);
  sofa_move(weight + k, weight + k + 1, (list->n - k) * sizeof *weight);
  return k < i ? i - 1 : i;
}

static SofaErr update(SofaObject *object) {
  JoinPoints *j = (JoinPoints *)object;
  SOFA_TRY(sofa_list_copy(object->ctx, &j->merged, &j->points, sizeof(SofaVec3)));
  const SofaScratchMark mark = sofa_scratch_mark(object->ctx);
  uint32_t *weight = SOFA_SCRATCH(object->ctx, uint32_t, j->merged.n);
  for (size_t i = 0; weight && i < j->merged.n; i++) weight[i] = 1;
  for (size_t i = 0; weight && i < j->merged.n;) {
    const size_t k = partner(j, i);
    i = k < j->merged.n ? join(j, weight, i, k) : i + 1;
  }
  sofa_scratch_release(object->ctx, mark);
  return weight ? SOFA_OK : SOFA_ERR_MEMORY;
}

ENGINE_CLASS(JoinPoints, "Generate", "Joins points that are near to each other.",
             .templates = engine_vec3_templates, .init = engine_init, );
