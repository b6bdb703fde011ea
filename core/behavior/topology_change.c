/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Telling topological changes: who is concerned, in which order, and who cannot follow; and what
 * followers share. */
#include "behavior/topology_change.h"

#include <string.h>

#include "behavior/mapping.h"
#include "behavior/projective.h"
#include "behavior/topological_mapping.h"
#include "behavior/topology_edit.h"

const SofaInterface sofa_topology_modifier_interface = {.name = "topology modifier"};
const SofaInterface sofa_topology_changer_interface = {.name = "source of topological changes"};
const SofaInterface sofa_follower_interface = {.name = "follower of topological changes",
                                               SOFA_REQUIRES(offsetof(SofaFollowerOps, follow))};

/* ---- who is concerned ---- */

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
    for (int k = 0; k < 2; k++)
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

/* The topology a link of the object leads to, of the listed ones (or, with `other`, none of them).
 */
static const SofaTopology *linked_topology(const SofaObject *object, const SofaObjects *list,
                                           bool other) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n; i++) {
    const SofaField *field = sofa_class_field_at(object->klass, i);
    if (!field->type->link || field->type->list) continue;
    const SofaObject *target = ((const SofaLink *)sofa_field_value(object, field))->target;
    if (!sofa_implements(target, SOFA_TOPOLOGY)) continue;
    if (contains(list, target) != other) return (const SofaTopology *)target;
  }
  return NULL;
}

/* Does the object implement an interface whose objects keep data of points or elements? */
static bool must_follow(const SofaObject *object) {
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k))
    for (const SofaImplementation *i = k->implements; i && i->interface; i++)
      if (i->interface->keeps_topology) return true;
  return false;
}

/* Would data of the object be wrong after changes of the listed topologies and states? */
static bool is_concerned(const SofaObject *object, const SofaObjects *list) {
  if (contains(list, object) || uses_state(object, list)) return true;
  if (linked_topology(object, list, false)) return true;
  if (sofa_implements(object, SOFA_TOPOLOGICAL_MAPPING)) {
    const SofaTopologicalMapping *map = (const SofaTopologicalMapping *)object;
    return map->from && contains(list, &map->from->object);
  }
  if (!must_follow(object) || sofa_implements(object, SOFA_PROJECTIVE) ||
      sofa_implements(object, SOFA_MECHANICAL_STATE))
    return false;
  // the default of components that look for their topology themselves
  const SofaTopology *near = sofa_node_topology(object->node);
  return near && contains(list, &near->object);
}

/* A topology that is a copy of a listed one, and the state that goes with its points. */
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

/* Do points of a mapping's output go or come with what is listed? */
static bool moves_output(const SofaObject *object, bool points, const SofaObjects *list) {
  const SofaMapping *map = (const SofaMapping *)object;
  const SofaFollowerOps *ops = sofa_ops(object, SOFA_FOLLOWER);
  if (!ops || !map->out) return false;
  for (size_t k = 0; k < map->n_inputs && points && ops->moves_output; k++)
    if (contains(list, &map->inputs[k]->object)) return true;
  return ops->maps_elements && linked_topology(object, list, false);
}

/* The output of a topological mapping, and the state that goes with its points. */
static SofaErr reach_output(const SofaTopologyEdit *edit, SofaObject *object, SofaObjects *out) {
  const SofaTopologicalMapping *map = (const SofaTopologicalMapping *)object;
  if (!map->to || !contains(out, &map->from->object)) return SOFA_OK;
  SofaState *state = sofa_topological_mapping_state(map, edit);
  if (state) SOFA_TRY(put(object->ctx, out, &state->object));
  return put(object->ctx, out, &map->to->object);
}

/* What a change of the topology can reach: outputs of topological mappings, and when points change
 * its state and the states mapped from it. */
