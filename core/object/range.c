/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ranges of fields: checks of values, messages, and what keep_going does with a value outside. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "base/text.h"
#include "object/object_impl.h"
#include "object/process.h"

bool sofa_range_given(const SofaRange *r) {
  return r->low || r->high || r->finite || r->direction;
}

bool sofa_range_has(const SofaRange *r, double value) {
  if (isnan(value) || (r->finite && isinf(value))) return false;
  if (r->low && (r->low == SOFA_END_OPEN ? value <= r->min : value < r->min)) return false;
  return !r->high || (r->high == SOFA_END_OPEN ? value < r->max : value <= r->max);
}

const char *sofa_range_text(const SofaRange *r, char text[SOFA_RANGE_TEXT]) {
  char *p = text;
  char min[32], max[32];
  sofa_print_real(min, r->min, 10);
  sofa_print_real(max, r->max, 10);
  *p = '\0';
  if (r->low && r->high)
    p += snprintf(p, SOFA_RANGE_TEXT, "in %c%s, %s%c", r->low == SOFA_END_OPEN ? '(' : '[', min,
                  max, r->high == SOFA_END_OPEN ? ')' : ']');
  else if (r->low)
    p += snprintf(p, SOFA_RANGE_TEXT, "%s %s", r->low == SOFA_END_OPEN ? ">" : ">=", min);
  else if (r->high)
    p += snprintf(p, SOFA_RANGE_TEXT, "%s %s", r->high == SOFA_END_OPEN ? "<" : "<=", max);
  if (r->direction) strcpy(p, "a length > 0");
  if (r->finite) strcpy(p, p > text ? " and finite" : "finite");
  return text;
}

/* ---- numbers of a value ---- */

/* Numbers of a value: one, those of a vector, those of all entries of a list. */
typedef struct Numbers {
  const SofaType *type;
  char *data;
  size_t n;
} Numbers;

static Numbers numbers_of(const SofaType *type, const void *value) {
  SofaAnyList list = {(void *)(uintptr_t)value, 1, 1};
  if (type->list) memcpy(&list, value, sizeof list);
  return (Numbers){type, list.data, list.n * type->width};
}

static double number_at(const Numbers *numbers, size_t i) {
  const char *at = numbers->data + i * sofa_scalar_size(numbers->type->scalar);
  if (numbers->type->scalar == SOFA_SCALAR_REAL) return *(const double *)(const void *)at;
  if (numbers->type->scalar == SOFA_SCALAR_INT) return *(const int *)(const void *)at;
  const uint32_t u = *(const uint32_t *)(const void *)at;
  return u == UINT32_MAX ? -1.0 : (double)u;
}

/* Rank of the first number outside from the i-th; n when there is none. */
static size_t first_outside(const Numbers *numbers, const SofaRange *range, size_t i) {
  while (i < numbers->n && sofa_range_has(range, number_at(numbers, i))) i++;
  return i;
}

/* Vectors without length. */
static SofaErr direction_why(SofaContext *ctx, const SofaRange *range, const Numbers *numbers,
                             SofaText *why) {
  const size_t width = numbers->type->width;
  char expected[SOFA_RANGE_TEXT];
  for (size_t i = 0; i < numbers->n; i += width) {
    double norm2 = 0;
    for (size_t c = 0; c < width; c++)
      norm2 += number_at(numbers, i + c) * number_at(numbers, i + c);
    if (norm2 > 0 && !isinf(norm2)) continue;
    if (numbers->type->list) SOFA_TRY(sofa_text_printf(ctx, why, "entry %zu: ", i / width));
    return sofa_text_printf(ctx, why, "has no direction, expected %s",
                            sofa_range_text(range, expected));
  }
  return SOFA_OK;
}

SofaErr sofa_range_why(SofaContext *ctx, const SofaRange *range, const SofaType *type,
                       const void *value, SofaText *why) {
  if (!sofa_range_given(range)) return SOFA_OK;
  const Numbers numbers = numbers_of(type, value);
  const size_t i = first_outside(&numbers, range, 0);
  char number[32], expected[SOFA_RANGE_TEXT];
  if (range->direction) return direction_why(ctx, range, &numbers, why);
  if (i == numbers.n) return SOFA_OK;
  sofa_print_real(number, number_at(&numbers, i), type->scalar == SOFA_SCALAR_REAL ? 6 : 17);
  if (type->list) SOFA_TRY(sofa_text_printf(ctx, why, "entry %zu", i / type->width));
  if (type->width > 1)
    SOFA_TRY(
        sofa_text_printf(ctx, why, "%scomponent %zu", type->list ? ", " : "", i % type->width));
  return sofa_text_printf(ctx, why, "%s%s, expected %s", why->n ? ": " : "", number,
                          sofa_range_text(range, expected));
}

/* ---- values outside ---- */

static void set_number(const Numbers *numbers, size_t i, double v) {
  char *at = numbers->data + i * sofa_scalar_size(numbers->type->scalar);
  if (numbers->type->scalar == SOFA_SCALAR_REAL) *(double *)(void *)at = v;
  else if (numbers->type->scalar == SOFA_SCALAR_INT) *(int *)(void *)at = (int)v;
  else *(uint32_t *)(void *)at = (uint32_t)(int64_t)v;
}

static void clamp(const Numbers *numbers, const SofaRange *r) {
  size_t i = 0;
  while ((i = first_outside(numbers, r, i)) < numbers->n) {
    const bool low = r->low && !(number_at(numbers, i) > r->min);
    set_number(numbers, i, low || !r->high ? r->min : r->max);
  }
}

