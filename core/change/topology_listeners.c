/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Topology listeners: the table of listeners, made once per version of the graph; the listeners
 * that a change concerns, and their order; the components that cannot update. */
#include "change/change_log.h"
#include "change/topology_listeners_impl.h"

#include "behavior/mapping.h"
#include "behavior/projective.h"
#include "change/topological_mapping.h"
#include "change/topology_edit.h"

/* ---- the table ---- */

static SofaTurn turn_of(const SofaObject *object) {
  if (sofa_implements(object, SOFA_TOPOLOGICAL_MAPPING)) return SOFA_TURN_TOPOLOGICAL_MAPPINGS;
  return sofa_implements(object, SOFA_STATE) ? SOFA_TURN_STATES : SOFA_TURN_OTHERS;
}

/* Does the object implement an interface whose objects keep data of points or elements? */
static bool keeps_topology(const SofaObject *object) {
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k))
    for (const SofaImplementation *i = k->implements; i && i->interface; i++)
      if (i->interface->keeps_topology) return true;
  return false;
}

static SofaErr find_links(SofaObject *object, SofaObjects *links) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    const SofaField *field = object->field_states[i].field;
    if (!field->type->link || field->type->list) continue;
    SofaObject *target = ((const SofaLink *)sofa_field_value(object, field))->target;
    if (sofa_implements(target, SOFA_TOPOLOGY)) SOFA_TRY(SOFA_APPEND(object->ctx, links, &target));
  }
  return SOFA_OK;
}

static SofaErr add_listener(SofaListeners *t, SofaObject *object) {
  SofaContext *ctx = object->ctx;
  SofaListener listener = {.object = object,
                           .ops = sofa_ops(object, SOFA_TOPOLOGY_LISTENER),
                           .turn = turn_of(object),
                           .keeps = keeps_topology(object),
                           .first_row = t->rows.n,
                           .first_link = t->links.n,
                           .near = sofa_node_topology(object->node)};
  if (!listener.ops && !listener.keeps) return SOFA_OK;
  if (listener.ops) SOFA_TRY(sofa_listener_rows_find(object, &t->rows));
  SOFA_TRY(find_links(object, &t->links));
  listener.n_rows = t->rows.n - listener.first_row;
  listener.n_links = t->links.n - listener.first_link;
  SOFA_TRY(SOFA_APPEND(ctx, &t->objects, &object));
  return SOFA_APPEND(ctx, &t->list, &listener);
}

static void listeners_free(SofaContext *ctx, SofaListeners *t) {
  sofa_list_free(ctx, &t->list);
  sofa_list_free(ctx, &t->objects);
  sofa_list_free(ctx, &t->links);
  sofa_list_free(ctx, &t->rows);
  sofa_free(ctx, t);
}

static SofaErr find_all(SofaNode *root, SofaListeners *t) {
  SofaNodes nodes = {0};
  SofaErr err = sofa_node_order(root, &nodes);
  for (size_t i = 0; i < nodes.n && err == SOFA_OK; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n && err == SOFA_OK; k++)
      err = add_listener(t, nodes.data[i]->objects.data[k]);
  sofa_list_free(root->object.ctx, &nodes);
  return err;
}

/* Drops the table of the root. */
static void drop_kept(SofaNode *root) {
  SofaListeners *old = root->listeners;
  root->listeners = NULL;
  if (!old) return;
  old->kept = false;
  if (!old->users) listeners_free(root->object.ctx, old);
}

SofaErr sofa_listeners_take(SofaNode *root, SofaListeners **out) {
  SofaContext *ctx = root->object.ctx;
  SofaListeners *t = root->listeners;
  *out = NULL;
  if (!t || !root->graph_version || t->version != *root->graph_version) {
    t = sofa_alloc(ctx, 1, sizeof *t);
    if (!t) return SOFA_ERR_MEMORY;
    const SofaErr err = find_all(root, t);
    if (err != SOFA_OK) {
      listeners_free(ctx, t);
      return err;
    }
    drop_kept(root);
    t->kept = true;
    t->version = root->graph_version ? *root->graph_version : 0;
    root->listeners = t;
    root->free_listeners = listeners_free;
  }
  t->users++;
  *out = t;
  return SOFA_OK;
}