static SofaErr reach(const SofaTopologyEdit *edit, SofaTopology *topology, bool points,
                     SofaObjects *out) {
  SofaContext *ctx = topology->object.ctx;
  SofaState *state = points ? sofa_topology_state(topology) : NULL;
  SOFA_TRY(put(ctx, out, &topology->object));
  if (state) SOFA_TRY(put(ctx, out, &state->object));
  for (size_t before = 0; before < out->n;) {
    before = out->n;
    for (size_t i = 0; i < edit->objects.n; i++) {
      SofaObject *object = edit->objects.data[i];
      if (!sofa_valid(object)) continue;
      if (sofa_implements(object, SOFA_TOPOLOGICAL_MAPPING))
        SOFA_TRY(reach_output(edit, object, out));
      if (sofa_implements(object, SOFA_TOPOLOGY)) SOFA_TRY(reach_copy(edit, object, out));
      if (sofa_implements(object, SOFA_MAPPING) && moves_output(object, points, out))
        SOFA_TRY(put(ctx, out, &((const SofaMapping *)object)->out->object));
    }
  }
  return SOFA_OK;
}

/* Reports an object that cannot follow. Who goes on goes on without it. */
static SofaErr refuse(SofaTopologyEdit *edit, SofaObject *object, const SofaTopology *topology,
                      const char *why) {
  const SofaErr err = sofa_object_fail(
      object, SOFA_ERR_UNSUPPORTED, "%s does not follow topological changes yet: %s '%s' %s",
      object->klass->name, topology->object.klass->name, topology->object.name, why);
  if (!object->ctx->keep_going) return err;
  object->component_state.index = SOFA_INVALID;
  sofa_graph_changed(edit->root);
  return SOFA_OK;
}

static SofaErr check_object(SofaTopologyEdit *edit, SofaObject *object,
                            const SofaTopology *topology, bool points, const SofaObjects *reached) {
  if (!sofa_valid(object) || !must_follow(object) || !is_concerned(object, reached)) return SOFA_OK;
  const SofaFollowerOps *ops = sofa_ops(object, SOFA_FOLLOWER);
  const char *why = "is about to change";
  if (!ops || (ops->can_follow && !ops->can_follow(object, &why)))
    return refuse(edit, object, topology, why);
  // elements over other points than those that will be there
  const SofaTopology *other = linked_topology(object, reached, true);
  if (points && other && (sofa_implements(object, SOFA_FORCE_FIELD) || ops->maps_elements) &&
      !ops->own_points && uses_state(object, reached) && sofa_mesh_vertex_count(&other->mesh))
    return refuse(edit, object, other, "keeps its elements while points of the state go or come");
  return SOFA_OK;
}

SofaErr sofa_change_check(SofaTopologyEdit *edit, SofaTopology *topology, bool points) {
  SofaObjects reached = {0};
  SofaErr err = reach(edit, topology, points, &reached);
  for (size_t i = 0; i < edit->objects.n && err == SOFA_OK; i++)
    err = check_object(edit, edit->objects.data[i], topology, points, &reached);
  sofa_list_free(topology->object.ctx, &reached);
  return err;
}

/* ---- telling ---- */

typedef enum Turn { TURN_TOPOLOGICAL_MAPPINGS, TURN_OTHERS, TURN_STATES, N_TURNS } Turn;

static Turn turn_of(const SofaObject *object) {
  if (sofa_implements(object, SOFA_TOPOLOGICAL_MAPPING)) return TURN_TOPOLOGICAL_MAPPINGS;
  return sofa_implements(object, SOFA_STATE) ? TURN_STATES : TURN_OTHERS;
}

static SofaErr tell(const SofaTopologyChange *change, SofaObject *object) {
  const SofaFollowerOps *ops = sofa_ops(object, SOFA_FOLLOWER);
  if (!ops || !sofa_valid(object) || !object->initialised) return SOFA_OK;
  if (sofa_implements(object, SOFA_MAPPING)) sofa_mapping_forget((SofaMapping *)object);
  return ops->follow(object, change);
}

