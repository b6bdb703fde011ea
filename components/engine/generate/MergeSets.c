/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* MergeSets: union, intersection or difference of two sets of indices. */
#include <stdlib.h>

#include "components/engine/engine.h"

typedef struct MergeSets {
  SofaObject object;
  SofaIndices in1, in2, out;
  char *op;
} MergeSets;

typedef MergeSets SofaSelf; /* of SOFA_ROW */

static const SofaField fields[] = {
    SOFA_ROW_INPUT(in1, "in1", NULL, "", "first set"),
    SOFA_ROW_INPUT(in2, "in2", NULL, "", "second set"),
    SOFA_ROW_OUTPUT(out, "out", "", "the result, ascending, each index once"),
    SOFA_ROW_INPUT(op, "op", "union", "",
                   "union, intersection, difference (in1 without in2) or symmetric_difference; the "
                   "first letter decides"),
};

static int by_index(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Of template i: -1 and the like come first. */
static int by_number(const void *a, const void *b) {
  const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
  return (x > y) - (x < y);
}

static bool in_set(const SofaIndices *set, uint32_t index) {
  for (size_t i = 0; i < set->n; i++)
    if (set->data[i] == index) return true;
  return false;
}

/* Puts the result in order and drops repetitions. */
static void sort(MergeSets *m) {
  SofaIndices *out = &m->out;
  const bool is_signed = m->object.template_name[0] == 'i';
  if (out->n) sofa_sort(out->data, out->n, sizeof *out->data, is_signed ? by_number : by_index);
  size_t n = 0;
  for (size_t i = 0; i < out->n; i++)
    if (!n || out->data[i] != out->data[n - 1]) out->data[n++] = out->data[i];
  out->n = n;
}

static SofaErr append_if(MergeSets *m, const SofaIndices *from, const SofaIndices *other,
                         bool in_other) {
  for (size_t i = 0; i < from->n; i++)
    if (in_set(other, from->data[i]) == in_other)
      SOFA_TRY(SOFA_APPEND(m->object.ctx, &m->out, &from->data[i]));
  return SOFA_OK;
}

static SofaErr update(SofaObject *object) {
  MergeSets *m = (MergeSets *)object;
  const char op = m->op && *m->op ? *m->op : 'u';
  m->out.n = 0;
  if (op != 'u' && op != 'U' && op != 'i' && op != 'I' && op != 'd' && op != 'D' && op != 's' &&
      op != 'S')
    return sofa_field_fail(
        &m->object, "op", SOFA_ERR_ARGUMENT,
        "'%s' is not one of union, intersection, difference, symmetric_difference", m->op);
  if (op == 'i' || op == 'I') SOFA_TRY(append_if(m, &m->in1, &m->in2, true));
  else SOFA_TRY(append_if(m, &m->in1, &m->in2, false));
  if (op == 'u' || op == 'U') SOFA_TRY(append_if(m, &m->in1, &m->in2, true));
  if (op == 'u' || op == 'U' || op == 's' || op == 'S')
    SOFA_TRY(append_if(m, &m->in2, &m->in1, false));
  sort(m);
  return SOFA_OK;
}

static const char *const templates[] = {"I", "i", NULL};

ENGINE_CLASS(MergeSets, "Generate", "Combines two sets of indices.", .divided = SOFA_DIVIDED_LOCAL,
             .templates = templates, .init = engine_init, );