void sofa_listeners_release(SofaNode *root, SofaListeners **listeners) {
  SofaListeners *t = *listeners;
  *listeners = NULL;
  if (t && !--t->users && !t->kept) listeners_free(root->object.ctx, t);
}

/* ---- concerned listeners ---- */

static bool contains(const SofaObjects *list, const SofaObject *object) {
  for (size_t i = 0; i < list->n; i++)
    if (list->data[i] == object) return true;
  return false;
}

static SofaErr put(SofaContext *ctx, SofaObjects *list, SofaObject *object) {
  if (contains(list, object)) return SOFA_OK;
  return SOFA_APPEND(ctx, list, &object);
}

/* Does the object act on one of the listed states? */
static bool uses_state(const SofaObject *object, const SofaObjects *list) {
  if (sofa_implements(object, SOFA_FORCE_FIELD)) {
    const SofaForceField *ff = (const SofaForceField *)object;
    for (size_t k = 0; k < ff->n_states; k++)
      if (ff->state[k] && contains(list, &ff->state[k]->object)) return true;
  }
  if (sofa_implements(object, SOFA_PROJECTIVE)) {
    const SofaProjective *c = (const SofaProjective *)object;
    if (c->state && contains(list, &c->state->object)) return true;
    if (c->second && contains(list, &c->second->object)) return true;
  }
  if (sofa_implements(object, SOFA_MAPPING)) {
    const SofaMapping *map = (const SofaMapping *)object;
    for (size_t k = 0; k < map->n_inputs; k++)
      if (contains(list, &map->inputs[k]->object)) return true;
    if (map->out && contains(list, &map->out->object)) return true;
  }
  return false;
}

/* The topology that a link of the object leads to, if it is listed (with `other`: not listed). */
static const SofaTopology *linked_topology(const SofaListeners *t, const SofaListener *listener,
                                           const SofaObjects *list, bool other) {
  for (size_t i = 0; i < listener->n_links; i++) {
    const SofaObject *target = t->links.data[listener->first_link + i];
    if (contains(list, target) != other) return (const SofaTopology *)target;
  }
  return NULL;
}

/* Would data of the object be wrong after changes of the listed topologies and states? */
static bool is_concerned(const SofaListeners *t, const SofaListener *listener,
                         const SofaObjects *list) {
  const SofaObject *object = listener->object;
  if (contains(list, object) || uses_state(object, list)) return true;
  if (linked_topology(t, listener, list, false)) return true;
  if (sofa_implements(object, SOFA_TOPOLOGICAL_MAPPING)) {
    const SofaTopologicalMapping *map = (const SofaTopologicalMapping *)object;
    return map->from && contains(list, &map->from->object);
  }
  if (!listener->keeps || sofa_implements(object, SOFA_PROJECTIVE) ||
      sofa_implements(object, SOFA_MECHANICAL_STATE))
    return false;
  // components that search their topology themselves find the nearest one
  return listener->near && contains(list, &listener->near->object);
}

/* A topology that is a copy of a listed one, and the state whose points change with it. */
static SofaErr reach_copy(const SofaTopologyEdit *edit, SofaObject *object, SofaObjects *out) {
  SofaTopology *t = (SofaTopology *)object;
  for (size_t i = 0; i < out->n; i++) {
    const SofaTopology *from = (SofaTopology *)out->data[i];
    if (!sofa_implements(&from->object, SOFA_TOPOLOGY) || !sofa_topology_copies(t, from, edit))
      continue;
    SofaState *state = sofa_topology_moved_state(t, from, edit);
    if (state) SOFA_TRY(put(object->ctx, out, &state->object));
    return put(object->ctx, out, object);
  }
  return SOFA_OK;
}