SofaErr sofa_change_tell(const SofaTopologyChange *change) {
  SofaTopologyEdit *edit = change->edit;
  SofaContext *ctx = edit->root->object.ctx;
  SofaErr err = SOFA_OK;
  if (change->topology) SOFA_TRY(put(ctx, &edit->changed, &change->topology->object));
  if (change->state) SOFA_TRY(put(ctx, &edit->changed, &change->state->object));
  edit->depth++;
  for (int turn = 0; turn < N_TURNS; turn++) {
    const Turn now = change->kind == SOFA_CHANGE_REMOVE ? (Turn)turn : (Turn)(N_TURNS - 1 - turn);
    for (size_t i = 0; i < edit->objects.n && err == SOFA_OK; i++)
      if (turn_of(edit->objects.data[i]) == now) err = tell(change, edit->objects.data[i]);
  }
  edit->depth--;
  return err;
}

SofaErr sofa_topology_edit_begin(SofaNode *root, SofaTopologyEdit *edit) {
  SofaContext *ctx = root->object.ctx;
  SofaNodes nodes = {0};
  *edit = (SofaTopologyEdit){.root = root};
  SofaErr err = sofa_node_order(root, &nodes);
  for (size_t i = 0; i < nodes.n && err == SOFA_OK; i++)
    for (size_t k = 0; k < nodes.data[i]->objects.n && err == SOFA_OK; k++)
      err = SOFA_APPEND(ctx, &edit->objects, &nodes.data[i]->objects.data[k]);
  sofa_list_free(ctx, &nodes);
  if (err != SOFA_OK) sofa_list_free(ctx, &edit->objects);
  return err;
}

SofaErr sofa_topology_edit_end(SofaTopologyEdit *edit, bool failed) {
  SofaContext *ctx = edit->root->object.ctx;
  SofaErr err = SOFA_OK;
  const SofaTopologyChange done = {.kind = SOFA_CHANGE_DONE, .edit = edit};
  const bool changed = edit->changed.n > 0;
  // states first, so that whoever makes its data anew finds them complete
  for (int turn = N_TURNS; turn-- > 0 && !failed && changed;)
    for (size_t i = 0; i < edit->objects.n && err == SOFA_OK; i++) {
      SofaObject *object = edit->objects.data[i];
      if (turn_of(object) == (Turn)turn && is_concerned(object, &edit->changed))
        err = tell(&done, object);
    }
  if (changed) sofa_graph_changed(edit->root);
  sofa_list_free(ctx, &edit->objects);
  sofa_list_free(ctx, &edit->changed);
  return err;
}

/* ---- for followers ---- */

bool sofa_topology_may_change(const SofaTopology *topology) {
  return topology->container == SOFA_CONTAINER_SET &&
         sofa_node_find(topology->object.node, SOFA_TOPOLOGY_MODIFIER, SOFA_SEARCH_LOCAL);
}

bool sofa_topology_may_be_empty(const SofaTopology *topology) {
  if (topology->changed) return true;
  const SofaNode *root = sofa_node_root(topology->object.node);
  return sofa_topology_may_change(topology) &&
         sofa_node_find(root, SOFA_TOPOLOGY_CHANGER, SOFA_SEARCH_DOWN);
}

static SofaErr follow_by_reinit(SofaObject *object, const SofaTopologyChange *change) {
  return change->kind == SOFA_CHANGE_DONE ? sofa_object_run(object, SOFA_RUN_REINIT) : SOFA_OK;
}

static SofaErr follow_nothing(SofaObject *object, const SofaTopologyChange *change) {
  (void)object, (void)change;
  return SOFA_OK;
}

const SofaFollowerOps sofa_follow_by_reinit = {.follow = follow_by_reinit};
const SofaFollowerOps sofa_follow_nothing = {.follow = follow_nothing};

void sofa_change_remove_entries(const SofaTopologyChange *change, void *list, size_t size) {
  SofaAnyList *any = list;
  char *data = any->data;
  if (change->kind != SOFA_CHANGE_REMOVE || any->n != change->n_before) return;
  for (size_t k = 0; k < change->n; k++) {
    any->n--;
    if (change->ids[k] != any->n) memcpy(data + change->ids[k] * size, data + any->n * size, size);
  }
}

