/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From numbers of the whole mesh to local ones, by the rows of the class. */
#include "behavior/list_division.h"

#include <string.h>

#include "behavior/list_owner.h"
#include "behavior/state_division.h"

/* A list of the scene, and what its entries belong to. */
typedef struct Row {
  SofaObject *object;
  const SofaField *field;
  SofaFieldState *state;
  const SofaBelongs *belongs;
  SofaAnyList *list;
  size_t size; /* of an entry */
  const SofaDivision *division;
  SofaElementKind kind;
} Row;

static size_t entry_size(const SofaField *field, const void *value) {
  const SofaType *type = field->type;
  if (type == &sofa_type_coords) return ((const SofaCoords *)value)->width * sizeof(double);
  return type->width * sofa_scalar_size(type->scalar);
}

static const SofaDivision *of_points(const SofaObject *object, const SofaBelongs *b) {
  const SofaStateRole role = b->role == SOFA_ROLE_TABLE ? b->ends[0] : b->state;
  const SofaObject *target = sofa_link_target(object, b->link);
  const SofaState *state = sofa_implements(target, SOFA_STATE) ? (const SofaState *)target
                                                               : sofa_state_of_role(object, role);
  return state ? sofa_state_division(state) : NULL;
}

/* false: the list is not of a divided mesh, or not of the scene's text. */
static bool is_divided(SofaObject *object, const SofaField *field, Row *row) {
  SofaFieldState *state = sofa_field_state(object, field);
  const SofaBelongs *b = field->belongs;
  if (!b || state->source || state->divided) return false;
  if (b->role != SOFA_ROLE_INDICES && b->role != SOFA_ROLE_PER && b->role != SOFA_ROLE_TABLE)
    return false;
  *row = (Row){.object = object, .field = field, .state = state, .belongs = b, .kind = b->kind};
  if (b->kind_at) memcpy(&row->kind, (const char *)object + b->kind_at, sizeof row->kind);
  row->list = sofa_field_value(object, field);
  row->size = entry_size(field, row->list);
  if (b->role == SOFA_ROLE_TABLE) row->kind = SOFA_ELEMENT_POINT;
  if (row->kind == SOFA_ELEMENT_POINT && !b->of_topology) {
    row->division = of_points(object, b);
  } else {
    const SofaTopology *t = sofa_topology_of_link(object, b->link);
    if (t && row->kind != SOFA_ELEMENT_POINT)
      row->division = sofa_topology_list_division(t, row->kind);
    else if (t) row->division = sofa_topology_division(t);
  }
  return row->division && row->list->n;
}

static SofaErr check_range(const Row *row) {
  const uint32_t *ids = row->list->data;
  const size_t n = row->division->n_whole_elements[row->kind];
  const SofaElementKindInfo *info = sofa_element_kind_info(row->kind);
  for (size_t i = 0; i < row->list->n; i++)
    if (ids[i] >= n)
      return sofa_field_fail(row->object, row->field->name, SOFA_ERR_RANGE,
                             "index %u is not a %s of the whole mesh, which has %zu", ids[i],
                             info->name, n);
  return SOFA_OK;
}

static SofaErr divide_indices(const Row *row) {
  SofaIndices *ids = (SofaIndices *)(void *)row->list;
  const SofaBelongs *b = row->belongs;
  size_t n = 0;
  SOFA_TRY(check_range(row));
  for (size_t i = 0; i < ids->n; i++) {
    const uint32_t local = sofa_division_local_element(row->division, row->kind, ids->data[i]);
    if (local != SOFA_NO_ELEMENT || b->keep_places) ids->data[n++] = local;
  }
  ids->n = n;
  if (b->emptied && !n) *(bool *)((char *)row->object + b->emptied) = true;
  return SOFA_OK;
}