/* Does the mapping change points of its output with a listed object? */
static bool moves_output(const SofaListeners *t, const SofaListener *listener, bool points,
                         const SofaObjects *list) {
  const SofaMapping *map = (const SofaMapping *)listener->object;
  const SofaTopologyListenerOps *ops = listener->ops;
  if (!ops || !map->out) return false;
  for (size_t k = 0; k < map->n_inputs && points && ops->moves_output; k++)
    if (contains(list, &map->inputs[k]->object)) return true;
  return ops->maps_elements && linked_topology(t, listener, list, false);
}

/* The output of a topological mapping, and the state whose points change with it. */
static SofaErr reach_output(const SofaTopologyEdit *edit, SofaObject *object, SofaObjects *out) {
  const SofaTopologicalMapping *map = (const SofaTopologicalMapping *)object;
  if (!map->to || !contains(out, &map->from->object)) return SOFA_OK;
  SofaState *state = sofa_topological_mapping_state(map, edit);
  if (state) SOFA_TRY(put(object->ctx, out, &state->object));
  return put(object->ctx, out, &map->to->object);
}

/* The objects that a change of the topology can reach: outputs of topological mappings and, when
 * points change, its state and the states mapped from it. */
static SofaErr reach(const SofaTopologyEdit *edit, SofaTopology *topology, bool points,
                     SofaObjects *out) {
  const SofaListeners *t = edit->listeners;
  SofaContext *ctx = topology->object.ctx;
  SofaState *state = points ? sofa_topology_state(topology) : NULL;
  SOFA_TRY(put(ctx, out, &topology->object));
  if (state) SOFA_TRY(put(ctx, out, &state->object));
  for (size_t before = 0; before < out->n;) {
    before = out->n;
    for (size_t i = 0; i < t->list.n; i++) {
      const SofaListener *listener = &t->list.data[i];
      SofaObject *object = listener->object;
      if (!sofa_valid(object)) continue;
      if (listener->turn == SOFA_TURN_TOPOLOGICAL_MAPPINGS)
        SOFA_TRY(reach_output(edit, object, out));
      if (sofa_implements(object, SOFA_TOPOLOGY)) SOFA_TRY(reach_copy(edit, object, out));
      if (sofa_implements(object, SOFA_MAPPING) && moves_output(t, listener, points, out))
        SOFA_TRY(put(ctx, out, &((const SofaMapping *)object)->out->object));
    }
  }
  return SOFA_OK;
}

/* ---- components that cannot update ---- */

/* Reports an object that cannot update. With keep_going the scene continues without it. */
static SofaErr refuse(SofaTopologyEdit *edit, SofaObject *object, const SofaTopology *topology,
                      const char *why) {
  const SofaErr err = sofa_object_fail(
      object, SOFA_ERR_UNSUPPORTED,
      "%s cannot update its data after topological changes: %s '%s' %s", object->klass->name,
      topology->object.klass->name, topology->object.name, why);
  if (!object->ctx->keep_going) return err;
  object->component_state.index = SOFA_INVALID;
  sofa_graph_changed(edit->root);
  return SOFA_OK;
}

static SofaErr check_listener(SofaTopologyEdit *edit, const SofaListener *listener,
                              const SofaTopology *topology, bool points,
                              const SofaObjects *reached) {
  const SofaTopologyListenerOps *ops = listener->ops;
  SofaObject *object = listener->object;
  const char *why = "is about to change";
  if (!listener->keeps || !sofa_valid(object) || !is_concerned(edit->listeners, listener, reached))
    return SOFA_OK;
  if (!ops || (ops->can_listen && !ops->can_listen(object, &why)))
    return refuse(edit, object, topology, why);
  // the other topology would keep elements over points that change
  const SofaTopology *other = linked_topology(edit->listeners, listener, reached, true);
  if (points && other && (sofa_implements(object, SOFA_FORCE_FIELD) || ops->maps_elements) &&
      !ops->own_points && uses_state(object, reached) && sofa_mesh_vertex_count(&other->mesh))
    return refuse(edit, object, other,
                  "keeps its elements while points of the state are removed or inserted");
  return SOFA_OK;
}