/* Makes the list n long. */
static SofaErr go_on_with_first(SofaContext *ctx, SofaReals *values, size_t n) {
  const size_t before = values->n;
  SOFA_TRY(SOFA_RESIZE(ctx, values, n));
  for (size_t k = before; k < n; k++) values->data[k] = values->data[0];
  return SOFA_OK;
}

SofaErr sofa_change_values(const SofaTopologyChange *change, SofaContext *ctx, SofaReals *values,
                           size_t width) {
  if (values->n < 2) return SOFA_OK;
  SOFA_TRY(go_on_with_first(ctx, values, change->n_before * width));
  if (change->kind == SOFA_CHANGE_ADD) {
    SOFA_TRY(go_on_with_first(ctx, values, (change->n_before + change->n) * width));
    for (size_t i = 0; i < change->n && change->origins; i++)
      memcpy(values->data + (change->n_before + i) * width,
             values->data + change->origins[i] * width, width * sizeof *values->data);
    return SOFA_OK;
  }
  const double first = values->data[0];
  SofaAnyList rows = {.data = values->data, .n = change->n_before};
  sofa_change_remove_entries(change, &rows, width * sizeof first);
  values->n = rows.n * width;
  if (values->n) return SOFA_OK;
  values->n = 1; // for elements that come
  values->data[0] = first;
  return SOFA_OK;
}

static SofaErr append_coords(const SofaTopologyChange *change, SofaContext *ctx,
                             SofaCoords *coords) {
  const SofaAncestors *a = change->ancestors;
  const size_t before = coords->n, width = coords->width;
  SOFA_TRY(sofa_coords_resize(ctx, coords, before + change->n));
  if (!a) return SOFA_OK;
  for (size_t i = 0; i < change->n; i++) {
    double *to = coords->data + (before + i) * width;
    if (a->start.data[i] == a->start.data[i + 1]) continue;
    memset(to, 0, width * sizeof *to);
    for (uint32_t k = a->start.data[i]; k < a->start.data[i + 1]; k++) {
      const double *from = coords->data + a->points.data[k] * width, w = a->weights.data[k];
      for (size_t c = 0; c < width; c++) to[c] += w * from[c];
    }
  }
  return SOFA_OK;
}

SofaErr sofa_change_coords(const SofaTopologyChange *change, SofaContext *ctx, SofaCoords *coords) {
  if (coords->n != change->n_before) return SOFA_OK;
  if (change->kind == SOFA_CHANGE_ADD) return append_coords(change, ctx, coords);
  size_t n = coords->n;
  const size_t size = coords->width * sizeof *coords->data;
  for (size_t k = 0; k < change->n; k++)
    if (change->ids[k] != --n)
      memcpy(coords->data + change->ids[k] * coords->width, coords->data + n * coords->width, size);
  return sofa_coords_resize(ctx, coords, n);
}

void sofa_change_rename(const SofaTopologyChange *change, SofaIndices *ids) {
  if (change->kind != SOFA_CHANGE_REMOVE) return;
  for (size_t i = 0; i < ids->n;) {
    const uint32_t now = sofa_change_renamed(change, ids->data[i]);
    if (now != SOFA_NO_ELEMENT) ids->data[i++] = now;
    else ids->data[i] = ids->data[--ids->n];
  }
}

/* ---- rows ---- */

/* Numbers a row's points anew; false: one of them goes. */
static bool rename_row(const SofaTopologyChange *change, const SofaColumn *columns, size_t n,
                       size_t n_rows, size_t row) {
  bool stays = true;
  for (size_t c = 0; c < n; c++) {
    const SofaAnyList *list = columns[c].list;
    if (list->n != n_rows) continue;
    uint32_t *ids = (uint32_t *)(void *)((char *)list->data + row * columns[c].size);
    for (unsigned e = 0; e < columns[c].n_ends; e++) {
      if (!sofa_change_moves(change, columns[c].end[e])) continue;
      ids[e] = sofa_change_renamed(change, ids[e]);
      stays &= ids[e] != SOFA_NO_ELEMENT;
    }
  }
  return stays;
}

