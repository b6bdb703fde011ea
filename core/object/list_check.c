/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists that belong to points or elements: checks of lengths and indices, messages, and what
 * keep_going does. */
#include <string.h>
#include "object/list_check_impl.h"
#include "object/object_impl.h"
#include "object/process.h"

bool sofa_list_checked(const SofaField *field) {
  const SofaBelongs *b = field->belongs;
  if (!b) return false;
  if (b->role == SOFA_ROLE_PER) return b->lengths != 0;
  return field->type == &sofa_type_indices &&
         (b->role == SOFA_ROLE_INDICES || (b->role == SOFA_ROLE_TABLE && b->n_ends == 1));
}

/* False: the list is not used, or what it belongs to is not known yet. */
static bool known_owner(const SofaObject *object, const SofaBelongs *b, SofaListOwner *out) {
  if (b->unused && *(const bool *)((const char *)object + b->unused)) return false;
  for (const SofaClass *k = object->klass; k; k = sofa_class_base(k))
    if (k->list_owner) return k->list_owner(object, b, out);
  return false;
}

/* False: the list is not checked, or as above. */
static bool owner_of(const SofaObject *object, const SofaField *field, SofaListOwner *out) {
  return sofa_list_checked(field) && known_owner(object, field->belongs, out);
}

/* ---- what is wrong ---- */

/* Rank of the first index that does not exist from the i-th on; list->n when there is none. */
static size_t first_bad(const SofaIndices *list, size_t n, size_t i) {
  while (i < list->n && list->data[i] < n) i++;
  return i;
}

static SofaErr index_why(SofaContext *ctx, const SofaIndices *list, const SofaListOwner *owner,
                         SofaText *why) {
  const size_t i = first_bad(list, owner->n, 0);
  if (i == list->n) return SOFA_OK;
  const char *a = strchr("aeio", owner->one[0]) ? "an" : "a";
  return sofa_text_printf(ctx, why, "index %u is not %s %s of %s, which has %zu %s", list->data[i],
                          a, owner->one, owner->whose, owner->n, owner->many);
}

static size_t width_of(const SofaObject *object, const SofaBelongs *b) {
  const size_t width = b->width ? b->width : 1;
  if (!b->width_at) return width;
  return width * *(const unsigned *)(const void *)((const char *)object + b->width_at);
}

static SofaErr length_why(const SofaObject *object, const SofaBelongs *b, size_t n,
                          const SofaListOwner *owner, SofaText *why) {
  SofaContext *ctx = object->ctx;
  const size_t width = width_of(object, b), all = owner->n * width;
  if ((n == 0 && b->lengths & SOFA_LENGTH_NONE) || (n == width && b->lengths & SOFA_LENGTH_ONE) ||
      (n == all && b->lengths & SOFA_LENGTH_ALL))
    return SOFA_OK;
  SOFA_TRY(sofa_text_printf(ctx, why, "has %zu entries, expected ", n));
  if (b->lengths & SOFA_LENGTH_NONE) SOFA_TRY(sofa_text_printf(ctx, why, "none or "));
  if (b->lengths & SOFA_LENGTH_ONE) SOFA_TRY(sofa_text_printf(ctx, why, "%zu or ", width));
  return sofa_text_printf(ctx, why, "%zu, %zu for each %s of %s", all, width, owner->one,
                          owner->whose);
}

SofaErr sofa_list_why(const SofaObject *object, const SofaField *field, const void *value,
                      SofaText *why) {
  SofaListOwner owner;
  if (!owner_of(object, field, &owner)) return SOFA_OK;
  if (field->belongs->role != SOFA_ROLE_PER) return index_why(object->ctx, value, &owner, why);
  const bool coords = field->type == &sofa_type_coords;
  const size_t n = coords ? ((const SofaCoords *)value)->n : ((const SofaIndices *)value)->n;
  return length_why(object, field->belongs, n, &owner, why);
}

SofaErr sofa_list_unfit(const SofaObject *object, const SofaField *field, SofaText *why) {
  const SofaBelongs *b = field->belongs;
  SofaListOwner owner;
  if (!b || b->role != SOFA_ROLE_PER || b->lengths || !field->type->list) return SOFA_OK;
  if (!known_owner(object, b, &owner)) return SOFA_OK;
  const size_t n = ((const SofaAnyList *)sofa_field_value(object, field))->n;
  const size_t width = width_of(object, b), all = owner.n * width;
  if (n <= 1 || n == width || n == all) return SOFA_OK;
  const char *others = b->inserted == SOFA_INSERTED_LAST ? "the others have the last value"
                                                         : "the others have the first value";
  return sofa_text_printf(
      object->ctx, why, "has %zu entries, expected %zu or %zu, %zu for each %s of %s: %s", n, width,
      all, width, owner.one, owner.whose, n > all ? "the rest is not used" : others);
}

/* ---- keep_going ---- */

static void drop(const SofaObject *object, const SofaField *field) {
  SofaIndices *list = sofa_field_value(object, field);
  SofaListOwner owner;
  if (!owner_of(object, field, &owner)) return;
  for (size_t i = 0; (i = first_bad(list, owner.n, i)) < list->n;)
    list->data[i] = list->data[--list->n];
}

static SofaErr use_default(SofaObject *object, const SofaField *field) {
  SofaContext *ctx = object->ctx;
  void *def = sofa_alloc(ctx, 1, field->type->size);
  if (!def) return SOFA_ERR_MEMORY;
  SofaErr err = sofa_field_default(object, field, def);
  if (!err) err = sofa_type_copy(field->type, ctx, def, sofa_field_value(object, field));
  sofa_type_free(field->type, ctx, def);
  sofa_free(ctx, def);
  return err;
}

static SofaErr mend(SofaObject *object, const SofaField *field, SofaOnBad on_bad, const char *why) {
  const char *done = "it is kept";
  if (on_bad == SOFA_BAD_DROP) {
    drop(object, field);
    done = "left out";
  }
  if (on_bad == SOFA_BAD_DEFAULT) {
    const SofaFieldState *state = sofa_field_state(object, field);
    // the lists of other processes would stay
    if (state->source || state->divided) sofa_process_refuse(object->ctx);
    SOFA_TRY(use_default(object, field));
    done = "the default is used";
  }
  sofa_process_note_mended(object, field->name, why);
  sofa_object_message(object, SOFA_WARNING, "field '%s': %s: %s", field->name, why, done);
  return SOFA_OK;
}

SofaErr sofa_list_settle(SofaObject *object, const SofaField *field) {
  const SofaOnBad on_bad = sofa_class_range(object->klass, field).on_bad;
  SofaText why = {0};
  SofaErr err = sofa_list_why(object, field, sofa_field_value(object, field), &why);
  if (err == SOFA_OK && why.n)
    err = object->ctx->keep_going && on_bad != SOFA_BAD_REFUSE
              ? mend(object, field, on_bad, why.data)
              : sofa_field_fail(object, field->name, SOFA_ERR_RANGE, "%s", why.data);
  sofa_list_free(object->ctx, &why);
  return err;
}

SofaErr sofa_object_check_lists(SofaObject *object) {
  const size_t n = sofa_class_n_fields(object->klass);
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < n; i++) {
    const SofaErr e = sofa_list_settle(object, object->field_states[i].field);
    if (!err) err = e;
  }
  return err;
}
