/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Lists of lists of numbers: "[0,1,2] [3,4]"; numbers without brackets are one list. */
#include <string.h>
#include "base/text.h"
#include "object/type_impl.h"

/* Any list of lists. */
SOFA_LIST(SofaAnyList, Lists);

static SofaScalar scalar_of(const SofaType *type) {
  return type == &sofa_type_real_lists ? SOFA_SCALAR_REAL : SOFA_SCALAR_UINT;
}

static SofaErr resize(SofaContext *ctx, void *value, size_t n) {
  Lists *lists = value;
  for (size_t i = n; i < lists->n; i++) sofa_list_free(ctx, &lists->data[i]);
  return SOFA_RESIZE(ctx, lists, n);
}

SofaErr sofa_index_lists_resize(SofaContext *ctx, SofaIndexLists *lists, size_t n) {
  return resize(ctx, lists, n);
}

SofaErr sofa_real_lists_resize(SofaContext *ctx, SofaRealLists *lists, size_t n) {
  return resize(ctx, lists, n);
}

void sofa_free_lists(SofaContext *ctx, void *value) {
  Lists *lists = value;
  for (size_t i = 0; i < lists->n; i++) sofa_list_free(ctx, &lists->data[i]);
  sofa_list_free(ctx, lists);
}

static void skip_commas(const char **p) {
  while (!sofa_at_end(p) && **p == ',') ++*p;
}

/* The list at *p, up to its closing bracket or, without brackets, to the end. */
static SofaErr parse_one(const SofaParse *parse, SofaScalar scalar, const char **p, bool brackets,
                         void *list) {
  for (;;) {
    double number = 0; // the largest scalar
    skip_commas(p);
    if (!**p && !brackets) return SOFA_OK;
    if (brackets && **p == ']') {
      ++*p;
      return SOFA_OK;
    }
    const char *at = *p;
    if (!*at) return sofa_refuse(parse, "expected ']' after a list");
    if (sofa_read_scalar(scalar, p, &number) != SOFA_GOT_IT)
      return sofa_refuse_word(scalar == SOFA_SCALAR_REAL ? &sofa_type_reals : &sofa_type_indices,
                              parse, at);
    SOFA_TRY(sofa_list_append(parse->ctx, list, sofa_scalar_size(scalar), &number));
  }
}

SofaErr sofa_parse_lists(const SofaType *type, const SofaParse *parse, const char *text,
                         void *value) {
  Lists *lists = value;
  const char *p = text;
  SOFA_TRY(resize(parse->ctx, lists, 0));
  while (!sofa_at_end(&p)) {
    const bool brackets = *p == '[';
    p += brackets;
    SOFA_TRY(resize(parse->ctx, lists, lists->n + 1));
    SOFA_TRY(parse_one(parse, scalar_of(type), &p, brackets, &lists->data[lists->n - 1]));
  }
  return SOFA_OK;
}

SofaErr sofa_print_lists(const SofaType *type, SofaContext *ctx, const SofaField *field,
                         const void *value, SofaText *out) {
  const Lists *lists = value;
  const SofaScalar scalar = scalar_of(type);
  (void)field;
  for (size_t i = 0; i < lists->n; i++) {
    const char *number = lists->data[i].data;
    SOFA_TRY(sofa_text_printf(ctx, out, "%s[", i ? " " : ""));
    for (size_t k = 0; k < lists->data[i].n; k++, number += sofa_scalar_size(scalar)) {
      if (k) SOFA_TRY(sofa_text_append(ctx, out, ",", 1));
      SOFA_TRY(sofa_print_scalar(scalar, ctx, number, out));
    }
    SOFA_TRY(sofa_text_append(ctx, out, "]", 1));
  }
  return SOFA_OK;
}

SofaErr sofa_copy_lists(const SofaType *type, SofaContext *ctx, const void *from, void *to) {
  const Lists *source = from;
  Lists *target = to;
  SOFA_TRY(resize(ctx, target, source->n));
  for (size_t i = 0; i < source->n; i++)
    SOFA_TRY(
        sofa_list_copy(ctx, &target->data[i], &source->data[i], sofa_scalar_size(scalar_of(type))));
  return SOFA_OK;
}