static void move_row(const SofaColumn *columns, size_t n, size_t n_rows, size_t from, size_t to) {
  for (size_t c = 0; c < n && from != to; c++) {
    const SofaAnyList *list = columns[c].list;
    char *data = list->data;
    if (list->n == n_rows)
      memcpy(data + to * columns[c].size, data + from * columns[c].size, columns[c].size);
  }
}

void sofa_change_rows(const SofaTopologyChange *change, const SofaColumn *columns, size_t n,
                      bool keep_order) {
  const size_t n_rows = ((const SofaAnyList *)columns[0].list)->n;
  size_t left = n_rows;
  if (change->kind != SOFA_CHANGE_REMOVE || change->element != SOFA_ELEMENT_POINT) return;
  if (keep_order) {
    left = 0;
    for (size_t row = 0; row < n_rows; row++)
      if (rename_row(change, columns, n, n_rows, row)) move_row(columns, n, n_rows, row, left++);
  } else {
    for (size_t row = 0; row < left;) {
      if (rename_row(change, columns, n, n_rows, row)) row++;
      else move_row(columns, n, n_rows, --left, row);
    }
  }
  for (size_t c = 0; c < n; c++) {
    SofaAnyList *list = columns[c].list;
    if (list->n == n_rows) list->n = left;
  }
}

void sofa_change_springs(const SofaTopologyChange *change, const SofaForceField *ff, void *springs,
                         size_t size) {
  const SofaColumn column = {springs, size, 2, {ff->state[0], ff->state[1]}};
  sofa_change_rows(change, &column, 1, false);
}

SofaErr sofa_change_numbers(const SofaTopologyChange *change, SofaContext *ctx,
                            const SofaState *state, SofaPointNumbers *named) {
  if (!sofa_change_moves(change, state)) return SOFA_OK;
  if (!named->changed) {
    SOFA_TRY(SOFA_RESIZE(ctx, &named->numbers, change->n_before));
    for (size_t i = 0; i < change->n_before; i++) named->numbers.data[i] = (uint32_t)i;
    named->changed = true;
  }
  sofa_change_remove_entries(change, &named->numbers, sizeof *named->numbers.data);
  for (size_t i = 0; change->kind == SOFA_CHANGE_ADD && i < change->n; i++)
    SOFA_TRY(SOFA_APPEND(ctx, &named->numbers, &change->ids[i]));
  return SOFA_OK;
}

SofaErr sofa_change_note_new(const SofaTopologyChange *change, SofaContext *ctx,
                             const SofaState *state, SofaIndices *came) {
  if (!sofa_change_moves(change, state)) return SOFA_OK;
  sofa_change_rename(change, came);
  for (size_t i = 0; change->kind == SOFA_CHANGE_ADD && i < change->n; i++)
    SOFA_TRY(SOFA_APPEND(ctx, came, &change->ids[i]));
  return SOFA_OK;
}

bool sofa_change_next_new(SofaIndices *came, size_t limit, uint32_t *point) {
  size_t k = 0;
  while (k < came->n && came->data[k] >= limit) k++;
  if (k == came->n) return false;
  *point = came->data[k];
  memmove(&came->data[k], &came->data[k + 1], (--came->n - k) * sizeof *came->data);
  return true;
}

SofaErr sofa_change_parts(const SofaTopologyChange *change, SofaContext *ctx, SofaIndices *ids) {
  SofaBools listed = {0};
  if (change->kind != SOFA_CHANGE_ADD || !change->origins || !ids->n) return SOFA_OK;
  SofaErr err = SOFA_RESIZE(ctx, &listed, change->n_before);
  for (size_t i = 0; i < ids->n && err == SOFA_OK; i++)
    if (ids->data[i] < listed.n) listed.data[ids->data[i]] = true;
  for (size_t i = 0; i < change->n && err == SOFA_OK; i++)
    if (listed.data[change->origins[i]]) err = SOFA_APPEND(ctx, ids, &change->ids[i]);
  sofa_list_free(ctx, &listed);
  return err;
}
