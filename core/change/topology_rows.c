/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists that belong to points or elements: their rows are resolved once per version of the graph,
 * and each change updates the lists. */
#include <string.h>

#include "behavior/list_owner.h"
#include "behavior/mapping.h"
#include "change/topology_listeners_impl.h"

/* ---- what a class says ---- */

static SofaErr append(SofaObject *object, SofaListenerRows *rows, SofaListenerRow row) {
  const SofaBelongs *b = row.belongs;
  if (!b || b->role == SOFA_ROLE_NONE || b->by_object) return SOFA_OK;
  const SofaObject *target = sofa_link_target(object, b->link);
  row.topology = sofa_topology_of_link(object, b->link);
  row.state = sofa_implements(target, SOFA_STATE) ? (const SofaState *)target
                                                  : sofa_state_of_role(object, b->state);
  for (unsigned e = 0; e < b->n_ends; e++)
    row.ends[e] = b->ends[e] == SOFA_STATE_SECOND && b->link
                      ? row.state
                      : sofa_state_of_role(object, b->ends[e]);
  return SOFA_APPEND(object->ctx, rows, &row);
}

static size_t entry_size(const SofaType *type) {
  if (type == &sofa_type_coords) return sizeof(double);
  if (type == &sofa_type_rigid_masses) return sizeof(SofaRigidMass);
  return type->width * sofa_scalar_size(type->scalar);
}

static SofaErr find_of_class(SofaObject *object, const SofaClass *klass, SofaListenerRows *rows) {
  if (!klass) return SOFA_OK;
  SOFA_TRY(find_of_class(object, sofa_class_base(klass), rows));
  for (size_t i = 0; i < klass->n_fields; i++) {
    const SofaField *field = &klass->fields[i];
    const bool coords = field->type == &sofa_type_coords;
    SOFA_TRY(append(object, rows,
                    (SofaListenerRow){.belongs = field->belongs,
                                      .field = field,
                                      .list = sofa_field_value(object, field),
                                      .size = entry_size(field->type),
                                      .coords = coords}));
  }
  for (size_t i = 0; i < klass->n_lists; i++) {
    const SofaPrivateList *list = &klass->lists[i];
    SOFA_TRY(append(object, rows,
                    (SofaListenerRow){.belongs = list->belongs,
                                      .list = sofa_private_list(object, list),
                                      .size = list->size,
                                      .coords = list->coords}));
  }
  return SOFA_OK;
}

SofaErr sofa_listener_rows_find(SofaObject *object, SofaListenerRows *rows) {
  return find_of_class(object, object->klass, rows);
}

/* ---- values ---- */

/* Entries of a list, as blocks of `width` entries per element. */
typedef struct Values {
  SofaAnyList *list;
  size_t size;  /* of an entry */
  size_t width; /* entries per element */
} Values;

static char *entry(const Values *v, size_t i) {
  return (char *)v->list->data + i * v->size;
}

/* Makes the list n long by copies of its entry `from`. */
static SofaErr extend(SofaContext *ctx, const Values *v, size_t n, size_t from) {
  const size_t before = v->list->n;
  SOFA_TRY(sofa_list_resize(ctx, v->list, v->size, n));
  for (size_t k = before; k < n; k++) sofa_copy(entry(v, k), entry(v, from), v->size);
  return SOFA_OK;
}

static void remove_blocks(const SofaTopologyChange *change, const Values *v) {
  SofaAnyList blocks = {.data = v->list->data, .n = change->n_before};
  sofa_change_remove_entries(change, &blocks, v->width * v->size);
  v->list->n = blocks.n * v->width;
}

static SofaErr change_values(const SofaTopologyChange *change, SofaContext *ctx, const Values *v,
                             SofaInserted inserted) {
  const bool last = inserted == SOFA_INSERTED_LAST;
  const size_t full = change->n_before * v->width;
  if (v->list->n < 2 || (last && change->kind == SOFA_CHANGE_ADD)) return SOFA_OK;
  SOFA_TRY(extend(ctx, v, full, last ? v->list->n - 1 : 0));
  if (change->kind == SOFA_CHANGE_ADD) {
    SOFA_TRY(extend(ctx, v, full + change->n * v->width, 0));
    for (size_t i = 0; i < change->n && change->origins; i++)
      sofa_copy(entry(v, (change->n_before + i) * v->width),
                entry(v, change->origins[i] * v->width), v->width * v->size);
    return SOFA_OK;
  }
  // one value remains for later insertions; it is still in the list's memory
  if (change->n == change->n_before) {
    v->list->n = 1;
    return SOFA_OK;
  }
  remove_blocks(change, v);
  return SOFA_OK;
}

