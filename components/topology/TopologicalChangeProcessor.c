/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* TopologicalChangeProcessor: inserts and removes elements at given times. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/files.h"
#include "object/checkpoint.h"
#include "behavior/draw_state.h"
#include "object/event.h"
#include "scripted_incision.h"
#include "topology_modifier.h"

enum { QUIRK_LOST_CHANGES = 1 };
static const SofaQuirk quirks[] = {
    {QUIRK_LOST_CHANGES, "lost-changes",
     "of topological changes due in the same step all but the last are lost",
     "test_quirks_sets.topologies"},
};

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
  IncisionTrace trace;
  SurfacePlaces drawn; /* points of incisions to come */
  uint32_t drawn_revision;
  bool over; /* of the lists: done for good */
} TopologicalChangeProcessor;

static const SofaLinkRule topology_rule = {.interface = SOFA_TOPOLOGY, .search = SOFA_SEARCH_SLOT};

typedef TopologicalChangeProcessor SofaSelf; /* of SOFA_ROW */

/* The lists in the order in which they are carried out. */
static const SofaElementKind kinds[N_LISTS] = {SOFA_ELEMENT_HEXA, SOFA_ELEMENT_TETRA,
                                               SOFA_ELEMENT_QUAD, SOFA_ELEMENT_TRIANGLE,
                                               SOFA_ELEMENT_EDGE, SOFA_ELEMENT_POINT};

static const SofaField fields[] = {
    SOFA_ROW(filename, "filename", NULL, "",
             "file with the changes: blocks of T= time, ADD= kind n, REMOVE= n and INCISE= n, each "
             "followed by a line of numbers"),
    SOFA_ROW(list_changes, "listChanges", NULL, "", "not used", .flags = SOFA_FIELD_NO_EFFECT),
    SOFA_ROW(interval, "interval", "0", "s",
             "time between removals of the lists; 0: they are carried out once"),
    SOFA_ROW(shift, "shift", "0", "s", "added to the time of the simulation when the file is read"),
    SOFA_ROW(loop, "loop", "0", "",
             "start again at the end of the file, whose times then count from its last one"),
    SOFA_ROW(use_data, "useDataInputs", "0", "", "carry out the lists below instead of a file"),
    SOFA_ROW(time_to_remove, "timeToRemove", "0", "s",
             "the lists are carried out in the first step that begins later"),
    SOFA_ROW(lists[5], "pointsToRemove", NULL, "", "points to remove"),
    SOFA_ROW(lists[4], "edgesToRemove", NULL, "", "edges to remove"),
    SOFA_ROW(lists[3], "trianglesToRemove", NULL, "", "triangles to remove"),
    SOFA_ROW(lists[2], "quadsToRemove", NULL, "", "quads to remove"),
    SOFA_ROW(lists[1], "tetrahedraToRemove", NULL, "", "tetrahedra to remove"),
    SOFA_ROW(lists[0], "hexahedraToRemove", NULL, "", "hexahedra to remove"),
    SOFA_ROW(
        save_indices, "saveIndicesAtInit", "0", "",
        "the points of incisions are found at the beginning and move with the surface; else they "
        "are looked for on the surface as it is when it is cut"),
    SOFA_ROW(snap_path, "epsilonSnapPath", "0.1", "1",
             "an incision that crosses an edge nearer to a vertex than this part of the edge goes "
             "through the vertex; at most 0.5",
             .range = SOFA_WITHIN(0, 0.5), .on_bad = SOFA_BAD_CLAMP),
    SOFA_ROW(snap_border, "epsilonSnapBorder", "0.25", "1",
             "a point of an incision is moved to a vertex or edge of its triangle when it is "
             "nearer than this part of the triangle; at most 0.5",
             .range = SOFA_WITHIN(0, 0.5), .on_bad = SOFA_BAD_CLAMP),
    SOFA_ROW(draw, "draw", "0", "", "draw the points of later incisions, with saveIndicesAtInit",
             .flags = SOFA_FIELD_DISPLAY),
    SOFA_ROW(topology, "topology", NULL, "",
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
                           "%s '%s' cannot change: expected a ...SetTopologyContainer with a "
                           "...SetTopologyModifier in the same node",
                           p->mesh->object.klass->name, p->mesh->object.name);
  return p->use_data ? SOFA_OK : read_file(p);
}

/* Positions are known only now. With keep_going, places not found are searched when cutting. */
static SofaErr processor_bwd_init(SofaObject *object) {
  TopologicalChangeProcessor *p = (TopologicalChangeProcessor *)object;
  p->trace.known = false;
  for (size_t i = 0; i < p->actions.n && p->save_indices && p->mesh; i++) {
    ScriptAction *action = &p->actions.data[i];
    if (action->verb != SCRIPT_INCISE || action->n < 2) continue;
    const SofaErr err = scripted_incision_save(object, p->filename.text, p->mesh, action);
    if (err != SOFA_OK && !object->ctx->keep_going) return err;
  }
  return SOFA_OK;
}

static void processor_destroy(SofaObject *object) {
  TopologicalChangeProcessor *p = (TopologicalChangeProcessor *)object;
  script_free(object->ctx, &p->actions);
  sofa_list_free(object->ctx, &p->drawn);
}

/* ---- changes ---- */

