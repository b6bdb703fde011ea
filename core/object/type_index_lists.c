/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of index lists: "[0,1,2] [3,4]"; numbers without brackets are one list. */
#include <string.h>
#include "base/text.h"
#include "object/type_impl.h"

SofaErr sofa_index_lists_resize(SofaContext *ctx, SofaIndexLists *lists, size_t n) {
  for (size_t i = n; i < lists->n; i++) sofa_list_free(ctx, &lists->data[i]);
  return SOFA_RESIZE(ctx, lists, n);
}

void sofa_free_index_lists(SofaContext *ctx, void *value) {
  SofaIndexLists *lists = value;
  for (size_t i = 0; i < lists->n; i++) sofa_list_free(ctx, &lists->data[i]);
  sofa_list_free(ctx, lists);
}

/* The list at *p, up to its closing bracket or, without brackets, to the end. */
static SofaErr parse_one(const SofaParse *parse, const char **p, bool brackets, SofaIndices *list) {
  for (;;) {
    uint32_t index = 0;
    while (sofa_at_end(p) ? false : **p == ',') ++*p;
    if (!**p && !brackets) return SOFA_OK;
    if (brackets && **p == ']') {
      ++*p;
      return SOFA_OK;
    }
    const char *at = *p;
    if (sofa_read_scalar(SOFA_SCALAR_UINT, p, &index) != SOFA_GOT_IT)
      return *at ? sofa_refuse_word(&sofa_type_indices, parse, at)
                 : sofa_refuse(parse, "expected ']' behind a list");
    SOFA_TRY(SOFA_APPEND(parse->ctx, list, &index));
  }
}

SofaErr sofa_parse_index_lists(const SofaType *type, const SofaParse *parse, const char *text,
                               void *value) {
  SofaIndexLists *lists = value;
  const char *p = text;
  (void)type;
  SOFA_TRY(sofa_index_lists_resize(parse->ctx, lists, 0));
  while (!sofa_at_end(&p)) {
    const bool brackets = *p == '[';
    p += brackets;
    SOFA_TRY(sofa_index_lists_resize(parse->ctx, lists, lists->n + 1));
    SOFA_TRY(parse_one(parse, &p, brackets, &lists->data[lists->n - 1]));
  }
  return SOFA_OK;
}

SofaErr sofa_print_index_lists(const SofaType *type, SofaContext *ctx, const SofaField *field,
                               const void *value, SofaText *out) {
  const SofaIndexLists *lists = value;
  (void)type;
  (void)field;
  for (size_t i = 0; i < lists->n; i++) {
    const SofaIndices *list = &lists->data[i];
    SOFA_TRY(sofa_text_printf(ctx, out, "%s[", i ? " " : ""));
    for (size_t k = 0; k < list->n; k++)
      SOFA_TRY(sofa_text_printf(ctx, out, "%s%u", k ? "," : "", list->data[k]));
    SOFA_TRY(sofa_text_append(ctx, out, "]", 1));
  }
  return SOFA_OK;
}

SofaErr sofa_copy_index_lists(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  const SofaIndexLists *source = from;
  SofaIndexLists *target = to;
  (void)type;
  SOFA_TRY(sofa_index_lists_resize(ctx, target, source->n));
  for (size_t i = 0; i < source->n; i++)
    SOFA_TRY(sofa_list_copy(ctx, &target->data[i], &source->data[i], sizeof(uint32_t)));
  return SOFA_OK;
}
