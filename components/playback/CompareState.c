/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CompareState: measures how far a simulation is from recorded states. */
#include <math.h>

#include "base/text.h"
#include "object/checkpoint.h"
#include "object/process.h"
#include "behavior/state_division.h"
#include "components/playback/state_reader.h"

typedef struct CompareState {
  StateReader reader;
  double error_x, error_v;               /* sums over the blocks of mean |reference - current| */
  double error_x_by_dof, error_v_by_dof; /* the same, each divided by the number of points */
  size_t n_compared;
} CompareState;

/* Mean over the scalars that both have of |reference - current|, current rounded to 6 digits as a
 * recording would be. Of a divided state each process adds those of its own points. */
static SofaErr mean_error(const CompareState *c, const char *line, const SofaCoords *current,
                          double *mean) {
  const SofaState *state = c->reader.state;
  const size_t n = sofa_state_n_owned(state) * current->width;
  double sum = 0, reference = 0, rounded = 0;
  size_t k = 0;
  *mean = 0;
  for (; line && k < n && sofa_read_real(&line, &reference); k++) {
    char text[32];
    const char *at = text;
    sofa_print_real(text, current->data[k], 6);
    if (!sofa_read_real(&at, &rounded)) rounded = current->data[k];
    sum += fabs(reference - rounded);
  }
  double sums[2] = {sum, (double)k};
  if (sofa_state_division(state)) SOFA_TRY(sofa_process_sum(state->object.ctx, 2, sums));
  if (sums[1] > 0) *mean = sums[0] / sums[1];
  return SOFA_OK;
}

static SofaErr compare(CompareState *c, const StateBlock *block) {
  const StateReader *r = &c->reader;
  const size_t n_whole = sofa_state_n_whole(r->state);
  const double n = n_whole ? (double)n_whole : 1;
  double x = 0, v = 0;
  if (!block->x && !block->v) return SOFA_OK;
  SOFA_TRY(mean_error(c, block->x, &r->state->position, &x));
  SOFA_TRY(mean_error(c, block->v, &r->state->velocity, &v));
  c->error_x += x;
  c->error_v += v;
  c->error_x_by_dof += x / n;
  c->error_v_by_dof += v / n;
  c->n_compared++;
  sofa_object_message(
      &r->object, SOFA_INFO, "t = %g s: mean error %g, total so far %g, per point %g",
      r->object.node->time, x + v, c->error_x + c->error_v, c->error_x_by_dof + c->error_v_by_dof);
  return SOFA_OK;
}

static SofaErr compare_handle_event(SofaObject *object, const SofaEvent *event) {
  CompareState *c = (CompareState *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || !c->reader.text) return SOFA_OK;
  const SofaNode *node = object->node;
  const StateBlock block =
      state_reader_advance(&c->reader, node->time + c->reader.shift + 0.001 * node->dt);
  return compare(c, &block);
}

static SofaErr compare_reset(SofaObject *object) {
  CompareState *c = (CompareState *)object;
  c->error_x = c->error_v = c->error_x_by_dof = c->error_v_by_dof = 0;
  c->n_compared = 0;
  return SOFA_OK;
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP(CompareState, error_x),        SOFA_KEEP(CompareState, error_v),
    SOFA_KEEP(CompareState, error_x_by_dof), SOFA_KEEP(CompareState, error_v_by_dof),
    SOFA_KEEP(CompareState, n_compared),
};

SOFA_CLASS(CompareState) = {
    SOFA_NAMED(CompareState),
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Starts from a recorded state and compares the motion with the recording; with "
            "printLog it reports the errors.",
    .base = &state_reader_class,
    SOFA_KEEPS(kept),
    .listening = true,
    .reset = compare_reset,
    .handle_event = compare_handle_event,
};