static int ascending(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* With keep_going the existing elements are removed, once. */
static void keep_possible(const TopologicalChangeProcessor *p, SofaElementKind kind,
                          SofaIndices *ids) {
  const size_t n =
      kind == SOFA_ELEMENT_POINT ? p->mesh->n_points : sofa_mesh_elements(&p->mesh->mesh, kind).n;
  const size_t before = ids->n;
  size_t kept = 0;
  if (!p->object.ctx->keep_going || !before) return;
  sofa_sort(ids->data, before, sizeof *ids->data, ascending);
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
  unsigned flags = 0;
  SOFA_TRY(sofa_modifier_check(&p->object, p->mesh, kind, &flags));
  keep_possible(p, kind, ids);
  return sofa_topology_remove(edit, p->mesh, kind, ids->data, ids->n, flags);
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
    if (modifier && sofa_class_is_a(modifier->klass, sofa_modifier_class(kinds[i])))
      return kinds[i];
  return SOFA_ELEMENT_POINT;
}

/* With keep_going a refused cut is skipped: nothing has changed then. */
static SofaErr incise(TopologicalChangeProcessor *p, SofaTopologyEdit *edit,
                      const ScriptAction *action) {
  const IncisionScript script = {.caller = &p->object,
                                 .file = p->filename.text,
                                 .topology = p->mesh,
                                 .snap_path = p->snap_path,
                                 .snap_end = p->snap_border};
  const bool keep_going = p->object.ctx->keep_going;
  if (action->n < 2) return SOFA_OK;
  const SofaErr err = scripted_incision_run(edit, &script, action, &p->trace);
  return keep_going && (err == SOFA_ERR_RANGE || err == SOFA_ERR_ARGUMENT) ? SOFA_OK : err;
}

static SofaErr carry_out(TopologicalChangeProcessor *p, SofaTopologyEdit *edit,
                         ScriptAction *action) {
  unsigned flags = 0;
  if (action->verb == SCRIPT_INCISE) return incise(p, edit, action);
  if (action->verb == SCRIPT_REMOVE)
    return remove_items(p, edit, kind_of_modifier(p), &action->ids);
  SOFA_TRY(sofa_modifier_check(&p->object, p->mesh, action->kind, &flags));
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
  const bool last_only = several && sofa_quirk(&p->object, QUIRK_LOST_CHANGES);
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
    if (p->lists[i].n) SOFA_TRY(remove_items(p, edit, kinds[i], &p->lists[i]));
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

/* ---- drawing ---- */

/* Their places change with the elements only. */
static SofaErr find_drawn(TopologicalChangeProcessor *p) {
  SofaContext *ctx = p->object.ctx;
  SurfacePlaces places = {0};
  SofaErr err = SOFA_OK;
  p->drawn.n = 0;
  for (size_t i = p->next; i < p->actions.n && err == SOFA_OK; i++) {
    if (!p->actions.data[i].rest.n) continue;
    err = scripted_incision_saved(p->mesh, &p->actions.data[i], &places);
    for (size_t k = 0; k < places.n && err == SOFA_OK; k++)
      err = SOFA_APPEND(ctx, &p->drawn, &places.data[k]);
  }
  p->drawn_revision = p->mesh->revision + 1;
  sofa_list_free(ctx, &places);
  return err;
}

static void processor_draw(SofaObject *object, const SofaDrawArgs *args) {
  TopologicalChangeProcessor *p = (TopologicalChangeProcessor *)object;
  if (!p->draw || !p->mesh || !sofa_display_shows(args->flags, SOFA_DISPLAY_BEHAVIOR_MODELS))
    return;
  if (p->drawn_revision != p->mesh->revision + 1 && find_drawn(p) != SOFA_OK) return;
  const SofaState *state = sofa_node_state(p->mesh->object.node);
  const SofaTriangles *triangles = &p->mesh->mesh.triangles;
  for (size_t i = 0; state && i < p->drawn.n; i++) {
    const SofaSurfacePlace *place = &p->drawn.data[i];
    double center[3] = {0, 0, 0}, x[3][3];
    if (place->triangle >= triangles->n) continue;
    for (size_t k = 0; k < 3; k++) {
      const uint32_t v = triangles->data[place->triangle].v[k];
      if (v >= state->position.n) return;
      sofa_state_point(state, v, x[k]);
      for (size_t c = 0; c < 3; c++) center[c] += place->weights[k] * x[k][c];
    }
    for (int k = 0; k < 3; k++)
      sofa_draw_line(args->list, x[k], x[(k + 1) % 3], 1, SOFA_RGB(0, 0, 1));
    sofa_draw_point(args->list, center, 15, SOFA_RGB(1, 0, 1));
  }
}

static const SofaDrawOps draw_ops = {.draw = processor_draw};

static const SofaKeptMember kept[] = {
    SOFA_KEEP(TopologicalChangeProcessor, next),
    SOFA_KEEP(TopologicalChangeProcessor, loop_time),
    SOFA_KEEP(TopologicalChangeProcessor, over),
    SOFA_KEEP(TopologicalChangeProcessor, trace.known),
    SOFA_KEEP(TopologicalChangeProcessor, trace.end),
    SOFA_KEEP(TopologicalChangeProcessor, trace.rest),
};

SOFA_CLASS(TopologicalChangeProcessor) = {
    SOFA_NAMED(TopologicalChangeProcessor),
    .module = "Sofa.Component.Topology.Utility",
    .category = "_Miscellaneous",
    .help = "Removes and adds elements of a topology and cuts surfaces open, at the beginning of "
            "steps, as a file or lists say.",
    .base = &sofa_object_class,
    SOFA_KEEPS(kept),
    SOFA_QUIRKS(quirks),
    SOFA_FIELDS(fields),
    .listening = true,
    .init = processor_init,
    .bwd_init = processor_bwd_init,
    .destroy = processor_destroy,
    .handle_event = processor_handle_event,
    SOFA_IMPLEMENTS({SOFA_TOPOLOGY_CHANGER, SOFA_NO_OPS}, {SOFA_DRAW, &draw_ops}),
};