/* Each number outside becomes that of the default; without one the value becomes zero or empty. */
static SofaErr use_default(SofaObject *object, const SofaField *field, const SofaRange *range) {
  SofaContext *ctx = object->ctx;
  void *value = sofa_field_value(object, field);
  const Numbers numbers = numbers_of(field->type, value);
  SofaErr err = SOFA_OK;
  void *def = sofa_alloc(ctx, 1, field->type->size);
  if (!def) return SOFA_ERR_MEMORY;
  SOFA_GO(err, done, sofa_field_default(object, field, def));
  const Numbers defaults = numbers_of(field->type, def);
  if (defaults.n == 0) {
    const SofaFieldState *state = sofa_field_state(object, field);
    // the lists of other processes would stay
    if (field->type->list && (state->source || state->divided)) sofa_process_refuse(ctx);
    SOFA_GO(err, done, sofa_type_copy(field->type, ctx, def, value));
  } else
    for (size_t i = 0; (i = first_outside(&numbers, range, i)) < numbers.n;)
      set_number(&numbers, i, number_at(&defaults, i % defaults.n));
done:
  sofa_type_free(field->type, ctx, def);
  sofa_free(ctx, def);
  return err;
}

/* Does what the class says, for keep_going. */
static SofaErr mend(SofaObject *object, const SofaField *field, const SofaFieldRange *rule,
                    const char *why) {
  static const char *const done[] = {[SOFA_BAD_DEFAULT] = "the default is used",
                                     [SOFA_BAD_CLAMP] = "the nearest end is used",
                                     [SOFA_BAD_KEEP] = "it is kept"};
  const Numbers numbers = numbers_of(field->type, sofa_field_value(object, field));
  if (rule->on_bad == SOFA_BAD_CLAMP) clamp(&numbers, &rule->range);
  if (rule->on_bad == SOFA_BAD_DEFAULT) SOFA_TRY(use_default(object, field, &rule->range));
  if (field->type->list) sofa_process_note_mended(object, field->name, why);
  sofa_object_message(object, SOFA_WARNING, "field '%s': %s: %s", field->name, why,
                      done[rule->on_bad]);
  return SOFA_OK;
}

SofaErr sofa_range_settle(SofaObject *object, SofaFieldState *state) {
  const SofaField *field = state->field;
  if (state->ranged == state->version) return state->outside ? SOFA_ERR_RANGE : SOFA_OK;
  state->ranged = state->version;
  state->outside = false;
  const SofaFieldRange rule = sofa_class_range(object->klass, field);
  SofaText why = {0};
  SofaErr err =
      sofa_range_why(object->ctx, &rule.range, field->type, sofa_field_value(object, field), &why);
  if (err == SOFA_OK && why.n) {
    state->outside = !object->ctx->keep_going || rule.on_bad == SOFA_BAD_REFUSE;
    err = state->outside ? sofa_field_fail(object, field->name, SOFA_ERR_RANGE, "%s", why.data)
                         : mend(object, field, &rule, why.data);
  }
  sofa_list_free(object->ctx, &why);
  if (err == SOFA_OK && object->initialised) {
    err = sofa_list_settle(object, field);
    state->outside = err != SOFA_OK;
  }
  return err;
}

SofaErr sofa_ranges_settle(SofaObject *object, bool linked) {
  const size_t n = sofa_class_n_fields(object->klass);
  SofaErr err = SOFA_OK;
  for (size_t i = 0; i < n; i++) {
    SofaFieldState *state = &object->field_states[i];
    const bool pending = !linked && (state->source || state->link_path);
    const bool missing = (state->field->flags & SOFA_FIELD_REQUIRED) && !state->set;
    if (pending || missing) continue;
    const SofaErr e = sofa_range_settle(object, state);
    if (!err) err = e;
  }
  return err;
}

SofaErr sofa_object_check_ranges(SofaObject *object) {
  return sofa_ranges_settle(object, true);
}

SofaErr sofa_range_check_text(const SofaObject *object, const SofaField *field, const char *text) {
  const SofaRange range = sofa_class_range(object->klass, field).range;
  if (!sofa_range_given(&range) && !sofa_list_checked(field)) return SOFA_OK;
  SofaContext *ctx = object->ctx;
  SofaText why = {0}, unread = {0};
  SofaErr err = SOFA_OK;
  void *value = sofa_alloc(ctx, 1, field->type->size);
  if (!value) return SOFA_ERR_MEMORY;
  const SofaParse parse = {ctx, field, NULL, object->kind, &unread, object};
  // an empty text leaves the value
  SOFA_GO(err, done, sofa_type_copy(field->type, ctx, sofa_field_value(object, field), value));
  err = sofa_type_parse(field->type, &parse, text, value);
  const bool read = err != SOFA_ERR_PARSE;
  if (err == SOFA_OK) err = sofa_range_why(ctx, &range, field->type, value, &why);
  else if (!read) err = SOFA_OK;
  if (err == SOFA_OK && !why.n && read) err = sofa_list_why(object, field, value, &why);
  if (why.n) err = sofa_field_fail(object, field->name, SOFA_ERR_RANGE, "%s", why.data);
done:
  sofa_type_free(field->type, ctx, value);
  sofa_free(ctx, value);
  sofa_list_free(ctx, &why);
  sofa_list_free(ctx, &unread);
  return err;
}
