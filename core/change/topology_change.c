/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Functions that topology listeners share: they change entries, values, indices and rows. */
#include "change/topology_change.h"

#include "behavior/state_division.h"

const SofaInterface sofa_topology_modifier_interface = {.name = "topology modifier"};
const SofaInterface sofa_topology_changer_interface = {.name = "source of topological changes"};
const SofaInterface sofa_topology_listener_interface = {.name = "topology listener"};

/* ---- for listeners ---- */

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

SofaErr sofa_check_any(const SofaObject *object, const SofaTopology *topology, SofaElementKind kind,
                       size_t n) {
  if (n || object->ctx->keep_going || sofa_topology_may_be_empty(topology)) return SOFA_OK;
  if (sofa_topology_n_whole(topology, kind)) return SOFA_OK; /* other processes have them */
  return sofa_object_fail(object, SOFA_ERR_SCENE, "the topology has no %s",
                          sofa_element_kind_info(kind)->field);
}

SofaErr sofa_listen_reinit(SofaObject *object) {
  return sofa_object_run(object, SOFA_RUN_REINIT);
}

const SofaTopologyListenerOps sofa_listen_by_reinit = {.done = sofa_listen_reinit};
const SofaTopologyListenerOps sofa_listen_by_rows = {.done = NULL};

/* Elements before the last n keep their index unless they are removed. */
uint32_t sofa_change_renamed(const SofaTopologyChange *change, uint32_t id) {
  const size_t n = change->n, left = change->n_before - n;
  if (id >= change->n_before) return SOFA_NO_ELEMENT;
  if (id >= left) return change->tail[id - left];
  size_t begin = 0, end = n; // ids descend
  while (begin < end) {
    const size_t middle = (begin + end) / 2;
    if (change->ids[middle] == id) return SOFA_NO_ELEMENT;
    if (change->ids[middle] > id) begin = middle + 1;
    else end = middle;
  }
  return id;
}

void sofa_change_remove_entries(const SofaTopologyChange *change, void *list, size_t size) {
  SofaAnyList *any = list;
  char *data = any->data;
  if (change->kind != SOFA_CHANGE_REMOVE || any->n != change->n_before) return;
  for (size_t k = 0; k < change->n; k++) {
    any->n--;
    if (change->ids[k] != any->n)
      sofa_copy(data + change->ids[k] * size, data + any->n * size, size);
  }
}

SofaErr sofa_change_write_field(SofaObject *object, const char *field, SofaIndices *value,
                                const SofaIndices *list) {
  SOFA_TRY(SOFA_RESIZE(object->ctx, value, list->n));
  sofa_copy(value->data, list->data, list->n * sizeof *list->data);
  sofa_field_touch_name(object, field);
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
    sofa_zero(to, width * sizeof *to);
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
      sofa_copy(coords->data + change->ids[k] * coords->width, coords->data + n * coords->width,
                size);
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

/* Gives the points of a row their new indices; false: one of them is removed. */
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
      sofa_copy(data + to * columns[c].size, data + from * columns[c].size, columns[c].size);
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
                             const SofaState *state, SofaIndices *inserted) {
  if (!sofa_change_moves(change, state)) return SOFA_OK;
  sofa_change_rename(change, inserted);
  for (size_t i = 0; change->kind == SOFA_CHANGE_ADD && i < change->n; i++)
    SOFA_TRY(SOFA_APPEND(ctx, inserted, &change->ids[i]));
  return SOFA_OK;
}

bool sofa_change_next_new(SofaIndices *inserted, size_t limit, uint32_t *point) {
  size_t k = 0;
  while (k < inserted->n && inserted->data[k] >= limit) k++;
  if (k == inserted->n) return false;
  *point = inserted->data[k];
  sofa_move(&inserted->data[k], &inserted->data[k + 1],
            (--inserted->n - k) * sizeof *inserted->data);
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
