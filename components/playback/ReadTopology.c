/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ReadTopology: replays recorded topologies, as long as these are the ones that there are. */
#include "components/playback/topology_reader.h"

/* Setting elements is a topological change that says nothing of which ones stay. */
static SofaErr check(const TopologyReader *r) {
  for (int k = 0; k < N_RECORDED_KINDS; k++) {
    if (!topology_reader_errors(r, k)) continue;
    return sofa_object_unsupported(
        &r->object,
        "at t = %g s '%s' records other %s than '%s' has, and these cannot be replaced during a "
        "simulation (TopologicalChangeProcessor removes and adds elements)",
        r->next_time, r->filename.text, sofa_element_kind_info(recorded_kinds[k].kind)->field,
        r->topology->object.name);
  }
  return SOFA_OK;
}

static SofaErr read_handle_event(SofaObject *object, const SofaEvent *event) {
  TopologyReader *r = (TopologyReader *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || !r->text) return SOFA_OK;
  const double time = object->node->time + r->shift;
  if (r->interval > 0) {
    if (time < r->last_time + r->interval) return SOFA_OK;
    r->last_time += r->interval;
  }
  topology_reader_advance(r, time);
  return r->fresh ? check(r) : SOFA_OK;
}

const SofaClass sofa_ReadTopology_class = {
    .name = "ReadTopology",
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Reads recorded topologies at the beginning of steps. Elements other than those that "
            "there are cannot be set yet and end the run.",
    .base = &topology_reader_class,
    .size = sizeof(TopologyReader),
    .listening = true,
    .handle_event = read_handle_event,
};
