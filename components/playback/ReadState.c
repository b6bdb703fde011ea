/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ReadState: replays recorded positions and velocities. */
#include "behavior/animation_loop.h"
#include "components/playback/state_reader.h"
#include "simulation/schedule.h"

static SofaErr constrain(SofaProjective *c, const SofaMechParams *p) {
  SofaState *other = c->second ? c->second : c->state;
  SOFA_TRY(sofa_projective_apply(c, SOFA_PROJECT_POSITION, p, c->state->position.data,
                                 other->position.data));
  return sofa_projective_apply(c, SOFA_PROJECT_VELOCITY, p, c->state->velocity.data,
                               other->velocity.data);
}

/* Constraints of the state act on what was read; mapped states follow. */
static SofaErr spread(const StateReader *r) {
  SofaNode *root = sofa_node_root(r->object.node);
  SofaAnimationLoop *loop = (SofaAnimationLoop *)sofa_node_slot(root, SOFA_ANIMATION_LOOP);
  SofaSchedule *s = loop ? loop->schedule : NULL;
  if (!s || sofa_schedule_is_stale(s)) return SOFA_OK;
  const SofaMechParams p = sofa_mech_params(0, root->time, 0, 0, 0); // of this moment
  for (size_t i = 0; i < s->constraints.n; i++) {
    SofaProjective *c = (SofaProjective *)s->constraints.data[i];
    if (c->state == r->state) SOFA_TRY(constrain(c, &p));
  }
  return sofa_schedule_propagate(s);
}

static SofaErr read_handle_event(SofaObject *object, const SofaEvent *event) {
  StateReader *r = (StateReader *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || !r->text) return SOFA_OK;
  const double time = object->node->time + r->shift;
  if (r->interval > 0) {
    if (time < r->last_time + r->interval) return SOFA_OK;
    r->last_time += r->interval;
  }
  const StateBlock block = state_reader_advance(r, time);
  if (!block.x && !block.v) return SOFA_OK;
  SOFA_TRY(state_reader_apply(r, &block));
  return spread(r);
}

SOFA_CLASS(ReadState) = {
    .name = "ReadState",
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Sets the state of its node to recorded positions and velocities over time.",
    .base = &state_reader_class,
    .size = sizeof(StateReader),
    .listening = true,
    .handle_event = read_handle_event,
};