/* Values of all elements, or fewer, which stay. */
static SofaErr divide_values(const Row *row) {
  const SofaBelongs *b = row->belongs;
  size_t width = b->width ? b->width : 1;
  if (b->width_at)
    width *= *(const unsigned *)(const void *)((const char *)row->object + b->width_at);
  const size_t n = row->division->n_whole_elements[row->kind];
  if (row->list->n == 1 || row->list->n == width) return SOFA_OK;
  if (width == 0 || row->list->n != n * width)
    return sofa_field_fail(row->object, row->field->name, SOFA_ERR_RANGE,
                           "has %zu entries, expected 1 or %zu for the whole mesh, which is "
                           "divided among processes",
                           row->list->n, n * width);
  SofaAnyList blocks = {.data = row->list->data, .n = n, .capacity = n};
  SOFA_TRY(
      sofa_division_pick(row->object->ctx, row->division, row->kind, &blocks, width * row->size));
  row->list->data = blocks.data;
  row->list->n = blocks.n * width;
  row->list->capacity = blocks.capacity * width;
  return SOFA_OK;
}

/* ---- tables ---- */

/* Rows of which this process has all points: the ranks of those that stay. */
static SofaErr kept_rows(const Row *row, SofaIndices *kept) {
  const uint32_t *ids = row->list->data;
  SOFA_TRY(check_range(row));
  for (uint32_t i = 0; i < row->list->n; i++)
    if (sofa_division_local(row->division, ids[i]) != SOFA_NO_ELEMENT)
      SOFA_TRY(SOFA_APPEND(row->object->ctx, kept, &i));
  return SOFA_OK;
}

/* A column that is shorter goes on with its last value. */
static SofaErr divide_column(const Row *row, const SofaIndices *kept) {
  SofaAnyList *list = row->list;
  if (list->n <= 1) return SOFA_OK;
  char *own = sofa_alloc(row->object->ctx, kept->n + 1, row->size);
  if (!own) return SOFA_ERR_MEMORY;
  for (size_t i = 0; i < kept->n; i++) {
    const size_t from = kept->data[i] < list->n ? kept->data[i] : list->n - 1;
    sofa_copy(own + i * row->size, (const char *)list->data + from * row->size, row->size);
  }
  sofa_free(row->object->ctx, list->data);
  list->data = own;
  list->n = kept->n;
  list->capacity = kept->n + 1;
  return SOFA_OK;
}

static SofaErr divide_table(SofaObject *object, const Row *ends) {
  SofaIndices kept = {0};
  const size_t n = sofa_class_n_fields(object->klass);
  SofaErr err = kept_rows(ends, &kept);
  for (size_t i = 0; i < n && err == SOFA_OK; i++) {
    const SofaField *field = object->field_states[i].field;
    Row row;
    if (!field->belongs || field->belongs->role != SOFA_ROLE_TABLE || field == ends->field)
      continue;
    if (field->belongs->n_ends) {
      err = sofa_object_undivided(object, "a table of pairs of points of a divided mesh");
    } else if (is_divided(object, field, &row)) {
      err = divide_column(&row, &kept);
      row.state->divided = true;
    }
  }
  uint32_t *ids = ends->list->data;
  for (size_t i = 0; i < kept.n; i++)
    ids[i] = sofa_division_local(ends->division, ids[kept.data[i]]);
  ends->list->n = kept.n;
  sofa_list_free(object->ctx, &kept);
  return err;
}

/* ---- all ---- */

static SofaErr divide_list(SofaObject *object, const SofaField *field) {
  Row row;
  if (!is_divided(object, field, &row)) return SOFA_OK;
  const SofaBelongs *b = row.belongs;
  if (b->role == SOFA_ROLE_TABLE && !b->n_ends) return SOFA_OK; /* with its first column */
  if (b->role == SOFA_ROLE_TABLE && (b->n_ends > 1 || field->type != &sofa_type_indices))
    return sofa_object_undivided(object, "a table of pairs of points of a divided mesh");
  SofaErr err = SOFA_OK;
  if (b->role == SOFA_ROLE_INDICES) err = divide_indices(&row);
  else if (b->role == SOFA_ROLE_PER) err = divide_values(&row);
  else err = divide_table(object, &row);
  row.state->divided = true;
  sofa_field_touch(object, field);
  return err;
}

SofaErr sofa_object_settle_lists(SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  for (size_t i = 0; i < n && object->ctx->processes; i++)
    SOFA_TRY(divide_list(object, object->field_states[i].field));
  return sofa_object_check_lists(object);
}

bool sofa_list_was_divided(const SofaObject *object, const char *name) {
  const SofaField *field = sofa_class_field(object->klass, name);
  const SofaFieldState *state = field ? sofa_field_state(object, field) : NULL;
  return state && state->divided;
}