/* The coordinates of inserted points: the state has them already. */
static SofaErr append_from_state(const SofaTopologyChange *change, SofaContext *ctx,
                                 const SofaCoords *from, const Values *v) {
  const size_t n = v->list->n, block = from->width * sizeof *from->data;
  if (from->n != change->n_before + change->n) return SOFA_OK;
  SOFA_TRY(sofa_list_resize(ctx, v->list, v->size, n + change->n * v->width));
  sofa_copy(entry(v, n), from->data + change->n_before * from->width, change->n * block);
  return SOFA_OK;
}

/* Lists with values of all points or elements; other lists are left as they are. */
static SofaErr change_complete(const SofaTopologyChange *change, SofaContext *ctx,
                               const SofaListenerRow *row, const Values *v) {
  const SofaInserted inserted = row->belongs->inserted;
  if (v->list->n != change->n_before * v->width) return SOFA_OK;
  if (change->kind == SOFA_CHANGE_REMOVE) remove_blocks(change, v);
  else if (inserted == SOFA_INSERTED_NOTHING) return SOFA_OK;
  else if (inserted == SOFA_INSERTED_POSITION)
    return append_from_state(change, ctx, &row->state->position, v);
  else if (inserted == SOFA_INSERTED_REST)
    return append_from_state(change, ctx, &row->state->rest_position, v);
  else return sofa_list_resize(ctx, v->list, v->size, v->list->n + change->n * v->width);
  return SOFA_OK;
}

static SofaErr change_coords(const SofaTopologyChange *change, SofaContext *ctx,
                             const SofaListenerRow *row) {
  SofaCoords *coords = row->list;
  const SofaInserted inserted = row->belongs->inserted;
  const size_t n = coords->n;
  const bool exact = n == change->n_before;
  if (inserted == SOFA_INSERTED_SUM || (exact && change->kind == SOFA_CHANGE_REMOVE))
    return sofa_change_coords(change, ctx, coords);
  if (exact && inserted == SOFA_INSERTED_ZERO)
    return sofa_coords_resize(ctx, coords, n + change->n);
  const Values v = {row->list, coords->width * sizeof(double), 1};
  if (inserted == SOFA_INSERTED_FIRST || inserted == SOFA_INSERTED_LAST)
    return change_values(change, ctx, &v, inserted);
  return change_complete(change, ctx, row, &v);
}

/* Entries per element. */
static size_t width_of(const SofaListenerRow *row, const SofaObject *object) {
  const SofaBelongs *b = row->belongs;
  if (b->inserted == SOFA_INSERTED_POSITION || b->inserted == SOFA_INSERTED_REST)
    return row->state->position.width * sizeof(double) / row->size;
  const size_t width = b->width ? b->width : 1;
  if (!b->width_at) return width;
  return width * *(const unsigned *)(const void *)((const char *)object + b->width_at);
}

/* ---- indices, tables ---- */

/* The others keep their order. */
static void rename_in_order(const SofaTopologyChange *change, SofaIndices *ids) {
  size_t n = 0;
  for (size_t i = 0; i < ids->n && change->kind == SOFA_CHANGE_REMOVE; i++) {
    const uint32_t now = sofa_change_renamed(change, ids->data[i]);
    if (now != SOFA_NO_ELEMENT) ids->data[n++] = now;
  }
  if (change->kind == SOFA_CHANGE_REMOVE) ids->n = n;
}

/* Removed ones are marked in their places. */
static void rename_in_place(const SofaTopologyChange *change, SofaIndices *ids) {
  for (size_t i = 0; i < ids->n && change->kind == SOFA_CHANGE_REMOVE; i++)
    if (ids->data[i] != SOFA_NO_ELEMENT) ids->data[i] = sofa_change_renamed(change, ids->data[i]);
}

static SofaErr change_indices(const SofaTopologyChange *change, SofaObject *object,
                              const SofaListenerRow *row) {
  SofaIndices *ids = row->list;
  if (!ids->n) return SOFA_OK;
  if (row->belongs->keep_places) rename_in_place(change, ids);
  else if (row->belongs->keep_order) rename_in_order(change, ids);
  else sofa_change_rename(change, ids);
  SOFA_TRY(sofa_change_parts(change, object->ctx, ids));
  if (row->belongs->emptied && !ids->n) *(bool *)((char *)object + row->belongs->emptied) = true;
  return SOFA_OK;
}

/* Indices of points of a mapping's input. The points of the output that lose theirs are removed: a
 * change of the output, which removes their entries. */
static SofaErr remove_sources(const SofaTopologyChange *change, SofaObject *object,
                              const SofaListenerRow *row) {
  SofaIndices *sources = row->list, gone = {0};
  SofaState *out = ((SofaMapping *)object)->out;
  SofaErr err = SOFA_OK;
  for (uint32_t i = (uint32_t)sources->n; i-- > 0 && err == SOFA_OK;) {
    if (sources->data[i] == SOFA_NO_ELEMENT) continue;
    sources->data[i] = sofa_change_renamed(change, sources->data[i]);
    if (sources->data[i] == SOFA_NO_ELEMENT) err = SOFA_APPEND(object->ctx, &gone, &i);
  }
  if (err == SOFA_OK) err = sofa_state_remove_points(change->edit, out, gone.data, gone.n);
  sofa_list_free(object->ctx, &gone);
  return err;
}

