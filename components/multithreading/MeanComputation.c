/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MeanComputation: the mean of the positions of all states in its node. */
#include <string.h>
#include "behavior/state.h"
#include "math/quaternion.h"
#include "object/event.h"

enum { QUIRK_MEAN_OF_MEANS = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_MEAN_OF_MEANS, "mean-of-means",
     "MeanComputation adds to its last result instead of starting from 0",
     "test_scene_utilities.means"},
};

typedef struct MeanComputation {
  SofaObject object;
  SofaCoords result;
} MeanComputation;

static const SofaField fields[] = {
    SOFA_FIELD(MeanComputation, result, "result", NULL, "m",
               "mean positions of the states in the node without the tag MeanOutput; states with "
               "the tag receive the result",
               .flags = SOFA_FIELD_OUTPUT),
};

static bool is_output(const SofaObject *object) {
  const SofaStrings *tags = &object->tags.words;
  for (size_t i = 0; i < tags->n; i++)
    if (strcmp(tags->data[i], "MeanOutput") == 0) return true;
  return false;
}

/* The i-th state of the node that is an input or an output; NULL: there are no more. */
static SofaState *state_at(const MeanComputation *m, bool output, size_t i) {
  const SofaObjects *objects = &m->object.node->objects;
  for (size_t k = 0; k < objects->n; k++) {
    SofaObject *object = objects->data[k];
    if (!sofa_implements(object, SOFA_MECHANICAL_STATE) || is_output(object) != output ||
        object->kind != m->object.kind)
      continue;
    if (i-- == 0) return (SofaState *)object;
  }
  return NULL;
}

/* Quaternions of a frame: the sum of those that point to one side of the first. */
static void add_entry(size_t coord, double share, const double *from, double *sum) {
  double side = 1;
  if (coord == 7) {
    double dot = 0;
    for (int k = 3; k < 7; k++) dot += sum[k] * from[k];
    side = dot < 0 ? -1 : 1;
  }
  for (size_t k = 0; k < coord; k++) sum[k] += share * (k >= 3 && coord == 7 ? side : 1) * from[k];
}

static SofaErr compute(MeanComputation *m) {
  const size_t coord = sofa_state_kind_info(m->object.kind)->coord;
  size_t n = SIZE_MAX, n_inputs = 0;
  for (const SofaState *s; (s = state_at(m, false, n_inputs)); n_inputs++)
    if (s->position.n < n) n = s->position.n;
  if (!n_inputs)
    return sofa_object_fail(&m->object, SOFA_ERR_NOT_FOUND,
                            "its node has no state without the tag MeanOutput");
  m->result.width = (uint32_t)coord;
  const bool same = m->result.n == n;
  if (!same) SOFA_TRY(sofa_coords_resize(m->object.ctx, &m->result, n));
  // SOFA adds to what is there
  if (!same || !sofa_quirk(&m->object, QUIRK_MEAN_OF_MEANS))
    for (size_t k = 0; k < coord * n; k++) m->result.data[k] = 0;
  const double share = 1.0 / (double)n_inputs;
  for (size_t k = 0; k < coord * n && same; k++) m->result.data[k] *= share;
  for (size_t i = 0; i < n_inputs; i++) {
    const SofaState *s = state_at(m, false, i);
    for (size_t k = 0; k < n; k++)
      add_entry(coord, share, s->position.data + coord * k, m->result.data + coord * k);
  }
  for (size_t k = 0; k < n && coord == 7; k++) sofa_quat_normalize(m->result.data + coord * k + 3);
  sofa_field_touch_name(&m->object, "result");
  return SOFA_OK;
}

static SofaErr hand_out(MeanComputation *m) {
  SofaState *s;
  for (size_t i = 0; (s = state_at(m, true, i)); i++) {
    if (s->position.n != m->result.n) SOFA_TRY(sofa_state_resize(s, m->result.n));
    sofa_copy(s->position.data, m->result.data,
              m->result.n * m->result.width * sizeof *m->result.data);
    sofa_state_touch(s);
  }
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  MeanComputation *m = (MeanComputation *)object;
  SOFA_TRY(compute(m));
  return hand_out(m);
}

static SofaErr handle_event(SofaObject *object, const SofaEvent *event) {
  return event->type == SOFA_EVENT_ANIMATE_BEGIN ? update(object) : SOFA_OK;
}

static const char *const templates[] = {"Vec3d", "Rigid2d", "Rigid3d", "Vec1d", "Vec2d", NULL};

SOFA_CLASS(MeanComputation) = {
    SOFA_NAMED(MeanComputation),
    .module = "MultiThreading",
    .category = "_Miscellaneous",
    .help = "The mean of the positions of all states of its template in its node, at the beginning "
            "of each step.",
    .base = &sofa_object_class,
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .templates = templates,
    .listening = true,
    .init = update,
    .handle_event = handle_event,
};
