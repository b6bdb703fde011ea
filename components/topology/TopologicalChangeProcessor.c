/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TopologicalChangeProcessor: elements that come and go at given times. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/files.h"
#include "base/quirks.h"
#include "change_script.h"
#include "object/event.h"
#include "set_container.h"
#include "topology_modifier.h"

enum { N_LISTS = 6 };

typedef struct TopologicalChangeProcessor {
  SofaObject object;
  SofaFileName filename;
  char *list_changes;
  double interval, shift, time_to_remove;
  bool loop, use_data, save_indices, draw;
  SofaIndices lists[N_LISTS];
  double snap_path, snap_border;
  SofaLink topology;
  SofaTopology *mesh;
  ScriptActions actions;
  size_t next;           /* action */
  double loop_time, end; /* added to the times of the file; its last time */
  bool over;             /* of the lists: done for good */
} TopologicalChangeProcessor;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

#define ROW(member, xml, def, unit, ...)                                                           \
  SOFA_FIELD(TopologicalChangeProcessor, member, xml, def, unit, __VA_ARGS__)

/* The lists in the order in which they are carried out, and the modifiers they need. */
static const struct {
  SofaElementKind kind;
  const SofaClass *modifier;
} lists[N_LISTS] = {
    {SOFA_ELEMENT_HEXA, &sofa_HexahedronSetTopologyModifier_class},
    {SOFA_ELEMENT_TETRA, &sofa_TetrahedronSetTopologyModifier_class},
    {SOFA_ELEMENT_QUAD, &sofa_QuadSetTopologyModifier_class},
    {SOFA_ELEMENT_TRIANGLE, &sofa_TriangleSetTopologyModifier_class},
    {SOFA_ELEMENT_EDGE, &sofa_EdgeSetTopologyModifier_class},
    {SOFA_ELEMENT_POINT, &sofa_PointSetTopologyModifier_class},
};

