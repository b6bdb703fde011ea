/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CompareTopology: counts the elements that differ from recorded ones. */
#include "components/playback/topology_reader.h"
#include "object/checkpoint.h"

typedef struct CompareTopology {
  TopologyReader reader;
  size_t errors[N_RECORDED_KINDS]; /* sums over the blocks */
  size_t total, n_compared;
} CompareTopology;

static void compare(CompareTopology *c) {
  const TopologyReader *r = &c->reader;
  size_t now = 0;
  for (int k = 0; k < N_RECORDED_KINDS; k++) {
    const size_t errors = topology_reader_errors(r, k);
    c->errors[k] += errors;
    now += errors;
  }
  c->total += now;
  c->n_compared++;
  sofa_object_message(&r->object, SOFA_INFO, "t = %g s: %zu elements differ, %zu so far",
                      r->object.node->time, now, c->total);
}

static SofaErr compare_handle_event(SofaObject *object, const SofaEvent *event) {
  CompareTopology *c = (CompareTopology *)object;
  const SofaNode *node = object->node;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || !c->reader.text) return SOFA_OK;
  SOFA_TRY(topology_reader_advance(&c->reader, node->time + c->reader.shift + 0.001 * node->dt));
  if (c->reader.fresh) compare(c);
  return SOFA_OK;
}

static SofaErr compare_reset(SofaObject *object) {
  CompareTopology *c = (CompareTopology *)object;
  for (int k = 0; k < N_RECORDED_KINDS; k++) c->errors[k] = 0;
  c->total = c->n_compared = 0;
  return SOFA_OK;
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP(CompareTopology, errors),
    SOFA_KEEP(CompareTopology, total),
    SOFA_KEEP(CompareTopology, n_compared),
};

SOFA_CLASS(CompareTopology) = {
    SOFA_NAMED(CompareTopology),
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Compares the elements of its node's topology with recorded ones at the beginning of "
            "steps; with printLog it reports how many differ.",
    .base = &topology_reader_class,
    SOFA_KEEPS(kept),
    .listening = true,
    .reset = compare_reset,
    .handle_event = compare_handle_event,
};
