/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What mechanical loads share: ranges of points. */
#include "components/mechanicalload/load.h"

void load_range(const SofaInts *range, size_t n, size_t *first, size_t *end) {
  *first = 0;
  *end = n;
  if (range->n > 0 && range->data[0] >= 0) *first = (size_t)range->data[0];
  if (range->n > 1 && range->data[1] >= 0 && (size_t)range->data[1] + 1 < n)
    *end = (size_t)range->data[1] + 1;
  if (*first > *end) *first = *end;
}
