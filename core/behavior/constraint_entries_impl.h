/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Entries of rows of J, appended in great numbers. */
#ifndef SOFA_BEHAVIOR_CONSTRAINT_ENTRIES_IMPL_H
#define SOFA_BEHAVIOR_CONSTRAINT_ENTRIES_IMPL_H

#include "behavior/lagrangian.h"

/* SOFA_APPEND of an entry whose members are written to their place: a copy of what was just put
 * together waits for it. */
static inline SofaErr sofa_constraint_entries_add(SofaContext *ctx, SofaConstraintEntries *list,
                                                  uint32_t row, uint32_t column, double value) {
  if (list->n == list->capacity) SOFA_TRY(SOFA_RESERVE(ctx, list, 2 * list->n + 16));
  SofaConstraintEntry *to = &list->data[list->n++];
  to->row = row;
  to->column = column;
  to->value = value;
  return SOFA_OK;
}

#endif
