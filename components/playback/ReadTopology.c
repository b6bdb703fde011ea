/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ReadTopology: replays recorded topologies: points and elements are inserted and removed as
 * recorded. */
#include "change/topology_change.h"
#include "object/checkpoint.h"
#include "components/playback/topology_reader.h"

static const SofaQuirk quirks[] = {
    QUIRK_TOPOLOGY_PLAYBACK_ROW,
};

typedef struct ReadTopology {
  TopologyReader reader;
  size_t n_first; /* points at the first block */
} ReadTopology;

static SofaErr repeat_points(TopologyReader *r, SofaTopologyEdit *edit,
                             const RecordedChange *change) {
  SofaContext *ctx = r->object.ctx;
  SofaAncestors a = {.start = {0}};
  SofaErr err = topology_reader_ancestors(r, change->line, change->n, &a);
  if (err == SOFA_OK) err = sofa_topology_add_points(edit, r->topology, change->n, &a);
  sofa_list_free(ctx, &a.start);
  sofa_list_free(ctx, &a.points);
  sofa_list_free(ctx, &a.weights);
  return err;
}

/* A recorded change. */
static SofaErr repeat(TopologyReader *r, SofaTopologyEdit *edit, const RecordedChange *change) {
  SofaIndices ids = {0}, parts = {0};
  const SofaElementKind kind = change->kind;
  const unsigned width = change->added ? sofa_element_kind_info(kind)->width : 1;
  if (change->added && kind == SOFA_ELEMENT_POINT) return repeat_points(r, edit, change);
  SofaErr err = topology_reader_numbers(r, change->line, change->n * width, &ids);
  if (err == SOFA_OK && change->parts)
    err = topology_reader_numbers(r, change->parts, change->n, &parts);
  if (err == SOFA_OK)
    err = change->added ? sofa_topology_add_parts(edit, r->topology, kind, ids.data, change->n,
                                                  change->parts ? parts.data : NULL)
                        : sofa_topology_remove(edit, r->topology, kind, ids.data, change->n, 0);
  sofa_list_free(r->object.ctx, &ids);
  sofa_list_free(r->object.ctx, &parts);
  return err;
}

/* The file began again: its changes would be of another mesh. Points that came since its first
 * block go, unless an element has them. */
static SofaErr remove_added_points(ReadTopology *read, SofaTopologyEdit *edit) {
  SofaTopology *t = read->reader.topology;
  SofaContext *ctx = t->object.ctx;
  SofaIndices ids = {0};
  SofaErr err = SOFA_OK;
  size_t keep = sofa_mesh_vertex_count(&t->mesh);
  if (keep < read->n_first) keep = read->n_first;
  for (uint32_t i = (uint32_t)keep; i < t->n_points && err == SOFA_OK; i++)
    err = SOFA_APPEND(ctx, &ids, &i);
  if (err == SOFA_OK && ids.n)
    err = sofa_topology_remove(edit, t, SOFA_ELEMENT_POINT, ids.data, ids.n, 0);
  sofa_list_free(ctx, &ids);
  return err;
}

/* The changes on the way, then what still differs from the recorded elements. */
static SofaErr set(TopologyReader *r, SofaTopologyEdit *edit) {
  SofaContext *ctx = r->object.ctx;
  SofaIndices numbers[N_RECORDED_KINDS] = {{0}};
  SofaElements lists[SOFA_N_ELEMENT_KINDS] = {{0}};
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < r->changes.n && !r->rewound; i++)
    SOFA_GO(err, done, repeat(r, edit, &r->changes.data[i]));
  for (int k = 0; k < N_RECORDED_KINDS; k++) {
    const SofaElementKind kind = recorded_kinds[k].kind;
    const unsigned width = sofa_element_kind_info(kind)->width;
    if (!r->present[k]) continue;
    (void)sofa_topology_elements(r->topology, kind);
    SOFA_GO(err, done, topology_reader_numbers(r, r->lines[k], r->counts[k] * width, &numbers[k]));
    lists[kind] = (SofaElements){numbers[k].data, r->counts[k], width};
  }
  SOFA_GO(err, done, r->topology->failure);
  SOFA_GO(err, done, sofa_topology_set(edit, r->topology, lists));
  if (r->rewound) err = remove_added_points((ReadTopology *)r, edit);
done:
  for (int k = 0; k < N_RECORDED_KINDS; k++) sofa_list_free(ctx, &numbers[k]);
  return err;
}

/* Are the recorded elements those that there are? */
static bool is_there(const TopologyReader *r) {
  for (int k = 0; k < N_RECORDED_KINDS; k++) {
    const size_t n = sofa_topology_elements(r->topology, recorded_kinds[k].kind).n;
    if (r->present[k] && (n != r->counts[k] || topology_reader_errors(r, k))) return false;
  }
  return r->changes.n == 0 && !r->rewound;
}

static SofaErr apply(TopologyReader *r) {
  SofaTopologyEdit edit;
  const SofaTopology *t = r->topology;
  ReadTopology *read = (ReadTopology *)r;
  if (!read->n_first) read->n_first = t->n_points;
  if (is_there(r) || sofa_quirk(&r->object, QUIRK_TOPOLOGY_PLAYBACK)) return t->failure;
  if (!sofa_topology_may_change(t))
    return sofa_object_fail(
        &r->object, SOFA_ERR_ARGUMENT,
        "'%s' records other elements at t = %g s than %s '%s' has, which cannot "
        "change: expected a ...SetTopologyContainer with a ...SetTopologyModifier in the same node",
        r->filename.text, r->next_time, t->object.klass->name, t->object.name);
  SOFA_TRY(sofa_topology_edit_begin(sofa_node_root(r->object.node), &edit));
  const SofaErr err = set(r, &edit);
  const SofaErr ended = sofa_topology_edit_end(&edit, err != SOFA_OK);
  r->rewound = false;
  return err != SOFA_OK ? err : ended;
}

static SofaErr read_handle_event(SofaObject *object, const SofaEvent *event) {
  TopologyReader *r = (TopologyReader *)object;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || !r->text) return SOFA_OK;
  // times are written with 6 digits
  const double time = object->node->time + r->shift + 0.001 * object->node->dt;
  if (r->interval > 0) {
    if (time < r->last_time + r->interval) return SOFA_OK;
    r->last_time += r->interval;
  }
  r->changes.n = 0;
  SOFA_TRY(topology_reader_advance(r, time));
  return r->fresh ? apply(r) : SOFA_OK;
}

static SofaErr read_construct(SofaObject *object) {
  ((TopologyReader *)object)->keep_changes = true;
  return SOFA_OK;
}

static const SofaKeptMember kept[] = {
    SOFA_KEEP(ReadTopology, n_first),
};

SOFA_CLASS(ReadTopology) = {
    SOFA_NAMED(ReadTopology),
    .module = "Sofa.Component.Playback",
    .category = "_Miscellaneous",
    .help = "Sets the elements of its node's topology to recorded ones at the beginning of steps. "
            "Points are inserted and removed as recorded by WriteTopology; a ReadState after it "
            "sets their positions.",
    .base = &topology_reader_class,
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    .listening = true,
    .construct = read_construct,
    .handle_event = read_handle_event,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_CHANGER, SOFA_NO_OPS}),
};
