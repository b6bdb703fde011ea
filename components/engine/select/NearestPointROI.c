/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NearestPointROI: pairs of points of two states that are near to each other. */
#include <math.h>

#include "components/engine/engine.h"

typedef struct NearestPointROI {
  SofaObject object;
  SofaLink object1, object2;
  SofaIndices input1, input2, indices1, indices2, pairs;
  double radius;
  bool use_rest, draw_pairs;
  SofaEdges edges;
  SofaReals distances;
  SofaCoords points1, points2; /* of the two states, linked */
} NearestPointROI;

static const SofaLinkRule state_rule = {.interface = SOFA_MECHANICAL_STATE};

typedef NearestPointROI SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(object1, "object1", NULL, "", "first state", .flags = SOFA_FIELD_NO_AUTOLINK,
             .link = &state_rule),
    SOFA_ROW(object2, "object2", NULL, "", "second state", .flags = SOFA_FIELD_NO_AUTOLINK,
             .link = &state_rule),
    SOFA_ROW_INPUT(input1, "inputIndices1", NULL, "", "points of the first state; empty: all"),
    SOFA_ROW_INPUT(input2, "inputIndices2", NULL, "", "points of the second state; empty: all"),
    SOFA_ROW_INPUT(radius, "radius", "1", "m", "points this far apart, or farther, are not a pair",
                   .range = SOFA_ABOVE(0)),
    SOFA_ROW(use_rest, "useRestPosition", "1", "",
             "take rest positions; otherwise positions, again whenever they change"),
    SOFA_ROW_OUTPUT(indices1, "indices1", "", "points of the first state"),
    SOFA_ROW_OUTPUT(indices2, "indices2", "", "their partners"),
    SOFA_ROW_OUTPUT(edges, "edges", "",
                    "edges 2 i, 2 i + 1 for each partner i, as a list of the pairs has them"),
    SOFA_ROW_OUTPUT(pairs, "indexPairs", "",
                    "0, point, 1, partner for each pair: input and point for SubsetMultiMapping"),
    SOFA_ROW_OUTPUT(distances, "distances", "m", "distance of each pair"),
    SOFA_ROW_DISPLAY(draw_pairs, "drawPairs", "0", "draw the pairs"),
    SOFA_ROW(points1, "points1", NULL, "m", "points of object1, linked at init",
             .flags = SOFA_FIELD_INPUT | SOFA_FIELD_NO_AUTOLINK),
    SOFA_ROW(points2, "points2", NULL, "m", "points of object2, linked at init",
             .flags = SOFA_FIELD_INPUT | SOFA_FIELD_NO_AUTOLINK),
};

/* All numbers of a coordinate count, as in SOFA; frames by their centers. */
static double squared_distance(const SofaCoords *a, size_t i, const SofaCoords *b, size_t j,
                               unsigned n) {
  double sum = 0;
  for (unsigned k = 0; k < n; k++) {
    const double d = a->data[i * a->width + k] - b->data[j * b->width + k];
    sum += d * d;
  }
  return sum;
}

static SofaErr append_pair(NearestPointROI *r, size_t i, size_t j, double distance) {
  SofaContext *ctx = r->object.ctx;
  const SofaEdge edge = {{(uint32_t)(2 * j), (uint32_t)(2 * j + 1)}};
  const size_t pair[4] = {0, i, 1, j};
  for (int k = 0; k < 4; k++) SOFA_TRY(engine_append(ctx, &r->pairs, pair[k]));
  SOFA_TRY(engine_append(ctx, &r->indices1, i));
  SOFA_TRY(engine_append(ctx, &r->indices2, j));
  SOFA_TRY(SOFA_APPEND(ctx, &r->edges, &edge));
  return SOFA_APPEND(ctx, &r->distances, &distance);
}

static SofaErr pair_up(NearestPointROI *r, size_t j) {
  const SofaStateKindInfo *kind = sofa_state_kind_info(r->object.kind);
  const unsigned n = kind->rigid ? kind->space : kind->coord;
  const size_t n1 = r->input1.n ? r->input1.n : r->points1.n;
  size_t best = 0;
  double least = INFINITY;
  for (size_t k = 0; k < n1; k++) {
    const size_t i = r->input1.n ? r->input1.data[k] : k;
    const double d = squared_distance(&r->points1, i, &r->points2, j, n);
    if (!(d < least)) continue;
    least = d;
    best = i;
  }
  return least < r->radius * r->radius ? append_pair(r, best, j, sqrt(least)) : SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  NearestPointROI *r = (NearestPointROI *)object;
  r->indices1.n = r->indices2.n = r->pairs.n = r->edges.n = r->distances.n = 0;
  if (!r->points1.n || !r->points2.n) return SOFA_OK;
  SOFA_TRY(ENGINE_CHECK(object, "inputIndices1", &r->input1, r->points1.n));
  SOFA_TRY(ENGINE_CHECK(object, "inputIndices2", &r->input2, r->points2.n));
  const size_t n2 = r->input2.n ? r->input2.n : r->points2.n;
  for (size_t k = 0; k < n2; k++) SOFA_TRY(pair_up(r, r->input2.n ? r->input2.data[k] : k));
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  NearestPointROI *r = (NearestPointROI *)object;
  SofaLink *links[] = {&r->object1, &r->object2};
  for (int k = 0; k < 2; k++) {
    const char *name = k ? "object2" : "object1";
    if (!links[k]->target)
      return sofa_field_fail(object, name, SOFA_ERR_NOT_FOUND, "it must be a mechanical state");
    if (links[k]->target->kind != object->kind)
      return sofa_field_fail(object, name, SOFA_ERR_TYPE, "it is a state of kind %s, not %s",
                             sofa_state_kind_info(links[k]->target->kind)->name,
                             sofa_state_kind_info(object->kind)->name);
    SOFA_TRY(engine_link(object, k ? "points2" : "points1", links[k]->target,
                         r->use_rest ? "rest_position" : "position"));
  }
  return engine_init(object);
}

static const char *const templates[] = {"Vec3d",   "Vec1d",   "Vec2d", "Vec6d",
                                        "Rigid2d", "Rigid3d", NULL};

ENGINE_CLASS(NearestPointROI, "Select",
             "Pairs each point of a state with the nearest one of another, if it is near.",
             .templates = templates, .init = init, );