SofaErr sofa_change_check(SofaTopologyEdit *edit, SofaTopology *topology, bool points) {
  const SofaListenerList *list = &edit->listeners->list;
  SofaObjects reached = {0};
  SofaErr err = reach(edit, topology, points, &reached);
  for (size_t i = 0; i < list->n && err == SOFA_OK; i++)
    err = check_listener(edit, &list->data[i], topology, points, &reached);
  sofa_list_free(topology->object.ctx, &reached);
  return err;
}

/* ---- changes ---- */

/* The rows first: functions of the class read the lists after the change. */
static SofaErr report(const SofaTopologyChange *change, const SofaListener *listener) {
  const SofaTopologyListenerOps *ops = listener->ops;
  SofaObject *object = listener->object;
  if (!ops || !sofa_valid(object) || !object->initialised) return SOFA_OK;
  sofa_object_changed(object);
  if (sofa_implements(object, SOFA_MAPPING)) sofa_mapping_forget((SofaMapping *)object);
  const SofaListenerRow *rows = change->edit->listeners->rows.data;
  if (listener->n_rows)
    SOFA_TRY(
        sofa_listener_rows_change(object, change, rows + listener->first_row, listener->n_rows));
  if (change->kind == SOFA_CHANGE_DONE && ops->done) return ops->done(object);
  return ops->listen ? ops->listen(object, change) : SOFA_OK;
}

SofaErr sofa_change_report(const SofaTopologyChange *change) {
  SofaTopologyEdit *edit = change->edit;
  const SofaListenerList *list = &edit->listeners->list;
  SofaContext *ctx = edit->root->object.ctx;
  SofaErr err = SOFA_OK;
  if (change->topology) SOFA_TRY(put(ctx, &edit->changed, &change->topology->object));
  if (change->state) SOFA_TRY(put(ctx, &edit->changed, &change->state->object));
  edit->depth++;
  for (int turn = 0; turn < SOFA_N_TURNS; turn++) {
    const int now = change->kind == SOFA_CHANGE_REMOVE ? turn : SOFA_N_TURNS - 1 - turn;
    for (size_t i = 0; i < list->n && err == SOFA_OK; i++)
      if ((int)list->data[i].turn == now) err = report(change, &list->data[i]);
  }
  edit->depth--;
  return err;
}

/* ---- modifications ---- */

SofaErr sofa_topology_edit_begin(SofaNode *root, SofaTopologyEdit *edit) {
  *edit = (SofaTopologyEdit){.root = root};
  SOFA_TRY(sofa_listeners_take(root, &edit->listeners));
  edit->objects = edit->listeners->objects;
  return SOFA_OK;
}

/* The plans are made again. The table of listeners remains valid, as the objects are the same. */
static void new_version(SofaTopologyEdit *edit) {
  SofaListeners *t = edit->listeners;
  const uint64_t *version = edit->root->graph_version;
  const bool same = version && t->version == *version;
  sofa_graph_changed(edit->root);
  if (same) t->version = *version;
}

SofaErr sofa_topology_edit_end(SofaTopologyEdit *edit, bool failed) {
  const SofaListeners *t = edit->listeners;
  SofaErr err = SOFA_OK;
  const SofaTopologyChange done = {.kind = SOFA_CHANGE_DONE, .edit = edit};
  const bool changed = edit->changed.n > 0;
  // states first: other listeners make their data from complete states
  for (int turn = SOFA_N_TURNS; turn-- > 0 && !failed && changed;)
    for (size_t i = 0; i < t->list.n && err == SOFA_OK; i++) {
      const SofaListener *listener = &t->list.data[i];
      if ((int)listener->turn == turn && is_concerned(t, listener, &edit->changed))
        err = report(&done, listener);
    }
  if (changed) new_version(edit);
  if (edit->any && err == SOFA_OK) err = sofa_changes_note(edit, SOFA_ASKED_END, NULL);
  sofa_list_free(edit->root->object.ctx, &edit->changed);
  sofa_listeners_release(edit->root, &edit->listeners);
  edit->objects = (SofaObjects){0};
  return err;
}