static SofaErr change_sources(const SofaTopologyChange *change, SofaObject *object,
                              const SofaListenerRow *row) {
  if (change->kind != SOFA_CHANGE_REMOVE) return SOFA_OK;
  if (sofa_change_moves(change, row->state)) return remove_sources(change, object, row);
  if (sofa_change_moves(change, ((const SofaMapping *)object)->out))
    sofa_change_remove_entries(change, row->list, row->size);
  return SOFA_OK;
}

enum { MAX_COLUMNS = 16 };

static void change_table(const SofaTopologyChange *change, const SofaListenerRow *rows, size_t n) {
  SofaColumn columns[MAX_COLUMNS];
  size_t n_columns = 0;
  bool keep_order = false;
  for (size_t i = 0; i < n && n_columns < MAX_COLUMNS; i++) {
    const SofaBelongs *b = rows[i].belongs;
    if (b->role != SOFA_ROLE_TABLE) continue;
    SofaColumn *column = &columns[n_columns++];
    const size_t width = rows[i].coords ? ((const SofaCoords *)rows[i].list)->width : 1;
    *column = (SofaColumn){.list = rows[i].list, .size = width * rows[i].size, .n_ends = b->n_ends};
    for (unsigned e = 0; e < b->n_ends; e++) column->end[e] = rows[i].ends[e];
    keep_order = keep_order || b->keep_order;
  }
  if (n_columns) sofa_change_rows(change, columns, n_columns, keep_order);
}

/* ---- changes ---- */

/* Does the change concern the elements or points of the list? */
static bool concerns(const SofaTopologyChange *change, const SofaListenerRow *row,
                     const SofaObject *object) {
  const SofaBelongs *b = row->belongs;
  SofaElementKind kind = b->kind;
  if (b->of_topology)
    return row->topology && sofa_change_of(change, row->topology, SOFA_ELEMENT_POINT);
  if (b->kind_at) memcpy(&kind, (const char *)object + b->kind_at, sizeof kind);
  if (kind != SOFA_ELEMENT_POINT)
    return row->topology && sofa_change_of(change, row->topology, kind);
  return !b->kind_at && sofa_change_moves(change, row->state);
}

static SofaErr change_row(const SofaTopologyChange *change, SofaObject *object,
                          const SofaListenerRow *row) {
  const SofaBelongs *b = row->belongs;
  if (b->role == SOFA_ROLE_SOURCES) return change_sources(change, object, row);
  if (b->role == SOFA_ROLE_TABLE || !concerns(change, row, object)) return SOFA_OK;
  if (b->role == SOFA_ROLE_INDICES) return change_indices(change, object, row);
  if (b->role == SOFA_ROLE_NAMES)
    return sofa_change_numbers(change, object->ctx, row->state, row->list);
  if (b->role == SOFA_ROLE_INSERTED)
    return sofa_change_note_new(change, object->ctx, row->state, row->list);
  if (row->coords) return change_coords(change, object->ctx, row);
  const Values v = {row->list, row->size, width_of(row, object)};
  if (b->inserted == SOFA_INSERTED_FIRST || b->inserted == SOFA_INSERTED_LAST)
    return change_values(change, object->ctx, &v, b->inserted);
  return change_complete(change, object->ctx, row, &v);
}

/* Does the change concern a state that the list has points of? */
static bool concerns_ends(const SofaTopologyChange *change, const SofaListenerRow *row) {
  for (unsigned e = 0; e < row->belongs->n_ends; e++)
    if (sofa_change_moves(change, row->ends[e])) return true;
  return false;
}

/* What is linked to a changed field reads it again. The columns of a table change together. */
static void touch(const SofaTopologyChange *change, SofaObject *object, const SofaListenerRow *rows,
                  size_t n) {
  bool table = false;
  for (size_t i = 0; i < n; i++)
    table = table || (rows[i].belongs->role == SOFA_ROLE_TABLE && concerns_ends(change, &rows[i]));
  for (size_t i = 0; i < n; i++) {
    const bool changed =
        rows[i].belongs->role == SOFA_ROLE_TABLE
            ? table
            : rows[i].belongs->role == SOFA_ROLE_SOURCES || concerns(change, &rows[i], object);
    if (rows[i].field && changed) sofa_field_touch(object, rows[i].field);
  }
}

SofaErr sofa_listener_rows_change(SofaObject *object, const SofaTopologyChange *change,
                                  const SofaListenerRow *rows, size_t n) {
  if (change->kind == SOFA_CHANGE_DONE || !n) return SOFA_OK;
  for (size_t i = 0; i < n; i++) SOFA_TRY(change_row(change, object, &rows[i]));
  change_table(change, rows, n);
  touch(change, object, rows, n);
  return SOFA_OK;
}