static const SofaField fields[] = {
    ROW(filename, "filename", NULL, "",
        "file with the changes: blocks of T= time, ADD= kind n and REMOVE= n, each followed by a "
        "line of numbers"),
    ROW(list_changes, "listChanges", NULL, "", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    ROW(interval, "interval", "0", "s",
        "time between removals of the lists; 0: they are carried out once"),
    ROW(shift, "shift", "0", "s", "added to the time of the simulation when the file is read"),
    ROW(loop, "loop", "0", "",
        "start again at the end of the file, whose times then count from its last one"),
    ROW(use_data, "useDataInputs", "0", "", "carry out the lists below instead of a file"),
    ROW(time_to_remove, "timeToRemove", "0", "s",
        "the lists are carried out in the first step that begins later"),
    ROW(lists[5], "pointsToRemove", NULL, "", "points that go"),
    ROW(lists[4], "edgesToRemove", NULL, "", "edges that go"),
    ROW(lists[3], "trianglesToRemove", NULL, "", "triangles that go"),
    ROW(lists[2], "quadsToRemove", NULL, "", "quads that go"),
    ROW(lists[1], "tetrahedraToRemove", NULL, "", "tetrahedra that go"),
    ROW(lists[0], "hexahedraToRemove", NULL, "", "hexahedra that go"),
    ROW(save_indices, "saveIndicesAtInit", "0", "",
        "no effect: only counts for incisions, which are not supported yet",
        .flags = SOFA_FIELD_NO_EFFECT),
    ROW(snap_path, "epsilonSnapPath", "0.1", "1",
        "no effect: only counts for incisions, which are not supported yet",
        .flags = SOFA_FIELD_NO_EFFECT),
    ROW(snap_border, "epsilonSnapBorder", "0.25", "1",
        "no effect: only counts for incisions, which are not supported yet",
        .flags = SOFA_FIELD_NO_EFFECT),
    ROW(draw, "draw", "0", "", "draw the elements of incisions", .flags = SOFA_FIELD_DISPLAY),
    ROW(topology, "topology", NULL, "",
        "topology to change; default: the node's, else the nearest ancestor's",
        .link = &topology_rule),
};

/* ---- life ---- */

static SofaErr read_file(TopologicalChangeProcessor *p) {
  SofaObject *object = &p->object;
  char *text = NULL;
  size_t size = 0;
  script_free(object->ctx, &p->actions);
  p->next = 0;
  p->loop_time = p->end = 0;
  if (!p->filename.path)
    return sofa_field_fail(object, "filename", SOFA_ERR_NOT_FOUND, "no file '%s'",
                           p->filename.text ? p->filename.text : "");
  SOFA_TRY(sofa_read_file(object->ctx, p->filename.path, 0, &text, &size));
  const SofaErr err = script_read(object, p->filename.path, text, &p->actions, &p->end);
  sofa_free(object->ctx, text);
  return err;
}

static SofaErr processor_init(SofaObject *object) {
  TopologicalChangeProcessor *p = (TopologicalChangeProcessor *)object;
  p->mesh = (SofaTopology *)p->topology.target;
  p->over = false;
  if (!p->mesh)
    return sofa_object_fail(object, SOFA_ERR_NOT_FOUND, "there is no topology in context");
  if (!sofa_topology_may_change(p->mesh))
    return sofa_field_fail(object, "topology", SOFA_ERR_ARGUMENT,
                           "%s '%s' cannot change: a ...SetTopologyContainer with a "
                           "...SetTopologyModifier beside it is expected",
                           p->mesh->object.klass->name, p->mesh->object.name);
  return p->use_data ? SOFA_OK : read_file(p);
}

static void processor_destroy(SofaObject *object) {
  script_free(object->ctx, &((TopologicalChangeProcessor *)object)->actions);
}

/* ---- changes ---- */

/* The modifier beside the topology, when it can change elements of the kind. */
static SofaErr find_modifier(const TopologicalChangeProcessor *p, SofaElementKind kind,
                             const SofaTopologyModifier **out) {
  const SofaSetContainer *set = (const SofaSetContainer *)p->mesh;
  const char *name = sofa_element_kind_info(kind)->field;
  *out = sofa_modifier_of(p->mesh, kind);
  if (!*out)
    return sofa_object_fail(&p->object, SOFA_ERR_NOT_FOUND, "'%s' has no modifier of %s beside it",
                            p->mesh->object.name, name);
  if (kind != SOFA_ELEMENT_POINT && set->top != kind)
    return sofa_object_unsupported(&p->object, "a change of %s of a container of %s", name,
                                   sofa_element_kind_info(set->top)->field);
  return SOFA_OK;
}

static int ascending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Who goes on removes what there is, once. */
static void keep_possible(const TopologicalChangeProcessor *p, SofaElementKind kind,
                          SofaIndices *ids) {
  const size_t n =
      kind == SOFA_ELEMENT_POINT ? p->mesh->n_points : sofa_mesh_elements(&p->mesh->mesh, kind).n;
  const size_t before = ids->n;
  size_t kept = 0;
  if (!p->object.ctx->keep_going || !before) return;
  qsort(ids->data, before, sizeof *ids->data, ascending);
  for (size_t k = 0; k < before; k++)
    if (ids->data[k] < n && (!kept || ids->data[k] != ids->data[kept - 1]))
      ids->data[kept++] = ids->data[k];
  ids->n = kept;
  if (kept < before)
    sofa_object_message(&p->object, SOFA_WARNING,
                        "%zu of %zu %s to remove do not exist or are listed twice: left out",
                        before - kept, before, sofa_element_kind_info(kind)->field);
}

/* ids are the processor's own: they may be sorted. */
static SofaErr remove_items(TopologicalChangeProcessor *p, SofaTopologyEdit *edit,
                            SofaElementKind kind, SofaIndices *ids) {
  const SofaTopologyModifier *modifier = NULL;
  SOFA_TRY(find_modifier(p, kind, &modifier));
  keep_possible(p, kind, ids);
  return sofa_topology_remove(edit, p->mesh, kind, ids->data, ids->n,
                              sofa_modifier_takes_along(modifier, kind));
}

/* Points inside triangles: weights of the three vertices. */
static SofaErr add_points(TopologicalChangeProcessor *p, SofaTopologyEdit *edit,
                          const ScriptAction *action) {
  SofaContext *ctx = p->object.ctx;
  const SofaTriangles *triangles = sofa_topology_triangles(p->mesh);
  SofaAncestors a = {.start = {0}};
  SofaErr err = SOFA_OK;
  uint32_t end = 0;
  SOFA_GO(err, done, SOFA_APPEND(ctx, &a.start, &end));
  for (size_t i = 0; i < action->n; i++) {
    const uint32_t id = action->ids.data[i];
    const double *w = action->weights.data + 2 * i;
    const double weights[3] = {w[0], w[1], 1 - w[0] - w[1]};
    if (id >= triangles->n)
      SOFA_GO(err, done,
              sofa_object_fail(&p->object, SOFA_ERR_RANGE,
                               "%s, line %d: there is no triangle %u, but %zu of them",
                               p->filename.text, action->line, id, triangles->n));
    for (int k = 0; k < 3; k++) {
      SOFA_GO(err, done, SOFA_APPEND(ctx, &a.points, &triangles->data[id].v[k]));
      SOFA_GO(err, done, SOFA_APPEND(ctx, &a.weights, &weights[k]));
    }
    end += 3;
    SOFA_GO(err, done, SOFA_APPEND(ctx, &a.start, &end));
  }
  err = sofa_topology_add_points(edit, p->mesh, action->n, &a);
done:
  sofa_list_free(ctx, &a.start);
  sofa_list_free(ctx, &a.points);
  sofa_list_free(ctx, &a.weights);
  return err;
}

/* REMOVE= means elements of the kind the modifier is about. */
static SofaElementKind kind_of_modifier(const TopologicalChangeProcessor *p) {
  const SofaObject *modifier =
      sofa_node_find(p->mesh->object.node, SOFA_TOPOLOGY_MODIFIER, SOFA_SEARCH_LOCAL);
  for (int i = 0; i < N_LISTS; i++)
    if (modifier && sofa_class_is_a(modifier->klass, lists[i].modifier)) return lists[i].kind;
  return SOFA_ELEMENT_POINT;
}

static SofaErr carry_out(TopologicalChangeProcessor *p, SofaTopologyEdit *edit,
                         ScriptAction *action) {
  const SofaTopologyModifier *modifier = NULL;
  if (action->verb == SCRIPT_REMOVE)
    return remove_items(p, edit, kind_of_modifier(p), &action->ids);
  SOFA_TRY(find_modifier(p, action->kind, &modifier));
  if (action->kind == SOFA_ELEMENT_POINT) return add_points(p, edit, action);
  return sofa_topology_add(edit, p->mesh, action->kind, action->ids.data, action->n);
}

/* Has a time of the file come? */
static bool is_due(const TopologicalChangeProcessor *p, double time) {
  const double now = p->object.node->time + p->shift - p->loop_time;
  return time < now || fabs(time - now) < DBL_EPSILON;
}

static size_t due_actions(const TopologicalChangeProcessor *p) {
  size_t end = p->next;
  while (end < p->actions.n && is_due(p, p->actions.data[end].time)) end++;
  return end;
}

/* At the end of the file back to its beginning. */
static bool go_round(TopologicalChangeProcessor *p) {
  if (!p->loop || p->next < p->actions.n || !(p->end > 0) || !is_due(p, p->end)) return false;
  p->loop_time += p->end;
  p->next = 0;
  return true;
}

/* All actions whose time has come, in order; SOFA loses all blocks but the last one. */
static SofaErr run_due(TopologicalChangeProcessor *p, SofaTopologyEdit *edit, size_t end) {
  const bool several = p->actions.data[p->next].time != p->actions.data[end - 1].time;
  const bool last_only = several && sofa_quirk(p->object.ctx, SOFA_QUIRK_LOST_CHANGES);
  SofaErr err = SOFA_OK;
  for (; p->next < end && err == SOFA_OK; p->next++) {
    ScriptAction *action = &p->actions.data[p->next];
    if (last_only && action->time != p->actions.data[end - 1].time) continue;
    err = carry_out(p, edit, action);
    if (err != SOFA_OK)
      sofa_object_message(&p->object, SOFA_ERROR, "the change of '%s', line %d, failed",
                          p->filename.text, action->line);
  }
  return err;
}

static SofaErr run_file(TopologicalChangeProcessor *p, SofaTopologyEdit *edit) {
  do {
    const size_t end = due_actions(p);
    if (end > p->next) SOFA_TRY(run_due(p, edit, end));
  } while (go_round(p));
  return SOFA_OK;
}

static SofaErr run_lists(TopologicalChangeProcessor *p, SofaTopologyEdit *edit) {
  for (int i = 0; i < N_LISTS; i++)
    if (p->lists[i].n) SOFA_TRY(remove_items(p, edit, lists[i].kind, &p->lists[i]));
  if (p->interval != 0) p->time_to_remove += p->interval;
  else p->over = true;
  return SOFA_OK;
}

static SofaErr processor_handle_event(SofaObject *object, const SofaEvent *event) {
  TopologicalChangeProcessor *p = (TopologicalChangeProcessor *)object;
  SofaTopologyEdit edit;
  if (event->type != SOFA_EVENT_ANIMATE_BEGIN || !p->mesh) return SOFA_OK;
  const double time = object->node->time;
  (void)go_round(p);
  if (p->use_data ? p->over || time <= p->time_to_remove : due_actions(p) == p->next)
    return SOFA_OK;
  SOFA_TRY(sofa_topology_edit_begin(sofa_node_root(object->node), &edit));
  const SofaErr err = p->use_data ? run_lists(p, &edit) : run_file(p, &edit);
  const SofaErr ended = sofa_topology_edit_end(&edit, err != SOFA_OK);
  return err != SOFA_OK ? err : ended;
}

extern const SofaClass sofa_TopologicalChangeProcessor_class;
const SofaClass sofa_TopologicalChangeProcessor_class = {
    .name = "TopologicalChangeProcessor",
    .module = "Sofa.Component.Topology.Utility",
    .category = "_Miscellaneous",
    .help = "Removes and adds elements of a topology at the beginning of steps, as a file or lists "
            "say.",
    .base = &sofa_object_class,
    .size = sizeof(TopologicalChangeProcessor),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .listening = true,
    .init = processor_init,
    .destroy = processor_destroy,
    .handle_event = processor_handle_event,
    .ops = {[SOFA_TOPOLOGY_CHANGER] = SOFA_NO_OPS},
};
