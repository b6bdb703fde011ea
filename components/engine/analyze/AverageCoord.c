/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* AverageCoord: the mean of coordinates of a state. */
#include "components/engine/engine.h"
#include "math/quaternion.h"

enum { QUIRK_AVERAGE_ORIENTATION = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_AVERAGE_ORIENTATION, "average-orientation",
     "AverageCoord gives the product of the orientations of frames, not their mean",
     "test_quirks_sets.engines"},
};

typedef struct AverageCoord {
  SofaObject object;
  SofaLink state;
  SofaIndices indices;
  uint32_t vector;
  SofaCoords coords, average;
} AverageCoord;

static const SofaLinkRule state_rule = {.interface = SOFA_MECHANICAL_STATE,
                                        .search = SOFA_SEARCH_UP};

typedef AverageCoord SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW(state, "mstate", NULL, "", "the state; default: the nearest one",
             .flags = SOFA_FIELD_NO_AUTOLINK, .link = &state_rule),
    SOFA_ROW_INPUT(indices, "indices", NULL, "", "points to average; empty: all"),
    SOFA_ROW(vector, "vecId", "1", "", "vector of the state: 1 positions, 2 rest positions",
             .range = SOFA_WITHIN(1, 2)),
    SOFA_ROW(coords, "coords", NULL, "m", "coordinates, linked at init",
             .flags = SOFA_FIELD_INPUT | SOFA_FIELD_NO_AUTOLINK),
    SOFA_ROW_OUTPUT(average, "average", "m",
                    "mean of the coordinates; of orientations that of their quaternions, each with "
                    "the sign that is nearer to the first"),
};

static const double *coord_at(const AverageCoord *a, size_t i) {
  return a->coords.data + (a->indices.n ? a->indices.data[i] : i) * a->coords.width;
}

/* The unit quaternion along the sum; opposite signs are the same orientation. */
static void mean_orientation(const AverageCoord *a, size_t n, double *q) {
  const double *first = SOFA_POSE_QUAT(coord_at(a, 0), 0);
  for (int k = 0; k < 4; k++) q[k] = 0;
  for (size_t i = 0; i < n; i++) {
    const double *p = SOFA_POSE_QUAT(coord_at(a, i), 0);
    double dot = 0;
    for (int k = 0; k < 4; k++) dot += p[k] * first[k];
    for (int k = 0; k < 4; k++) q[k] += dot < 0 ? -p[k] : p[k];
  }
  sofa_quat_normalize(q);
}

static void product_of_orientations(const AverageCoord *a, size_t n, double *q) {
  sofa_quat_identity(q);
  for (size_t i = 0; i < n; i++) sofa_quat_multiply(q, SOFA_POSE_QUAT(coord_at(a, i), 0), q);
}

static SofaErr update(SofaObject *object) {
  AverageCoord *a = (AverageCoord *)object;
  const SofaStateKindInfo *kind = sofa_state_kind_info(object->kind);
  const size_t n = a->indices.n ? a->indices.n : a->coords.n;
  const bool turned = object->kind == SOFA_RIGID3;
  SOFA_TRY(ENGINE_CHECK(object, "indices", &a->indices, a->coords.n));
  if (!n) return sofa_field_fail(object, "indices", SOFA_ERR_ARGUMENT, "there is no point");
  a->average.width = kind->coord;
  SOFA_TRY(sofa_coords_resize(object->ctx, &a->average, 1));
  for (unsigned k = 0; k < (turned ? 3 : kind->coord); k++) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += coord_at(a, i)[k];
    a->average.data[k] = sum / (double)n;
  }
  if (!turned) return SOFA_OK;
  const bool product = sofa_quirk(object, QUIRK_AVERAGE_ORIENTATION);
  (product ? product_of_orientations : mean_orientation)(a, n, a->average.data + 3);
  return SOFA_OK;
}

static SofaErr init(SofaObject *object) {
  AverageCoord *a = (AverageCoord *)object;
  if (!a->state.target)
    return sofa_field_fail(object, "mstate", SOFA_ERR_NOT_FOUND, "there is no mechanical state");
  if (a->state.target->kind != object->kind)
    return sofa_field_fail(object, "mstate", SOFA_ERR_TYPE, "it is a state of kind %s, not %s",
                           sofa_state_kind_info(a->state.target->kind)->name,
                           sofa_state_kind_info(object->kind)->name);
  SOFA_TRY(engine_link(object, "coords", a->state.target,
                       a->vector == 1 ? "position" : "rest_position"));
  return engine_init(object);
}

/* Without a template in the scene, that of the state. */
static bool can_create(SofaNode *node, const struct SofaElement *element, const char *name,
                       SofaText *why) {
  const SofaState *state = sofa_node_state(node);
  (void)element;
  if (!state || state->object.kind == sofa_state_kind_from_name(name)) return true;
  (void)sofa_text_printf(node->object.ctx, why, "the state in context is of kind %s",
                         sofa_state_kind_info(state->object.kind)->name);
  return false;
}

static const char *const templates[] = {"Vec3d", "Vec2d", "Rigid2d", "Rigid3d", NULL};

ENGINE_CLASS(AverageCoord, "Analyze", "Computes the mean of coordinates of a state.",
             .equations = "y = 1/n sum_i x_i\n"
                          "\"y: average, n: number of points\"",
             SOFA_QUIRKS(quirks), .templates = templates, .init = init, .can_create = can_create, );
