/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading springs that are written as words with numbers. */
#include "components/solidmechanics/spring/spring_items.h"

#include <string.h>
#include "base/text.h"

static bool is_word(const char *word, size_t length, const char *expected) {
  return strlen(expected) == length && sofa_compare(word, expected, length) == 0;
}

static SofaErr read_points(const SofaObject *object, const char *field, const char **text,
                           const SofaItemFormat *format, size_t rank, char *item) {
  SofaItemHead *head = (void *)item;
  for (unsigned i = 0; i < format->n_points; i++) {
    int64_t point = 0;
    if (!sofa_read_int(text, &point) || point < 0 || point >= UINT32_MAX)
      return sofa_field_fail(object, field, SOFA_ERR_PARSE,
                             "spring %zu: expected %u numbers of points behind BEGIN_SPRING", rank,
                             format->n_points);
    head->points[i] = (uint32_t)point;
  }
  return SOFA_OK;
}

static const SofaItemKey *find_key(const SofaItemFormat *format, const char *word, size_t length) {
  for (size_t k = 0; k < format->n_keys; k++)
    if (is_word(word, length, format->keys[k].word)) return &format->keys[k];
  return NULL;
}

static SofaErr read_item(const SofaObject *object, const char *field, const char **text,
                         const SofaItemFormat *format, size_t rank, char *item) {
  SofaItemHead *head = (void *)item;
  const char *word = NULL;
  size_t length = 0;
  SOFA_TRY(read_points(object, field, text, format, rank, item));
  while (sofa_read_word(text, &word, &length)) {
    if (is_word(word, length, "END_SPRING")) return SOFA_OK;
    const SofaItemKey *key = find_key(format, word, length);
    if (!key)
      return sofa_field_fail(object, field, SOFA_ERR_PARSE, "spring %zu: unknown word '%.*s'", rank,
                             (int)(length < 60 ? length : 60), word);
    double *value = (double *)(void *)(item + key->offset);
    for (unsigned i = 0; i < key->n; i++) {
      if (sofa_read_real(text, &value[i])) continue;
      return sofa_field_fail(object, field, SOFA_ERR_PARSE,
                             "spring %zu: expected %u numbers behind %s", rank, key->n, key->word);
    }
    head->given |= 1u << (key - format->keys);
  }
  return sofa_field_fail(object, field, SOFA_ERR_PARSE, "spring %zu has no END_SPRING", rank);
}

SofaErr sofa_spring_items_read(const SofaObject *object, const char *field, const char *text,
                               const SofaItemFormat *format, void *list) {
  SofaAnyList *items = list;
  const char *word = NULL;
  size_t length = 0;
  SOFA_TRY(sofa_list_resize(object->ctx, list, format->size, 0));
  while (text && sofa_read_word(&text, &word, &length)) {
    const size_t rank = items->n;
    if (!is_word(word, length, "BEGIN_SPRING"))
      return sofa_field_fail(object, field, SOFA_ERR_PARSE,
                             "expected BEGIN_SPRING for spring %zu, found '%.*s'", rank,
                             (int)(length < 60 ? length : 60), word);
    SOFA_TRY(sofa_list_append(object->ctx, list, format->size, format->preset));
    SOFA_TRY(
        read_item(object, field, &text, format, rank, (char *)items->data + rank * format->size));
  }
  return SOFA_OK;
}
