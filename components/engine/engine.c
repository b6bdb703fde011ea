/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What engines share: open inputs, checks of indices, lists of any type. */
#include "components/engine/engine.h"
#include "behavior/loader.h"

#include <string.h>

const char *const engine_vec3_templates[] = {"Vec3d", NULL};
const char *const engine_state_templates[] = {"Vec3d",   "Vec1d",   "Vec2d",
                                              "Rigid2d", "Rigid3d", NULL};

SofaErr engine_init(SofaObject *object) {
  return sofa_data_update(object);
}

/* ---- inputs that the scene left open ---- */

/* An input that would close a cycle stays open: the scene did not ask for it. */
SofaErr engine_link(SofaObject *object, const char *name, SofaObject *source,
                    const char *source_name) {
  const SofaField *field = sofa_class_field(object->klass, name);
  const SofaField *source_field = source ? sofa_class_field(source->klass, source_name) : NULL;
  if (!source_field || sofa_field_is_set(object, name)) return SOFA_OK;
  if (sofa_data_comes_from(source, source_field, object)) return SOFA_OK;
  return sofa_data_link(object, field, source, source_field);
}

SofaErr engine_link_points(SofaObject *object, const char *name) {
  const SofaNode *node = object->node;
  SofaObject *state = sofa_node_find(node, SOFA_MECHANICAL_STATE, SOFA_SEARCH_LOCAL);
  if (state) return engine_link(object, name, state, "rest_position");
  SofaObject *loader = sofa_node_find(node, SOFA_LOADER, SOFA_SEARCH_LOCAL);
  if (loader) return engine_link(object, name, loader, "position");
  state = sofa_node_find(node, SOFA_MECHANICAL_STATE, SOFA_SEARCH_UP);
  return engine_link(object, name, state, "rest_position");
}

SofaErr engine_link_elements(SofaObject *object, const char *const *names, bool up) {
  SofaObject *topology =
      sofa_node_find(object->node, SOFA_TOPOLOGY, up ? SOFA_SEARCH_UP : SOFA_SEARCH_LOCAL);
  for (; topology && *names; names++) SOFA_TRY(engine_link(object, *names, topology, *names));
  return SOFA_OK;
}

/* ---- checks ---- */

SofaErr engine_check(const SofaObject *object, const char *field, SofaElements list, size_t limit,
                     const char *what) {
  for (size_t i = 0; i < list.n * list.width; i++)
    if (list.v[i] >= limit)
      return sofa_field_fail(object, field, SOFA_ERR_RANGE, "entry %zu names %u; there are %zu %s",
                             i / list.width, list.v[i], limit, what);
  return SOFA_OK;
}

SofaErr engine_check_same(const SofaObject *object, const char *field, size_t n, size_t wanted) {
  if (n == wanted) return SOFA_OK;
  return sofa_field_fail(object, field, SOFA_ERR_RANGE, "it has %zu entries; it must have %zu", n,
                         wanted);
}

/* ---- lists ---- */

SofaErr engine_append_coord(SofaContext *ctx, SofaCoords *to, const SofaCoords *from, size_t i) {
  const size_t n = to->n, width = from->width;
  to->width = from->width;
  if (n == to->capacity) {
    SOFA_TRY(sofa_coords_resize(ctx, to, n < 8 ? 8 : 2 * n));
    to->n = n;
  }
  SOFA_TRY(sofa_coords_resize(ctx, to, n + 1));
  sofa_copy(to->data + n * width, from->data + i * width, width * sizeof *to->data);
  return SOFA_OK;
}

SofaErr engine_copy_coords(SofaContext *ctx, SofaCoords *to, const SofaCoords *from) {
  to->width = from->width;
  SOFA_TRY(sofa_coords_resize(ctx, to, from->n));
  if (from->n) sofa_copy(to->data, from->data, from->n * from->width * sizeof *to->data);
  return SOFA_OK;
}

size_t engine_list_n(const void *list) {
  SofaAnyList any;
  memcpy(&any, list, sizeof any);
  return any.n;
}

size_t engine_entry_size(const SofaType *type) {
  return sofa_scalar_size(type->scalar) * type->width;
}

void *engine_entry(const SofaType *type, const void *list, size_t i) {
  SofaAnyList any;
  memcpy(&any, list, sizeof any);
  return any.data ? (char *)any.data + i * engine_entry_size(type) : NULL;
}

SofaErr engine_append_entry(SofaContext *ctx, const SofaType *type, void *list, const void *entry) {
  if (type->scalar != SOFA_SCALAR_STRING)
    return sofa_list_append(ctx, list, engine_entry_size(type), entry);
  const char *text = *(char *const *)entry;
  return sofa_strings_append(ctx, list, text, strlen(text));
}

void engine_clear(SofaContext *ctx, const SofaType *type, void *list) {
  if (type->scalar == SOFA_SCALAR_STRING) sofa_type_free(type, ctx, list);
  else ((SofaIndices *)list)->n = 0;
}

SofaErr engine_print(SofaContext *ctx, const SofaType *type, const void *list, char **text) {
  SofaText made = {0};
  const SofaErr err = sofa_type_print(type, ctx, NULL, list, &made);
  if (err) {
    sofa_list_free(ctx, &made);
    return err;
  }
  sofa_free(ctx, *text);
  *text = made.data;
  return SOFA_OK;
}

static int compare_scalar(SofaScalar scalar, const void *a, const void *b) {
  if (scalar == SOFA_SCALAR_REAL) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
  }
  if (scalar == SOFA_SCALAR_INT) {
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
  }
  if (scalar == SOFA_SCALAR_UINT) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
  }
  if (scalar == SOFA_SCALAR_STRING) return strcmp(*(char *const *)a, *(char *const *)b);
  return *(const bool *)a - *(const bool *)b;
}

int engine_compare(const SofaType *type, const void *a, const void *b) {
  const size_t size = sofa_scalar_size(type->scalar);
  for (unsigned k = 0; k < type->width; k++) {
    const int order =
        compare_scalar(type->scalar, (const char *)a + k * size, (const char *)b + k * size);
    if (order) return order;
  }
  return 0;
}
