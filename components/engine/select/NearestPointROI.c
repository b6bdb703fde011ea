/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* NearestPointROI: pairs of points of two states that are near to each other. */
#include <math.h>

#include "components/engine/engine.h"
#include "math/quaternion.h"

enum { QUIRK_FRAME_DISTANCE = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_FRAME_DISTANCE, "frame-distance",
     "NearestPointROI adds the rotation between two frames to their distance",
     "test_quirks_sets.engines"},
};

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

/* SOFA's share of the rotation between frames: the squares of the quaternion's x y z, or of the
 * angle. */
static double squared_rotation(const SofaStateKindInfo *kind, const double *a, const double *b) {
  double q[4];
  if (kind->space == 2) {
    const double angle = fmod(b[2] - a[2], 2 * acos(-1.0));
    return angle * angle;
  }
  sofa_quat_inverse(a + 3, q);
  sofa_quat_multiply(q, b + 3, q);
  return sofa_vec3_norm2(q);
}

/* All numbers of a coordinate count, as in SOFA; frames by their centers. */
static double squared_distance(const SofaStateKindInfo *kind, bool rotations, const double *a,
                               const double *b) {
  const unsigned n = kind->rigid ? kind->space : kind->coord;
  double sum = 0;
  for (unsigned k = 0; k < n; k++) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return rotations ? sum + squared_rotation(kind, a, b) : sum;
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
  const bool rotations = kind->rigid && sofa_quirk(&r->object, QUIRK_FRAME_DISTANCE);
  const double *point = r->points2.data + j * r->points2.width;
  const size_t n1 = r->input1.n ? r->input1.n : r->points1.n;
  size_t best = 0;
  double least = INFINITY;
  for (size_t k = 0; k < n1; k++) {
    const size_t i = r->input1.n ? r->input1.data[k] : k;
    const double d =
        squared_distance(kind, rotations, r->points1.data + i * r->points1.width, point);
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
             SOFA_QUIRKS(quirks), .templates = templates, .init = init, );
